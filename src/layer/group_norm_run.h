/* What forward and backward of group_norm share. */
#ifndef TIPS_LAYER_GROUP_NORM_RUN_H
#define TIPS_LAYER_GROUP_NORM_RUN_H

#include "layer/layer_common.h"
#include "layer/layers.h"

enum { GROUP_GAMMA, GROUP_BETA };

/* Kept from forward to backward, (n, c padded) each: the statistics of the group that a channel belongs to; zero for
 * channels that do not exist. */
typedef struct group_saved {
    float *mean, *rstd;
} group_saved;

static inline group_saved tips__group_saved(const tips_op *op) {
    const tips_map *x = &op->in[0].map;
    float *at = op->workspace;
    return (group_saved){at, at + (ptrdiff_t)x->n * tips__padded(x->c)};
}

/* Where the numbers of a block of a sample begin, in arrays of (n, c padded). */
static inline ptrdiff_t tips__group_at(const tips_map *x, int n, int b) {
    return ((ptrdiff_t)n * x->blocks + b) * TIPS_BLOCK;
}

/* One where the layer has no weights; zero for channels that do not exist. */
static inline vf tips__group_gamma(const tips_op *op, int b) {
    if (op->node->n_params > 0) return vf_load(op->param[GROUP_GAMMA] + (ptrdiff_t)b * TIPS_BLOCK);
    return tips__masked(vf_set(1), tips__lane_mask(op->in[0].map.c, b));
}

tips_status tips__group_norm_backward(tips_op *op);

#endif
