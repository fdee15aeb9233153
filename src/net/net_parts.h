/* The compiled net's structure, shared by the compiler, the memory plan and the executor. */
#ifndef TIPS_NET_NET_PARTS_H
#define TIPS_NET_NET_PARTS_H

#include "graph/graph.h"
#include "net/net.h"
#include "tensor/pad.h"

enum { NO_BUFFER = -1 };

typedef struct net_buffer {
    size_t bytes, offset;
    int begin, end; /* first and last step that uses it */
} net_buffer;

typedef struct net_value {
    tips_map map, diff;  /* shapes and strides; data is bound per step */
    tips_padding halo;
    tips_value root;     /* the value in whose buffer it lies: itself, or a join of maps it is a part of */
    int block;           /* where it begins there, in blocks of channels */
    bool whole;          /* holds all samples, not just those of a slice */
    bool needs_grad;
    bool seeded;         /* a gradient arrives from outside: a loss, or an output */
    bool has_diff;       /* some gradient arrives */
    int buffer, replay_buffer, diff_buffer, index_buffer;
    float *data, *replayed, *gradient;
    int32_t *index;
} net_value;

/* Numbers of an index, of the samples of a slice. */
static inline size_t index_count(const net_value *v) {
    return (size_t)v->map.n * (size_t)v->map.c * (size_t)v->map.h * (size_t)v->map.w;
}

typedef struct net_op {
    tips_op op;
    tips_plan plan;
    tips_value in[TIPS_MAX_IN], out[TIPS_MAX_OUT];
    int position;        /* id of the last node it covers */
    unsigned adds;       /* bit i: parameter i has a gradient already when this op runs backward */
    bool runs_backward, replays;
    int workspace, forward_scratch, backward_scratch; /* buffers */
    int alias;           /* input slot whose buffer the output takes over, or -1 */
    double forward_seconds, backward_seconds;
} net_op;

typedef enum step_kind { STEP_FORWARD, STEP_SEED, STEP_REPLAY, STEP_BACKWARD } step_kind;

typedef struct net_step {
    step_kind kind;
    int op;
} net_step;

struct tips_net {
    const tips_graph *graph;
    tips_params *params;
    tips_net_options options;
    int n_ops, n_steps, n_buffers, buffer_room;
    int slices; /* parts in which samples go through the net: what lies between two layers then stays in the cache */
    int slice;  /* that is running */
    net_op *ops;
    net_value *values;
    net_step *steps;
    net_buffer *buffers;
    char *arena;
    size_t arena_bytes;
    float *margins; /* (n_ops, n), keep_all only */
    float *spare_diff; /* gradients of a convolution whose weights another one has written before; NULL: none */
    tips_loss_weights weights;
    bool relative_undo;
    tips_losses losses;
    int aux_ops, n_replays;
    bool replays_stems; /* convolutions of the input are run again too */
    uint64_t step;
    bool timing, checking, seeds_set;
    int false_alarms; /* that nothing was behind */
};

/* Fusion: fills net->ops from the graph's nodes. */
tips_status tips__net_make_ops(tips_net *net) TIPS_MUST_CHECK;
/* Whether an op writes outputs with gaps. */
bool tips__net_writes_strides(const tips_op *op);
/* Gradients of weights that several convolutions share, each of which writes its own whole: all but the first to run
 * backward write to a spare place, from where run_backward adds them. */
tips_status tips__net_share_gradients(tips_net *net) TIPS_MUST_CHECK;
void tips__net_add_shared(const tips_net *net, const net_op *op);
/* Joined maps in one buffer. */
void tips__net_nest(tips_net *net);
/* The map of a value with all its samples. */
tips_map tips__net_whole_map(const tips_net *net, const net_value *v);
/* Their order, replays included: fills net->steps. */
tips_status tips__net_make_steps(tips_net *net) TIPS_MUST_CHECK;
/* Lifetimes and placement: fills steps and buffers, allocates the arena, binds the values. */
tips_status tips__net_plan_memory(tips_net *net) TIPS_MUST_CHECK;

/* After a forward pass for which the alarm rang, or whose outputs are not all finite: fails with TIPS_NUMERIC and the
 * first layer that went wrong, TIPS_OK if nothing did. Runs the inputs one by one in a net where nothing is fused. */
tips_status tips__net_search(tips_net *net) TIPS_MUST_CHECK;
/* Fails with TIPS_NUMERIC and the name of an output that is not finite. */
tips_status tips__net_check_outputs(const tips_net *net) TIPS_MUST_CHECK;

/* After an op has run forward: fails with the name of its layer if something it read or made is not finite. */
tips_status tips__net_check_op(const tips_net *net, const net_op *op) TIPS_MUST_CHECK;

#endif
