/* adamw: the step is the mean gradient over the root of its mean square, both corrected for their start at zero, and
 * weights decay beside it. PyTorch's definition:
 *     w -= lr decay w
 *     m += (1 - beta1) (g - m),  v = beta2 v + (1 - beta2) g^2
 *     w -= lr m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) */
#include "core/threads.h"
#include "optimizer/optimizer.h"

#include <math.h>

#define LR "0.001"
#define DECAY "0.01"

enum { MEAN, SQUARE };

typedef struct adamw_config {
    double beta1, beta2, eps;
} adamw_config;
TIPS_OPTIMIZER_CHECK_CONFIG(adamw_config);

/* What is the same for every number of a parameter. */
typedef struct factors {
    vf keep;            /* what decay leaves of a weight */
    vf mean;            /* 1 - beta1 */
    vf old, square;     /* beta2, 1 - beta2 */
    vf rate, root, eps; /* w -= rate m / (root sqrt(v) + eps) */
} factors;

static factors find_factors(const tips_param_update *u) {
    const adamw_config *c = u->config;
    const double lr = u->learning->lr, t = (double)u->learning->step + 1;
    return (factors){.keep = vf_set((float)(1 - lr * u->weight_decay)),
                     .mean = vf_set((float)(1 - c->beta1)),
                     .old = vf_set((float)c->beta2),
                     .square = vf_set((float)(1 - c->beta2)),
                     .rate = vf_set((float)(lr / (1 - pow(c->beta1, t)))),
                     .root = vf_set((float)(1 / sqrt(1 - pow(c->beta2, t)))),
                     .eps = vf_set((float)c->eps)};
}

static vf square_root(vf x) {
    for (int i = 0; i < TIPS_BLOCK; i++) x[i] = sqrtf(x[i]);
    return x;
}

static void update(const tips_param_update *u) {
    const factors f = find_factors(u);
    const int vectors = (int)(u->floats / TIPS_BLOCK);
    TIPS_PARALLEL_FOR (i, vectors) {
        const ptrdiff_t at = (ptrdiff_t)i * TIPS_BLOCK;
        const vf g = vf_load(u->gradient + at);
        const vf old = vf_load(u->state[MEAN] + at), mean = vf_fma(f.mean, g - old, old);
        const vf square = vf_fma(f.old, vf_load(u->state[SQUARE] + at), f.square * g * g);
        vf_store(u->state[MEAN] + at, mean);
        vf_store(u->state[SQUARE] + at, square);
        vf_store(u->values + at,
                 f.keep * vf_load(u->values + at) - f.rate * mean / (f.root * square_root(square) + f.eps));
    }
}

/* Padding has no gradient and stays 0 / eps: eps is not 0. */
static const tips_option options[] = {
    {.name = "beta1",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(adamw_config, beta1),
     .fallback = "0.9",
     .min = 0,
     .max = 0.999999,
     .help = "how much of the mean gradient stays from step to step; momentum by another name"},
    {.name = "beta2",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(adamw_config, beta2),
     .fallback = "0.999",
     .min = 0,
     .max = 0.999999,
     .help = "how much of its mean square stays"},
    {.name = "eps",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(adamw_config, eps),
     .fallback = "1e-8",
     .min = 1e-16,
     .max = 1,
     .help = "added to the root of the mean square"},
    {.type = TIPS_OPT_END},
};
static const char *const state[] = {"exp_avg", "exp_avg_sq", NULL};

const tips_optimizer TIPS_ROW(tips__optimizer_adamw) = {.name = "adamw",
                                              .brief = "Adam with decay beside the step; --lr " LR
                                                       " and --weight-decay " DECAY " if not said otherwise",
                                              .options = options,
                                              .state = state,
                                              .lr = LR,
                                              .careful_lr = "0.0002",
                                              .weight_decay = DECAY,
                                              .momentum = "beta1",
                                              .update = update};
