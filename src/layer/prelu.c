/* Rectifier with a trained slope below zero: y = x, or w x where x < 0. One slope for each channel, or for all.
 * dx = dy or w dy, dw = sum of x dy where x < 0. */
#include "layer/channel_sums.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_prelu *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_param(
        graph, node, "weight",
        (tips_param_spec){
            .layout = TIPS_VECTOR, .dims = {config->shared ? 1 : in.c}, .n_dims = 1, .fill = 0.25, .trainable = true});
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->keep_in = 1;
    if (op->dparam[0]) plan->backward_scratch = tips__channel_sums_bytes(&op->in[0].map);
    return TIPS_OK;
}

static bool is_shared(const tips_op *op) { return ((const tips_prelu *)op->node->config)->shared; }

static vf slope_of(const tips_op *op, int block) {
    const float *weight = op->param[0];
    return is_shared(op) ? vf_set(weight[0]) : vf_load(weight + (ptrdiff_t)block * TIPS_BLOCK);
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const vf slope = slope_of(op, b);
        for (int y = 0; y < dst->h; y++) {
            const float *from = tips__row(src, n, b, y);
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) {
                const vf value = vf_load(from + x);
                vf_store(to + x, vf_select(value < (vf){0}, slope * value, value));
            }
        }
    }
    return TIPS_OK;
}

static void backward_data(const tips_op *op, int n, int b) {
    const tips_slot *in = &op->in[0];
    const vf slope = slope_of(op, b);
    for (int y = 0; y < in->map.h; y++) {
        const float *value = tips__row(&in->map, n, b, y), *from = tips__row(&op->out[0].diff, n, b, y);
        float *to = tips__row(&in->diff, n, b, y);
        for (int x = 0; x < in->map.w * TIPS_BLOCK; x += TIPS_BLOCK) {
            const vf dy = vf_load(from + x);
            tips__put(to + x, vf_select(vf_load(value + x) > (vf){0}, dy, slope * dy), in->accumulate);
        }
    }
}

static vd slope_gradient(const tips_op *op, int n, int b) {
    const tips_map *src = &op->in[0].map;
    vd sum = {0};
    for (int y = 0; y < src->h; y++) {
        const float *value = tips__row(src, n, b, y), *dy = tips__row(&op->out[0].diff, n, b, y);
        for (int x = 0; x < src->w * TIPS_BLOCK; x += TIPS_BLOCK) {
            const vf below = tips__masked(vf_load(value + x), vf_load(value + x) < (vf){0});
            sum += vd_from(below * vf_load(dy + x));
        }
    }
    return sum;
}

static void add_slope_gradient(const tips_op *op, const double *sums) {
    const tips_map *src = &op->in[0].map;
    double total = 0;
    for (int b = 0; b < src->blocks; b++) {
        const vd block = tips__channel_total(sums, src, b);
        if (is_shared(op)) total += vd_sum(block);
        else tips__put(op->dparam[0] + (ptrdiff_t)b * TIPS_BLOCK, vf_from(block), true);
    }
    if (is_shared(op)) op->dparam[0][0] += (float)total;
}

static tips_status backward(tips_op *op) {
    const tips_map *src = &op->in[0].map;
    double *sums = op->scratch;
    TIPS_PARALLEL_PLANES (src, n, b) {
        if (op->dparam[0]) tips__channel_sum_put(sums, src, n, b, slope_gradient(op, n, b));
        if (op->in[0].want_diff) backward_data(op, n, b);
    }
    if (op->dparam[0]) add_slope_gradient(op, sums);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const bool shared = ((const tips_prelu *)op->node->config)->shared;
    const int area = in->h * in->w;
    for (int plane = 0; plane < in->n * in->c; plane++) {
        const double slope = op->param[0][shared ? 0 : plane % in->c];
        for (int i = 0; i < area; i++) {
            const double x = in->data[(size_t)plane * area + i];
            op->out[0].data[(size_t)plane * area + i] = x >= 0 ? x : slope * x;
        }
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "shared", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_prelu, shared), .fallback = "false",
     .help = "one slope for all channels instead of one each"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    const tips_operand slope = tips__emit_spread_param(to, node, 0, is_vector);
    tips__emit_out_like(to, node, 0, tips__emit_binary(to, "PRelu", x, slope), is_vector);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_prelu) = {
    .name = "prelu",
    .brief = "x, or a trained slope times x below zero",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_prelu),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
