/* .npy files: what is written reads back, what NumPy writes is read, everything else is refused with a reason. */
#include "support/compare.h"

#include "exchange/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/tips-npy-XXXXXX";

static int make_file(void **state) {
    (void)state;
    const int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static void write_bytes(const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_round_trip(void **state) {
    static const int64_t shapes[][4] = {{2, 3, 4, 5}, {7, 0, 0, 0}, {1, 1, 0, 0}, {0, 3, 0, 0}};
    static const int n_dims[] = {4, 1, 2, 2};
    float data[120];
    (void)state;
    for (int i = 0; i < 120; i++) data[i] = (float)i / 7 - 3;
    for (int i = 0; i < 4; i++) {
        tips_npy array;
        expect_ok(tips__npy_write(path, n_dims[i], shapes[i], data));
        expect_ok(tips__npy_read(path, &array));
        assert_int_equal(array.n_dims, n_dims[i]);
        for (int d = 0; d < n_dims[i]; d++) assert_int_equal(array.dims[d], shapes[i][d]);
        expect_same_bits("data", array.data, data, array.elements);
        tips__npy_free(&array);
    }
    tips_npy number;
    expect_ok(tips__npy_write(path, 0, NULL, data));
    expect_ok(tips__npy_read(path, &number));
    assert_true(number.n_dims == 0 && number.elements == 1 && number.data[0] == data[0]);
    tips__npy_free(&number);
}

/* The bytes of numpy.save(f, numpy.float32([[1, -2]])). */
static void test_known_bytes(void **state) {
    static const char header[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
    unsigned char bytes[136];
    tips_npy array;
    (void)state;
    memset(bytes, ' ', sizeof bytes);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(bytes + 10, header, sizeof header - 1);
    bytes[127] = '\n';
    memcpy(bytes + 128, "\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);
    write_bytes(bytes, sizeof bytes);
    expect_ok(tips__npy_read(path, &array));
    assert_true(array.dims[0] == 1 && array.dims[1] == 2 && array.data[0] == 1 && array.data[1] == -2);
    tips__npy_free(&array);

    unsigned char written[136];
    expect_ok(tips__npy_write(path, 2, (const int64_t[2]){1, 2}, (const float[2]){1, -2}));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(written, 1, sizeof written, file), sizeof written);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    assert_memory_equal(written, bytes, sizeof bytes);
    for (size_t size = 0; size < sizeof bytes; size++) { /* cut anywhere */
        write_bytes(bytes, size);
        assert_int_equal(tips__npy_read(path, &array), TIPS_FORMAT);
    }
    bytes[6] = 9;
    write_bytes(bytes, sizeof bytes);
    assert_int_equal(tips__npy_read(path, &array), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "version 9.0"));
}

static void test_headers(void **state) {
    static const char *const good[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
        "{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}   \n",
        "{ 'shape' : ( 2 , 3 , ) , 'descr' : '<f4' , 'fortran_order' : False }",
    };
    static const char *const bad[] = {
        "",
        "{}",
        "{",
        "[1, 2]",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 2}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2, 3)}",
        "{'a key that is far too long': 1}",
    };
    tips_npy array;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        expect_ok(tips__npy_parse_header("good", good[i], strlen(good[i]), &array));
        assert_true(array.n_dims == 2 && array.dims[0] == 2 && array.dims[1] == 3 && array.elements == 6);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        test_case("%s", bad[i]);
        char *copy = test_alloc(strlen(bad[i])); /* exactly as long as it is: overruns show under a sanitizer */
        memcpy(copy, bad[i], strlen(bad[i]));
        if (tips__npy_parse_header("bad", copy, strlen(bad[i]), &array) != TIPS_FORMAT) fail_case("was accepted");
        assert_non_null(strstr(tips_last_error(), "bad"));
        free(copy);
    }
}

static void test_missing(void **state) {
    tips_npy array;
    (void)state;
    assert_int_equal(tips__npy_read("/nonexistent/array.npy", &array), TIPS_IO);
    assert_int_equal(tips__npy_write("/nonexistent/array.npy", 1, (const int64_t[1]){1}, (const float[1]){0}), TIPS_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_known_bytes),
                                       cmocka_unit_test(test_headers), cmocka_unit_test(test_missing)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
