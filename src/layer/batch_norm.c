/* batch_norm: y = gamma (x - mean) / sqrt(var + eps) + beta, with batch statistics in training and running ones else.
 * The compiler may fuse what follows: y = relu(norm(x) + residual), one pass over memory. */
#include "layer/layers.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "emit/emit.h"

#include <math.h>

enum { GAMMA, BETA, MEAN, VARIANCE };

/* Kept from forward to backward, one float per channel each. */
typedef struct saved {
    float *mean, *rstd, *scale, *shift;
} saved;

static saved saved_at(const tips_op *op) {
    const ptrdiff_t c = tips__padded(op->in[0].map.c);
    float *at = op->workspace;
    return (saved){at, at + c, at + 2 * c, at + 3 * c};
}

static tips_status shape(tips_graph *g, tips_node *node) {
    tips_batch_norm *c = node->config;
    if (node->n_in != 1) TIPS_FAIL(TIPS_INVALID, "batch_norm '%s' takes one map", node->name);
    if (c->eps <= 0) c->eps = 1e-5;
    if (c->momentum <= 0) c->momentum = 0.1;
    const tips_value_info x = *tips__value(g, node->in[0]);
    tips_param_spec spec = {.layout = TIPS_VECTOR, .dims = {x.c}, .n_dims = 1, .trainable = true, .decay = true};
    spec.fill = 1;
    tips__node_param(g, node, "weight", spec);
    spec.fill = 0;
    tips__node_param(g, node, "bias", spec);
    spec.trainable = spec.decay = false;
    tips__node_param(g, node, "running_mean", spec);
    spec.fill = 1;
    tips__node_param(g, node, "running_var", spec);
    tips__node_out(g, node, x);
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *p) {
    const tips_map *x = &op->in[0].map;
    const size_t partials = (size_t)x->n * (size_t)x->blocks * 2 * sizeof(vf);
    p->workspace = 4 * (size_t)tips__padded(x->c) * sizeof(float);
    if (!op->training) return TIPS_OK;
    p->forward_scratch = partials;
    p->backward_scratch = partials;
    p->keep_in = 1;
    p->keep_out = op->relu && op->residual >= 0;
    return TIPS_OK;
}

/* Mean and sum of squared deviations of one plane; the second loop finds the plane in cache. */
static void plane_statistics(const tips_map *x, int n, int b, vf *mean, vf *squares) {
    vd sum = (vd){0};
    for (int y = 0; y < x->h; y++) {
        const float *row = tips__row(x, n, b, y);
        vf line = (vf){0};
        for (int i = 0; i < x->w; i++) line += vf_load(row + (ptrdiff_t)i * TIPS_BLOCK);
        sum += vd_from(line);
    }
    const vf m = vf_from(sum / (double)((ptrdiff_t)x->h * x->w));
    vd total = (vd){0};
    for (int y = 0; y < x->h; y++) {
        const float *row = tips__row(x, n, b, y);
        vf line = (vf){0};
        for (int i = 0; i < x->w; i++) {
            const vf d = vf_load(row + (ptrdiff_t)i * TIPS_BLOCK) - m;
            line = vf_fma(d, d, line);
        }
        total += vd_from(line);
    }
    *mean = m;
    *squares = vf_from(total);
}

static void update_running(const tips_op *op, int at, vd mean, vd variance, double count) {
    const double momentum = ((const tips_batch_norm *)op->node->config)->momentum;
    const vd unbiased = variance * (count > 1 ? count / (count - 1) : 1);
    float *running_mean = op->param[MEAN] + at, *running_variance = op->param[VARIANCE] + at;
    vf_store(running_mean, vf_from(vd_from(vf_load(running_mean)) * (1 - momentum) + mean * momentum));
    vf_store(running_variance, vf_from(vd_from(vf_load(running_variance)) * (1 - momentum) + unbiased * momentum));
}

static void set_affine(const tips_op *op, const saved *s, int at, vd mean, vd variance) {
    const double eps = ((const tips_batch_norm *)op->node->config)->eps;
    vf rstd;
    for (int l = 0; l < TIPS_BLOCK; l++) rstd[l] = (float)(1 / sqrt(variance[l] + eps));
    const vf scale = vf_load(op->param[GAMMA] + at) * rstd, m = vf_from(mean);
    vf_store(s->mean + at, m);
    vf_store(s->rstd + at, rstd);
    vf_store(s->scale + at, scale);
    vf_store(s->shift + at, vf_load(op->param[BETA] + at) - m * scale);
}

static void batch_statistics(tips_op *op, const saved *s) {
    const tips_map *x = &op->in[0].map;
    vf *partial = op->scratch; /* (n, blocks, 2) */
    TIPS_PARALLEL_PLANES(x, n, b) {
        vf *p = partial + 2 * ((ptrdiff_t)n * x->blocks + b);
        plane_statistics(x, n, b, &p[0], &p[1]);
    }
    const double area = (double)x->h * x->w, count = area * x->n;
    for (int b = 0; b < x->blocks; b++) {
        vd mean = (vd){0}, squares = (vd){0};
        for (int n = 0; n < x->n; n++) mean += vd_from(partial[2 * ((ptrdiff_t)n * x->blocks + b)]);
        mean /= (double)x->n;
        for (int n = 0; n < x->n; n++) {
            const vf *p = partial + 2 * ((ptrdiff_t)n * x->blocks + b);
            const vd d = vd_from(p[0]) - mean;
            squares += vd_from(p[1]) + d * d * area;
        }
        const vd variance = squares / count;
        set_affine(op, s, b * TIPS_BLOCK, mean, variance);
        update_running(op, b * TIPS_BLOCK, mean, variance, count);
    }
}

static void running_statistics(tips_op *op, const saved *s) {
    for (int b = 0; b < op->in[0].map.blocks; b++) {
        const int at = b * TIPS_BLOCK;
        set_affine(op, s, at, vd_from(vf_load(op->param[MEAN] + at)), vd_from(vf_load(op->param[VARIANCE] + at)));
    }
}

static void normalise(const tips_op *op, const saved *s) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const tips_map *r = op->residual >= 0 ? &op->in[op->residual].map : NULL;
    const bool relu = op->relu;
    TIPS_PARALLEL_PLANES(x, n, b) {
        const vf scale = vf_load(s->scale + (ptrdiff_t)b * TIPS_BLOCK),
                 shift = vf_load(s->shift + (ptrdiff_t)b * TIPS_BLOCK);
        for (int i = 0; i < x->h; i++) {
            const float *from = tips__row(x, n, b, i), *add = r ? tips__row(r, n, b, i) : NULL;
            float *to = tips__row(y, n, b, i);
            for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK) {
                vf v = vf_fma(vf_load(from + j), scale, shift);
                if (add) v += vf_load(add + j);
                vf_store(to + j, relu ? vf_relu(v) : v);
            }
        }
    }
}

static tips_status forward(tips_op *op) {
    const saved s = saved_at(op);
    if (op->training && !op->replay)
        batch_statistics(op, &s);
    else if (!op->training && op->fold_version != *op->version) {
        running_statistics(op, &s);
        op->fold_version = *op->version;
    }
    normalise(op, &s);
    return TIPS_OK;
}

/* The gradient before the norm's output was rectified. `out` is read only where a residual was added. */
static inline vf unrectified(const tips_op *op, vf dy, vf x, vf scale, vf shift, const float *out) {
    if (!op->relu) return dy;
    const vi alive = (out ? vf_load(out) : vf_fma(x, scale, shift)) > (vf){0};
    return (vf)((vi)dy & alive);
}

static void plane_gradient_sums(const tips_op *op, const saved *s, int n, int b, vf *sum, vf *product) {
    const tips_map *x = &op->in[0].map, *dy = &op->out[0].diff, *out = &op->out[0].map;
    const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
    const vf scale = vf_load(s->scale + at), shift = vf_load(s->shift + at), mean = vf_load(s->mean + at);
    vd total = (vd){0}, total_product = (vd){0};
    for (int i = 0; i < x->h; i++) {
        const float *xr = tips__row(x, n, b, i), *dr = tips__row(dy, n, b, i);
        const float *yr = op->residual >= 0 ? tips__row(out, n, b, i) : NULL;
        vf line = (vf){0}, line_product = (vf){0};
        for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK) {
            const vf v = vf_load(xr + j);
            const vf d = unrectified(op, vf_load(dr + j), v, scale, shift, yr ? yr + j : NULL);
            line += d;
            line_product = vf_fma(d, v - mean, line_product);
        }
        total += vd_from(line);
        total_product += vd_from(line_product);
    }
    *sum = vf_from(total);
    *product = vf_from(total_product);
}

typedef struct coefficients {
    vf gradient, offset, slope; /* dx = gradient * dz - slope * (x - mean) - offset */
} coefficients;

/* Sums over samples in order; turns them into dgamma, dbeta and the coefficients of dx, which replace the partials. */
static coefficients reduce_gradients(tips_op *op, const saved *s, const vf *partial, int b) {
    const tips_map *x = &op->in[0].map;
    const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
    vd sum = (vd){0}, product = (vd){0};
    for (int n = 0; n < x->n; n++) {
        sum += vd_from(partial[2 * ((ptrdiff_t)n * x->blocks + b)]);
        product += vd_from(partial[2 * ((ptrdiff_t)n * x->blocks + b) + 1]);
    }
    const vd rstd = vd_from(vf_load(s->rstd + at)), scale = vd_from(vf_load(s->scale + at));
    const vd dgamma = product * rstd;
    vf_store(op->dparam[GAMMA] + at, vf_load(op->dparam[GAMMA] + at) + vf_from(dgamma));
    vf_store(op->dparam[BETA] + at, vf_load(op->dparam[BETA] + at) + vf_from(sum));
    const double count = (double)x->n * x->h * x->w;
    return (coefficients){vf_from(scale), vf_from(scale * sum / count), vf_from(scale * rstd * dgamma / count)};
}

static void plane_gradient(const tips_op *op, const saved *s, int n, int b, const coefficients *k) {
    const tips_slot *in = &op->in[0], *res = op->residual >= 0 ? &op->in[op->residual] : NULL;
    const tips_map *x = &in->map, *dy = &op->out[0].diff;
    const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
    const vf scale = vf_load(s->scale + at), shift = vf_load(s->shift + at), mean = vf_load(s->mean + at);
    for (int i = 0; i < x->h; i++) {
        const float *xr = tips__row(x, n, b, i), *dr = tips__row(dy, n, b, i);
        const float *yr = res ? tips__row(&op->out[0].map, n, b, i) : NULL;
        float *dx = in->want_diff ? tips__row(&in->diff, n, b, i) : NULL;
        float *rr = res && res->want_diff ? tips__row(&res->diff, n, b, i) : NULL;
        for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK) {
            const vf v = vf_load(xr + j);
            const vf d = unrectified(op, vf_load(dr + j), v, scale, shift, yr ? yr + j : NULL);
            if (rr) vf_store(rr + j, res->accumulate ? vf_load(rr + j) + d : d);
            if (!dx) continue;
            const vf g = vf_fma(k->gradient, d, -vf_fma(k->slope, v - mean, k->offset));
            vf_store(dx + j, in->accumulate ? vf_load(dx + j) + g : g);
        }
    }
}

static tips_status backward(tips_op *op) {
    const saved s = saved_at(op);
    const tips_map *x = &op->in[0].map;
    vf *partial = op->scratch;
    TIPS_PARALLEL_PLANES(x, n, b) {
        vf *p = partial + 2 * ((ptrdiff_t)n * x->blocks + b);
        plane_gradient_sums(op, &s, n, b, &p[0], &p[1]);
    }
    TIPS_PARALLEL_FOR(b, x->blocks) {
        const coefficients k = reduce_gradients(op, &s, partial, b);
        for (int n = 0; n < x->n; n++) plane_gradient(op, &s, n, b, &k);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_batch_norm *c = op->node->config;
    const tips_ref_slot *x = &op->in[0];
    const ptrdiff_t area = (ptrdiff_t)x->h * x->w;
    for (int ch = 0; ch < x->c; ch++) {
        double mean = op->param[MEAN][ch], variance = op->param[VARIANCE][ch];
        if (op->training) {
            mean = variance = 0;
            for (int n = 0; n < x->n; n++)
                for (ptrdiff_t i = 0; i < area; i++) mean += x->data[((ptrdiff_t)n * x->c + ch) * area + i];
            mean /= (double)(area * x->n);
            for (int n = 0; n < x->n; n++)
                for (ptrdiff_t i = 0; i < area; i++) {
                    const double d = x->data[((ptrdiff_t)n * x->c + ch) * area + i] - mean;
                    variance += d * d;
                }
            variance /= (double)(area * x->n);
        }
        const double scale = op->param[GAMMA][ch] / sqrt(variance + c->eps);
        for (int n = 0; n < x->n; n++)
            for (ptrdiff_t i = 0; i < area; i++) {
                const ptrdiff_t at = ((ptrdiff_t)n * x->c + ch) * area + i;
                op->out[0].data[at] = (x->data[at] - mean) * scale + op->param[BETA][ch];
            }
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_batch_norm *c = node->config;
    tips_operand in[5];
    const bool is_vector = tips__emit_ins(to, node, in);
    for (int p = GAMMA; p <= VARIANCE; p++) in[1 + p] = tips__emit_param(to, node, p);
    const tips_operand y =
        tips__emit_op(to, "BatchNormalization", in, 5, TIPS_WITH(TIPS_WITH_FLOAT("epsilon", c->eps)));
    tips__emit_out_like(to, node, 0, y, is_vector);
    return TIPS_OK;
}

static const tips_option options[] = {
    {"eps", TIPS_OPT_FLOAT, offsetof(tips_batch_norm, eps), "1e-5", 0, 1, NULL, NULL,
     "added to the variance; 0 stands for 1e-5"},
    {"momentum", TIPS_OPT_FLOAT, offsetof(tips_batch_norm, momentum), "0.1", 0, 1, NULL, NULL,
     "part of a batch in the running statistics; 0 stands for 0.1"},
    {.type = TIPS_OPT_END},
};

static double fold_eps(const tips_node *node) { return ((const tips_batch_norm *)node->config)->eps; }

const tips_layer tips__layer_batch_norm = {
    .name = "batch_norm", .brief = "batch normalisation with running statistics",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_REPLAYS, .options = options, .config_size = sizeof(tips_batch_norm),
    .shape = shape, .plan = plan, .forward = forward, .backward = backward, .ref = ref,
    .fold_eps = fold_eps, .emit = emit};
