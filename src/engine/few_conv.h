/* Gradients of convolutions whose channels fill half a block or less on one side: pictures at the input, masks at the
 * output, narrow networks. Whole blocks are mostly padding there, and what lies in them is read channel by channel
 * instead. The same layouts and the same contract as in engine.h. */
#ifndef TIPS_ENGINE_FEW_CONV_H
#define TIPS_ENGINE_FEW_CONV_H

#include "engine/engine.h"

bool tips__few_pays(tips_conv_kind kind, const tips_conv_shape *s);
size_t tips__few_scratch(tips_conv_kind kind, const tips_conv_shape *s); /* bytes */

void tips__few_backward_data(const tips_conv_shape *s, const float *diff_dst, const float *weights, float *diff_src,
                             void *scratch);
void tips__few_backward_weights(const tips_conv_shape *s, const float *src, const float *diff_dst, float *diff_weights,
                                void *scratch);

#endif
