/* The interval of a share over pictures with several trials: how often it holds the true rate, in simulations from the
 * middle to the end, of few pictures and many, of trials that are alike and that are not. */
#include "metric/interval.h"
#include "support/compare.h"

#include <math.h>
#include <string.h>

enum { MOST = 500 };

static uint64_t state_of_chance = 88172645463325252u;

static double uniform(void) {
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return (double)(state_of_chance >> 11) * 0x1p-53;
}

/* Pictures whose trials agree always, sometimes, never more than by chance; few pictures that waver; graded answers. */
typedef enum world { INDEPENDENT, SOMETIMES, ALIKE, WAVERING, GRADED, WORLDS } world;
static const char *const world_names[] = {"independent", "sometimes alike", "alike", "wavering", "graded"};

static double count_hits(double rate, int trials) {
    double hits = 0;
    for (int i = 0; i < trials; i++) hits += uniform() < rate;
    return hits;
}

static double draw(world w, double rate, int trials) {
    if (w == GRADED) return trials * (1 - 2 * (1 - rate) * uniform());
    if (w == WAVERING) return uniform() < 2 * (1 - rate) ? count_hits(0.5, trials) : trials;
    if (w == ALIKE || (w == SOMETIMES && uniform() < 0.4)) return uniform() < rate ? trials : 0;
    return count_hits(rate, trials);
}

/* Share of rounds whose interval holds the rate, and the mean width in percent. */
static double cover(world w, double rate, int pictures, int trials, int rounds, double *width) {
    double hits[MOST], of[MOST];
    int held = 0;
    *width = 0;
    for (int i = 0; i < pictures; i++) of[i] = trials;
    for (int k = 0; k < rounds; k++) {
        for (int i = 0; i < pictures; i++) hits[i] = draw(w, rate, trials);
        const tips_figure f = tips__clustered(hits, of, pictures);
        assert_true(f.low <= f.value && f.value <= f.high && f.low >= 0 && f.high <= 100);
        held += f.low <= 100 * rate + 1e-9 && 100 * rate - 1e-9 <= f.high;
        *width += (f.high - f.low) / rounds;
    }
    return (double)held / rounds;
}

static void test_coverage(void **state) {
    static const double rates[] = {0.5, 0.9, 0.99, 0.999, 1};
    static const int pictures[] = {5, 20, 100, 500}, trials[] = {1, 2, 6, 20};
    double worst = 1, width;
    (void)state;
    for (int w = 0; w < WORLDS; w++)
        for (int r = 0; r < 5; r++)
            for (int n = 0; n < 4; n++)
                for (int m = 0; m < 4; m++) {
                    const int rounds = pictures[n] * trials[m] > 2000 ? 400 : 2000;
                    const double least = rounds < 1000 ? 0.915 : 0.93; /* by chance of so many rounds */
                    const double held = cover((world)w, rates[r], pictures[n], trials[m], rounds, &width);
                    test_case("%s, rate %g, %d pictures with %d", world_names[w], rates[r], pictures[n], trials[m]);
                    if (held < least) fail_case("the interval held it in %.1f %% of the rounds", 100 * held);
                    worst = fmin(worst, held);
                }
    print_message("least coverage %.1f %%\n", 100 * worst);
}

/* What is known well is not called unknown: no more than half as wide again as the normal interval of many pictures. */
static void test_width(void **state) {
    double width;
    (void)state;
    (void)cover(INDEPENDENT, 0.5, 100, 10, 500, &width);
    assert_true(width > 0.95 * 2 * 1.96 * 100 * sqrt(0.25 / 1000) && width < 1.5 * 2 * 1.96 * 100 * sqrt(0.25 / 1000));
    (void)cover(ALIKE, 0.5, 100, 10, 500, &width);
    assert_true(width > 0.95 * 2 * 1.96 * 100 * sqrt(0.25 / 100) && width < 1.15 * 2 * 1.96 * 100 * sqrt(0.25 / 100));
    (void)cover(INDEPENDENT, 0.9, 500, 20, 50, &width);
    assert_true(width < 1.3 * 2 * 1.96 * 100 * sqrt(0.09 / 10000));
}

static void test_ends(void **state) {
    static const double two[5] = {2, 2, 2, 2, 2}, none[5] = {0};
    (void)state;
    const tips_figure all = tips__clustered(two, two, 5), nothing = tips__clustered(none, two, 5);
    assert_true(all.value == 100 && all.high == 100 && all.low > 40 && all.low < 60);
    assert_true(nothing.value == 0 && nothing.low == 0);
    assert_true(fabs(nothing.high - (100 - all.low)) < 1e-9);
    assert_true(isnan(tips__clustered(none, none, 5).value));
    const tips_figure one = tips__clustered(two, two, 1);
    assert_true(one.value == 100 && one.low < 40);
}

/* A picture with most of the trials counts for most of the pictures: the others do not make it certain. */
static void test_unequal(void **state) {
    static const double equal[4] = {5, 5, 5, 5}, unequal[4] = {17, 1, 1, 1}, hits[4] = {3, 4, 5, 4};
    (void)state;
    assert_true(tips__clustered(unequal, unequal, 4).low < tips__clustered(equal, equal, 4).low);
    assert_true(tips__clustered(hits, equal, 4).value == 80);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coverage), cmocka_unit_test(test_width),
                                       cmocka_unit_test(test_ends), cmocka_unit_test(test_unequal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
