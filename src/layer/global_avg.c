/* Global average pooling: y[c] = mean over i, j of x[c,i,j].
 * The sum is order-independent, so y has the same bits for every circular shift of x. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, 1, 1, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const double count = (double)src->h * src->w;
    TIPS_PARALLEL_PLANES(src, n, b) vf_store(tips__plane(dst, n, b), vf_from(tips__plane_sum(src, n, b) / count));
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const float count = (float)diff_src->h * (float)diff_src->w;
    const bool accumulate = op->in[0].accumulate;
    TIPS_PARALLEL_PLANES(diff_src, n, b) {
        const vf share = vf_load(tips__plane(diff_dst, n, b)) / count;
        for (int y = 0; y < diff_src->h; y++) {
            float *to = tips__row(diff_src, n, b, y);
            for (int x = 0; x < diff_src->w * TIPS_BLOCK; x += TIPS_BLOCK) tips__put(to + x, share, accumulate);
        }
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const int area = in->h * in->w;
    for (int plane = 0; plane < in->n * in->c; plane++) {
        double sum = 0;
        for (int i = 0; i < area; i++) sum += in->data[(size_t)plane * area + i];
        op->out[0].data[plane] = sum / area;
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    tips__emit_out(to, node, 0, tips__emit_unary(to, "GlobalAveragePool", tips__emit_in(to, node, 0)));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_global_avg) = {
    .name = "global_avg",
    .brief = "mean over all positions, the same bits in any order",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_ONE_PIXEL,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
