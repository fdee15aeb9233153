/* Correlations against numbers that NumPy gives: corrcoef, of all and without each cluster, and ranks counted one by
 * one. Six groups of five, within which y falls with x much more steeply than over all. */
#include "metric/correlation.h"
#include "support/compare.h"

#include <math.h>
#include <stdbool.h>

enum { EACH = 5, GROUPS = 6, ALL = EACH * GROUPS };
static const double x[ALL] = {7,  16, 16, -5, 28, 80, 65, 70, 78, 69,  42, 28, 52, 47, 48,
                              50, 88, 70, 63, 92, 88, 71, 83, 61, 101, 48, 44, 66, 33, 60};
static const double y[ALL] = {87.9, 81.1, 84.1, 85.1, 71.4, 63.8, 77.1, 83.0, 72.7, 72.2, 86.8, 84.3, 76.6, 78.7, 76.8,
                              91.5, 75.6, 88.8, 88.5, 84.9, 81.7, 80.7, 84.3, 98.1, 77.8, 79.1, 79.0, 73.0, 85.9, 74.3};
static const double within[GROUPS] = {-0.7910272451192989, -0.6874700029881661, -0.7190806591295074,
                                      -0.7776276193663316, -0.7915228877534823, -0.97820713399089};

static void assert_near(double a, double b, double most) {
    if (!(fabs(a - b) <= most)) fail_msg("%.12g is not %.12g", a, b);
}

static void assert_same(const tips_correlation *a, const tips_correlation *b) {
    assert_true(a->n == b->n && a->clusters == b->clusters);
    assert_near(a->fisher.value, b->fisher.value, 0);
    assert_near(a->clustered.low, b->clustered.low, 0);
    assert_near(a->clustered.high, b->clustered.high, 0);
    assert_near(a->within.value, b->within.value, 0);
    assert_near(a->rho, b->rho, 0);
}

static void number_groups(int *cluster) {
    for (int i = 0; i < ALL; i++) cluster[i] = i / EACH;
}

static void numpy_agrees(void **state) {
    (void)state;
    double rho;
    const tips_figure f = tips__fisher(tips__pearson(x, y, ALL), ALL);
    assert_near(f.value, -0.247443524955666, 1e-13);
    assert_near(f.low, -0.557971647294051, 1e-13);
    assert_near(f.high, 0.123868076675579, 1e-13);
    assert_int_equal(tips__spearman(x, y, ALL, &rho), TIPS_OK);
    assert_near(rho, -0.243878029515422, 1e-13);
    for (int g = 0; g < GROUPS; g++) assert_near(tips__pearson(x + g * EACH, y + g * EACH, EACH), within[g], 1e-13);
}

/* Below five clusters nothing tells how they spread. */
static void few_clusters_have_no_interval(void **state) {
    (void)state;
    int cluster[ALL];
    tips_correlation c;
    number_groups(cluster);
    for (int groups = 2; groups < 5; groups++) {
        assert_int_equal(tips__correlate(x, y, cluster, groups * EACH, &c), TIPS_OK);
        assert_int_equal(c.n, groups * EACH);
        assert_int_equal(c.clusters, groups);
        assert_true(isnan(c.clustered.low) && isnan(c.clustered.high) && isnan(c.within.low));
    }
    assert_near(c.clustered.value, tips__pearson(x, y, 4 * EACH), 0);
    assert_int_equal(tips__correlate(x, y, cluster, 5 * EACH, &c), TIPS_OK);
    assert_true(c.clustered.low < c.clustered.value && c.clustered.value < c.clustered.high);
}

/* NumPy's corrcoef of values less the means of their groups. */
static void means_of_clusters_are_taken_off(void **state) {
    (void)state;
    static const double steps[4] = {1, 2, 11, 12}, falls[4] = {6, 5, 26, 25}, flat[4] = {1, 1, 11, 11};
    static const int pairs[4] = {0, 0, 1, 1};
    int cluster[ALL];
    tips_correlation c;
    number_groups(cluster);
    assert_int_equal(tips__correlate(x, y, cluster, ALL, &c), TIPS_OK);
    assert_near(c.within.value, -0.7592007817416669, 1e-13);
    assert_int_equal(tips__correlate(x, y, cluster, 3 * EACH, &c), TIPS_OK);
    assert_near(c.within.value, -0.7017248446985013, 1e-13);
    assert_int_equal(tips__correlate(steps, falls, pairs, 4, &c), TIPS_OK); /* rises over all, falls in each */
    assert_true(c.fisher.value > 0.9);
    assert_near(c.within.value, -1, 1e-12);
    assert_int_equal(tips__correlate(flat, falls, pairs, 4, &c), TIPS_OK);
    assert_true(c.fisher.value > 0.9 && isnan(c.within.value) && isnan(c.within.low));
}

/* NumPy's corrcoef without each of the six, and Student's point of five degrees of freedom. */
static void clusters_are_left_out_one_by_one(void **state) {
    (void)state;
    int cluster[ALL];
    tips_correlation c, again;
    number_groups(cluster);
    assert_int_equal(tips__correlate(x, y, cluster, ALL, &c), TIPS_OK);
    assert_int_equal(c.clusters, GROUPS);
    assert_near(c.clustered.low, -0.6988, 1e-3);
    assert_near(c.clustered.high, 0.3448, 1e-3);
    assert_near(c.within.low, -0.8783, 1e-3);
    assert_near(c.within.high, -0.5514, 1e-3);
    assert_int_equal(tips__correlate(x, y, cluster, ALL, &again), TIPS_OK);
    assert_same(&c, &again);
}

static void gaps_do_not_count(void **state) {
    (void)state;
    double with_gaps[2][ALL + 3];
    int cluster[ALL + 3];
    tips_correlation whole, gappy;
    number_groups(cluster);
    assert_int_equal(tips__correlate(x, y, cluster, ALL, &whole), TIPS_OK);
    for (int i = 0, at = 0; at < ALL + 3; at++) {
        const bool is_gap = at == 2 || at == 9 || at == ALL + 2;
        with_gaps[0][at] = is_gap && at != 9 ? NAN : is_gap ? 5 : x[i];
        with_gaps[1][at] = is_gap && at == 9 ? NAN : is_gap ? 5 : y[i];
        cluster[at] = is_gap ? GROUPS + at : i / EACH; /* a cluster of nothing but gaps is none */
        i += !is_gap;
    }
    assert_int_equal(tips__correlate(with_gaps[0], with_gaps[1], cluster, ALL + 3, &gappy), TIPS_OK);
    assert_same(&whole, &gappy);
}

static void what_cannot_be_said_is_no_number(void **state) {
    (void)state;
    const double same[4] = {0.1, 0.1, 0.1, 0.1}, rising[4] = {1, 2, 3, 4}, hundred[4] = {100, 100, 100, 100};
    const int one[4] = {0, 0, 0, 0};
    tips_correlation c;
    assert_true(isnan(tips__pearson(same, rising, 4)) && isnan(tips__pearson(rising, hundred, 4)));
    assert_true(isnan(tips__pearson(rising, rising, 1)) && isnan(tips__pearson(rising, rising, 0)));
    assert_near(tips__pearson(rising, rising, 2), 1, 0);
    assert_true(isnan(tips__fisher(0.5, 3).low) && tips__fisher(0.5, 3).value == 0.5);
    assert_near(tips__fisher(1, 9).low, 1, 0);
    assert_int_equal(tips__correlate(rising, hundred, one, 4, &c), TIPS_OK);
    assert_true(c.n == 4 && isnan(c.fisher.value) && isnan(c.rho) && isnan(c.clustered.low));
    assert_int_equal(tips__correlate(rising, same, one, 0, &c), TIPS_OK);
    assert_true(c.n == 0 && isnan(c.fisher.value));
    assert_int_equal(tips__correlate(rising, rising, one, 4, &c), TIPS_OK);
    assert_true(c.clusters == 1 && isnan(c.clustered.low) && c.clustered.value == 1);
}

static void student_is_as_tables_have_it(void **state) {
    (void)state;
    static const double tables[][2] = {{1, 12.706}, {2, 4.303},  {4, 2.776},  {9, 2.262},
                                       {10, 2.228}, {15, 2.131}, {30, 2.042}, {1e9, 1.960}};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        assert_near(tips__student(tables[i][0]), tables[i][1], 1e-3);
    assert_near(tips__student(2.5), 3.5747, 0.1); /* between the rows, on the safe side */
    assert_true(tips__student(0.5) == tips__student(1) && tips__student(9.99) > tips__student(10));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy_agrees),
        cmocka_unit_test(few_clusters_have_no_interval),
        cmocka_unit_test(means_of_clusters_are_taken_off),
        cmocka_unit_test(clusters_are_left_out_one_by_one),
        cmocka_unit_test(gaps_do_not_count),
        cmocka_unit_test(student_is_as_tables_have_it),
        cmocka_unit_test(what_cannot_be_said_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
