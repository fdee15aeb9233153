/* Adds a vector to the first pixel and leaves the others as they are: the token that a transformer's head will read. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_param(graph, node, "",
                     (tips_param_spec){.layout = TIPS_TOKENS, .dims = {1, 1, in.c}, .n_dims = 3, .trainable = true});
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->in_place = 1;
    return TIPS_OK;
}

static void copy_plane(const tips_map *src, const tips_map *dst, int n, int b, bool accumulate) {
    for (int y = 0; y < dst->h; y++) {
        const float *from = tips__row(src, n, b, y);
        float *to = tips__row(dst, n, b, y);
        for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) tips__put(to + x, vf_load(from + x), accumulate);
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        copy_plane(src, dst, n, b, false);
        tips__put(tips__plane(dst, n, b), vf_load(op->param[0] + (ptrdiff_t)b * TIPS_BLOCK), true);
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0];
    const tips_map *diff_dst = &op->out[0].diff;
    for (int b = 0; b < diff_dst->blocks && op->dparam[0]; b++)
        for (int n = 0; n < diff_dst->n; n++)
            tips__put(op->dparam[0] + (ptrdiff_t)b * TIPS_BLOCK, vf_load(tips__plane(diff_dst, n, b)), true);
    if (!in->want_diff || in->diff.data == diff_dst->data) return TIPS_OK;
    TIPS_PARALLEL_PLANES (diff_dst, n, b) copy_plane(diff_dst, &in->diff, n, b, in->accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const size_t area = (size_t)in->h * in->w;
    memcpy(op->out[0].data, in->data, (size_t)in->n * in->c * area * sizeof(double));
    for (int plane = 0; plane < in->n * in->c; plane++) op->out[0].data[plane * area] += op->param[0][plane % in->c];
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]);
    return in->h * in->w > 1 ? "token order" : NULL;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_value_info in = tips__emit_in_info(to, node, 0), one = {.kind = TIPS_MAP, .c = in.c, .h = 1, .w = 1};
    const tips_padding around = {.mode = TIPS_PAD_ZERO, .bottom = in.h - 1, .right = in.w - 1};
    tips__emit_fix_size(to, node, "it adds to the first pixel of a map");
    tips_operand own = tips__emit_reshape(to, tips__emit_param(to, node, 0), (const int64_t[]){1, in.c, 1, 1}, 4);
    if (in.h * in.w > 1) own = tips__emit_pad(to, node, own, one, &around, 0);
    tips__emit_out(to, node, 0, tips__emit_binary(to, "Add", tips__emit_in(to, node, 0), own));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_class_token) = {
    .name = "class_token",
    .brief = "a vector added to the first pixel",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
