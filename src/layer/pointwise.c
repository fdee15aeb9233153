/* The engine of the pointwise layers: dx = f'(x) dy, with f' from x or, where that is enough, from y. */
#include "layer/pointwise.h"

#include <assert.h>

static const tips_pointwise *function_of(const tips_node *node) {
    const tips_pointwise *f = tips__pointwise;
    while (f->layer && f->layer != node->layer) f++;
    assert(f->layer);
    return f;
}

static tips_pointwise_numbers numbers_of(const tips_pointwise *f, const tips_node *node) {
    return f->numbers ? f->numbers(node->config) : (tips_pointwise_numbers){0};
}

bool tips__is_pointwise(const tips_layer *layer) {
    const tips_pointwise *f = tips__pointwise;
    while (f->layer && f->layer != layer) f++;
    return f->layer != NULL;
}

tips_pointwise_finish tips__pointwise_finish(const tips_node *node, bool gated, int channels) {
    if (!node) return (tips_pointwise_finish){0};
    const tips_pointwise *f = function_of(node);
    return (tips_pointwise_finish){f, numbers_of(f, node), channels, gated};
}

void tips__pointwise_row(float *row, int floats, int block, const void *with) {
    const tips_pointwise_finish *f = with;
    const vi mask = tips__lane_mask(f->channels, block);
    if (f->gated)
        f->function->gated_row(row, floats, mask, f->numbers);
    else
        f->function->forward_row(row, row, floats, mask, f->numbers);
}

tips_status tips__pointwise_shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

tips_status tips__pointwise_plan(tips_op *op, tips_plan *plan) {
    if (function_of(op->node)->by_output) plan->keep_out = 1;
    else plan->keep_in = 1;
    plan->in_place = 1;
    return TIPS_OK;
}

tips_status tips__pointwise_forward(tips_op *op) {
    const tips_pointwise *f = function_of(op->node);
    const tips_pointwise_numbers k = numbers_of(f, op->node);
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const vi mask = tips__lane_mask(dst->c, b);
        for (int y = 0; y < dst->h; y++)
            f->forward_row(tips__row(src, n, b, y), tips__row(dst, n, b, y), dst->w * TIPS_BLOCK, mask, k);
    }
    return TIPS_OK;
}

tips_status tips__pointwise_backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_pointwise *f = function_of(op->node);
    const tips_pointwise_numbers k = numbers_of(f, op->node);
    const tips_map *known = f->by_output ? &op->out[0].map : &op->in[0].map;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const bool accumulate = op->in[0].accumulate;
    TIPS_PARALLEL_PLANES (known, n, b) {
        const vi mask = tips__lane_mask(known->c, b);
        for (int y = 0; y < known->h; y++)
            f->backward_row(tips__row(known, n, b, y), tips__row(diff_dst, n, b, y), tips__row(diff_src, n, b, y),
                            known->w * TIPS_BLOCK, mask, k, accumulate);
    }
    return TIPS_OK;
}

tips_status tips__pointwise_ref(tips_ref_op *op) {
    const tips_pointwise *f = function_of(op->node);
    const tips_pointwise_numbers k = numbers_of(f, op->node);
    const tips_ref_slot *in = &op->in[0];
    const size_t count = (size_t)in->n * in->c * in->h * in->w;
    for (size_t i = 0; i < count; i++) op->out[0].data[i] = f->ref(in->data[i], k);
    return TIPS_OK;
}
