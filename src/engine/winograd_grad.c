/* Weight gradients by Winograd's algorithm: tiles of the source and of the gradient as points; for each point the outer
 * products of the two, summed over all tiles; and the sums back to 3x3 taps. Where all tiles are there at once, the
 * sums of some channels go straight to their taps; else they are gathered in memory, group of tiles by group. */
#include "engine/winograd.h"

#include "core/threads.h"
#include "engine/winograd_gemm.h"
#include "engine/winograd_tiles.h"

#include <stdatomic.h>

enum {
    B = TIPS_BLOCK,
    GROUP_BYTES = 1 << 20,   /* of tiles that are there at a time, but no fewer than */
    FEWEST_TILES = 64,
    PANEL_BYTES = 448 << 10, /* of the gradient's tiles that stay in a core's cache */
    MOST_PANEL = 3           /* blocks */
};

/* Tiles lie block by block, [point][block][tile][B]. */
typedef struct job {
    const tips_winograd *s;
    const tips_map *src, *dy;
    wino_tiling tiling;
    bool at_once;                /* one group has all tiles */
    int tiles, panel;            /* of a group; output blocks of a piece of work */
    ptrdiff_t v_plane, d_plane;  /* floats from one point to the next */
    size_t v_floats, d_floats, du_floats;
    float *v, *d, *du, *dw;
} job;

static job cut(const tips_winograd *s) {
    const size_t per_tile = WINO_POINTS * (size_t)(s->ic + s->oc) * sizeof(float);
    const int room = (int)(GROUP_BYTES / per_tile), most = room > FEWEST_TILES ? room : FEWEST_TILES;
    job j = {.s = s, .tiling = wino_tile(s)};
    j.tiles = wino_ceil(j.tiling.count, wino_ceil(j.tiling.count, most));
    j.at_once = j.tiles == j.tiling.count;
    const int fit = (int)(PANEL_BYTES / (WINO_POINTS * (size_t)j.tiles * B * sizeof(float)));
    j.panel = fit < 1 ? 1 : fit > MOST_PANEL ? MOST_PANEL : fit;
    j.v_plane = (ptrdiff_t)j.tiles * s->ic + WINO_SKEW;
    j.d_plane = (ptrdiff_t)j.tiles * s->oc + WINO_SKEW;
    j.v_floats = wino_lines((size_t)j.v_plane * WINO_POINTS);
    j.d_floats = wino_lines((size_t)j.d_plane * WINO_POINTS);
    j.du_floats = j.at_once ? (size_t)WINO_POINTS * B * B * MOST_PANEL * (size_t)tips__threads()
                            : tips__winograd_weight_floats(s);
    return j;
}

size_t tips__winograd_backward_scratch(const tips_winograd *s) {
    const tips_winograd t = wino_transposed(s);
    const job j = cut(s);
    const size_t weights = (j.du_floats + j.v_floats + j.d_floats) * sizeof(float);
    const size_t data = tips__winograd_packed_scratch(&t);
    return weights > data ? weights : data;
}

static void transform(const job *j, int first, int tiles, int i) {
    const wino_place at = wino_place_of(&j->tiling, first + i);
    tips__wino_input(j->s, j->src, at, j->v + (ptrdiff_t)i * B, (ptrdiff_t)tiles * B, j->v_plane);
    tips__wino_gradient(j->s, j->dy, at, j->d + (ptrdiff_t)i * B, (ptrdiff_t)tiles * B, j->d_plane);
}

/* The sums between an input and an output block, points `plane` and channels `row` floats apart, into their taps. */
static void collect(const job *j, int ob, int ib, const float *du, ptrdiff_t plane, ptrdiff_t row) {
    float *taps = j->dw + ((ptrdiff_t)ob * (j->s->ic / B) + ib) * 9 * B * B;
    for (int l = 0; l < B; l++) {
        vf points[WINO_POINTS], g[9];
        WINO_EACH(p, WINO_POINTS) points[p] = vf_load(du + p * plane + l * row);
        wino_weights_adjoint_2d(points, g);
        WINO_EACH(t, 9) vf_store(taps + (t * B + l) * B, g[t]);
    }
}

/* ---- all tiles at once ---- */

static void run_piece(const job *j, int index, float *du) {
    const int strips = j->s->ic / B, ib = index % strips, first = index / strips * j->panel;
    const int left = j->s->oc / B - first, blocks = left < j->panel ? left : j->panel;
    const ptrdiff_t row = (ptrdiff_t)blocks * B, plane = row * B, tiles = j->tiles;
    for (int p = 0; p < WINO_POINTS; p++)
        tips__wino_outer(j->v + p * j->v_plane + ib * tiles * B, j->d + p * j->d_plane + first * tiles * B, j->tiles,
                         blocks * B, row, true, du + p * plane);
    for (int b = 0; b < blocks; b++) collect(j, first + b, ib, du + (ptrdiff_t)b * B, plane, row);
}

static void run_at_once(const job *j) {
    const int pieces = wino_ceil(j->s->oc / B, j->panel) * (j->s->ic / B);
    atomic_int next_tile = 0, next_piece = 0;
#pragma omp parallel num_threads(tips__threads())
    {
        float *du = j->du + (size_t)omp_get_thread_num() * WINO_POINTS * B * B * MOST_PANEL;
        for (int i; (i = atomic_fetch_add_explicit(&next_tile, 1, memory_order_relaxed)) < j->tiles;)
            transform(j, 0, j->tiles, i);
#pragma omp barrier
        for (int i; (i = atomic_fetch_add_explicit(&next_piece, 1, memory_order_relaxed)) < pieces;)
            run_piece(j, i, du);
    }
}

/* ---- group by group ---- */

static void multiply(const job *j, int first, int tiles, int p, int ib) {
    tips__wino_outer(j->v + p * j->v_plane + (ptrdiff_t)ib * tiles * B, j->d + p * j->d_plane, tiles, j->s->oc,
                     j->s->oc, first == 0, j->du + ((ptrdiff_t)p * j->s->ic + ib * B) * j->s->oc);
}

static void run_groups(const job *j) {
    const int in_blocks = j->s->ic / B, out_blocks = j->s->oc / B;
    for (int first = 0; first < j->tiling.count; first += j->tiles) {
        const int tiles = j->tiling.count - first < j->tiles ? j->tiling.count - first : j->tiles;
        TIPS_PARALLEL_FOR (i, tiles) transform(j, first, tiles, i);
        TIPS_PARALLEL_FOR (i, WINO_POINTS * in_blocks) multiply(j, first, tiles, i / in_blocks, i % in_blocks);
    }
    TIPS_PARALLEL_FOR (i, in_blocks * out_blocks) {
        const int ob = i / in_blocks, ib = i % in_blocks;
        collect(j, ob, ib, j->du + (ptrdiff_t)ib * B * j->s->oc + (ptrdiff_t)ob * B, (ptrdiff_t)j->s->ic * j->s->oc,
                j->s->oc);
    }
}

void tips__winograd_backward_weights(const tips_winograd *s, const tips_map *src, const tips_map *diff_dst,
                                     float *diff_weights, void *scratch) {
    job j = cut(s);
    j.src = src, j.dy = diff_dst, j.dw = diff_weights;
    j.v = scratch, j.d = j.v + j.v_floats, j.du = j.d + j.d_floats;
    (j.at_once ? run_at_once : run_groups)(&j);
}
