/* Wilson's score interval and the percentile bootstrap. */
#include "metric/interval.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/rng.h"
#include "core/threads.h"

#include <math.h>
#include <stdbool.h>
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

/* Images drawn with replacement for one round; four draws a counter. */
static void draw(int images, tips_rng rng, int *drawn) {
    uint32_t words[4];
    for (int i = 0; i < images; i++) {
        if (i % 4 == 0) tips__rng_words(rng, (uint64_t)(i / 4), words);
        drawn[i] = (int)((uint64_t)words[i % 4] * (uint64_t)images >> 32);
    }
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

static tips_figure interval_of(double value, double *rounds) {
    int usable = TIPS_BOOTSTRAP_ROUNDS;
    qsort(rounds, TIPS_BOOTSTRAP_ROUNDS, sizeof *rounds, by_value);
    while (usable > 1 && isnan(rounds[usable - 1])) usable--;
    return (tips_figure){value, percentile(rounds, usable, 0.025), percentile(rounds, usable, 0.975)};
}

/* The memory of a bootstrap. */
typedef struct rounds_room {
    double *values; /* (count): of all images */
    double *rounds; /* (count, TIPS_BOOTSTRAP_ROUNDS) */
    double *round;  /* (threads, count) */
    int *drawn;     /* (threads, images) */
} rounds_room;

static void run_rounds(tips_statistics *statistics, const void *context, int count, int images, uint64_t seed,
                       const rounds_room *r, tips_figure *out) {
    bool any = false;
    for (int i = 0; i < images; i++) r->drawn[i] = i;
    statistics(context, r->drawn, images, r->values);
    for (int k = 0; k < count; k++) any = any || !isnan(r->values[k]);
    if (!any) return;
    TIPS_PARALLEL_FOR (i, TIPS_BOOTSTRAP_ROUNDS) {
        const tips_rng rng = {.seed = seed, .stream = tips__rng_mix(STREAM_BOOTSTRAP, (uint64_t)i)};
        const size_t thread = (size_t)omp_get_thread_num();
        int *drawn = r->drawn + thread * (size_t)images;
        double *round = r->round + thread * (size_t)count;
        draw(images, rng, drawn);
        statistics(context, drawn, images, round);
        for (int k = 0; k < count; k++) r->rounds[(size_t)k * TIPS_BOOTSTRAP_ROUNDS + (size_t)i] = round[k];
    }
    for (int k = 0; k < count; k++)
        if (!isnan(r->values[k])) out[k] = interval_of(r->values[k], r->rounds + (size_t)k * TIPS_BOOTSTRAP_ROUNDS);
}

tips_status tips__bootstrap_several(tips_statistics *statistics, const void *context, int count, int images,
                                    uint64_t seed, tips_figure *out) {
    const size_t n = (size_t)count, threads = (size_t)tips__threads();
    rounds_room r;
    for (int k = 0; k < count; k++) out[k] = tips__figure_none();
    if (images < 1) return TIPS_OK;
    TIPS_TRY(tips__new(&r.values, n * (1 + TIPS_BOOTSTRAP_ROUNDS + threads) * sizeof *r.values,
                       "the rounds of a bootstrap"));
    r.rounds = r.values + n;
    r.round = r.rounds + n * TIPS_BOOTSTRAP_ROUNDS;
    const tips_status status =
        tips__new(&r.drawn, threads * (size_t)images * sizeof *r.drawn, "the draws of a bootstrap");
    if (status == TIPS_OK) {
        run_rounds(statistics, context, count, images, seed, &r, out);
        tips__free(r.drawn);
    }
    tips__free(r.values);
    return status;
}

typedef struct one_statistic {
    tips_statistic *of;
    const void *context;
} one_statistic;

static void run_one(const void *context, const int *drawn, int images, double *value) {
    const one_statistic *s = context;
    *value = s->of(s->context, drawn, images);
}

tips_status tips__bootstrap_of(tips_statistic *statistic, const void *context, int images, uint64_t seed,
                               tips_figure *out) {
    return tips__bootstrap_several(run_one, &(one_statistic){statistic, context}, 1, images, seed, out);
}

typedef struct shares {
    const double *hits, *trials;
} shares;

static double share_of(const void *context, const int *drawn, int images) {
    const shares *s = context;
    double sum = 0, of = 0;
    for (int i = 0; i < images; i++) sum += s->hits[drawn[i]], of += s->trials[drawn[i]];
    return of > 0 ? 100 * sum / of : NAN;
}

tips_status tips__bootstrap(const double *hits, const double *trials, int images, uint64_t seed, tips_figure *out) {
    return tips__bootstrap_of(share_of, &(shares){hits, trials}, images, seed, out);
}
