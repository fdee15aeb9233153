/* Tiles to points and back, a block of channels at a time. */
#include "engine/winograd_tiles.h"

#include <stdint.h>

enum { B = TIPS_BLOCK };

/* Pixel i of a line of `size`, counted from `origin`; -1 beyond a zero border. */
static int pixel(const tips_winograd *s, int i, int origin, int size) {
    if (!s->circular) return i >= 0 && i < size ? i : -1;
    i = (i + origin) % size;
    return i < 0 ? i + size : i;
}

static tips_place origin_of(const tips_winograd *s, int n) { return s->origins ? s->origins[n] : (tips_place){0, 0}; }

/* Where the 6x6 pixels under a tile lie in a plane. */
typedef struct window {
    ptrdiff_t row[WINO_IN], col[WINO_IN];
    uintptr_t row_inside[WINO_IN], col_inside[WINO_IN]; /* all bits set, or none: beyond a zero border */
    bool inside;                                        /* all of them */
} window;

static window window_of(const tips_winograd *s, const tips_map *src, wino_place at) {
    const tips_place origin = origin_of(s, at.n);
    window w = {.inside = true};
    for (int i = 0; i < WINO_IN; i++) {
        const int y = pixel(s, at.y + i - 1, origin.y, s->h), x = pixel(s, at.x + i - 1, origin.x, s->w);
        w.row[i] = y < 0 ? 0 : y * src->sh;
        w.col[i] = x < 0 ? 0 : (ptrdiff_t)x * B;
        w.row_inside[i] = y < 0 ? 0 : UINTPTR_MAX;
        w.col_inside[i] = x < 0 ? 0 : UINTPTR_MAX;
        w.inside = w.inside && y >= 0 && x >= 0;
    }
    return w;
}

/* Beyond the border lies a zero; a branch for each pixel would be guessed wrong too often. */
static inline vf load_pixel(const window *w, const float *from, int y, int x, bool inside) {
    static const vf zero = {0};
    const float *at = from + w->row[y] + w->col[x];
    if (inside) return vf_load(at);
    const uintptr_t there = w->row_inside[y] & w->col_inside[x];
    return *(const vf *)(((uintptr_t)at & there) | ((uintptr_t)&zero & ~there));
}

static inline __attribute__((always_inline)) void input_block(const window *w, const float *from, float *v,
                                                              ptrdiff_t plane, bool inside) {
    vf half[WINO_POINTS], line[WINO_IN];
    WINO_EACH(x, WINO_IN) {
        WINO_EACH(y, WINO_IN) line[y] = load_pixel(w, from, y, x, inside);
        wino_input_1d(line, 1, half + x, WINO_IN);
    }
    WINO_EACH(y, WINO_IN) {
        wino_input_1d(half + y * WINO_IN, 1, line, 1);
        WINO_EACH(x, WINO_IN) vf_store(v + (y * WINO_IN + x) * plane, line[x]);
    }
}

/* The pixels of the next tile, ahead of time. */
static inline void fetch_next(const window *w, const float *from) {
    const float *next = from + w->col[WINO_IN - 1] + B;
    WINO_EACH(y, WINO_IN) WINO_EACH(x, WINO_OUT) __builtin_prefetch(next + w->row[y] + x * B);
}

void tips__wino_input(const tips_winograd *s, const tips_map *src, wino_place at, float *v, ptrdiff_t block,
                      ptrdiff_t plane) {
    const window w = window_of(s, src, at);
    for (int b = 0; b < src->blocks; b++) {
        fetch_next(&w, tips__plane(src, at.n, b));
        if (w.inside) input_block(&w, tips__plane(src, at.n, b), v + b * block, plane, true);
        else input_block(&w, tips__plane(src, at.n, b), v + b * block, plane, false);
    }
}

static inline __attribute__((always_inline)) void gradient_block(const float *from, ptrdiff_t row, int h, int w,
                                                                 float *d, ptrdiff_t plane) {
    vf half[WINO_IN * WINO_OUT], line[WINO_IN];
    WINO_EACH(x, WINO_OUT) {
        WINO_EACH(y, WINO_OUT) line[y] = y < h && x < w ? vf_load(from + y * row + (ptrdiff_t)x * B) : (vf){0};
        wino_output_adjoint_1d(line, 1, half + x, WINO_OUT);
    }
    WINO_EACH(y, WINO_IN) {
        wino_output_adjoint_1d(half + y * WINO_OUT, 1, line, 1);
        WINO_EACH(x, WINO_IN) vf_store(d + (y * WINO_IN + x) * plane, line[x]);
    }
}

void tips__wino_gradient(const tips_winograd *s, const tips_map *dy, wino_place at, float *d, ptrdiff_t block,
                         ptrdiff_t plane) {
    const int h = s->h - at.y, w = s->w - at.x;
    for (int b = 0; b < dy->blocks; b++) {
        const float *from = tips__row(dy, at.n, b, at.y) + (ptrdiff_t)at.x * B;
        if (h >= WINO_OUT && w >= WINO_OUT) gradient_block(from, dy->sh, WINO_OUT, WINO_OUT, d + b * block, plane);
        else gradient_block(from, dy->sh, h, w, d + b * block, plane);
    }
}

static inline __attribute__((always_inline)) void output_block(const float *m, ptrdiff_t plane,
                                                               vf y[WINO_OUT * WINO_OUT]) {
    vf half[WINO_OUT * WINO_IN], line[WINO_IN];
    WINO_EACH(i, WINO_IN) {
        WINO_EACH(j, WINO_IN) line[j] = vf_load(m + (j * WINO_IN + i) * plane);
        wino_output_1d(line, 1, half + i, WINO_IN);
    }
    WINO_EACH(j, WINO_OUT) wino_output_1d(half + j * WINO_IN, 1, y + j * WINO_OUT, 1);
}

/* The pixels of a tile that are in the map, in runs that lie side by side: an origin may part a tile in two. */
typedef struct target {
    int h, w;
    int row[WINO_OUT], col[WINO_OUT];
    int run; /* columns before the map begins anew */
} target;

static target target_of(const tips_winograd *s, wino_place at) {
    const tips_place origin = origin_of(s, at.n);
    target t = {.h = s->h - at.y < WINO_OUT ? s->h - at.y : WINO_OUT,
                .w = s->w - at.x < WINO_OUT ? s->w - at.x : WINO_OUT};
    for (int i = 0; i < t.h; i++) t.row[i] = (at.y + i + origin.y) % s->h;
    for (int i = 0; i < t.w; i++) t.col[i] = (at.x + i + origin.x) % s->w;
    t.run = 1;
    while (t.run < t.w && t.col[t.run] > t.col[0]) t.run++;
    return t;
}

static void call_function(const tips_finish *f, const target *t, float *row, int b) {
    f->function(row + (ptrdiff_t)t->col[0] * B, t->run * B, b, f->with);
    if (t->run < t->w) f->function(row, (t->w - t->run) * B, b, f->with);
}

static void put_block(const target *t, const vf *y, int n, int b, const tips_finish *f, bool accumulate,
                      const tips_map *dst) {
    const vf bias = f->bias ? vf_load(f->bias + (ptrdiff_t)b * B) : (vf){0};
    const vf low = vf_set(f->low), high = vf_set(f->high);
    for (int py = 0; py < t->h; py++) {
        float *row = tips__row(dst, n, b, t->row[py]);
        const float *add = f->residual ? tips__row(f->residual, n, b, t->row[py]) : NULL;
        for (int px = 0; px < t->w; px++) {
            const ptrdiff_t at = (ptrdiff_t)t->col[px] * B;
            vf v = y[py * WINO_OUT + px] + bias;
            if (add) v += vf_load(add + at);
            if (f->clips) v = vf_between(v, low, high);
            if (accumulate) v += vf_load(row + at);
            vf_store(row + at, v);
        }
        if (f->function) call_function(f, t, row, b);
    }
}

void tips__wino_output(const tips_winograd *s, const float *m, ptrdiff_t plane, wino_place at, int first, int end,
                       const tips_finish *finish, bool accumulate, const tips_map *dst) {
    const target t = target_of(s, at);
    for (int b = first; b < end; b++) {
        vf y[WINO_OUT * WINO_OUT];
        output_block(m + (ptrdiff_t)(b - first) * B, plane, y);
        put_block(&t, y, at.n, b, finish, accumulate, dst);
    }
}
