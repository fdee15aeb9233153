/* Winograd convolution, forward and backward data: tiles to points, a product for each point and panel of output
 * channels, and back. Either every thread has tiles of its own and goes through all panels, or, where weights are more
 * than tiles, threads share a group of tiles and have panels of their own: weights then pass a core's cache once. */
#include "engine/winograd.h"

#include "core/threads.h"
#include "engine/winograd_tiles.h"
#include "engine/winograd_weights.h"

#include <stdatomic.h>

enum {
    B = TIPS_BLOCK,
    CHUNK_BYTES = 448 << 10, /* of a thread's own tiles as points */
    GROUP_TILES = 128,       /* that threads share */
    SLICE_BLOCKS = 64 / B    /* of input channels, whose weights are transformed at a time */
};

/* A convolution, and how its work is cut. */
typedef struct job {
    const tips_winograd *s;
    const tips_map *src, *dst;
    const tips_finish *finish;
    bool accumulate;
    const float *transformed; /* or NULL: from packed weights, on the way */
    wino_weights weights;
    wino_tiling tiling;
    bool by_panels;
    int tiles;                  /* of a group */
    ptrdiff_t v_plane, m_plane; /* floats from one point to the next */
    size_t v_floats, m_floats, u_floats;
    float *room;
} job;

static int smaller(int a, int b) { return a < b ? a : b; }

/* ---- how work is cut ---- */

/* As many groups for each thread. */
static int even_tiles(int count, int most, int threads) {
    const int share = wino_ceil(count, threads);
    return wino_ceil(share, wino_ceil(share, most));
}

/* The most tiles of a group; all threads share them if it goes by panels. */
static int most_tiles(const tips_winograd *s, bool by_panels) {
    const int fit = (int)(CHUNK_BYTES / (WINO_POINTS * (size_t)(s->ic + WINO_PANEL) * sizeof(float)));
    if (by_panels) return s->oc < GROUP_TILES ? s->oc : GROUP_TILES;
    return fit < WINO_ROWS ? WINO_ROWS : fit / WINO_ROWS * WINO_ROWS;
}

static void lay_out(job *j, int tiles) {
    j->tiles = tiles;
    j->v_plane = (ptrdiff_t)tiles * j->s->ic + WINO_SKEW;
    j->m_plane = (ptrdiff_t)tiles * WINO_PANEL + WINO_SKEW;
    j->v_floats = wino_lines((size_t)j->v_plane * WINO_POINTS);
    j->m_floats = wino_lines((size_t)j->m_plane * WINO_POINTS);
    j->u_floats = (size_t)WINO_POINTS * SLICE_BLOCKS * B * WINO_PANEL;
}

static void cut(job *j) {
    j->tiling = wino_tile(j->s);
    j->by_panels = j->tiling.count <= j->s->oc;
    lay_out(j, even_tiles(j->tiling.count, most_tiles(j->s, j->by_panels), j->by_panels ? 1 : tips__threads()));
}

/* Enough for either way, since fewer samples may go the other. */
static size_t room_floats(const tips_winograd *s, bool packed) {
    job j = {.s = s};
    const int count = wino_tile(s).count;
    const size_t threads = (size_t)tips__threads();
    lay_out(&j, smaller(count, most_tiles(s, true)));
    const size_t panels = j.v_floats + threads * (j.m_floats + (packed ? j.u_floats : 0));
    lay_out(&j, smaller(count, most_tiles(s, false)));
    const size_t chunks = threads * (j.v_floats + j.m_floats) + (packed ? tips__winograd_weight_floats(s) : 0);
    return panels > chunks || count <= s->oc ? panels : chunks;
}

size_t tips__winograd_forward_scratch(const tips_winograd *s) { return room_floats(s, false) * sizeof(float); }
size_t tips__winograd_packed_scratch(const tips_winograd *s) { return room_floats(s, true) * sizeof(float); }

/* ---- pieces ---- */

/* Tiles lie in rows of WINO_ROWS or what is left, as the products take them: [point][row group][block][row][B]. */
static void put_tile(const job *j, int first, int i, int tiles, float *v) {
    const int group = i / WINO_ROWS * WINO_ROWS, rows = smaller(WINO_ROWS, tiles - group);
    tips__wino_input(j->s, j->src, wino_place_of(&j->tiling, first + i),
                     v + (ptrdiff_t)group * j->s->ic + (ptrdiff_t)(i - group) * B, (ptrdiff_t)rows * B, j->v_plane);
}

/* Points of tiles from..end - 1 of a group, whole row groups, times the weights of some input blocks. */
static void multiply(const job *j, const float *v, int tiles, int from, int end, const float *u, ptrdiff_t u_plane,
                     int width, int first_block, int blocks, float *m) {
    for (int p = 0; p < WINO_POINTS; p++)
        for (int r = from; r < end; r += WINO_ROWS) {
            const int rows = smaller(WINO_ROWS, tiles - r);
            const float *left = v + p * j->v_plane + (ptrdiff_t)r * j->s->ic + (ptrdiff_t)first_block * rows * B;
            tips__wino_product(left, rows, u + p * u_plane, width, blocks, first_block == 0,
                               m + p * j->m_plane + (ptrdiff_t)r * WINO_PANEL);
        }
}

static void finish_panel(const job *j, int first, int from, int end, int o, const float *m) {
    const int block = o / B, end_block = block + wino_panel_width(j->s->oc, o) / B;
    for (int i = from; i < end; i++)
        tips__wino_output(j->s, m + (ptrdiff_t)i * WINO_PANEL, j->m_plane, wino_place_of(&j->tiling, first + i), block,
                          end_block, j->finish, j->accumulate, j->dst);
}

/* Tiles from..end - 1 of a group through one panel; u is room for weights that are not transformed yet. */
static void run_panel(const job *j, const float *v, int first, int tiles, int from, int end, int o, float *m,
                      float *u) {
    const int blocks = j->s->ic / B, width = wino_panel_width(j->s->oc, o);
    if (j->transformed) {
        multiply(j, v, tiles, from, end, j->transformed + wino_panel_at(j->s->ic, o), (ptrdiff_t)j->s->ic * width,
                 width, 0, blocks, m);
    } else {
        for (int b = 0; b < blocks; b += SLICE_BLOCKS) {
            const int slice = smaller(SLICE_BLOCKS, blocks - b);
            const ptrdiff_t plane = (ptrdiff_t)SLICE_BLOCKS * B * width;
            tips__wino_transform(&j->weights, j->s->oc, o, b, slice, u, plane);
            multiply(j, v, tiles, from, end, u, plane, width, b, slice, m);
        }
    }
    finish_panel(j, first, from, end, o, m);
}

/* ---- every thread its tiles ---- */

static void run_chunk(const job *j, int first) {
    const int tiles = smaller(j->tiles, j->tiling.count - first);
    float *v = j->room + (size_t)omp_get_thread_num() * (j->v_floats + j->m_floats), *m = v + j->v_floats;
    for (int i = 0; i < tiles; i++) put_tile(j, first, i, tiles, v);
    for (int o = 0; o < j->s->oc; o += WINO_PANEL) run_panel(j, v, first, tiles, 0, tiles, o, m, NULL);
}

static void run_chunks(job *j) {
    const int chunks = wino_ceil(j->tiling.count, j->tiles);
    atomic_int next = 0; /* whoever is free takes it: chunks do not depend on each other */
#pragma omp parallel num_threads(tips__threads())
    for (int i; (i = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed)) < chunks;) run_chunk(j, i * j->tiles);
}

/* ---- every thread its panels ---- */

/* Where panels are too few for the threads, row groups are parted too. */
static int parts_of(int tiles, int panels) {
    const int wanted = wino_ceil(2 * tips__threads(), panels), groups = wino_ceil(tiles, WINO_ROWS);
    return panels >= 2 * tips__threads() || panels % tips__threads() == 0 ? 1 : smaller(wanted, groups);
}

static void run_group(const job *j, int first, float *own, atomic_int *next_tile, atomic_int *next_part) {
    const int tiles = smaller(j->tiles, j->tiling.count - first), panels = wino_ceil(j->s->oc, WINO_PANEL);
    const int parts = parts_of(tiles, panels), step = wino_ceil(wino_ceil(tiles, WINO_ROWS), parts) * WINO_ROWS;
    for (int i; (i = atomic_fetch_add_explicit(next_tile, 1, memory_order_relaxed)) < tiles;)
        put_tile(j, first, i, tiles, j->room);
#pragma omp barrier
    for (int i; (i = atomic_fetch_add_explicit(next_part, 1, memory_order_relaxed)) < panels * parts;) {
        const int from = i % parts * step;
        if (from < tiles)
            run_panel(j, j->room, first, tiles, from, smaller(from + step, tiles), i / parts * WINO_PANEL, own,
                      own + j->m_floats);
    }
#pragma omp barrier
}

static void run_groups(job *j) {
    const size_t own = j->m_floats + (j->transformed ? 0 : j->u_floats);
    for (int first = 0; first < j->tiling.count; first += j->tiles) {
        atomic_int next_tile = 0, next_part = 0;
#pragma omp parallel num_threads(tips__threads())
        run_group(j, first, j->room + j->v_floats + (size_t)omp_get_thread_num() * own, &next_tile, &next_part);
    }
}

static void run(job *j) {
    cut(j);
    if (j->by_panels) {
        run_groups(j);
        return;
    }
    if (!j->transformed) {
        tips__wino_transform_all(&j->weights, j->s->ic, j->s->oc, j->room);
        j->transformed = j->room;
        j->room += tips__winograd_weight_floats(j->s);
    }
    run_chunks(j);
}

void tips__winograd_forward(const tips_winograd *s, const tips_map *src, const float *transformed,
                            const tips_finish *finish, const tips_map *dst, void *scratch) {
    run(&(job){.s = s, .src = src, .dst = dst, .finish = finish, .transformed = transformed, .room = scratch});
}

void tips__winograd_packed_forward(const tips_winograd *s, const tips_map *src, const float *weights,
                                   const tips_finish *finish, const tips_map *dst, void *scratch) {
    run(&(job){.s = s,
               .src = src,
               .dst = dst,
               .finish = finish,
               .room = scratch,
               .weights = {.packed = weights, .in_blocks = s->ic / B}});
}

void tips__winograd_backward_data(const tips_winograd *s, const tips_map *diff_dst, const float *weights,
                                  bool accumulate, const tips_map *diff_src, void *scratch) {
    const tips_winograd t = wino_transposed(s);
    run(&(job){.s = &t,
               .src = diff_dst,
               .dst = diff_src,
               .finish = &(tips_finish){0},
               .accumulate = accumulate,
               .room = scratch,
               .weights = {.packed = weights, .in_blocks = s->ic / B, .turned = true}});
}
