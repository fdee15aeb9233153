/* Beta from two Gammas; Gamma by the method of Marsaglia and Tsang (2000): d (1 + c x)^3 with x normal is accepted with
 * the right probability, and Gamma(a) for a < 1 is Gamma(a + 1) U^(1/a). In logarithms, as small ones underflow. */
#include "core/rng_beta.h"

#include <math.h>

enum { DRAWS = 2 }; /* of one attempt: a normal and a uniform */

static double log_gamma_draw(tips_rng rng, double a) {
    const double shape = a < 1 ? a + 1 : a, d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    const double less = a < 1 ? log(tips__rng_uniform(rng, 0)) / a : 0;
    for (uint64_t i = 1;; i += DRAWS) {
        const double x = tips__rng_normal(rng, i), v = 1 + c * x;
        if (v <= 0) continue;
        const double log_v = 3 * log(v), u = tips__rng_uniform(rng, i + 1);
        if (log(u) < 0.5 * x * x + d - d * exp(log_v) + d * log_v) return log(d) + log_v + less;
    }
}

double tips__rng_beta(tips_rng rng, double a) {
    const tips_rng other = {rng.seed, tips__rng_mix(rng.stream, 1)};
    return 1 / (1 + exp(log_gamma_draw(other, a) - log_gamma_draw(rng, a)));
}
