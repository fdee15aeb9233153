/* The two ways a convolution is run: by direct kernels, or by Winograd's algorithm; and the weights they take. */
#ifndef TIPS_LAYER_CONV2D_RUN_H
#define TIPS_LAYER_CONV2D_RUN_H

#include "engine/finish.h"
#include "layer/layers.h"
#include "layer/pointwise.h"

/* The options of a tips_conv2d, which layers that do more than a convolution have too. */
extern const tips_option tips__conv2d_rows[];

/* Winograd's: 3x3, stride 1, a border of one that is zero or circular, and enough channels to pay. */
bool tips__conv2d_is_fast(const tips_op *op);

/* From one pixel of the output to the next, in pixels of the input: the stride, times the grid that is kept. */
int tips__conv2d_step(const tips_op *op, int axis);

/* What the kernels compute with: the node's own parameters, or prepared ones that are kept from pass to pass. */
typedef struct conv2d_weights {
    const float *weights; /* packed; transformed where Winograd's algorithm runs without a backward pass */
    const float *bias;    /* or NULL */
} conv2d_weights;
size_t tips__conv2d_weights_bytes(const tips_op *op); /* of workspace */
conv2d_weights tips__conv2d_weights(tips_op *op);
/* Those of direct kernels, a norm folded in, where prepared ones are another algorithm's. */
void tips__conv2d_packed_weights(const tips_op *op, float *out);
/* All that a forward run takes, for an op whose buffers are bound. Stays where it is: parts point at each other. */
typedef struct conv2d_ready {
    conv2d_weights weights;
    tips_pointwise_finish function;
    tips_finish finish;
} conv2d_ready;
void tips__conv2d_prepare(tips_op *op, conv2d_ready *out);
/* Adds the sums of dy over samples and pixels. */
void tips__conv2d_bias_gradient(const tips_map *dy, float *db);
/* Floats of the packed weights. */
size_t tips__conv2d_packed_floats(const tips_op *op);

tips_status tips__conv2d_direct_plan(tips_op *op, tips_plan *plan);
tips_status tips__conv2d_direct_forward(tips_op *op, const float *weights, const tips_finish *finish);
tips_status tips__conv2d_direct_backward(tips_op *op);
void tips__conv2d_direct_release(tips_op *op);

tips_status tips__conv2d_fast_plan(tips_op *op, tips_plan *plan);
/* Floats of the transformed weights, and the transformation; scale: of each output channel, or NULL. */
size_t tips__conv2d_fast_floats(const tips_op *op);
void tips__conv2d_fast_weights(const tips_op *op, const float *scale, float *out);
tips_status tips__conv2d_fast_forward(tips_op *op, const float *weights, const tips_finish *finish);
tips_status tips__conv2d_fast_backward(tips_op *op);

/* A depthwise convolution that took the 1x1 convolution in front of it along (op->expand). */
tips_status tips__conv2d_pair_plan(tips_op *op, tips_plan *plan);
tips_status tips__conv2d_pair_forward(tips_op *op);

#endif
