/* ConvTranspose. */
#include "onnx/onnx_ops.h"
#include "onnx/onnx_window.h"

#include "core/fail.h"

#include <string.h>

enum { LARGEST = 1 << 14 };

static tips_status check_weights(const onnx_value *x, const onnx_tensor *w, int64_t groups) {
    if (x->n_dims != 4 || w->n_dims != 4 || w->elements == 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "a transposed convolution of %d dimensions is not supported, only one of 2",
                  w->n_dims > 2 ? w->n_dims - 2 : 0);
    if (w->dims[0] != x->dims[1])
        TIPS_FAIL(TIPS_FORMAT, "its weights are for %lld channels, but there are %lld", (long long)w->dims[0],
                  (long long)x->dims[1]);
    if (groups < 1 || groups > w->dims[0] || w->dims[0] % groups || w->dims[1] > LARGEST / groups)
        TIPS_FAIL(TIPS_FORMAT, "%lld groups do not divide %lld input channels", (long long)groups,
                  (long long)w->dims[0]);
    return TIPS_OK;
}

static tips_status read_listed(const onnx_importer *im, const char *name, int64_t out[2], int *count) {
    int64_t numbers[4];
    TIPS_TRY(tips__onnx_ints(im->node->proto, name, 4, numbers, count));
    const int skipped = *count == 4 ? 2 : 0; /* older files list the batch and the channels too */
    if (*count == 0) return TIPS_OK;
    for (int i = 0; i < 2; i++) {
        if (*count - skipped != 2 || numbers[skipped + i] < 0 || numbers[skipped + i] > LARGEST)
            TIPS_FAIL(TIPS_UNSUPPORTED, "its %s is not two numbers up to %d", name, LARGEST);
        out[i] = numbers[skipped + i];
    }
    return TIPS_OK;
}

static tips_status is_same(const onnx_importer *im, bool *same, bool *upper) {
    char mode[16] = "NOTSET";
    TIPS_TRY(tips__onnx_text(im->node->proto, "auto_pad", mode, sizeof mode));
    *upper = strcmp(mode, "SAME_UPPER") == 0;
    *same = *upper || strcmp(mode, "SAME_LOWER") == 0;
    return TIPS_OK;
}

/* What is cut off where the output's size is given, or follows from the stride alone. */
static tips_status cut_to_size(const onnx_importer *im, const onnx_value *x, onnx_window *window, int more[2]) {
    int64_t size[2] = {0, 0};
    bool same, upper;
    int listed;
    TIPS_TRY(read_listed(im, "output_shape", size, &listed));
    TIPS_TRY(is_same(im, &same, &upper));
    int *const before[2] = {&window->padding.top, &window->padding.left};
    int *const after[2] = {&window->padding.bottom, &window->padding.right};
    for (int i = 0; i < 2 && (listed || same); i++) {
        const int64_t reach = (int64_t)(window->kernel[i] - 1) * window->dilation[i] + 1;
        const int64_t wanted = listed ? size[i] : x->dims[2 + i] * window->stride[i];
        const int64_t total = (x->dims[2 + i] - 1) * window->stride[i] + reach + more[i] - wanted;
        const int cut = total > 0 ? (int)total : 0;
        if (total < 0) more[i] -= (int)total;
        *before[i] = upper ? cut / 2 : cut - cut / 2;
        *after[i] = cut - *before[i];
    }
    return TIPS_OK;
}

tips_status tips__onnx_map_conv_transpose(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    const onnx_tensor *w, *bias = NULL;
    onnx_window window;
    char name[ONNX_NAME];
    int64_t groups = 1, listed[2] = {0, 0};
    int count;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_need_floats(im, 1, "weights", &w));
    TIPS_TRY(tips__onnx_int(im->node->proto, "group", &groups));
    TIPS_TRY(check_weights(x, w, groups));
    const int channels = (int)(w->dims[1] * groups);
    if (tips__onnx_in(im, 2)) TIPS_TRY(tips__onnx_need_floats(im, 2, "bias", &bias));
    if (bias && bias->elements != (size_t)channels)
        TIPS_FAIL(TIPS_FORMAT, "its bias has %zu elements for %d outputs", bias->elements, channels);
    TIPS_TRY(tips__onnx_arrange(im, x, tips__onnx_nchw));
    TIPS_TRY(tips__onnx_window(im, w->dims + 2, x->dims[2], x->dims[3], &window));
    TIPS_TRY(read_listed(im, "output_padding", listed, &count));
    tips_conv_transpose config = {.conv = {.out = channels,
                                           .kernel = {window.kernel[0], window.kernel[1]},
                                           .stride = {window.stride[0], window.stride[1]},
                                           .dilation = {window.dilation[0], window.dilation[1]},
                                           .groups = (int)groups,
                                           .bias = bias != NULL},
                                  .more = {(int)listed[0], (int)listed[1]}};
    TIPS_TRY(cut_to_size(im, x, &window, config.more));
    config.conv.padding = window.padding;
    const int dims[4] = {(int)w->dims[0], (int)w->dims[1], (int)w->dims[2], (int)w->dims[3]};
    const onnx_value *in[] = {x};
    tips__onnx_step_name(im, 1, name);
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_conv_transpose, name, &config, in, 1, out));
    TIPS_TRY(tips__onnx_lend_tensor(im, out->step, "weight", 4, dims, w));
    return bias ? tips__onnx_lend_tensor(im, out->step, "bias", 1, &channels, bias) : TIPS_OK;
}
