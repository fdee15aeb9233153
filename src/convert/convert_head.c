/* Heads that flatten a map know where things are. Either the map is rolled so that its strongest position comes first,
 * or it becomes its mean. */
#include "convert/convert_parts.h"

#include "core/fail.h"

#include <stdio.h>

enum { NAME_SIZE = 200, MOST_EVENTS = 64 };

bool tips__convert_is_head(const conversion_work *w, int i) {
    const tips_step *s = &w->from->steps[i];
    const int from = s->in[0];
    if (s->layer != &tips__layer_reshape || from < 0 || !w->facts[from].spatial) return false;
    return w->facts[from].h * w->facts[from].w > 1 && w->facts[i].h * w->facts[i].w == 1;
}

static tips_status add_behind(conversion_work *w, const tips_layer *layer, const char *name, const char *part,
                              const void *config, int *step) {
    char full[NAME_SIZE];
    snprintf(full, sizeof full, "%.170s.%s", name, part);
    return tips__blueprint_add(w->out->blueprint, layer, full, config, step, 1, step);
}

/* Once anchored, a position means the same under every shift: a map that has grown may be cut. */
static tips_status fit(conversion_work *w, const char *name, int have, int want, int axis, int *step) {
    const tips_slice cut = {.axis = axis, .stop = want, .step = 1};
    tips_pad_config more = {.padding = {.mode = TIPS_PAD_ZERO}};
    const bool is_rows = axis == TIPS_AXIS_H;
    if (have == want) return TIPS_OK;
    if (have > want) return add_behind(w, &tips__layer_slice, name, is_rows ? "cut_h" : "cut_w", &cut, step);
    *(is_rows ? &more.padding.bottom : &more.padding.right) = want - have;
    return add_behind(w, &tips__layer_pad, name, is_rows ? "fill_h" : "fill_w", &more, step);
}

void tips__convert_new_size(const conversion_work *w, int of, int size[2]) {
    int path[MOST_EVENTS], n = 0;
    size[0] = w->options->size[0];
    size[1] = w->options->size[1];
    for (int g = of; g > 0 && n < MOST_EVENTS; g = w->grids[g].parent) path[n++] = w->grids[g].event;
    while (n-- > 0)
        for (int k = 0; k < 2; k++) {
            const int stride = w->events[path[n]].stride[k];
            size[k] = (size[k] + stride - 1) / stride;
        }
}

tips_status tips__convert_anchor(conversion_work *w, const char *name, int old, int *placed) {
    const step_facts *f = &w->facts[old];
    int size[2];
    TIPS_TRY(add_behind(w, &tips__layer_anchor, name, "anchor", NULL, placed));
    tips__convert_new_size(w, w->facts[old].grid, size);
    TIPS_TRY(fit(w, name, size[0], f->h, TIPS_AXIS_H, placed));
    return fit(w, name, size[1], f->w, TIPS_AXIS_W, placed);
}

static tips_status anchor_head(conversion_work *w, int i, int from) {
    const tips_step *s = &w->from->steps[i];
    const step_facts *f = &w->facts[from];
    int step = tips__convert_at(w, from);
    TIPS_TRY(tips__convert_anchor(w, s->name, from, &step));
    TIPS_TRY(
        tips__convert_note(w->out, s->name, "the flattened %dx%d map begins at its strongest position", f->h, f->w));
    return tips__blueprint_add(w->out->blueprint, s->layer, s->name, s->config, &step, 1, &w->placed[i]);
}

static tips_status remember_head(conversion_work *w, int reader, int cells) {
    const tips_step *s = &w->from->steps[reader];
    if (s->layer != &tips__layer_linear)
        TIPS_FAIL(TIPS_UNSUPPORTED, "--head gap needs a linear layer behind the flattened map, not '%s'", s->name);
    if (w->out->n_heads == TIPS_MOST_HEADS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "more than %d flattened heads", TIPS_MOST_HEADS);
    tips_merged_head *head = &w->out->heads[w->out->n_heads++];
    snprintf(head->name, sizeof head->name, "%s", s->name);
    head->cells = cells;
    return TIPS_OK;
}

static tips_status average_head(conversion_work *w, int i, int from) {
    const tips_step *s = &w->from->steps[i];
    const step_facts *f = &w->facts[from];
    const int step = tips__convert_at(w, from);
    for (int k = i + 1; k < w->from->n_steps; k++)
        for (int j = 0; j < w->from->steps[k].n_in; j++)
            if (w->from->steps[k].in[j] == i) TIPS_TRY(remember_head(w, k, f->h * f->w));
    TIPS_TRY(tips__convert_note(w->out, s->name, "the flattened %dx%d map becomes its mean", f->h, f->w));
    return tips__blueprint_add(w->out->blueprint, &tips__layer_global_avg, s->name, NULL, &step, 1, &w->placed[i]);
}

tips_status tips__convert_head(conversion_work *w, int i) {
    const int from = w->from->steps[i].in[0];
    return w->options->gap_head ? average_head(w, i, from) : anchor_head(w, i, from);
}
