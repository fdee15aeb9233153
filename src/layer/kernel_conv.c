/* kernel_conv: a convolution of windows that are normalised first, y = (conv(x, w) - mu sum(w)) / sqrt(var + eps) + b.
 * mu and the biased variance are those of the window of the padded input under the kernel, all channels of it, whatever
 * the groups. Where a pass samples, they are of an input of which a part is left out, and the rest scaled up; what is
 * convolved stays whole.
 *
 * The convolution is run as conv2d is. Sums of a window go over the channels of a pixel first and then over its pixels,
 * row by row, in double: bits depend on the window only, not on where it lies. */
#include "layer/kernel_conv_run.h"

#include "core/memory.h"
#include "layer/conv2d_run.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    tips_kernel_conv *c = node->config;
    if (c->eps <= 0) c->eps = 1e-5;
    if (!(c->dropout >= 0 && c->dropout < 1))
        TIPS_FAIL(TIPS_RANGE, "kernel_conv '%s': a dropout of %g; it lies between 0 and 1", node->name, c->dropout);
    return tips__layer_conv2d.shape(graph, node);
}

void tips__kernel_inner(const tips_op *op, kernel_inner *out) {
    out->node = *op->node;
    out->node.n_params = 1;
    out->op = *op;
    out->op.node = &out->node;
    out->op.dparam[KERNEL_BIAS] = NULL;
}

static tips_source_layout reads(const tips_op *op, tips_padding *halo) { return tips__layer_conv2d.reads(op, halo); }

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

size_t tips__kernel_windows(const tips_op *op) {
    const tips_map *y = &op->out[0].map;
    return (size_t)y->n * (size_t)y->h * (size_t)y->w;
}

size_t tips__kernel_pixels(const tips_op *op) {
    const tips_map *x = &op->in[0].map;
    return (size_t)x->n * (size_t)x->h * (size_t)x->w;
}

static size_t window_bytes(const tips_op *op) { return aligned(tips__kernel_windows(op) * sizeof(float)); }
static size_t sums_bytes(const tips_op *op) { return (size_t)tips__padded(op->out[0].map.c) * sizeof(float); }
static size_t inner_bytes(const tips_op *op) { return aligned(tips__conv2d_weights_bytes(op)); }

kernel_saved tips__kernel_saved(const tips_op *op) {
    char *at = (char *)op->workspace + inner_bytes(op);
    kernel_saved s = {.mean = (float *)at};
    s.rstd = (float *)(at += window_bytes(op));
    s.sums = (float *)(at += window_bytes(op));
    if (tips__kernel_drops(op->node, &op->pass)) s.dropped = (uint16_t *)(at + aligned(sums_bytes(op)));
    return s;
}

static tips_status plan(tips_op *op, tips_plan *p) {
    const tips_map *x = &op->in[0].map;
    kernel_inner inner;
    tips__kernel_inner(op, &inner);
    const tips_status status = tips__layer_conv2d.plan(&inner.op, p);
    op->state = inner.op.state;
    TIPS_TRY(status);
    p->workspace = inner_bytes(op) + 2 * window_bytes(op) + aligned(sums_bytes(op));
    if (tips__kernel_drops(op->node, &op->pass))
        p->workspace += tips__kernel_pixels(op) * (size_t)x->blocks * sizeof(uint16_t);
    const size_t sums = 2 * tips__kernel_pixels(op) * sizeof(double);
    if (p->forward_scratch < sums) p->forward_scratch = sums;
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    p->backward_scratch = tips__kernel_backward_scratch(op, p->backward_scratch);
    p->keep_in = p->keep_out = 1;
    return TIPS_OK;
}

/* The packed weights of a block of outputs are vectors of these outputs, one behind the other. */
static void sum_weights(const tips_op *op, float *sums) {
    const int blocks = op->out[0].map.blocks;
    const size_t per_block = tips__conv2d_packed_floats(op) / (size_t)blocks;
    TIPS_PARALLEL_FOR (b, blocks) {
        const float *from = op->param[KERNEL_WEIGHT] + (size_t)b * per_block;
        vd sum = (vd){0};
        for (size_t i = 0; i < per_block; i += TIPS_BLOCK) sum += vd_from(vf_load(from + i));
        vf_store(sums + (ptrdiff_t)b * TIPS_BLOCK, vf_from(sum));
    }
}

static void normalise(const tips_op *op, const kernel_saved *s) {
    const tips_map *y = &op->out[0].map;
    const float *bias = op->node->n_params > 1 ? op->param[KERNEL_BIAS] : NULL;
    TIPS_PARALLEL_PLANES (y, n, b) {
        const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
        const vf sum = vf_load(s->sums + at), offset = bias ? vf_load(bias + at) : (vf){0};
        for (int i = 0; i < y->h; i++) {
            const ptrdiff_t windows = ((ptrdiff_t)n * y->h + i) * y->w;
            float *row = tips__row(y, n, b, i);
            for (int j = 0; j < y->w; j++) {
                float *to = row + (ptrdiff_t)j * TIPS_BLOCK;
                const vf centred = vf_fma(vf_set(-s->mean[windows + j]), sum, vf_load(to));
                vf_store(to, vf_fma(centred, vf_set(s->rstd[windows + j]), offset));
            }
        }
    }
}

static tips_status forward(tips_op *op) {
    const kernel_saved s = tips__kernel_saved(op);
    kernel_inner inner;
    tips__kernel_statistics(op, &s);
    tips__kernel_inner(op, &inner);
    TIPS_TRY(tips__layer_conv2d.forward(&inner.op));
    op->fold_version = inner.op.fold_version;
    sum_weights(op, s.sums);
    normalise(op, &s);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    return tips__layer_conv2d.breaks(graph, node);
}

static bool pools(const tips_node *node, int stride[2]) { return tips__layer_conv2d.pools(node, stride); }

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_value_info x = tips__in_info(graph, node, 0), *y = tips__value(graph, node->out[0]);
    const double squares = (double)x.c * x.h * x.w * x.per_sample;
    const double outputs = (double)y->c * y->h * y->w * y->per_sample; /* times sum(w), and times the deviation */
    return tips__layer_conv2d.multiply_adds(graph, node) + squares + 2 * outputs;
}

static const tips_option options[] = {
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_kernel_conv, conv), .group = tips__conv2d_rows},
    {.name = "eps", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_kernel_conv, eps), .fallback = "1e-5", .min = 0,
     .max = 1, .help = "added to the variance; 0 stands for 1e-5"},
    {.name = "dropout", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_kernel_conv, dropout), .fallback = "0.05",
     .min = 0, .max = 0.999, .help = "part of the input that statistics leave out in training"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_kernel_conv) = {
    .name = "kernel_conv", .brief = "convolution of windows that are normalised first (kernel normalisation)",
    .options = options, .config_size = sizeof(tips_kernel_conv), .shape = shape, .plan = plan, .forward = forward,
    .backward = tips__kernel_conv_backward, .ref = tips__kernel_conv_ref, .emit = tips__kernel_conv_emit,
    .release = tips__conv2d_direct_release, .breaks = breaks, .multiply_adds = multiply_adds, .pools = pools,
    .reads = reads};
