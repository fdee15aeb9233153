/* Tiles of a map: where they lie, and their way to and from the 36 points. */
#ifndef TIPS_ENGINE_WINOGRAD_TILES_H
#define TIPS_ENGINE_WINOGRAD_TILES_H

#include "engine/winograd.h"
#include "engine/winograd_transforms.h"

/* Floats between the planes of two points, so that 36 streams do not share cache sets. */
enum { WINO_SKEW = 16 };

static inline size_t wino_lines(size_t floats) { return (floats + 15) / 16 * 16; }
static inline int wino_ceil(int a, int b) { return (a + b - 1) / b; }

/* Tiles in a map: per column, per row, and of all samples. */
typedef struct wino_tiling {
    int rows, cols, count;
} wino_tiling;

static inline wino_tiling wino_tile(const tips_winograd *s) {
    const int rows = wino_ceil(s->h, WINO_OUT), cols = wino_ceil(s->w, WINO_OUT);
    return (wino_tiling){rows, cols, s->n * rows * cols};
}

/* The transposed convolution: inputs and outputs swapped. */
static inline tips_winograd wino_transposed(const tips_winograd *s) {
    tips_winograd t = *s;
    t.ic = s->oc;
    t.oc = s->ic;
    return t;
}

/* Where a tile lies: its sample, and the distance of its first output pixel from where tiles begin. */
typedef struct wino_place {
    int n, y, x;
} wino_place;

static inline wino_place wino_place_of(const wino_tiling *t, int index) {
    const int per_map = t->rows * t->cols, in_map = index % per_map;
    return (wino_place){index / per_map, in_map / t->cols * WINO_OUT, in_map % t->cols * WINO_OUT};
}

/* The pixels under a tile into their 36 points: block b goes to v + b * block, point p a plane further each. */
void tips__wino_input(const tips_winograd *s, const tips_map *src, wino_place at, float *v, ptrdiff_t block,
                      ptrdiff_t plane);
/* The same with the gradients of a tile's outputs; those that lie beyond the map are zero. */
void tips__wino_gradient(const tips_winograd *s, const tips_map *dy, wino_place at, float *d, ptrdiff_t block,
                         ptrdiff_t plane);
/* Points of blocks first to end - 1 into a tile's outputs; block b is at m + (b - first) * B. */
void tips__wino_output(const tips_winograd *s, const float *m, ptrdiff_t plane, wino_place at, int first, int end,
                       const tips_finish *finish, bool accumulate, const tips_map *dst);

#endif
