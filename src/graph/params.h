/* The parameters of a graph: values, gradients and momentum, in the layouts the kernels want.
 * Several compiled nets (training and evaluation, other batch sizes) share one set. */
#ifndef TIPS_GRAPH_PARAMS_H
#define TIPS_GRAPH_PARAMS_H

#include "graph/builder.h"

typedef struct tips_params {
    const tips_graph *graph;
    int count;
    size_t *floats;    /* of each parameter, padding included */
    float **data;
    float **diff;      /* NULL entries where not trainable; all NULL until tips__params_for_training */
    float **momentum;
    bool *frozen;      /* (count) neither learned nor moved; NULL: none */
    uint64_t version;  /* raised by every change */
    size_t total_floats;
    float *data_arena, *diff_arena, *momentum_arena;
} tips_params;

/* Initialised from `seed`: a parameter's values depend on the seed and its name alone. */
tips_status tips__params_create(const tips_graph *graph, uint64_t seed, tips_params **out) TIPS_MUST_CHECK;
void tips__params_destroy(tips_params *params);
tips_status tips__params_for_training(tips_params *params) TIPS_MUST_CHECK;

/* Leaves a parameter as it is, in nets that are compiled from now on: it gets no gradient, and a norm whose running
 * statistics are frozen uses them whatever the pass wants. */
tips_status tips__params_freeze(tips_params *params, int id) TIPS_MUST_CHECK;
bool tips__param_is_frozen(const tips_params *params, int id);
/* The pass as a node takes part in it. */
tips_pass tips__node_pass(const tips_params *params, const tips_node *node, tips_pass pass);

/* The plain element count, and copies in plain (PyTorch's) order. */
size_t tips__param_elements(const tips_param_spec *spec);
void tips__param_get(const tips_params *params, int id, float *plain);
void tips__param_get_diff(const tips_params *params, int id, float *plain);
void tips__param_set(tips_params *params, int id, const float *plain);
/* Takes the values of the parameter of that name in `from`; *fits is false, and nothing is taken, if there is none or it
 * has another number of elements. */
tips_status tips__param_copy(const tips_params *from, tips_params *to, int id, bool *fits) TIPS_MUST_CHECK;
/* Get and set for the momentum of a trainable parameter. */
void tips__param_get_momentum(const tips_params *params, int id, float *plain);
void tips__param_set_momentum(tips_params *params, int id, const float *plain);
int tips__param_find(const tips_graph *graph, const char *name); /* -1 if there is none */

/* v = momentum * v + (g + decay * w);  w -= lr * v. */
typedef struct tips_sgd {
    double lr, momentum, weight_decay;
    bool spare_vectors; /* norms and biases do not decay */
} tips_sgd;
void tips__sgd_step(tips_params *params, const tips_sgd *sgd);

/* The Euclidean norm of all gradients together; the same bits with any number of threads. */
double tips__gradient_norm(const tips_params *params);
void tips__gradient_scale(tips_params *params, double factor);
/* The last parameter, in the order of the layers, with a gradient that is not finite; -1 if there is none. As
 * gradients run backwards, it belongs to the layer where the trouble began. */
int tips__gradient_broken(const tips_params *params);

#endif
