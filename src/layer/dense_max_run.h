/* What the passes of the dense maximum share. */
#ifndef TIPS_LAYER_DENSE_MAX_RUN_H
#define TIPS_LAYER_DENSE_MAX_RUN_H

#include "layer/layer_common.h"
#include "layer/layers.h"
#include "tensor/largest.h"
#include "tensor/pad.h"

enum { DENSE_MAX_KERNEL = 16 /* the largest window's side */ };
_Static_assert(DENSE_MAX_KERNEL * DENSE_MAX_KERNEL - 1 <= UINT8_MAX, "a place in a window fits into a byte");

static inline tips_padding dense_max_padding(const tips_op *op) {
    const tips_dense_max *config = op->node->config;
    return tips__same_padding(config->mode, config->kernel, (const int[2]){1, 1});
}

/* Where the maxima of one row of outputs lie in their windows. */
static inline uint8_t *dense_max_places(const tips_op *op, int n, int b, int y) {
    const tips_map *dst = &op->out[0].map;
    return (uint8_t *)op->workspace + (((size_t)n * dst->blocks + b) * dst->h + y) * (size_t)dst->w * TIPS_BLOCK;
}

size_t tips__dense_max_scratch(const tips_map *map, const int kernel[2]);
tips_status tips__dense_max_backward(tips_op *op);

#endif
