/* Headers of safetensors files: every kind of broken or hostile one is refused with its reason. */
#include "exchange/safetensors.h"
#include "support/compare.h"
#include "support/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A file from its header and so many bytes of data: 0, 1, 2, ... */
static const char *make_file(const char *header, size_t length, size_t data) {
    const char *path = path_in_temporary("made.safetensors");
    unsigned char *bytes = test_alloc(8 + length + data);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((uint64_t)length >> (8 * i));
    memcpy(bytes + 8, header, length);
    for (size_t i = 0; i < data; i++) bytes[8 + length + i] = (unsigned char)i;
    write_file(path, bytes, 8 + length + data);
    free(bytes);
    return path;
}

static void expect_refused(const char *path, const char *reason) {
    tips_safetensors *file = NULL;
    const tips_status status = tips__safetensors_open(path, &file);
    if (status != TIPS_FORMAT && status != TIPS_IO)
        fail_case("status %s instead of a refusal", tips_status_name(status));
    assert_null(file);
    if (strncmp(tips_last_error(), path, strlen(path)) != 0)
        fail_case("'%s' does not name the file", tips_last_error());
    if (!strstr(tips_last_error(), reason)) fail_case("'%s' does not say '%s'", tips_last_error(), reason);
}

#define TENSOR(name, dtype, shape, offsets) \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"
#define ONE TENSOR("a", "F32", "[2]", "[0,8]")

static const struct malformed {
    const char *header;
    size_t data;
    const char *reason;
} malformed[] = {
    {"", 0, "does not begin with '{'"},
    {" {}", 0, "does not begin with '{'"},
    {"[]", 0, "does not begin with '{'"},
    {"{", 0, "not valid JSON"},
    {"{}}", 0, "not valid JSON"},
    {"{} x", 0, "not valid JSON"},
    {"{\"a\"}", 0, "not valid JSON"},
    {"{'a':1}", 0, "not valid JSON"},
    {"{" ONE ",}", 8, "not valid JSON"},
    {"{\"\xff\":{}}", 0, "not valid JSON"},
    {"{\"a\\u0000b\":{}}", 0, "NUL"},
    {"{\"a\\u001b[2J\":{}}", 0, "control character"},
    {"{\"a\":1}", 0, "'a' is not a JSON object"},
    {"{\"a\":null}", 0, "'a' is not a JSON object"},
    {"{\"a\":[]}", 0, "'a' is not a JSON object"},
    {"{\"a\":{}}", 0, "'a' has no dtype"},
    {"{\"a\":{\"dtype\":\"F32\"}}", 0, "'a' has no shape"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 4, "'a' has no data_offsets"},
    {"{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "field twice"},
    {"{\"a\":{\"color\":\"red\"}}", 0, "unknown field"},
    {"{\"a\":{\"dtype\":32}}", 0, "dtype is not a text"},
    {"{\"a\":{\"dtype\":[]}}", 0, "dtype is not a text"},
    {"{\"a\":{\"shape\":4}}", 0, "shape is not an array"},
    {"{\"a\":{\"shape\":{}}}", 0, "shape is not an array"},
    {"{\"a\":{\"data_offsets\":\"0\"}}", 0, "data_offsets are not an array"},
    {"{" TENSOR("a", "F33", "[2]", "[0,8]") "}", 8, "unknown dtype 'F33'"},
    {"{" TENSOR("a", "f32", "[2]", "[0,8]") "}", 8, "unknown dtype 'f32'"},
    {"{" TENSOR("a", "", "[2]", "[0,8]") "}", 8, "unknown dtype ''"},
    {"{" TENSOR("a", "F32", "[-2]", "[0,8]") "}", 8, "whole numbers"},
    {"{" TENSOR("a", "F32", "[2.0]", "[0,8]") "}", 8, "whole numbers"},
    {"{" TENSOR("a", "F32", "[2e0]", "[0,8]") "}", 8, "whole numbers"},
    {"{" TENSOR("a", "F32", "[\"2\"]", "[0,8]") "}", 8, "whole numbers"},
    {"{" TENSOR("a", "F32", "[true]", "[0,8]") "}", 8, "whole numbers"},
    {"{" TENSOR("a", "F32", "[[2]]", "[0,8]") "}", 8, "nested deeper"},
    {"{" TENSOR("a", "F32", "[9223372036854775808]", "[0,8]") "}", 8, "whole numbers"},
    {"{" TENSOR("a", "F32", "[2]", "[0,18446744073709551624]") "}", 8, "whole numbers"},
    {"{" TENSOR("a", "F32", "[9223372036854775807]", "[0,8]") "}", 8, "too many elements"},
    {"{" TENSOR("a", "F32", "[4294967296,4294967296]", "[0,0]") "}", 0, "too many elements"},
    {"{" TENSOR("a", "U8", "[4294967296,4294967296,2]", "[0,0]") "}", 0, "too many elements"},
    {"{" TENSOR("a", "F32", "[1,1,1,1,1,1,1,1,2]", "[0,8]") "}", 8, "more than 8 dimensions"},
    {"{" TENSOR("a", "F4", "[3]", "[0,1]") "}", 1, "whole bytes"},
    {"{" TENSOR("a", "F32", "[2]", "[]") "}", 8, "two data_offsets"},
    {"{" TENSOR("a", "F32", "[2]", "[0]") "}", 8, "two data_offsets"},
    {"{" TENSOR("a", "F32", "[2]", "[0,8,8]") "}", 8, "two data_offsets"},
    {"{" TENSOR("a", "F32", "[2]", "[8,0]") "}", 8, "ends before it begins"},
    {"{" TENSOR("a", "F32", "[2]", "[0,4]") "}", 4, "takes 8 bytes, its data_offsets say 4"},
    {"{" TENSOR("a", "F32", "[2,3]", "[0,8]") "}", 8, "takes 24 bytes"},
    {"{" TENSOR("a", "F32", "[0]", "[0,8]") "}", 8, "takes 0 bytes"},
    {"{" TENSOR("a", "F32", "[]", "[0,8]") "}", 8, "takes 4 bytes"},
    {"{" ONE "}", 4, "only 4"},
    {"{" ONE "}", 12, "4 bytes after the last tensor"},
    {"{}", 1, "1 bytes after the last tensor"},
    {"{" ONE "," ONE "}", 8, "'a' occurs twice"},
    {"{" ONE ",\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[8,8]}}", 8, "'a' occurs twice"},
    {"{" ONE "," TENSOR("b", "F32", "[2]", "[4,12]") "}", 12, "'a' and 'b' overlap"},
    {"{" ONE "," TENSOR("b", "F32", "[2]", "[0,8]") "}", 8, "'a' and 'b' overlap"},
    {"{" TENSOR("b", "F32", "[1]", "[4,8]") "," ONE "}", 8, "'a' and 'b' overlap"},
    {"{" ONE "," TENSOR("b", "F32", "[1]", "[12,16]") "}", 16, "gap of 4 bytes before tensor 'b'"},
    {"{" TENSOR("a", "F32", "[1]", "[4,8]") "}", 8, "gap of 4 bytes before tensor 'a'"},
    {"{\"__metadata__\":[]}", 0, "'__metadata__' is not a JSON object"},
    {"{\"__metadata__\":{\"k\":1}}", 0, "'k' is not a text"},
    {"{\"__metadata__\":{\"k\":{}}}", 0, "'k' is not a text"},
    {"{\"__metadata__\":{\"k\":[\"v\"]}}", 0, "'k' is not a text"},
    {"{\"__metadata__\":{\"k\":null}}", 0, "'k' is not a text"},
    {"{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "'k' occurs twice"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ occurs twice"},
    {"{\"__metadata__\":{\"\\n\":\"\"}}", 0, "control character"},
};

static void test_malformed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++) {
        const struct malformed *m = &malformed[i];
        test_case("header %s", m->header);
        expect_refused(make_file(m->header, strlen(m->header), m->data), m->reason);
    }
}

static void test_valid_variants(void **state) {
    static const struct {
        const char *header;
        size_t data;
        int tensors;
    } valid[] = {
        {"{}", 0, 0},
        {"{}      ", 0, 0},
        {"{\"__metadata__\":{}}", 0, 0},
        {"{" ONE "}", 8, 1},
        {"{" TENSOR("b", "F32", "[1]", "[8,12]") "," ONE "}", 12, 2},
        {"{" ONE "," TENSOR("empty", "F32", "[3,0,9223372036854775807]", "[8,8]") "}", 8, 2},
        {"{" TENSOR("scalar", "I64", "[]", "[0,8]") "}", 8, 1},
        {"{" TENSOR("small", "F4", "[3,4]", "[0,6]") "}", 6, 1},
        {"{ \"a\" : {\n\"data_offsets\":[0, 8], \"shape\":[2], \"dtype\":\"F32\"} }", 8, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
        tips_safetensors *file;
        test_case("header %s", valid[i].header);
        expect_ok(tips__safetensors_open(make_file(valid[i].header, strlen(valid[i].header), valid[i].data), &file));
        assert_int_equal(tips__safetensors_count(file), valid[i].tensors);
        tips__safetensors_close(file);
    }
}

static void test_hostile_sizes(void **state) {
    static const unsigned char lengths[][8] = {{1},
                                               {0xff},
                                               {0, 0xe1, 0xf5, 5},
                                               {1, 0xe1, 0xf5, 5},
                                               {0, 0, 0, 0, 1},
                                               {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f},
                                               {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                                               {0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    const char *path = path_in_temporary("sizes.safetensors");
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        test_case("length %zu", i);
        write_file(path, lengths[i], 8);
        expect_refused(path, "header");
    }
    for (size_t n = 0; n < 8; n++) {
        test_case("%zu bytes", n);
        write_file(path, lengths[6], n);
        expect_refused(path, "too few");
    }
    test_case("nested");
    char deep[4096];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    expect_refused(make_file(deep, sizeof deep, 0), "is not a JSON object");
    memset(deep, '{', sizeof deep);
    expect_refused(make_file(deep, sizeof deep, 0), "not valid JSON");
    test_case("a long name");
    memset(deep, 'n', sizeof deep);
    memcpy(deep, "{\"", 2);
    expect_refused(make_file(deep, sizeof deep, 0), "not valid JSON");
    memcpy(deep + sizeof deep - 5, "\":{}}", 5);
    expect_refused(make_file(deep, sizeof deep, 0), "has no dtype");
}

static void test_not_files(void **state) {
    const char *pipe = path_in_temporary("pipe");
    (void)state;
    test_case("not files");
    expect_refused(path_in_temporary("absent"), "cannot be opened");
    expect_refused(path_in_temporary("."), "not a regular file");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    expect_refused(pipe, "not a regular file");
    remove(pipe);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_valid_variants),
        cmocka_unit_test(test_hostile_sizes),
        cmocka_unit_test(test_not_files),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
