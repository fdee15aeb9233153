/* What a pooling operator is: a layer that downsamples by a stride, with options, traits and, where it needs
 * helper nodes (a predictor, a logit net), a way to build them. One file and one line in pools.def each. */
#ifndef TIPS_POOL_POOL_H
#define TIPS_POOL_POOL_H

#include "graph/builder.h"

/* The choice an operator made, for others to follow: the shortcut of the block, an unpooling at the same level. */
typedef struct tips_selection {
    tips_value phase;   /* index: a * sw + b for each sample, or TIPS_NO_VALUE */
    tips_value weights; /* map (n, sh*sw, 1, 1): soft weights that carry a gradient, or TIPS_NO_VALUE */
} tips_selection;

/* Every operator's config starts with this; all but `before` is set where the operator is placed. */
typedef struct tips_pool_common {
    int stride[2];
    int before[TIPS_CHAIN_MOST]; /* option `before`: steps of pool_before.c that the map goes through first */
    tips_pad_mode padding;
    bool shared; /* follows a selection that is given as input 1 (phase) and, where it has one, 2 (weights) */
    bool any_scale; /* no norm bounds its input: losses that grow with it are left out */
} tips_pool_common;

enum {
    TIPS_POOL_EXACT = 1,     /* commutes with every circular shift, up to the shift of its own grid */
    TIPS_POOL_LEARNED = 2,   /* has parameters */
    TIPS_POOL_STOCHASTIC = 4,/* samples in training */
    TIPS_POOL_CHOOSES = 8,   /* chooses one phase per sample and exposes it */
    TIPS_POOL_LOSSES = 16,   /* carries losses of its own */
    TIPS_POOL_IDENTITY = 32, /* does not downsample at all */
    TIPS_POOL_FILTERS = 64,  /* takes the place of the LPF: lpf=n sets its own size; stays at stride 1 */
    TIPS_POOL_STAYS = 128    /* does more than choose among pixels: it is placed at stride 1 too */
};

typedef struct tips_pool {
    tips_layer layer;                       /* name, brief, options, shape, plan, forward, backward, ref, ... */
    unsigned (*traits)(const void *config); /* depend on the options, not on the name */
    /* Adds the operator's nodes for x (size divisible by the stride) and returns its output. NULL: the single node
     * `layer` on x, and on the shared selection if config.shared. */
    tips_value (*build)(tips_graph *graph, const struct tips_pool *pool, const char *name, const void *config,
                        tips_value x, const tips_selection *shared, tips_selection *selection);
} tips_pool;

/* All operators, NULL-terminated. */
extern const tips_pool *const tips__pools[];
const tips_pool *tips__pool_find(const char *name);

enum { TIPS_POOL_CONFIG_BYTES = 256 };

/* An operator with its options, as written: "tips:psi=depthwise,fm=band", and the low-pass filter before it. */
typedef struct tips_pool_spec {
    const tips_pool *pool;
    int lpf; /* 0 (none) or 2..7 */
    union {
        tips_pool_common common;
        unsigned char bytes[TIPS_POOL_CONFIG_BYTES];
        double align;
    } config;
} tips_pool_spec;

/* Parses "name" or "name:key=value,..."; an unknown name suggests the nearest. */
tips_status tips__pool_parse(const char *text, int lpf, tips_pool_spec *out) TIPS_MUST_CHECK;
/* The same for a text out of a file, which may be older than some options. */
tips_status tips__pool_parse_stored(const char *text, int lpf, tips_pool_spec *out) TIPS_MUST_CHECK;
void tips__pool_format(const tips_pool_spec *spec, char *out, size_t size);
/* With every option, for files. */
void tips__pool_format_all(const tips_pool_spec *spec, char *out, size_t size);
unsigned tips__pool_traits(const tips_pool_spec *spec);

/* Places [steps before], [LPF-n], [extension to a multiple of the stride], operator. `shared` may be NULL or hold
 * TIPS_NO_VALUEs. */
tips_value tips__pool_add(tips_graph *graph, const char *name, const tips_pool_spec *spec, const int stride[2],
                          tips_pad_mode padding, tips_value x, const tips_selection *shared, tips_selection *selection);

/* For an operator that takes the place of a max pooling: it stands behind the maximum of that one's window, and has no
 * other before it. */
tips_pool_spec tips__pool_behind_max(const tips_pool_spec *spec);

/* Where an operator takes the place of a pooling layer whose windows are as large as its stride. */
typedef struct tips_pool_place {
    const char *name;
    const int *stride; /* 2 */
    tips_pad_mode padding;
} tips_pool_place;
/* In the place of max pooling: `max` itself, and every other operator behind the dense maximum. */
tips_value tips__pool_for_max(tips_graph *graph, const tips_pool_place *place, const tips_pool_spec *spec,
                              tips_value x, tips_selection *selection);
/* In the place of a mean: every operator by itself, but for the plain grid, which stands behind the dense mean. */
tips_value tips__pool_for_mean(tips_graph *graph, const tips_pool_place *place, const tips_pool_spec *spec,
                               tips_value x, tips_selection *selection);

/* The usual shape rule: c unchanged, h/sh, w/sw; fails if not divisible. */
tips_status tips__pool_shape(tips_graph *graph, tips_node *node);
/* For layer.pools. */
bool tips__pool_strides(const tips_node *node, int stride[2]);
/* Reasons for layer.breaks. */
const char *tips__pool_fixed_grid(const tips_graph *graph, const tips_node *node);

#endif
