/* The configs of all layers and short builder calls for them. */
#ifndef TIPS_LAYER_LAYERS_H
#define TIPS_LAYER_LAYERS_H

#include "net/builder.h"

typedef struct tips_conv2d {
    int out;              /* output channels */
    int kernel[2];        /* kh, kw */
    int stride[2], dilation[2];
    int groups;
    tips_padding padding; /* all four may differ */
    bool bias;
    double gain;          /* of the Kaiming-normal initialisation (fan-in), sqrt(2) if 0 */
    bool no_decay;
} tips_conv2d;

typedef struct tips_batch_norm {
    double eps, momentum; /* 1e-5, 0.1 if 0 */
} tips_batch_norm;

typedef struct tips_lpf {
    int size;             /* 2..7 */
    tips_pad_mode mode;
    double gain;          /* 1 if 0; sh*sw after unpooling */
} tips_lpf;

typedef struct tips_pad_config {
    tips_padding padding;
} tips_pad_config;

typedef struct tips_dense_max {
    int kernel[2];
    tips_pad_mode mode;   /* zero padding stands for minus infinity, as everywhere in the field */
} tips_dense_max;

typedef struct tips_linear {
    int out;
    bool no_bias;
    double gain;
} tips_linear;

typedef struct tips_strided {
    int stride[2];
} tips_strided;           /* polyphase, unpool */

typedef struct tips_cross_entropy {
    double smoothing;
} tips_cross_entropy;

extern const tips_layer tips__layer_conv2d, tips__layer_batch_norm, tips__layer_relu, tips__layer_add,
    tips__layer_concat, tips__layer_linear, tips__layer_global_avg, tips__layer_dense_max, tips__layer_lpf,
    tips__layer_pad, tips__layer_polyphase, tips__layer_unpool, tips__layer_cross_entropy, tips__layer_mse;

/* "Same" padding of a kernel in a mode: (k-1)*dilation/2 before, the rest after. */
tips_padding tips__same_padding(tips_pad_mode mode, const int kernel[2], const int dilation[2]);

tips_value tips__conv2d(tips_graph *g, const char *name, tips_value x, tips_conv2d config);
/* The usual convolution: square kernel, stride 1, same padding, no bias. */
tips_value tips__conv_same(tips_graph *g, const char *name, tips_value x, int out, int kernel, tips_pad_mode mode);
tips_value tips__batch_norm(tips_graph *g, const char *name, tips_value x);
tips_value tips__relu(tips_graph *g, const char *name, tips_value x);
tips_value tips__add(tips_graph *g, const char *name, tips_value a, tips_value b);

#endif
