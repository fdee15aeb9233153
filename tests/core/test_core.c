/* src/core: statuses, memory, random numbers, JSON and text tables. Options have their own file. */
#include "core/fail.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/rng.h"
#include "core/text_table.h"
#include "core/utf8.h"
#include "core/xxh64.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <tips/version.h>

#include <cmocka.h>

static tips_status fail_with_text(void) { TIPS_FAIL(TIPS_RANGE, "%d is not %s", 7, "eight"); }

static tips_status forward_failure(int *reached) {
    TIPS_TRY(fail_with_text());
    *reached = 1;
    return TIPS_OK;
}

static void test_status(void **state) {
    (void)state;
    int reached = 0;
    assert_int_equal(forward_failure(&reached), TIPS_RANGE);
    assert_int_equal(reached, 0);
    assert_string_equal(tips_last_error(), "7 is not eight");
    assert_string_equal(tips_status_name(TIPS_RANGE), "TIPS_RANGE");
    assert_string_equal(tips_status_message(TIPS_MEMORY), "out of memory");
    assert_string_equal(tips_status_name((tips_status)999), "TIPS_?");
}

static void test_version(void **state) {
    (void)state;
    assert_string_equal(tips_version(), TIPS_VERSION);
    assert_non_null(strstr(tips_build_info(), "built with"));
}

static void test_memory(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 200; bytes += 13) {
        char *memory = tips__alloc(bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % TIPS_ALIGN, 0);
        memset(memory, 1, bytes);
        tips__free(memory);
    }
    assert_null(tips__alloc(SIZE_MAX));
    assert_null(tips__calloc(SIZE_MAX / 2, 3));
    char *text = tips__strdup("abc");
    text = tips__grow(text, 4, 400);
    assert_string_equal(text, "abc");
    tips__free(text);
    tips__free(NULL);
}

static void test_memory_fails_at(void **state) {
    (void)state;
    const uint64_t before = tips__alloc_count();
    tips__alloc_fail_at(2);
    void *first = tips__alloc(1), *second = tips__alloc(1), *third = tips__alloc(1);
    assert_non_null(first);
    assert_null(second);
    assert_non_null(third);
    assert_int_equal(tips__alloc_count() - before, 3);
    tips__free(first);
    tips__free(third);
    void *untouched = NULL;
    tips__alloc_fail_at(1);
    assert_int_equal(tips__new(&untouched, 10, "a thing"), TIPS_MEMORY);
    assert_null(untouched);
    assert_string_equal(tips_last_error(), "out of memory: 10 bytes for a thing");
}

/* The known answers that come with Random123. */
static void test_rng_known_answers(void **state) {
    (void)state;
    static const struct {
        tips_rng rng;
        uint64_t index;
        uint32_t words[4];
    } cases[] = {
        {{0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x299f31d0a4093822, 0x0370734413198a2e},
         0x85a308d3243f6a88,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t words[4];
        tips__rng_words(cases[i].rng, cases[i].index, words);
        assert_memory_equal(words, cases[i].words, sizeof words);
    }
}

static void test_rng_statistics(void **state) {
    (void)state;
    enum { DRAWS = 200000, SIDES = 7 };
    const tips_rng rng = {.seed = 5, .stream = 9};
    double sum = 0, square = 0, normal = 0, normal_square = 0, normal_fourth = 0;
    int faces[SIDES] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double u = tips__rng_uniform(rng, i), z = tips__rng_normal(rng, i);
        assert_true(u > 0 && u < 1 && isfinite(z));
        sum += u, square += u * u;
        normal += z, normal_square += z * z, normal_fourth += z * z * z * z;
        faces[tips__rng_below(rng, i, SIDES)]++;
    }
    assert_true(fabs(sum / DRAWS - 1.0 / 2) < 0.004);
    assert_true(fabs(square / DRAWS - 1.0 / 3) < 0.004);
    assert_true(fabs(normal / DRAWS) < 0.012);
    assert_true(fabs(normal_square / DRAWS - 1) < 0.02);
    assert_true(fabs(normal_fourth / DRAWS - 3) < 0.15);
    for (int i = 0; i < SIDES; i++) assert_true(fabs(faces[i] - (double)DRAWS / SIDES) < 900);
    assert_int_equal(tips__rng_below(rng, 3, 1), 0);
    assert_true(tips__rng_mix(1, 2) != tips__rng_mix(2, 1));
    assert_true(tips__rng_mix(0, 0) != 0);
}

static void test_numbers(void **state) {
    (void)state;
    static const double values[] = {0, -0.0, 1, 0.1, 1.0 / 3, 1e300, 5e-324, 123456789, -2.5, 0.23};
    char text[TIPS_NUMBER_SIZE];
    double back;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        tips__number_format(values[i], text, sizeof text);
        assert_true(tips__number_parse(text, &back));
        assert_true(back == values[i]);
    }
    tips__number_format(0.1, text, sizeof text);
    assert_string_equal(text, "0.1");
    static const char *const refused[] = {"", " 1", "1 ", "1,5", "nan", "one", "1e"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) assert_false(tips__number_parse(refused[i], &back));
}

static void test_utf8(void **state) {
    (void)state;
    assert_int_equal(tips__utf8_width("abc"), 3);
    assert_int_equal(tips__utf8_width("\xCF\x88 \xC3\xA9"), 3); /* psi, e with acute */
    assert_int_equal(tips__utf8_width("e\xCC\x81"), 1);
    assert_int_equal(tips__utf8_width("\xE6\xBC\xA2"), 2);
    static const char *const broken[] = {"\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE6\xBC", "\xFF"};
    uint32_t code;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++)
        assert_int_equal(tips__utf8_decode(broken[i], &code), 0);
}

static void write_sample(tips_json *json) {
    tips__json_open_object(json, NULL);
    tips__json_text(json, "text", "a \"b\"\n\xFF");
    tips__json_text(json, "nothing", NULL);
    tips__json_int(json, "int", INT64_MIN);
    tips__json_number(json, "number", 0.1);
    tips__json_number(json, "infinite", INFINITY);
    tips__json_open_array(json, "list");
    tips__json_bool(json, NULL, true);
    tips__json_close_array(json);
    tips__json_close_object(json);
}

static tips_status sample_to(FILE *file) {
    tips_json *json;
    TIPS_TRY(tips__json_create(&json));
    write_sample(json);
    const tips_status status = tips__json_write(json, file);
    tips__json_destroy(json);
    return status;
}

static void test_json(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(sample_to(file), TIPS_OK);
    fclose(file);
    assert_string_equal(text,
                        "{\n  \"text\": \"a \\\"b\\\"\\n?\",\n  \"nothing\": null,\n  \"int\": -9223372036854775808,\n"
                        "  \"number\": 0.1,\n  \"infinite\": null,\n  \"list\": [\n    true\n  ]\n}\n");
    free(text);
    tips__json_destroy(NULL);
}

static void expect_misuse(void (*misuse)(tips_json *)) {
    tips_json *json;
    assert_int_equal(tips__json_create(&json), TIPS_OK);
    misuse(json);
    assert_int_equal(tips__json_write(json, stdout), TIPS_INVALID);
    tips__json_destroy(json);
}

static void leave_open(tips_json *json) { tips__json_open_object(json, NULL); }
static void close_wrongly(tips_json *json) { tips__json_open_object(json, NULL), tips__json_close_array(json); }
static void forget_key(tips_json *json) { tips__json_open_object(json, NULL), tips__json_text(json, NULL, "x"); }
static void add_key(tips_json *json) { tips__json_open_array(json, NULL), tips__json_text(json, "k", "x"); }
static void write_twice(tips_json *json) { tips__json_int(json, NULL, 1), tips__json_int(json, NULL, 2); }
static void nest_deep(tips_json *json) {
    for (int i = 0; i < 1000; i++) tips__json_open_array(json, NULL);
}

static void test_json_misuse(void **state) {
    (void)state;
    expect_misuse(leave_open);
    expect_misuse(close_wrongly);
    expect_misuse(forget_key);
    expect_misuse(add_key);
    expect_misuse(write_twice);
    expect_misuse(nest_deep);
}

static tips_status table_to(FILE *file) {
    static const char *const columns[] = {"name", ">ms", "note", NULL};
    tips_text_table *table;
    TIPS_TRY(tips__table_create(columns, &table));
    tips__table_cell(table, "%s", "\xCF\x88-net");
    tips__table_cell(table, "%.1f", 12.25);
    tips__table_cell(table, "%s", "");
    tips__table_cell(table, "%s", "x");
    tips__table_cell(table, "%d", 3);
    tips__table_cell(table, "%s", "exact");
    tips__table_cell(table, "%s", "last");
    const tips_status status = tips__table_print(table, file);
    tips__table_destroy(table);
    return status;
}

static void test_table(void **state) {
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_int_equal(table_to(file), TIPS_OK);
    fclose(file);
    assert_string_equal(text, "name     ms  note\n"
                              "-----  ----  -----\n"
                              "\xCF\x88-net  12.2\n"
                              "x         3  exact\n"
                              "last\n");
    free(text);
    tips__table_destroy(NULL);
}

/* Whichever allocation fails, the call says so and nothing is lost (the leak sanitizer looks on). */
static void fail_every_allocation(tips_status (*call)(FILE *)) {
    FILE *file = fopen("/dev/null", "w");
    tips_status status = TIPS_MEMORY;
    for (uint64_t n = 1; status != TIPS_OK; n++) {
        assert_true(n < 1000);
        tips__alloc_fail_at(n);
        status = call(file);
        tips__alloc_fail_at(0);
        assert_true(status == TIPS_OK || status == TIPS_MEMORY);
    }
    fclose(file);
}

static void test_out_of_memory(void **state) {
    (void)state;
    fail_every_allocation(sample_to);
    fail_every_allocation(table_to);
}

/* What xxhsum -H1 says. In parts of every size, across the blocks of 32 bytes. */
static void test_xxh64(void **state) {
    static const struct {
        const char *text, *sum;
    } cases[] = {{"", "ef46db3751d8e999"},
                 {"a", "d24ec4f1a98c6e5b"},
                 {"abc", "44bc2cf5ad770999"},
                 {"Nobody inspects the spammish repetition", "fbcea83c8a378bf1"},
                 {"0123456789abcdef0123456789abcdef0123456789abcdef", "e35216444a3c253b"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t part = 1; part < 50; part++) {
            const size_t length = strlen(cases[i].text);
            char sum[TIPS_XXH64_TEXT];
            tips_xxh64 x;
            tips__xxh64_start(&x);
            for (size_t at = 0; at < length; at += part)
                tips__xxh64_add(&x, cases[i].text + at, length - at < part ? length - at : part);
            tips__xxh64_finish(&x, sum);
            assert_string_equal(sum, cases[i].sum);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xxh64),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_fails_at),
        cmocka_unit_test(test_rng_known_answers),
        cmocka_unit_test(test_rng_statistics),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_misuse),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
