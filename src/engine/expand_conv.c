/* The output is cut into panels of channels and parts of rows. The price of a part are the rows that the kernel reaches
 * over, which two parts both have to make. */
#include "engine/expand_conv.h"

#include "core/threads.h"
#include "engine/depthwise_row.h"
#include "engine/direct_tiles.h"
#include "tensor/pad.h"

#include <stdatomic.h>
#include <string.h>

enum {
    B = TIPS_BLOCK,
    MOST_PARTS = 8,
    RING_FLOATS = 1 << 17, /* half a megabyte */
    SMALL_MAP = 256 /* pixels; below, weights are kept in the cache from sample to sample */
};

typedef struct job {
    const tips_expand *expand;
    const tips_direct *conv;
    const tips_padding *border;
    const tips_map *src, *dst;
    const float *weights;
    const tips_finish *finish;
    float *scratch;
    int panel, panels;    /* blocks of a panel, panels */
    int parts;            /* of a map's rows */
    int tiles;            /* in a row of the map in between */
    int span;             /* rows that the kernel covers, and that the ring has */
    ptrdiff_t row, slot;  /* floats of a row with its border: of one block, of a panel */
    direct_pass pass;
} job;

static int ceil_div(int a, int b) { return (a + b - 1) / b; }
static int smaller(int a, int b) { return a < b ? a : b; }

static int span_of(const tips_direct *c) { return (c->kh - 1) * c->dh + 1; }
static ptrdiff_t row_floats(int w, const tips_padding *border) {
    return (ptrdiff_t)(w + border->left + border->right) * B;
}
static size_t ring_floats(const tips_direct *c, const tips_padding *border, int w, int blocks) {
    return (size_t)smaller(TILE_PANEL, blocks) * (size_t)span_of(c) * (size_t)row_floats(w, border);
}

bool tips__expand_pays(const tips_direct *c, const tips_padding *border, int w, int channels) {
    return ring_floats(c, border, w, tips__blocks(channels)) <= RING_FLOATS && (c->sh == 1 || c->dh == 1);
}

size_t tips__expand_scratch(const tips_direct *c, const tips_padding *border, int w, int channels) {
    return (size_t)tips__threads() * ring_floats(c, border, w, tips__blocks(channels)) * sizeof(float);
}

/* ---- cutting ---- */

/* What `parts` parts take, until the last thread is done. */
static double parts_cost(const job *j, int parts) {
    const int threads = tips__threads(), tasks = j->panels * parts * j->dst->n;
    const int rows = (j->dst->h - 1) * j->conv->sh + j->span, twice = j->span - j->conv->sh;
    return (double)ceil_div(tasks, threads) * threads / tasks * (rows + (parts - 1) * (twice > 0 ? twice : 0));
}

static int choose_parts(const job *j) {
    int best = 1;
    for (int parts = 2; parts <= MOST_PARTS && parts <= j->dst->h; parts++)
        if (parts_cost(j, parts) < parts_cost(j, best)) best = parts;
    return best;
}

static direct_pass pass_of(const job *j) {
    const tips_finish *finish = &j->expand->finish;
    return (direct_pass){.blocks = j->src->blocks,
                         .tail = j->src->c - (j->src->blocks - 1) * B,
                         .kh = 1,
                         .kw = 1,
                         .src_block = j->src->sb,
                         .src_pixel = B,
                         .panel = (ptrdiff_t)j->src->blocks * B * B,
                         .dst_block = j->row,
                         .first = true,
                         .fetches = true,
                         .clips = finish->clips,
                         .low = finish->low,
                         .high = finish->high};
}

static void cut(job *j) {
    j->panel = tips__direct_panel(j->src->w, j->dst->blocks, 2 * j->dst->n);
    j->panels = ceil_div(j->dst->blocks, j->panel);
    j->tiles = ceil_div(j->src->w, tile_pixels(j->panel));
    j->span = span_of(j->conv);
    j->row = row_floats(j->src->w, j->border);
    j->slot = j->panel * j->row;
    j->parts = choose_parts(j);
    j->pass = pass_of(j);
}

typedef struct task {
    int n, block, panel; /* sample, first block, blocks */
    int first, end;      /* rows of the output */
} task;

static task task_of(const job *j, int index) {
    const int samples = j->dst->n, rows = j->dst->h;
    const bool small = rows * j->dst->w <= SMALL_MAP;
    const int part = small ? index % j->parts : index / j->panels % j->parts;
    const int panel = small ? index / j->parts / samples : index % j->panels;
    const int n = small ? index / j->parts % samples : index / j->panels / j->parts;
    return (task){.n = n,
                  .block = panel * j->panel,
                  .panel = smaller(j->panel, j->dst->blocks - panel * j->panel),
                  .first = rows * part / j->parts,
                  .end = rows * (part + 1) / j->parts};
}

/* ---- running ---- */

/* The border of one row whose pixels begin at `row`. */
static void fill_sides(const tips_padding *border, int w, float *row) {
    for (int side = 0; side < 2; side++) {
        const int begin = side ? w : -border->left, end = side ? w + border->right : 0;
        for (int x = begin; x < end; x++) {
            const int from = tips__pad_index(border->mode, x, w);
            vf_store(row + (ptrdiff_t)x * B, from < 0 ? (vf){0} : vf_load(row + (ptrdiff_t)from * B));
        }
    }
}

static void expand_row(const job *j, const task *t, int y, float *to) {
    const float *src = tips__row(j->src, t->n, 0, y);
    const float *weights = j->expand->weights + t->block * j->pass.panel;
    const tips_finish *finish = &j->expand->finish;
    const float *bias = finish->bias ? finish->bias + (ptrdiff_t)t->block * B : NULL;
    const int least = j->src->w / j->tiles, more = j->src->w % j->tiles;
    float *at = to;
    for (int i = 0; i < j->tiles; i++) {
        const int pixels = least + (i < more);
        tips__direct_tile(t->panel, pixels)(&j->pass, src, weights, bias, NULL, at);
        src += (ptrdiff_t)pixels * B;
        at += (ptrdiff_t)pixels * B;
    }
    for (int b = 0; b < t->panel; b++) {
        float *row = to + b * j->row;
        if (finish->function) finish->function(row, j->src->w * B, t->block + b, finish->with);
        fill_sides(j->border, j->src->w, row);
    }
}

/* Row y of the map in between, which may lie in its border. */
static void make_row(const job *j, const task *t, int y, float *slot) {
    const int from = tips__pad_index(j->border->mode, y, j->src->h);
    if (from < 0)
        memset(slot, 0, (size_t)j->slot * sizeof(float));
    else
        expand_row(j, t, from, slot + (ptrdiff_t)j->border->left * B);
}

static depthwise_row block_row(const job *j, int b) {
    depthwise_row row = tips__depthwise_row_of(j->conv, j->weights, j->finish, b, j->dst->w, j->slot);
    row.ring = j->span * j->slot;
    return row;
}

static void convolve_row(const job *j, const task *t, depthwise_row *blocks, int y, const float *ring, int start) {
    for (int i = 0; i < t->panel; i++) {
        const int b = t->block + i;
        float *to = tips__row(j->dst, t->n, b, y);
        blocks[i].wrap = ceil_div(j->span - start, j->conv->dh);
        tips__depthwise_row(&blocks[i], ring + start * j->slot + i * j->row,
                            j->finish->residual ? tips__row(j->finish->residual, t->n, b, y) : NULL, to);
        if (j->finish->function) j->finish->function(to, j->dst->w * B, b, j->finish->with);
    }
}

static void run_task(const job *j, task t) {
    const size_t floats = ring_floats(j->conv, j->border, j->src->w, j->dst->blocks);
    float *ring = j->scratch + (size_t)omp_get_thread_num() * floats;
    depthwise_row blocks[TILE_PANEL];
    for (int i = 0; i < t.panel; i++) blocks[i] = block_row(j, t.block + i);
    int made = 0; /* rows from the first that is needed on; each has its slot by its number */
    for (int y = t.first; y < t.end; y++) {
        const int from = (y - t.first) * j->conv->sh;
        if (made < from) made = from;
        for (; made < from + j->span; made++)
            make_row(j, &t, t.first * j->conv->sh - j->conv->top + made, ring + made % j->span * j->slot);
        convolve_row(j, &t, blocks, y, ring, from % j->span);
    }
}

void tips__expand_forward(const tips_expand *expand, const tips_map *src, const tips_direct *depthwise,
                          const tips_padding *border, const float *weights, const tips_finish *finish,
                          const tips_map *dst, void *scratch) {
    job j = {.expand = expand, .conv = depthwise, .border = border, .src = src, .dst = dst, .weights = weights,
             .finish = finish, .scratch = scratch};
    cut(&j);
    const int tasks = j.panels * j.parts * dst->n;
    atomic_int next = 0; /* whoever is free takes it: tasks do not depend on each other */
#pragma omp parallel num_threads(smaller(tips__threads(), tasks))
    for (int i; (i = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed)) < tasks;) run_task(&j, task_of(&j, i));
}
