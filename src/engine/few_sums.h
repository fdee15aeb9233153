/* Sums of vectors times single numbers, for gradients of few channels. */
#ifndef TIPS_ENGINE_FEW_SUMS_H
#define TIPS_ENGINE_FEW_SUMS_H

#include <stddef.h>

#include "tensor/vec.h"

/* totals[i] += sum over x < count of vectors[x] numbers[x step + i], for i < sums; a row's sum is taken in float. */
void tips__few_sums(const float *vectors, const float *numbers, ptrdiff_t step, int count, int sums, vd *totals);

#endif
