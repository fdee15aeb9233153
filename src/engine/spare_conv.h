/* Gradients of convolutions that oneDNN has nothing but its slow reference for: large kernels over few outputs,
 * depthwise kernels beyond 3x3, dilated ones. The same layouts and the same contract as in engine.h. */
#ifndef TIPS_ENGINE_SPARE_CONV_H
#define TIPS_ENGINE_SPARE_CONV_H

#include "engine/engine.h"

void tips__spare_backward_data(const tips_conv_shape *s, const float *diff_dst, const float *weights, float *diff_src);
void tips__spare_backward_weights(const tips_conv_shape *s, const float *src, const float *diff_dst,
                                  float *diff_weights);

#endif
