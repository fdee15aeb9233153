/* Constants made, cut, joined and rearranged. */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

#include <math.h>
#include <string.h>

static tips_status from_floats(const onnx_importer *im, const float *numbers, size_t count, bool is_list,
                               onnx_tensor *out) {
    const int64_t dims[] = {(int64_t)count};
    TIPS_TRY(tips__onnx_fold_create(im, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, is_list, dims, out));
    if (count) memcpy(out->floats, numbers, count * sizeof *numbers);
    return TIPS_OK;
}

static tips_status from_ints(const onnx_importer *im, const int64_t *numbers, size_t count, bool is_list,
                             onnx_tensor *out) {
    const int64_t dims[] = {(int64_t)count};
    TIPS_TRY(tips__onnx_fold_create(im, ONNX_TYPE_INT64, is_list, dims, out));
    if (count) memcpy(out->ints, numbers, count * sizeof *numbers);
    return TIPS_OK;
}

tips_status tips__onnx_fold_constant(onnx_importer *im, onnx_tensor *out) {
    const Onnx__NodeProto *proto = im->node->proto;
    const Onnx__AttributeProto *a;
    if ((a = tips__onnx_attribute(proto, "value")) && a->t) return tips__onnx_tensor_read(im->file, a->t, out);
    if ((a = tips__onnx_attribute(proto, "value_float"))) return from_floats(im, &a->f, 1, false, out);
    if ((a = tips__onnx_attribute(proto, "value_floats"))) return from_floats(im, a->floats, a->n_floats, true, out);
    if ((a = tips__onnx_attribute(proto, "value_int"))) return from_ints(im, &a->i, 1, false, out);
    if ((a = tips__onnx_attribute(proto, "value_ints"))) return from_ints(im, a->ints, a->n_ints, true, out);
    TIPS_FAIL(TIPS_UNSUPPORTED, "its value is missing, or of an unsupported kind");
}

/* A list of dimensions from input i. */
static tips_status read_dims(const onnx_importer *im, int i, int64_t *dims, int *n_dims) {
    const onnx_tensor *t;
    TIPS_TRY(tips__onnx_fold_in(im, i, &t));
    if (!t->ints || t->n_dims > 1 || t->elements > TIPS_ONNX_MAX_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its input %d is not a list of at most %d dimensions", i, TIPS_ONNX_MAX_DIMS);
    memcpy(dims, t->ints, t->elements * sizeof *dims);
    *n_dims = (int)t->elements;
    return TIPS_OK;
}

tips_status tips__onnx_fold_constant_of_shape(onnx_importer *im, onnx_tensor *out) {
    const Onnx__AttributeProto *a = tips__onnx_attribute(im->node->proto, "value");
    const float zero = 0;
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    int n_dims = 0;
    onnx_tensor value;
    TIPS_TRY(read_dims(im, 0, dims, &n_dims));
    if (a && a->t) TIPS_TRY(tips__onnx_tensor_read(im->file, a->t, &value));
    else TIPS_TRY(from_floats(im, &zero, 1, false, &value));
    tips_status status = value.elements == 1 ? tips__onnx_fold_create(im, value.type, n_dims, dims, out)
                                             : tips__fail(TIPS_FORMAT, "its value is not one number");
    for (size_t i = 0; status == TIPS_OK && i < out->elements; i++) tips__onnx_fold_move(out, i, &value, 0);
    tips__onnx_tensor_free(&value);
    return status;
}

tips_status tips__onnx_fold_shape(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    if (tips__onnx_attribute(im->node->proto, "start") || tips__onnx_attribute(im->node->proto, "end"))
        TIPS_FAIL(TIPS_UNSUPPORTED, "part of the shape of a constant is not supported");
    return from_ints(im, x->dims, (size_t)x->n_dims, true, out);
}

tips_status tips__onnx_fold_identity(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    return tips__onnx_fold_copy(im, x, x->n_dims, x->dims, out);
}

tips_status tips__onnx_fold_reshape(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t dims[TIPS_ONNX_MAX_DIMS], known = 1, allow_zero = 0;
    int n_dims, open = ONNX_NONE;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_numbers(im, "shape", 1, 5, TIPS_ONNX_MAX_DIMS, dims, &n_dims));
    TIPS_TRY(tips__onnx_int(im->node->proto, "allowzero", &allow_zero));
    if (n_dims < 0) TIPS_FAIL(TIPS_FORMAT, "its shape is missing");
    for (int i = 0; i < n_dims; i++) {
        if (dims[i] == 0 && !allow_zero && i < x->n_dims) dims[i] = x->dims[i];
        if (dims[i] == -1 && open == ONNX_NONE) {
            open = i;
            dims[i] = 1;
        }
        if (dims[i] < 0 || (dims[i] && known > INT64_MAX / dims[i])) TIPS_FAIL(TIPS_FORMAT, "its shape is not valid");
        known *= dims[i];
    }
    if (open != ONNX_NONE) dims[open] = known ? (int64_t)x->elements / known : 0;
    return tips__onnx_fold_copy(im, x, n_dims, dims, out);
}

tips_status tips__onnx_fold_flatten(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t axis = 1, dims[2] = {1, 1};
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &axis));
    if (axis < 0) axis += x->n_dims;
    for (int i = 0; i < x->n_dims; i++) dims[i >= axis] *= x->dims[i];
    return tips__onnx_fold_copy(im, x, 2, dims, out);
}

static tips_status mark_axes(const int64_t *axes, int count, int n_dims, bool marked[TIPS_ONNX_MAX_DIMS]) {
    int axis;
    for (int i = 0; i < count; i++) {
        TIPS_TRY(tips__onnx_axis(axes[i], n_dims, &axis));
        if (marked[axis]) TIPS_FAIL(TIPS_FORMAT, "axis %d is named twice", axis);
        marked[axis] = true;
    }
    return TIPS_OK;
}

tips_status tips__onnx_fold_unsqueeze(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t axes[TIPS_ONNX_MAX_DIMS], dims[TIPS_ONNX_MAX_DIMS];
    bool marked[TIPS_ONNX_MAX_DIMS] = {false};
    int count;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_numbers(im, "axes", 1, 13, TIPS_ONNX_MAX_DIMS, axes, &count));
    if (count < 0 || x->n_dims + count > TIPS_ONNX_MAX_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its axes are missing, or too many");
    TIPS_TRY(mark_axes(axes, count, x->n_dims + count, marked));
    for (int i = 0, from = 0; i < x->n_dims + count; i++) dims[i] = marked[i] ? 1 : x->dims[from++];
    return tips__onnx_fold_copy(im, x, x->n_dims + count, dims, out);
}

tips_status tips__onnx_fold_squeeze(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t axes[TIPS_ONNX_MAX_DIMS], dims[TIPS_ONNX_MAX_DIMS];
    bool marked[TIPS_ONNX_MAX_DIMS] = {false};
    int count, kept = 0;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_numbers(im, "axes", 1, 13, TIPS_ONNX_MAX_DIMS, axes, &count));
    TIPS_TRY(mark_axes(axes, count, x->n_dims, marked));
    for (int i = 0; i < x->n_dims; i++)
        if (!(marked[i] || (count < 0 && x->dims[i] == 1))) dims[kept++] = x->dims[i];
    return tips__onnx_fold_copy(im, x, kept, dims, out);
}

tips_status tips__onnx_fold_transpose(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    int64_t perm[TIPS_ONNX_MAX_DIMS], dims[TIPS_ONNX_MAX_DIMS];
    size_t strides[TIPS_ONNX_MAX_DIMS], stride = 1;
    bool seen[TIPS_ONNX_MAX_DIMS] = {false};
    int count;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_ints(im->node->proto, "perm", TIPS_ONNX_MAX_DIMS, perm, &count));
    for (int i = 0; count == 0 && i < x->n_dims; i++) perm[i] = x->n_dims - 1 - i;
    if (count && count != x->n_dims) TIPS_FAIL(TIPS_FORMAT, "its perm does not fit");
    for (int i = 0; i < x->n_dims; i++) {
        if (perm[i] < 0 || perm[i] >= x->n_dims || seen[perm[i]]) TIPS_FAIL(TIPS_FORMAT, "its perm is no permutation");
        seen[perm[i]] = true;
        dims[i] = x->dims[perm[i]];
    }
    for (int i = x->n_dims - 1; i >= 0; i--) strides[i] = stride, stride *= (size_t)x->dims[i];
    TIPS_TRY(tips__onnx_fold_create(im, x->type, x->n_dims, dims, out));
    for (size_t e = 0; e < out->elements; e++) {
        size_t at = e, from = 0;
        for (int i = x->n_dims - 1; i >= 0; i--) {
            from += at % (size_t)dims[i] * strides[perm[i]];
            at /= (size_t)dims[i];
        }
        tips__onnx_fold_move(out, e, x, from);
    }
    return TIPS_OK;
}

tips_status tips__onnx_fold_expand(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x;
    onnx_tensor wanted = {0};
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    int n_dims;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(read_dims(im, 1, wanted.dims, &wanted.n_dims));
    TIPS_TRY(tips__onnx_fold_spread(x, &wanted, &n_dims, dims));
    TIPS_TRY(tips__onnx_fold_create(im, x->type, n_dims, dims, out));
    for (size_t e = 0; e < out->elements; e++) tips__onnx_fold_move(out, e, x, tips__onnx_fold_at(x, n_dims, dims, e));
    return TIPS_OK;
}

static tips_status number_of(const onnx_importer *im, int i, double *out) {
    const onnx_tensor *t;
    TIPS_TRY(tips__onnx_fold_in(im, i, &t));
    if (t->elements != 1) TIPS_FAIL(TIPS_FORMAT, "its input %d is not one number", i);
    *out = t->floats ? t->floats[0] : (double)t->ints[0];
    return TIPS_OK;
}

tips_status tips__onnx_fold_range(onnx_importer *im, onnx_tensor *out) {
    double start = 0, limit = 0, delta = 0;
    TIPS_TRY(number_of(im, 0, &start));
    TIPS_TRY(number_of(im, 1, &limit));
    TIPS_TRY(number_of(im, 2, &delta));
    const double count = ceil((limit - start) / delta);
    if (!(delta != 0 && count < 1e6 && fabs(start) < 1e15 && fabs(delta) < 1e9))
        TIPS_FAIL(TIPS_UNSUPPORTED, "a range from %g to %g in steps of %g is not supported", start, limit, delta);
    const int64_t dims[] = {count > 0 ? (int64_t)count : 0};
    TIPS_TRY(tips__onnx_fold_create(im, tips__onnx_const(im, 0)->type, 1, dims, out));
    for (int64_t i = 0; i < dims[0]; i++) {
        if (out->floats) out->floats[i] = (float)(start + (double)i * delta);
        else out->ints[i] = (int64_t)(start + (double)i * delta);
    }
    return TIPS_OK;
}
