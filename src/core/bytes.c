/* Bytes that grow by doubling, so that adding to them one by one stays cheap. */
#include "core/bytes.h"

#include "core/fail.h"
#include "core/memory.h"

static size_t larger_of(size_t a, size_t b) { return a > b ? a : b; }

tips_status tips__bytes_resize(tips_bytes *bytes, size_t count) {
    if (count > bytes->capacity) {
        const size_t capacity = bytes->capacity > SIZE_MAX / 2 ? count : larger_of(count, 2 * bytes->capacity);
        unsigned char *data = tips__grow(bytes->data, bytes->count, capacity);
        if (!data) TIPS_FAIL(TIPS_MEMORY, "out of memory for %zu bytes", count);
        bytes->data = data;
        bytes->capacity = capacity;
    }
    bytes->count = count;
    return TIPS_OK;
}

void tips__bytes_clear(tips_bytes *bytes) {
    if (!bytes) return;
    tips__free(bytes->data);
    *bytes = (tips_bytes){0};
}
