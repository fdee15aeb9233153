/* Sums that do not depend on the order of their terms, lane by lane.
 *
 * Every term is first rounded to a grid so coarse that the whole sum fits in the 53 bits of a double: adding and
 * subtracting 1.5 * 2^(52+g) rounds to multiples of 2^g, and then all additions are exact. The grid follows from
 * a bound on the terms and their number, so the bound must not depend on the order either (a maximum does not).
 * What is lost is below 2^-52 * count of the bound. */
#ifndef TIPS_TENSOR_EXACT_SUM_H
#define TIPS_TENSOR_EXACT_SUM_H

#include "tensor/vec.h"

#include <stddef.h>
#include <string.h>

typedef struct exact_sum {
    vd magic, sum;
} exact_sum;

static inline double exact_magic(double bound, double count) {
    if (!(bound > 0) || !isfinite(bound)) return 0;
    int exponent;
    frexp(bound * count, &exponent); /* bound * count < 2^exponent */
    return ldexp(1.5, exponent < -900 ? -900 : exponent);
}

/* `bound`: at least the largest absolute term of each lane. `count`: at least the number of terms. */
static inline exact_sum exact_sum_start(vd bound, double count) {
    exact_sum s = {.sum = (vd){0}};
    for (int i = 0; i < TIPS_BLOCK; i++) s.magic[i] = exact_magic(bound[i], count);
    return s;
}

static inline void exact_sum_add(exact_sum *s, vd term) { s->sum += (term + s->magic) - s->magic; }

/* What is added of each value. */
typedef enum exact_term { EXACT_VALUE, EXACT_ABSOLUTE, EXACT_SQUARE } exact_term;

/* Adds `count` vectors, `step` floats apart: the same bits as one by one, in registers of the machine's width
 * (compilers send a vd, twice as wide, through the stack). */
static inline void exact_sum_add_run(exact_sum *s, const float *at, ptrdiff_t step, int count, exact_term term) {
    typedef double half __attribute__((vector_size(4 * TIPS_BLOCK)));
    typedef int64_t half_bits __attribute__((vector_size(4 * TIPS_BLOCK)));
    typedef float half_vf __attribute__((vector_size(2 * TIPS_BLOCK)));
    half magic[2], sum[2];
    memcpy(magic, &s->magic, sizeof magic);
    memcpy(sum, &s->sum, sizeof sum);
    for (int i = 0; i < count; i++) {
        for (int h = 0; h < 2; h++) {
            half value = __builtin_convertvector(*(const half_vf *)(at + i * step + h * (TIPS_BLOCK / 2)), half);
            if (term == EXACT_SQUARE) value *= value;
            if (term == EXACT_ABSOLUTE) value = (half)((half_bits)value & INT64_MAX);
            sum[h] += (value + magic[h]) - magic[h];
        }
    }
    memcpy(&s->sum, sum, sizeof sum);
}

/* Adds x - pivot of `count` vectors in a row to one sum and its square to another, in the same halves. The bounds of
 * the sums are of these terms. */
static inline void exact_sum_add_moments(exact_sum *values, exact_sum *squares, vd pivot, const float *at, int count) {
    typedef double half __attribute__((vector_size(4 * TIPS_BLOCK)));
    typedef float half_vf __attribute__((vector_size(2 * TIPS_BLOCK)));
    half from[2], magic[2], sum[2], square_magic[2], square_sum[2];
    memcpy(from, &pivot, sizeof from);
    memcpy(magic, &values->magic, sizeof magic);
    memcpy(sum, &values->sum, sizeof sum);
    memcpy(square_magic, &squares->magic, sizeof square_magic);
    memcpy(square_sum, &squares->sum, sizeof square_sum);
    for (int i = 0; i < count; i++) {
        for (int h = 0; h < 2; h++) {
            const float *lanes = at + (ptrdiff_t)i * TIPS_BLOCK + h * (TIPS_BLOCK / 2);
            const half value = __builtin_convertvector(*(const half_vf *)lanes, half) - from[h];
            sum[h] += (value + magic[h]) - magic[h];
            square_sum[h] += (value * value + square_magic[h]) - square_magic[h];
        }
    }
    memcpy(&values->sum, sum, sizeof sum);
    memcpy(&squares->sum, square_sum, sizeof square_sum);
}

#endif
