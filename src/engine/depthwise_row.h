/* One row of a depthwise convolution, from source rows that lie one behind the other, or in a ring of rows. A pixel's
 * sum is bias, residual, then one fused multiply-add after the other in the order of the weights. */
#ifndef TIPS_ENGINE_DEPTHWISE_ROW_H
#define TIPS_ENGINE_DEPTHWISE_ROW_H

#include "engine/direct_conv.h"

typedef struct depthwise_row {
    int kh, kw, sw, dw;
    int width;           /* pixels of the output */
    ptrdiff_t next_row;  /* floats from one kernel row to the next in the source */
    int wrap;            /* the kernel row before which the ring's beginning comes; kh or more: none */
    ptrdiff_t ring;      /* floats of the ring */
    const float *weights;
    vf bias, low, high;
    bool clips;
} depthwise_row;

/* What is the same for all rows of block `b`, without a ring. */
depthwise_row tips__depthwise_row_of(const tips_direct *conv, const float *weights, const tips_finish *finish, int b,
                                     int width, ptrdiff_t source_row);
/* src: the first tap of the first pixel. */
void tips__depthwise_row(const depthwise_row *row, const float *src, const float *residual, float *dst);

#endif
