/* The gradient of the dense maximum: every cell gathers its own from the windows that it is in, in their order. */
#include "layer/dense_max_run.h"

#include <string.h>

enum { B = TIPS_BLOCK };

/* A window that has a cell, by one axis: that of output `from`, at its `tap`. */
typedef struct feed {
    int from, tap;
} feed;

/* Those of cell i are all[begin[i]] up to all[begin[i + 1]]. */
typedef struct feeds {
    feed *all;
    int *begin;
    int lo, hi; /* of cells that have `kernel` of them in a row: i + before - j at tap j */
} feeds;

static size_t feeds_bytes(int size, int kernel) {
    return (size_t)size * (size_t)kernel * sizeof(feed) + (2 * (size_t)size + 2) * sizeof(int);
}

size_t tips__dense_max_scratch(const tips_map *map, const int kernel[2]) {
    return feeds_bytes(map->h, kernel[0]) + feeds_bytes(map->w, kernel[1]);
}

static bool is_regular(const feeds *f, int i, int kernel, int before) {
    if (f->begin[i + 1] - f->begin[i] != kernel) return false;
    for (int k = 0; k < kernel; k++) {
        const feed *at = &f->all[f->begin[i] + k]; /* outputs in order: the last tap comes first */
        if (at->tap != kernel - 1 - k || at->from != i + before - at->tap) return false;
    }
    return true;
}

static feeds list_feeds(tips_pad_mode mode, int size, int kernel, int before, void *memory) {
    feeds f = {.all = memory};
    f.begin = (int *)(void *)(f.all + (ptrdiff_t)size * kernel);
    int *next = f.begin + size + 1;
    memset(f.begin, 0, ((size_t)size + 1) * sizeof(int));
    for (int i = 0; i < size * kernel; i++) {
        const int to = tips__pad_index(mode, i / kernel - before + i % kernel, size);
        if (to >= 0) f.begin[to + 1]++;
    }
    for (int i = 0; i < size; i++) f.begin[i + 1] += next[i] = f.begin[i];
    for (int i = 0; i < size * kernel; i++) {
        const int to = tips__pad_index(mode, i / kernel - before + i % kernel, size);
        if (to >= 0) f.all[next[to]++] = (feed){i / kernel, i % kernel};
    }
    while (f.lo < size && !is_regular(&f, f.lo, kernel, before)) f.lo++;
    for (f.hi = f.lo; f.hi < size && is_regular(&f, f.hi, kernel, before);) f.hi++;
    return f;
}

/* One row of windows that have a row of cells at their tap row. */
typedef struct window_row {
    const float *diff;
    const uint8_t *place;
    int tap; /* the first of that row */
} window_row;

typedef struct window {
    vf diff;
    vi place;
} window;

static inline __attribute__((always_inline)) window window_at(const window_row *row, int from) {
    return (window){vf_load(row->diff + (ptrdiff_t)from * B), vi_load_bytes(row->place + (ptrdiff_t)from * B)};
}

static inline __attribute__((always_inline)) vf share(window w, int tap) {
    return (vf)((vi)w.diff & (w.place == tap));
}

static inline __attribute__((always_inline)) vf taken(const window_row *row, int from, int tap) {
    return share(window_at(row, from), row->tap + tap);
}

static inline __attribute__((always_inline)) void gather_inside(const window_row *rows, int n_rows, int kw, int before,
                                                                int begin, int end, float *to, bool accumulate) {
    for (int x = begin; x < end; x++) {
        vf sum = accumulate ? vf_load(to + (ptrdiff_t)x * B) : (vf){0};
        for (int r = 0; r < n_rows; r++)
            for (int j = kw - 1; j >= 0; j--) sum += taken(&rows[r], x + before - j, j);
        vf_store(to + (ptrdiff_t)x * B, sum);
    }
}

/* Squares of `size`, known to the compiler: each window is loaded once for all its cells of a row. */
static inline __attribute__((always_inline)) void gather_squares(const window_row *rows, int size, int before,
                                                                 int begin, int end, float *to, bool accumulate) {
    window near[3][3]; /* row and column, of those that the cell is in */
    if (begin >= end) return;
    for (int r = 0; r < size; r++)
        for (int k = 1; k < size; k++) near[r][k] = window_at(&rows[r], begin + before - size + k);
    for (int x = begin; x < end; x++) {
        vf sum = accumulate ? vf_load(to + (ptrdiff_t)x * B) : (vf){0};
        for (int r = 0; r < size; r++) {
            for (int k = 1; k < size; k++) near[r][k - 1] = near[r][k];
            near[r][size - 1] = window_at(&rows[r], x + before);
            for (int k = 0; k < size; k++) sum += share(near[r][k], rows[r].tap + size - 1 - k);
        }
        vf_store(to + (ptrdiff_t)x * B, sum);
    }
}

static void gather_anywhere(const window_row *rows, int n_rows, const feeds *columns, int begin, int end, float *to,
                            bool accumulate) {
    for (int x = begin; x < end; x++) {
        vf sum = accumulate ? vf_load(to + (ptrdiff_t)x * B) : (vf){0};
        for (int r = 0; r < n_rows; r++)
            for (int k = columns->begin[x]; k < columns->begin[x + 1]; k++)
                sum += taken(&rows[r], columns->all[k].from, columns->all[k].tap);
        vf_store(to + (ptrdiff_t)x * B, sum);
    }
}

static void gather_row(const window_row *rows, int n_rows, int kw, int before, const feeds *columns, int w, float *to,
                       bool accumulate) {
    const int lo = columns->lo, hi = columns->hi;
    gather_anywhere(rows, n_rows, columns, 0, lo, to, accumulate);
    if (n_rows == 2 && kw == 2 && accumulate) gather_squares(rows, 2, before, lo, hi, to, true);
    else if (n_rows == 2 && kw == 2) gather_squares(rows, 2, before, lo, hi, to, false);
    else if (n_rows == 3 && kw == 3) gather_squares(rows, 3, before, lo, hi, to, accumulate);
    else gather_inside(rows, n_rows, kw, before, lo, hi, to, accumulate);
    gather_anywhere(rows, n_rows, columns, hi, w, to, accumulate);
}

/* Rows of windows some at a time: one at the border may be in very many. */
static void gather_plane(const tips_op *op, int n, int b, const feeds *lines, const feeds *columns,
                         const tips_padding *pad) {
    const tips_map *dy = &op->out[0].diff, *dx = &op->in[0].diff;
    const int kw = ((const tips_dense_max *)op->node->config)->kernel[1];
    for (int y = 0; y < dx->h; y++) {
        bool accumulate = op->in[0].accumulate;
        int k = lines->begin[y];
        do {
            window_row rows[DENSE_MAX_KERNEL];
            int count = 0;
            for (; k < lines->begin[y + 1] && count < DENSE_MAX_KERNEL; k++, count++) {
                const feed *f = &lines->all[k];
                rows[count] =
                    (window_row){tips__row(dy, n, b, f->from), dense_max_places(op, n, b, f->from), f->tap * kw};
            }
            gather_row(rows, count, kw, pad->left, columns, dx->w, tips__row(dx, n, b, y), accumulate);
            accumulate = true;
        } while (k < lines->begin[y + 1]);
    }
}

tips_status tips__dense_max_backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const tips_map *dx = &op->in[0].diff;
    const tips_padding pad = dense_max_padding(op);
    char *memory = op->scratch;
    const feeds lines = list_feeds(pad.mode, dx->h, kernel[0], pad.top, memory);
    const feeds columns = list_feeds(pad.mode, dx->w, kernel[1], pad.left, memory + feeds_bytes(dx->h, kernel[0]));
    TIPS_PARALLEL_PLANES(dx, n, b) gather_plane(op, n, b, &lines, &columns, &pad);
    return TIPS_OK;
}
