/* Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011), inline: a loop over
 * it becomes vectors. The key is the seed; the counter holds the index in its low half and the stream in its high
 * half. What is not a kernel uses core/rng.h. */
#ifndef TIPS_CORE_PHILOX_H
#define TIPS_CORE_PHILOX_H

#include "core/rng.h"

static inline uint32_t tips__low(uint64_t value) { return (uint32_t)value; }
static inline uint32_t tips__high(uint64_t value) { return (uint32_t)(value >> 32); }

static inline void tips__philox(tips_rng rng, uint64_t index, uint32_t out[4]) {
    enum { ROUNDS = 10 };
    const uint32_t multiplier_0 = 0xD2511F53u, multiplier_1 = 0xCD9E8D57u;
    const uint32_t weyl_0 = 0x9E3779B9u, weyl_1 = 0xBB67AE85u;
    uint32_t c0 = tips__low(index), c1 = tips__high(index), c2 = tips__low(rng.stream), c3 = tips__high(rng.stream);
    uint32_t k0 = tips__low(rng.seed), k1 = tips__high(rng.seed);
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t p0 = (uint64_t)multiplier_0 * c0;
        const uint64_t p1 = (uint64_t)multiplier_1 * c2;
        c0 = tips__high(p1) ^ c1 ^ k0;
        c1 = tips__low(p1);
        c2 = tips__high(p0) ^ c3 ^ k1;
        c3 = tips__low(p0);
        k0 += weyl_0;
        k1 += weyl_1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

#endif
