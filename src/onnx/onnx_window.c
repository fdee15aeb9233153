/* Windows as ONNX describes them; "same" padding is worked out for the size at hand. */
#include "onnx/onnx_window.h"

#include "core/fail.h"

#include <string.h>

enum { LARGEST = 4096 };

static tips_status read_pair(const onnx_importer *im, const char *name, int out[2]) {
    int64_t numbers[4];
    int count;
    out[0] = out[1] = 1;
    TIPS_TRY(tips__onnx_ints(im->node->proto, name, 4, numbers, &count));
    if (count == 0) return TIPS_OK;
    if (count != 2)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its %s has %d numbers; windows of two dimensions are supported", name, count);
    for (int i = 0; i < 2; i++) {
        if (numbers[i] < 1 || numbers[i] > LARGEST)
            TIPS_FAIL(TIPS_UNSUPPORTED, "its %s of %lld is not between 1 and %d", name, (long long)numbers[i], LARGEST);
        out[i] = (int)numbers[i];
    }
    return TIPS_OK;
}

static tips_status read_pads(const onnx_importer *im, tips_padding *out) {
    int64_t pads[8];
    int count;
    TIPS_TRY(tips__onnx_ints(im->node->proto, "pads", 8, pads, &count));
    if (count == 0) return TIPS_OK;
    if (count != 4) TIPS_FAIL(TIPS_UNSUPPORTED, "its pads are %d numbers, not 4", count);
    for (int i = 0; i < 4; i++)
        if (pads[i] < 0 || pads[i] > LARGEST)
            TIPS_FAIL(TIPS_UNSUPPORTED, "its padding of %lld is not between 0 and %d", (long long)pads[i], LARGEST);
    *out = (tips_padding){TIPS_PAD_ZERO, (int)pads[0], (int)pads[1], (int)pads[2], (int)pads[3]};
    return TIPS_OK;
}

/* As many outputs as strides fit into the input, rounded up. */
static void same(int64_t in, int kernel, int stride, int dilation, bool more_after, int *before, int *after) {
    const int64_t reach = (int64_t)(kernel - 1) * dilation + 1, out = (in + stride - 1) / stride;
    const int64_t total = (out - 1) * stride + reach - in, padding = total > 0 ? total : 0;
    *before = (int)(more_after ? padding / 2 : padding - padding / 2);
    *after = (int)(padding - *before);
}

static tips_status read_padding(const onnx_importer *im, int64_t h, int64_t w, onnx_window *out) {
    char mode[16] = "NOTSET";
    TIPS_TRY(tips__onnx_text(im->node->proto, "auto_pad", mode, sizeof mode));
    tips_padding *p = &out->padding;
    if (strcmp(mode, "NOTSET") == 0 || !mode[0]) return read_pads(im, p);
    if (strcmp(mode, "VALID") == 0) return TIPS_OK;
    const bool upper = strcmp(mode, "SAME_UPPER") == 0;
    if (!upper && strcmp(mode, "SAME_LOWER") != 0) TIPS_FAIL(TIPS_FORMAT, "its auto_pad is '%s'", mode);
    same(h, out->kernel[0], out->stride[0], out->dilation[0], upper, &p->top, &p->bottom);
    same(w, out->kernel[1], out->stride[1], out->dilation[1], upper, &p->left, &p->right);
    return TIPS_OK;
}

static tips_status take_kernel(const int64_t kernel[2], bool is_listed, int out[2]) {
    for (int i = 0; i < 2; i++) {
        if (kernel[i] < 1 || kernel[i] > LARGEST)
            TIPS_FAIL(TIPS_UNSUPPORTED, "a kernel of %lldx%lld is not supported", (long long)kernel[0],
                      (long long)kernel[1]);
        if (is_listed && out[i] != kernel[i]) TIPS_FAIL(TIPS_FORMAT, "its kernel_shape is not that of its weights");
        out[i] = (int)kernel[i];
    }
    return TIPS_OK;
}

tips_status tips__onnx_window(const onnx_importer *im, const int64_t *kernel, int64_t h, int64_t w, onnx_window *out) {
    const bool is_listed = tips__onnx_attribute(im->node->proto, "kernel_shape") != NULL;
    *out = (onnx_window){.padding = {.mode = TIPS_PAD_ZERO}};
    if (!kernel && !is_listed) TIPS_FAIL(TIPS_FORMAT, "its kernel_shape is missing");
    TIPS_TRY(read_pair(im, "kernel_shape", out->kernel));
    if (kernel) TIPS_TRY(take_kernel(kernel, is_listed, out->kernel));
    TIPS_TRY(read_pair(im, "strides", out->stride));
    TIPS_TRY(read_pair(im, "dilations", out->dilation));
    return read_padding(im, h, w, out);
}
