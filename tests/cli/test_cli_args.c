/* The reading of a command line by an option table, apart from any real command. */
#include "cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct sample {
    int size;
    bool json, progress;
    const char *out;
} sample;

static const tips_option options[] = {
    {.name = "size", .type = TIPS_OPT_INT, .offset = offsetof(sample, size), .fallback = "32", .min = -8, .max = 64},
    {.name = "json", .type = TIPS_OPT_BOOL, .offset = offsetof(sample, json), .fallback = "false"},
    {.name = "progress", .type = TIPS_OPT_BOOL, .offset = offsetof(sample, progress), .fallback = "true"},
    {.name = "out", .type = TIPS_OPT_TEXT, .offset = offsetof(sample, out), .metavar = "FILE"},
    {.type = TIPS_OPT_END},
};

static const cli_command command = {.name = "sample", .options = options, .config_size = sizeof(sample)};

enum { MOST = 8 };

typedef struct outcome {
    sample config;
    char *argv[MOST];
    int n_words, code;
    bool wants_help;
} outcome;

/* Reads a NULL-terminated list of arguments. */
static outcome read_line(char *first, ...) {
    outcome o = {.argv = {first}};
    int argc = 0;
    va_list args;
    va_start(args, first);
    for (char *argument = first; argument; argument = va_arg(args, char *)) o.argv[argc++] = argument;
    va_end(args);
    o.code = cli_parse(&command, argc, o.argv, &o.config, &o.n_words, &o.wants_help);
    return o;
}

static void test_nothing(void **state) {
    (void)state;
    const outcome o = read_line(NULL);
    assert_int_equal(o.code, CLI_OK);
    assert_int_equal(o.config.size, 32);
    assert_false(o.config.json);
    assert_true(o.config.progress);
    assert_null(o.config.out);
    assert_int_equal(o.n_words, 0);
}

static void test_values(void **state) {
    (void)state;
    const outcome o = read_line("one", "--size", "-5", "two", "--out=a=b", "--json", "--no-progress", NULL);
    assert_int_equal(o.code, CLI_OK);
    assert_int_equal(o.config.size, -5);
    assert_string_equal(o.config.out, "a=b");
    assert_true(o.config.json);
    assert_false(o.config.progress);
    assert_int_equal(o.n_words, 2);
    assert_string_equal(o.argv[0], "one");
    assert_string_equal(o.argv[1], "two");
    assert_true(read_line("--json=yes", NULL).config.json);
    assert_int_equal(read_line("--size=3", "--size", "4", NULL).config.size, 4);
    assert_string_equal(read_line("--out", "-", NULL).config.out, "-");
}

static void test_words_only(void **state) {
    (void)state;
    const outcome o = read_line("--", "--json", "-h", "-", NULL);
    assert_int_equal(o.code, CLI_OK);
    assert_int_equal(o.n_words, 3);
    assert_false(o.config.json);
    assert_false(o.wants_help);
}

static void test_help(void **state) {
    (void)state;
    assert_true(read_line("-h", NULL).wants_help);
    assert_true(read_line("word", "--help", NULL).wants_help);
    assert_false(read_line("--out=-h", NULL).wants_help);
}

static void test_refused(void **state) {
    (void)state;
    static char *const lines[] = {"--size",   "--size=65",      "--size=", "--sise=3", "--no-size",
                                  "--json=2", "--no-json=true", "-s",      "--=3"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_int_equal(read_line(lines[i], NULL).code, CLI_USAGE);
    }
    assert_int_equal(read_line("--out", "--json", NULL).code, CLI_USAGE);
    char *words[] = {"one", "two"};
    assert_int_equal(cli_expect_words(&command, 2, 2, words), CLI_OK);
    assert_int_equal(cli_expect_words(&command, 1, 2, words), CLI_USAGE);
}

static void test_exit_codes(void **state) {
    (void)state;
    assert_int_equal(cli_report(TIPS_OK), CLI_OK);
    assert_int_equal(cli_report(TIPS_UNKNOWN), CLI_USAGE);
    assert_int_equal(cli_report(TIPS_RANGE), CLI_USAGE);
    assert_int_equal(cli_report(TIPS_MEMORY), CLI_FAILURE);
    assert_int_equal(cli_report(TIPS_INTERRUPTED), CLI_INTERRUPTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_values),  cmocka_unit_test(test_words_only),
        cmocka_unit_test(test_help),    cmocka_unit_test(test_refused), cmocka_unit_test(test_exit_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
