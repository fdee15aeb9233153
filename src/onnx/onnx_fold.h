/* What the files of constant folding share. */
#ifndef TIPS_ONNX_ONNX_FOLD_H
#define TIPS_ONNX_ONNX_FOLD_H

#include "onnx/onnx_ops.h"

enum { ONNX_TYPE_INT64 = ONNX__TENSOR_PROTO__DATA_TYPE__INT64, ONNX_TYPE_BOOL = ONNX__TENSOR_PROTO__DATA_TYPE__BOOL };

/* A result, unless all results together would take too much. */
tips_status tips__onnx_fold_create(const onnx_importer *im, int type, int n_dims, const int64_t *dims,
                                   onnx_tensor *out) TIPS_MUST_CHECK;
/* Input i, which must be there; whole numbers of it. */
tips_status tips__onnx_fold_in(const onnx_importer *im, int i, const onnx_tensor **out) TIPS_MUST_CHECK;
/* The same elements with other dims. */
tips_status tips__onnx_fold_copy(const onnx_importer *im, const onnx_tensor *t, int n_dims, const int64_t *dims,
                                 onnx_tensor *out) TIPS_MUST_CHECK;
static inline void tips__onnx_fold_move(onnx_tensor *to, size_t at, const onnx_tensor *from, size_t element) {
    if (to->floats) to->floats[at] = from->floats[element];
    else to->ints[at] = from->ints[element];
}
/* Dims that a and b are both spread over. */
tips_status tips__onnx_fold_spread(const onnx_tensor *a, const onnx_tensor *b, int *n_dims,
                                   int64_t dims[TIPS_ONNX_MAX_DIMS]) TIPS_MUST_CHECK;
/* The element of t that lies at element `at` of a tensor of dims that t is spread over. */
size_t tips__onnx_fold_at(const onnx_tensor *t, int n_dims, const int64_t *dims, size_t at);

#endif
