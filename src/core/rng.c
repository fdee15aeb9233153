/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
 * The key is the seed; the counter holds the index in its low half and the stream in its high half. */
#include "core/rng.h"

#include <math.h>

enum { ROUNDS = 10 };

static const uint32_t multiplier_0 = 0xD2511F53u, multiplier_1 = 0xCD9E8D57u;
static const uint32_t weyl_0 = 0x9E3779B9u, weyl_1 = 0xBB67AE85u;
static const double two_pi = 6.28318530717958647692;

static uint32_t low(uint64_t value) { return (uint32_t)value; }
static uint32_t high(uint64_t value) { return (uint32_t)(value >> 32); }

void tips__rng_words(tips_rng rng, uint64_t index, uint32_t out[4]) {
    uint32_t c0 = low(index), c1 = high(index), c2 = low(rng.stream), c3 = high(rng.stream);
    uint32_t k0 = low(rng.seed), k1 = high(rng.seed);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t p0 = (uint64_t)multiplier_0 * c0;
        const uint64_t p1 = (uint64_t)multiplier_1 * c2;
        c0 = high(p1) ^ c1 ^ k0;
        c1 = low(p1);
        c2 = high(p0) ^ c3 ^ k1;
        c3 = low(p0);
        k0 += weyl_0;
        k1 += weyl_1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

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
