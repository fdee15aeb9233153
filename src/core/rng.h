/* A counter-based random generator (Philox 4x32-10): a draw is a pure function of (seed, stream, index),
 * so results do not depend on the order, the batch or the number of threads. */
#ifndef TIPS_CORE_RNG_H
#define TIPS_CORE_RNG_H

#include <stdint.h>

typedef struct tips_rng {
    uint64_t seed;
    uint64_t stream; /* what the numbers are for: a layer, a purpose, a step */
} tips_rng;

/* Four independent 32-bit words for counter `index`. */
void tips__rng_words(tips_rng rng, uint64_t index, uint32_t out[4]);
/* Uniform in (0, 1), never 0 or 1. */
double tips__rng_uniform(tips_rng rng, uint64_t index);
/* Standard normal (Box-Muller on one counter). */
double tips__rng_normal(tips_rng rng, uint64_t index);
/* Uniform integer in 0..n-1, n >= 1. */
uint32_t tips__rng_below(tips_rng rng, uint64_t index, uint32_t n);
/* A stream number from two parts, well mixed. */
uint64_t tips__rng_mix(uint64_t a, uint64_t b);

#endif
