/* Forward and backward of the tips family. */
#include "pool/tips_pool.h"

#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

tips_job tips__family_job(tips_op *op) {
    const tips_family_config *c = op->node->config;
    tips_job job = {.op = op, .config = c, .stride = c->common.stride, .x = op->in[0].map};
    job.phases = job.stride[0] * job.stride[1];
    job.bins = c->tau == TAU_GAP ? 1 : job.phases;
    job.padded = tips__padded(job.x.c);
    job.undo = op->aux_weight[TIPS_AUX_UNDO] > 0 && !c->common.any_scale;
    job.relative = job.undo && op->relative_undo;
    if (c->psi == PSI_FULL) job.psi = op->in[tips__family_psi_slot(c)].map;
    const int first = c->psi == PSI_FULL ? 0 : 1;
    if (first) job.psi_weights = op->param[0], job.dpsi_weights = op->dparam[0];
    job.mix = op->param[first], job.dmix = op->dparam[first];
    if (c->tau == TAU_GAP) job.mix_bias = op->param[first + 1], job.dmix_bias = op->dparam[first + 1];
    if (!op->workspace) return job; /* while it is planned */
    const size_t n = (size_t)job.x.n, padded = (size_t)job.padded;
    job.means = op->workspace;
    job.tau = job.means + n * (size_t)job.bins * padded;
    job.anchor = (int32_t *)(job.tau + n * (size_t)job.phases * padded);
    job.shift = job.anchor + n;
    job.undo_scale = (float *)(job.shift + 2 * n);
    return job;
}

static size_t plane_scratch_floats(const tips_job *job) {
    const size_t h = (size_t)job->x.h, w = (size_t)job->x.w;
    if (job->config->psi == PSI_FULL) return tips__psi_scratch_floats(job);
    return tips__psi_scratch_floats(job) + ((h + 4) * (w + 4) + (h + 2) * (w + 2)) * TIPS_BLOCK;
}

/* Backward scratch: dtau, dmeans, the products, psi's weight gradients by plane, and one plane room per thread. */
typedef struct backward_room {
    size_t dtau, dmeans, products, taps, planes; /* floats, each a whole number of cache lines */
} backward_room;

static backward_room backward_rooms(const tips_job *job) {
    const size_t n = (size_t)job->x.n, padded = (size_t)job->padded, line = TIPS_ALIGN / sizeof(float);
    backward_room r = {.dtau = n * (size_t)job->phases * padded, .dmeans = n * (size_t)job->bins * padded,
                       .products = tips__tau_backward_scratch_floats(job),
                       .taps = job->dpsi_weights ? n * padded * 9 : 0, .planes = plane_scratch_floats(job)};
    size_t *all[] = {&r.dtau, &r.dmeans, &r.products, &r.taps, &r.planes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = (*all[i] + line - 1) / line * line;
    return r;
}

tips_status tips__family_plan(tips_op *op, tips_plan *plan) {
    const tips_job job = tips__family_job(op);
    const size_t n = (size_t)job.x.n, padded = (size_t)job.padded, threads = (size_t)tips__threads();
    plan->workspace =
        n * padded * (size_t)(job.bins + job.phases) * sizeof(float) + 3 * n * sizeof(int32_t) + sizeof(float);
    const size_t undo = aligned(2 * n * (size_t)job.x.blocks * sizeof(double));
    plan->forward_scratch = undo + aligned(tips__tau_scratch_floats(&job) * sizeof(float)) +
                            threads * tips__psi_scratch_floats(&job) * sizeof(float);
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    const backward_room r = backward_rooms(&job);
    plan->backward_scratch = (r.dtau + r.dmeans + r.products + r.taps + threads * r.planes) * sizeof(float);
    plan->keep_in = 1u | (job.config->psi == PSI_FULL ? 1u << tips__family_psi_slot(job.config) : 0);
    return TIPS_OK;
}

static void draw_shifts(const tips_job *job) {
    const uint32_t rows = (uint32_t)tips__undo_most(job->x.h) + 1, cols = (uint32_t)tips__undo_most(job->x.w) + 1;
    for (int n = 0; n < job->x.n; n++) {
        const int32_t *fixed = job->config->fixed_shift;
        job->shift[2 * n] = fixed ? fixed[2 * n] : (int32_t)tips__rng_below(job->op->rng, 2 * (uint64_t)n, rows);
        job->shift[2 * n + 1] =
            fixed ? fixed[2 * n + 1] : (int32_t)tips__rng_below(job->op->rng, 2 * (uint64_t)n + 1, cols);
    }
}

static double mean_of_planes(const tips_job *job, const double *planes) {
    double sum = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)job->x.n * job->x.blocks; i++) sum += planes[i];
    return sum / ((double)job->x.n * job->x.c * job->x.h * job->x.w);
}

static double undo_loss(const tips_job *job, const double *undo) {
    const double *squares = undo + (ptrdiff_t)job->x.n * job->x.blocks;
    const double scale = job->relative ? tips__undo_scale(mean_of_planes(job, squares)) : 1;
    *job->undo_scale = (float)scale;
    return job->undo ? scale * mean_of_planes(job, undo) : 0;
}

static void sum_losses(const tips_job *job, const double *undo) {
    double fm = 0;
    for (int n = 0; n < job->x.n; n++) {
        const float *tau = job->tau + (ptrdiff_t)n * job->phases * job->padded;
        for (int c = 0; c < job->x.c; c++) {
            double squares = 0;
            for (int k = 0; k < job->phases; k++)
                squares += (double)tau[(ptrdiff_t)k * job->padded + c] * tau[(ptrdiff_t)k * job->padded + c];
            fm += tips__fm_value(job->config->fm, job->phases, sqrt(squares));
        }
    }
    job->op->aux[TIPS_AUX_FM] = fm / ((double)job->x.n * job->x.c);
    job->op->aux[TIPS_AUX_UNDO] = undo_loss(job, undo);
}

/* The weights the mix uses: tau, or the one-hot of its largest entry (the first of equals, in anchored order). */
static void load_weights(const tips_job *job, int n, int block, vf *weight) {
    const float *tau = job->tau + (ptrdiff_t)n * job->phases * job->padded + (ptrdiff_t)block * TIPS_BLOCK;
    for (int k = 0; k < job->phases; k++) weight[k] = vf_load(tau + (ptrdiff_t)k * job->padded);
    if (!job->config->hard) return;
    vf top = weight[0];
    for (int k = 1; k < job->phases; k++) top = vf_max(weight[k], top);
    vi open = (vi)vf_set(0) == 0;
    for (int k = 0; k < job->phases; k++) {
        const vi chosen = open & (weight[k] == top);
        weight[k] = vf_select(chosen, vf_set(1), vf_set(0));
        open &= ~chosen;
    }
}

/* Column of x under output column j and anchored phase column b; only the last columns wrap. */
static inline ptrdiff_t column(int j, int sw, int aw, int b, int w) {
    const int x = j * sw + aw + b;
    return (ptrdiff_t)(x >= w ? x - w : x) * TIPS_BLOCK;
}

typedef struct anchored_row {
    const float *from[TIPS_MAX_STRIDE]; /* row of x under each phase row */
    float *to[TIPS_MAX_STRIDE];         /* the same rows of dx */
} anchored_row;

static anchored_row rows_under(const tips_job *job, int n, int block, int i, const tips_map *dx) {
    const int sh = job->stride[0], ah = job->anchor[n] / job->stride[1];
    anchored_row r = {0};
    for (int a = 0; a < sh; a++) {
        const int y = (i * sh + ah + a) % job->x.h;
        r.from[a] = tips__row(&job->x, n, block, y);
        if (dx) r.to[a] = tips__row(dx, n, block, y);
    }
    return r;
}

static void mix_plane(const tips_job *job, int n, int block, const tips_map *y) {
    const int sh = job->stride[0], sw = job->stride[1], aw = job->anchor[n] % sw;
    vf weight[TIPS_MAX_PHASES];
    load_weights(job, n, block, weight);
    for (int i = 0; i < y->h; i++) {
        const anchored_row under = rows_under(job, n, block, i, NULL);
        float *out = tips__row(y, n, block, i);
        for (int j = 0; j < y->w; j++) {
            vf sum = (vf){0};
            for (int a = 0; a < sh; a++)
                for (int b = 0; b < sw; b++)
                    sum = vf_fma(weight[a * sw + b], vf_load(under.from[a] + column(j, sw, aw, b, job->x.w)), sum);
            vf_store(out + (ptrdiff_t)j * TIPS_BLOCK, sum);
        }
    }
}

tips_status tips__family_forward(tips_op *op) {
    const tips_job job = tips__family_job(op);
    double *undo = op->scratch;
    float *products =
        (float *)((char *)op->scratch + aligned(2 * (size_t)job.x.n * (size_t)job.x.blocks * sizeof(double)));
    float *planes = (float *)((char *)products + aligned(tips__tau_scratch_floats(&job) * sizeof(float)));
    if (job.undo) draw_shifts(&job);
    tips__family_norm_anchor(&job);
    tips__family_means(&job, planes, undo);
    tips__mixing_weights(&job, products);
    if (op->pass.losses) sum_losses(&job, undo);
    const tips_map *y = &op->out[0].map;
    TIPS_PARALLEL_PLANES(y, n, b) mix_plane(&job, n, b, y);
    if (op->n_out > 1) memcpy(op->out[1].index, job.anchor, (size_t)job.x.n * sizeof(int32_t));
    return TIPS_OK;
}

/* dtau_k = sum dy * P_k(y); dx = tau_k dy where x lies under phase k. */
static void unmix_plane(const tips_job *job, int n, int block, float *dtau) {
    const tips_op *op = job->op;
    const tips_map *dy = &op->out[0].diff, *dx = op->in[0].want_diff ? &op->in[0].diff : NULL;
    const int sw = job->stride[1], aw = job->anchor[n] % sw;
    vf weight[TIPS_MAX_PHASES];
    vd total[TIPS_MAX_PHASES];
    load_weights(job, n, block, weight);
    for (int k = 0; k < job->phases; k++) total[k] = (vd){0};
    for (int i = 0; i < dy->h; i++) {
        const anchored_row under = rows_under(job, n, block, i, dx);
        const float *d = tips__row(dy, n, block, i);
        for (int k = 0; k < job->phases; k++) {
            const float *from = under.from[k / sw];
            float *to = under.to[k / sw];
            vf sum = (vf){0};
            for (int j = 0; j < dy->w; j++) {
                const ptrdiff_t at = column(j, sw, aw, k % sw, job->x.w);
                const vf g = vf_load(d + (ptrdiff_t)j * TIPS_BLOCK);
                sum = vf_fma(g, vf_load(from + at), sum);
                if (to)
                    vf_store(to + at, op->in[0].accumulate ? vf_fma(weight[k], g, vf_load(to + at)) : weight[k] * g);
            }
            total[k] += vd_from(sum);
        }
    }
    float *out = dtau + (ptrdiff_t)n * job->phases * job->padded + (ptrdiff_t)block * TIPS_BLOCK;
    for (int k = 0; k < job->phases; k++) vf_store(out + (ptrdiff_t)k * job->padded, vf_from(total[k]));
}

/* One row of dL/dpsi: the share of the means, and L_undo's pull. */
static void psi_diff_row(const tips_job *job, int n, int block, int y, const float *psi, const float *dmeans,
                         float *out) {
    const float share = (float)(job->bins / ((double)job->x.h * job->x.w));
    const double cells = (double)job->x.n * job->x.c * job->x.h * job->x.w;
    const vf pull =
        vf_set(job->undo ? (float)(2 * job->op->aux_weight[TIPS_AUX_UNDO] * (double)*job->undo_scale / cells) : 0);
    const float *means = dmeans + (ptrdiff_t)n * job->bins * job->padded + (ptrdiff_t)block * TIPS_BLOCK;
    tips_run runs[2 * TIPS_MAX_PHASES];
    const int count = tips__family_runs(job, n, y, runs);
    for (int r = 0; r < count; r++) {
        const vf d = vf_load(means + (ptrdiff_t)runs[r].bin * job->padded) * share;
        for (int i = 0, x = runs[r].start; i < runs[r].count; i++, x += runs[r].step)
            vf_store(out + (ptrdiff_t)x * TIPS_BLOCK, d);
    }
    if (!job->undo) return;
    const float *moved = tips__shifted_row(job, n, block, y);
    for (int x = 0; x < job->x.w; x++) {
        float *at = out + (ptrdiff_t)x * TIPS_BLOCK;
        const vf gap = vf_load(psi + (ptrdiff_t)x * TIPS_BLOCK) - tips__shifted_pixel(moved, x, job->shift[2 * n + 1]);
        vf_store(at, vf_fma(pull, gap, vf_load(at)));
    }
}

static void full_psi_plane(const tips_job *job, int n, int block, const float *dmeans, float *scratch) {
    const tips_slot *slot = &job->op->in[tips__family_psi_slot(job->config)];
    if (!slot->want_diff) return;
    for (int y = 0; y < job->x.h; y++) {
        float *to = tips__row(&slot->diff, n, block, y), *row = slot->accumulate ? scratch : to;
        psi_diff_row(job, n, block, y, tips__row(&job->psi, n, block, y), dmeans, row);
        for (int x = 0; slot->accumulate && x < job->x.w * TIPS_BLOCK; x += TIPS_BLOCK)
            vf_store(to + x, vf_load(to + x) + vf_load(row + x));
    }
}

/* dtaps_t = sum dpsi * x moved by t. */
static void tap_gradients(const tips_job *job, const float *padded, const float *dpsi, ptrdiff_t dline, float *taps) {
    const ptrdiff_t line = (ptrdiff_t)(job->x.w + 2) * TIPS_BLOCK;
    vd total[9];
    for (int t = 0; t < 9; t++) total[t] = (vd){0};
    for (int y = 0; y < job->x.h; y++) {
        vf sum[9];
        for (int t = 0; t < 9; t++) sum[t] = (vf){0};
        const float *d = dpsi + y * dline, *x = padded + y * line;
        for (ptrdiff_t i = 0; i < (ptrdiff_t)job->x.w * TIPS_BLOCK; i += TIPS_BLOCK) {
            const vf g = vf_load(d + i);
            for (int t = 0; t < 9; t++)
                sum[t] = vf_fma(g, vf_load(x + t / 3 * line + i + (ptrdiff_t)(t % 3) * TIPS_BLOCK), sum[t]);
        }
        for (int t = 0; t < 9; t++) total[t] += vd_from(sum[t]);
    }
    for (int t = 0; t < 9; t++) vf_store(taps + (ptrdiff_t)t * TIPS_BLOCK, vf_from(total[t]));
}

/* The gradient of the padded plane: the 3x3 convolution of dpsi (with a border of two zeros) with the turned kernel. */
static void source_gradients(const tips_job *job, int block, const float *dpsi, ptrdiff_t dline, float *dpadded) {
    const int h = job->x.h + 2, w = job->x.w + 2;
    vf weight[9];
    for (int t = 0; t < 9; t++) weight[t] = vf_load(job->psi_weights + ((ptrdiff_t)block * 9 + t) * TIPS_BLOCK);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            const float *at = dpsi + y * dline + (ptrdiff_t)x * TIPS_BLOCK;
            vf sum = (vf){0};
            for (int ky = 0; ky < 3; ky++)
                for (int kx = 0; kx < 3; kx++)
                    sum = vf_fma(weight[ky * 3 + kx], vf_load(at - ky * dline - (ptrdiff_t)kx * TIPS_BLOCK), sum);
            vf_store(dpadded + ((ptrdiff_t)y * w + x) * TIPS_BLOCK, sum);
        }
}

static void depthwise_psi_plane(const tips_job *job, int n, int block, const float *dmeans, float *taps,
                                float *scratch) {
    const tips_psi_plane plane = tips__psi_open(job, n, block, scratch);
    float *zeroed = scratch + tips__psi_scratch_floats(job);
    const size_t floats = (size_t)(job->x.h + 4) * (size_t)(job->x.w + 4) * TIPS_BLOCK;
    const ptrdiff_t dline = (ptrdiff_t)(job->x.w + 4) * TIPS_BLOCK;
    float *dpsi = zeroed + 2 * dline + 2 * TIPS_BLOCK, *dpadded = zeroed + floats;
    memset(zeroed, 0, floats * sizeof(float));
    for (int y = 0; y < job->x.h; y++) {
        const float *psi = tips__psi_row(&plane, y);
        float *d = dpsi + y * dline;
        psi_diff_row(job, n, block, y, psi, dmeans, d);
        for (ptrdiff_t x = 0; x < (ptrdiff_t)job->x.w * TIPS_BLOCK; x += TIPS_BLOCK)
            vf_store(d + x, (vf)((vi)vf_load(d + x) & (vf_load(psi + x) > (vf){0})));
    }
    if (job->dpsi_weights) tap_gradients(job, plane.padded, dpsi, dline, taps);
    if (!job->op->in[0].want_diff) return;
    source_gradients(job, block, dpsi, dline, dpadded);
    const tips_padding pad = {job->config->common.padding, 1, 1, 1, 1};
    tips__fold_plane(dpadded, &pad, &job->op->in[0].diff, n, block, true);
}

static void reduce_taps(const tips_job *job, const float *taps) {
    const ptrdiff_t per_sample = (ptrdiff_t)job->padded * 9;
    TIPS_PARALLEL_FOR(v, job->padded / TIPS_BLOCK * 9) {
        const ptrdiff_t at = (ptrdiff_t)v * TIPS_BLOCK;
        vd sum = (vd){0};
        for (int n = 0; n < job->x.n; n++) sum += vd_from(vf_load(taps + n * per_sample + at));
        vf_store(job->dpsi_weights + at, vf_load(job->dpsi_weights + at) + vf_from(sum));
    }
}

tips_status tips__family_backward(tips_op *op) {
    const tips_job job = tips__family_job(op);
    const backward_room room = backward_rooms(&job);
    float *dtau = op->scratch, *dmeans = dtau + room.dtau, *products = dmeans + room.dmeans;
    float *taps = products + room.products, *planes = taps + room.taps;
    const bool full = job.config->psi == PSI_FULL;
    TIPS_PARALLEL_PLANES(&job.x, n, b) unmix_plane(&job, n, b, dtau);
    tips__mixing_weights_backward(&job, dtau, dmeans, products);
    TIPS_PARALLEL_PLANES(&job.x, n, b) {
        float *mine = planes + (size_t)omp_get_thread_num() * room.planes;
        if (full)
            full_psi_plane(&job, n, b, dmeans, mine);
        else
            depthwise_psi_plane(&job, n, b, dmeans, taps + ((ptrdiff_t)n * job.x.blocks + b) * 9 * TIPS_BLOCK, mine);
    }
    if (job.dpsi_weights) reduce_taps(&job, taps);
    return TIPS_OK;
}
