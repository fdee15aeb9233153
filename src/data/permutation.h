/* A shuffled order that is a pure function of its generator. */
#ifndef TIPS_DATA_PERMUTATION_H
#define TIPS_DATA_PERMUTATION_H

#include "core/rng.h"

/* Writes 0..n-1 in random order. */
void tips__permutation(tips_rng rng, int n, int *out);

#endif
