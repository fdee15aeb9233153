/* The phases that layers are given: an index a * sw + b for each sample, as input 1; without it they are 0. */
#ifndef TIPS_LAYER_PHASES_H
#define TIPS_LAYER_PHASES_H

#include "layer/layer_common.h"

static inline tips_status tips__expect_stride(const tips_node *node, const int stride[2]) {
    if (stride[0] < 1 || stride[1] < 1)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a stride of %dx%d; at least 1x1 is needed", node->name, stride[0],
                  stride[1]);
    return TIPS_OK;
}

static inline int tips__phase_of(const tips_op *op, int n) { return op->n_in == 2 ? op->in[1].index[n] : 0; }

static inline tips_status tips__check_phases(const tips_op *op, const int stride[2]) {
    const int phases = stride[0] * stride[1];
    for (int n = 0; n < op->in[0].map.n; n++) {
        const int phase = tips__phase_of(op, n);
        if (phase < 0 || phase >= phases)
            TIPS_FAIL(TIPS_RANGE, "layer '%s': phase %d of sample %d is not in 0..%d", op->node->name, phase, n,
                      phases - 1);
    }
    return TIPS_OK;
}

#endif
