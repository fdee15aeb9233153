/* Convolutions for shapes that oneDNN has nothing but its slow reference for: large kernels over few outputs, gradients
 * of depthwise kernels beyond 3x3, dilated ones. The same layouts and the same contract as in engine.h. */
#ifndef TIPS_ENGINE_SPARE_CONV_H
#define TIPS_ENGINE_SPARE_CONV_H

#include "engine/engine.h"

void tips__spare_forward(const tips_conv_shape *s, tips_conv_fused fused, const float *src, const float *weights,
                         const float *bias, float *dst);
void tips__spare_backward_data(const tips_conv_shape *s, const float *diff_dst, const float *weights, float *diff_src);
void tips__spare_backward_weights(const tips_conv_shape *s, const float *src, const float *diff_dst,
                                  float *diff_weights);

#endif
