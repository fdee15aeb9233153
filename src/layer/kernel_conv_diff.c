/* kernel_conv, backward. With r = 1 / sqrt(var + eps) of a window, s[o] the sum of an output's weights, z the
 * convolution and k the number of elements of a window:
 *     db = sum dy, dz = r dy, ds = -sum r mu dy, which every weight of the output gets
 *     dmu = -r sum over o of s dy, dvar = -r^2 / 2 sum over o of dy (y - b)
 *     dx = what dz gives, plus (A + 2 x' B) / k for elements that the statistics saw as x', where
 *     A = sum of dmu - 2 mu dvar and B = sum of dvar over the windows that an element lies in */
#include "layer/kernel_conv_run.h"

#include "core/memory.h"
#include "engine/engine.h"
#include "layer/channel_sums.h"
#include "layer/conv2d_run.h"

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

/* Scratch (or none yet, and the size counts), in front of the convolution's. */
typedef struct kernel_parts {
    float *dz;                         /* (n, c', h', w') */
    double *dy, *dy_share;             /* sums of dy and of r mu dy over a plane's windows */
    double *window_plain, *window_rest; /* (n, h', w'): dmu - 2 mu dvar, dvar */
    double *pixel_plain, *pixel_rest;   /* (n, h, w): A, B */
    size_t bytes;
} kernel_parts;

static void *take(char *base, size_t *at, size_t bytes) {
    char *here = base ? base + *at : NULL;
    *at += aligned(bytes);
    return here;
}

static kernel_parts parts_at(const tips_op *op, void *base) {
    const tips_map *y = &op->out[0].map;
    const size_t windows = tips__kernel_windows(op) * sizeof(double);
    const size_t pixels = tips__kernel_pixels(op) * sizeof(double);
    kernel_parts p = {.bytes = 0};
    p.dz = take(base, &p.bytes, tips__map_bytes(y->n, y->c, y->h, y->w, NULL));
    p.dy = take(base, &p.bytes, tips__channel_sums_bytes(y));
    p.dy_share = take(base, &p.bytes, tips__channel_sums_bytes(y));
    p.window_plain = take(base, &p.bytes, windows);
    p.window_rest = take(base, &p.bytes, windows);
    p.pixel_plain = take(base, &p.bytes, pixels);
    p.pixel_rest = take(base, &p.bytes, pixels);
    return p;
}

size_t tips__kernel_backward_scratch(const tips_op *op, size_t inner) {
    return parts_at(op, NULL).bytes + inner;
}

/* dz, and what a plane adds to the gradients of its outputs. */
static void plane_gradient(const tips_op *op, const kernel_saved *s, const tips_map *dz, int n, int b,
                           const kernel_parts *p) {
    const tips_map *dy = &op->out[0].diff;
    vd plain = (vd){0}, share = (vd){0};
    for (int i = 0; i < dy->h; i++) {
        const ptrdiff_t windows = ((ptrdiff_t)n * dy->h + i) * dy->w;
        const float *from = tips__row(dy, n, b, i);
        float *to = tips__row(dz, n, b, i);
        vf line = (vf){0}, line_share = (vf){0};
        for (int j = 0; j < dy->w; j++) {
            const vf d = vf_load(from + (ptrdiff_t)j * TIPS_BLOCK), own = d * s->rstd[windows + j];
            vf_store(to + (ptrdiff_t)j * TIPS_BLOCK, own);
            line += d;
            line_share = vf_fma(own, vf_set(s->mean[windows + j]), line_share);
        }
        plain += vd_from(line);
        share += vd_from(line_share);
    }
    tips__channel_sum_put(p->dy, dy, n, b, plain);
    tips__channel_sum_put(p->dy_share, dy, n, b, share);
}

/* Weights that stand for no channel, and those outside of the groups, stay zero: sum(w) goes over all. */
static void mask_inputs(const tips_op *op, float *gradient) {
    const tips_conv2d *c = op->node->config;
    const int ic = op->in[0].map.c, oc = op->out[0].map.c, taps = c->kernel[0] * c->kernel[1];
    tips__conv_weights_mask(oc, ic, c->kernel[0], c->kernel[1], c->groups, gradient);
    if (tips__group_plan(ic, oc, c->groups) != TIPS_GROUPS_DENSE || ic % TIPS_BLOCK == 0) return;
    const ptrdiff_t tile = (ptrdiff_t)TIPS_BLOCK * TIPS_BLOCK, last = ic % TIPS_BLOCK;
    for (int b = 0; b < tips__blocks(oc); b++)
        for (int t = 0; t < taps; t++) {
            float *at = gradient + (((ptrdiff_t)b * tips__blocks(ic) + tips__blocks(ic) - 1) * taps + t) * tile;
            memset(at + last * TIPS_BLOCK, 0, (size_t)(tile - last * TIPS_BLOCK) * sizeof *at);
        }
}

static void add_weight_shares(const tips_op *op, const kernel_parts *p) {
    const tips_map *y = &op->out[0].map;
    const size_t per_block = tips__conv2d_packed_floats(op) / (size_t)y->blocks;
    TIPS_PARALLEL_FOR (b, y->blocks) {
        const vf share = vf_from(tips__channel_total(p->dy_share, y, b));
        float *at = op->dparam[KERNEL_WEIGHT] + (size_t)b * per_block;
        for (size_t i = 0; i < per_block; i += TIPS_BLOCK) vf_store(at + i, vf_load(at + i) - share);
    }
    mask_inputs(op, op->dparam[KERNEL_WEIGHT]);
}

static void add_bias(const tips_op *op, const kernel_parts *p) {
    const tips_map *y = &op->out[0].map;
    for (int b = 0; b < y->blocks; b++)
        tips__put(op->dparam[KERNEL_BIAS] + (ptrdiff_t)b * TIPS_BLOCK, vf_from(tips__channel_total(p->dy, y, b)), true);
}

/* The gradients of one row of windows' statistics. */
static void window_gradients(const tips_op *op, const kernel_saved *s, int row, const kernel_parts *p) {
    const tips_map *y = &op->out[0].map, *dy = &op->out[0].diff;
    const float *bias = op->node->n_params > 1 ? op->param[KERNEL_BIAS] : NULL;
    for (int j = 0; j < y->w; j++) {
        const ptrdiff_t at = (ptrdiff_t)row * y->w + j;
        vd by_mean = (vd){0}, by_deviation = (vd){0};
        for (int b = 0; b < y->blocks; b++) {
            const ptrdiff_t lanes = (ptrdiff_t)b * TIPS_BLOCK;
            const vf d = vf_load(tips__row(dy, row / y->h, b, row % y->h) + (ptrdiff_t)j * TIPS_BLOCK);
            vf v = vf_load(tips__row(y, row / y->h, b, row % y->h) + (ptrdiff_t)j * TIPS_BLOCK);
            if (bias) v -= vf_load(bias + lanes);
            by_mean += vd_from(d) * vd_from(vf_load(s->sums + lanes));
            by_deviation += vd_from(d) * vd_from(v);
        }
        const double r = s->rstd[at], dvar = -0.5 * r * r * vd_sum(by_deviation);
        p->window_plain[at] = -r * vd_sum(by_mean) - 2 * s->mean[at] * dvar;
        p->window_rest[at] = dvar;
    }
}

/* What the windows of a sample give to its pixels. */
static void fold_sample(const tips_op *op, const tips_window axes[2], int n, const kernel_parts *p) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const ptrdiff_t area = (ptrdiff_t)x->h * x->w, windows = (ptrdiff_t)n * y->h * y->w;
    double *plain = p->pixel_plain + n * area, *rest = p->pixel_rest + n * area;
    for (ptrdiff_t i = 0; i < area; i++) plain[i] = rest[i] = 0;
    for (int w = 0; w < y->h * y->w; w++)
        for (int tap = 0; tap < axes[0].kernel * axes[1].kernel; tap++) {
            const int row = tips__window_cell(&axes[0], w / y->w, tap / axes[1].kernel);
            const int column = tips__window_cell(&axes[1], w % y->w, tap % axes[1].kernel);
            if (row < 0 || column < 0) continue;
            plain[(ptrdiff_t)row * x->w + column] += p->window_plain[windows + w];
            rest[(ptrdiff_t)row * x->w + column] += p->window_rest[windows + w];
        }
}

/* Behind the convolution's gradient, to which this is added. */
static void add_statistics(const tips_op *op, const kernel_saved *s, const kernel_parts *p) {
    const tips_map *x = &op->in[0].map, *dx = &op->in[0].diff;
    const double elements = tips__kernel_elements(op->node->config, x->c);
    const float gain = tips__kernel_gain(op);
    const ptrdiff_t area = (ptrdiff_t)x->h * x->w;
    TIPS_PARALLEL_PLANES (x, n, b) {
        const vi exists = tips__lane_mask(x->c, b);
        for (ptrdiff_t i = 0; i < area; i++) {
            const int row = (int)(i / x->w);
            const ptrdiff_t column = i % x->w * TIPS_BLOCK, plane = (ptrdiff_t)n * x->blocks + b;
            const float plain = (float)(p->pixel_plain[n * area + i] / elements);
            const float rest = (float)(2 * p->pixel_rest[n * area + i] / elements);
            const vi seen = s->dropped ? exists & tips__kernel_kept(s->dropped + plane * area + i) : exists;
            const vf v = vf_load(tips__row(x, n, b, row) + column) * gain;
            const vf own = vf_fma(v, vf_set(rest), vf_set(plain)) * gain;
            tips__put(tips__row(dx, n, b, row) + column, tips__masked(own, seen), true);
        }
    }
}

tips_status tips__kernel_conv_backward(tips_op *op) {
    const kernel_saved s = tips__kernel_saved(op);
    const kernel_parts p = parts_at(op, op->scratch);
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const tips_map dz = tips__map_dense(p.dz, y->n, y->c, y->h, y->w);
    kernel_inner inner;
    tips_window axes[2];
    TIPS_PARALLEL_PLANES (y, n, b) plane_gradient(op, &s, &dz, n, b, &p);
    tips__kernel_inner(op, &inner);
    inner.op.out[0].diff = dz;
    inner.op.scratch = (char *)op->scratch + p.bytes;
    TIPS_TRY(tips__layer_conv2d.backward(&inner.op));
    if (op->dparam[KERNEL_WEIGHT]) add_weight_shares(op, &p);
    if (op->node->n_params > 1 && op->dparam[KERNEL_BIAS]) add_bias(op, &p);
    if (!op->in[0].want_diff) return TIPS_OK;
    tips__kernel_axes(op->node->config, x->h, x->w, axes);
    TIPS_PARALLEL_FOR (row, y->n * y->h) window_gradients(op, &s, row, &p);
    TIPS_PARALLEL_FOR (n, x->n) fold_sample(op, axes, n, &p);
    add_statistics(op, &s, &p);
    return TIPS_OK;
}
