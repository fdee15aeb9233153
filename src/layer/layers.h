/* The configs of all layers and short builder calls for them. */
#ifndef TIPS_LAYER_LAYERS_H
#define TIPS_LAYER_LAYERS_H

#include "graph/builder.h"

/* How the parameters of a convolution are called and shaped in files. A linear layer for each pixel is a 1x1
 * convolution, and what PyTorch saves of one has a matrix. */
typedef enum tips_conv_names {
    TIPS_NAMES_CONV,      /* weight (o, c, kh, kw), bias */
    TIPS_NAMES_LINEAR,    /* weight (o, c), bias; 1x1, one group */
    TIPS_NAMES_ATTENTION  /* in_proj_weight (o, c), in_proj_bias; 1x1, one group */
} tips_conv_names;

typedef struct tips_conv2d {
    int out;              /* output channels */
    int kernel[2];        /* kh, kw */
    int stride[2], dilation[2];
    int groups;
    tips_padding padding; /* all four may differ */
    bool bias;
    double gain;          /* of the Kaiming-normal initialisation (fan-in), sqrt(2) if 0 */
    double deviation;     /* of the initialisation instead; 0: by the gain */
    double bias_start;    /* what the bias is at first */
    bool no_decay;
    int names;            /* tips_conv_names of its parameters; architectures set it */
} tips_conv2d;

typedef struct tips_batch_norm {
    double eps, momentum; /* 1e-5, 0.1 if 0 */
    bool frozen;          /* as it is, in training too */
} tips_batch_norm;

typedef struct tips_group_norm {
    int groups;           /* must divide the channels */
    double eps;           /* 1e-5 if 0 */
    bool affine;          /* a weight and a bias for each channel */
} tips_group_norm;

/* A convolution whose windows, all channels of them, are brought to mean 0 and variance 1 before. */
typedef struct tips_kernel_conv {
    tips_conv2d conv;     /* comes first: what runs convolutions takes this one for one of them */
    double eps;           /* 1e-5 if 0 */
    double dropout;       /* part of the input that is left out of the statistics where a pass samples */
} tips_kernel_conv;

/* A transposed convolution. The padding is what is cut off the output; a circular one makes that `stride` times as
 * large as the input, and what reaches over an end comes in at the other. */
typedef struct tips_conv_transpose {
    tips_conv2d conv;     /* `out`, kernel, stride, dilation, groups, padding (zero or circular), bias */
    int more[2];          /* rows and columns more at the end, where the padding is zero */
} tips_conv_transpose;

typedef struct tips_lpf {
    int size;             /* 2..7 */
    tips_pad_mode mode;
    double gain;          /* 1 if 0; sh*sw after unpooling */
} tips_lpf;

typedef struct tips_pad_config {
    tips_padding padding;
    double value;         /* beyond the border where the mode is zero */
    bool extends;         /* up to a multiple of a stride: another size needs another border */
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

/* Two choices of phase as one: cells of `inner` cells of `outer` pixels. */
typedef struct tips_join_phases {
    int outer[2], inner[2];
} tips_join_phases;

/* linear: cells lie in the middle of their pixels; corner: on the first of them. */
typedef enum tips_upsample_mode {
    TIPS_UPSAMPLE_NEAREST,
    TIPS_UPSAMPLE_LINEAR,
    TIPS_UPSAMPLE_CORNER
} tips_upsample_mode;

typedef struct tips_upsample {
    int stride[2];
    int mode;             /* tips_upsample_mode */
    bool edge;            /* beyond the ends lie the first and the last cell, and not those of the other end */
} tips_upsample;

/* Of networks that come from elsewhere. Fields say what ONNX says. */
typedef struct tips_clip {
    double min, max;
} tips_clip;

typedef struct tips_leaky_relu {
    double alpha;
} tips_leaky_relu;

typedef struct tips_prelu {
    bool shared;          /* one slope ("weight") for all channels instead of one each */
} tips_prelu;

typedef struct tips_hard_sigmoid {
    double alpha, beta;   /* max(0, min(1, alpha x + beta)) */
} tips_hard_sigmoid;

typedef struct tips_elu {
    double alpha;         /* alpha (exp(x) - 1) below zero */
} tips_elu;

typedef enum tips_combine_op {
    TIPS_COMBINE_ADD,
    TIPS_COMBINE_SUB,
    TIPS_COMBINE_MUL,
    TIPS_COMBINE_DIV,
    TIPS_COMBINE_MAX
} tips_combine_op;

typedef struct tips_combine {
    int op;               /* tips_combine_op of two maps; one with extent 1 (c, h or w) is spread over the other */
} tips_combine;

typedef struct tips_affine {
    bool trainable;       /* y = weight[c] x + bias[c]; constants of a graph are not trained */
} tips_affine;

typedef struct tips_max_pool {
    int kernel[2], stride[2], dilation[2];
    tips_padding padding; /* zero stands for minus infinity */
    bool ceil;            /* a last window may hang over the edge */
} tips_max_pool;

typedef struct tips_avg_pool {
    int kernel[2], stride[2];
    tips_padding padding;
    bool ceil, count_pad; /* count_pad: padded pixels count in the mean */
} tips_avg_pool;

enum { TIPS_MOST_ADAPTIVE = 64 };

typedef struct tips_adaptive_avg {
    int size[2]; /* rows and columns of means */
} tips_adaptive_avg;

typedef enum tips_axis { TIPS_AXIS_C, TIPS_AXIS_H, TIPS_AXIS_W } tips_axis;

typedef struct tips_slice {
    int axis;             /* tips_axis */
    int start, stop, step; /* as in Python; stop INT_MAX: to the end; negative ends count from it; step >= 1 */
} tips_slice;

typedef struct tips_reshape {
    int c, h, w;          /* in the plain order c, h, w; all 0: flatten to (c h w, 1, 1) */
} tips_reshape;

typedef struct tips_shuffle {
    int groups;           /* channels (groups, c / groups) are transposed */
} tips_shuffle;

enum { TIPS_PERMUTE_MOST = 7 };
typedef struct tips_permute {
    int dims[TIPS_PERMUTE_MOST]; /* extents of the input's axes in the plain order c, h, w; 0: no more */
    int order;            /* the axes of the output, counted from 1, a decimal digit each */
    int c, h, w;          /* of the output */
} tips_permute;

typedef struct tips_matmul_config {
    bool turned;          /* the channels of the second map are summed over, not its columns */
} tips_matmul_config;

typedef struct tips_constant {
    int c, h, w;
    bool trainable;
} tips_constant;

typedef struct tips_pad_channels {
    int before, after;    /* channels of `value` */
    double value;
} tips_pad_channels;

typedef struct tips_lrn {
    int size;
    double alpha, beta, bias;
} tips_lrn;

typedef enum tips_resize_mode { TIPS_RESIZE_NEAREST, TIPS_RESIZE_LINEAR } tips_resize_mode;
typedef enum tips_resize_grid {
    TIPS_GRID_HALF_PIXEL,
    TIPS_GRID_PYTORCH_HALF_PIXEL,
    TIPS_GRID_ALIGN_CORNERS,
    TIPS_GRID_ASYMMETRIC
} tips_resize_grid;
typedef enum tips_resize_round {
    TIPS_ROUND_PREFER_FLOOR,
    TIPS_ROUND_PREFER_CEIL,
    TIPS_ROUND_FLOOR,
    TIPS_ROUND_CEIL
} tips_resize_round;

typedef struct tips_resize {
    int mode, grid, round; /* tips_resize_mode, _grid, _round */
    double scale_h, scale_w; /* used where `size` is 0: floor(h * scale) */
    int size[2];
} tips_resize;

/* Of transformers, whose tokens are pixels. */
typedef struct tips_layer_norm {
    double eps;           /* 1e-5 if 0 */
} tips_layer_norm;

typedef struct tips_attention {
    int heads;
    int window;           /* height and width of windows; 0: all tokens */
    int shift;            /* of the windows, down and right, around the torus */
    bool masked;          /* neighbours around the torus only do not see each other */
    bool bias;            /* relative position bias, of windows only */
} tips_attention;

typedef struct tips_position_embedding {
    int extra;            /* tokens without a pixel that come first; the map becomes a row */
} tips_position_embedding;

typedef struct tips_patches {
    int size[2];
    bool dense;           /* a patch for every pixel */
} tips_patches;

typedef struct tips_cross_entropy {
    double smoothing;
} tips_cross_entropy;

typedef struct tips_pixel_cross_entropy {
    int ignore;           /* pixels with this label do not count */
} tips_pixel_cross_entropy;

typedef struct tips_dice {
    int ignore;           /* as above */
    double smooth;        /* added to both parts of the quotient: what no pixel has does not count */
} tips_dice;

typedef struct tips_distill {
    double temperature;
} tips_distill;

typedef struct tips_contrast {
    double temperature;
} tips_contrast;

typedef struct tips_dropout {
    double p; /* 0.5 */
} tips_dropout; /* dropout, drop_path */

extern const tips_layer tips__layer_conv2d, tips__layer_batch_norm, tips__layer_relu, tips__layer_add,
    tips__layer_concat, tips__layer_linear, tips__layer_global_avg, tips__layer_dense_max, tips__layer_lpf,
    tips__layer_pad, tips__layer_polyphase, tips__layer_unpool, tips__layer_cross_entropy, tips__layer_mse,
    tips__layer_distill;
extern const tips_layer tips__layer_clip, tips__layer_leaky_relu, tips__layer_prelu, tips__layer_sigmoid,
    tips__layer_hard_sigmoid, tips__layer_hard_swish, tips__layer_tanh, tips__layer_gelu, tips__layer_combine,
    tips__layer_affine, tips__layer_softmax, tips__layer_log_softmax, tips__layer_lrn;
extern const tips_layer tips__layer_max_pool, tips__layer_avg_pool, tips__layer_adaptive_avg, tips__layer_slice,
    tips__layer_reshape, tips__layer_shuffle, tips__layer_pad_channels, tips__layer_resize, tips__layer_anchor;
extern const tips_layer tips__layer_silu, tips__layer_dropout, tips__layer_drop_path;
extern const tips_layer tips__layer_group_norm, tips__layer_kernel_conv;
extern const tips_layer tips__layer_layer_norm, tips__layer_attention, tips__layer_position_embedding,
    tips__layer_class_token, tips__layer_roll, tips__layer_patches;
extern const tips_layer tips__layer_upsample, tips__layer_pixel_cross_entropy, tips__layer_dice;
extern const tips_layer tips__layer_conv_transpose, tips__layer_join_phases;

extern const tips_layer tips__layer_permute, tips__layer_matmul, tips__layer_constant;
extern const tips_layer tips__layer_elu, tips__layer_softplus, tips__layer_erf, tips__layer_gelu_tanh;
extern const tips_layer tips__layer_unit, tips__layer_contrast;

/* "Same" padding of a kernel in a mode: (k-1)*dilation/2 before, the rest after. */
tips_padding tips__same_padding(tips_pad_mode mode, const int kernel[2], const int dilation[2]);

tips_value tips__conv2d(tips_graph *g, const char *name, tips_value x, tips_conv2d config);
tips_value tips__kernel_conv(tips_graph *g, const char *name, tips_value x, tips_kernel_conv config);
/* The usual convolution: square kernel, stride 1, same padding, no bias. */
tips_conv2d tips__same_conv(int out, int kernel, tips_pad_mode mode);
tips_value tips__conv_same(tips_graph *g, const char *name, tips_value x, int out, int kernel, tips_pad_mode mode);
tips_value tips__batch_norm(tips_graph *g, const char *name, tips_value x);
tips_value tips__relu(tips_graph *g, const char *name, tips_value x);
tips_value tips__add(tips_graph *g, const char *name, tips_value a, tips_value b);

#endif
