/* Gradients of convolutions on blocked maps by oneDNN (engine_dnnl.c; forward is ours, direct_conv.h, and so are
 * gradients of few channels, few_conv.h, and of what oneDNN is slow at, spare_conv.h), the layouts of weights, and
 * plain loops in double (engine_ref.c). Maps, weights, bias and scratch lie as core/memory.h aligns them, or whole
 * blocks further; plain tensors anywhere. */
#ifndef TIPS_ENGINE_ENGINE_H
#define TIPS_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <tips/status.h>

typedef enum tips_conv_kind { TIPS_CONV_BACKWARD_DATA, TIPS_CONV_BACKWARD_WEIGHTS } tips_conv_kind;

/* Dense blocked source and destination. Channels are multiples of B except that groups may be depthwise. */
typedef struct tips_conv_shape {
    int n, ic, ih, iw, oc, oh, ow, kh, kw, sh, sw, dh, dw;
    int groups;
    int top, left, bottom, right; /* zero padding */
    int used_ic, used_oc;         /* channels that are not padding of blocks; 0: not known */
} tips_conv_shape;

typedef struct tips_conv tips_conv;

tips_status tips__conv_create(tips_conv_kind kind, const tips_conv_shape *shape, tips_conv **out) TIPS_MUST_CHECK;
void tips__conv_destroy(tips_conv *conv);
size_t tips__conv_scratch(const tips_conv *conv); /* bytes the caller provides at each run */
/* Which kernel runs, e.g. "jit:avx2". */
const char *tips__conv_algorithm(const tips_conv *conv);

/* weights: transposed by tips__conv_weights_for_backward. */
tips_status tips__conv_backward_data(tips_conv *c, const float *diff_dst, const float *weights, float *diff_src,
                                     void *scratch) TIPS_MUST_CHECK;
tips_status tips__conv_backward_weights(tips_conv *c, const float *src, const float *diff_dst, float *diff_weights,
                                        void *scratch) TIPS_MUST_CHECK;

/* How a grouped convolution is run. */
typedef enum tips_group_plan {
    TIPS_GROUPS_DENSE,    /* one group; or small groups written as a block-diagonal dense kernel */
    TIPS_GROUPS_BLOCKED,  /* groups of whole channel blocks */
    TIPS_GROUPS_DEPTHWISE /* one channel a group */
} tips_group_plan;
tips_group_plan tips__group_plan(int ic, int oc, int groups);

/* Floats of a weight tensor (oc, ic/groups, kh, kw) in the engine's layout, and its conversions. */
size_t tips__conv_weight_floats(int oc, int ic, int kh, int kw, int groups);
void tips__conv_weights_pack(int oc, int ic, int kh, int kw, int groups, const float *plain, float *packed);
void tips__conv_weights_unpack(int oc, int ic, int kh, int kw, int groups, const float *packed, float *plain);
void tips__conv_weights_for_backward(int oc, int ic, int kh, int kw, int groups, const float *packed, float *out);
/* Zeroes what lies outside the blocks of a block-diagonal gradient. */
void tips__conv_weights_mask(int oc, int ic, int kh, int kw, int groups, float *packed);

/* The oracle: plain NCHW in double, any padding mode through an index rule. */
typedef struct tips_ref_conv {
    tips_conv_shape shape; /* channels not padded */
    int pad_mode;          /* tips_pad_mode */
} tips_ref_conv;
void tips__ref_conv_forward(const tips_ref_conv *c, const double *src, const double *weights, const double *bias,
                            double *dst);

#endif
