/* Option tables: every type, its range, the texts of its errors, and the way from text to value and back. */
#include "core/option.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct sample {
    bool circular;
    int size;
    double p;
    int psi;
    const char *file;
    int stride[2];
    int any;
    double rate;
    int steps[TIPS_CHAIN_MOST];
} sample;

static const char *const psis[] = {"full", "depthwise", NULL};
static const char *const steps[] = {"none", "max", "avg", "lpf3", NULL};

#define FIELD(field) .name = #field, .offset = offsetof(sample, field)
static const tips_option table[] = {
    {FIELD(circular), .type = TIPS_OPT_BOOL, .fallback = "true", .help = "Pad circularly."},
    {FIELD(size), .type = TIPS_OPT_INT, .fallback = "32", .min = 1, .max = 4096},
    {FIELD(p), .type = TIPS_OPT_FLOAT, .fallback = "2.0", .min = 1, .max = INFINITY},
    {FIELD(psi), .type = TIPS_OPT_CHOICE, .fallback = "full", .choices = psis},
    {FIELD(file), .type = TIPS_OPT_TEXT},
    {FIELD(stride), .type = TIPS_OPT_PAIR, .fallback = "2", .min = 1, .max = 8},
    {FIELD(any), .type = TIPS_OPT_INT, .fallback = "-1"},
    {.name = "learning-rate", .offset = offsetof(sample, rate), .type = TIPS_OPT_FLOAT, .fallback = "1e-3", .max = 10},
    {FIELD(steps), .type = TIPS_OPT_CHAIN, .fallback = "max", .unsaid = "none", .choices = steps},
    {.type = TIPS_OPT_END},
};

static sample defaults(void) {
    sample config;
    memset(&config, 0xAA, sizeof config);
    assert_int_equal(tips__options_defaults(table, &config), TIPS_OK);
    return config;
}

static tips_status set(sample *config, const char *name, const char *text) {
    tips_option row;
    assert_true(tips__option_find(table, name, &row));
    return tips__option_set(&row, config, text, name);
}

static void test_defaults(void **state) {
    (void)state;
    const sample config = defaults();
    assert_true(config.circular);
    assert_int_equal(config.size, 32);
    assert_true(config.p == 2.0);
    assert_int_equal(config.psi, 0);
    assert_null(config.file);
    assert_int_equal(config.stride[0], 2);
    assert_int_equal(config.stride[1], 2);
    assert_int_equal(config.any, -1);
    assert_true(config.rate == 1e-3);
    assert_int_equal(config.steps[0], 1);
    assert_int_equal(config.steps[1], 0);
    assert_int_equal(tips__options_defaults(NULL, NULL), TIPS_OK);
}

/* Files that do not know a row yet. */
static void test_unsaid(void **state) {
    (void)state;
    sample config;
    assert_int_equal(tips__options_unsaid(table, &config), TIPS_OK);
    assert_int_equal(config.steps[0], 0);
    assert_int_equal(config.size, 32);
}

static void test_accepted(void **state) {
    (void)state;
    sample config = defaults();
    assert_int_equal(set(&config, "circular", "no"), TIPS_OK);
    assert_false(config.circular);
    assert_int_equal(set(&config, "size", "4096"), TIPS_OK);
    assert_int_equal(config.size, 4096);
    assert_int_equal(set(&config, "p", "inf"), TIPS_OK);
    assert_true(isinf(config.p));
    assert_int_equal(set(&config, "psi", "depthwise"), TIPS_OK);
    assert_int_equal(config.psi, 1);
    assert_int_equal(set(&config, "file", "a=b,c"), TIPS_OK);
    assert_string_equal(config.file, "a=b,c");
    assert_int_equal(set(&config, "stride", "3x1"), TIPS_OK);
    assert_int_equal(config.stride[0], 3);
    assert_int_equal(config.stride[1], 1);
    assert_int_equal(set(&config, "any", "-2147483648"), TIPS_OK);
    assert_int_equal(config.any, INT_MIN);
    assert_int_equal(set(&config, "learning_rate", "0.5"), TIPS_OK);
    assert_true(config.rate == 0.5);
    assert_int_equal(set(&config, "steps", "lpf3+max+max+avg"), TIPS_OK);
    assert_memory_equal(config.steps, ((int[]){3, 1, 1, 2}), sizeof config.steps);
    assert_int_equal(set(&config, "steps", "none"), TIPS_OK);
    assert_memory_equal(config.steps, ((int[]){0, 0, 0, 0}), sizeof config.steps);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
        tips_status status;
    } cases[] = {
        {"circular", "maybe", TIPS_INVALID},
        {"circular", "", TIPS_INVALID},
        {"size", "0", TIPS_RANGE},
        {"size", "4097", TIPS_RANGE},
        {"size", "1.5", TIPS_INVALID},
        {"size", "", TIPS_INVALID},
        {"size", " 1", TIPS_INVALID},
        {"size", "1e3", TIPS_INVALID},
        {"any", "99999999999999999999", TIPS_RANGE},
        {"any", "2147483648", TIPS_RANGE},
        {"p", "0.5", TIPS_RANGE},
        {"p", "nan", TIPS_INVALID},
        {"p", "-inf", TIPS_RANGE},
        {"p", "two", TIPS_INVALID},
        {"learning-rate", "inf", TIPS_RANGE},
        {"psi", "", TIPS_UNKNOWN},
        {"psi", "elephant", TIPS_UNKNOWN},
        {"stride", "9", TIPS_RANGE},
        {"stride", "2x9", TIPS_RANGE},
        {"stride", "2x", TIPS_INVALID},
        {"stride", "x2", TIPS_INVALID},
        {"stride", "2x2x2", TIPS_INVALID},
        {"stride", "2,2", TIPS_INVALID},
        {"steps", "", TIPS_UNKNOWN},
        {"steps", "max+", TIPS_UNKNOWN},
        {"steps", "+max", TIPS_UNKNOWN},
        {"steps", "max+none", TIPS_INVALID},
        {"steps", "none+max", TIPS_INVALID},
        {"steps", "max+max+max+max+max", TIPS_RANGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sample config = defaults();
        const sample before = config;
        assert_int_equal(set(&config, cases[i].name, cases[i].text), cases[i].status);
        assert_memory_equal(&config, &before, sizeof config);
    }
}

static void test_error_texts(void **state) {
    (void)state;
    sample config = defaults();
    assert_int_equal(tips__option_set(&table[1], &config, "7000", "--size"), TIPS_RANGE);
    assert_string_equal(tips_last_error(), "--size: '7000' is out of range; it takes 1..4096");
    assert_int_equal(tips__option_set(&table[3], &config, "depthwize", "tips:psi"), TIPS_UNKNOWN);
    assert_string_equal(tips_last_error(),
                        "tips:psi: 'depthwize' is not known; did you mean 'depthwise'? It takes full|depthwise");
    assert_int_equal(tips__options_parse(table, &config, "pis=full", "tips"), TIPS_UNKNOWN);
    assert_string_equal(tips_last_error(), "unknown option 'pis' of tips; did you mean 'psi'? "
                                           "It takes circular, size, p, psi, file, stride, any, learning-rate, "
                                           "steps");
    assert_int_equal(tips__options_parse(NULL, NULL, "p=1", "max"), TIPS_UNKNOWN);
    assert_string_equal(tips_last_error(), "unknown option 'p' of max; it takes no options");
}

static void test_lists(void **state) {
    (void)state;
    sample config = defaults();
    assert_int_equal(tips__options_parse(table, &config, "", "tips"), TIPS_OK);
    assert_int_equal(tips__options_parse(table, &config, "psi=depthwise,p=inf,stride=1x2", "tips"), TIPS_OK);
    assert_int_equal(config.psi, 1);
    assert_true(isinf(config.p));
    assert_int_equal(config.stride[1], 2);
    assert_int_equal(tips__options_parse(table, &config, "circular=off", "tips"), TIPS_OK);
    assert_int_equal(tips__options_parse(table, &config, "circular", "tips"), TIPS_OK);
    assert_true(config.circular);
    static const char *const refused[] = {"psi",           "psi=", "=full",   "psi=full,",         ",psi=full",
                                          "psi=full,,p=1", ",",    "p=1,p=2", "size=5,size=77777", "file=x",
                                          "size=5,p=oops"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        const sample before = config;
        assert_int_not_equal(tips__options_parse(table, &config, refused[i], "tips"), TIPS_OK);
        assert_memory_equal(&config, &before, sizeof config);
    }
    char endless[1000];
    memset(endless, 'p', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_int_not_equal(tips__options_parse(table, &config, endless, "tips"), TIPS_OK);
    endless[1] = '=';
    assert_int_not_equal(tips__options_parse(table, &config, endless, "tips"), TIPS_OK);
}

static void test_round_trip(void **state) {
    (void)state;
    char text[256], again[256];
    sample config = defaults(), copy = defaults();
    tips__options_format(table, &config, text, sizeof text);
    assert_string_equal(text, "");
    const char *list = "circular=false,size=64,p=inf,psi=depthwise,stride=3x1,any=7,learning-rate=0.1,"
                       "steps=lpf3+avg";
    assert_int_equal(tips__options_parse(table, &config, list, "tips"), TIPS_OK);
    tips__options_format(table, &config, text, sizeof text);
    assert_string_equal(text, list);
    config.p = 1.0 / 3 + 1;
    tips__options_format(table, &config, text, sizeof text);
    assert_int_equal(tips__options_parse(table, &copy, text, "tips"), TIPS_OK);
    assert_true(copy.p == config.p);
    tips__options_format(table, &copy, again, sizeof again);
    assert_string_equal(again, text);
    char little[5];
    tips__options_format(table, &config, little, sizeof little);
    assert_int_equal(strlen(little), 4);
    tips__option_format(&table[4], &config, text, sizeof text);
    assert_string_equal(text, "");
}

static void test_ranges(void **state) {
    (void)state;
    static const char *const expected[] = {"true|false",       "1..4096",  "1..inf",
                                           "full|depthwise",   "any text", "N or NxM, each 1..8",
                                           "any whole number", "0..10",    "none|max|avg|lpf3, or several joined by +"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char text[128];
        tips__option_range(&table[i], text, sizeof text);
        assert_string_equal(text, expected[i]);
    }
    char text[128];
    const tips_option at_least = {.name = "n", .type = TIPS_OPT_INT, .min = 1, .max = INT_MAX};
    tips__option_range(&at_least, text, sizeof text);
    assert_string_equal(text, "at least 1");
}

static void test_nearest(void **state) {
    (void)state;
    static const char *const names[] = {"verify", "bench", "list", "cost", NULL};
    assert_string_equal(tips__nearest(names, "verfiy"), "verify");
    assert_string_equal(tips__nearest(names, "VERIFY"), "verify");
    assert_string_equal(tips__nearest(names, "ver"), "verify");
    assert_string_equal(tips__nearest(names, "lst"), "list");
    assert_null(tips__nearest(names, "elephant"));
    assert_null(tips__nearest(names, ""));
    tips_option row;
    assert_false(tips__option_find(table, "pis", &row));
    assert_false(tips__option_find(NULL, "psi", &row));
    assert_string_equal(tips__option_nearest(table, "strid"), "stride");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),    cmocka_unit_test(test_unsaid), cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_error_texts), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_ranges), cmocka_unit_test(test_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
