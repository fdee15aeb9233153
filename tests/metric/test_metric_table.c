/* The table of metrics: its rows belong together, and the list of a task's and the common ones is gone over whole. */
#include "support/compare.h"

#include "task/classify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define OWN (tips__tasks[0]->metrics)

static int count_metrics(void) {
    int count = 0;
    while (tips__metric_at(OWN, count)) count++;
    return count;
}

static void test_list(void **state) {
    (void)state;
    assert_int_equal(count_metrics(), TIPS_CLASSIFY_METRICS + TIPS_COMMON_METRICS);
    assert_ptr_equal(tips__metric_at(OWN, 0), &OWN[0]);
    for (int i = 0; i < TIPS_COMMON_METRICS; i++)
        assert_ptr_equal(tips__metric_at(OWN, tips__metric_index(OWN, (tips_common_metric)i)),
                         &tips__common_metrics[i]);
}

static void test_names(void **state) {
    (void)state;
    for (int i = 0; i < count_metrics(); i++) {
        const tips_metric *m = tips__metric_at(OWN, i);
        test_case("%s", m->name);
        if (!m->unit || !m->help || m->help[strlen(m->help) - 1] == '.') fail_case("its unit or its help");
        for (int k = 0; k < i; k++)
            if (strcmp(tips__metric_at(OWN, k)->name, m->name) == 0) fail_case("is there twice");
    }
    assert_string_equal(tips__common_metrics[TIPS_METRIC_STANDARD_WORST_CONSISTENCY].name,
                        "standard_worst_consistency");
}

/* Places of circular metrics are found from those of standard ones. */
static void test_kinds(void **state) {
    (void)state;
    for (int i = 0; i < TIPS_METRICS_PER_KIND; i++) {
        const tips_metric *standard = &tips__common_metrics[i],
                          *circular = &tips__common_metrics[i + TIPS_METRICS_PER_KIND];
        test_case("%s", standard->name);
        if (standard->kind != TIPS_STANDARD || circular->kind != TIPS_CIRCULAR) fail_case("not of its kind");
        if (strncmp(standard->name, "standard_", 9) != 0 || strncmp(circular->name, "circular_", 9) != 0)
            fail_case("not named after its kind");
        if (strcmp(tips__metric_base(standard), tips__metric_base(circular)) != 0) fail_case("no pair");
        if (standard->need != circular->need || standard->better != circular->better) fail_case("unlike");
    }
    for (int i = 2 * TIPS_METRICS_PER_KIND; i < TIPS_COMMON_METRICS; i++)
        assert_int_equal(tips__common_metrics[i].kind, TIPS_SHIFT_KINDS);
    assert_string_equal(tips__metric_base(&tips__common_metrics[TIPS_METRIC_CIRCULAR_WORST_ACCURACY]),
                        "worst_accuracy");
    assert_string_equal(tips__metric_base(&tips__common_metrics[TIPS_METRIC_MSB]), "msb");
}

static void test_pairs(void **state) {
    int order[TIPS_MOST_METRICS];
    bool seen[TIPS_MOST_METRICS] = {false};
    (void)state;
    assert_int_equal(tips__metric_pairs(OWN, order), count_metrics());
    for (int i = 0; i < count_metrics(); i++) {
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
        if (tips__metric_at(OWN, order[i])->kind == TIPS_CIRCULAR)
            assert_string_equal(tips__metric_base(tips__metric_at(OWN, order[i])),
                                tips__metric_base(tips__metric_at(OWN, order[i - 1])));
    }
}

static void test_labels(void **state) {
    char text[64];
    (void)state;
    tips__metric_label(&tips__common_metrics[TIPS_METRIC_STANDARD_WORST_CONSISTENCY], 25, text, sizeof text);
    assert_string_equal(text, "standard, same under all 25 shifts");
    tips__metric_label(&tips__common_metrics[TIPS_METRIC_MSB], 25, text, sizeof text);
    assert_string_equal(text, "MSB");
}

static void test_figures(void **state) {
    tips_figures f = tips__figures_none(OWN);
    (void)state;
    for (int i = 0; i < count_metrics(); i++) assert_true(isnan(tips__figure_at(&f, i).value));
    f.own[TIPS_CLASSIFY_TOP5] = tips__figure_plain(7);
    *tips__figure_of_kind(&f, TIPS_METRIC_STANDARD_FIDELITY, TIPS_CIRCULAR) = tips__figure_plain(8);
    for (int i = 0; i < count_metrics(); i++) {
        const char *name = tips__metric_at(OWN, i)->name;
        const double value = tips__figure_at(&f, i).value;
        if (strcmp(name, "top5") == 0) assert_true(value == 7);
        else if (strcmp(name, "circular_fidelity") == 0) assert_true(value == 8);
        else assert_true(isnan(value));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),  cmocka_unit_test(test_names),  cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_pairs), cmocka_unit_test(test_labels), cmocka_unit_test(test_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
