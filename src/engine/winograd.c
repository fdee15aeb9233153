/* Winograd convolution. Forward and backward-data go chunk by chunk, a chunk of tiles staying in one core's cache
 * from input transform to output; weight gradients go group by group, threads sharing the transformed tiles. */
#include "engine/winograd.h"

#include "core/threads.h"
#include "engine/winograd_gemm.h"
#include "engine/winograd_transforms.h"
#include "tensor/pad.h"

enum { B = TIPS_BLOCK, SKEW = 16 }; /* SKEW floats between planes, so that 36 streams do not share cache sets */

typedef struct tiling {
    int rows, cols, count; /* tiles per map, and in all */
} tiling;

static tiling tile(const tips_winograd *s) {
    const int rows = (s->h + WINO_OUT - 1) / WINO_OUT, cols = (s->w + WINO_OUT - 1) / WINO_OUT;
    return (tiling){rows, cols, s->n * rows * cols};
}

static size_t lines(size_t floats) { return (floats + 15) / 16 * 16; }

/* ---- weights ---- */

/* Where tap t of input i and output block ob begins in packed weights. */
static const float *tap(const float *weights, int in_blocks, int ob, int ib, int t) {
    return weights + (((ptrdiff_t)ob * in_blocks + ib) * 9 + t) * B * B;
}

/* U[point] of input channel i and output block ob, for a product with ic inputs and oc outputs. */
static float *weight_at(float *u, int ic, int oc, int point, int i, int ob) {
    const int o = ob / 2 * WINO_PANEL;
    return u + (ptrdiff_t)point * ic * oc + (ptrdiff_t)o * ic + (ptrdiff_t)i * wino_panel_width(oc, o) + ob % 2 * B;
}

static void store_weights(float *u, int ic, int oc, int i, int ob, const vf *g, vf scale) {
    vf points[WINO_POINTS];
    wino_weights(g, points);
    for (int p = 0; p < WINO_POINTS; p++) vf_store(weight_at(u, ic, oc, p, i, ob), points[p] * scale);
}

void tips__winograd_weights(const tips_winograd *s, const float *weights, const float *scale, float *u) {
    const int in_blocks = s->ic / B, out_blocks = s->oc / B;
    TIPS_PARALLEL_FOR(pair, in_blocks *out_blocks) {
        const int ob = pair / in_blocks, ib = pair % in_blocks;
        for (int l = 0; l < B; l++) {
            vf g[9];
            for (int t = 0; t < 9; t++) g[t] = vf_load(tap(weights, in_blocks, ob, ib, t) + l * B);
            store_weights(u, s->ic, s->oc, ib * B + l, ob, g, scale ? vf_load(scale + (ptrdiff_t)ob * B) : vf_set(1));
        }
    }
}

/* The transposed convolution swaps inputs with outputs and turns the kernel by half a turn. */
static void transform_weights_turned(const tips_winograd *s, const float *weights, float *u) {
    const int in_blocks = s->ic / B, out_blocks = s->oc / B;
    TIPS_PARALLEL_FOR(pair, in_blocks *out_blocks) {
        const int ob = pair / in_blocks, ib = pair % in_blocks;
        for (int l = 0; l < B; l++) {
            vf g[9];
            for (int t = 0; t < 9; t++) {
                const float *from = tap(weights, in_blocks, ob, ib, 8 - t) + l;
                for (int i = 0; i < B; i++) g[t][i] = from[i * B];
            }
            store_weights(u, s->oc, s->ic, ob * B + l, ib, g, vf_set(1));
        }
    }
}

/* ---- tiles ---- */

typedef struct place {
    int n, y, x; /* sample and first output pixel */
} place;

static place place_of(const tiling *t, int index) {
    const int per_map = t->rows * t->cols, in_map = index % per_map;
    return (place){index / per_map, in_map / t->cols * WINO_OUT, in_map % t->cols * WINO_OUT};
}

static int border(const tips_winograd *s, int i, int size) {
    if (i >= 0 && i < size) return i;
    if (!s->circular) return -1;
    return i < 0 ? i + size : i < 2 * size ? i - size : -1; /* far beyond: only under outputs that are cut off */
}

/* Where the 6x6 pixels under a tile lie in a plane; -1 beyond a zero border. */
typedef struct window {
    ptrdiff_t row[WINO_IN], col[WINO_IN];
    bool inside; /* none is beyond */
} window;

static window window_of(const tips_winograd *s, const tips_map *src, place at) {
    window w = {.inside = true};
    for (int i = 0; i < WINO_IN; i++) {
        const int y = border(s, at.y + i - 1, s->h), x = border(s, at.x + i - 1, s->w);
        w.row[i] = y < 0 ? -1 : y * src->sh;
        w.col[i] = x < 0 ? -1 : (ptrdiff_t)x * B;
        w.inside = w.inside && y >= 0 && x >= 0;
    }
    return w;
}

/* One block of channels of one tile into V[point]. */
static void transform_input(const window *w, const float *from, float *v, ptrdiff_t plane) {
    vf half[WINO_POINTS], line[WINO_IN];
    for (int x = 0; x < WINO_IN; x++) {
        for (int y = 0; y < WINO_IN; y++)
            line[y] = !w->inside && (w->row[y] | w->col[x]) < 0 ? (vf){0} : vf_load(from + w->row[y] + w->col[x]);
        wino_input_1d(line, 1, half + x, WINO_IN);
    }
    for (int y = 0; y < WINO_IN; y++) {
        wino_input_1d(half + y * WINO_IN, 1, line, 1);
        for (int x = 0; x < WINO_IN; x++) vf_store(v + (y * WINO_IN + x) * plane, line[x]);
    }
}

/* The 4x4 gradients of one block of one tile into D[point]; what lies beyond the map is zero. */
static void transform_gradient(const tips_winograd *s, const tips_map *dy, place at, int b, float *d, ptrdiff_t plane) {
    vf half[WINO_IN * WINO_OUT], line[WINO_IN];
    const float *from = tips__row(dy, at.n, b, at.y) + (ptrdiff_t)at.x * B;
    for (int x = 0; x < WINO_OUT; x++) {
        for (int y = 0; y < WINO_OUT; y++)
            line[y] = at.y + y < s->h && at.x + x < s->w ? vf_load(from + y * dy->sh + (ptrdiff_t)x * B) : (vf){0};
        wino_output_adjoint_1d(line, 1, half + x, WINO_OUT);
    }
    for (int y = 0; y < WINO_IN; y++) {
        wino_output_adjoint_1d(half + y * WINO_OUT, 1, line, 1);
        for (int x = 0; x < WINO_IN; x++) vf_store(d + (y * WINO_IN + x) * plane, line[x]);
    }
}

/* The 4x4 outputs of one block of one tile from M[point]. */
static void transform_output(const float *m, ptrdiff_t plane, vf y[WINO_OUT * WINO_OUT]) {
    vf half[WINO_OUT * WINO_IN], line[WINO_IN];
    for (int i = 0; i < WINO_IN; i++) {
        for (int j = 0; j < WINO_IN; j++) line[j] = vf_load(m + (j * WINO_IN + i) * plane);
        wino_output_1d(line, 1, half + i, WINO_IN);
    }
    for (int j = 0; j < WINO_OUT; j++) wino_output_1d(half + j * WINO_IN, 1, y + j * WINO_OUT, 1);
}

static void finish_tile(const tips_winograd *s, const float *m, ptrdiff_t plane, place at, const tips_finish *f,
                        bool accumulate, const tips_map *dst) {
    const int h = s->h - at.y < WINO_OUT ? s->h - at.y : WINO_OUT, w = s->w - at.x < WINO_OUT ? s->w - at.x : WINO_OUT;
    for (int b = 0; b < dst->blocks; b++) {
        vf y[WINO_OUT * WINO_OUT];
        transform_output(m + (ptrdiff_t)b * B, plane, y);
        const vf bias = f->bias ? vf_load(f->bias + (ptrdiff_t)b * B) : (vf){0};
        for (int py = 0; py < h; py++) {
            float *out = tips__row(dst, at.n, b, at.y + py) + (ptrdiff_t)at.x * B;
            const float *add = f->residual ? tips__row(f->residual, at.n, b, at.y + py) + (ptrdiff_t)at.x * B : NULL;
            for (int px = 0; px < w; px++) {
                vf v = y[py * WINO_OUT + px] + bias;
                if (add) v += vf_load(add + (ptrdiff_t)px * B);
                if (f->clips) v = vf_between(v, vf_set(f->low), vf_set(f->high));
                if (accumulate) v += vf_load(out + (ptrdiff_t)px * B);
                vf_store(out + (ptrdiff_t)px * B, v);
            }
            if (f->function) f->function(out, w * B, b, f->with);
        }
    }
}

/* ---- forward and backward data: convolve src (ic) to dst (oc) with transformed weights u ---- */

static int ceil_div(int a, int b) { return (a + b - 1) / b; }
static int whole_rows(int tiles) { return ceil_div(tiles, WINO_REST) * WINO_REST; }

/* Tiles per chunk: few enough for a core's cache, enough to amortise the pass over the weights, and as many chunks for
 * each thread. */
static int chunk_tiles(int ic, int oc, int count) {
    const double weights = (double)ic * oc;
    const int fit = weights <= 64 * 64 ? 18 : weights <= 128 * 128 ? 24 : weights <= 256 * 256 ? 48 : 96;
    const int share = ceil_div(count, tips__threads());
    return ceil_div(share, ceil_div(share, fit + fit / 4));
}

typedef struct chunk_room {
    int tiles;
    ptrdiff_t v_plane, m_plane; /* floats from one point to the next */
    size_t floats;              /* per thread */
} chunk_room;

static chunk_room room_for_chunks(const tips_winograd *s) {
    chunk_room r = {.tiles = chunk_tiles(s->ic, s->oc, tile(s).count)};
    r.v_plane = (ptrdiff_t)whole_rows(r.tiles) * s->ic + SKEW;
    r.m_plane = (ptrdiff_t)whole_rows(r.tiles) * s->oc + SKEW;
    r.floats = lines((size_t)(r.v_plane + r.m_plane) * WINO_POINTS);
    return r;
}

size_t tips__winograd_weight_floats(const tips_winograd *s) {
    return lines((size_t)s->ic * (size_t)s->oc * WINO_POINTS);
}

size_t tips__winograd_forward_scratch(const tips_winograd *s) {
    return room_for_chunks(s).floats * (size_t)tips__threads() * sizeof(float);
}

static void run_chunk(const tips_winograd *s, const chunk_room *room, int first, const tips_map *src, const float *u,
                      const tips_finish *finish, bool accumulate, const tips_map *dst, float *mine) {
    const tiling t = tile(s);
    const int tiles = t.count - first < room->tiles ? t.count - first : room->tiles;
    const int rows = whole_rows(tiles);
    float *v = mine, *m = mine + room->v_plane * WINO_POINTS;
    for (int i = 0; i < tiles; i++) {
        const place at = place_of(&t, first + i);
        const window w = window_of(s, src, at);
        for (int b = 0; b < src->blocks; b++)
            transform_input(&w, tips__plane(src, at.n, b), v + (ptrdiff_t)i * s->ic + (ptrdiff_t)b * B, room->v_plane);
    }
    for (int p = 0; p < WINO_POINTS; p++)
        tips__wino_product(v + p * room->v_plane, u + (ptrdiff_t)p * s->ic * s->oc, m + p * room->m_plane, rows, s->ic,
                           s->oc);
    for (int i = 0; i < tiles; i++)
        finish_tile(s, m + (ptrdiff_t)i * s->oc, room->m_plane, place_of(&t, first + i), finish, accumulate,
                    dst);
}

static void convolve(const tips_winograd *s, const tips_map *src, const float *u, const tips_finish *finish,
                     bool accumulate, const tips_map *dst, float *rooms) {
    const chunk_room room = room_for_chunks(s);
    const int chunks = (tile(s).count + room.tiles - 1) / room.tiles;
    TIPS_PARALLEL_FOR(c, chunks)
        run_chunk(s, &room, c * room.tiles, src, u, finish, accumulate, dst,
                  rooms + (size_t)omp_get_thread_num() * room.floats);
}

void tips__winograd_forward(const tips_winograd *s, const tips_map *src, const float *transformed,
                            const tips_finish *finish, const tips_map *dst, void *scratch) {
    convolve(s, src, transformed, finish, false, dst, scratch);
}

static tips_winograd transposed(const tips_winograd *s) {
    tips_winograd t = *s;
    t.ic = s->oc;
    t.oc = s->ic;
    return t;
}

void tips__winograd_backward_data(const tips_winograd *s, const tips_map *diff_dst, const float *weights,
                                  bool accumulate, const tips_map *diff_src, void *scratch) {
    const tips_winograd t = transposed(s);
    float *u = scratch;
    transform_weights_turned(s, weights, u);
    convolve(&t, diff_dst, u, &(tips_finish){0}, accumulate, diff_src, u + tips__winograd_weight_floats(s));
}

/* ---- backward weights ---- */

enum { STRIP = 32 }; /* input channels per piece of work */

/* Tiles lie strip by strip and panel by panel, [point][strip][tile][STRIP] and [point][panel][tile][panel width]: what
 * one piece of work reads then lies together. */
typedef struct group_room {
    int tiles;
    ptrdiff_t v_plane, d_plane; /* floats from one point to the next */
    size_t v_floats, d_floats;
} group_room;

static group_room room_for_groups(const tips_winograd *s) {
    const size_t per_tile = WINO_POINTS * (size_t)(s->ic + s->oc) * sizeof(float), target = 1u << 20;
    const int count = tile(s).count, fit = (int)(target / per_tile) > 24 ? (int)(target / per_tile) : 24;
    group_room r = {.tiles = count < fit ? count : fit};
    r.v_plane = (ptrdiff_t)r.tiles * s->ic + SKEW;
    r.d_plane = (ptrdiff_t)r.tiles * s->oc + SKEW;
    r.v_floats = lines((size_t)r.v_plane * WINO_POINTS);
    r.d_floats = lines((size_t)r.d_plane * WINO_POINTS);
    return r;
}

static int strip_width(const tips_winograd *s, int first) { return s->ic - first < STRIP ? s->ic - first : STRIP; }

/* Where block b of tile i goes. */
static ptrdiff_t strip_place(const tips_winograd *s, int tiles, int i, int b) {
    const int first = b * B / STRIP * STRIP, width = strip_width(s, first);
    return (ptrdiff_t)first * tiles + (ptrdiff_t)i * width + b * B - first;
}

static ptrdiff_t panel_place(const tips_winograd *s, int tiles, int i, int b) {
    int first = 0, width;
    while ((width = wino_outer_panel(s->oc / B - first)) + first <= b) first += width;
    return ((ptrdiff_t)first * tiles + (ptrdiff_t)i * width + b - first) * B;
}

size_t tips__winograd_backward_scratch(const tips_winograd *s) {
    const tips_winograd t = transposed(s);
    const group_room r = room_for_groups(s);
    const size_t weights = (tips__winograd_weight_floats(s) + r.v_floats + r.d_floats) * sizeof(float);
    const size_t data = tips__winograd_weight_floats(s) * sizeof(float) + tips__winograd_forward_scratch(&t);
    return weights > data ? weights : data;
}

static void collect_weights(const tips_winograd *s, const float *du, float *diff_weights) {
    const int in_blocks = s->ic / B, out_blocks = s->oc / B;
    TIPS_PARALLEL_FOR(pair, in_blocks *out_blocks) {
        const int ob = pair / in_blocks, ib = pair % in_blocks;
        for (int l = 0; l < B; l++) {
            vf points[WINO_POINTS], g[9];
            for (int p = 0; p < WINO_POINTS; p++)
                points[p] =
                    vf_load(du + (ptrdiff_t)p * s->ic * s->oc + (ptrdiff_t)(ib * B + l) * s->oc + (ptrdiff_t)ob * B);
            wino_weights_adjoint(points, g);
            for (int t = 0; t < 9; t++)
                vf_store(diff_weights + (((ptrdiff_t)ob * in_blocks + ib) * 9 + t) * B * B + l * B, g[t]);
        }
    }
}

static void transform_pair(const tips_winograd *s, const group_room *room, const tips_map *src, const tips_map *dy,
                           place at, int tiles, int i, float *v, float *d) {
    const window w = window_of(s, src, at);
    for (int b = 0; b < src->blocks; b++)
        transform_input(&w, tips__plane(src, at.n, b), v + strip_place(s, tiles, i, b), room->v_plane);
    for (int b = 0; b < dy->blocks; b++)
        transform_gradient(s, dy, at, b, d + panel_place(s, tiles, i, b), room->d_plane);
}

static void multiply_strip(const tips_winograd *s, const group_room *room, int point, int strip, int tiles,
                           const float *v, const float *d, bool fresh, float *du) {
    const int first = strip * STRIP;
    tips__wino_outer(v + point * room->v_plane + (ptrdiff_t)first * tiles, d + point * room->d_plane,
                     du + ((ptrdiff_t)point * s->ic + first) * s->oc, tiles, strip_width(s, first), s->oc, fresh);
}

void tips__winograd_backward_weights(const tips_winograd *s, const tips_map *src, const tips_map *diff_dst,
                                     float *diff_weights, void *scratch) {
    const tiling t = tile(s);
    const group_room room = room_for_groups(s);
    float *du = scratch, *v = du + tips__winograd_weight_floats(s), *d = v + room.v_floats;
    const int strips = (s->ic + STRIP - 1) / STRIP;
#pragma omp parallel num_threads(tips__threads())
    {
        for (int first = 0; first < t.count; first += room.tiles) {
            const int tiles = t.count - first < room.tiles ? t.count - first : room.tiles;
#pragma omp for schedule(static)
            for (int i = 0; i < tiles; i++)
                transform_pair(s, &room, src, diff_dst, place_of(&t, first + i), tiles, i, v, d);
#pragma omp for collapse(2) schedule(static)
            for (int p = 0; p < WINO_POINTS; p++)
                for (int strip = 0; strip < strips; strip++)
                    multiply_strip(s, &room, p, strip, tiles, v, d, first == 0, du);
        }
    }
    collect_weights(s, du, diff_weights);
}
