/* Conv and BatchNormalization. */
#include "onnx/onnx_ops.h"
#include "onnx/onnx_window.h"

#include "core/fail.h"

static bool is_zero(const tips_padding *p) { return !p->top && !p->left && !p->bottom && !p->right; }

/* A border that is due becomes the convolution's own padding where the two agree. */
static tips_status take_border(onnx_importer *im, onnx_value *x, tips_padding *padding) {
    if (!x->is_padded) return TIPS_OK;
    const tips_padding *border = &x->border;
    if (border->mode != TIPS_PAD_ZERO && !is_zero(padding)) return tips__onnx_settle(im, x);
    *padding = (tips_padding){border->mode, border->top + padding->top, border->left + padding->left,
                              border->bottom + padding->bottom, border->right + padding->right};
    return TIPS_OK;
}

static tips_status read_bias(const onnx_importer *im, int64_t out, const onnx_tensor **bias) {
    *bias = NULL;
    if (!tips__onnx_in(im, 2)) return TIPS_OK;
    TIPS_TRY(tips__onnx_need_floats(im, 2, "bias", bias));
    if ((*bias)->elements != (size_t)out)
        TIPS_FAIL(TIPS_FORMAT, "its bias has %zu elements for %lld outputs", (*bias)->elements, (long long)out);
    return TIPS_OK;
}

static tips_status check_weights(const onnx_value *x, const onnx_tensor *w, int64_t groups) {
    if (x->n_dims != 4 || w->n_dims != 4)
        TIPS_FAIL(TIPS_UNSUPPORTED, "a convolution of %d dimensions is not supported, only one of 2",
                  w->n_dims > 2 ? w->n_dims - 2 : 0);
    if (w->elements == 0) TIPS_FAIL(TIPS_FORMAT, "its weights are empty");
    if (groups < 1 || groups > x->dims[1] || x->dims[1] % groups || w->dims[0] % groups)
        TIPS_FAIL(TIPS_FORMAT, "%lld groups do not divide %lld input and %lld output channels", (long long)groups,
                  (long long)x->dims[1], (long long)w->dims[0]);
    if (w->dims[1] != x->dims[1] / groups)
        TIPS_FAIL(TIPS_FORMAT, "its weights are for %lld channels in each of %lld groups, but there are %lld in all",
                  (long long)w->dims[1], (long long)groups, (long long)x->dims[1]);
    return TIPS_OK;
}

tips_status tips__onnx_map_conv(onnx_importer *im) {
    onnx_value *x;
    const onnx_tensor *w, *bias;
    onnx_window window;
    char name[ONNX_NAME];
    int64_t groups = 1;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_need_floats(im, 1, "weights", &w));
    TIPS_TRY(tips__onnx_int(im->node->proto, "group", &groups));
    TIPS_TRY(check_weights(x, w, groups));
    TIPS_TRY(read_bias(im, w->dims[0], &bias));
    TIPS_TRY(tips__onnx_arrange_bare(im, x, tips__onnx_nchw));
    TIPS_TRY(tips__onnx_window(im, w->dims + 2, x->dims[2], x->dims[3], &window));
    TIPS_TRY(take_border(im, x, &window.padding));
    const tips_conv2d config = {.out = (int)w->dims[0],
                                .kernel = {window.kernel[0], window.kernel[1]},
                                .stride = {window.stride[0], window.stride[1]},
                                .dilation = {window.dilation[0], window.dilation[1]},
                                .groups = (int)groups,
                                .padding = window.padding,
                                .bias = bias != NULL};
    const int dims[4] = {(int)w->dims[0], (int)w->dims[1], (int)w->dims[2], (int)w->dims[3]};
    const onnx_value *in[] = {x};
    onnx_value *out = tips__onnx_out(im, 0);
    tips__onnx_step_name(im, 1, name);
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_conv2d, name, &config, in, 1, out));
    TIPS_TRY(tips__onnx_lend_tensor(im, out->step, "weight", 4, dims, w));
    return bias ? tips__onnx_lend_tensor(im, out->step, "bias", 1, dims, bias) : TIPS_OK;
}

static tips_status check_inference(const onnx_importer *im) {
    int64_t training = 0, is_test = 1;
    TIPS_TRY(tips__onnx_int(im->node->proto, "training_mode", &training));
    if (im->opset < 7) TIPS_TRY(tips__onnx_int(im->node->proto, "is_test", &is_test));
    if (training || !is_test) TIPS_FAIL(TIPS_UNSUPPORTED, "it is in training mode; export the network for inference");
    for (int i = 1; i < im->node->n_out; i++)
        if (tips__onnx_out_used(im, i))
            TIPS_FAIL(TIPS_UNSUPPORTED, "its output %d is used, which training alone has", i);
    return TIPS_OK;
}

tips_status tips__onnx_map_batch_norm(onnx_importer *im) {
    static const char *const what[] = {"", "scale", "offset", "mean", "variance"};
    static const char *const suffix[] = {"", "weight", "bias", "running_mean", "running_var"};
    const onnx_tensor *t[5];
    onnx_value *x, *out = tips__onnx_out(im, 0);
    char name[ONNX_NAME];
    double eps = 1e-5, momentum = 0.9;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_epsilon(im->node->proto, &eps));
    TIPS_TRY(tips__onnx_finite(im->node->proto, "momentum", &momentum));
    TIPS_TRY(check_inference(im));
    TIPS_TRY(tips__onnx_arrange(im, x, tips__onnx_layout_of(im, x)));
    const int channels = tips__onnx_map_info(im, x)->c;
    for (int i = 1; i < 5; i++) {
        TIPS_TRY(tips__onnx_need_floats(im, i, what[i], &t[i]));
        if (t[i]->elements != (size_t)channels)
            TIPS_FAIL(TIPS_FORMAT, "its %s has %zu elements for %d channels", what[i], t[i]->elements, channels);
    }
    const tips_batch_norm config = {.eps = eps, .momentum = momentum > 0 && momentum < 1 ? 1 - momentum : 0.1};
    tips__onnx_step_name(im, 1, name);
    TIPS_TRY(tips__onnx_add_pointwise(im, &tips__layer_batch_norm, name, &config, x, out));
    for (int i = 1; i < 5; i++) TIPS_TRY(tips__onnx_add_tensor(im, out->step, suffix[i], 1, &channels, t[i]->floats));
    return TIPS_OK;
}
