/* A pooling operator of the caller's own, for networks made with tips_network_options.custom_pool.
 *
 * The functions get the map of one image at a time as plain floats (channels, height, width) and are called from
 * several threads at once. They must give the same for the same x: the verifier and the gradients rely on it. */
#ifndef TIPS_CUSTOM_POOL_H
#define TIPS_CUSTOM_POOL_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tips_pool_call {
    int channels, height, width; /* of x; height and width are multiples of the stride */
    int stride[2];
    void *context;               /* the operator's */
} tips_pool_call;

typedef struct tips_custom_pool {
    const char *name;
    /* The phase at which x is sampled: a * stride[1] + b for row a and column b of each cell. The shortcut of the same
     * block follows it, so that branches fit together. Another number makes the run fail with TIPS_RANGE. NULL: the
     * operator chooses none, and phase is 0. */
    int (*choose)(const tips_pool_call *call, const float *x);
    /* y (channels, height / stride[0], width / stride[1]). */
    void (*forward)(const tips_pool_call *call, int phase, const float *x, float *y);
    /* dx (channels, height, width), which is zero before, from dy. NULL: such a network does not train. */
    void (*backward)(const tips_pool_call *call, int phase, const float *x, const float *dy, float *dx);
    void *context;
} tips_custom_pool;

#ifdef __cplusplus
}
#endif
#endif
