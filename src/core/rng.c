/* Numbers from Philox's words. */
#include "core/philox.h"

#include <math.h>

static const double two_pi = 6.28318530717958647692;

void tips__rng_words(tips_rng rng, uint64_t index, uint32_t out[4]) { tips__philox(rng, index, out); }

/* 52 bits and a half: every value is exact, so neither end can be reached by rounding. */
static double open_unit(uint32_t a, uint32_t b) {
    const uint64_t bits = ((uint64_t)a << 32 | b) >> 12;
    return ((double)bits + 0.5) * 0x1p-52;
}

double tips__rng_uniform(tips_rng rng, uint64_t index) {
    uint32_t words[4];
    tips__rng_words(rng, index, words);
    return open_unit(words[0], words[1]);
}

double tips__rng_normal(tips_rng rng, uint64_t index) {
    uint32_t words[4];
    tips__rng_words(rng, index, words);
    const double radius = sqrt(-2.0 * log(open_unit(words[0], words[1])));
    return radius * cos(two_pi * open_unit(words[2], words[3]));
}

/* The high part of a 64-bit draw times n: the bias is below n / 2^64. */
uint32_t tips__rng_below(tips_rng rng, uint64_t index, uint32_t n) {
    uint32_t words[4];
    tips__rng_words(rng, index, words);
    const uint64_t carry = (uint64_t)words[1] * n >> 32;
    return (uint32_t)(((uint64_t)words[0] * n + carry) >> 32);
}

/* The finalizer of SplitMix64. */
static uint64_t scramble(uint64_t z) {
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint64_t tips__rng_mix(uint64_t a, uint64_t b) { return scramble(scramble(a) ^ b); }
