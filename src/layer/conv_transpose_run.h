/* How a transposed convolution is run: as stride x stride plain ones, each of which makes one pixel of every cell. */
#ifndef TIPS_LAYER_CONV_TRANSPOSE_RUN_H
#define TIPS_LAYER_CONV_TRANSPOSE_RUN_H

#include "layer/layers.h"

/* The output's height (axis 0) or width (axis 1). */
int tips__conv_transpose_extent(const tips_conv_transpose *config, int in, int axis);

/* The pixels of an axis whose number leaves `rest` when divided by the stride: pixel s m + rest is the sum over taps k
 * of weight[first - k * step] * x[m + offset + k * spread]. */
typedef struct conv_transpose_part {
    int taps, first, step;
    int offset, spread;
    int pixels;
} conv_transpose_part;
conv_transpose_part tips__conv_transpose_part(const tips_conv_transpose *config, int in, int axis, int rest);

tips_status tips__conv_transpose_plan(tips_op *op, tips_plan *plan);
tips_status tips__conv_transpose_forward(tips_op *op);
tips_status tips__conv_transpose_backward(tips_op *op);
void tips__conv_transpose_release(tips_op *op);

#endif
