/* Branches that meet again must be sampled alike: the downsamplings on the way to a meeting, matched one by one from
 * the input on, follow the first of them. */
#include "convert/convert_parts.h"

#include "core/fail.h"

static int leader_of(const conversion_work *w, int event) {
    while (w->events[event].leader != event) event = w->events[event].leader;
    return event;
}

static tips_status follow(conversion_work *w, const tips_step *at, int a, int b) {
    const int first = leader_of(w, a), second = leader_of(w, b);
    const downsampling *x = &w->events[first], *y = &w->events[second];
    if (first == second) return TIPS_OK;
    if (x->stride[0] != y->stride[0] || x->stride[1] != y->stride[1])
        TIPS_FAIL(
            TIPS_UNSUPPORTED,
            "'%s' and '%s' meet again in '%s' but downsample by %dx%d and %dx%d; one choice of phase cannot serve both",
            w->from->steps[x->step].name, w->from->steps[y->step].name, at->name, x->stride[0], x->stride[1],
            y->stride[0], y->stride[1]);
    if (first < second) w->events[second].leader = first;
    else w->events[first].leader = second;
    return TIPS_OK;
}

static tips_status meet(conversion_work *w, const tips_step *at, int a, int b) {
    if (w->grids[a].depth != w->grids[b].depth && !tips__convert_chooses(w)) return TIPS_OK; /* no phases to match */
    if (w->grids[a].depth != w->grids[b].depth)
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "the branches that meet in '%s' were downsampled by %d and %d layers; their phases cannot be matched",
                  at->name, w->grids[a].depth, w->grids[b].depth);
    for (; a != b; a = w->grids[a].parent, b = w->grids[b].parent)
        TIPS_TRY(follow(w, at, w->grids[a].event, w->grids[b].event));
    return TIPS_OK;
}

static int grid_of(const conversion_work *w, int step) { return step < 0 ? 0 : w->facts[step].grid; }

/* The grid that the inputs share. */
static tips_status join_inputs(conversion_work *w, int i, int *out) {
    const tips_step *s = &w->from->steps[i];
    *out = -1;
    for (int k = 0; k < s->n_in; k++) {
        const int g = grid_of(w, s->in[k]);
        if (g < 0) continue;
        if (*out >= 0 && *out != g) TIPS_TRY(meet(w, s, *out, g));
        if (*out < 0) *out = g;
    }
    return TIPS_OK;
}

static bool is_single_tap(const tips_step *s) {
    const tips_conv2d *c = s->layer == &tips__layer_conv2d ? s->config : NULL;
    return c && c->kernel[0] == 1 && c->kernel[1] == 1;
}

tips_status tips__convert_share(conversion_work *w) {
    w->grids[w->n_grids++] = (grid){.parent = -1, .event = -1, .h = w->options->size[0], .w = w->options->size[1]};
    for (int i = 0; i < w->from->n_steps; i++) {
        step_facts *f = &w->facts[i];
        int g;
        TIPS_TRY(join_inputs(w, i, &g));
        if (!f->spatial) continue;
        if (f->event >= 0) {
            const step_facts *last = &w->facts[w->events[f->event].last];
            w->grids[w->n_grids] = (grid){
                .parent = g, .event = f->event, .depth = w->grids[g].depth + 1, .h = last->h, .w = last->w};
            g = w->n_grids++;
        } else if (tips__convert_enlarges(w, i)) {
            int above;
            TIPS_TRY(tips__convert_find_undone(w, i, g, &above));
            if (above >= 0) f->undoes = g, g = above;
        }
        f->grid = g;
    }
    for (int e = 0; e < w->n_events; e++) {
        w->events[e].leader = leader_of(w, e);
        w->events[e].before = w->events[e].leader != e && is_single_tap(&w->from->steps[w->events[e].step]);
    }
    return TIPS_OK;
}
