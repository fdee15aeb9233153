/* Random shares. */
#ifndef TIPS_CORE_RNG_BETA_H
#define TIPS_CORE_RNG_BETA_H

#include "core/rng.h"

/* Beta(a, a), a > 0, in 0..1: around a half for large a, near the ends for small ones, uniform for 1. It takes the
 * stream for itself. */
double tips__rng_beta(tips_rng rng, double a);

#endif
