/* Work that shows what the machine can do at most, with the vectors that kernels use. */
#ifndef TIPS_TENSOR_STRESS_H
#define TIPS_TENSOR_STRESS_H

/* Chains of dependent multiply-adds: enough to cover the latency of two units, few enough for 16 registers. Buffers
 * are whole multiples of TIPS_STRESS_BYTES, and lie at one. */
enum { TIPS_STRESS_CHAINS = 12, TIPS_STRESS_BYTES = 64 };

/* A vector's multiply-add in each chain, `rounds` times. The result is there so that nothing is left out. */
float tips__stress_chains(long rounds, float half);

/* On all threads, for `count` floats: first touch, a = b, and a = 3 c + b. */
void tips__stress_touch(float *a, float *b, float *c, int count);
void tips__stress_copy(float *a, const float *b, int count);
void tips__stress_triad(float *a, const float *b, const float *c, int count);

#endif
