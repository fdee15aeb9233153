/* Maps as tensors: which axes are channels, rows and columns, and what it takes to make them so. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"

#include <string.h>

const onnx_layout tips__onnx_nchw = {{1, 2, 3}};
static const onnx_layout nhwc = {{3, 1, 2}}, ncl = {{1, 2, ONNX_NONE}}, nlc = {{2, 1, ONNX_NONE}},
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

static void plain_strides(onnx_value *v) {
    int64_t stride = 1;
    for (int i = v->n_dims - 1; i >= 0; i--) {
        v->strides[i] = stride;
        stride *= v->dims[i];
    }
}

void tips__onnx_look(const onnx_importer *im, onnx_value *v, int n_dims, onnx_layout layout) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const int64_t extents[3] = {map->c, map->h, map->w}, strides[3] = {(int64_t)map->h * map->w, map->w, 1};
    v->n_dims = n_dims;
    for (int i = 0; i < n_dims; i++) v->dims[i] = v->strides[i] = 1;
    for (int i = 0; i < 3; i++) {
        if (layout.axis[i] == ONNX_NONE) continue;
        v->dims[layout.axis[i]] = extents[i];
        v->strides[layout.axis[i]] = strides[i];
    }
    v->is_padded = false;
}

/* A step on the map behind a view, which stays as it is. */
static tips_status rework(onnx_importer *im, onnx_value *v, const tips_layer *layer, const char *suffix,
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
    TIPS_TRY(rework(im, v, &tips__layer_pad, "pad", &config));
    tips__onnx_look(im, v, 4, tips__onnx_nchw);
    return TIPS_OK;
}

static tips_status reshape_map(onnx_importer *im, onnx_value *v, int64_t c, int64_t h, int64_t w) {
    const tips_value_info *map = tips__onnx_map_info(im, v);
    if (map->c == c && map->h == h && map->w == w) return TIPS_OK;
    const bool flattens = h == 1 && w == 1;
    const tips_reshape config = {.c = flattens ? 0 : (int)c, .h = flattens ? 0 : (int)h, .w = flattens ? 0 : (int)w};
    return rework(im, v, &tips__layer_reshape, flattens ? "flatten" : "reshape", &config);
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

/* Makes the map lie in the order of the axes: two runs that are exchanged are a channel shuffle. */
static tips_status reorder(onnx_importer *im, onnx_value *v, const int *axes, int n_axes) {
    run r[TIPS_ONNX_MAX_DIMS];
    const int n = merge_axes(v, axes, n_axes, r);
    if (n <= 1) return TIPS_OK;
    const int64_t inner = r[0].stride;
    const bool swaps = (n == 2 && inner == 1) || (n == 3 && r[2].stride == 1 && r[2].extent == inner);
    if (!swaps || r[1].stride != r[0].extent * inner)
        TIPS_FAIL(TIPS_UNSUPPORTED, "this order of the elements of a map is not supported");
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const int64_t channels = r[0].extent * r[1].extent;
    if (map->c != channels) TIPS_TRY(reshape_map(im, v, channels, inner, 1));
    const tips_shuffle config = {.groups = (int)r[1].extent};
    return rework(im, v, &tips__layer_shuffle, "shuffle", &config);
}

static tips_status arrange_axes(onnx_importer *im, onnx_value *v, onnx_layout l) {
    bool is_part[TIPS_ONNX_MAX_DIMS] = {false};
    for (int i = 0; i < 3; i++)
        if (l.axis[i] != ONNX_NONE) is_part[l.axis[i]] = true;
    for (int i = 0; i < v->n_dims; i++)
        if (!is_part[i] && v->dims[i] != 1)
            TIPS_FAIL(TIPS_UNSUPPORTED, "a map of %d dimensions is not supported here", v->n_dims);
    if (!is_plain(v, l)) TIPS_TRY(reorder(im, v, l.axis, 3));
    return reshape_map(im, v, extent(v, l.axis[0]), extent(v, l.axis[1]), extent(v, l.axis[2]));
}

tips_status tips__onnx_arrange_bare(onnx_importer *im, onnx_value *v, onnx_layout layout) {
    if (v->is_padded) return TIPS_OK; /* it is NCHW already */
    for (int i = 0; i < 3; i++)
        if (layout.axis[i] >= v->n_dims)
            TIPS_FAIL(TIPS_UNSUPPORTED, "a map of %d dimensions is not supported here", v->n_dims);
    TIPS_TRY(arrange_axes(im, v, layout));
    tips__onnx_look(im, v, v->n_dims, layout);
    return TIPS_OK;
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

tips_status tips__onnx_reshape(onnx_importer *im, onnx_value *v, int n_dims, const int64_t *dims) {
    int64_t strides[TIPS_ONNX_MAX_DIMS];
    int axes[TIPS_ONNX_MAX_DIMS];
    TIPS_TRY(tips__onnx_settle(im, v));
    const bool is_view = restride(v, n_dims, dims, strides);
    if (!is_view) {
        for (int i = 0; i < v->n_dims; i++) axes[i] = i;
        TIPS_TRY(reorder(im, v, axes, v->n_dims));
    }
    v->n_dims = n_dims;
    memcpy(v->dims, dims, (size_t)n_dims * sizeof *dims);
    if (is_view) memcpy(v->strides, strides, (size_t)n_dims * sizeof *strides);
    else plain_strides(v);
    return tips__onnx_check_batch(v);
}

tips_status tips__onnx_check_batch(const onnx_value *v) {
    if (v->n_dims < 1 || v->dims[0] != 1)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it moves the batch from the first dimension, or mixes it with others");
    return TIPS_OK;
}
