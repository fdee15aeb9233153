/* Rectifier: y = max(x, 0); dx = dy where y > 0. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_out = 1;
    plan->in_place = 1;
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES(dst, n, b) {
        for (int y = 0; y < dst->h; y++) {
            const float *from = tips__row(src, n, b, y);
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) vf_store(to + x, vf_relu(vf_load(from + x)));
        }
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *dst = &op->out[0].map, *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const bool accumulate = op->in[0].accumulate;
    TIPS_PARALLEL_PLANES(dst, n, b) {
        for (int y = 0; y < dst->h; y++) {
            const float *out = tips__row(dst, n, b, y), *from = tips__row(diff_dst, n, b, y);
            float *to = tips__row(diff_src, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) {
                const vf open = vf_select(vf_load(out + x) > (vf){0}, vf_load(from + x), (vf){0});
                tips__put(to + x, open, accumulate);
            }
        }
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const size_t count = (size_t)in->n * in->c * in->h * in->w;
    for (size_t i = 0; i < count; i++) op->out[0].data[i] = in->data[i] > 0 ? in->data[i] : 0;
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) { return tips__emit_same(to, node, "Relu"); }

const tips_layer TIPS_ROW(tips__layer_relu) = {
    .name = "relu",
    .brief = "max(x, 0)",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
