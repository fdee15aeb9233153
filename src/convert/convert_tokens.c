/* Transformers take the positions of a map as tokens, in their order: with embeddings of positions, windows, products
 * of all with all. What lies behind is left as it is, and the map before them is rolled so that its strongest position
 * comes first: then a shift of the picture does not reach them. */
#include "convert/convert_parts.h"

#include "core/fail.h"

#include <stdio.h>

/* Layers for which a position is not like any other. */
static bool tells_positions(const conversion_work *w, int i) {
    const tips_layer *layer = w->from->steps[i].layer;
    const tips_layer *const all[] = {&tips__layer_permute, &tips__layer_matmul, &tips__layer_position_embedding,
                                     &tips__layer_class_token, &tips__layer_attention};
    const int from = w->from->steps[i].in[0];
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k] == layer) return true;
    if (layer != &tips__layer_reshape || from < 0 || w->facts[i].h * w->facts[i].w == 1) return false;
    return w->facts[from].h != w->facts[i].h || w->facts[from].w != w->facts[i].w;
}

static bool is_constant(const conversion_work *w, int i) {
    return i >= 0 && w->from->steps[i].layer == &tips__layer_constant;
}

static bool reads_map(const conversion_work *w, int i) {
    const tips_step *s = &w->from->steps[i];
    for (int k = 0; k < s->n_in; k++)
        if (s->in[k] < 0 || w->facts[s->in[k]].h * w->facts[s->in[k]].w > 1) return true;
    return false;
}

/* Whether all that comes after a step is made of it, and of constants. */
static bool is_cut(const conversion_work *w, int step) {
    for (int i = step + 1; i < w->from->n_steps; i++)
        for (int k = 0; k < w->from->steps[i].n_in && !is_constant(w, i); k++)
            if (w->from->steps[i].in[k] < step && !is_constant(w, w->from->steps[i].in[k])) return false;
    return w->from->output >= step && !is_constant(w, step);
}

/* Moving is no order yet, but what is behind may take it as one. */
static const char *what_it_does(const conversion_work *w, int i) {
    const tips_layer *layer = w->from->steps[i].layer;
    const bool moves = layer == &tips__layer_permute || layer == &tips__layer_reshape;
    return moves ? "makes positions of channels or channels of positions" : "takes positions in their order";
}

tips_status tips__convert_find_tokens(conversion_work *w) {
    const int n = w->from->n_steps;
    int first = 0;
    w->tokens = n;
    while (first < n && (is_constant(w, first) || !tells_positions(w, first) || !reads_map(w, first))) first++;
    if (first == n) return TIPS_OK;
    if (w->facts[w->from->output].h * w->facts[w->from->output].w > 1)
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "layer '%s' (%s) %s, so it is not known that the answer for every pixel follows a shift of the "
                  "picture, and the network is not converted",
                  w->from->steps[first].name, w->from->steps[first].layer->name, what_it_does(w, first));
    for (w->tokens = first - 1; w->tokens >= 0 && !is_cut(w, w->tokens);) w->tokens--;
    if (w->tokens >= 0) return TIPS_OK;
    TIPS_FAIL(TIPS_UNSUPPORTED,
              "layer '%s' takes positions in their order, and no single map before it holds all that follows, so "
              "nothing can be anchored; 'tips train --arch vit_tiny --pool tips-exact' trains an exact transformer",
              w->from->steps[first].name);
}

bool tips__convert_is_constant(const conversion_work *w, int step) { return is_constant(w, step); }

tips_status tips__convert_anchor_tokens(conversion_work *w, int i) {
    const step_facts *f = &w->facts[i];
    const char *name = w->from->steps[i].name;
    if (i != w->tokens || f->h * f->w == 1) return TIPS_OK;
    if (!(tips__pool_traits(&w->options->pool) & TIPS_POOL_EXACT))
        return tips__convert_note(w->out, name, "tokens as they were: %s is not exact, and they are not anchored",
                                  w->options->pool.pool->layer.name);
    TIPS_TRY(tips__convert_anchor(w, name, i, &w->placed[i]));
    w->out->anchors_tokens = true;
    return tips__convert_note(w->out, name,
                              "tokens begin at the strongest position of the %dx%d map; all behind is as it was", f->h,
                              f->w);
}
