/* Sum of two maps: y = a + b, or max(a + b, 0) where the compiler has fused the ReLU that follows. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(tips__expect_like_first(graph, node, 1));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->keep_out = op->relu ? 1 : 0;
    plan->in_place = 3;
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const tips_map *left = &op->in[0].map, *right = &op->in[1].map, *dst = &op->out[0].map;
    const bool relu = op->relu;
    TIPS_PARALLEL_PLANES(dst, n, b) {
        for (int y = 0; y < dst->h; y++) {
            const float *l = tips__row(left, n, b, y), *r = tips__row(right, n, b, y);
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) {
                const vf sum = vf_load(l + x) + vf_load(r + x);
                vf_store(to + x, relu ? vf_relu(sum) : sum);
            }
        }
    }
    return TIPS_OK;
}

static void backward_rectified(const tips_op *op, const tips_slot *in) {
    const tips_map *dst = &op->out[0].map, *diff_dst = &op->out[0].diff;
    const bool accumulate = in->accumulate;
    TIPS_PARALLEL_PLANES(dst, n, b) {
        for (int y = 0; y < dst->h; y++) {
            const float *out = tips__row(dst, n, b, y), *from = tips__row(diff_dst, n, b, y);
            float *to = tips__row(&in->diff, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) {
                const vf open = vf_select(vf_load(out + x) > (vf){0}, vf_load(from + x), (vf){0});
                tips__put(to + x, open, accumulate);
            }
        }
    }
}

static tips_status backward(tips_op *op) {
    for (int i = 0; i < 2; i++) {
        const tips_slot *in = &op->in[i];
        if (!in->want_diff) continue;
        if (op->relu)
            backward_rectified(op, in);
        else if (in->accumulate || in->diff.data != op->out[0].diff.data)
            tips__map_emit(&in->diff, &op->out[0].diff, in->accumulate);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const size_t count = (size_t)in->n * in->c * in->h * in->w;
    for (size_t i = 0; i < count; i++) op->out[0].data[i] = in->data[i] + op->in[1].data[i];
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) { return tips__emit_same(to, node, "Add"); }

const tips_layer TIPS_ROW(tips__layer_add) = {
    .name = "add",
    .brief = "a + b",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
