/* InstanceNormalization, GroupNormalization and LayerNormalization: the layer group_norm, or layer_norm where it is of
 * the channels of tokens.
 *
 * Exporters write a group norm as an InstanceNormalization of a map that is seen as (n, groups, the rest), so what
 * counts is which parts of the plain order of a sample are normalised together. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"
#include "core/memory.h"

enum { PER_CHANNEL = 21 }; /* since this opset, weights of a group norm are those of channels */

/* The view goes through a sample in its plain order, so that its second axis cuts it into parts of equal size. */
static bool is_whole(const onnx_value *x) {
    int64_t expected = 1;
    for (int i = x->n_dims - 1; i > 0; i--) {
        if (x->dims[i] != 1 && x->strides[i] != expected) return false;
        expected *= x->dims[i];
    }
    return true;
}

static tips_status put_norm(onnx_importer *im, onnx_value *x, int groups, const float *weight, const float *bias) {
    tips_group_norm config = {.groups = groups, .eps = 1e-5, .affine = weight != NULL};
    onnx_value *out = tips__onnx_out(im, 0);
    char name[ONNX_NAME];
    const int channels = tips__onnx_map_info(im, x)->c;
    TIPS_TRY(tips__onnx_epsilon(im->node->proto, &config.eps));
    if (weight) tips__onnx_step_name(im, 1, name);
    else tips__onnx_step_name_of(im, "norm", name);
    TIPS_TRY(tips__onnx_add_pointwise(im, &tips__layer_group_norm, name, &config, x, out));
    if (!weight) return TIPS_OK;
    TIPS_TRY(tips__onnx_add_tensor(im, out->step, "weight", 1, &channels, weight));
    return tips__onnx_add_tensor(im, out->step, "bias", 1, &channels, bias);
}

/* One number for each channel, from one for each of so many parts of the channels. */
static tips_status spread(const char *what, const onnx_tensor *t, int parts, int channels, float *out) {
    if (t->elements != (size_t)parts)
        TIPS_FAIL(TIPS_FORMAT, "its %s has %zu elements for %d parts of the channels", what, t->elements, parts);
    for (int c = 0; c < channels; c++) out[c] = t->floats[c / (channels / parts)];
    return TIPS_OK;
}

static bool all_are(const float *numbers, int count, float value) {
    for (int i = 0; i < count; i++)
        if (numbers[i] != value) return false;
    return true;
}

/* With scale and offset as inputs 1 and 2, for parts of the channels; those that change nothing are left out where the
 * parts are not channels, since the weights that a network has learnt follow then. */
static tips_status norm_of_parts(onnx_importer *im, onnx_value *x, int groups, int parts) {
    const int channels = tips__onnx_map_info(im, x)->c;
    const onnx_tensor *scale, *offset;
    float *numbers; /* (2, channels) */
    TIPS_TRY(tips__onnx_need_floats(im, 1, "scale", &scale));
    TIPS_TRY(tips__onnx_need_floats(im, 2, "offset", &offset));
    TIPS_TRY(tips__new(&numbers, 2 * (size_t)channels * sizeof *numbers, "constants"));
    tips_status status = spread("scale", scale, parts, channels, numbers);
    if (status == TIPS_OK) status = spread("offset", offset, parts, channels, numbers + channels);
    if (status == TIPS_OK) {
        const bool is_plain = parts < channels && all_are(numbers, channels, 1) &&
                              all_are(numbers + channels, channels, 0);
        status = put_norm(im, x, groups, is_plain ? NULL : numbers, numbers + channels);
    }
    tips__free(numbers);
    return status;
}

tips_status tips__onnx_map_instance_norm(onnx_importer *im) {
    onnx_value *x;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    if (x->n_dims < 3) TIPS_FAIL(TIPS_FORMAT, "its input has %d dimensions, not 3 or more", x->n_dims);
    TIPS_TRY(tips__onnx_settle(im, x));
    if (x->n_dims == 4 && !is_whole(x)) TIPS_TRY(tips__onnx_arrange(im, x, tips__onnx_nchw));
    const tips_value_info *map = tips__onnx_map_info(im, x);
    const int64_t groups = x->dims[1];
    if (!is_whole(x) || groups < 1 || map->c % groups)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it normalises %lld parts of a map of %d channels, which are not groups of them",
                  (long long)groups, map->c);
    return norm_of_parts(im, x, (int)groups, (int)groups);
}

tips_status tips__onnx_map_group_norm(onnx_importer *im) {
    onnx_value *x;
    int64_t groups = 0;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "num_groups", &groups));
    TIPS_TRY(tips__onnx_settle(im, x));
    if (x->n_dims != 4)
        TIPS_FAIL(TIPS_UNSUPPORTED, "a group norm of %d dimensions is not supported, only of 4", x->n_dims);
    TIPS_TRY(tips__onnx_arrange(im, x, tips__onnx_nchw));
    const int channels = tips__onnx_map_info(im, x)->c;
    if (groups < 1 || groups > channels || channels % groups)
        TIPS_FAIL(TIPS_FORMAT, "%lld groups do not divide %d channels", (long long)groups, channels);
    return norm_of_parts(im, x, (int)groups, im->opset < PER_CHANNEL ? (int)groups : channels);
}

/* Scale, and offset if there is one, as one number for each channel. */
static tips_status norm_of_sample(onnx_importer *im, onnx_value *x, float *numbers) {
    const int channels = tips__onnx_map_info(im, x)->c;
    const onnx_tensor *t;
    for (int i = 0; i < 2; i++) {
        float *out = numbers + (ptrdiff_t)i * channels;
        for (int c = 0; c < channels; c++) out[c] = 1 - (float)i;
        if (i && !tips__onnx_in(im, 2)) continue;
        TIPS_TRY(tips__onnx_need_floats(im, 1 + i, i ? "offset" : "scale", &t));
        TIPS_TRY(tips__onnx_per_channel(t, x, tips__onnx_nchw, channels, out));
    }
    return put_norm(im, x, 1, numbers, numbers + channels);
}

tips_status tips__onnx_add_layer_norm(onnx_importer *im, onnx_value *x, int axis, int count, double eps,
                                      const float *weight, const float *bias, const char *name) {
    const tips_layer_norm config = {.eps = eps > 0 ? eps : 1e-30}; /* 0 stands for another one there */
    onnx_value *out = tips__onnx_out(im, 0);
    const onnx_groups g = tips__onnx_with_channels(im, x, axis, count);
    TIPS_TRY(tips__onnx_group(im, x, &g));
    const int channels = tips__onnx_map_info(im, x)->c;
    TIPS_TRY(tips__onnx_add_pointwise(im, &tips__layer_layer_norm, name, &config, x, out));
    TIPS_TRY(tips__onnx_add_tensor(im, out->step, "weight", 1, &channels, weight));
    return tips__onnx_add_tensor(im, out->step, "bias", 1, &channels, bias);
}

/* Over the last axes, with a scale and an offset for each of their elements. */
static tips_status norm_of_tokens(onnx_importer *im, onnx_value *x, int axis, size_t count, float *numbers) {
    const onnx_tensor *t;
    double eps = 1e-5;
    char name[ONNX_NAME];
    for (int i = 0; i < 2; i++) {
        float *out = numbers + (size_t)i * count;
        for (size_t c = 0; c < count; c++) out[c] = 1 - (float)i;
        if (i && !tips__onnx_in(im, 2)) continue;
        TIPS_TRY(tips__onnx_need_floats(im, 1 + i, i ? "offset" : "scale", &t));
        if (t->elements != 1 && t->elements != count)
            TIPS_FAIL(TIPS_FORMAT, "its %s has %zu elements for %zu", i ? "offset" : "scale", t->elements, count);
        for (size_t c = 0; c < count; c++) out[c] = t->floats[t->elements == 1 ? 0 : c];
    }
    TIPS_TRY(tips__onnx_epsilon(im->node->proto, &eps));
    tips__onnx_step_name(im, 1, name);
    return tips__onnx_add_layer_norm(im, x, axis, x->n_dims - axis, eps, numbers, numbers + count, name);
}

/* Whether there is one number for each channel, however often. */
static bool is_for_channels(const onnx_tensor *t, const onnx_value *x) {
    const size_t channels = (size_t)x->dims[1], area = (size_t)x->dims[2] * (size_t)x->dims[3];
    if (!t || !t->floats) return !t;
    if (t->elements != channels * area) return t->n_dims <= 3 && (t->elements == 1 || t->dims[0] == x->dims[1]);
    for (size_t i = 0; i < t->elements; i++)
        if (t->floats[i] != t->floats[i / area * area]) return false;
    return true;
}

/* From channels on, over a whole sample, with numbers for channels: what --norm layer is. */
static bool is_of_sample(const onnx_importer *im, const onnx_value *x, int axis) {
    return axis == 1 && x->n_dims == 4 && x->dims[0] == 1 && is_for_channels(tips__onnx_const(im, 1), x) &&
           is_for_channels(tips__onnx_const(im, 2), x);
}

tips_status tips__onnx_map_layer_norm(onnx_importer *im) {
    onnx_value *x;
    int64_t at = -1;
    int axis;
    float *numbers; /* (2, channels) */
    size_t count = 1;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &at));
    TIPS_TRY(tips__onnx_axis(at, x->n_dims, &axis));
    for (int i = axis; i < x->n_dims; i++) TIPS_TRY(tips__onnx_check_batch(x, i));
    for (int i = 1; i < im->node->n_out; i++)
        if (tips__onnx_out_used(im, i))
            TIPS_FAIL(TIPS_UNSUPPORTED, "its output %d is used, which training alone has", i);
    const bool of_sample = is_of_sample(im, x, axis);
    if (of_sample) TIPS_TRY(tips__onnx_arrange(im, x, tips__onnx_nchw));
    for (int i = axis; i < (of_sample ? 2 : x->n_dims); i++) count *= (size_t)x->dims[i];
    TIPS_TRY(tips__new(&numbers, 2 * count * sizeof *numbers, "constants"));
    const tips_status status =
        of_sample ? norm_of_sample(im, x, numbers) : norm_of_tokens(im, x, axis, count, numbers);
    tips__free(numbers);
    return status;
}
