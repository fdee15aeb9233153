/* "name:key=value,..." by a table: names, options, the first option alone, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/named.h"

typedef struct bush_config {
    int leaves;
    double height;
} bush_config;

static const tips_option bush_options[] = {
    {.name = "leaves", .type = TIPS_OPT_INT, .offset = offsetof(bush_config, leaves), .fallback = "7", .max = 99},
    {.name = "height", .type = TIPS_OPT_FLOAT, .offset = offsetof(bush_config, height), .fallback = "0.5", .max = 9},
    {.type = TIPS_OPT_END},
};
static const tips_option no_options[] = {{.type = TIPS_OPT_END}};

static tips_named row(int i) {
    static const tips_named rows[] = {{"stone", NULL}, {"rose_bush", bush_options}, {"twig", no_options}, {0}};
    return rows[i];
}

static const tips_name_table plain = {.what = "thing", .row = row};
static const tips_name_table with_short = {.what = "thing", .row = row, .first_alone = true};

static tips_status read(const tips_name_table *table, const char *text, bush_config *config) {
    int found;
    const tips_status status = tips__named_find(table, text, &found);
    return status == TIPS_OK ? tips__named_read(table, found, text, config) : status;
}

static void expect(const tips_name_table *table, const char *text, int leaves, double height) {
    bush_config config = {0};
    if (read(table, text, &config) != TIPS_OK) fail_msg("%s: %s", text, tips_last_error());
    assert_int_equal(config.leaves, leaves);
    assert_float_equal(config.height, height, 0);
}

static void refuse(const tips_name_table *table, const char *text, const char *why) {
    bush_config config;
    if (read(table, text, &config) == TIPS_OK) fail_msg("%s was taken", text);
    if (!strstr(tips_last_error(), why)) fail_msg("%s: '%s' is not said: %s", text, why, tips_last_error());
}

static void test_options(void **state) {
    (void)state;
    expect(&plain, "rose-bush", 7, 0.5);
    expect(&plain, "rose_bush:", 7, 0.5);
    expect(&plain, "rose-bush:height=2,leaves=3", 3, 2);
    refuse(&plain, "rose-bush:3", "unknown option '3' of rose_bush; it takes leaves, height");
    refuse(&plain, "twig:leaves=1", "it takes no options");
    refuse(&plain, "stone:leaves=1", "it takes no options");
}

static void test_first_option_alone(void **state) {
    (void)state;
    expect(&with_short, "rose-bush:3", 3, 0.5);
    expect(&with_short, "rose-bush:3,height=2", 3, 2);
    expect(&with_short, "rose-bush:height=2", 7, 2);
    refuse(&with_short, "rose-bush:100", "rose_bush:leaves: '100' is out of range; it takes 0..99");
    refuse(&with_short, "rose-bush:3,leaves=4", "is given twice");
    refuse(&with_short, "rose-bush:height", "needs a value");
    refuse(&with_short, "rose-bush:heigt=2", "did you mean 'height'?");
    refuse(&with_short, "twig:3", "unknown option '3' of twig; it takes no options");
    refuse(&with_short, "stone:3", "unknown option '3' of stone; it takes no options");
}

static void test_unknown_names(void **state) {
    (void)state;
    refuse(&plain, "rosebush", "unknown thing 'rosebush'; did you mean 'rose_bush'? There are stone, rose_bush, twig");
    refuse(&plain, "elephant:x=1", "unknown thing 'elephant'; there are stone, rose_bush, twig");
    refuse(&plain, "", "unknown thing ''");
    refuse(&plain, "a-name-that-is-much-longer-than-any-name-of-a-thing-could-ever-reasonably-be",
           "unknown thing 'a-name");
}

static void test_formats(void **state) {
    (void)state;
    const bush_config config = {7, 2};
    char text[64];
    tips__named_format(row(1), &config, text, sizeof text);
    assert_string_equal(text, "rose_bush:height=2");
    tips__named_format_all(row(1), &config, text, sizeof text);
    assert_string_equal(text, "rose_bush:leaves=7,height=2");
    tips__named_format(row(0), &config, text, sizeof text);
    assert_string_equal(text, "stone");
    tips__named_format_all(row(2), &config, text, sizeof text);
    assert_string_equal(text, "twig");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_first_option_alone),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
