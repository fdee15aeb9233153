/* Pad: borders in all modes, channels of a constant, and negative padding, which takes rows away. */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { LARGEST = 4096 };

typedef struct pads {
    int64_t before[TIPS_ONNX_MAX_DIMS], after[TIPS_ONNX_MAX_DIMS];
    tips_pad_mode mode;
    double value;
} pads;

static tips_status read_mode(const onnx_importer *im, tips_pad_mode *out) {
    static const char *const names[] = {"constant", "wrap", "reflect", "edge"}; /* in the order of tips_pad_mode */
    char mode[16] = "constant";
    TIPS_TRY(tips__onnx_text(im->node->proto, "mode", mode, sizeof mode));
    for (int i = 0; i < 4; i++) {
        if (strcmp(mode, names[i]) != 0) continue;
        *out = (tips_pad_mode)i;
        return TIPS_OK;
    }
    TIPS_FAIL(TIPS_UNSUPPORTED, "its mode '%s' is not known", mode);
}

static tips_status read_value(const onnx_importer *im, double *out) {
    *out = 0;
    if (im->opset < 11) return tips__onnx_float(im->node->proto, "value", out);
    if (!tips__onnx_in(im, 2)) return TIPS_OK;
    const onnx_tensor *t = tips__onnx_const(im, 2);
    if (!t || !t->floats || t->elements != 1) TIPS_FAIL(TIPS_UNSUPPORTED, "its value is not one constant number");
    if (isnan(t->floats[0])) TIPS_FAIL(TIPS_NUMERIC, "its value is not a number");
    *out = t->floats[0];
    return TIPS_OK;
}

static tips_status read_amounts(const onnx_importer *im, int n_dims, pads *p) {
    int64_t numbers[2 * TIPS_ONNX_MAX_DIMS], axes[TIPS_ONNX_MAX_DIMS];
    int count, n_axes = -1, axis;
    const char *name = im->opset < 2 ? "paddings" : "pads";
    TIPS_TRY(tips__onnx_numbers(im, name, 1, 11, 2 * TIPS_ONNX_MAX_DIMS, numbers, &count));
    if (im->opset >= 18) TIPS_TRY(tips__onnx_numbers(im, "axes", 3, 18, TIPS_ONNX_MAX_DIMS, axes, &n_axes));
    const int listed = n_axes < 0 ? n_dims : n_axes;
    if (count != 2 * listed) TIPS_FAIL(TIPS_FORMAT, "its pads are %d numbers for %d dimensions", count, listed);
    for (int i = 0; i < listed; i++) {
        TIPS_TRY(tips__onnx_axis(n_axes < 0 ? i : axes[i], n_dims, &axis));
        p->before[axis] = numbers[i];
        p->after[axis] = numbers[listed + i];
    }
    for (int i = 0; i < n_dims; i++)
        if (p->before[i] > LARGEST || p->after[i] > LARGEST || p->before[i] < -LARGEST || p->after[i] < -LARGEST)
            TIPS_FAIL(TIPS_UNSUPPORTED, "its padding is larger than %d", LARGEST);
    return TIPS_OK;
}

static tips_status crop(onnx_importer *im, onnx_value *v, onnx_layout layout, pads *p) {
    const int n_dims = v->n_dims;
    for (int i = 0; i < 3; i++) {
        const int axis = layout.axis[i];
        if (axis == ONNX_NONE || (p->before[axis] >= 0 && p->after[axis] >= 0)) continue;
        if (p->mode != TIPS_PAD_ZERO)
            TIPS_FAIL(TIPS_UNSUPPORTED, "negative padding is supported in mode constant only");
        const tips_slice slice = {.start = p->before[axis] < 0 ? (int)-p->before[axis] : 0,
                                  .stop = p->after[axis] < 0 ? (int)p->after[axis] : INT_MAX,
                                  .step = 1};
        TIPS_TRY(tips__onnx_add_slice(im, v, (tips_axis)i, slice));
        tips__onnx_look(im, v, n_dims, layout);
        if (p->before[axis] < 0) p->before[axis] = 0;
        if (p->after[axis] < 0) p->after[axis] = 0;
    }
    return TIPS_OK;
}

/* A step in place of v, seen as v was. */
static tips_status put(onnx_importer *im, onnx_value *v, onnx_layout layout, const tips_layer *layer,
                       const void *config) {
    const int n_dims = v->n_dims;
    const onnx_value *in[] = {v};
    onnx_value made;
    char name[ONNX_NAME];
    tips__onnx_step_name(im, ONNX_NONE, name);
    TIPS_TRY(tips__onnx_add_step(im, layer, name, config, in, 1, &made));
    *v = made;
    tips__onnx_look(im, v, n_dims, layout);
    return TIPS_OK;
}

static tips_status pad_channels(onnx_importer *im, onnx_value *v, onnx_layout layout, const pads *p) {
    const int axis = layout.axis[0];
    if (axis == ONNX_NONE || (!p->before[axis] && !p->after[axis])) return TIPS_OK;
    if (p->mode != TIPS_PAD_ZERO) TIPS_FAIL(TIPS_UNSUPPORTED, "channels are padded in mode constant only");
    const tips_pad_channels config = {.before = (int)p->before[axis], .after = (int)p->after[axis], .value = p->value};
    return put(im, v, layout, &tips__layer_pad_channels, &config);
}

static tips_status check_reach(const onnx_importer *im, const onnx_value *v, const tips_padding *b) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const int less = b->mode == TIPS_PAD_REFLECT;
    if (b->mode == TIPS_PAD_ZERO || b->mode == TIPS_PAD_REPLICATE) return TIPS_OK;
    if (b->top > map->h - less || b->bottom > map->h - less || b->left > map->w - less || b->right > map->w - less)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its padding is larger than the map of %dx%d", map->h, map->w);
    return TIPS_OK;
}

/* A border of zeros, or of the map itself, may become that of a convolution: it is added when something else reads it.
 */
static tips_status pad_space(onnx_importer *im, onnx_value *v, onnx_layout layout, const pads *p) {
    const int rows = layout.axis[1], columns = layout.axis[2];
    const tips_padding border = {.mode = p->mode,
                                 .top = rows == ONNX_NONE ? 0 : (int)p->before[rows],
                                 .left = columns == ONNX_NONE ? 0 : (int)p->before[columns],
                                 .bottom = rows == ONNX_NONE ? 0 : (int)p->after[rows],
                                 .right = columns == ONNX_NONE ? 0 : (int)p->after[columns]};
    if (!border.top && !border.left && !border.bottom && !border.right) return TIPS_OK;
    TIPS_TRY(check_reach(im, v, &border));
    if (v->n_dims == 4 && rows == 2 && p->value == 0) {
        v->is_padded = true;
        v->border = border;
        v->dims[2] += border.top + border.bottom;
        v->dims[3] += border.left + border.right;
        return TIPS_OK;
    }
    const tips_pad_config config = {.padding = border, .value = p->value};
    return put(im, v, layout, &tips__layer_pad, &config);
}

static bool is_nothing(const pads *p, int n_dims) {
    for (int i = 0; i < n_dims; i++)
        if (p->before[i] || p->after[i]) return false;
    return true;
}

/* The element of x for one of the padded tensor; false where there is none. */
static bool find_element(const onnx_tensor *x, const onnx_tensor *padded, const pads *p, size_t at, size_t *out) {
    size_t stride = 1;
    *out = 0;
    for (int i = x->n_dims - 1; i >= 0; i--) {
        const int64_t index = (int64_t)(at % (size_t)padded->dims[i]) - p->before[i];
        at /= (size_t)padded->dims[i];
        if (index < 0 || index >= x->dims[i]) return false;
        *out += (size_t)index * stride;
        stride *= (size_t)x->dims[i];
    }
    return true;
}

tips_status tips__onnx_fold_pad(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    pads p = {.mode = TIPS_PAD_ZERO};
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(read_mode(im, &p.mode));
    TIPS_TRY(read_amounts(im, x->n_dims, &p));
    if (p.mode != TIPS_PAD_ZERO || !x->floats)
        TIPS_FAIL(TIPS_UNSUPPORTED, "constants are padded in mode constant only, and if they are floats");
    TIPS_TRY(read_value(im, &p.value));
    for (int i = 0; i < x->n_dims; i++) dims[i] = x->dims[i] + p.before[i] + p.after[i];
    TIPS_TRY(tips__onnx_fold_create(im, x->type, x->n_dims, dims, out));
    for (size_t e = 0; e < out->elements; e++) {
        size_t from;
        out->floats[e] = find_element(x, out, &p, e, &from) ? x->floats[from] : (float)p.value;
    }
    return TIPS_OK;
}

tips_status tips__onnx_map_pad(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    pads p = {.mode = TIPS_PAD_ZERO};
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(read_mode(im, &p.mode));
    if (p.mode == TIPS_PAD_ZERO) TIPS_TRY(read_value(im, &p.value));
    TIPS_TRY(read_amounts(im, x->n_dims, &p));
    if (is_nothing(&p, x->n_dims)) return tips__onnx_map_identity(im);
    const onnx_layout layout = tips__onnx_layout_of(im, x);
    TIPS_TRY(tips__onnx_arrange(im, x, layout));
    for (int i = 0; i < x->n_dims; i++) {
        const bool is_known = i == layout.axis[0] || i == layout.axis[1] || i == layout.axis[2];
        if (!is_known && (p.before[i] || p.after[i])) TIPS_FAIL(TIPS_UNSUPPORTED, "axis %d cannot be padded", i);
    }
    *out = *x;
    TIPS_TRY(crop(im, out, layout, &p));
    TIPS_TRY(pad_channels(im, out, layout, &p));
    return pad_space(im, out, layout, &p);
}
