/* Bytes that change their number: contents and memory stay, and a failure changes nothing. */
#include "core/bytes.h"
#include "core/memory.h"
#include "support/compare.h"

#include <stdalign.h>
#include <string.h>

static void test_contents_stay(void **state) {
    tips_bytes bytes = {0};
    (void)state;
    expect_ok(tips__bytes_resize(&bytes, 0));
    assert_int_equal(bytes.count, 0);
    for (size_t i = 0; i < 1000; i++) {
        expect_ok(tips__bytes_resize(&bytes, i + 1));
        bytes.data[i] = (unsigned char)(i * 7);
        assert_int_equal(bytes.count, i + 1);
        assert_true(bytes.capacity >= bytes.count);
        assert_int_equal((uintptr_t)bytes.data % alignof(max_align_t), 0);
    }
    expect_ok(tips__bytes_resize(&bytes, 500));
    expect_ok(tips__bytes_resize(&bytes, 5000));
    for (size_t i = 0; i < 500; i++) assert_int_equal(bytes.data[i], (unsigned char)(i * 7));
    tips__bytes_clear(&bytes);
    assert_null(bytes.data);
    assert_int_equal(bytes.count + bytes.capacity, 0);
    tips__bytes_clear(NULL);
}

static void test_memory_stays(void **state) {
    tips_bytes bytes = {0};
    (void)state;
    expect_ok(tips__bytes_resize(&bytes, 4096));
    const unsigned char *data = bytes.data;
    const uint64_t before = tips__alloc_count();
    for (size_t count = 0; count <= 4096; count += 64) {
        expect_ok(tips__bytes_resize(&bytes, 0));
        expect_ok(tips__bytes_resize(&bytes, count));
        assert_ptr_equal(bytes.data, data);
    }
    assert_int_equal(tips__alloc_count() - before, 0);
    for (size_t count = 4096; count < 65536; count++) expect_ok(tips__bytes_resize(&bytes, count));
    assert_true(tips__alloc_count() - before <= 5); /* one by one does not mean an allocation each */
    tips__bytes_clear(&bytes);
}

static void test_failure(void **state) {
    tips_bytes bytes = {0};
    (void)state;
    expect_ok(tips__bytes_resize(&bytes, 8));
    memcpy(bytes.data, "contents", 8);
    const tips_bytes before = bytes;
    tips__alloc_fail_at(1);
    assert_int_equal(tips__bytes_resize(&bytes, 100000), TIPS_MEMORY);
    tips__alloc_fail_at(0);
    assert_int_equal(tips__bytes_resize(&bytes, SIZE_MAX), TIPS_MEMORY);
    assert_memory_equal(&bytes, &before, sizeof bytes);
    assert_memory_equal(bytes.data, "contents", 8);
    tips__bytes_clear(&bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents_stay),
        cmocka_unit_test(test_memory_stays),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
