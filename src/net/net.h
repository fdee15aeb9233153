/* A compiled graph: for one batch size and one pass, with every buffer planned in one arena. */
#ifndef TIPS_NET_NET_H
#define TIPS_NET_NET_H

#include <tips/losses.h>

#include "graph/params.h"

typedef struct tips_net tips_net;

typedef struct tips_net_options {
    int n;           /* samples */
    tips_pass pass;  /* what a step does; evaluation if nothing is said */
    bool keep_all;   /* every value stays readable after forward; nothing is fused */
    bool no_replay;  /* keep what backward could recompute, and every gradient apart: more memory, to compare */
    bool output_gradients; /* backward also starts from outputs: see tips__net_set_output_gradient */
    tips_algorithm algorithm;
    uint64_t seed;   /* of sampling operators */
} tips_net_options;

/* `graph` and `params` must outlive the net. Gradients of parameters need tips__params_for_training. */
tips_status tips__net_compile(const tips_graph *graph, tips_params *params, const tips_net_options *options,
                              tips_net **out) TIPS_MUST_CHECK;
void tips__net_destroy(tips_net *net);

/* Inputs: plain NCHW floats, or whole numbers, of all samples. Those that only losses read (labels) need not be set in
 * a pass without losses. */
tips_status tips__net_set_map(tips_net *net, tips_value value, const float *nchw) TIPS_MUST_CHECK;
tips_status tips__net_set_index(tips_net *net, tips_value value, const int32_t *index) TIPS_MUST_CHECK;

/* Without gradients and statistics of the batch it fails with TIPS_NUMERIC, and the first layer to blame, if an output
 * or a value on the way to it is not a finite number. */
tips_status tips__net_forward(tips_net *net) TIPS_MUST_CHECK;
/* Switched on, forward looks at everything it reads and makes, and fails with TIPS_NUMERIC and the name of the first
 * layer with a value that is not finite. Slow: for finding out why a loss was not. */
void tips__net_check(tips_net *net, bool on);
/* The gradients that the pass wants: of the parameters into params->diff, of the inputs for the call below. They are
 * those of the total loss, and of outputs that a gradient was set for. */
tips_status tips__net_backward(tips_net *net) TIPS_MUST_CHECK;
/* Between forward and backward: the gradient that arrives at an output, zero if not set. */
tips_status tips__net_set_output_gradient(tips_net *net, tips_value value, const float *nchw) TIPS_MUST_CHECK;
/* After backward: the gradient of a map that comes in. */
tips_status tips__net_get_input_gradient(const tips_net *net, tips_value value, float *nchw) TIPS_MUST_CHECK;

/* Valid after forward for outputs of the graph, and for every value with keep_all. */
tips_status tips__net_get_map(const tips_net *net, tips_value value, float *nchw) TIPS_MUST_CHECK;
tips_map tips__net_map(const tips_net *net, tips_value value);
const int32_t *tips__net_index(const tips_net *net, tips_value value); /* plain NCHW */
/* Smallest relative margin of the phase chosen by node `id` for each sample, NULL if it chooses none. keep_all only. */
const float *tips__net_margin(const tips_net *net, int node);
/* total = task * sum of the graph's losses + undo * mean L_undo + fm * mean L_FM. Without operators that carry
 * losses the task counts fully, whatever its weight. */
typedef struct tips_loss_weights {
    double task, undo, fm;
} tips_loss_weights;
void tips__net_set_weights(tips_net *net, tips_loss_weights weights);
/* Whether each layer's L_undo counts as a share of the mean square of the maps that it compares, and not as it is. */
void tips__net_set_relative_undo(tips_net *net, bool relative);

tips_losses tips__net_losses(const tips_net *net); /* of the last forward; 0 in a pass without losses */
bool tips__net_has_aux(const tips_net *net);
/* Counts training steps: sampling operators draw from (seed, step). */
void tips__net_set_step(tips_net *net, uint64_t step);
/* Of running statistics, in place of what each norm has; 0: that again. */
void tips__net_set_momentum(tips_net *net, double momentum);
/* The random stream of a node at a step; the oracle draws the same numbers. */
uint64_t tips__op_stream(const char *name, uint64_t step);

/* What the plan came to. */
typedef struct tips_net_memory {
    size_t arena;   /* bytes of the one arena */
    size_t unplanned; /* what separate buffers would have taken */
    int buffers, replays;
} tips_net_memory;
tips_net_memory tips__net_memory(const tips_net *net);

/* Time per op, when switched on. */
typedef struct tips_op_time {
    const char *name, *layer;
    double forward, backward; /* seconds, summed over steps */
    double multiply_adds;     /* per sample, forward */
} tips_op_time;
void tips__net_time_ops(tips_net *net, bool on);
int tips__net_op_count(const tips_net *net);
tips_op_time tips__net_op_time(const tips_net *net, int op);

/* The whole graph in naive double precision, forward only: the oracle behind --engine ref.
 * Values are plain NCHW; a value that `set` was called for is taken as it is. */
typedef struct tips_ref_net tips_ref_net;
tips_status tips__ref_create(const tips_graph *graph, const tips_params *params, int n, tips_pass pass, uint64_t seed,
                             tips_ref_net **out) TIPS_MUST_CHECK;
void tips__ref_destroy(tips_ref_net *net);
tips_status tips__ref_set_map(tips_ref_net *net, tips_value value, const double *nchw) TIPS_MUST_CHECK;
tips_status tips__ref_set_index(tips_ref_net *net, tips_value value, const int32_t *index) TIPS_MUST_CHECK;
void tips__ref_set_step(tips_ref_net *net, uint64_t step);
void tips__ref_set_weights(tips_ref_net *net, tips_loss_weights weights);
void tips__ref_set_relative_undo(tips_ref_net *net, bool relative);
tips_status tips__ref_forward(tips_ref_net *net) TIPS_MUST_CHECK;
double *tips__ref_map(tips_ref_net *net, tips_value value);
int32_t *tips__ref_index(tips_ref_net *net, tips_value value);
double *tips__ref_param(tips_ref_net *net, int param); /* plain order; may be changed between runs */
tips_losses tips__ref_losses(const tips_ref_net *net);

#endif
