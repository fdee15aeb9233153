/* Stochastic gradient descent with momentum and weight decay, PyTorch's definition. */
#include "core/threads.h"
#include "net/params.h"

static void update(float *w, float *v, const float *g, size_t floats, vf lr, vf momentum, vf decay) {
    const int vectors = (int)(floats / TIPS_BLOCK);
    TIPS_PARALLEL_FOR(i, vectors) {
        const ptrdiff_t at = (ptrdiff_t)i * TIPS_BLOCK;
        const vf weight = vf_load(w + at);
        const vf step = vf_fma(momentum, vf_load(v + at), vf_fma(decay, weight, vf_load(g + at)));
        vf_store(v + at, step);
        vf_store(w + at, weight - lr * step);
    }
}

void tips__sgd_step(tips_params *p, const tips_sgd *sgd) {
    const vf lr = vf_set((float)sgd->lr), momentum = vf_set((float)sgd->momentum);
    for (int i = 0; i < p->count; i++) {
        if (!p->diff[i]) continue;
        const bool decays = tips__graph_param(p->graph, i)->decay;
        update(p->data[i], p->momentum[i], p->diff[i], p->floats[i], lr, momentum,
               vf_set(decays ? (float)sgd->weight_decay : 0));
    }
    p->version++;
}
