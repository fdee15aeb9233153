/* Powers of maps: small whole ones are products. Roots are read as part of a norm only. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"

tips_status tips__onnx_map_pow(onnx_importer *im) {
    enum { LARGEST = 4 };
    onnx_value *x, result;
    const onnx_tensor *t = tips__onnx_const(im, 1);
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    const double power = t && t->elements == 1 ? (t->floats ? t->floats[0] : (double)t->ints[0]) : 0;
    if (power != 1 && power != 2 && power != 3 && power != LARGEST)
        TIPS_FAIL(TIPS_UNSUPPORTED, "powers from 1 to %d are supported for maps, and only as a constant", LARGEST);
    result = *x;
    for (int i = 1; i < (int)power; i++) {
        onnx_value made;
        TIPS_TRY(tips__onnx_two_maps(im, TIPS_COMBINE_MUL, &result, x, &made));
        result = made;
    }
    *tips__onnx_out(im, 0) = result;
    return TIPS_OK;
}

tips_status tips__onnx_map_sqrt(onnx_importer *im) {
    (void)im;
    TIPS_FAIL(TIPS_UNSUPPORTED, "a root of a map is read as part of a layer norm over one axis only; export the "
                                "network with opset 17 or later, which has LayerNormalization");
}
