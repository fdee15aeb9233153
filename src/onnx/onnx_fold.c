/* Folding: results within bounds, and tensors spread over each other. */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

#include <string.h>

tips_status tips__onnx_fold_create(const onnx_importer *im, int type, int n_dims, const int64_t *dims,
                                   onnx_tensor *out) {
    size_t elements;
    TIPS_TRY(tips__onnx_elements(dims, n_dims, &elements));
    if (elements * sizeof(int64_t) > im->most_folded - im->folded)
        TIPS_FAIL(TIPS_UNSUPPORTED, "the constants it computes are too large");
    return tips__onnx_tensor_create(type, n_dims, dims, out);
}

tips_status tips__onnx_fold_in(const onnx_importer *im, int i, const onnx_tensor **out) {
    *out = tips__onnx_const(im, i);
    if (!*out) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", i);
    return TIPS_OK;
}

tips_status tips__onnx_fold_copy(const onnx_importer *im, const onnx_tensor *t, int n_dims, const int64_t *dims,
                                 onnx_tensor *out) {
    size_t elements;
    TIPS_TRY(tips__onnx_elements(dims, n_dims, &elements));
    if (elements != t->elements) TIPS_FAIL(TIPS_FORMAT, "%zu elements cannot take the shape it asks for", t->elements);
    TIPS_TRY(tips__onnx_fold_create(im, t->type, n_dims, dims, out));
    if (t->floats) memcpy(out->floats, t->floats, elements * sizeof *t->floats);
    else memcpy(out->ints, t->ints, elements * sizeof *t->ints);
    return TIPS_OK;
}

tips_status tips__onnx_fold_spread(const onnx_tensor *a, const onnx_tensor *b, int *n_dims,
                                   int64_t dims[TIPS_ONNX_MAX_DIMS]) {
    *n_dims = a->n_dims > b->n_dims ? a->n_dims : b->n_dims;
    for (int i = 0; i < *n_dims; i++) {
        const int p = i - (*n_dims - a->n_dims), q = i - (*n_dims - b->n_dims);
        const int64_t x = p < 0 ? 1 : a->dims[p], y = q < 0 ? 1 : b->dims[q];
        if (x != y && x != 1 && y != 1)
            TIPS_FAIL(TIPS_FORMAT, "axes of %lld and %lld elements do not fit", (long long)x, (long long)y);
        dims[i] = x == 1 ? y : x;
    }
    return TIPS_OK;
}

size_t tips__onnx_fold_at(const onnx_tensor *t, int n_dims, const int64_t *dims, size_t at) {
    size_t element = 0, stride = 1;
    for (int i = n_dims - 1; i >= 0; i--) {
        const int axis = i - (n_dims - t->n_dims);
        const size_t index = at % (size_t)dims[i];
        at /= (size_t)dims[i];
        if (axis < 0) continue;
        if (t->dims[axis] != 1) element += index * stride;
        stride *= (size_t)t->dims[axis];
    }
    return element;
}
