/* What an optimiser is: how a parameter changes by its gradient, with options, and with vectors that it keeps beside
 * each parameter from step to step. One file and one line in optimizers.def each. */
#ifndef TIPS_OPTIMIZER_OPTIMIZER_H
#define TIPS_OPTIMIZER_OPTIMIZER_H

#include "graph/params.h"

/* How to take a step, whatever the optimiser. */
typedef struct tips_learning {
    double lr;
    double momentum; /* of optimisers without an option in its place */
    double weight_decay;
    bool spare_vectors; /* norms and biases do not decay */
    uint64_t step;      /* steps taken before this one */
} tips_learning;

/* One parameter in a step. */
typedef struct tips_param_update {
    size_t floats;                   /* a multiple of TIPS_BLOCK; padding has no gradient and must stay 0 */
    float *values;                   /* (floats) */
    const float *gradient;           /* (floats) */
    float *state[TIPS_PARAM_STATES]; /* (floats) each, in the order of the optimiser's names */
    double weight_decay;             /* the step's, or 0 if this one does not decay */
    const tips_learning *learning;
    const void *config;
} tips_param_update;

typedef struct tips_optimizer {
    const char *name, *brief;
    const tips_option *options;    /* of its config */
    const char *const *state;      /* what it keeps, named as in PyTorch, closed by NULL: "momentum" */
    const char *lr, *weight_decay; /* defaults, as a user would write them */
    const char *careful_lr;        /* for networks that know something already and are thrown off easily */
    const char *momentum;          /* its option in the place of --momentum; NULL: it takes that itself */
    void (*update)(const tips_param_update *u);
} tips_optimizer;

#define TIPS_OPTIMIZER(name) extern const tips_optimizer tips__optimizer_##name;
#include "optimizer/optimizers.def"
#undef TIPS_OPTIMIZER

extern const tips_optimizer *const tips__optimizers[]; /* closed by NULL */

enum { TIPS_OPTIMIZER_CONFIG_BYTES = 64 };
#define TIPS_OPTIMIZER_CHECK_CONFIG(type) \
    _Static_assert(sizeof(type) <= TIPS_OPTIMIZER_CONFIG_BYTES, "the config of an optimiser is too large")

/* An optimiser with its options, as written: "adamw:beta2=0.99". */
typedef struct tips_optimizer_spec {
    const tips_optimizer *optimizer;
    union {
        unsigned char bytes[TIPS_OPTIMIZER_CONFIG_BYTES];
        double align;
    } config;
} tips_optimizer_spec;

/* Parses "name" or "name:key=value,..."; an unknown name suggests the nearest. */
tips_status tips__optimizer_parse(const char *text, tips_optimizer_spec *out) TIPS_MUST_CHECK;
void tips__optimizer_format(const tips_optimizer_spec *spec, char *out, size_t size);

/* Room for gradients and for what the optimiser keeps; what is there already stays as it is. */
tips_status tips__optimizer_prepare(const tips_optimizer *optimizer, tips_params *params) TIPS_MUST_CHECK;
/* One step of parameters prepared for it: every one that learns, by its gradient. */
void tips__optimizer_step(const tips_optimizer_spec *spec, tips_params *params, const tips_learning *learning);

#endif
