/* The two ways a convolution is run: by the engine's direct kernels, or by Winograd's algorithm. */
#ifndef TIPS_LAYER_CONV2D_RUN_H
#define TIPS_LAYER_CONV2D_RUN_H

#include "layer/layers.h"

/* Winograd's: 3x3, stride 1, a border of one that is zero or circular, and enough channels to pay. */
bool tips__conv2d_is_fast(const tips_op *op);

/* The border the direct kernels want in the source's buffer; false: none. */
bool tips__conv2d_halo(const tips_conv2d *config, tips_padding *halo);

tips_status tips__conv2d_direct_plan(tips_op *op, tips_plan *plan);
tips_status tips__conv2d_direct_forward(tips_op *op, const float *weights, const float *bias);
tips_status tips__conv2d_direct_backward(tips_op *op);
void tips__conv2d_direct_release(tips_op *op);

tips_status tips__conv2d_fast_plan(tips_op *op, tips_plan *plan);
tips_status tips__conv2d_fast_forward(tips_op *op, const float *weights, const float *bias);
tips_status tips__conv2d_fast_backward(tips_op *op);

/* Floats of the packed weights. */
size_t tips__conv2d_packed_floats(const tips_op *op);

#endif
