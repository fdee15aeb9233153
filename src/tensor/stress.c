/* The most arithmetic, and the most traffic to memory. */
#include "tensor/stress.h"

#include "core/threads.h"
#include "tensor/vec.h"

enum { B = TIPS_BLOCK, CHAINS = TIPS_STRESS_CHAINS };

float tips__stress_chains(long rounds, float half) {
    const vf factor = vf_set(half), term = vf_set(half);
    vf chain[CHAINS];
    for (int i = 0; i < CHAINS; i++) chain[i] = vf_set((float)i);
    for (long r = 0; r < rounds; r++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) chain[i] = vf_fma(chain[i], factor, term);
    }
    vf sum = (vf){0};
    for (int i = 0; i < CHAINS; i++) sum += chain[i];
    return vf_sum(sum);
}

/* Each thread touches its own part first. */
void tips__stress_touch(float *a, float *b, float *c, int count) {
    vf *x = (vf *)a, *y = (vf *)b, *z = (vf *)c;
    TIPS_PARALLEL_FOR(i, count / B) x[i] = y[i] = z[i] = vf_set(1.0f);
}

void tips__stress_copy(float *a, const float *b, int count) {
    vf *restrict to = (vf *)a;
    const vf *restrict from = (const vf *)b;
    TIPS_PARALLEL_FOR(i, count / B) to[i] = from[i];
}

void tips__stress_triad(float *a, const float *b, const float *c, int count) {
    vf *restrict to = (vf *)a;
    const vf *restrict x = (const vf *)b, *restrict y = (const vf *)c;
    const vf scale = vf_set(3.0f);
    TIPS_PARALLEL_FOR(i, count / B) to[i] = vf_fma(scale, y[i], x[i]);
}
