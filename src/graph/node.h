/* What a layer is: the contract between the graph and the files in src/layer and src/pool.
 *
 * A graph is a DAG of nodes. A node reads and writes values; a value is a map (activations, with a gradient) or an
 * index (whole numbers: a label, a chosen phase, a map of labels). At compile time each node becomes an op: the node
 * with its buffers for one batch size and one pass. */
#ifndef TIPS_GRAPH_NODE_H
#define TIPS_GRAPH_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

#include "core/option.h"
#include "core/rng.h"
#include "graph/pass.h"
#include "tensor/map.h"

typedef struct tips_graph tips_graph;
typedef int tips_value;
enum { TIPS_NO_VALUE = -1 };

enum { TIPS_MAX_IN = 12, TIPS_MAX_OUT = 3, TIPS_MAX_PARAMS = 6 };

typedef enum tips_value_kind { TIPS_MAP, TIPS_INDEX } tips_value_kind;

typedef struct tips_value_info {
    tips_value_kind kind;
    int c, h, w;    /* a label or a phase has 1, 1, 1 */
    int per_sample; /* maps per input sample: 1, or sh*sw after a polyphase split */
    int producer;   /* node, or -1 for an input of the graph */
} tips_value_info;

/* An index of one number for each of its maps: a label, a phase. */
static inline bool tips__is_number(const tips_value_info *info) {
    return info->kind == TIPS_INDEX && info->c == 1 && info->h == 1 && info->w == 1;
}
/* The same with one map a sample: entry n belongs to sample n. */
static inline bool tips__is_sample_number(const tips_value_info *info) {
    return tips__is_number(info) && info->per_sample == 1;
}

typedef enum tips_param_layout {
    TIPS_VECTOR,    /* (c): padded with zeros to a multiple of B */
    TIPS_MATRIX,    /* (out, in): stored [in][out padded to B] */
    TIPS_CONV,      /* (oc, ic/groups, kh, kw): in the engine's layout */
    TIPS_DEPTHWISE, /* (c, 1, kh, kw): [c/B][kh][kw][B] */
    TIPS_TOKENS     /* (1, tokens, c): as a map, [c/B][tokens][B] */
} tips_param_layout;

typedef struct tips_param_spec {
    char *name; /* "layer1.0.conv1.weight" */
    tips_param_layout layout;
    int dims[4], n_dims; /* of a convolution all four count, and files see the first n_dims */
    int groups;          /* TIPS_CONV */
    double fill;         /* initial value where `std` is 0 */
    double std;          /* deviation of the normal initialisation, 0 for a constant */
    bool trainable;      /* running statistics are not */
    bool decay;          /* takes part in weight decay */
    bool frozen;         /* stays as it is: see tips__params_freeze */
} tips_param_spec;

/* Losses that belong to an operator; the trainer weighs them by kind, never by operator. */
typedef enum tips_aux { TIPS_AUX_FM, TIPS_AUX_UNDO, TIPS_AUX_COUNT } tips_aux;

typedef struct tips_layer tips_layer;
typedef struct tips_emitter tips_emitter; /* emit/emit.h */

typedef struct tips_node {
    const tips_layer *layer;
    char *name;
    void *config; /* layer->config_size bytes */
    int id;
    int n_in, n_out, n_params;
    tips_value in[TIPS_MAX_IN], out[TIPS_MAX_OUT];
    int params[TIPS_MAX_PARAMS];
} tips_node;

/* One value as an op sees it. */
typedef struct tips_slot {
    tips_map map;      /* of an index: the shape without data */
    tips_map diff;     /* data is NULL when no gradient is wanted (inputs) or none arrives (outputs) */
    int32_t *index;    /* TIPS_INDEX: (n * per_sample, c, h, w), without gaps */
    tips_padding halo; /* the border the buffer has room for; the executor fills it */
    bool accumulate;   /* backward: add to diff instead of writing it */
    bool want_diff;
} tips_slot;

/* Which kernels may run. Exact ones give shifted bits for shifted inputs; fast ones round differently at different
 * places. The bits of a sample depend on neither the batch nor the threads with both. */
typedef enum tips_algorithm {
    TIPS_ALGORITHM_AUTO, /* fast where backward follows or the padding has broken exactness already, exact else */
    TIPS_ALGORITHM_EXACT,
    TIPS_ALGORITHM_FAST
} tips_algorithm;

typedef struct tips_op {
    const tips_node *node;
    int n;          /* samples */
    tips_pass pass; /* what is wanted; without batch statistics where the op's running ones are frozen */
    tips_algorithm algorithm;
    int in_channels, in_size[2]; /* of in[0]: channels, height and width */
    bool small_pictures;         /* what the network takes comes in batches, as a rule */
    bool replay;                 /* forward is run again for the backward pass: no side effects */
    int n_in, n_out;
    tips_slot in[TIPS_MAX_IN], out[TIPS_MAX_OUT];
    float *param[TIPS_MAX_PARAMS];
    float *dparam[TIPS_MAX_PARAMS];    /* NULL where no gradient is wanted, known to plan already */
    void *workspace;                   /* kept from forward to backward (or, without one, between passes) */
    void *scratch;                     /* only during one call */
    void *state;                       /* made by plan, freed by release: engine primitives */
    tips_rng rng;                      /* fresh for each op and step */
    double momentum;                   /* of running statistics, in place of the layer's own; 0: that */
    double aux[TIPS_AUX_COUNT];        /* out: the op's losses, mean over samples and channels */
    double aux_weight[TIPS_AUX_COUNT]; /* in: factor of each loss in the total, already divided by the layers */
    bool relative_undo;                /* in: L_undo as a share of the mean square of what it compares */
    float *margin; /* (n) or NULL: relative distance between best and second phase, for the verifier */
    /* Fused by the compiler: */
    bool relu;                 /* rectify the output */
    int residual;              /* input slot added before the ReLU, or -1 */
    const tips_node *function; /* conv, forward only: pointwise layer of the output, instead of a ReLU, or NULL */
    bool gated;                /* with it: x f(x) instead of f(x) */
    struct tips_op *expand;    /* depthwise conv, forward only: the 1x1 conv in front, whose input is in[0]; or NULL */
    int grid[2];               /* conv, forward only: one row and column in so many is computed; 0: all are */
    const float *fold[4];      /* conv, forward only: gamma, beta, mean, variance of the norm that follows, or NULL */
    double fold_eps;
    uint64_t fold_version;   /* of the parameters that were folded */
    const uint64_t *version; /* of the parameters now */
} tips_op;

/* What plan asks for. */
typedef struct tips_plan {
    size_t workspace, forward_scratch, backward_scratch; /* bytes */
    unsigned keep_in, keep_out;                          /* bit i: backward reads the data of in[i], out[i] */
    unsigned in_place; /* bit i: backward may write the gradient of in[i] over that of out[0] */
} tips_plan;

/* The naive double-precision run of a node: plain NCHW. */
typedef struct tips_ref_slot {
    double *data;   /* (n, c, h, w) */
    int32_t *index; /* the same, of an index */
    int n, c, h, w;
} tips_ref_slot;

typedef struct tips_ref_op {
    const tips_node *node;
    int n;
    tips_pass pass;
    int n_in, n_out;
    tips_ref_slot in[TIPS_MAX_IN], out[TIPS_MAX_OUT];
    double *param[TIPS_MAX_PARAMS]; /* plain order */
    tips_rng rng;
    bool relative_undo; /* as in tips_op */
    double aux[TIPS_AUX_COUNT];
} tips_ref_op;

enum {
    TIPS_LAYER_STRIDED_OUT = 1, /* writes outputs with any strides; else only dense ones */
    TIPS_LAYER_REPLAYS = 2,    /* forward may be run again in backward (without scratch): its output need not be kept */
    TIPS_LAYER_LOSS = 4,       /* output 0 is a loss per sample */
    TIPS_LAYER_HIDDEN = 8,     /* made by others, not listed */
    TIPS_LAYER_AUX = 16,       /* carries losses of its own (tips_aux) */
    TIPS_LAYER_ONE_PIXEL = 32, /* where its output is one pixel, it is so whatever the size of the input */
    TIPS_LAYER_TAKES_NORM = 64, /* a norm that follows can go into its weights (see fold_eps) */
    TIPS_LAYER_GRID = 128       /* keeps every stride-th pixel (see pools), from the first on, and does nothing else */
};

typedef enum tips_source_layout {
    TIPS_READS_ANY,   /* any strides */
    TIPS_READS_DENSE, /* no gaps */
    TIPS_READS_HALO   /* a buffer with exactly this border, filled */
} tips_source_layout;

/* Why a node breaks shift equivariance by construction; NULL if it does not. */
typedef const char *(*tips_breaks_fn)(const tips_graph *graph, const tips_node *node);

struct tips_layer {
    const char *name, *brief;
    unsigned flags;
    const tips_option *options; /* NULL: not configured by text */
    size_t config_size;
    /* Build time: checks inputs and config, sets the outputs' shapes, declares parameters. Allocates nothing large. */
    tips_status (*shape)(tips_graph *graph, tips_node *node);
    /* Compile time: in[] and out[] have shapes and strides, no data yet. */
    tips_status (*plan)(tips_op *op, tips_plan *plan);
    tips_status (*forward)(tips_op *op);
    tips_status (*backward)(tips_op *op); /* NULL: no gradient flows through */
    tips_status (*ref)(tips_ref_op *op);
    void (*release)(tips_op *op);
    tips_breaks_fn breaks;
    double (*multiply_adds)(const tips_graph *graph, const tips_node *node); /* per sample, forward; NULL: none */
    bool (*pools)(const tips_node *node, int stride[2]); /* true: downsamples by stride; NULL: never */
    /* How in[0] must lie in memory; the border that goes with TIPS_READS_HALO in *halo. NULL: any strides will do. */
    tips_source_layout (*reads)(const tips_op *op, tips_padding *halo);
    /* Whether in[0] may be a thin map (tensor/map.h). NULL: never. */
    bool (*reads_thin)(const tips_op *op);
    /* Whether the output may have any strides, where that depends on the op. NULL: TIPS_LAYER_STRIDED_OUT tells. */
    bool (*writes_strides)(const tips_op *op);
    /* Of a norm that is (x - mean) / sqrt(variance + eps) * gamma + beta in evaluation, with the parameters gamma,
     * beta, mean, variance: its eps. NULL: no such norm. */
    double (*fold_eps)(const tips_node *node);
    /* The node in evaluation, in basic operators such as ONNX has. NULL: it cannot be exported. */
    tips_status (*emit)(tips_emitter *to, const tips_node *node);
};

/* All layers, NULL-terminated: one line each in layers.def. */
extern const tips_layer *const tips__layers[];
const tips_layer *tips__layer_find(const char *name);

#endif
