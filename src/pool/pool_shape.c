/* The shape rule and the answers most operators share. */
#include "core/fail.h"
#include "pool/pool_parts.h"

void tips__pool_out_map(tips_graph *graph, tips_node *node, int c, int h, int w) {
    const int per_sample = tips__value(graph, node->in[0])->per_sample;
    tips__node_out(graph, node, (tips_value_info){.kind = TIPS_MAP, .c = c, .h = h, .w = w, .per_sample = per_sample,
                                                  .producer = node->id});
}

void tips__pool_out_phase(tips_graph *graph, tips_node *node) {
    const int per_sample = tips__value(graph, node->in[0])->per_sample;
    tips__node_out(graph, node, (tips_value_info){.kind = TIPS_INDEX, .c = 1, .h = 1, .w = 1, .per_sample = per_sample,
                                                  .producer = node->id});
}

/* A choice that is followed is one phase for each map. */
static tips_status check_shared(const tips_graph *graph, const tips_node *node, const tips_value_info *x) {
    if (!tips__pool_common(node)->shared) return TIPS_OK;
    const tips_value_info *phase = node->n_in > 1 ? tips__value(graph, node->in[1]) : NULL;
    if (!phase || !tips__is_number(phase) || phase->per_sample != x->per_sample)
        TIPS_FAIL(TIPS_SHAPE, "%s: %s follows one phase for each map, given as input 1", node->name, node->layer->name);
    return TIPS_OK;
}

tips_status tips__pool_shape(tips_graph *graph, tips_node *node) {
    const tips_value_info *x = tips__value(graph, node->in[0]);
    const int *stride = tips__pool_common(node)->stride;
    if (x->kind != TIPS_MAP) TIPS_FAIL(TIPS_SHAPE, "%s: %s pools maps only", node->name, node->layer->name);
    if (stride[0] < 1 || stride[1] < 1 || stride[0] > TIPS_MAX_STRIDE || stride[1] > TIPS_MAX_STRIDE)
        TIPS_FAIL(TIPS_RANGE, "%s: stride %dx%d", node->name, stride[0], stride[1]);
    if (x->h % stride[0] || x->w % stride[1])
        TIPS_FAIL(TIPS_SHAPE, "%s: a map of %dx%d is not divisible by the stride %dx%d", node->name, x->h, x->w,
                  stride[0], stride[1]);
    TIPS_TRY(check_shared(graph, node, x));
    tips__pool_out_map(graph, node, x->c, x->h / stride[0], x->w / stride[1]);
    return TIPS_OK;
}

bool tips__pool_strides(const tips_node *node, int stride[2]) {
    const tips_pool_common *common = tips__pool_common(node);
    stride[0] = common->stride[0];
    stride[1] = common->stride[1];
    return tips__pool_phases(common) > 1;
}

const char *tips__pool_fixed_grid(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    return tips__pool_phases(tips__pool_common(node)) > 1 ? "fixed grid" : NULL;
}
