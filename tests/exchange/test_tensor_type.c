/* Element types as floats: every half and bfloat16 by its definition, rounding, and tensors of each type from a file.
 */
#include "exchange/safetensors.h"
#include "exchange/tensor_type.h"
#include "support/compare.h"
#include "support/temporary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double half_by_definition(unsigned bits) {
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

static void test_every_half(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const double want = half_by_definition(bits);
        const float got = tips__half_to_float((uint16_t)bits);
        test_case("half %04x", bits);
        if (isnan(want)) {
            assert_true(isnan(got) && isnan(tips__half_to_float(tips__float_to_half(got))));
            continue;
        }
        if ((double)got != want || !signbit(got) != !signbit(want)) fail_case("%.9g, not %.9g", got, want);
        assert_int_equal(tips__float_to_half(got), bits);
    }
}

/* Half way between two neighbours goes to the even one, a little more or less to the nearer. */
static void test_half_rounding(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const double here = half_by_definition(bits), next = bits == 0x7bff ? 65536 : half_by_definition(bits + 1);
        const float middle = (float)((here + next) / 2);
        test_case("above half %04x", bits);
        assert_int_equal(tips__float_to_half(middle), bits + (bits & 1));
        assert_int_equal(tips__float_to_half(nextafterf(middle, 0)), bits);
        assert_int_equal(tips__float_to_half(nextafterf(middle, INFINITY)), bits + 1);
        assert_int_equal(tips__float_to_half(-nextafterf(middle, INFINITY)), (bits + 1) | 0x8000);
    }
    assert_int_equal(tips__float_to_half(3e38f), 0x7c00);
    assert_int_equal(tips__float_to_half(1e-40f), 0);
}

static void test_bfloat(void **state) {
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        const uint32_t wide = (uint32_t)bits << 16;
        float want;
        memcpy(&want, &wide, sizeof want);
        const float got = tips__bfloat_to_float((uint16_t)bits);
        test_case("bfloat16 %04x", bits);
        assert_memory_equal(&got, &want, sizeof got);
        if (!isnan(got)) assert_int_equal(tips__float_to_bfloat(got), bits);
        else assert_true(isnan(tips__bfloat_to_float(tips__float_to_bfloat(got))));
    }
    assert_int_equal(tips__float_to_bfloat(1.00390625f), 0x3f80); /* half way, down to even */
    assert_int_equal(tips__float_to_bfloat(1.01171875f), 0x3f82); /* half way, up to even */
    assert_int_equal(tips__float_to_bfloat(1.0039063692f), 0x3f81);
    assert_int_equal(tips__float_to_bfloat(3.4e38f), 0x7f80);
}

/* One tensor of a type with the given bytes, read from a file as floats. */
static tips_status read_as(const char *dtype, const void *data, size_t bytes, size_t elements, float *out) {
    char header[256];
    unsigned char file_bytes[1024] = {0};
    const char *path = path_in_temporary("typed.safetensors");
    const int length =
        snprintf(header, sizeof header, "{\"x\":{\"dtype\":\"%s\",\"shape\":[%zu],\"data_offsets\":[0,%zu]}}", dtype,
                 elements, bytes);
    file_bytes[0] = (unsigned char)length;
    memcpy(file_bytes + 8, header, (size_t)length);
    memcpy(file_bytes + 8 + length, data, bytes);
    write_file(path, file_bytes, 8 + (size_t)length + bytes);
    tips_safetensors *file;
    expect_ok(tips__safetensors_open(path, &file));
    const tips_status status = tips__safetensors_read(file, 0, out, elements);
    tips__safetensors_close(file);
    return status;
}

#define EXPECT_TYPE(dtype, type, ...)                                                  \
    do {                                                                               \
        const type values[] = {__VA_ARGS__};                                           \
        const size_t count = sizeof values / sizeof values[0];                         \
        float floats[8];                                                               \
        test_case("%s", dtype);                                                        \
        expect_ok(read_as(dtype, values, sizeof values, count, floats));               \
        for (size_t i = 0; i < count; i++) assert_true(floats[i] == (float)values[i]); \
    } while (0)

static void test_from_files(void **state) {
    float got[4];
    (void)state;
    EXPECT_TYPE("F32", float, 1.5f, -2, 1e-40f);
    EXPECT_TYPE("F64", double, 1.5, -2, 0.1, 1e-50);
    EXPECT_TYPE("I64", int64_t, 0, -1, INT64_MAX, INT64_MIN, 16777217);
    EXPECT_TYPE("I32", int32_t, 7, -7, INT32_MAX, INT32_MIN);
    EXPECT_TYPE("I16", int16_t, 7, -7, INT16_MAX, INT16_MIN);
    EXPECT_TYPE("I8", int8_t, 7, -7, 127, -128);
    EXPECT_TYPE("U64", uint64_t, 7, UINT64_MAX);
    EXPECT_TYPE("U32", uint32_t, 7, UINT32_MAX);
    EXPECT_TYPE("U16", uint16_t, 7, UINT16_MAX);
    EXPECT_TYPE("U8", uint8_t, 7, 255);
    EXPECT_TYPE("BOOL", uint8_t, 0, 1);
    expect_ok(read_as("F16", (const uint16_t[]){0x3c00, 0xc000, 0x0001}, 6, 3, got));
    assert_true(got[0] == 1 && got[1] == -2 && got[2] == 0x1p-24f);
    expect_ok(read_as("BF16", (const uint16_t[]){0x3f80, 0xc000}, 4, 2, got));
    assert_true(got[0] == 1 && got[1] == -2);
    assert_int_equal(read_as("F8_E4M3", "\1\2", 2, 2, got), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "F8_E4M3"));
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_half),
        cmocka_unit_test(test_half_rounding),
        cmocka_unit_test(test_bfloat),
        cmocka_unit_test(test_from_files),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
