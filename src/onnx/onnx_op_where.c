/* Where with a constant condition, as masks of attention are written: what is chosen of a map is a product with ones
 * and zeros, and what is chosen of a constant is added. */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

#include <float.h>

static bool is_map(const onnx_importer *im, int i) { return tips__onnx_in(im, i)->kind == ONNX_MAP; }

/* 1 where a side is chosen. */
static tips_status make_mask(const onnx_importer *im, const onnx_tensor *condition, bool side, onnx_tensor *out) {
    TIPS_TRY(tips__onnx_fold_create(im, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, condition->n_dims, condition->dims, out));
    for (size_t i = 0; i < out->elements; i++) out->floats[i] = (condition->ints[i] != 0) == side;
    return TIPS_OK;
}

/* A constant where its side is chosen, else 0. Infinite ones become the largest there are, so that sums stay numbers.
 */
static tips_status make_part(const onnx_importer *im, const onnx_tensor *condition, bool side, const onnx_tensor *value,
                             onnx_tensor *out) {
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    int n_dims;
    TIPS_TRY(tips__onnx_fold_spread(condition, value, &n_dims, dims));
    TIPS_TRY(tips__onnx_fold_create(im, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, n_dims, dims, out));
    for (size_t e = 0; e < out->elements; e++) {
        const float number = value->floats[tips__onnx_fold_at(value, n_dims, dims, e)];
        const bool chosen = (condition->ints[tips__onnx_fold_at(condition, n_dims, dims, e)] != 0) == side;
        out->floats[e] = !chosen ? 0 : number > FLT_MAX ? FLT_MAX : number < -FLT_MAX ? -FLT_MAX : number;
    }
    return TIPS_OK;
}

/* Input 1 + i, if it is chosen where the condition says so, and 0 elsewhere. */
static tips_status choose(onnx_importer *im, const onnx_tensor *condition, int i, onnx_value *out) {
    const bool side = i == 0;
    const onnx_tensor *value = NULL;
    onnx_tensor t;
    onnx_value mask;
    if (is_map(im, 1 + i)) {
        onnx_value *x = tips__onnx_in(im, 1 + i);
        TIPS_TRY(make_mask(im, condition, side, &t));
        const tips_status status = tips__onnx_add_computed(im, &t, side ? "mask" : "other_mask", &mask);
        tips__onnx_tensor_free(&t);
        return status == TIPS_OK ? tips__onnx_two_maps(im, TIPS_COMBINE_MUL, x, &mask, out) : status;
    }
    TIPS_TRY(tips__onnx_need_floats(im, 1 + i, "value", &value));
    TIPS_TRY(make_part(im, condition, side, value, &t));
    const tips_status status = tips__onnx_add_computed(im, &t, "value", out);
    tips__onnx_tensor_free(&t);
    return status;
}

tips_status tips__onnx_map_where(onnx_importer *im) {
    const onnx_tensor *condition = tips__onnx_const(im, 0);
    onnx_value parts[2];
    if (im->node->n_in != 3 || !tips__onnx_in(im, 1) || !tips__onnx_in(im, 2))
        TIPS_FAIL(TIPS_FORMAT, "it needs three inputs");
    if (!condition || !condition->ints || condition->elements == 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its condition is computed from the picture; it must be constant");
    for (int i = 0; i < 2; i++) TIPS_TRY(choose(im, condition, i, &parts[i]));
    return tips__onnx_two_maps(im, TIPS_COMBINE_ADD, &parts[0], &parts[1], tips__onnx_out(im, 0));
}
