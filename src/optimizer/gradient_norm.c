/* The norm of the gradients, and what follows from it. */
#include "optimizer/gradient_norm.h"

#include "core/threads.h"

#include <math.h>

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
        if (tips__param_learns(p, i)) sum += sum_of_squares(p->diff[i], p->floats[i]);
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
