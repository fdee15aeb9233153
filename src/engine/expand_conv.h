/* A 1x1 convolution and the depthwise convolution that is its only reader, in one go: each thread makes the rows that a
 * row of the output needs in a ring that its cache keeps, and the map in between never is. The bits are those of one
 * convolution after the other. */
#ifndef TIPS_ENGINE_EXPAND_CONV_H
#define TIPS_ENGINE_EXPAND_CONV_H

#include "engine/direct_conv.h"

typedef struct tips_expand {
    const float *weights; /* of the 1x1 convolution, packed */
    tips_finish finish;   /* without a residual */
} tips_expand;

/* Whether it is worth it: a ring fits into a core's cache, and no row is made that is not read. */
bool tips__expand_pays(const tips_direct *depthwise, const tips_padding *border, int w, int channels);

/* Bytes for the rings of all threads; w: width of the map in between. */
size_t tips__expand_scratch(const tips_direct *depthwise, const tips_padding *border, int w, int channels);

/* weights, finish, border: of the depthwise convolution. */
void tips__expand_forward(const tips_expand *expand, const tips_map *src, const tips_direct *depthwise,
                          const tips_padding *border, const float *weights, const tips_finish *finish,
                          const tips_map *dst, void *scratch);

#endif
