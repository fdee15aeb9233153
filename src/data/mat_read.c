/* MATLAB files by libmatio. */
#include "data/mat_read.h"

#include "core/fail.h"

#ifdef TIPS_HAVE_MATIO
#include "core/memory.h"

#include <limits.h>
#include <math.h>
#include <matio.h>
#include <stdint.h>

enum { MOST_VALUES = 1 << 26 };

/* Element i as a double; NaN for types that are not numbers. */
static double element(const matvar_t *v, size_t i) {
    switch (v->class_type) {
    case MAT_C_DOUBLE: return ((const double *)v->data)[i];
    case MAT_C_SINGLE: return (double)((const float *)v->data)[i];
    case MAT_C_INT8: return ((const int8_t *)v->data)[i];
    case MAT_C_UINT8: return ((const uint8_t *)v->data)[i];
    case MAT_C_INT16: return ((const int16_t *)v->data)[i];
    case MAT_C_UINT16: return ((const uint16_t *)v->data)[i];
    case MAT_C_INT32: return ((const int32_t *)v->data)[i];
    case MAT_C_UINT32: return ((const uint32_t *)v->data)[i];
    default: return (double)NAN;
    }
}

static size_t element_size(const matvar_t *v) {
    switch (v->class_type) {
    case MAT_C_DOUBLE: return sizeof(double);
    case MAT_C_SINGLE: return sizeof(float);
    case MAT_C_INT8:
    case MAT_C_UINT8: return 1;
    case MAT_C_INT16:
    case MAT_C_UINT16: return 2;
    case MAT_C_INT32:
    case MAT_C_UINT32: return 4;
    default: return 0;
    }
}

static tips_status convert(const char *path, const char *name, const matvar_t *v, int **out, int *count) {
    const size_t each = element_size(v);
    if (v->isComplex || v->rank != 2 || !v->dims || !v->data || each == 0 || (v->dims[0] != 1 && v->dims[1] != 1))
        TIPS_FAIL(TIPS_FORMAT, "%s: '%s' is not a vector of numbers", path, name);
    const size_t n = v->dims[0] == 1 ? v->dims[1] : v->dims[0];
    if (n < 1 || n > MOST_VALUES || v->nbytes != n * each)
        TIPS_FAIL(TIPS_FORMAT, "%s: '%s' has %zu values", path, name, n);
    int *values;
    TIPS_TRY(tips__new(&values, n * sizeof *values, "a vector"));
    for (size_t i = 0; i < n; i++) {
        const double value = element(v, i);
        if (!(value >= INT_MIN && value <= INT_MAX && value == floor(value))) {
            tips__free(values);
            TIPS_FAIL(TIPS_FORMAT, "%s: '%s' holds %g, which is not a whole number", path, name, value);
        }
        values[i] = (int)value;
    }
    *out = values;
    *count = (int)n;
    return TIPS_OK;
}

tips_status tips__mat_read(const char *path, const char *name, int **out, int *count) {
    mat_t *file = Mat_Open(path, MAT_ACC_RDONLY);
    if (!file) TIPS_FAIL(TIPS_FORMAT, "%s: cannot be read as a MATLAB file", path);
    matvar_t *variable = Mat_VarRead(file, name);
    tips_status status;
    if (variable) status = convert(path, name, variable, out, count);
    else status = tips__fail(TIPS_FORMAT, "%s: has no variable '%s', or is damaged", path, name);
    Mat_VarFree(variable);
    Mat_Close(file);
    return status;
}

#else

tips_status tips__mat_read(const char *path, const char *name, int **out, int *count) {
    (void)name, (void)out, (void)count;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no MATLAB files, so no Oxford-102 (it lacks libmatio)", path);
}

#endif
