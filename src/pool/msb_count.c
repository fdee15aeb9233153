/* Counting windows: is the output of each the largest of its values? */
#include "pool/msb_count.h"

#include "tensor/pad.h"

enum { B = TIPS_BLOCK };
static const float tolerance = 1e-6f;

/* One plane of x. */
typedef struct plane {
    const tips_msb_layer *layer;
    const tips_map *x;
    int sample, block;
} plane;

/* A row (axis 0) or column of the map; -1 where there is none. */
static int place_of(const tips_msb_layer *layer, int axis, int window, int tap, int start, int size) {
    if (layer->foreign) return tips__window_cell(&layer->axes[axis], window, tap);
    return tips__pad_index(layer->mode, (layer->stride[axis] * window + start + tap) % layer->grid[axis], size);
}

typedef struct window {
    vf largest, smallest;
    bool seen;
} window;

static void look_at(window *w, vf value) {
    w->largest = w->seen ? vf_select(value > w->largest, value, w->largest) : value;
    w->smallest = w->seen ? vf_select(value < w->smallest, value, w->smallest) : value;
    w->seen = true;
}

static window look(const plane *p, int i, int j, const int start[2]) {
    const tips_msb_layer *layer = p->layer;
    const int rows = layer->foreign ? layer->axes[0].kernel : layer->stride[0];
    const int columns = layer->foreign ? layer->axes[1].kernel : layer->stride[1];
    window w = {0};
    for (int a = 0; a < rows; a++) {
        const int row = place_of(layer, 0, i, a, start[0], p->x->h);
        for (int b = 0; b < columns; b++) {
            const int column = place_of(layer, 1, j, b, start[1], p->x->w);
            if (row >= 0 && column >= 0)
                look_at(&w, vf_load(tips__row(p->x, p->sample, p->block, row) + (ptrdiff_t)column * B));
            else if (!layer->foreign) look_at(&w, (vf){0});
        }
    }
    return w;
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
    const int left = p->x->c - p->block * B, lanes = left < B ? left : B;
    for (int i = 0; i < y->h; i++) {
        const float *row = tips__row(y, p->sample, p->block, i);
        for (int j = 0; j < y->w; j++) {
            const window seen = look(p, i, j, start);
            judge(&seen, vf_load(row + (ptrdiff_t)j * B), lanes, count);
        }
    }
}

tips_msb_count tips__msb_count(const tips_msb_layer *layer, const tips_map *x, const tips_map *y, int anchor,
                               int sample) {
    const int across = layer->foreign ? 1 : layer->stride[1], start[2] = {anchor / across, anchor % across};
    tips_msb_count count = {0};
    for (int block = 0; block < x->blocks; block++) {
        const plane p = {.layer = layer, .x = x, .sample = sample, .block = block};
        count_plane(&p, y, start, &count);
    }
    return count;
}
