/* sgd: v = momentum v + (g + decay w),  w -= lr v. PyTorch's definition. */
#include "core/threads.h"
#include "optimizer/optimizer.h"

#define LR "0.05"
#define DECAY "1e-4"

enum { MOMENTUM };

static void update(const tips_param_update *u) {
    const vf lr = vf_set((float)u->learning->lr), momentum = vf_set((float)u->learning->momentum);
    const vf decay = vf_set((float)u->weight_decay);
    const int vectors = (int)(u->floats / TIPS_BLOCK);
    TIPS_PARALLEL_FOR (i, vectors) {
        const ptrdiff_t at = (ptrdiff_t)i * TIPS_BLOCK;
        const vf weight = vf_load(u->values + at), old = vf_load(u->state[MOMENTUM] + at);
        const vf step = vf_fma(momentum, old, vf_fma(decay, weight, vf_load(u->gradient + at)));
        vf_store(u->state[MOMENTUM] + at, step);
        vf_store(u->values + at, weight - lr * step);
    }
}

static const tips_option options[] = {{.type = TIPS_OPT_END}};
static const char *const state[] = {"momentum", NULL};

const tips_optimizer TIPS_ROW(tips__optimizer_sgd) = {.name = "sgd",
                                            .brief = "stochastic gradient descent with --momentum; --lr " LR
                                                     " and --weight-decay " DECAY " if not said otherwise",
                                            .options = options,
                                            .state = state,
                                            .lr = LR,
                                            .careful_lr = "0.01",
                                            .weight_decay = DECAY,
                                            .update = update};
