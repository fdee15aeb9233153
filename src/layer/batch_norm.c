/* batch_norm: y = gamma (x - mean) / sqrt(var + eps) + beta, with the statistics of the batch or running ones.
 * The compiler may fuse what follows: y = relu(norm(x) + residual), one pass over memory. */
#include "layer/batch_norm_run.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "emit/emit.h"

#include <math.h>

static tips_status shape(tips_graph *g, tips_node *node) {
    tips_batch_norm *c = node->config;
    if (node->n_in != 1) TIPS_FAIL(TIPS_INVALID, "batch_norm '%s' takes one map", node->name);
    if (c->eps <= 0) c->eps = 1e-5;
    if (c->momentum <= 0) c->momentum = 0.1;
    const tips_value_info x = *tips__value(g, node->in[0]);
    tips_param_spec spec = {.layout = TIPS_VECTOR, .dims = {x.c}, .n_dims = 1, .trainable = true, .decay = true,
                            .frozen = c->frozen};
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
    if (op->pass.batch_statistics) p->forward_scratch = partials;
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    if (tips__norm_sums(op)) p->backward_scratch = partials;
    p->keep_in = tips__norm_reads_input(op);
    p->keep_out = op->relu && op->residual >= 0;
    p->in_place = 1u | (op->residual >= 0 ? 1u << op->residual : 0);
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
    const double own = ((const tips_batch_norm *)op->node->config)->momentum;
    const double momentum = op->momentum > 0 ? op->momentum : own;
    const vd unbiased = variance * (count > 1 ? count / (count - 1) : 1);
    float *running_mean = op->param[NORM_MEAN] + at, *running_variance = op->param[NORM_VARIANCE] + at;
    vf_store(running_mean, vf_from(vd_from(vf_load(running_mean)) * (1 - momentum) + mean * momentum));
    vf_store(running_variance, vf_from(vd_from(vf_load(running_variance)) * (1 - momentum) + unbiased * momentum));
}

static void set_affine(const tips_op *op, const norm_saved *s, int at, vd mean, vd variance) {
    const double eps = ((const tips_batch_norm *)op->node->config)->eps;
    vf rstd;
    for (int l = 0; l < TIPS_BLOCK; l++) rstd[l] = (float)(1 / sqrt(variance[l] + eps));
    const vf scale = vf_load(op->param[NORM_GAMMA] + at) * rstd, m = vf_from(mean);
    vf_store(s->mean + at, m);
    vf_store(s->rstd + at, rstd);
    vf_store(s->scale + at, scale);
    vf_store(s->shift + at, vf_load(op->param[NORM_BETA] + at) - m * scale);
}

static void batch_statistics(tips_op *op, const norm_saved *s) {
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

static void running_statistics(tips_op *op, const norm_saved *s) {
    for (int b = 0; b < op->in[0].map.blocks; b++) {
        const int at = b * TIPS_BLOCK;
        set_affine(op, s, at, vd_from(vf_load(op->param[NORM_MEAN] + at)),
                   vd_from(vf_load(op->param[NORM_VARIANCE] + at)));
    }
}

static void normalise(const tips_op *op, const norm_saved *s) {
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

/* Where a backward pass follows, the workspace holds something else until the next forward. */
static void find_statistics(tips_op *op, const norm_saved *s) {
    if (op->pass.batch_statistics) {
        batch_statistics(op, s);
    } else if (tips__goes_back(&op->pass) || op->fold_version != *op->version) {
        running_statistics(op, s);
        op->fold_version = *op->version;
    }
}

static tips_status forward(tips_op *op) {
    const norm_saved s = tips__norm_saved(op);
    if (!op->replay) find_statistics(op, &s);
    normalise(op, &s);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_batch_norm *c = op->node->config;
    const tips_ref_slot *x = &op->in[0];
    const ptrdiff_t area = (ptrdiff_t)x->h * x->w;
    for (int ch = 0; ch < x->c; ch++) {
        double mean = op->param[NORM_MEAN][ch], variance = op->param[NORM_VARIANCE][ch];
        if (op->pass.batch_statistics) {
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
        const double scale = op->param[NORM_GAMMA][ch] / sqrt(variance + c->eps);
        for (int n = 0; n < x->n; n++)
            for (ptrdiff_t i = 0; i < area; i++) {
                const ptrdiff_t at = ((ptrdiff_t)n * x->c + ch) * area + i;
                op->out[0].data[at] = (x->data[at] - mean) * scale + op->param[NORM_BETA][ch];
            }
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_batch_norm *c = node->config;
    tips_operand in[5];
    const bool is_vector = tips__emit_ins(to, node, in);
    for (int p = NORM_GAMMA; p <= NORM_VARIANCE; p++) in[1 + p] = tips__emit_param(to, node, p);
    const tips_operand y =
        tips__emit_op(to, "BatchNormalization", in, 5, TIPS_WITH(TIPS_WITH_FLOAT("epsilon", c->eps)));
    tips__emit_out_like(to, node, 0, y, is_vector);
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "eps", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_batch_norm, eps), .fallback = "1e-5", .min = 0,
     .max = 1, .help = "added to the variance; 0 stands for 1e-5"},
    {.name = "momentum", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_batch_norm, momentum), .fallback = "0.1",
     .min = 0, .max = 1, .help = "part of a batch in the running statistics; 0 stands for 0.1"},
    {.name = "frozen", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_batch_norm, frozen), .fallback = "false",
     .help = "keep weights and statistics as they are, in training too"},
    {.type = TIPS_OPT_END},
};

static double fold_eps(const tips_node *node) { return ((const tips_batch_norm *)node->config)->eps; }

const tips_layer TIPS_ROW(tips__layer_batch_norm) = {
    .name = "batch_norm", .brief = "batch normalisation with running statistics",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_REPLAYS, .options = options, .config_size = sizeof(tips_batch_norm),
    .shape = shape, .plan = plan, .forward = forward, .backward = tips__norm_backward, .ref = ref,
    .fold_eps = fold_eps, .emit = emit};
