/* Layers that map every element by itself: y = f(x). One engine for all of them, one row of a table each. */
#ifndef TIPS_LAYER_POINTWISE_H
#define TIPS_LAYER_POINTWISE_H

#include "layer/layer_common.h"

/* What a function takes from the config: alpha and beta, or min and max. */
typedef struct tips_pointwise_numbers {
    double a, b;
} tips_pointwise_numbers;

/* Rows are `count` floats long, whole vectors. Lanes outside `mask` become zero: f(0) need not be. */
typedef struct tips_pointwise {
    const tips_layer *layer;
    bool by_output;                                        /* backward_row reads y instead of x */
    tips_pointwise_numbers (*numbers)(const void *config); /* NULL: none */
    void (*forward_row)(const float *x, float *y, int count, vi mask, tips_pointwise_numbers k);
    void (*gated_row)(float *x, int count, vi mask, tips_pointwise_numbers k); /* x f(x), in place; NULL: not used */
    void (*backward_row)(const float *known, const float *dy, float *dx, int count, vi mask, tips_pointwise_numbers k,
                         bool accumulate);
    double (*ref)(double x, tips_pointwise_numbers k);
} tips_pointwise;

/* The functions, in pointwise_functions.c; closed by a row without a layer. */
extern const tips_pointwise tips__pointwise[];

/* One of them behind a convolution: f(x), or x f(x) where it is gated (the sigmoid). */
typedef struct tips_pointwise_finish {
    const tips_pointwise *function; /* NULL: none */
    tips_pointwise_numbers numbers;
    int channels;
    bool gated;
} tips_pointwise_finish;

bool tips__is_pointwise(const tips_layer *layer);
tips_pointwise_finish tips__pointwise_finish(const tips_node *node, bool gated, int channels);
/* A tips_row_function (engine/finish.h) with a tips_pointwise_finish. */
void tips__pointwise_row(float *row, int floats, int block, const void *with);

tips_status tips__pointwise_shape(tips_graph *graph, tips_node *node);
tips_status tips__pointwise_plan(tips_op *op, tips_plan *plan);
tips_status tips__pointwise_forward(tips_op *op);
tips_status tips__pointwise_backward(tips_op *op);
tips_status tips__pointwise_ref(tips_ref_op *op);

tips_status tips__clip_emit(tips_emitter *to, const tips_node *node);
tips_status tips__leaky_relu_emit(tips_emitter *to, const tips_node *node);
tips_status tips__sigmoid_emit(tips_emitter *to, const tips_node *node);
tips_status tips__hard_sigmoid_emit(tips_emitter *to, const tips_node *node);
tips_status tips__hard_swish_emit(tips_emitter *to, const tips_node *node);
tips_status tips__silu_emit(tips_emitter *to, const tips_node *node);
tips_status tips__tanh_emit(tips_emitter *to, const tips_node *node);
tips_status tips__gelu_emit(tips_emitter *to, const tips_node *node);
tips_status tips__gelu_tanh_emit(tips_emitter *to, const tips_node *node);
tips_status tips__erf_emit(tips_emitter *to, const tips_node *node);
tips_status tips__elu_emit(tips_emitter *to, const tips_node *node);
tips_status tips__softplus_emit(tips_emitter *to, const tips_node *node);

#endif
