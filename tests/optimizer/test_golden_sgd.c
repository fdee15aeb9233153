/* SGD against PyTorch. */
#include "support/golden_steps.h"

static void with_max(void **state) { (void)state, golden_steps("sgd_max"); }
static void with_aps(void **state) { (void)state, golden_steps("sgd_aps"); }
static void with_tips_exact(void **state) { (void)state, golden_steps("sgd_tips_exact"); }
static void with_tips_exact_zero(void **state) { (void)state, golden_steps("sgd_tips_exact_zero"); }
static void with_nothing_before_it(void **state) { (void)state, golden_steps("sgd_tips_exact_alone"); }
static void with_several_steps_before(void **state) { (void)state, golden_steps("sgd_aps_max_lpf"); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_max),
        cmocka_unit_test(with_aps),
        cmocka_unit_test(with_tips_exact),
        cmocka_unit_test(with_tips_exact_zero),
        cmocka_unit_test(with_nothing_before_it),
        cmocka_unit_test(with_several_steps_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
