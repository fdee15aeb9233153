/* Constants cut and joined: Gather, Slice, Concat. Each sees a tensor as (outer, axis, inner). */
#include "onnx/onnx_fold.h"

#include "core/fail.h"

#include <string.h>

typedef struct around {
    size_t outer, inner;
} around;

static around around_axis(const onnx_tensor *t, int axis) {
    around a = {1, 1};
    for (int i = 0; i < axis; i++) a.outer *= (size_t)t->dims[i];
    for (int i = axis + 1; i < t->n_dims; i++) a.inner *= (size_t)t->dims[i];
    return a;
}

static void copy_line(onnx_tensor *to, size_t at, const onnx_tensor *from, size_t element, size_t count) {
    if (to->floats) memcpy(to->floats + at, from->floats + element, count * sizeof *to->floats);
    else memcpy(to->ints + at, from->ints + element, count * sizeof *to->ints);
}

tips_status tips__onnx_fold_gather(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x, *t;
    int64_t wanted = 0, dims[2 * TIPS_ONNX_MAX_DIMS];
    int axis, n = 0;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_fold_in(im, 1, &t));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &wanted));
    TIPS_TRY(tips__onnx_axis(wanted, x->n_dims, &axis));
    if (!t->ints) TIPS_FAIL(TIPS_FORMAT, "its indices are not whole numbers");
    const int64_t extent = x->dims[axis];
    for (size_t i = 0; i < t->elements; i++)
        if (t->ints[i] < -extent || t->ints[i] >= extent)
            TIPS_FAIL(TIPS_FORMAT, "its index %lld is out of range", (long long)t->ints[i]);
    for (int i = 0; i < axis; i++) dims[n++] = x->dims[i];
    for (int i = 0; i < t->n_dims; i++) dims[n++] = t->dims[i];
    for (int i = axis + 1; i < x->n_dims; i++) dims[n++] = x->dims[i];
    TIPS_TRY(tips__onnx_fold_create(im, x->type, n, dims, out));
    if (out->elements == 0) return TIPS_OK; /* of other axes there may be very many */
    const around a = around_axis(x, axis);
    for (size_t o = 0; o < a.outer; o++)
        for (size_t i = 0; i < t->elements; i++) {
            const size_t at = (size_t)(t->ints[i] < 0 ? t->ints[i] + extent : t->ints[i]);
            copy_line(out, (o * t->elements + i) * a.inner, x, (o * (size_t)extent + at) * a.inner, a.inner);
        }
    return TIPS_OK;
}

/* First element and number of elements of a slice of one axis, as in Python. */
static tips_status range_of(int64_t start, int64_t stop, int64_t step, int64_t extent, int64_t *first, int64_t *count) {
    if (step == 0 || step == INT64_MIN) TIPS_FAIL(TIPS_FORMAT, "its step is not valid");
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    start = start < -extent ? low : start < 0 ? start + extent : start > high ? high : start;
    stop = stop < -extent ? low : stop < 0 ? stop + extent : stop > high ? high : stop;
    const int64_t span = step > 0 ? stop - start : start - stop, pace = step > 0 ? step : -step;
    *first = start;
    *count = span > 0 ? (span - 1) / pace + 1 : 0;
    return TIPS_OK;
}

static tips_status slice_axis(const onnx_importer *im, const onnx_tensor *x, int axis, const int64_t range[3],
                              onnx_tensor *out) {
    int64_t first = 0, dims[TIPS_ONNX_MAX_DIMS];
    memcpy(dims, x->dims, sizeof dims);
    TIPS_TRY(range_of(range[0], range[1], range[2], x->dims[axis], &first, &dims[axis]));
    TIPS_TRY(tips__onnx_fold_create(im, x->type, x->n_dims, dims, out));
    if (out->elements == 0) return TIPS_OK;
    const around a = around_axis(x, axis);
    for (size_t o = 0; o < a.outer; o++)
        for (int64_t i = 0; i < dims[axis]; i++) {
            const size_t at = o * (size_t)x->dims[axis] + (size_t)(first + i * range[2]);
            copy_line(out, (o * (size_t)dims[axis] + (size_t)i) * a.inner, x, at * a.inner, a.inner);
        }
    return TIPS_OK;
}

tips_status tips__onnx_fold_slice(onnx_importer *im, onnx_tensor *out) {
    enum { MOST = TIPS_ONNX_MAX_DIMS };
    const onnx_tensor *x;
    int64_t starts[MOST], ends[MOST], axes[MOST], steps[MOST];
    int n_starts, n_ends, n_axes, n_steps, axis;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_numbers(im, "starts", 1, 10, MOST, starts, &n_starts));
    TIPS_TRY(tips__onnx_numbers(im, "ends", 2, 10, MOST, ends, &n_ends));
    TIPS_TRY(tips__onnx_numbers(im, "axes", 3, 10, MOST, axes, &n_axes));
    TIPS_TRY(tips__onnx_numbers(im, "steps", 4, 10, MOST, steps, &n_steps));
    if (n_starts < 1 || n_starts != n_ends || (n_axes >= 0 && n_axes != n_starts) ||
        (n_steps >= 0 && n_steps != n_starts))
        TIPS_FAIL(TIPS_FORMAT, "its starts, ends, axes and steps are not as many");
    onnx_tensor part = *x, next;
    part.borrowed = true;
    for (int i = 0; i < n_starts; i++) {
        const int64_t range[3] = {starts[i], ends[i], n_steps < 0 ? 1 : steps[i]};
        tips_status status = tips__onnx_axis(n_axes < 0 ? i : axes[i], x->n_dims, &axis);
        if (status == TIPS_OK) status = slice_axis(im, &part, axis, range, &next);
        tips__onnx_tensor_free(&part);
        if (status != TIPS_OK) return status;
        part = next;
    }
    *out = part;
    return TIPS_OK;
}

static tips_status join(const onnx_importer *im, int axis, onnx_tensor *out) {
    const around a = around_axis(out, axis);
    const size_t line = (size_t)out->dims[axis] * a.inner;
    size_t at = 0;
    for (int i = 0; i < im->node->n_in; i++) {
        const onnx_tensor *t = tips__onnx_const(im, i);
        const size_t part = (size_t)t->dims[axis] * a.inner;
        for (size_t o = 0; o < a.outer; o++) copy_line(out, o * line + at, t, o * part, part);
        at += part;
    }
    return TIPS_OK;
}

tips_status tips__onnx_fold_concat(onnx_importer *im, onnx_tensor *out) {
    const onnx_tensor *x, *t;
    int64_t wanted = 0, dims[TIPS_ONNX_MAX_DIMS];
    int axis;
    TIPS_TRY(tips__onnx_fold_in(im, 0, &x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &wanted));
    TIPS_TRY(tips__onnx_axis(wanted, x->n_dims, &axis));
    memcpy(dims, x->dims, sizeof dims);
    for (int i = 1; i < im->node->n_in; i++) {
        TIPS_TRY(tips__onnx_fold_in(im, i, &t));
        if (t->n_dims != x->n_dims || !t->floats != !x->floats)
            TIPS_FAIL(TIPS_FORMAT, "its inputs do not fit together");
        for (int k = 0; k < x->n_dims; k++)
            if (k != axis && t->dims[k] != x->dims[k]) TIPS_FAIL(TIPS_FORMAT, "its inputs do not fit together");
        if (t->dims[axis] > INT64_MAX / 2 - dims[axis]) TIPS_FAIL(TIPS_FORMAT, "its inputs are too large");
        dims[axis] += t->dims[axis];
    }
    TIPS_TRY(tips__onnx_fold_create(im, x->type, x->n_dims, dims, out));
    return out->elements > 0 ? join(im, axis, out) : TIPS_OK;
}
