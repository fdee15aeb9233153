/* Pictures made of two: each of a batch is mixed with the next one, the last with the first.
 *     mixup    x = s a + (1 - s) b,                        s drawn from Beta(mixup, mixup)
 *     cutmix   a with a rectangle of b in it, its middle anywhere; s is the share of a that is left
 * Where both are wanted, each batch draws one of them. Targets follow with the same shares. */
#ifndef TIPS_DATA_MIXING_H
#define TIPS_DATA_MIXING_H

#include "core/rng.h"

#include <stdbool.h>

typedef struct tips_mixing {
    double mixup, cutmix; /* parameters of Beta; 0: not at all */
} tips_mixing;

static inline bool tips__mixing_is_on(const tips_mixing *m) { return m->mixup > 0 || m->cutmix > 0; }

/* The picture that sample i of n is mixed with. */
static inline int tips__mixing_partner(int i, int n) { return i + 1 < n ? i + 1 : 0; }

/* From images (n, c, h, w) to `out` of the same shape; shares[i] is what is left of picture i. A function of the
 * generator alone. */
void tips__mix(const tips_mixing *mixing, tips_rng rng, const int shape[4], const float *images, float *out,
               float *shares);

#endif
