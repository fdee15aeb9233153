/* What training begins with where nothing is said: by the table, the task, the optimiser; and who goes before whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task/task.h"
#include "train/train_options.h"

static tips_train_config defaults_for(const char *arch, const char *task, const char *optimizer) {
    tips_train_config said, config;
    assert_int_equal(tips__train_defaults(NULL, &said), TIPS_OK);
    if (arch) said.model.arch = arch;
    if (task) said.model.task = task;
    if (optimizer) said.optimizer = optimizer;
    assert_int_equal(tips__train_defaults(&said, &config), TIPS_OK);
    return config;
}

static void test_classifiers_begin_as_the_table_says(void **state) {
    const tips_train_config c = defaults_for(NULL, NULL, NULL);
    (void)state;
    assert_string_equal(c.optimizer, "sgd");
    assert_float_equal(c.schedule.lr, 0.05, 0);
    assert_float_equal(c.clip, 0, 0);
    assert_int_equal(c.batch, 64);
}

static void test_detectors_begin_with_their_own(void **state) {
    static const char *const archs[] = {"retinanet", "fasterrcnn"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tips_train_config c = defaults_for(archs[i], NULL, NULL);
        assert_string_equal(c.optimizer, "adamw");
        assert_float_equal(c.schedule.lr, 0.001, 0);
        assert_float_equal(c.clip, 1, 0);
        assert_int_equal(c.batch, 4);
    }
}

static void test_an_optimizer_that_is_said_has_its_rates(void **state) {
    char sgd[] = "sgd"; /* not the default's own text */
    const tips_train_config c = defaults_for("retinanet", "detect:anchor=2", sgd);
    (void)state;
    assert_float_equal(c.schedule.lr, 0.05, 0);
    assert_float_equal(c.weight_decay, 1e-4, 0);
    assert_float_equal(c.clip, 1, 0);
}

/* What a task begins with are options of training, with values that they take. */
static void test_names_in_tables(void **state) {
    (void)state;
    for (const tips_task *const *task = tips__tasks; *task; task++)
        for (const tips_usual *at = (*task)->usual; at && at->name; at++) {
            tips_train_config config;
            tips_option row;
            assert_int_equal(tips__train_defaults(NULL, &config), TIPS_OK);
            assert_true(tips__option_find(tips__train_rows, at->name, &row));
            assert_int_equal(tips__option_set(&row, &config, at->value, at->name), TIPS_OK);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classifiers_begin_as_the_table_says),
                                       cmocka_unit_test(test_detectors_begin_with_their_own),
                                       cmocka_unit_test(test_an_optimizer_that_is_said_has_its_rates),
                                       cmocka_unit_test(test_names_in_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
