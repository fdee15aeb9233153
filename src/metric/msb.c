/* Counting windows: is the output of each the largest of its values? */
#include "metric/msb.h"

#include "core/threads.h"
#include "tensor/pad.h"

enum { B = TIPS_BLOCK };
static const float tolerance = 1e-6f;

/* One plane of x, read at any cell of the extended grid. */
typedef struct plane {
    const tips_msb_layer *layer;
    const tips_map *x;
    int sample, block;
} plane;

static vf cell(const plane *p, int y, int x) {
    const int h = p->layer->grid[0], w = p->layer->grid[1];
    const int row = tips__pad_index(p->layer->mode, y % h, p->x->h);
    const int column = tips__pad_index(p->layer->mode, x % w, p->x->w);
    if (row < 0 || column < 0) return (vf){0};
    return vf_load(tips__row(p->x, p->sample, p->block, row) + (ptrdiff_t)column * B);
}

typedef struct window {
    vf largest, smallest;
} window;

static window look(const plane *p, int top, int left) {
    window seen = {.largest = cell(p, top, left), .smallest = cell(p, top, left)};
    for (int a = 0; a < p->layer->stride[0]; a++)
        for (int b = 0; b < p->layer->stride[1]; b++) {
            const vf value = cell(p, top + a, left + b);
            seen.largest = vf_select(value > seen.largest, value, seen.largest);
            seen.smallest = vf_select(value < seen.smallest, value, seen.smallest);
        }
    return seen;
}

static void judge(const window *seen, vf output, int lanes, tips_msb_count *count) {
    const vi hit = vf_abs(output - seen->largest) <= tolerance * vf_abs(seen->largest);
    const vi differs = seen->largest > seen->smallest;
    for (int lane = 0; lane < lanes; lane++) {
        count->windows++;
        count->hits += hit[lane] != 0;
        count->nontrivial_windows += differs[lane] != 0;
        count->nontrivial_hits += (hit & differs)[lane] != 0;
    }
}

static void count_plane(const plane *p, const tips_map *y, const int start[2], tips_msb_count *count) {
    const int left = p->x->c - p->block * B, lanes = left < B ? left : B, *stride = p->layer->stride;
    for (int i = 0; i < y->h; i++) {
        const float *row = tips__row(y, p->sample, p->block, i);
        for (int j = 0; j < y->w; j++) {
            const window seen = look(p, stride[0] * i + start[0], stride[1] * j + start[1]);
            judge(&seen, vf_load(row + (ptrdiff_t)j * B), lanes, count);
        }
    }
}

tips_msb_count tips__msb_count(const tips_msb_layer *layer, const tips_map *x, const tips_map *y, int anchor,
                               int sample) {
    const int start[2] = {anchor / layer->stride[1], anchor % layer->stride[1]};
    tips_msb_count count = {0};
    for (int block = 0; block < x->blocks; block++) {
        const plane p = {.layer = layer, .x = x, .sample = sample, .block = block};
        count_plane(&p, y, start, &count);
    }
    return count;
}

void tips__msb_net(const tips_net *net, const tips_msb_layer *layers, int n_layers, int count, tips_msb_count *counts) {
    TIPS_PARALLEL_FOR (i, count * n_layers) {
        const tips_msb_layer *layer = &layers[i % n_layers];
        const int sample = i / n_layers;
        const tips_map x = tips__net_map(net, layer->x), y = tips__net_map(net, layer->y);
        const int32_t *anchors = layer->anchor == TIPS_NO_VALUE ? NULL : tips__net_index(net, layer->anchor);
        counts[i] = tips__msb_count(layer, &x, &y, anchors ? anchors[sample] : 0, sample);
    }
}
