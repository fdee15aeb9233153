/* What forward and backward of batch_norm share. */
#ifndef TIPS_LAYER_BATCH_NORM_RUN_H
#define TIPS_LAYER_BATCH_NORM_RUN_H

#include "layer/layers.h"

enum { NORM_GAMMA, NORM_BETA, NORM_MEAN, NORM_VARIANCE };

/* Kept from forward to backward, one float per channel each: y = scale x + shift. */
typedef struct norm_saved {
    float *mean, *rstd, *scale, *shift;
} norm_saved;

static inline norm_saved tips__norm_saved(const tips_op *op) {
    const ptrdiff_t c = tips__padded(op->in[0].map.c);
    float *at = op->workspace;
    return (norm_saved){at, at + c, at + 2 * c, at + 3 * c};
}

/* Backward sums over the batch: where dx depends on it through the statistics, and for dgamma and dbeta. */
static inline bool tips__norm_sums(const tips_op *op) {
    return op->pass.batch_statistics || op->dparam[NORM_GAMMA] || op->dparam[NORM_BETA];
}

/* Backward reads x: for the sums, and where the ReLU's sign is not to be seen from y. */
static inline bool tips__norm_reads_input(const tips_op *op) {
    return tips__norm_sums(op) || (op->relu && op->residual < 0);
}

tips_status tips__norm_backward(tips_op *op);

#endif
