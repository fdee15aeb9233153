/* Metrics by hand-computed cases: intervals, accuracy, consistency, heat maps, MSB. */
#include "support/compare.h"

#include "metric/accuracy.h"
#include "metric/consistency.h"
#include "metric/heatmap.h"
#include "metric/interval.h"
#include "metric/paired.h"

#include <math.h>
#include <string.h>

static void expect_figure(tips_figure got, double value, double low, double high, double tolerance) {
    assert_true(fabs(got.value - value) <= tolerance);
    assert_true(fabs(got.low - low) <= tolerance);
    assert_true(fabs(got.high - high) <= tolerance);
}

/* Numbers from the closed form and from tables, as statistics packages print them. */
static void test_proportion(void **state) {
    (void)state;
    expect_figure(tips__proportion(8, 10), 80, 44.3905, 97.4789, 1e-4);
    expect_figure(tips__proportion(2, 10), 20, 2.5211, 55.6095, 1e-4);
    expect_figure(tips__proportion(50, 100), 50, 40.38315, 59.61685, 1e-4); /* Wilson's from here on */
    expect_figure(tips__proportion(11, 30), 36.66667, 21.87392, 54.48644, 1e-4);
    expect_figure(tips__proportion(10, 30), 33.33333, 17.28742, 52.81202, 1e-4);
    expect_figure(tips__proportion(0, 10), 0, 0, 30.84971, 1e-4);
    expect_figure(tips__proportion(10, 10), 100, 69.15029, 100, 1e-4);
    expect_figure(tips__proportion(1, 1), 100, 2.5, 100, 1e-4);
    expect_figure(tips__proportion(9999, 10000), 99.99, 99.94430, 99.99975, 1e-4);
    assert_true(tips__proportion(0, 10).low == 0 && tips__proportion(10, 10).high == 100);
    assert_true(isnan(tips__proportion(0, 0).value));
}

/* Seven pictures that keep 90.6 to 98.8 percent of their pixels: nothing says 52. And none is no spread. */
static void test_means(void **state) {
    const double kept[7] = {0.906, 0.921, 0.944, 0.957, 0.966, 0.975, 0.988}, ones[7] = {1, 1, 1, 1, 1, 1, 1};
    const double equal[2] = {3, 3}, apart[2] = {2, 4};
    tips_figure f;
    (void)state;
    expect_ok(tips__part_of_all(kept, ones, 7, &f));
    assert_true(fabs(f.value - 95.1) < 0.01 && f.low > 89 && f.low < 92.5 && f.high > 96.8 && f.high < 98.8);
    expect_ok(tips__mean_figure(equal, 2, TIPS_SCALE_DIFFERENCE, &f));
    assert_true(f.value == 3 && isnan(f.low) && isnan(f.high));
    expect_ok(tips__mean_figure(equal, 1, TIPS_SCALE_DIFFERENCE, &f));
    assert_true(f.value == 3 && isnan(f.low));
    expect_ok(tips__mean_figure(apart, 2, TIPS_SCALE_DIFFERENCE, &f));
    assert_true(f.value == 3 && f.low < 3 - 12.7 && f.high > 3 + 12.7);
    expect_ok(tips__mean_figure(apart, 2, TIPS_SCALE_AMOUNT, &f));
    assert_true(f.low > 0 && f.low < 1 && f.high > 9);
}

/* Trials of one picture go together: ten pictures of 100 equal answers tell no more than ten answers. */
static void test_clusters(void **state) {
    double hits[10], trials[10];
    (void)state;
    for (int i = 0; i < 10; i++) hits[i] = i < 5 ? 100 : 0, trials[i] = 100;
    const tips_figure clustered = tips__clustered(hits, trials, 10), naive = tips__proportion(500, 1000);
    assert_true(clustered.high - clustered.low > 5 * (naive.high - naive.low));
}

/* A picture more of one model than of the other: both intervals overlap, and that of the difference leaves out 0. */
static void test_paired(void **state) {
    double first[100], second[100];
    tips_paired p;
    (void)state;
    for (int i = 0; i < 100; i++) first[i] = i < 60, second[i] = i < 70;
    p = tips__paired(first, second, 100);
    assert_true(p.images == 100 && p.more == 10 && p.less == 0 && fabs(p.difference.value - 10) < 1e-9);
    assert_true(p.difference.low > 2 && p.difference.high < 18);
    assert_true(tips__proportion(60, 100).high > tips__proportion(70, 100).low);
    p = tips__paired(first, first, 100);
    assert_true(p.difference.value == 0 && p.difference.low < -3 && p.difference.high > 3 && p.difference.high < 4);
    p = tips__paired(first, second, 0);
    assert_true(isnan(p.difference.value));
}

static void test_answers(void **state) {
    const float scores[6] = {0.5f, 2, -1, 2, 0.25f, 1};
    int best[3];
    double probability[6], sum = 0;
    (void)state;
    assert_int_equal(tips__answer(scores, 6), 1);
    assert_int_equal(tips__rank(scores, 6, 1), 0);
    assert_int_equal(tips__rank(scores, 6, 3), 1);
    assert_int_equal(tips__rank(scores, 6, 5), 2);
    assert_int_equal(tips__rank(scores, 6, 2), 5);
    tips__best(scores, 6, 3, best);
    assert_int_equal(best[0], 1);
    assert_int_equal(best[1], 3);
    assert_int_equal(best[2], 5);
    tips__softmax(scores, 6, probability);
    for (int i = 0; i < 6; i++) sum += probability[i];
    assert_true(fabs(sum - 1) < 1e-12 && fabs(probability[5] / probability[1] - exp(-1)) < 1e-12);
    assert_true(tips__scores_finite(scores, 6));
    assert_false(tips__scores_finite((const float[2]){1, NAN}, 2));
    assert_false(tips__scores_finite((const float[2]){INFINITY, 1}, 2));
}

static tips_pair_count count_classes(const int *answers, int views, bool sequence, int label) {
    const tips_class_answers classes = {answers, label};
    const tips_answers list = {tips__compare_classes, &classes};
    return tips__count_pairs(&list, 0, views, sequence);
}

static void test_pairs(void **state) {
    const int answers[6] = {3, 3, 1, 2, 5, 5};
    (void)state;
    tips_pair_count count = count_classes(answers, 6, false, 3);
    assert_int_equal(count.pairs, 3);
    assert_true(count.agree == 2);
    assert_true(count.right == 1);
    count = count_classes(answers, 6, true, 5); /* 33 31 12 25 55 */
    assert_int_equal(count.pairs, 5);
    assert_true(count.agree == 2);
    assert_true(count.right == 1);
    count = count_classes(answers, 1, true, 3);
    assert_int_equal(count.pairs, 0);
}

static void test_consistency(void **state) {
    const tips_pair_count one[4] = {{1, 1, 1}, {1, 1, 0}, {1, 0, 0}, {1, 1, 1}};
    const tips_pair_count many[4] = {{4, 4, 4}, {4, 2, 0}, {4, 0, 0}, {4, 4, 3}};
    tips_figure consistency, fidelity;
    (void)state;
    expect_ok(tips__consistency(one, 4, false, &consistency, &fidelity));
    const tips_figure agree = tips__proportion(3, 4), right = tips__proportion(2, 4);
    assert_memory_equal(&consistency, &agree, sizeof agree);
    assert_memory_equal(&fidelity, &right, sizeof right);
    expect_ok(tips__consistency(many, 4, false, &consistency, &fidelity));
    assert_true(consistency.value == 62.5 && fidelity.value == 43.75);
    assert_true(consistency.low < consistency.value && consistency.value < consistency.high);
    assert_true(consistency.low >= 0 && consistency.high <= 100);
}

/* Agreement in parts has no interval of trials. */
static void test_graded_consistency(void **state) {
    const tips_agreement parts[4] = {{1, 0.5}, {0.75, 0.25}, {0.5, 0}, {0.25, 0.25}};
    tips_figure consistency, fidelity;
    (void)state;
    expect_ok(tips__agreements(parts, 4, true, &consistency, &fidelity));
    assert_true(consistency.value == 62.5 && fidelity.value == 25);
    assert_true(consistency.low > 10 && consistency.low < 40 && consistency.high <= 100 && consistency.high > 62.5);
}

/* Fidelity is at most consistency, and at most the share of views that are right; accuracy x consistency is another
 * number: here 25 against 50. */
static void test_fidelity_is_no_product(void **state) {
    const int answers[2][2] = {{7, 7}, {1, 2}};
    tips_pair_count counts[2];
    tips_figure consistency, fidelity;
    (void)state;
    for (int i = 0; i < 2; i++) counts[i] = count_classes(answers[i], 2, false, 7);
    expect_ok(tips__consistency(counts, 2, false, &consistency, &fidelity));
    const double accuracy = 50;
    assert_true(consistency.value == 50 && fidelity.value == 50);
    assert_true(fidelity.value <= consistency.value && fidelity.value <= accuracy);
    assert_true(accuracy * consistency.value / 100 == 25);
}

static void test_ranges(void **state) {
    const tips_shift_range range = {.low = {-1, 0}, .high = {1, 3}};
    int shift[2];
    (void)state;
    assert_int_equal(tips__range_cells(&range), 12);
    for (int cell = 0; cell < 12; cell++) {
        tips__range_shift(&range, cell, shift);
        assert_int_equal(tips__range_cell(&range, shift[0], shift[1]), cell);
    }
    tips__range_shift(&range, 0, shift);
    assert_true(shift[0] == -1 && shift[1] == 0);
    tips__range_shift(&range, 11, shift);
    assert_true(shift[0] == 1 && shift[1] == 3);
}

static void test_heatmap(void **state) {
    const tips_shift_range range = {.high = {1, 1}};
    const int answers[4][4] = {{1, 1, 1, 1}, {2, 2, 2, 0}, {3, 3, 3, 3}, {0, 1, 1, 1}};
    const int labels[4] = {1, 2, 5, 1};
    tips_heatmap map;
    (void)state;
    expect_ok(tips__heatmap_create(&range, &map));
    assert_true(isnan(tips__heatmap_share(&map, 0)));
    double same = 0, right = 0;
    for (int i = 0; i < 4; i++) {
        const tips_class_answers classes = {answers[i], labels[i]};
        const tips_agreement worst = tips__heatmap_add(&map, &(tips_answers){tips__compare_classes, &classes}, 0);
        same += worst.agree;
        right += worst.right;
    }
    assert_true(tips__heatmap_share(&map, 0) == 100 && tips__heatmap_share(&map, 1) == 75);
    assert_true(tips__heatmap_share(&map, 2) == 75 && tips__heatmap_share(&map, 3) == 50);
    assert_int_equal(map.images, 4);
    assert_true(same == 2 && right == 1);
    tips__heatmap_clear(&map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proportion),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_paired),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_consistency),
        cmocka_unit_test(test_graded_consistency),
        cmocka_unit_test(test_fidelity_is_no_product),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_heatmap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
