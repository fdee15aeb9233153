/* Series of one chart can be told apart, also where colours begin again. */
#include "chart/chart_parts.h"
#include "support/compare.h"

enum { SERIES = 32 };

static void series_can_be_told_apart(void **state) {
    (void)state;
    for (int a = 0; a < SERIES; a++)
        for (int b = a + 1; b < SERIES; b++)
            if (tips__look_paint(a) == tips__look_paint(b) && tips__look_dash(a) == tips__look_dash(b))
                fail_msg("series %d and %d look alike", a, b);
}

static const char *const names[] = {"a", "lps:temperature=0.01, group:2, slow and then fast, circular padding"};

static void long_names_widen_a_chart(void **state) {
    (void)state;
    const double longest = tips__text_width(names[1], CHART_LABEL, false);
    const tips_chart dots = {.kind = TIPS_CHART_DOTS, .categories = names, .n_categories = 2};
    tips_chart few = dots;
    few.n_categories = 1;
    assert_true(tips__chart_width(&dots) >= tips__chart_width(&few) + longest - 190);
    const tips_chart rows = {
        .kind = TIPS_CHART_HEAT, .rows = 2, .columns = 1, .row_names = names, .column_names = names};
    const tips_chart columns = {
        .kind = TIPS_CHART_HEAT, .rows = 1, .columns = 2, .row_names = names, .column_names = names};
    assert_true(tips__chart_width(&rows) >= tips__chart_width(&columns) + longest - 40);
    tips_chart short_columns = columns;
    short_columns.column_names = (const char *const[]){"a", "b"};
    assert_true(tips__chart_height(&columns) >= tips__chart_height(&short_columns) + longest - 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(series_can_be_told_apart),
                                       cmocka_unit_test(long_names_widen_a_chart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
