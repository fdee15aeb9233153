/* Expand of a map: what is repeated along an axis is a product with ones. */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

tips_status tips__onnx_map_expand(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0), ones;
    onnx_tensor t;
    int64_t wanted[TIPS_ONNX_MAX_DIMS], dims[TIPS_ONNX_MAX_DIMS];
    int count;
    bool changes = false;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_numbers(im, "shape", 1, 8, TIPS_ONNX_MAX_DIMS, wanted, &count));
    if (count != x->n_dims) TIPS_FAIL(TIPS_UNSUPPORTED, "%d extents for a tensor of %d dimensions", count, x->n_dims);
    for (int i = 0; i < count; i++) {
        const bool keeps = i == x->batch || wanted[i] == 1 || wanted[i] == x->dims[i];
        if (!keeps && (x->dims[i] != 1 || wanted[i] < 1))
            TIPS_FAIL(TIPS_FORMAT, "an axis of %lld elements cannot have %lld", (long long)x->dims[i],
                      (long long)wanted[i]);
        dims[i] = keeps ? 1 : wanted[i];
        changes = changes || !keeps;
    }
    if (!changes) {
        *out = *x;
        return TIPS_OK;
    }
    TIPS_TRY(tips__onnx_fold_create(im, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, count, dims, &t));
    for (size_t i = 0; i < t.elements; i++) t.floats[i] = 1;
    const tips_status status = tips__onnx_add_computed(im, &t, "ones", &ones);
    tips__onnx_tensor_free(&t);
    return status == TIPS_OK ? tips__onnx_two_maps(im, TIPS_COMBINE_MUL, x, &ones, out) : status;
}
