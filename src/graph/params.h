/* The parameters of a graph: values, gradients and what an optimiser keeps, in the layouts the kernels want.
 * Several compiled nets (training and evaluation, other batch sizes) share one set. */
#ifndef TIPS_GRAPH_PARAMS_H
#define TIPS_GRAPH_PARAMS_H

#include "graph/builder.h"

enum { TIPS_PARAM_STATES = 4 };

typedef struct tips_params {
    const tips_graph *graph;
    int count;
    size_t *floats; /* of each parameter, padding included */
    float **data;
    float **diff;     /* NULL entries where not trainable; all NULL until tips__params_for_training */
    bool *frozen;     /* (count) neither learned nor moved; NULL: none */
    uint64_t version; /* raised by every change */
    size_t total_floats;
    float *data_arena, *diff_arena;
    int n_states;                              /* kinds of vectors kept beside trainable parameters */
    const char *state_name[TIPS_PARAM_STATES]; /* "momentum" */
    float *state_arena[TIPS_PARAM_STATES];     /* (total_floats) each */
} tips_params;

/* Initialised from `seed`: a parameter's values depend on the seed and its name alone. */
tips_status tips__params_create(const tips_graph *graph, uint64_t seed, tips_params **out) TIPS_MUST_CHECK;
/* For those who set every parameter before they use one: nothing is drawn, and the values are undefined till then. */
tips_status tips__params_create_unset(const tips_graph *graph, tips_params **out) TIPS_MUST_CHECK;
void tips__params_destroy(tips_params *params);
/* Makes them the parameters of another graph, if it has the same ones in the same order and layouts; else false. */
bool tips__params_move(tips_params *params, const tips_graph *to);
/* Room for gradients. */
tips_status tips__params_for_training(tips_params *params) TIPS_MUST_CHECK;
/* Room for vectors of these names (closed by NULL, borrowed) beside every trainable parameter, zero at first. Those
 * that are there already stay as they are, those of other names go. */
tips_status tips__params_keep(tips_params *params, const char *const *names) TIPS_MUST_CHECK;

/* Leaves a parameter as it is, in nets that are compiled from now on: it gets no gradient, and a norm whose running
 * statistics are frozen uses them whatever the pass wants. */
tips_status tips__params_freeze(tips_params *params, int id) TIPS_MUST_CHECK;
bool tips__param_is_frozen(const tips_params *params, int id);
/* The pass as a node takes part in it. */
tips_pass tips__node_pass(const tips_params *params, const tips_node *node, tips_pass pass);
/* Whether steps change a parameter: it has a gradient and is not frozen. */
bool tips__param_learns(const tips_params *params, int id);

/* The plain element count, and copies in plain (PyTorch's) order. */
size_t tips__param_elements(const tips_param_spec *spec);
void tips__param_get(const tips_params *params, int id, float *plain);
void tips__param_get_diff(const tips_params *params, int id, float *plain);
void tips__param_set(tips_params *params, int id, const float *plain);
/* The same for numbers from elsewhere: fails with TIPS_NUMERIC, the parameter and the index if one is not finite. */
tips_status tips__param_take(tips_params *params, int id, const float *plain) TIPS_MUST_CHECK;
/* Takes the values of the parameter of that name in `from`; *fits is false, and nothing is taken, if there is none or
 * it has another number of elements. */
tips_status tips__param_copy(const tips_params *from, tips_params *to, int id, bool *fits) TIPS_MUST_CHECK;
/* A kept vector of a parameter, in its layout: NULL if that is not trainable. `state` counts the names. */
float *tips__param_state(const tips_params *params, int state, int id);
/* The same in plain order, of a trainable parameter. */
void tips__param_get_state(const tips_params *params, int state, int id, float *plain);
void tips__param_set_state(tips_params *params, int state, int id, const float *plain);
int tips__param_find(const tips_graph *graph, const char *name); /* -1 if there is none */

#endif
