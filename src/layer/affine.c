/* A scale and an offset for each channel: y = w[c] x + b[c]; dx = w dy, dw = sum of x dy, db = sum of dy. */
#include "layer/channel_sums.h"
#include "layer/layers.h"
#include "emit/emit.h"

enum { WEIGHT, BIAS };

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_affine *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips_param_spec spec = {.layout = TIPS_VECTOR, .dims = {in.c}, .n_dims = 1, .fill = 1};
    spec.trainable = spec.decay = config->trainable;
    tips__node_param(graph, node, "weight", spec);
    spec.fill = 0;
    tips__node_param(graph, node, "bias", spec);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    if (!op->dparam[WEIGHT] && !op->dparam[BIAS]) return TIPS_OK;
    plan->keep_in = 1;
    plan->backward_scratch = 2 * tips__channel_sums_bytes(&op->in[0].map);
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const vf weight = vf_load(op->param[WEIGHT] + (ptrdiff_t)b * TIPS_BLOCK);
        const vf bias = vf_load(op->param[BIAS] + (ptrdiff_t)b * TIPS_BLOCK);
        for (int y = 0; y < dst->h; y++) {
            const float *from = tips__row(src, n, b, y);
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK)
                vf_store(to + x, vf_fma(weight, vf_load(from + x), bias));
        }
    }
    return TIPS_OK;
}

static void backward_data(const tips_op *op) {
    const tips_slot *in = &op->in[0];
    const tips_map *diff_dst = &op->out[0].diff;
    TIPS_PARALLEL_PLANES (&in->diff, n, b) {
        const vf weight = vf_load(op->param[WEIGHT] + (ptrdiff_t)b * TIPS_BLOCK);
        for (int y = 0; y < diff_dst->h; y++) {
            const float *from = tips__row(diff_dst, n, b, y);
            float *to = tips__row(&in->diff, n, b, y);
            for (int x = 0; x < diff_dst->w * TIPS_BLOCK; x += TIPS_BLOCK)
                tips__put(to + x, weight * vf_load(from + x), in->accumulate);
        }
    }
}

typedef struct plane_sums {
    vd product, plain; /* of x dy and of dy */
} plane_sums;

static plane_sums sum_plane(const tips_map *src, const tips_map *diff_dst, int n, int b) {
    plane_sums sums = {{0}, {0}};
    for (int y = 0; y < src->h; y++) {
        const float *value = tips__row(src, n, b, y), *from = tips__row(diff_dst, n, b, y);
        for (int x = 0; x < src->w * TIPS_BLOCK; x += TIPS_BLOCK) {
            const vf dy = vf_load(from + x);
            sums.product += vd_from(vf_load(value + x) * dy);
            sums.plain += vd_from(dy);
        }
    }
    return sums;
}

static void backward_params(const tips_op *op) {
    const tips_map *src = &op->in[0].map;
    double *products = op->scratch, *plains = products + (ptrdiff_t)src->n * src->blocks * TIPS_BLOCK;
    TIPS_PARALLEL_PLANES (src, n, b) {
        const plane_sums sums = sum_plane(src, &op->out[0].diff, n, b);
        tips__channel_sum_put(products, src, n, b, sums.product);
        tips__channel_sum_put(plains, src, n, b, sums.plain);
    }
    for (int b = 0; b < src->blocks; b++) {
        const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
        if (op->dparam[WEIGHT])
            tips__put(op->dparam[WEIGHT] + at, vf_from(tips__channel_total(products, src, b)), true);
        if (op->dparam[BIAS]) tips__put(op->dparam[BIAS] + at, vf_from(tips__channel_total(plains, src, b)), true);
    }
}

static tips_status backward(tips_op *op) {
    if (op->dparam[WEIGHT] || op->dparam[BIAS]) backward_params(op);
    if (op->in[0].want_diff) backward_data(op);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const int area = in->h * in->w;
    for (int plane = 0; plane < in->n * in->c; plane++) {
        const double weight = op->param[WEIGHT][plane % in->c], bias = op->param[BIAS][plane % in->c];
        for (int i = 0; i < area; i++) {
            const size_t at = (size_t)plane * area + i;
            op->out[0].data[at] = weight * in->data[at] + bias;
        }
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "trainable", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_affine, trainable), .fallback = "false",
     .help = "train scale and offset; else they are constants"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    x = tips__emit_binary(to, "Mul", x, tips__emit_spread_param(to, node, WEIGHT, is_vector));
    x = tips__emit_binary(to, "Add", x, tips__emit_spread_param(to, node, BIAS, is_vector));
    tips__emit_out_like(to, node, 0, x, is_vector);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_affine) = {
    .name = "affine",
    .brief = "a scale and an offset for each channel",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_affine),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
