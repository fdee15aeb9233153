/* Worlds whose true figures are known, or are those of a hundred thousand pictures. */
#include "support/coverage.h"

#include "metric/average_precision.h"
#include "metric/correlation.h"
#include "metric/interval.h"
#include "metric/paired.h"
#include "support/compare.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = 100, BIG = 100000, ROUNDS = 150 };

static int times = 1;
static uint64_t state_of_chance;

static double uniform(void) {
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return ((double)(state_of_chance >> 11) + 0.5) * 0x1p-53;
}

static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

/* The least share that chance lets so many rounds of a true one have, once in some thousand cases. */
static double least(double share, int rounds) { return share - 3.3 * sqrt(share * (1 - share) / rounds); }

static void expect_share(double held, double share, int rounds, const char *what, int n) {
    if (held < least(share, rounds)) fail_msg("%s, %d: held in %.1f %% of %d rounds", what, n, 100 * held, rounds);
}

static bool holds(tips_figure f, double truth) { return f.low <= truth + 1e-9 && truth - 1e-9 <= f.high; }

/* Of every number of hits, by its probability: no chance in it. */
static double share_held(int n, double rate) {
    double held = 0;
    for (int hits = 0; hits <= n; hits++) {
        const double log_p = lgamma(n + 1.0) - lgamma(hits + 1.0) - lgamma(n - hits + 1.0) + hits * log(rate) +
                             (n - hits) * log1p(-rate);
        if (holds(tips__proportion(hits, n), 100 * rate)) held += exp(log_p);
    }
    return held;
}

static void shares_of_trials(void **state) {
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 21, 22, 23, 25, 30, 40, 60, 100, 200, 500};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (double odds = -8; odds <= 8; odds += 0.05) {
            const double rate = 1 / (1 + exp(-odds)), held = share_held(sizes[i], rate);
            if (held < 0.925) fail_msg("%d trials at %g: held in %.1f %%", sizes[i], rate, 100 * held);
        }
}

/* How much of a mask stays: evenly, or by shortfalls that are small in most pictures and large in some. */
typedef enum world { EVEN, BETA, EXPONENTIAL, LOGNORMAL, RARE, WORLDS } world;
static const char *const world_names[] = {"even", "beta", "exponential", "lognormal", "rare"};

static double share_of_picture(int w) {
    switch (w) {
    case EVEN: return 0.8 + 0.2 * uniform();
    case BETA: return pow(uniform(), 1.0 / 19);
    case EXPONENTIAL: return 1 - fmin(1, -0.03 * log(uniform()));
    case LOGNORMAL: return 1 - fmin(1, 0.02 * exp(normal()));
    default: return uniform() < 0.1 ? uniform() : 1;
    }
}

static void means_of_shares(void **state) {
    static const int sizes[] = {2, 3, 5, 7, 10, 20, 50, 100};
    double hits[MOST], ones[MOST];
    (void)state;
    for (int i = 0; i < MOST; i++) ones[i] = 1;
    for (int w = 0; w < WORLDS; w++) {
        double truth = 0;
        state_of_chance = 88172645463325252u;
        for (int i = 0; i < BIG; i++) truth += 100 * share_of_picture(w) / BIG;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int rounds = 2 * ROUNDS * times, n = sizes[s];
            int held = 0;
            for (int k = 0; k < rounds; k++) {
                tips_figure f;
                for (int i = 0; i < n; i++) hits[i] = share_of_picture(w);
                expect_ok(tips__part_of_all(hits, ones, n, &f));
                held += holds(f, truth);
            }
            expect_share((double)held / rounds, 0.93, rounds, world_names[w], n);
        }
    }
}

/* A ratio of sums in two classes, as mIoU is. */
typedef struct overlaps {
    double both[MOST][2], all[MOST][2];
} overlaps;

static void draw_overlap(double *both, double *all) {
    for (int c = 0; c < 2; c++) {
        const double area = c == 1 && uniform() < 0.3 ? 0 : -1000 * log(uniform()), right = pow(uniform(), 1.0 / 6);
        both[c] = area * right;
        all[c] = area + area * (1 - right) * -log(uniform());
    }
}

static double overlap_of(const void *context, const int *drawn, int images) {
    const overlaps *o = context;
    double both[2] = {0}, all[2] = {0}, sum = 0;
    int seen = 0;
    for (int i = 0; i < images; i++)
        for (int c = 0; c < 2; c++) both[c] += o->both[drawn[i]][c], all[c] += o->all[drawn[i]][c];
    for (int c = 0; c < 2; c++)
        if (all[c] > 0) sum += both[c] / all[c], seen++;
    return seen ? 100 * sum / seen : NAN;
}

static double overlap_of_many(void) {
    double both[2] = {0}, all[2] = {0};
    for (int i = 0; i < BIG; i++) {
        double b[2], a[2];
        draw_overlap(b, a);
        for (int c = 0; c < 2; c++) both[c] += b[c], all[c] += a[c];
    }
    return 50 * (both[0] / all[0] + both[1] / all[1]);
}

static void ratios(void **state) {
    static const int sizes[] = {3, 5, 7, 10, 20, 50};
    overlaps o;
    (void)state;
    state_of_chance = 88172645463325252u;
    const double truth = overlap_of_many();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int rounds = ROUNDS * times, n = sizes[s];
        int held = 0;
        for (int k = 0; k < rounds; k++) {
            tips_figure f;
            for (int i = 0; i < n; i++) draw_overlap(o.both[i], o.all[i]);
            expect_ok(tips__jackknife(overlap_of, &o, TIPS_SCALE_SHARE, n, &f));
            held += holds(f, truth);
        }
        expect_share((double)held / rounds, 0.93, rounds, "overlaps", n);
    }
}

/* Pictures of one class, with two objects each and answers whose scores tell more or less. */
enum { ANSWERS = 4, AP_PICTURES = 20000 };
typedef struct found {
    tips_find finds[ANSWERS];
    tips_class_objects count;
} found;

static void draw_found(found *f, tips_picture_finds *picture) {
    const double ease = 0.7 * normal();
    *f = (found){.count = {.label = 0}};
    for (int r = 0; r < TIPS_AREAS; r++) f->count.count[r] = 2;
    for (int i = 0; i < ANSWERS; i++) {
        const bool hit = i < 2;
        f->finds[i] = (tips_find){.score = normal() + (hit ? 1.2 + ease : 0.3 * ease), .label = 0};
        for (int r = 0; r < TIPS_AREAS; r++)
            *(hit ? &f->finds[i].hit[r] : &f->finds[i].miss[r]) = (1u << TIPS_RULES) - 1;
    }
    for (int i = 1; i < ANSWERS; i++) /* the best first */
        for (int k = i; k > 0 && f->finds[k - 1].score < f->finds[k].score; k--) {
            const tips_find swap = f->finds[k];
            f->finds[k] = f->finds[k - 1], f->finds[k - 1] = swap;
        }
    for (int i = 0; i < ANSWERS; i++) f->finds[i].rank = i;
    *picture = (tips_picture_finds){.finds = f->finds, .classes = &f->count, .n_finds = ANSWERS, .n_classes = 1};
}

static tips_figure precision_of(found *f, tips_picture_finds *pictures, int n) {
    tips_ap_index *index;
    tips_figure figures[TIPS_AP_FIGURES];
    for (int i = 0; i < n; i++) draw_found(&f[i], &pictures[i]);
    expect_ok(tips__ap_index_create(pictures, n, &index));
    expect_ok(tips__ap_intervals(index, figures));
    tips__ap_index_destroy(index);
    return figures[TIPS_AP50];
}

static void precisions(void **state) {
    static const int sizes[] = {5, 10, 20, 50};
    static found f[AP_PICTURES];
    static tips_picture_finds pictures[AP_PICTURES];
    (void)state;
    state_of_chance = 88172645463325252u;
    const double truth = precision_of(f, pictures, AP_PICTURES).value;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int rounds = ROUNDS / 3 * times, n = sizes[s];
        int held = 0;
        for (int k = 0; k < rounds; k++) held += holds(precision_of(f, pictures, n), truth);
        expect_share((double)held / rounds, 0.93, rounds, "average precision", n);
    }
}

/* Clusters with a correlation of their means and one within. */
typedef struct family {
    int each;
    double between, within, shared; /* shared: of the variance, between clusters */
} family;

static void draw_pair(double r, double *a, double *b) {
    *a = normal();
    *b = r * *a + sqrt(1 - r * r) * normal();
}

static void draw_clusters(const family *f, int clusters, double *x, double *y, int *cluster) {
    for (int g = 0; g < clusters; g++) {
        double means[2], parts[2];
        draw_pair(f->between, &means[0], &means[1]);
        for (int i = 0; i < f->each; i++) {
            const int at = g * f->each + i;
            draw_pair(f->within, &parts[0], &parts[1]);
            x[at] = sqrt(f->shared) * means[0] + sqrt(1 - f->shared) * parts[0];
            y[at] = sqrt(f->shared) * means[1] + sqrt(1 - f->shared) * parts[1];
            cluster[at] = g;
        }
    }
}

static void correlations(void **state) {
    static const int sizes[] = {2, 3, 4, 5, 6, 8, 12, 20};
    static const family families[] = {
        {10, 0, 0, 0.5}, {10, 0.5, -0.3, 0.6}, {25, -0.6, -0.3, 0.3}, {10, 0.8, 0.8, 0.5}, {5, -0.3, 0.2, 0.9}};
    double x[500], y[500];
    int cluster[500];
    (void)state;
    state_of_chance = 88172645463325252u;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const family *f = &families[i];
            const int rounds = ROUNDS * times, n = sizes[s];
            int held = 0, within = 0;
            for (int k = 0; k < rounds; k++) {
                tips_correlation c;
                draw_clusters(f, n, x, y, cluster);
                expect_ok(tips__correlate(x, y, cluster, n * f->each, &c));
                assert_true(isnan(c.clustered.low) == (n < TIPS_FEWEST_CLUSTERS));
                held += holds(c.clustered, f->shared * f->between + (1 - f->shared) * f->within);
                within += holds(c.within, f->within);
            }
            if (n < TIPS_FEWEST_CLUSTERS) continue;
            expect_share((double)held / rounds, 0.94, rounds, "clusters", n);
            expect_share((double)within / rounds, 0.93, rounds, "within clusters", n);
        }
}

/* Two models on the same pictures: right or wrong, more or less alike, or how much of a mask stays. */
typedef struct couple {
    const char *name;
    double first, second, alike; /* alike: share of pictures where the second does as the first */
} couple;

static void draw_couple(const couple *c, double *a, double *b) {
    if (c->first < 0) {
        const double hard = uniform();
        *a = 1 - fmin(1, -0.06 * hard * log(uniform()));
        *b = 1 - fmin(1, -0.04 * hard * log(uniform()));
        return;
    }
    *a = uniform() < c->first;
    *b = uniform() < c->alike ? *a : uniform() < c->second;
}

static void differences(void **state) {
    static const int sizes[] = {5, 7, 10, 20, 50, 100};
    static const couple couples[] = {{"apart", 0.7, 0.9, 0},       {"alike", 0.9, 0.95, 0.9},
                                     {"the same", 0.9, 0.9, 0.95}, {"never", 0.98, 0.98, 0.99},
                                     {"middle", 0.5, 0.5, 0.5},    {"masks", -1, -1, 0}};
    double a[MOST], b[MOST];
    (void)state;
    state_of_chance = 88172645463325252u;
    for (size_t i = 0; i < sizeof couples / sizeof *couples; i++) {
        const couple *c = &couples[i];
        const double truth = c->first < 0 ? 0 : 100 * (1 - c->alike) * (c->second - c->first);
        double mean = 0, one, two;
        for (int k = 0; k < BIG * 10 && c->first < 0; k++) {
            draw_couple(c, &one, &two);
            mean += 100 * (two - one) / BIG / 10;
        }
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int rounds = 2 * ROUNDS * times, n = sizes[s];
            int held = 0;
            for (int k = 0; k < rounds; k++) {
                for (int j = 0; j < n; j++) draw_couple(c, &a[j], &b[j]);
                const tips_paired p = tips__paired(a, b, n);
                held += holds(p.difference, truth + mean);
            }
            expect_share((double)held / rounds, 0.93, rounds, c->name, n);
        }
    }
}

int coverage_run(int factor) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_of_trials), cmocka_unit_test(means_of_shares),
                                       cmocka_unit_test(ratios),           cmocka_unit_test(precisions),
                                       cmocka_unit_test(correlations),     cmocka_unit_test(differences)};
    times = factor;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
