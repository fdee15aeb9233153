/* Maps of whole numbers: made by one layer, read by others. */
#include "support/index_layers.h"

#include "emit/emit.h"
#include "layer/layer_common.h"

/* Channel c of pixel (y, x). */
static float *cell(const tips_map *map, int n, int c, int y, int x) {
    const int block = tips__block();
    return tips__row(map, n, c / block, y) + x * block + c % block;
}

static int32_t number(const tips_slot *slot, int n, int y, int x) {
    return slot->index[((ptrdiff_t)n * slot->map.h + y) * slot->map.w + x];
}

/* for every pixel of n maps of h x w: the body follows. */
#define EACH_PIXEL(of)                    \
    for (int n = 0; n < (of)->n; n++)     \
        for (int y = 0; y < (of)->h; y++) \
            for (int x = 0; x < (of)->w; x++)

/* ---------------------------------------------------------------------------------------------------------- argmax */

static tips_status argmax_shape(tips_graph *graph, tips_node *node) {
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, (tips_value_info){TIPS_INDEX, 1, in.h, in.w, in.per_sample, 0});
    return TIPS_OK;
}

static tips_status argmax_forward(tips_op *op) {
    const tips_map *src = &op->in[0].map;
    int32_t *to = op->out[0].index;
    EACH_PIXEL(src) {
        int best = 0;
        for (int c = 1; c < src->c; c++)
            if (*cell(src, n, c, y, x) > *cell(src, n, best, y, x)) best = c;
        *to++ = best;
    }
    return TIPS_OK;
}

static tips_status argmax_ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const ptrdiff_t area = (ptrdiff_t)in->h * in->w;
    int32_t *to = op->out[0].index;
    EACH_PIXEL(in) {
        const double *at = in->data + n * in->c * area + (ptrdiff_t)y * in->w + x;
        int best = 0;
        for (int c = 1; c < in->c; c++)
            if (at[c * area] > at[best * area]) best = c;
        *to++ = best;
    }
    return TIPS_OK;
}

static tips_status argmax_emit(tips_emitter *to, const tips_node *node) {
    const tips_operand x = tips__emit_in(to, node, 0);
    tips__emit_out(to, node, 0, tips__emit_op(to, "ArgMax", TIPS_OPERANDS(x), TIPS_WITH(TIPS_WITH_INT("axis", 1))));
    return TIPS_OK;
}

const tips_layer test_argmax = {
    .name = "test_argmax", .shape = argmax_shape, .forward = argmax_forward, .ref = argmax_ref, .emit = argmax_emit};

/* ----------------------------------------------------------------------------------------------------------- scale */

static tips_status expect_index_map(const tips_graph *graph, const tips_node *node) {
    const tips_value_info x = tips__in_info(graph, node, 0), index = tips__in_info(graph, node, 1);
    if (index.kind != TIPS_INDEX || index.c != 1 || index.h != x.h || index.w != x.w ||
        index.per_sample != x.per_sample)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %dx%dx%d numbers for a map of %dx%d", node->name, index.c, index.h, index.w,
                  x.h, x.w);
    return TIPS_OK;
}

static tips_status scale_shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(expect_index_map(graph, node));
    tips__node_out(graph, node, tips__in_info(graph, node, 0));
    return TIPS_OK;
}

static tips_status scale_plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_in = 2;
    return TIPS_OK;
}

static tips_status scale_forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    tips__map_zero(dst);
    EACH_PIXEL(src)
    for (int c = 0; c < src->c; c++)
        *cell(dst, n, c, y, x) = *cell(src, n, c, y, x) * (float)(1 + number(&op->in[1], n, y, x));
    return TIPS_OK;
}

static tips_status scale_backward(tips_op *op) {
    const tips_slot *in = &op->in[0];
    if (!in->want_diff) return TIPS_OK;
    if (!in->accumulate) tips__map_zero(&in->diff);
    EACH_PIXEL(&in->diff)
    for (int c = 0; c < in->diff.c; c++)
        *cell(&in->diff, n, c, y, x) += *cell(&op->out[0].diff, n, c, y, x) * (float)(1 + number(&op->in[1], n, y, x));
    return TIPS_OK;
}

static tips_status scale_ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *index = &op->in[1];
    const ptrdiff_t area = (ptrdiff_t)in->h * in->w;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)in->n * in->c * area; i++)
        op->out[0].data[i] = in->data[i] * (1 + index->index[i / (in->c * area) * area + i % area]);
    return TIPS_OK;
}

/* It says that it can be exported: the graph must know better. */
static tips_status emit_nothing(tips_emitter *to, const tips_node *node) {
    (void)to, (void)node;
    return TIPS_OK;
}

const tips_layer test_scale = {.name = "test_scale",
                               .flags = TIPS_LAYER_STRIDED_OUT,
                               .shape = scale_shape,
                               .plan = scale_plan,
                               .forward = scale_forward,
                               .backward = scale_backward,
                               .ref = scale_ref,
                               .emit = emit_nothing};

/* ------------------------------------------------------------------------------------------------------- subsample */

static tips_status subsample_shape(tips_graph *graph, tips_node *node) {
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (node->n_in > 1) TIPS_TRY(expect_index_map(graph, node));
    tips__node_out(graph, node, tips__map_info(in.c, in.h / 2, in.w / 2, in.per_sample));
    return TIPS_OK;
}

static tips_status subsample_forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    tips__map_zero(dst);
    EACH_PIXEL(dst)
    for (int c = 0; c < dst->c; c++) *cell(dst, n, c, y, x) = *cell(src, n, c, 2 * y, 2 * x);
    return TIPS_OK;
}

static bool subsample_pools(const tips_node *node, int stride[2]) {
    (void)node;
    stride[0] = stride[1] = 2;
    return true;
}

const tips_layer test_subsample = {.name = "test_subsample",
                                   .flags = TIPS_LAYER_STRIDED_OUT,
                                   .shape = subsample_shape,
                                   .forward = subsample_forward,
                                   .pools = subsample_pools};
