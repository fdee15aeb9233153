/* Operators that look at shapes, change them, or make arrays of a shape. */
#include "dynamic/dynamic_parts.h"

#include <math.h>
#include <string.h>

static tips_status copy_as(dynamic_run *r, const tips_array *x, int n_dims, const int64_t *dims) {
    tips_array *y;
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, n_dims, dims, &y));
    if (y->count != x->count) TIPS_FAIL(TIPS_SHAPE, "%zu elements cannot take a shape of %zu", x->count, y->count);
    if (x->count && x->floats) memcpy(y->floats, x->floats, tips__array_bytes(x));
    if (x->count && x->ints) memcpy(y->ints, x->ints, tips__array_bytes(x));
    return TIPS_OK;
}

tips_status tips__dynamic_identity(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    return copy_as(r, x, x->n_dims, x->dims);
}

tips_status tips__dynamic_constant(dynamic_run *r) {
    const dynamic_attribute *value = tips__dynamic_attribute(r, "value");
    tips_array copy;
    if (!value || value->kind != DYNAMIC_ARRAY) TIPS_FAIL(TIPS_UNSUPPORTED, "its value is not a tensor");
    TIPS_TRY(tips__array_copy(&value->array, &copy));
    return tips__dynamic_put(r, r->node->out[0], &copy);
}

static int64_t clamp_axis(int64_t axis, int n_dims) {
    if (axis < 0) axis = axis < -n_dims ? 0 : axis + n_dims;
    return axis > n_dims ? n_dims : axis;
}

tips_status tips__dynamic_shape(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const int64_t start = clamp_axis(tips__dynamic_int(r, "start", 0), x->n_dims);
    const int64_t end = clamp_axis(tips__dynamic_int(r, "end", x->n_dims), x->n_dims);
    const int64_t count = end > start ? end - start : 0;
    tips_array *y;
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_INT64, 1, &count, &y));
    for (int64_t i = 0; i < count; i++) y->ints[i] = x->dims[start + i];
    return TIPS_OK;
}

tips_status tips__dynamic_size(dynamic_run *r) {
    tips_array *y;
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_INT64, 0, NULL, &y));
    y->ints[0] = (int64_t)tips__dynamic_in(r, 0)->count;
    return TIPS_OK;
}

/* What -1 stands for, from the elements there are. */
static tips_status fill_open(const tips_array *x, int n_dims, int64_t *dims) {
    int open = -1;
    size_t known;
    for (int i = 0; i < n_dims; i++) {
        if (dims[i] != -1) continue;
        if (open >= 0) TIPS_FAIL(TIPS_FORMAT, "its shape has two open extents");
        open = i;
        dims[i] = 1;
    }
    if (open < 0) return TIPS_OK;
    TIPS_TRY(tips__array_count(n_dims, dims, &known));
    if (known == 0 || x->count % known != 0)
        TIPS_FAIL(TIPS_SHAPE, "%zu elements cannot take the shape it asks for", x->count);
    dims[open] = (int64_t)(x->count / known);
    return TIPS_OK;
}

tips_status tips__dynamic_reshape(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const bool allow_zero = tips__dynamic_int(r, "allowzero", 0) != 0;
    const int64_t *shape;
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    int n_dims;
    TIPS_TRY(tips__dynamic_list(r, "shape", 1, &shape, &n_dims));
    if (n_dims < 0 || n_dims > TIPS_ARRAY_MOST_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its shape is missing, or has more than %d extents", TIPS_ARRAY_MOST_DIMS);
    for (int i = 0; i < n_dims; i++) dims[i] = shape[i] == 0 && !allow_zero && i < x->n_dims ? x->dims[i] : shape[i];
    TIPS_TRY(fill_open(x, n_dims, dims));
    return copy_as(r, x, n_dims, dims);
}

tips_status tips__dynamic_flatten(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    int64_t axis = tips__dynamic_int(r, "axis", 1), dims[2] = {1, 1};
    if (axis < -x->n_dims || axis > x->n_dims) TIPS_FAIL(TIPS_FORMAT, "there is no axis %lld", (long long)axis);
    if (axis < 0) axis += x->n_dims;
    for (int i = 0; i < x->n_dims; i++) dims[i >= axis] *= x->dims[i];
    return copy_as(r, x, 2, dims);
}

/* The axes that are named; *count -1: none are. */
static tips_status mark_axes(dynamic_run *r, int n_dims, bool marked[TIPS_ARRAY_MOST_DIMS], int *count) {
    const int64_t *axes;
    int axis;
    TIPS_TRY(tips__dynamic_list(r, "axes", 1, &axes, count));
    for (int i = 0; i < *count; i++) {
        TIPS_TRY(tips__dynamic_axis(axes[i], n_dims, &axis));
        if (marked[axis]) TIPS_FAIL(TIPS_FORMAT, "axis %d is named twice", axis);
        marked[axis] = true;
    }
    return TIPS_OK;
}

tips_status tips__dynamic_squeeze(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    bool marked[TIPS_ARRAY_MOST_DIMS] = {false};
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    int count, kept = 0;
    TIPS_TRY(mark_axes(r, x->n_dims, marked, &count));
    for (int i = 0; i < x->n_dims; i++) {
        if (marked[i] && x->dims[i] != 1)
            TIPS_FAIL(TIPS_SHAPE, "axis %d has %lld elements and cannot be removed", i, (long long)x->dims[i]);
        if (!marked[i] && !(count < 0 && x->dims[i] == 1)) dims[kept++] = x->dims[i];
    }
    return copy_as(r, x, kept, dims);
}

tips_status tips__dynamic_unsqueeze(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    bool marked[TIPS_ARRAY_MOST_DIMS] = {false};
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    const int64_t *axes;
    int count;
    TIPS_TRY(tips__dynamic_list(r, "axes", 1, &axes, &count));
    if (count < 0 || x->n_dims + count > TIPS_ARRAY_MOST_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its axes are missing, or too many");
    const int n_dims = x->n_dims + count;
    TIPS_TRY(mark_axes(r, n_dims, marked, &count));
    for (int i = 0, from = 0; i < n_dims; i++) dims[i] = marked[i] ? 1 : x->dims[from++];
    return copy_as(r, x, n_dims, dims);
}

/* Elements of x, walked through as `walk` says, in the order of the output. */
static tips_status take_walked(dynamic_run *r, const tips_array *x, dynamic_walk *walk) {
    tips_array *y;
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, walk->n_dims, walk->dims, &y));
    for (size_t i = 0; i < y->count; i++, tips__dynamic_next(walk)) {
        if (y->floats) y->floats[i] = x->floats[walk->at[0]];
        else y->ints[i] = x->ints[walk->at[0]];
    }
    return TIPS_OK;
}

tips_status tips__dynamic_transpose(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const int64_t *perm;
    bool seen[TIPS_ARRAY_MOST_DIMS] = {false};
    size_t strides[TIPS_ARRAY_MOST_DIMS];
    dynamic_walk walk = {.n_dims = x->n_dims, .n = 1};
    int count;
    TIPS_TRY(tips__dynamic_list(r, "perm", -1, &perm, &count));
    if (count >= 0 && count != x->n_dims) TIPS_FAIL(TIPS_FORMAT, "its perm has %d numbers", count);
    tips__dynamic_strides(x, x->n_dims, x->dims, strides);
    for (int i = 0; i < x->n_dims; i++) {
        const int64_t from = count < 0 ? x->n_dims - 1 - i : perm[i];
        if (from < 0 || from >= x->n_dims || seen[from]) TIPS_FAIL(TIPS_FORMAT, "its perm is no permutation");
        seen[from] = true;
        walk.dims[i] = x->dims[from];
        walk.strides[0][i] = strides[from];
    }
    return take_walked(r, x, &walk);
}

/* An array that has only the shape that input i asks for. */
static tips_status shape_asked(const dynamic_run *r, int i, tips_array *out) {
    const tips_array *shape;
    TIPS_TRY(tips__dynamic_ints(r, i, &shape));
    if (shape->n_dims != 1 || shape->count > TIPS_ARRAY_MOST_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its input %d is no shape of at most %d dimensions", i, TIPS_ARRAY_MOST_DIMS);
    *out = (tips_array){.n_dims = (int)shape->count};
    if (shape->count) memcpy(out->dims, shape->ints, shape->count * sizeof *out->dims);
    return tips__array_count(out->n_dims, out->dims, &out->count);
}

tips_status tips__dynamic_expand(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    dynamic_walk walk = {.n = 1};
    tips_array wanted;
    TIPS_TRY(shape_asked(r, 1, &wanted));
    TIPS_TRY(tips__dynamic_spread((const tips_array *const[]){x, &wanted}, 2, &walk.n_dims, walk.dims));
    tips__dynamic_strides(x, walk.n_dims, walk.dims, walk.strides[0]);
    return take_walked(r, x, &walk);
}

/* As many axes as there are, twice: how often, and within. */
tips_status tips__dynamic_tile(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    tips_array repeats, *y;
    int64_t dims[TIPS_ARRAY_MOST_DIMS], index[TIPS_ARRAY_MOST_DIMS] = {0};
    size_t strides[TIPS_ARRAY_MOST_DIMS];
    TIPS_TRY(shape_asked(r, 1, &repeats));
    if (repeats.n_dims != x->n_dims) TIPS_FAIL(TIPS_SHAPE, "it has %d repeats for %d axes", repeats.n_dims, x->n_dims);
    for (int i = 0; i < x->n_dims; i++) dims[i] = x->dims[i] * repeats.dims[i];
    tips__dynamic_strides(x, x->n_dims, x->dims, strides);
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, dims, &y));
    for (size_t i = 0; i < y->count; i++) {
        size_t from = 0;
        for (int k = 0; k < x->n_dims; k++) from += (size_t)(index[k] % x->dims[k]) * strides[k];
        if (y->floats) y->floats[i] = x->floats[from];
        else y->ints[i] = x->ints[from];
        for (int k = x->n_dims - 1; k >= 0 && ++index[k] == dims[k]; k--) index[k] = 0;
    }
    return TIPS_OK;
}

tips_status tips__dynamic_constant_of_shape(dynamic_run *r) {
    const dynamic_attribute *value = tips__dynamic_attribute(r, "value");
    const tips_array *one = value && value->kind == DYNAMIC_ARRAY ? &value->array : NULL;
    tips_array wanted, *y;
    if (one && one->count != 1) TIPS_FAIL(TIPS_FORMAT, "its value has %zu elements", one->count);
    TIPS_TRY(shape_asked(r, 0, &wanted));
    TIPS_TRY(tips__dynamic_out(r, 0, one ? one->type : TIPS_ARRAY_FLOAT, wanted.n_dims, wanted.dims, &y));
    for (size_t i = 0; i < y->count; i++) {
        if (y->floats) y->floats[i] = one ? one->floats[0] : 0;
        else y->ints[i] = one->ints[0];
    }
    return TIPS_OK;
}

tips_status tips__dynamic_range(dynamic_run *r) {
    const tips_array_type type = tips__dynamic_in(r, 0)->type;
    double start, limit, step;
    tips_array *y;
    TIPS_TRY(tips__dynamic_scalar(r, 0, 0, &start));
    TIPS_TRY(tips__dynamic_scalar(r, 1, 0, &limit));
    TIPS_TRY(tips__dynamic_scalar(r, 2, 1, &step));
    const double steps = ceil((limit - start) / step);
    if (!(fabs(steps) < 0x1p40 && fabs(start) < 0x1p52 && fabs(limit) < 0x1p52))
        TIPS_FAIL(TIPS_RANGE, "it goes from %g to %g by %g", start, limit, step);
    const int64_t count = steps > 0 ? (int64_t)steps : 0;
    TIPS_TRY(tips__dynamic_out(r, 0, type, 1, &count, &y));
    for (int64_t i = 0; i < count; i++) {
        if (y->floats) y->floats[i] = (float)start + (float)i * (float)step;
        else y->ints[i] = tips__array_narrow(type, (int64_t)start + i * (int64_t)step);
    }
    return TIPS_OK;
}

tips_status tips__dynamic_one_hot(dynamic_run *r) {
    const tips_array *at = tips__dynamic_in(r, 0), *values = tips__dynamic_in(r, 2);
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    double depth;
    tips_array *y;
    int axis;
    TIPS_TRY(tips__dynamic_scalar(r, 1, 0, &depth));
    if (!(depth >= 1 && depth < 0x1p28) || values->count != 2 || at->n_dims >= TIPS_ARRAY_MOST_DIMS)
        TIPS_FAIL(TIPS_FORMAT, "it has a depth of %g and %zu values", depth, values->count);
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", -1), at->n_dims + 1, &axis));
    for (int i = 0, from = 0; i <= at->n_dims; i++) dims[i] = i == axis ? (int64_t)depth : at->dims[from++];
    TIPS_TRY(tips__dynamic_out(r, 0, values->type, at->n_dims + 1, dims, &y));
    const dynamic_split s = tips__dynamic_split_of(y, axis);
    for (size_t i = 0; i < y->count; i++) {
        const size_t from = i / (s.extent * s.inner) * s.inner + i % s.inner, k = i / s.inner % s.extent;
        double wanted = at->floats ? (double)at->floats[from] : (double)at->ints[from];
        if (wanted < 0) wanted += depth;
        const int one = wanted == (double)k;
        if (y->floats) y->floats[i] = values->floats[one];
        else y->ints[i] = values->ints[one];
    }
    return TIPS_OK;
}
