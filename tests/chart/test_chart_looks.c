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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(series_can_be_told_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
