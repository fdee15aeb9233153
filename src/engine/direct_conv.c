/* Direct convolutions: the output is cut into panels of channels and bands of rows, those into tiles of pixels. */
#include "engine/direct_conv.h"

#include "core/threads.h"
#include "engine/direct_tiles.h"

#include <stdatomic.h>

enum {
    B = TIPS_BLOCK,
    BAND_PIXELS = 128,       /* so many share one pass over the weights */
    PASS_FLOATS = 1 << 16,   /* weights of a panel in one pass: a quarter of a megabyte, which a core's cache keeps */
    SMALL_MAP = 256,         /* pixels; below, weights are kept in the cache from sample to sample */
    FEWEST_SUMS = 8          /* fewer take as long: one waits for the other */
};

/* A convolution and how its work is cut. */
typedef struct job {
    const tips_direct *conv;
    const tips_map *src, *dst;
    const tips_finish *finish;
    const float *weights;
    tips_map residual;
    int in_blocks, out_blocks;   /* of a group */
    int tail;                    /* channels of the last input block */
    int panel, panels;           /* output blocks of a panel, panels of a group */
    int tiles;                   /* in a row */
    int band, bands;             /* rows of a band, bands of a map */
    int pass_blocks;             /* input blocks in one pass */
} job;

static int ceil_div(int a, int b) { return (a + b - 1) / b; }
static int smaller(int a, int b) { return a < b ? a : b; }

/* ---- choosing panels ---- */

/* Cycles of a row, about: sums, and what loading their factors adds. */
static double row_cost(int width, int panel) {
    const int tiles = ceil_div(width, tile_pixels(panel)), more = width % tiles;
    double cost = 0;
    for (int t = 0; t < tiles; t++) {
        const int pixels = width / tiles + (t < more), sums = pixels * panel;
        cost += (sums > FEWEST_SUMS ? sums : FEWEST_SUMS) + 0.25 * (pixels + panel);
    }
    return cost;
}

/* Of all panels, until the last thread is done: `times` is how often each of them is to be run. */
static double panels_cost(int width, int blocks, int panel, int times) {
    const int rest = blocks % panel, threads = tips__threads();
    const double cost = blocks / panel * row_cost(width, panel) + (rest ? row_cost(width, rest) : 0);
    const int tasks = ceil_div(blocks, panel) * times;
    return cost * ceil_div(tasks, threads) * threads / tasks;
}

static int choose_panel(int width, int blocks, int times) {
    int best = 1;
    for (int panel = 2; panel <= TILE_PANEL && panel <= blocks; panel++)
        if (panels_cost(width, blocks, panel, times) < panels_cost(width, blocks, best, times)) best = panel;
    return best;
}

int tips__direct_panel(int width, int blocks, int times) { return choose_panel(width, blocks, times); }

/* ---- running ---- */

typedef struct task {
    int n, group, panel, band;
} task;

/* Small maps go through all samples with one panel's weights; large ones through all panels with one band of rows. */
static task task_of(const job *j, int index) {
    const int panels = j->panels * j->conv->groups;
    task t;
    int panel;
    if (j->dst->h * j->dst->w <= SMALL_MAP) {
        t.band = index % j->bands;
        t.n = index / j->bands % j->dst->n;
        panel = index / j->bands / j->dst->n;
    } else {
        panel = index % panels;
        t.band = index / panels % j->bands;
        t.n = index / panels / j->bands;
    }
    t.group = panel / j->panels;
    t.panel = panel % j->panels;
    return t;
}

static direct_pass pass_of(const job *j, int first_block, int blocks) {
    const tips_direct *c = j->conv;
    const bool last = first_block + blocks == j->in_blocks;
    return (direct_pass){.blocks = blocks,
                         .tail = last ? j->tail : B,
                         .kh = c->kh,
                         .kw = c->kw,
                         .src_block = j->src->sb,
                         .src_row = c->dh * j->src->sh,
                         .src_tap = (ptrdiff_t)c->dw * j->src->lanes,
                         .src_pixel = (ptrdiff_t)c->sw * j->src->lanes,
                         .panel = (ptrdiff_t)j->in_blocks * c->kh * c->kw * B * B,
                         .dst_block = j->dst->sb,
                         .residual_block = j->residual.sb,
                         .first = first_block == 0,
                         .fetches = c->kh * c->kw == 1,
                         .clips = last && j->finish->clips,
                         .low = j->finish->low,
                         .high = j->finish->high};
}

static void run_row(const job *j, const direct_pass *pass, int panel, const float *src, const float *weights,
                    const float *bias, const float *residual, float *dst) {
    const int width = j->dst->w / j->tiles, more = j->dst->w % j->tiles;
    for (int t = 0; t < j->tiles; t++) {
        const int pixels = width + (t < more);
        tips__direct_tile(panel, pixels)(pass, src, weights, bias, residual, dst);
        src += pixels * pass->src_pixel;
        dst += (ptrdiff_t)pixels * B;
        if (residual) residual += (ptrdiff_t)pixels * B;
    }
}

static void finish_rows(const job *j, const task *t, int block, int panel, int first_row, int end_row) {
    for (int b = block; b < block + panel; b++)
        for (int y = first_row; y < end_row; y++)
            j->finish->function(tips__row(j->dst, t->n, b, y), j->dst->w * B, b, j->finish->with);
}

static void run_task(const job *j, task t) {
    const tips_direct *c = j->conv;
    const int block = t.group * j->out_blocks + t.panel * j->panel; /* of the output */
    const int panel = smaller(j->panel, j->out_blocks - t.panel * j->panel);
    const int first_row = t.band * j->band, end_row = smaller(first_row + j->band, j->dst->h);
    const float *bias = j->finish->bias ? j->finish->bias + (ptrdiff_t)block * B : NULL;
    const ptrdiff_t block_weights = (ptrdiff_t)c->kh * c->kw * B * B;
    for (int ib = 0; ib < j->in_blocks; ib += j->pass_blocks) {
        const direct_pass pass = pass_of(j, ib, smaller(j->pass_blocks, j->in_blocks - ib));
        const float *src = tips__plane(j->src, t.n, t.group * j->in_blocks + ib) - (ptrdiff_t)c->left * j->src->lanes;
        const float *weights = j->weights + ((ptrdiff_t)block * j->in_blocks + ib) * block_weights;
        for (int y = first_row; y < end_row; y++)
            run_row(j, &pass, panel, src + (ptrdiff_t)(y * c->sh - c->top) * j->src->sh, weights, bias,
                    j->finish->residual ? tips__row(&j->residual, t.n, block, y) : NULL,
                    tips__row(j->dst, t.n, block, y));
    }
    if (j->finish->function) finish_rows(j, &t, block, panel, first_row, end_row);
}

/* ---- a 1x1 kernel sees a map as one row, if that lies without gaps ---- */

static bool has_no_gaps(const tips_map *m) { return m->sh == (ptrdiff_t)m->w * m->lanes; }

static bool may_flatten(const tips_direct *c, const tips_map *src, const tips_map *dst, const tips_finish *finish) {
    return c->kh * c->kw * c->sh * c->sw == 1 && has_no_gaps(src) && has_no_gaps(dst) &&
           (!finish->residual || has_no_gaps(finish->residual));
}

/* In rows of BAND_PIXELS or less that are alike. */
static tips_map flattened(const tips_map *map) {
    tips_map flat = *map;
    const int pixels = map->h * map->w;
    int rows = ceil_div(pixels, BAND_PIXELS);
    while (pixels % rows) rows++;
    if (pixels / rows < BAND_PIXELS / 4) return flat;
    flat.h = rows;
    flat.w = pixels / rows;
    flat.sh = (ptrdiff_t)flat.w * flat.lanes;
    return flat;
}

static int pass_blocks(const job *j) {
    const ptrdiff_t floats = (ptrdiff_t)j->panel * j->conv->kh * j->conv->kw * B * B;
    const int most = floats > PASS_FLOATS ? 1 : (int)(PASS_FLOATS / floats);
    return ceil_div(j->in_blocks, ceil_div(j->in_blocks, most));
}

static void cut(job *j) {
    const int groups = j->conv->groups;
    j->in_blocks = j->src->blocks / groups;
    j->out_blocks = j->dst->blocks / groups;
    j->tail = groups == 1 ? j->src->c - (j->in_blocks - 1) * B : B;
    j->band = smaller(ceil_div(BAND_PIXELS, j->dst->w), j->dst->h);
    j->bands = ceil_div(j->dst->h, j->band);
    j->panel = choose_panel(j->dst->w, j->out_blocks, j->bands * j->dst->n * groups);
    j->panels = ceil_div(j->out_blocks, j->panel);
    j->tiles = ceil_div(j->dst->w, tile_pixels(j->panel));
    j->pass_blocks = pass_blocks(j);
}

void tips__direct_forward(const tips_direct *conv, const tips_map *src, const float *weights, const tips_finish *finish,
                          const tips_map *dst) {
    const bool flat = may_flatten(conv, src, dst, finish);
    const tips_map from = flat ? flattened(src) : *src, to = flat ? flattened(dst) : *dst;
    job j = {.conv = conv, .src = &from, .dst = &to, .finish = finish, .weights = weights};
    if (finish->residual) j.residual = flat ? flattened(finish->residual) : *finish->residual;
    cut(&j);
    const int tasks = j.panels * conv->groups * j.bands * to.n;
    atomic_int next = 0; /* whoever is free takes it: tasks do not depend on each other */
#pragma omp parallel num_threads(smaller(tips__threads(), tasks))
    for (int i; (i = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed)) < tasks;) run_task(&j, task_of(&j, i));
}
