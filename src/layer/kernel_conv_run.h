/* What forward and backward of kernel_conv share. */
#ifndef TIPS_LAYER_KERNEL_CONV_RUN_H
#define TIPS_LAYER_KERNEL_CONV_RUN_H

#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/window.h"

enum { KERNEL_WEIGHT, KERNEL_BIAS };

/* The convolution inside, as its own layer sees it: without the bias, which comes behind the norm. */
typedef struct kernel_inner {
    tips_node node;
    tips_op op;
} kernel_inner;
void tips__kernel_inner(const tips_op *op, kernel_inner *out); /* `out` stays where it is: parts point at each other */

/* Kept from forward to backward, behind what the convolution keeps. */
typedef struct kernel_saved {
    float *mean, *rstd; /* (n, h', w'), of each window */
    float *sums;        /* (c' padded): of the weights of each output */
    uint16_t *dropped;  /* (n, c/B, h, w): a bit for each lane; NULL where nothing is drawn */
} kernel_saved;
kernel_saved tips__kernel_saved(const tips_op *op);
size_t tips__kernel_windows(const tips_op *op); /* n h' w' */
size_t tips__kernel_pixels(const tips_op *op);  /* n h w */

/* The windows along rows and columns of a map of h x w. */
void tips__kernel_axes(const tips_conv2d *c, int h, int w, tips_window axes[2]);
/* Elements of a window of a map with so many channels. */
double tips__kernel_elements(const tips_conv2d *c, int channels);

/* Whether a pass leaves out parts of the input. */
bool tips__kernel_drops(const tips_node *node, const tips_pass *pass);
/* Element c of pixel `pixel` (counted through all samples) is left out. */
bool tips__kernel_dropped(const tips_kernel_conv *c, tips_rng rng, int channels, size_t pixel, int channel);

/* The lanes of a pixel that statistics see, and what stays is scaled by. */
static inline vi tips__kernel_kept(const uint16_t *dropped) {
    vi mask;
    for (int l = 0; l < TIPS_BLOCK; l++) mask[l] = dropped && (*dropped >> l & 1) ? 0 : -1;
    return mask;
}
static inline float tips__kernel_gain(const tips_op *op) {
    const tips_kernel_conv *c = op->node->config;
    return tips__kernel_drops(op->node, &op->pass) ? (float)(1 / (1 - c->dropout)) : 1;
}

/* Fills in the means and deviations, and what is left out. Scratch: twice the pixels, in doubles. */
void tips__kernel_statistics(const tips_op *op, const kernel_saved *saved);

tips_status tips__kernel_conv_ref(tips_ref_op *op);
tips_status tips__kernel_conv_emit(tips_emitter *to, const tips_node *node);
tips_status tips__kernel_conv_backward(tips_op *op);
/* Bytes, with the convolution's own. */
size_t tips__kernel_backward_scratch(const tips_op *op, size_t inner);

#endif
