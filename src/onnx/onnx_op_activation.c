/* Functions of single elements, and those that leave a map as it is. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"
#include "core/memory.h"

#include <float.h>
#include <string.h>

static tips_status pointwise(onnx_importer *im, const tips_layer *layer, const void *config) {
    onnx_value *x;
    char name[ONNX_NAME];
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    tips__onnx_step_name(im, ONNX_NONE, name);
    return tips__onnx_add_pointwise(im, layer, name, config, x, tips__onnx_out(im, 0));
}

tips_status tips__onnx_map_relu(onnx_importer *im) { return pointwise(im, &tips__layer_relu, NULL); }
tips_status tips__onnx_map_sigmoid(onnx_importer *im) { return pointwise(im, &tips__layer_sigmoid, NULL); }
tips_status tips__onnx_map_tanh(onnx_importer *im) { return pointwise(im, &tips__layer_tanh, NULL); }
tips_status tips__onnx_map_hard_swish(onnx_importer *im) { return pointwise(im, &tips__layer_hard_swish, NULL); }

tips_status tips__onnx_map_erf(onnx_importer *im) { return pointwise(im, &tips__layer_erf, NULL); }
tips_status tips__onnx_map_softplus(onnx_importer *im) { return pointwise(im, &tips__layer_softplus, NULL); }

tips_status tips__onnx_map_elu(onnx_importer *im) {
    tips_elu config = {.alpha = 1};
    TIPS_TRY(tips__onnx_finite(im->node->proto, "alpha", &config.alpha));
    return pointwise(im, &tips__layer_elu, &config);
}

tips_status tips__onnx_map_gelu(onnx_importer *im) {
    char approximate[16] = "none";
    TIPS_TRY(tips__onnx_text(im->node->proto, "approximate", approximate, sizeof approximate));
    if (strcmp(approximate, "tanh") == 0) return pointwise(im, &tips__layer_gelu_tanh, NULL);
    if (strcmp(approximate, "none") != 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "the approximation '%s' is not supported, only 'none' and 'tanh'", approximate);
    return pointwise(im, &tips__layer_gelu, NULL);
}

tips_status tips__onnx_map_leaky_relu(onnx_importer *im) {
    tips_leaky_relu config = {.alpha = 0.01};
    TIPS_TRY(tips__onnx_finite(im->node->proto, "alpha", &config.alpha));
    return pointwise(im, &tips__layer_leaky_relu, &config);
}

tips_status tips__onnx_map_hard_sigmoid(onnx_importer *im) {
    tips_hard_sigmoid config = {.alpha = 0.2, .beta = 0.5};
    TIPS_TRY(tips__onnx_finite(im->node->proto, "alpha", &config.alpha));
    TIPS_TRY(tips__onnx_finite(im->node->proto, "beta", &config.beta));
    return pointwise(im, &tips__layer_hard_sigmoid, &config);
}

/* A bound of Clip: an attribute until opset 10, an input since. */
static tips_status read_bound(const onnx_importer *im, const char *name, int i, double *out) {
    if (im->opset < 11) return tips__onnx_float(im->node->proto, name, out);
    const onnx_value *v = tips__onnx_in(im, i);
    if (!v) return TIPS_OK;
    if (v->kind != ONNX_CONSTANT || v->tensor.elements != 1)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its %s is not one constant number", name);
    *out = v->tensor.floats ? v->tensor.floats[0] : (double)v->tensor.ints[0];
    return TIPS_OK;
}

tips_status tips__onnx_map_clip(onnx_importer *im) {
    tips_clip config = {.min = -FLT_MAX, .max = FLT_MAX};
    TIPS_TRY(read_bound(im, "min", 1, &config.min));
    TIPS_TRY(read_bound(im, "max", 2, &config.max));
    if (!(config.min <= config.max))
        TIPS_FAIL(TIPS_FORMAT, "its bounds %g and %g are not in order", config.min, config.max);
    if (config.min == 0 && config.max >= FLT_MAX) return pointwise(im, &tips__layer_relu, NULL);
    if (config.min < -FLT_MAX) config.min = -FLT_MAX;
    if (config.max > FLT_MAX) config.max = FLT_MAX;
    return pointwise(im, &tips__layer_clip, &config);
}

static tips_status add_prelu(onnx_importer *im, onnx_value *x, const float *slopes, bool shared, int channels) {
    const tips_prelu config = {.shared = shared};
    const int count = shared ? 1 : channels;
    char name[ONNX_NAME];
    onnx_value *out = tips__onnx_out(im, 0);
    tips__onnx_step_name(im, 1, name);
    TIPS_TRY(tips__onnx_add_pointwise(im, &tips__layer_prelu, name, &config, x, out));
    return tips__onnx_add_tensor(im, out->step, "weight", 1, &count, slopes);
}

tips_status tips__onnx_map_prelu(onnx_importer *im) {
    onnx_value *x;
    const onnx_tensor *slope;
    float *slopes;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_need_floats(im, 1, "slope", &slope));
    const onnx_layout layout = tips__onnx_layout_of(im, x);
    TIPS_TRY(tips__onnx_arrange(im, x, layout));
    const int channels = tips__onnx_map_info(im, x)->c;
    TIPS_TRY(tips__new(&slopes, (size_t)channels * sizeof *slopes, "slopes"));
    /* A list as long as there are channels is theirs, in files from before slopes were spread like other tensors. */
    const bool is_list = slope->n_dims == 1 && slope->elements == (size_t)channels;
    tips_status status = TIPS_OK;
    if (is_list) memcpy(slopes, slope->floats, (size_t)channels * sizeof *slopes);
    else status = tips__onnx_per_channel(slope, x, layout, channels, slopes);
    if (status == TIPS_OK) status = add_prelu(im, x, slopes, slope->elements == 1, channels);
    tips__free(slopes);
    return status;
}

tips_status tips__onnx_map_lrn(onnx_importer *im) {
    onnx_value *x;
    char name[ONNX_NAME];
    tips_lrn config = {.alpha = 1e-4, .beta = 0.75, .bias = 1};
    int64_t size = 0;
    TIPS_TRY(tips__onnx_int(im->node->proto, "size", &size));
    TIPS_TRY(tips__onnx_finite(im->node->proto, "alpha", &config.alpha));
    TIPS_TRY(tips__onnx_finite(im->node->proto, "beta", &config.beta));
    TIPS_TRY(tips__onnx_finite(im->node->proto, "bias", &config.bias));
    if (size < 1 || size > 1 << 16) TIPS_FAIL(TIPS_FORMAT, "its size is %lld", (long long)size);
    config.size = (int)size;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_arrange(im, x, tips__onnx_nchw));
    tips__onnx_step_name(im, ONNX_NONE, name);
    return tips__onnx_add_pointwise(im, &tips__layer_lrn, name, &config, x, tips__onnx_out(im, 0));
}

static tips_status softmax(onnx_importer *im, const tips_layer *layer) {
    onnx_value *x;
    char name[ONNX_NAME];
    int axis;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    int64_t wanted = im->opset < 13 ? 1 : -1;
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &wanted));
    TIPS_TRY(tips__onnx_axis(wanted, x->n_dims, &axis));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_check_batch(x, axis));
    /* Until opset 12 it runs over all axes from the one that is named. */
    const onnx_groups g = tips__onnx_with_channels(im, x, axis, im->opset < 13 ? x->n_dims - axis : 1);
    TIPS_TRY(tips__onnx_group(im, x, &g));
    tips__onnx_step_name(im, ONNX_NONE, name);
    return tips__onnx_add_pointwise(im, layer, name, NULL, x, tips__onnx_out(im, 0));
}

tips_status tips__onnx_map_softmax(onnx_importer *im) { return softmax(im, &tips__layer_softmax); }
tips_status tips__onnx_map_log_softmax(onnx_importer *im) { return softmax(im, &tips__layer_log_softmax); }

tips_status tips__onnx_map_identity(onnx_importer *im) {
    onnx_value *x;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    *tips__onnx_out(im, 0) = *x;
    return TIPS_OK;
}

/* Some networks ask for training with a ratio of 0. */
static bool drops_nothing(const onnx_importer *im) {
    const onnx_tensor *ratio = tips__onnx_const(im, 1);
    return ratio && ratio->floats && ratio->elements == 1 && ratio->floats[0] == 0;
}

tips_status tips__onnx_map_dropout(onnx_importer *im) {
    const onnx_tensor *training = tips__onnx_const(im, 2);
    if (tips__onnx_out_used(im, 1)) TIPS_FAIL(TIPS_UNSUPPORTED, "its mask (output 1) is used");
    if (training && training->elements == 1 && training->ints && training->ints[0] && !drops_nothing(im))
        TIPS_FAIL(TIPS_UNSUPPORTED, "it is in training mode; export the network for inference");
    return tips__onnx_map_identity(im);
}

tips_status tips__onnx_map_cast(onnx_importer *im) {
    int64_t to = 0;
    TIPS_TRY(tips__onnx_int(im->node->proto, "to", &to));
    if (to < 0 || to > 64 || !tips__onnx_is_float((int)to))
        TIPS_FAIL(TIPS_UNSUPPORTED, "a map cannot become other than floating-point");
    return tips__onnx_map_identity(im);
}
