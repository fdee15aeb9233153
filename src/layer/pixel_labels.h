/* Logits (c, h, w) and a map of labels (1, h, w), one for each pixel: what losses of segmentation read. */
#ifndef TIPS_LAYER_PIXEL_LABELS_H
#define TIPS_LAYER_PIXEL_LABELS_H

#include "layer/layer_common.h"

static inline tips_status tips__expect_pixel_labels(const tips_graph *graph, const tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info logits = tips__in_info(graph, node, 0), labels = tips__in_info(graph, node, 1);
    if (labels.kind != TIPS_INDEX || labels.c != 1 || labels.h != logits.h || labels.w != logits.w ||
        labels.per_sample != logits.per_sample)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': input 1 of %s must be an index of 1x%dx%d, a label for each pixel",
                  node->name, node->layer->name, logits.h, logits.w);
    return TIPS_OK;
}

#ifdef TIPS_BLOCK
static inline const int32_t *tips__row_labels(const tips_op *op, int n, int y) {
    const tips_map *logits = &op->in[0].map;
    return op->in[1].index + ((size_t)n * (size_t)logits->h + (size_t)y) * (size_t)logits->w;
}

static inline tips_status tips__check_pixel_labels(const tips_op *op, int ignore) {
    const tips_map *logits = &op->in[0].map;
    const size_t count = (size_t)logits->n * (size_t)logits->h * (size_t)logits->w;
    for (size_t i = 0; i < count; i++) {
        const int label = op->in[1].index[i];
        if ((label < 0 || label >= logits->c) && label != ignore)
            TIPS_FAIL(TIPS_RANGE, "layer '%s': label %d of a pixel of sample %d is not in 0..%d, nor %d, the ignored",
                      op->node->name, label, (int)(i / ((size_t)logits->h * (size_t)logits->w)), logits->c - 1, ignore);
    }
    return TIPS_OK;
}
#endif

#endif
