/* Arrays of any shape, some of which is known only once numbers are: how many boxes were found, for instance. They are
 * plain and dense, the last axis fastest. Floating-point types are floats; all others are whole numbers of 64 bits that
 * keep to the range of their type. */
#ifndef TIPS_DYNAMIC_ARRAY_H
#define TIPS_DYNAMIC_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

enum { TIPS_ARRAY_MOST_DIMS = 8 };

typedef enum tips_array_type {
    TIPS_ARRAY_NONE, /* not there */
    TIPS_ARRAY_FLOAT,
    TIPS_ARRAY_INT64,
    TIPS_ARRAY_INT32,
    TIPS_ARRAY_INT8,
    TIPS_ARRAY_UINT8,
    TIPS_ARRAY_BOOL
} tips_array_type;
extern const char *const tips__array_type_names[]; /* "float", "int64", ... */

typedef struct tips_array {
    tips_array_type type;
    int n_dims;
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    size_t count;
    float *floats; /* (dims) of TIPS_ARRAY_FLOAT */
    int64_t *ints; /* (dims) of the others */
} tips_array;

/* The product of dims; refuses negative ones, and more than an array may have. */
tips_status tips__array_count(int n_dims, const int64_t *dims, size_t *out) TIPS_MUST_CHECK;
/* With memory for its elements, not set. */
tips_status tips__array_create(tips_array_type type, int n_dims, const int64_t *dims, tips_array *out) TIPS_MUST_CHECK;
tips_status tips__array_copy(const tips_array *from, tips_array *out) TIPS_MUST_CHECK;
void tips__array_free(tips_array *array);
size_t tips__array_bytes(const tips_array *array);
/* The nearest that a type of whole numbers has, as a conversion between integers in C would have it. */
int64_t tips__array_narrow(tips_array_type type, int64_t value);
/* "float [1, 300, 4]"; for messages. */
void tips__array_describe(const tips_array *array, char *out, size_t size);

#endif
