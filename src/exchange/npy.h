/* NumPy's .npy files, as far as other programs hand us arrays: little-endian 32-bit floats in C order, versions 1 to 3.
 * The header is parsed strictly, and sizes are checked against the file before memory is taken. */
#ifndef TIPS_EXCHANGE_NPY_H
#define TIPS_EXCHANGE_NPY_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

enum { TIPS_NPY_MAX_DIMS = 8 };

typedef struct tips_npy {
    int n_dims; /* 0 for a single number */
    int64_t dims[TIPS_NPY_MAX_DIMS];
    size_t elements;
    float *data; /* (dims), freed by tips__npy_free */
} tips_npy;

tips_status tips__npy_read(const char *path, tips_npy *out) TIPS_MUST_CHECK;
void tips__npy_free(tips_npy *array);
/* Written beside `path` and renamed over it, so that a reader never sees half a file. */
tips_status tips__npy_write(const char *path, int n_dims, const int64_t *dims, const float *data) TIPS_MUST_CHECK;

/* The header's text, "{'descr': '<f4', ...}", of `size` bytes; fills in dims and elements. For tests and fuzzing. */
tips_status tips__npy_parse_header(const char *path, const char *text, size_t size, tips_npy *out) TIPS_MUST_CHECK;

#endif
