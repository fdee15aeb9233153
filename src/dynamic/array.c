/* Arrays: making, copying, describing. */
#include "dynamic/array.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* More is no detector's, and would overflow the arithmetic of places. */
enum { MOST_ELEMENTS = 1 << 28 };

const char *const tips__array_type_names[] = {"nothing", "float", "int64", "int32", "int8", "uint8", "bool"};

tips_status tips__array_count(int n_dims, const int64_t *dims, size_t *out) {
    int64_t count = 1;
    bool empty = false;
    if (n_dims > TIPS_ARRAY_MOST_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "an array of %d dimensions; at most %d are possible", n_dims, TIPS_ARRAY_MOST_DIMS);
    for (int i = 0; i < n_dims; i++) {
        if (dims[i] < 0) TIPS_FAIL(TIPS_SHAPE, "an array has %lld elements along axis %d", (long long)dims[i], i);
        if (dims[i] > MOST_ELEMENTS || (dims[i] > 0 && count > MOST_ELEMENTS / dims[i]))
            TIPS_FAIL(TIPS_RANGE, "an array of more than %d elements", MOST_ELEMENTS);
        empty = empty || dims[i] == 0;
        count *= dims[i] ? dims[i] : 1;
    }
    *out = empty ? 0 : (size_t)count;
    return TIPS_OK;
}

tips_status tips__array_create(tips_array_type type, int n_dims, const int64_t *dims, tips_array *out) {
    tips_array a = {.type = type, .n_dims = n_dims};
    TIPS_TRY(tips__array_count(n_dims, dims, &a.count));
    if (n_dims) memcpy(a.dims, dims, (size_t)n_dims * sizeof *dims);
    if (type == TIPS_ARRAY_FLOAT) TIPS_TRY(tips__new(&a.floats, a.count * sizeof *a.floats, "an array"));
    else TIPS_TRY(tips__new(&a.ints, a.count * sizeof *a.ints, "an array"));
    *out = a;
    return TIPS_OK;
}

size_t tips__array_bytes(const tips_array *a) {
    return a->type == TIPS_ARRAY_NONE    ? 0
           : a->type == TIPS_ARRAY_FLOAT ? a->count * sizeof *a->floats
                                         : a->count * sizeof *a->ints;
}

tips_status tips__array_copy(const tips_array *from, tips_array *out) {
    TIPS_TRY(tips__array_create(from->type, from->n_dims, from->dims, out));
    const size_t bytes = tips__array_bytes(from);
    if (bytes && from->floats) memcpy(out->floats, from->floats, bytes);
    if (bytes && from->ints) memcpy(out->ints, from->ints, bytes);
    return TIPS_OK;
}

void tips__array_free(tips_array *array) {
    tips__free(array->floats);
    tips__free(array->ints);
    *array = (tips_array){0};
}

int64_t tips__array_narrow(tips_array_type type, int64_t value) {
    switch (type) {
    case TIPS_ARRAY_INT32: return (int32_t)value;
    case TIPS_ARRAY_INT8: return (int8_t)value;
    case TIPS_ARRAY_UINT8: return (uint8_t)value;
    case TIPS_ARRAY_BOOL: return value != 0;
    default: return value;
    }
}

void tips__array_describe(const tips_array *a, char *out, size_t size) {
    int at = snprintf(out, size, "%s [", tips__array_type_names[a->type]);
    for (int i = 0; i < a->n_dims && at >= 0 && (size_t)at < size; i++)
        at += snprintf(out + at, size - (size_t)at, "%s%lld", i ? ", " : "", (long long)a->dims[i]);
    if (at >= 0 && (size_t)at < size) snprintf(out + at, size - (size_t)at, "]");
}
