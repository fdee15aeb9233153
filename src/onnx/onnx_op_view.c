/* Operators that only look at a map in another way. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"

static tips_status misfit(const onnx_importer *im, int64_t total) {
    if (im->batch > 1)
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "its shape holds for batches of %lld only; export the network for a batch of 1, or an open one",
                  (long long)im->batch);
    TIPS_FAIL(TIPS_FORMAT, "%lld elements cannot take the shape it asks for", (long long)total);
}

static tips_status read_shape(const onnx_importer *im, const onnx_value *x, int64_t *dims, int *n_dims) {
    int64_t allow_zero = 0, known = 1, total = 1;
    int open = ONNX_NONE;
    TIPS_TRY(tips__onnx_numbers(im, "shape", 1, 5, TIPS_ONNX_MAX_DIMS, dims, n_dims));
    TIPS_TRY(tips__onnx_int(im->node->proto, "allowzero", &allow_zero));
    if (*n_dims < 1) TIPS_FAIL(TIPS_UNSUPPORTED, "its shape is missing or empty");
    if (dims[0] > 1 && dims[0] == im->batch) dims[0] = 1;
    for (int i = 0; i < x->n_dims; i++) total *= x->dims[i];
    for (int i = 0; i < *n_dims; i++) {
        if (dims[i] == 0 && !allow_zero && i < x->n_dims) dims[i] = x->dims[i];
        if (dims[i] == -1 && open == ONNX_NONE) {
            open = i;
            continue;
        }
        if (dims[i] < 1 || dims[i] > total || known > total / dims[i]) return misfit(im, total);
        known *= dims[i];
    }
    if (open != ONNX_NONE) dims[open] = total / known;
    return (open != ONNX_NONE ? total % known != 0 : known != total) ? misfit(im, total) : TIPS_OK;
}

static tips_status reshape_to(onnx_importer *im, onnx_value *x, int n_dims, const int64_t *dims) {
    onnx_value *out = tips__onnx_out(im, 0);
    *out = *x;
    return tips__onnx_reshape(im, out, n_dims, dims);
}

tips_status tips__onnx_map_reshape(onnx_importer *im) {
    onnx_value *x;
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    int n_dims;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(read_shape(im, x, dims, &n_dims));
    return reshape_to(im, x, n_dims, dims);
}

tips_status tips__onnx_map_flatten(onnx_importer *im) {
    onnx_value *x;
    int64_t axis = 1, dims[2] = {1, 1};
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &axis));
    if (axis < -x->n_dims || axis > x->n_dims)
        TIPS_FAIL(TIPS_FORMAT, "there is no axis %lld in a tensor of %d dimensions", (long long)axis, x->n_dims);
    if (axis < 0) axis += x->n_dims;
    if (axis < 1) TIPS_FAIL(TIPS_UNSUPPORTED, "it joins the samples of a batch");
    for (int i = 0; i < x->n_dims; i++) dims[i >= axis] *= x->dims[i];
    return reshape_to(im, x, 2, dims);
}

static tips_status read_perm(const onnx_importer *im, int n_dims, int64_t perm[TIPS_ONNX_MAX_DIMS]) {
    bool seen[TIPS_ONNX_MAX_DIMS] = {false};
    int count;
    TIPS_TRY(tips__onnx_ints(im->node->proto, "perm", TIPS_ONNX_MAX_DIMS, perm, &count));
    for (int i = 0; count == 0 && i < n_dims; i++) perm[i] = n_dims - 1 - i;
    if (count && count != n_dims) TIPS_FAIL(TIPS_FORMAT, "its perm has %d numbers for %d dimensions", count, n_dims);
    for (int i = 0; i < n_dims; i++) {
        if (perm[i] < 0 || perm[i] >= n_dims || seen[perm[i]]) TIPS_FAIL(TIPS_FORMAT, "its perm is no permutation");
        seen[perm[i]] = true;
    }
    return TIPS_OK;
}

tips_status tips__onnx_map_transpose(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    int64_t perm[TIPS_ONNX_MAX_DIMS];
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(read_perm(im, x->n_dims, perm));
    const onnx_value from = *x;
    *out = from;
    for (int i = 0; i < from.n_dims; i++) {
        out->dims[i] = from.dims[perm[i]];
        out->strides[i] = from.strides[perm[i]];
        if (perm[i] == from.batch) out->batch = i;
    }
    return TIPS_OK;
}

static tips_status marked_axes(const onnx_importer *im, int n_dims, bool marked[TIPS_ONNX_MAX_DIMS], int *count) {
    int64_t axes[TIPS_ONNX_MAX_DIMS];
    int axis;
    TIPS_TRY(tips__onnx_numbers(im, "axes", 1, 13, TIPS_ONNX_MAX_DIMS, axes, count));
    for (int i = 0; i < *count; i++) {
        TIPS_TRY(tips__onnx_axis(axes[i], n_dims, &axis));
        if (marked[axis]) TIPS_FAIL(TIPS_FORMAT, "axis %d is named twice", axis);
        marked[axis] = true;
    }
    return TIPS_OK;
}

tips_status tips__onnx_map_squeeze(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    bool marked[TIPS_ONNX_MAX_DIMS] = {false};
    int count, kept = 0;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(marked_axes(im, x->n_dims, marked, &count));
    if (x->batch != ONNX_NONE && marked[x->batch]) TIPS_FAIL(TIPS_UNSUPPORTED, "it removes the batch dimension");
    *out = *x;
    for (int i = 0; i < x->n_dims; i++) {
        if (marked[i] && x->dims[i] != 1)
            TIPS_FAIL(TIPS_FORMAT, "axis %d has %lld elements and cannot be removed", i, (long long)x->dims[i]);
        if (marked[i] || (count < 0 && i != x->batch && x->dims[i] == 1)) continue;
        if (i == x->batch) out->batch = kept;
        out->dims[kept] = x->dims[i];
        out->strides[kept++] = x->strides[i];
    }
    out->n_dims = kept;
    return TIPS_OK;
}

tips_status tips__onnx_map_unsqueeze(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    int64_t axes[TIPS_ONNX_MAX_DIMS];
    bool marked[TIPS_ONNX_MAX_DIMS] = {false};
    int count;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_numbers(im, "axes", 1, 13, TIPS_ONNX_MAX_DIMS, axes, &count));
    const int n_dims = x->n_dims + (count > 0 ? count : 0);
    if (count < 0 || n_dims > TIPS_ONNX_MAX_DIMS) TIPS_FAIL(TIPS_UNSUPPORTED, "its axes are missing, or too many");
    TIPS_TRY(marked_axes(im, n_dims, marked, &count));
    *out = *x;
    out->n_dims = n_dims;
    for (int i = 0, from = 0; i < n_dims; i++) {
        out->dims[i] = marked[i] ? 1 : x->dims[from];
        out->strides[i] = marked[i] ? 1 : x->strides[from];
        if (!marked[i] && from++ == x->batch) out->batch = i;
    }
    return TIPS_OK;
}

static int64_t clamp_axis(int64_t axis, int n_dims) {
    if (axis < 0) axis = axis < -n_dims ? 0 : axis + n_dims;
    return axis > n_dims ? n_dims : axis;
}

/* The shape of a map is a constant here: sizes are known, and the batch counts as 1. */
tips_status tips__onnx_map_shape(onnx_importer *im) {
    onnx_value *x;
    int64_t start = 0, end = TIPS_ONNX_MAX_DIMS;
    onnx_tensor t;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "start", &start));
    TIPS_TRY(tips__onnx_int(im->node->proto, "end", &end));
    start = clamp_axis(start, x->n_dims);
    end = clamp_axis(end, x->n_dims);
    const int64_t count = end > start ? end - start : 0;
    TIPS_TRY(tips__onnx_tensor_create(ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, &count, &t));
    for (int64_t i = 0; i < count; i++) t.ints[i] = x->dims[start + i];
    return tips__onnx_put_constant(im, &t);
}
