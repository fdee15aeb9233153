/* Resize and Upsample. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"

#include <string.h>

enum { LARGEST = 1 << 14 };

/* The place of a text in a list. */
static tips_status choose(const onnx_importer *im, const char *attribute, const char *const *names, int *out) {
    char text[32] = "";
    TIPS_TRY(tips__onnx_text(im->node->proto, attribute, text, sizeof text));
    if (!text[0]) return TIPS_OK;
    for (int i = 0; names[i]; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *out = i;
        return TIPS_OK;
    }
    TIPS_FAIL(TIPS_UNSUPPORTED, "its %s '%s' is not supported", attribute, text);
}

static tips_status read_modes(const onnx_importer *im, tips_resize *out) {
    static const char *const modes[] = {"nearest", "linear", "bilinear", NULL};
    static const char *const grids[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", NULL};
    static const char *const rounds[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil", NULL};
    int64_t antialias = 0;
    char policy[16] = "stretch";
    out->mode = TIPS_RESIZE_NEAREST;
    out->grid = im->opset < 11 ? TIPS_GRID_ASYMMETRIC : TIPS_GRID_HALF_PIXEL;
    out->round = im->opset < 11 ? TIPS_ROUND_FLOOR : TIPS_ROUND_PREFER_FLOOR;
    TIPS_TRY(choose(im, "mode", modes, &out->mode));
    if (out->mode > TIPS_RESIZE_LINEAR) out->mode = TIPS_RESIZE_LINEAR;
    TIPS_TRY(choose(im, "coordinate_transformation_mode", grids, &out->grid));
    TIPS_TRY(choose(im, "nearest_mode", rounds, &out->round));
    TIPS_TRY(tips__onnx_int(im->node->proto, "antialias", &antialias));
    TIPS_TRY(tips__onnx_text(im->node->proto, "keep_aspect_ratio_policy", policy, sizeof policy));
    if (antialias) TIPS_FAIL(TIPS_UNSUPPORTED, "antialias is not supported");
    if (strcmp(policy, "stretch") != 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its keep_aspect_ratio_policy '%s' is not supported", policy);
    return TIPS_OK;
}

/* Scales as inputs (Resize, Upsample 9) or as attributes (Upsample 7). */
static tips_status read_scales(const onnx_importer *im, int input, double *out, int *count) {
    const onnx_tensor *t = tips__onnx_const(im, input);
    const Onnx__AttributeProto *listed = tips__onnx_attribute(im->node->proto, "scales");
    const float *numbers = t ? t->floats : listed ? listed->floats : NULL;
    const size_t n = t ? t->elements : listed ? listed->n_floats : 0;
    if (tips__onnx_in(im, input) && !t) TIPS_FAIL(TIPS_UNSUPPORTED, "its scales are computed from the picture");
    if (n > TIPS_ONNX_MAX_DIMS || (n && !numbers)) TIPS_FAIL(TIPS_FORMAT, "its scales are not a short list of numbers");
    for (size_t i = 0; i < n; i++) {
        if (!(numbers[i] > 0 && numbers[i] < LARGEST))
            TIPS_FAIL(TIPS_FORMAT, "a scale of %g is out of range", (double)numbers[i]);
        out[i] = numbers[i];
    }
    *count = (int)n;
    return TIPS_OK;
}

/* What listed factors or sizes say of each axis: axes that are not listed stay as they are. */
typedef struct change {
    double scale[4];
    int64_t size[4]; /* 0: see scale */
} change;

static tips_status read_change(const onnx_importer *im, const onnx_value *x, change *out) {
    const bool is_short = strcmp(im->node->proto->op_type, "Upsample") == 0 || im->opset < 11;
    double scales[TIPS_ONNX_MAX_DIMS];
    int64_t sizes[TIPS_ONNX_MAX_DIMS], axes[TIPS_ONNX_MAX_DIMS];
    int n_scales = 0, n_sizes = -1, n_axes = -1, axis;
    *out = (change){.scale = {1, 1, 1, 1}};
    TIPS_TRY(read_scales(im, is_short ? 1 : 2, scales, &n_scales));
    if (!is_short) TIPS_TRY(tips__onnx_numbers(im, "sizes", 3, 11, TIPS_ONNX_MAX_DIMS, sizes, &n_sizes));
    if (tips__onnx_attribute(im->node->proto, "axes"))
        TIPS_TRY(tips__onnx_ints(im->node->proto, "axes", TIPS_ONNX_MAX_DIMS, axes, &n_axes));
    const int listed = n_axes < 0 ? x->n_dims : n_axes;
    if (n_scales ? n_scales != listed : n_sizes != listed)
        TIPS_FAIL(TIPS_FORMAT, "it has neither a scale nor a size for each of %d axes", listed);
    for (int i = 0; i < listed; i++) {
        TIPS_TRY(tips__onnx_axis(n_axes < 0 ? i : axes[i], x->n_dims, &axis));
        if (!n_scales && (sizes[i] < 1 || sizes[i] > LARGEST))
            TIPS_FAIL(TIPS_UNSUPPORTED, "a size of %lld is not supported", (long long)sizes[i]);
        if (n_scales) out->scale[axis] = scales[i];
        else out->size[axis] = sizes[i];
    }
    return TIPS_OK;
}

static bool stays(const change *c, const onnx_value *x, int axis) {
    return c->size[axis] ? c->size[axis] == x->dims[axis] : c->scale[axis] == 1;
}

tips_status tips__onnx_map_resize(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    tips_resize config = {0};
    change c;
    char name[ONNX_NAME];
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    if (x->n_dims != 4) TIPS_FAIL(TIPS_UNSUPPORTED, "a map of %d dimensions cannot be resized", x->n_dims);
    TIPS_TRY(read_modes(im, &config));
    TIPS_TRY(read_change(im, x, &c));
    const onnx_layout layout = tips__onnx_layout_of(im, x);
    TIPS_TRY(tips__onnx_arrange(im, x, layout));
    const int rows = layout.axis[1], columns = layout.axis[2];
    if (!stays(&c, x, 0) || !stays(&c, x, layout.axis[0]))
        TIPS_FAIL(TIPS_UNSUPPORTED, "only rows and columns can be resized");
    config.scale_h = c.scale[rows], config.scale_w = c.scale[columns];
    if (c.size[rows] || c.size[columns]) {
        config.size[0] = (int)(c.size[rows] ? c.size[rows] : x->dims[rows]);
        config.size[1] = (int)(c.size[columns] ? c.size[columns] : x->dims[columns]);
    }
    const onnx_value *in[] = {x};
    tips__onnx_step_name(im, ONNX_NONE, name);
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_resize, name, &config, in, 1, out));
    tips__onnx_look(im, out, 4, layout);
    return TIPS_OK;
}
