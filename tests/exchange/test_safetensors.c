/* Safetensors files: what is written is read again, and what is cut off or damaged is refused or read, never more. */
#include "core/memory.h"
#include "exchange/safetensors.h"
#include "support/compare.h"
#include "support/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *write_sample(void) {
    static const float a[] = {1, -2, 0.5f, 3e38f, 1e-40f, -0.0f}, b[] = {7};
    const char *path = path_in_temporary("sample.safetensors");
    tips_safetensors_writer *w;
    expect_ok(tips__safetensors_create(&w));
    expect_ok(tips__safetensors_add_metadata(w, "format", "pt"));
    expect_ok(tips__safetensors_add_metadata(w, "odd", "\"quotes\" \\ \n \xc3\xa4 \xe2\x82\xac /"));
    expect_ok(tips__safetensors_add_f32(w, "layer.weight", 2, (const int64_t[]){2, 3}, a));
    expect_ok(tips__safetensors_add_f32(w, "scalar \xc3\xbc", 0, NULL, b));
    expect_ok(tips__safetensors_add_f32(w, "none", 2, (const int64_t[]){0, 5}, NULL));
    expect_ok(tips__safetensors_write(w, path));
    tips__safetensors_destroy(w);
    return path;
}

static void test_round_trip(void **state) {
    static const float a[] = {1, -2, 0.5f, 3e38f, 1e-40f, -0.0f};
    tips_safetensors *file;
    float got[6];
    (void)state;
    test_case("round trip");
    expect_ok(tips__safetensors_open(write_sample(), &file));
    assert_int_equal(tips__safetensors_count(file), 3);
    const int i = tips__safetensors_find(file, "layer.weight");
    const tips_tensor_entry *entry = tips__safetensors_entry(file, i);
    assert_true(entry->n_dims == 2 && entry->dims[0] == 2 && entry->dims[1] == 3);
    assert_string_equal(entry->dtype, "F32");
    expect_ok(tips__safetensors_read(file, i, got, 6));
    expect_same_bits("layer.weight", got, a, 6);
    assert_int_equal(tips__safetensors_read(file, i, got, 5), TIPS_SHAPE);
    expect_ok(tips__safetensors_read(file, tips__safetensors_find(file, "scalar \xc3\xbc"), got, 1));
    assert_true(got[0] == 7);
    expect_ok(tips__safetensors_read(file, tips__safetensors_find(file, "none"), got, 0));
    assert_int_equal(tips__safetensors_find(file, "layer"), -1);
    assert_string_equal(tips__safetensors_metadata(file, "odd"), "\"quotes\" \\ \n \xc3\xa4 \xe2\x82\xac /");
    assert_null(tips__safetensors_metadata(file, "even"));
    tips__safetensors_close(file);
}

static void test_truncated(void **state) {
    size_t bytes;
    unsigned char *data = read_file(write_sample(), &bytes);
    (void)state;
    assert_int_equal(data[0] % 8, 0);
    for (size_t n = 0; n < bytes; n++) {
        const char *path = path_in_temporary("short.safetensors");
        test_case("truncated to %zu of %zu bytes", n, bytes);
        write_file(path, data, n);
        tips_safetensors *file;
        if (tips__safetensors_open(path, &file) != TIPS_FORMAT) fail_case("not refused");
        if (strncmp(tips_last_error(), path, strlen(path)) != 0) fail_case("'%s' names no file", tips_last_error());
    }
    free(data);
}

/* Each byte of the header changed in turn: refused or read, never more. */
static void test_damaged(void **state) {
    size_t bytes;
    unsigned char *data = read_file(write_sample(), &bytes);
    const char *path = path_in_temporary("damaged.safetensors");
    float got[6];
    (void)state;
    for (size_t i = 0; i < bytes; i++) {
        tips_safetensors *file;
        const unsigned char before = data[i];
        test_case("byte %zu damaged", i);
        data[i] = (unsigned char)(before ^ (1u << i % 8));
        write_file(path, data, bytes);
        if (tips__safetensors_open(path, &file) == TIPS_OK) {
            for (int t = 0; t < tips__safetensors_count(file); t++) {
                const size_t elements = tips__tensor_elements(tips__safetensors_entry(file, t));
                if (elements <= 6 && tips__safetensors_read(file, t, got, elements) == TIPS_MEMORY) fail_case("memory");
            }
            tips__safetensors_close(file);
        }
        data[i] = before;
    }
    free(data);
}

static void test_writer_refuses(void **state) {
    tips_safetensors_writer *w;
    const int64_t dims[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, negative[] = {-1}, huge[] = {INT64_MAX, INT64_MAX};
    const float x[] = {0};
    (void)state;
    expect_ok(tips__safetensors_create(&w));
    expect_ok(tips__safetensors_add_f32(w, "x", 1, dims, x));
    assert_int_equal(tips__safetensors_add_f32(w, "x", 1, dims, x), TIPS_INVALID);
    assert_int_equal(tips__safetensors_add_f32(w, "__metadata__", 1, dims, x), TIPS_INVALID);
    assert_int_equal(tips__safetensors_add_f32(w, "a\nb", 1, dims, x), TIPS_INVALID);
    assert_int_equal(tips__safetensors_add_f32(w, "\xff", 1, dims, x), TIPS_INVALID);
    assert_int_equal(tips__safetensors_add_f32(w, "y", 9, dims, x), TIPS_RANGE);
    assert_int_equal(tips__safetensors_add_f32(w, "y", 1, negative, x), TIPS_RANGE);
    assert_int_equal(tips__safetensors_add_f32(w, "y", 2, huge, x), TIPS_RANGE);
    expect_ok(tips__safetensors_add_metadata(w, "k", "v"));
    assert_int_equal(tips__safetensors_add_metadata(w, "k", "v"), TIPS_INVALID);
    assert_int_equal(tips__safetensors_add_metadata(w, "l", "\xff"), TIPS_INVALID);
    tips__safetensors_destroy(w);
}

static void test_out_of_memory(void **state) {
    const char *path = write_sample();
    tips_status status = TIPS_MEMORY;
    int failures = 0;
    (void)state;
    for (uint64_t n = 1; status != TIPS_OK; n++) {
        tips_safetensors *file;
        tips__alloc_fail_at(n);
        status = tips__safetensors_open(path, &file);
        tips__alloc_fail_at(0);
        if (status == TIPS_OK) tips__safetensors_close(file);
        else assert_int_equal(status, TIPS_MEMORY);
        failures += status != TIPS_OK;
    }
    assert_true(failures >= 6);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_truncated),     cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_writer_refuses), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
