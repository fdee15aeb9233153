/* Fisher and Yates' shuffle, inside out. */
#include "data/permutation.h"

void tips__permutation(tips_rng rng, int n, int *out) {
    for (int i = 0; i < n; i++) {
        const int j = (int)tips__rng_below(rng, (uint64_t)i, (uint32_t)i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}
