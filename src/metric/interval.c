/* Wilson's score interval and the percentile bootstrap. */
#include "metric/interval.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>

static const double z95 = 1.959963984540054; /* the 97.5 % point of the normal distribution */

enum { STREAM_BOOTSTRAP = 71 };

tips_figure tips__figure_none(void) { return (tips_figure){NAN, NAN, NAN}; }

tips_figure tips__figure_plain(double value) { return (tips_figure){value, NAN, NAN}; }

/* The ends are exact at 0 and 1, where rounding would leave a trace. */
tips_figure tips__wilson(int64_t hits, int64_t trials) {
    if (trials <= 0) return tips__figure_none();
    const double n = (double)trials, p = (double)hits / n, z2 = z95 * z95;
    const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double half = z95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    return (tips_figure){100 * p, hits == 0 ? 0 : 100 * (middle - half), hits == trials ? 100 : 100 * (middle + half)};
}

static double share(const double *hits, const double *trials, int images) {
    double sum = 0, of = 0;
    for (int i = 0; i < images; i++) sum += hits[i], of += trials[i];
    return of > 0 ? 100 * sum / of : NAN;
}

/* The share in one round of images drawn with replacement; four draws a counter. */
static double resample(const double *hits, const double *trials, int images, tips_rng rng) {
    double sum = 0, of = 0;
    uint32_t words[4];
    for (int i = 0; i < images; i++) {
        if (i % 4 == 0) tips__rng_words(rng, (uint64_t)(i / 4), words);
        const int drawn = (int)((uint64_t)words[i % 4] * (uint64_t)images >> 32);
        sum += hits[drawn];
        of += trials[drawn];
    }
    return of > 0 ? 100 * sum / of : NAN;
}

/* Rounds that drew nothing but images without trials come last. */
static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, int count, double share_below) {
    const double at = share_below * (count - 1);
    const int below = (int)at, above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}

tips_status tips__bootstrap(const double *hits, const double *trials, int images, uint64_t seed, tips_figure *out) {
    const double value = share(hits, trials, images);
    double *rounds;
    if (isnan(value)) {
        *out = tips__figure_none();
        return TIPS_OK;
    }
    TIPS_TRY(tips__new(&rounds, TIPS_BOOTSTRAP_ROUNDS * sizeof *rounds, "the rounds of a bootstrap"));
    TIPS_PARALLEL_FOR (i, TIPS_BOOTSTRAP_ROUNDS) {
        const tips_rng rng = {.seed = seed, .stream = tips__rng_mix(STREAM_BOOTSTRAP, (uint64_t)i)};
        rounds[i] = resample(hits, trials, images, rng);
    }
    qsort(rounds, TIPS_BOOTSTRAP_ROUNDS, sizeof *rounds, by_value);
    int usable = TIPS_BOOTSTRAP_ROUNDS;
    while (usable > 1 && isnan(rounds[usable - 1])) usable--;
    *out = (tips_figure){value, percentile(rounds, usable, 0.025), percentile(rounds, usable, 0.975)};
    tips__free(rounds);
    return TIPS_OK;
}
