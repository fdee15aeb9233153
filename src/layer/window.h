/* The windows of pooling layers along one axis: how many there are, and which cells of the map each of them covers. */
#ifndef TIPS_LAYER_WINDOW_H
#define TIPS_LAYER_WINDOW_H

#include "layer/layer_common.h"
#include "layer/layers.h"
#include "tensor/pad.h"

typedef struct tips_window {
    int size; /* of the map */
    int kernel, stride, dilation;
    int before, after; /* cells of border */
    bool ceil;         /* a last window may hang over the border, unless it starts beyond the map */
    tips_pad_mode mode;
} tips_window;

/* Cells of the map that one window covers, in order. */
typedef struct tips_cover {
    int *at, n;
    int counted; /* taps on the map or its border: all but those that hang over */
} tips_cover;

/* The windows of a layer over a map of h x w: rows, columns. */
void tips__max_pool_windows(const tips_max_pool *c, int h, int w, tips_window axes[2]);
void tips__avg_pool_windows(const tips_avg_pool *c, int h, int w, tips_window axes[2]);

static inline int tips__window_reach(const tips_window *w) { return (w->kernel - 1) * w->dilation + 1; }

/* 0 where not even one fits. */
static inline int tips__window_count(const tips_window *w) {
    const int room = w->size + w->before + w->after - tips__window_reach(w) + (w->ceil ? w->stride - 1 : 0);
    if (room < 0) return 0;
    const int count = room / w->stride + 1;
    return w->ceil && (count - 1) * w->stride >= w->size + w->before ? count - 1 : count;
}

/* The cell under a tap of a window; -1 where it is not on the map. */
static inline int tips__window_cell(const tips_window *w, int window, int tap) {
    const int place = window * w->stride - w->before + tap * w->dilation;
    return place < w->size + w->after ? tips__pad_index(w->mode, place, w->size) : -1;
}

/* Writes the cells into `at`, which has room for the kernel. */
static inline tips_cover tips__window_cover(const tips_window *w, int window, int *at) {
    tips_cover cover = {.at = at};
    for (int tap = 0; tap < w->kernel; tap++) {
        const int place = window * w->stride - w->before + tap * w->dilation;
        if (place >= w->size + w->after) break;
        cover.counted++;
        const int cell = tips__pad_index(w->mode, place, w->size);
        if (cell >= 0) at[cover.n++] = cell;
    }
    return cover;
}

static inline int tips__clamp(int i, int low, int high) { return i < low ? low : i > high ? high : i; }

/* Windows first..end-1 lie within the map. */
static inline void tips__window_inside(const tips_window *w, int count, int *first, int *end) {
    const int last_start = w->size - tips__window_reach(w) + w->before;
    *first = tips__clamp((w->before + w->stride - 1) / w->stride, 0, count);
    *end = last_start < 0 ? *first : tips__clamp(last_start / w->stride + 1, *first, count);
}

static inline bool tips__window_sees_map(const tips_window *w, int window) {
    for (int tap = 0; tap < w->kernel; tap++)
        if (tips__window_cell(w, window, tap) >= 0) return true;
    return false;
}

/* Sensible numbers, room for a window, and none of them in the padding alone. */
static inline tips_status tips__window_check(const tips_node *node, const tips_window *w) {
    if (w->kernel < 1 || w->stride < 1 || w->dilation < 1 || w->before < 0 || w->after < 0) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': kernel %d, stride %d and dilation %d start at 1, padding %d and %d at 0",
                  node->name, w->kernel, w->stride, w->dilation, w->before, w->after);
    }
    const int count = tips__window_count(w);
    if (count < 1) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': a window that reaches over %d cells does not fit into %d + %d + %d",
                  node->name, tips__window_reach(w), w->before, w->size, w->after);
    }
    for (int i = 0; i < count; i++) {
        if (tips__window_sees_map(w, i)) continue;
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': window %d of %d sees nothing but padding (%d + %d + %d cells)", node->name,
                  i, count, w->before, w->size, w->after);
    }
    return TIPS_OK;
}

/* One row of windows: the rows of the map it covers, and the columns of windows that lie within the map. */
typedef struct tips_window_run {
    const float *plane;
    ptrdiff_t line; /* floats from row to row */
    tips_cover rows;
    int column, dilation; /* of the first window's first tap */
    int count;
} tips_window_run;

/* Room for the covers of one window, in floats. */
static inline size_t tips__cover_floats(const tips_window axes[2]) {
    return (size_t)tips__padded(axes[0].kernel + axes[1].kernel);
}

static inline void tips__zero_plane(const tips_map *map, int n, int block) {
    for (int y = 0; y < map->h; y++)
        memset(tips__row(map, n, block, y), 0, (size_t)(map->w * TIPS_LANES) * sizeof(float));
}

#endif
