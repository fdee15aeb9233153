/* Stochastic gradient descent with momentum and weight decay, PyTorch's definition, and the norm of the gradients. */
#include "core/threads.h"
#include "graph/params.h"

#include <math.h>

static void update(float *w, float *v, const float *g, size_t floats, vf lr, vf momentum, vf decay) {
    const int vectors = (int)(floats / TIPS_BLOCK);
    TIPS_PARALLEL_FOR (i, vectors) {
        const ptrdiff_t at = (ptrdiff_t)i * TIPS_BLOCK;
        const vf weight = vf_load(w + at);
        const vf step = vf_fma(momentum, vf_load(v + at), vf_fma(decay, weight, vf_load(g + at)));
        vf_store(v + at, step);
        vf_store(w + at, weight - lr * step);
    }
}

static bool learns(const tips_params *p, int id) { return p->diff[id] && !tips__param_is_frozen(p, id); }

void tips__sgd_step(tips_params *p, const tips_sgd *sgd) {
    const vf lr = vf_set((float)sgd->lr), momentum = vf_set((float)sgd->momentum);
    for (int i = 0; i < p->count; i++) {
        if (!learns(p, i)) continue;
        const tips_param_spec *spec = tips__graph_param(p->graph, i);
        const bool decays = spec->decay && !(sgd->spare_vectors && spec->layout == TIPS_VECTOR);
        update(p->data[i], p->momentum[i], p->diff[i], p->floats[i], lr, momentum,
               vf_set(decays ? (float)sgd->weight_decay : 0));
    }
    p->version++;
}

enum { CHUNKS = 64 };

/* Sums of squares of fixed chunks, added in order. */
static double sum_of_squares(const float *g, size_t floats) {
    const size_t chunk = (floats + CHUNKS - 1) / CHUNKS;
    double part[CHUNKS];
    TIPS_PARALLEL_FOR (i, CHUNKS) {
        const size_t begin = (size_t)i * chunk, end = begin + chunk < floats ? begin + chunk : floats;
        part[i] = 0;
        for (size_t k = begin; k < end; k++) part[i] += (double)g[k] * g[k];
    }
    double sum = 0;
    for (int i = 0; i < CHUNKS; i++) sum += part[i];
    return sum;
}

double tips__gradient_norm(const tips_params *p) {
    double sum = 0;
    for (int i = 0; i < p->count; i++)
        if (learns(p, i)) sum += sum_of_squares(p->diff[i], p->floats[i]);
    return sqrt(sum);
}

int tips__gradient_broken(const tips_params *p) {
    for (int i = p->count - 1; i >= 0; i--)
        if (p->diff[i] && !isfinite(sum_of_squares(p->diff[i], p->floats[i]))) return i;
    return -1;
}

void tips__gradient_scale(tips_params *p, double factor) {
    const vf scale = vf_set((float)factor);
    for (int i = 0; i < p->count; i++) {
        const int vectors = p->diff[i] ? (int)(p->floats[i] / TIPS_BLOCK) : 0;
        TIPS_PARALLEL_FOR (k, vectors) {
            float *at = p->diff[i] + (ptrdiff_t)k * TIPS_BLOCK;
            vf_store(at, scale * vf_load(at));
        }
    }
}
