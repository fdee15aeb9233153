/* Maps as tensors: which axes are channels, rows and columns, and what it takes to make them so. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"

#include <string.h>

const onnx_layout tips__onnx_nchw = {{1, 2, 3}};
static const onnx_layout nhwc = {{3, 1, 2}}, ncl = {{1, ONNX_NONE, 2}}, nlc = {{2, ONNX_NONE, 1}},
                         nc = {{1, ONNX_NONE, ONNX_NONE}};

static int64_t extent(const onnx_value *v, int axis) { return axis == ONNX_NONE ? 1 : v->dims[axis]; }

static bool has_shape(const onnx_importer *im, const onnx_value *v, onnx_layout l) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    return extent(v, l.axis[0]) == map->c && extent(v, l.axis[1]) == map->h && extent(v, l.axis[2]) == map->w;
}

/* Whether the axes of a layout, from the last, step through the map without gaps. */
static bool is_plain(const onnx_value *v, onnx_layout l) {
    int64_t expected = 1;
    for (int i = 2; i >= 0; i--) {
        const int axis = l.axis[i];
        if (axis == ONNX_NONE || v->dims[axis] == 1) continue;
        if (v->strides[axis] != expected) return false;
        expected *= v->dims[axis];
    }
    return true;
}

static bool fits(const onnx_importer *im, const onnx_value *v, onnx_layout l) {
    return has_shape(im, v, l) && is_plain(v, l);
}

onnx_layout tips__onnx_layout_of(const onnx_importer *im, const onnx_value *v) {
    if (v->is_padded) return tips__onnx_nchw;
    if (v->n_dims == 4) return !fits(im, v, tips__onnx_nchw) && fits(im, v, nhwc) ? nhwc : tips__onnx_nchw;
    if (v->n_dims == 3) return !fits(im, v, ncl) && fits(im, v, nlc) ? nlc : ncl;
    return v->n_dims == 2 ? nc : (onnx_layout){{ONNX_NONE, ONNX_NONE, ONNX_NONE}};
}

const tips_value_info *tips__onnx_map_info(const onnx_importer *im, const onnx_value *v) {
    return tips__value(im->graph, v->value);
}

void tips__onnx_look(const onnx_importer *im, onnx_value *v, int n_dims, onnx_layout layout) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const int64_t extents[3] = {map->c, map->h, map->w}, strides[3] = {(int64_t)map->h * map->w, map->w, 1};
    v->n_dims = n_dims;
    v->batch = im->later ? ONNX_NONE : 0; /* a program answers one sample at a time */
    for (int i = 0; i < n_dims; i++) v->dims[i] = v->strides[i] = 1;
    for (int i = 0; i < 3; i++) {
        if (layout.axis[i] == ONNX_NONE) continue;
        v->dims[layout.axis[i]] = extents[i];
        v->strides[layout.axis[i]] = strides[i];
    }
    v->is_padded = false;
}

bool tips__onnx_is_laid_out(const onnx_importer *im, const onnx_value *v) {
    return v->is_padded || fits(im, v, tips__onnx_layout_of(im, v));
}

tips_status tips__onnx_rework(onnx_importer *im, onnx_value *v, const tips_layer *layer, const char *suffix,
                              const void *config) {
    char name[ONNX_NAME];
    onnx_value made;
    const onnx_value *in[] = {v};
    tips__onnx_step_name_of(im, suffix, name);
    TIPS_TRY(tips__onnx_add_step(im, layer, name, config, in, 1, &made));
    v->step = made.step;
    v->value = made.value;
    return TIPS_OK;
}

tips_status tips__onnx_settle(onnx_importer *im, onnx_value *v) {
    if (!v->is_padded) return TIPS_OK;
    const tips_pad_config config = {.padding = v->border};
    TIPS_TRY(tips__onnx_rework(im, v, &tips__layer_pad, "pad", &config));
    tips__onnx_look(im, v, 4, tips__onnx_nchw);
    return TIPS_OK;
}

/* Runs of axes that step through the map together, as one each. */
typedef struct run {
    int64_t extent, stride;
} run;

static int merge_axes(const onnx_value *v, const int *axes, int n_axes, run *runs) {
    int n = 0;
    for (int i = 0; i < n_axes; i++) {
        const int axis = axes[i];
        if (axis == ONNX_NONE || v->dims[axis] == 1) continue;
        const run r = {v->dims[axis], v->strides[axis]};
        if (n && runs[n - 1].stride == r.extent * r.stride) {
            runs[n - 1] = (run){runs[n - 1].extent * r.extent, r.stride};
        } else {
            runs[n++] = r;
        }
    }
    return n;
}

tips_status tips__onnx_arrange_bare(onnx_importer *im, onnx_value *v, onnx_layout layout) {
    if (v->is_padded) return TIPS_OK; /* it is NCHW already */
    for (int i = 0; i < 3; i++)
        if (layout.axis[i] >= v->n_dims)
            TIPS_FAIL(TIPS_UNSUPPORTED, "a map of %d dimensions is not supported here", v->n_dims);
    const onnx_groups groups = tips__onnx_groups_of_layout(layout);
    return tips__onnx_group(im, v, &groups);
}

tips_status tips__onnx_arrange(onnx_importer *im, onnx_value *v, onnx_layout layout) {
    TIPS_TRY(tips__onnx_settle(im, v));
    return tips__onnx_arrange_bare(im, v, layout);
}

/* Splits and joins axes where strides allow it: false if the elements would have to move. */
static bool restride(const onnx_value *v, int n_dims, const int64_t *dims, int64_t *strides) {
    run runs[TIPS_ONNX_MAX_DIMS];
    int axes[TIPS_ONNX_MAX_DIMS], at = n_dims - 1;
    for (int i = 0; i < v->n_dims; i++) axes[i] = i;
    const int n = merge_axes(v, axes, v->n_dims, runs);
    for (int r = n - 1; r >= 0; r--) {
        int64_t left = runs[r].extent, stride = runs[r].stride;
        for (; at >= 0 && (left > 1 || dims[at] == 1); at--) {
            if (left % dims[at]) return false;
            strides[at] = stride;
            left /= dims[at];
            stride *= dims[at];
        }
        if (left > 1) return false;
    }
    for (; at >= 0; at--) strides[at] = 1;
    return true;
}

/* The batch stays known while it is an axis of its own in front. */
static int batch_after(const onnx_value *v, int n_dims, const int64_t *dims) {
    return v->batch == 0 && n_dims > 0 && dims[0] == 1 ? 0 : ONNX_NONE;
}

tips_status tips__onnx_reshape(onnx_importer *im, onnx_value *v, int n_dims, const int64_t *dims) {
    int64_t strides[TIPS_ONNX_MAX_DIMS];
    TIPS_TRY(tips__onnx_settle(im, v));
    v->batch = batch_after(v, n_dims, dims);
    if (!restride(v, n_dims, dims, strides)) return tips__onnx_reshape_moved(im, v, n_dims, dims);
    v->n_dims = n_dims;
    memcpy(v->dims, dims, (size_t)n_dims * sizeof *dims);
    memcpy(v->strides, strides, (size_t)n_dims * sizeof *strides);
    return TIPS_OK;
}

tips_status tips__onnx_check_batch(const onnx_value *v, int axis) {
    if (axis == v->batch)
        TIPS_FAIL(TIPS_UNSUPPORTED, "axis %d is that of the samples of a batch, which it would mix", axis);
    return TIPS_OK;
}
