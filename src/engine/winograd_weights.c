/* Transforms of weights. */
#include "engine/winograd_weights.h"

#include "core/threads.h"
#include "engine/winograd_tiles.h"

enum { B = TIPS_BLOCK };

static const float *taps_of(const wino_weights *w, int ob, int ib) {
    return w->packed + ((ptrdiff_t)ob * w->in_blocks + ib) * 9 * B * B;
}

static void store_points(const vf *g, vf scale, float *u, ptrdiff_t plane) {
    vf points[WINO_POINTS];
    wino_weights_2d(g, points);
    WINO_EACH(p, WINO_POINTS) vf_store(u + p * plane, points[p] * scale);
}

/* Rows of `width` floats at u: from every channel of an input block to an output block. */
static void transform_block(const wino_weights *w, int ob, int ib, int width, float *u, ptrdiff_t plane) {
    const float *taps = taps_of(w, ob, ib);
    const vf scale = w->scale ? vf_load(w->scale + (ptrdiff_t)ob * B) : vf_set(1);
    for (int l = 0; l < B; l++, u += width) {
        vf g[9];
        WINO_EACH(t, 9) g[t] = vf_load(taps + (t * B + l) * B);
        store_points(g, scale, u, plane);
    }
}

static void transform_turned_block(const wino_weights *w, int ob, int ib, int width, float *u, ptrdiff_t plane) {
    const float *taps = taps_of(w, ob, ib);
    vf turned[9][B];
    for (int t = 0; t < 9; t++) vf_transpose(taps + (8 - t) * B * B, turned[t]);
    for (int l = 0; l < B; l++, u += width) {
        vf g[9];
        WINO_EACH(t, 9) g[t] = turned[t][l];
        store_points(g, vf_set(1), u, plane);
    }
}

void tips__wino_transform(const wino_weights *w, int oc, int o, int first, int blocks, float *u, ptrdiff_t plane) {
    const int width = wino_panel_width(oc, o);
    for (int b = 0; b < blocks; b++)
        for (int q = 0; q < width / B; q++) {
            float *to = u + (ptrdiff_t)b * B * width + q * B;
            if (w->turned) transform_turned_block(w, first + b, o / B + q, width, to, plane);
            else transform_block(w, o / B + q, first + b, width, to, plane);
        }
}

size_t tips__winograd_weight_floats(const tips_winograd *s) {
    return wino_lines((size_t)s->ic * (size_t)s->oc * WINO_POINTS);
}

void tips__wino_transform_all(const wino_weights *w, int ic, int oc, float *u) {
    const int in_blocks = ic / B, panels = wino_ceil(oc, WINO_PANEL);
    TIPS_PARALLEL_FOR (i, panels * in_blocks) {
        const int o = i / in_blocks * WINO_PANEL, b = i % in_blocks, width = wino_panel_width(oc, o);
        tips__wino_transform(w, oc, o, b, 1, u + wino_panel_at(ic, o) + (ptrdiff_t)b * B * width,
                             (ptrdiff_t)ic * width);
    }
}

void tips__winograd_weights(const tips_winograd *s, const float *weights, const float *scale, float *u) {
    tips__wino_transform_all(&(wino_weights){.packed = weights, .in_blocks = s->ic / B, .scale = scale}, s->ic, s->oc,
                             u);
}
