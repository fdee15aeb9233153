/* Operators that take arrays apart and put them together: slices, joins, and elements at places that others name. */
#include "dynamic/dynamic_parts.h"

#include <string.h>

static void copy_run(const tips_array *from, size_t at, tips_array *to, size_t to_at, size_t count) {
    if (count == 0) return;
    if (from->floats) memcpy(to->floats + to_at, from->floats + at, count * sizeof *to->floats);
    else memcpy(to->ints + to_at, from->ints + at, count * sizeof *to->ints);
}

static tips_status check_types(const tips_array *a, const tips_array *b) {
    if ((a->type == TIPS_ARRAY_FLOAT) != (b->type == TIPS_ARRAY_FLOAT))
        TIPS_FAIL(TIPS_FORMAT, "its inputs are of types %s and %s", tips__array_type_names[a->type],
                  tips__array_type_names[b->type]);
    return TIPS_OK;
}

typedef struct cut {
    int64_t start, step, count;
} cut;

static int64_t clamp(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

static tips_status cut_axis(int64_t extent, int64_t start, int64_t end, int64_t step, cut *out) {
    if (step == 0) TIPS_FAIL(TIPS_FORMAT, "its step is 0");
    step = clamp(step, -(extent + 1), extent + 1);
    if (start < 0) start += start < -extent ? -start : extent;
    else start = clamp(start, 0, extent);
    if (end < 0) end = end < -extent ? -1 : end + extent;
    start = step > 0 ? clamp(start, 0, extent) : clamp(start, 0, extent - 1);
    end = step > 0 ? clamp(end, 0, extent) : clamp(end, -1, extent);
    const int64_t count = step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step;
    *out = (cut){start, step, count > 0 && extent > 0 ? count : 0};
    return TIPS_OK;
}

static tips_status read_cuts(dynamic_run *r, const tips_array *x, cut cuts[TIPS_ARRAY_MOST_DIMS]) {
    const int64_t *starts, *ends, *axes, *steps;
    int n, n_ends, n_axes, n_steps, axis;
    TIPS_TRY(tips__dynamic_list(r, "starts", 1, &starts, &n));
    TIPS_TRY(tips__dynamic_list(r, "ends", 2, &ends, &n_ends));
    TIPS_TRY(tips__dynamic_list(r, "axes", 3, &axes, &n_axes));
    TIPS_TRY(tips__dynamic_list(r, "steps", 4, &steps, &n_steps));
    if (n < 0 || n_ends != n || (n_axes >= 0 && n_axes != n) || (n_steps >= 0 && n_steps != n))
        TIPS_FAIL(TIPS_FORMAT, "its starts, ends, axes and steps differ in number");
    for (int i = 0; i < x->n_dims; i++) cuts[i] = (cut){0, 1, x->dims[i]};
    for (int i = 0; i < n; i++) {
        TIPS_TRY(tips__dynamic_axis(n_axes >= 0 ? axes[i] : i, x->n_dims, &axis));
        TIPS_TRY(cut_axis(x->dims[axis], starts[i], ends[i], n_steps >= 0 ? steps[i] : 1, &cuts[axis]));
    }
    return TIPS_OK;
}

tips_status tips__dynamic_slice(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    cut cuts[TIPS_ARRAY_MOST_DIMS];
    int64_t dims[TIPS_ARRAY_MOST_DIMS], index[TIPS_ARRAY_MOST_DIMS] = {0};
    size_t strides[TIPS_ARRAY_MOST_DIMS];
    tips_array *y;
    TIPS_TRY(read_cuts(r, x, cuts));
    tips__dynamic_strides(x, x->n_dims, x->dims, strides);
    for (int i = 0; i < x->n_dims; i++) dims[i] = cuts[i].count;
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, dims, &y));
    for (size_t i = 0; i < y->count; i++) {
        size_t from = 0;
        for (int k = 0; k < x->n_dims; k++) from += (size_t)(cuts[k].start + index[k] * cuts[k].step) * strides[k];
        copy_run(x, from, y, i, 1);
        for (int k = x->n_dims - 1; k >= 0 && ++index[k] == dims[k]; k--) index[k] = 0;
    }
    return TIPS_OK;
}

static tips_status joined_shape(dynamic_run *r, int axis, int64_t dims[TIPS_ARRAY_MOST_DIMS]) {
    const tips_array *first = tips__dynamic_in(r, 0);
    memcpy(dims, first->dims, sizeof first->dims);
    for (int k = 1; k < r->node->n_in; k++) {
        const tips_array *x = tips__dynamic_in(r, k);
        if (!x || x->n_dims != first->n_dims) TIPS_FAIL(TIPS_SHAPE, "its inputs differ in their numbers of axes");
        TIPS_TRY(check_types(first, x));
        for (int i = 0; i < x->n_dims; i++)
            if (i != axis && x->dims[i] != first->dims[i])
                TIPS_FAIL(TIPS_SHAPE, "its inputs have %lld and %lld elements along axis %d", (long long)first->dims[i],
                          (long long)x->dims[i], i);
        dims[axis] += x->dims[axis];
    }
    return TIPS_OK;
}

tips_status tips__dynamic_concat(dynamic_run *r) {
    const tips_array *first = tips__dynamic_in(r, 0);
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    size_t before = 0;
    tips_array *y;
    int axis;
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", 1), first->n_dims, &axis));
    TIPS_TRY(joined_shape(r, axis, dims));
    TIPS_TRY(tips__dynamic_out(r, 0, first->type, first->n_dims, dims, &y));
    const dynamic_split whole = tips__dynamic_split_of(y, axis);
    for (int k = 0; k < r->node->n_in; k++) {
        const tips_array *x = tips__dynamic_in(r, k);
        const dynamic_split part = tips__dynamic_split_of(x, axis);
        const size_t run = part.extent * part.inner;
        for (size_t i = 0; i < part.outer; i++) copy_run(x, i * run, y, i * whole.extent * whole.inner + before, run);
        before += run;
    }
    return TIPS_OK;
}

tips_status tips__dynamic_split(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const int64_t *sizes;
    int64_t dims[TIPS_ARRAY_MOST_DIMS], start = 0;
    int axis, count;
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", 0), x->n_dims, &axis));
    TIPS_TRY(tips__dynamic_list(r, "split", 1, &sizes, &count));
    if (count >= 0 && count != r->node->n_out) TIPS_FAIL(TIPS_FORMAT, "it has %d sizes for its outputs", count);
    const int64_t even = (x->dims[axis] + r->node->n_out - 1) / r->node->n_out;
    const dynamic_split whole = tips__dynamic_split_of(x, axis);
    memcpy(dims, x->dims, sizeof dims);
    for (int k = 0; k < r->node->n_out; k++, start += dims[axis]) {
        tips_array *y;
        dims[axis] = count >= 0 ? sizes[k] : clamp(x->dims[axis] - start, 0, even);
        if (dims[axis] < 0 || dims[axis] > x->dims[axis] - start)
            TIPS_FAIL(TIPS_SHAPE, "its parts do not fit %lld elements", (long long)x->dims[axis]);
        if (!tips__dynamic_wants(r, k)) continue;
        TIPS_TRY(tips__dynamic_out(r, k, x->type, x->n_dims, dims, &y));
        const size_t run = (size_t)dims[axis] * whole.inner;
        for (size_t i = 0; i < whole.outer; i++)
            copy_run(x, (i * whole.extent + (size_t)start) * whole.inner, y, i * run, run);
    }
    return TIPS_OK;
}

/* A place that may be counted from the end. */
static tips_status place(int64_t at, int64_t extent, size_t *out) {
    if (at < -extent || at >= extent)
        TIPS_FAIL(TIPS_RANGE, "it asks for element %lld of %lld", (long long)at, (long long)extent);
    *out = (size_t)(at < 0 ? at + extent : at);
    return TIPS_OK;
}

tips_status tips__dynamic_gather(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0), *at;
    int64_t dims[2 * TIPS_ARRAY_MOST_DIMS];
    tips_array *y;
    int axis, n = 0;
    TIPS_TRY(tips__dynamic_ints(r, 1, &at));
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", 0), x->n_dims, &axis));
    for (int i = 0; i < axis; i++) dims[n++] = x->dims[i];
    for (int i = 0; i < at->n_dims; i++) dims[n++] = at->dims[i];
    for (int i = axis + 1; i < x->n_dims; i++) dims[n++] = x->dims[i];
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, n, dims, &y));
    const dynamic_split s = tips__dynamic_split_of(x, axis);
    for (size_t o = 0; o < s.outer; o++)
        for (size_t k = 0; k < at->count; k++) {
            size_t from = 0;
            TIPS_TRY(place(at->ints[k], x->dims[axis], &from));
            copy_run(x, (o * s.extent + from) * s.inner, y, (o * at->count + k) * s.inner, s.inner);
        }
    return TIPS_OK;
}

/* Places that a list of index tuples names in x, behind `batch` axes that both have. */
typedef struct tuples {
    size_t batches, per_batch, width, inner; /* elements that a tuple names */
    size_t x_batch;                          /* elements of x in a batch */
} tuples;

static tips_status read_tuples(const tips_array *x, const tips_array *at, int batch, tuples *out) {
    if (at->n_dims < 1 || batch < 0 || batch >= at->n_dims || batch > x->n_dims)
        TIPS_FAIL(TIPS_FORMAT, "its indices have %d axes", at->n_dims);
    const int64_t width = at->dims[at->n_dims - 1];
    if (width > x->n_dims - batch) TIPS_FAIL(TIPS_FORMAT, "its indices name %lld axes", (long long)width);
    tuples t = {.batches = 1, .per_batch = 1, .width = (size_t)width, .inner = 1, .x_batch = 1};
    for (int i = 0; i < batch; i++) {
        if (x->dims[i] != at->dims[i]) TIPS_FAIL(TIPS_SHAPE, "its indices have another batch");
        t.batches *= (size_t)x->dims[i];
    }
    for (int i = batch; i < at->n_dims - 1; i++) t.per_batch *= (size_t)at->dims[i];
    for (int i = batch; i < x->n_dims; i++) {
        t.x_batch *= (size_t)x->dims[i];
        if (i >= batch + (int)width) t.inner *= (size_t)x->dims[i];
    }
    *out = t;
    return TIPS_OK;
}

static tips_status tuple_place(const tips_array *x, const int64_t *tuple, int batch, const tuples *t, size_t *out) {
    size_t from = 0, one = 0;
    for (size_t k = 0; k < t->width; k++) {
        const int64_t extent = x->dims[batch + (int)k];
        TIPS_TRY(place(tuple[k], extent, &one));
        from = from * (size_t)extent + one;
    }
    *out = from * t->inner;
    return TIPS_OK;
}

tips_status tips__dynamic_gather_nd(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0), *at;
    const int64_t batch = tips__dynamic_int(r, "batch_dims", 0);
    int64_t dims[2 * TIPS_ARRAY_MOST_DIMS];
    tuples t = {0};
    tips_array *y;
    int n = 0;
    TIPS_TRY(tips__dynamic_ints(r, 1, &at));
    if (batch < 0 || batch > TIPS_ARRAY_MOST_DIMS) TIPS_FAIL(TIPS_FORMAT, "it has %lld batch axes", (long long)batch);
    TIPS_TRY(read_tuples(x, at, (int)batch, &t));
    for (int i = 0; i < at->n_dims - 1; i++) dims[n++] = at->dims[i];
    for (int i = (int)batch + (int)t.width; i < x->n_dims; i++) dims[n++] = x->dims[i];
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, n, dims, &y));
    for (size_t i = 0; i < t.batches * t.per_batch && y->count; i++) {
        size_t from = 0;
        TIPS_TRY(tuple_place(x, at->ints + i * t.width, (int)batch, &t, &from));
        copy_run(x, i / t.per_batch * t.x_batch + from, y, i * t.inner, t.inner);
    }
    return TIPS_OK;
}

/* What happens to an element that another is scattered to. */
typedef enum landing { REPLACE, ADD, MULTIPLY, KEEP_MAX, KEEP_MIN } landing;
static const char *const landing_names[] = {"none", "add", "mul", "max", "min", NULL};

static tips_status read_landing(const dynamic_run *r, landing *out) {
    const char *text = tips__dynamic_text(r, "reduction", "none");
    for (int i = 0; landing_names[i]; i++) {
        if (strcmp(landing_names[i], text) != 0) continue;
        *out = (landing)i;
        return TIPS_OK;
    }
    TIPS_FAIL(TIPS_UNSUPPORTED, "its reduction is '%.40s'", text);
}

static void land(landing how, const tips_array *from, size_t at, tips_array *to, size_t to_at) {
    if (to->floats) {
        const float a = to->floats[to_at], b = from->floats[at];
        to->floats[to_at] = how == ADD        ? a + b
                            : how == MULTIPLY ? a * b
                            : how == KEEP_MAX ? (a > b ? a : b)
                            : how == KEEP_MIN ? (a < b ? a : b)
                                              : b;
        return;
    }
    const int64_t a = to->ints[to_at], b = from->ints[at];
    to->ints[to_at] = how == ADD        ? (int64_t)((uint64_t)a + (uint64_t)b)
                      : how == MULTIPLY ? (int64_t)((uint64_t)a * (uint64_t)b)
                      : how == KEEP_MAX ? (a > b ? a : b)
                      : how == KEEP_MIN ? (a < b ? a : b)
                                        : b;
}

tips_status tips__dynamic_scatter_nd(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0), *at, *updates = tips__dynamic_in(r, 2);
    tuples t = {0};
    landing how = REPLACE;
    tips_array *y;
    TIPS_TRY(tips__dynamic_ints(r, 1, &at));
    TIPS_TRY(check_types(x, updates));
    TIPS_TRY(read_landing(r, &how));
    TIPS_TRY(read_tuples(x, at, 0, &t));
    if (updates->count != t.per_batch * t.inner)
        TIPS_FAIL(TIPS_SHAPE, "it has %zu updates for %zu places", updates->count, t.per_batch * t.inner);
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, x->dims, &y));
    copy_run(x, 0, y, 0, x->count);
    for (size_t i = 0; i < t.per_batch && updates->count; i++) {
        size_t to = 0;
        TIPS_TRY(tuple_place(x, at->ints + i * t.width, 0, &t, &to));
        for (size_t k = 0; k < t.inner; k++) land(how, updates, i * t.inner + k, y, to + k);
    }
    return TIPS_OK;
}

/* Where element i of the indices leads in x: there along every axis but one, where it is told. */
static tips_status element_place(const tips_array *x, const tips_array *at, int axis, size_t i, size_t *out) {
    size_t from = 0, stride = 1, rest = i;
    for (int k = at->n_dims - 1; k >= 0; k--) {
        size_t one = rest % (size_t)at->dims[k];
        rest /= (size_t)at->dims[k];
        if (k == axis) TIPS_TRY(place(at->ints[i], x->dims[k], &one));
        from += one * stride;
        stride *= (size_t)x->dims[k];
    }
    *out = from;
    return TIPS_OK;
}

static tips_status check_elements(dynamic_run *r, const tips_array *x, const tips_array **at, int *axis) {
    TIPS_TRY(tips__dynamic_ints(r, 1, at));
    TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", 0), x->n_dims, axis));
    if ((*at)->n_dims != x->n_dims) TIPS_FAIL(TIPS_SHAPE, "its indices have %d axes", (*at)->n_dims);
    for (int i = 0; i < x->n_dims; i++)
        if (i != *axis && (*at)->dims[i] > x->dims[i]) TIPS_FAIL(TIPS_SHAPE, "its indices go beyond axis %d", i);
    return TIPS_OK;
}

tips_status tips__dynamic_gather_elements(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0), *at;
    tips_array *y;
    int axis;
    TIPS_TRY(check_elements(r, x, &at, &axis));
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, at->n_dims, at->dims, &y));
    for (size_t i = 0; i < at->count; i++) {
        size_t from = 0;
        TIPS_TRY(element_place(x, at, axis, i, &from));
        copy_run(x, from, y, i, 1);
    }
    return TIPS_OK;
}

tips_status tips__dynamic_scatter_elements(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0), *at, *updates = tips__dynamic_in(r, 2);
    landing how = REPLACE;
    tips_array *y;
    int axis;
    TIPS_TRY(check_elements(r, x, &at, &axis));
    TIPS_TRY(check_types(x, updates));
    TIPS_TRY(read_landing(r, &how));
    if (updates->count != at->count)
        TIPS_FAIL(TIPS_SHAPE, "it has %zu updates for %zu places", updates->count, at->count);
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, x->dims, &y));
    copy_run(x, 0, y, 0, x->count);
    for (size_t i = 0; i < at->count; i++) {
        size_t to = 0;
        TIPS_TRY(element_place(x, at, axis, i, &to));
        land(how, updates, i, y, to);
    }
    return TIPS_OK;
}

static bool is_set(const tips_array *x, size_t i) { return x->floats ? x->floats[i] != 0 : x->ints[i] != 0; }

tips_status tips__dynamic_non_zero(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    int64_t dims[2] = {x->n_dims, 0};
    tips_array *y;
    for (size_t i = 0; i < x->count; i++) dims[1] += is_set(x, i);
    TIPS_TRY(tips__dynamic_out(r, 0, TIPS_ARRAY_INT64, 2, dims, &y));
    for (size_t i = 0, found = 0; i < x->count; i++) {
        size_t rest = i;
        if (!is_set(x, i)) continue;
        for (int k = x->n_dims - 1; k >= 0; k--) {
            y->ints[(size_t)k * (size_t)dims[1] + found] = (int64_t)(rest % (size_t)x->dims[k]);
            rest /= (size_t)x->dims[k];
        }
        found++;
    }
    return TIPS_OK;
}

tips_status tips__dynamic_compress(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0), *chosen;
    const bool is_flat = !tips__dynamic_attribute(r, "axis");
    int64_t dims[TIPS_ARRAY_MOST_DIMS];
    tips_array *y;
    int axis = 0;
    TIPS_TRY(tips__dynamic_ints(r, 1, &chosen));
    if (!is_flat) TIPS_TRY(tips__dynamic_axis(tips__dynamic_int(r, "axis", 0), x->n_dims, &axis));
    const dynamic_split s = is_flat ? (dynamic_split){0, 1, x->count, 1} : tips__dynamic_split_of(x, axis);
    const size_t asked = chosen->count < s.extent ? chosen->count : s.extent;
    int64_t kept = 0;
    for (size_t i = 0; i < asked; i++) kept += is_set(chosen, i);
    memcpy(dims, x->dims, sizeof dims);
    dims[axis] = kept;
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, is_flat ? 1 : x->n_dims, dims, &y));
    for (size_t o = 0, to = 0; o < s.outer; o++)
        for (size_t i = 0; i < asked; i++) {
            if (!is_set(chosen, i)) continue;
            copy_run(x, (o * s.extent + i) * s.inner, y, to, s.inner);
            to += s.inner;
        }
    return TIPS_OK;
}

/* Borders around an array, negative ones cut off; with a number only. */
tips_status tips__dynamic_pad(dynamic_run *r) {
    const tips_array *x = tips__dynamic_in(r, 0);
    const int64_t *pads;
    int64_t dims[TIPS_ARRAY_MOST_DIMS], index[TIPS_ARRAY_MOST_DIMS] = {0};
    double value;
    tips_array *y;
    int count;
    if (strcmp(tips__dynamic_text(r, "mode", "constant"), "constant") != 0 || tips__dynamic_in(r, 3))
        TIPS_FAIL(TIPS_UNSUPPORTED, "its mode is '%.40s', or it names axes", tips__dynamic_text(r, "mode", "constant"));
    TIPS_TRY(tips__dynamic_list(r, "pads", 1, &pads, &count));
    TIPS_TRY(tips__dynamic_scalar(r, 2, tips__dynamic_float(r, "value", 0), &value));
    if (count != 2 * x->n_dims) TIPS_FAIL(TIPS_FORMAT, "it has %d borders for %d axes", count, x->n_dims);
    for (int i = 0; i < x->n_dims; i++) {
        if (pads[i] < INT32_MIN || pads[i] > INT32_MAX || pads[i + x->n_dims] < INT32_MIN ||
            pads[i + x->n_dims] > INT32_MAX)
            TIPS_FAIL(TIPS_RANGE, "a border of %lld", (long long)pads[i]);
        dims[i] = x->dims[i] + pads[i] + pads[i + x->n_dims];
    }
    TIPS_TRY(tips__dynamic_out(r, 0, x->type, x->n_dims, dims, &y));
    for (size_t i = 0; i < y->count; i++) {
        size_t from = 0;
        bool inside = true;
        for (int k = 0; k < x->n_dims; k++) {
            const int64_t at = index[k] - pads[k];
            inside = inside && at >= 0 && at < x->dims[k];
            from = from * (size_t)x->dims[k] + (inside ? (size_t)at : 0);
        }
        if (inside) copy_run(x, from, y, i, 1);
        else if (y->floats) y->floats[i] = (float)value;
        else y->ints[i] = (int64_t)value;
        for (int k = x->n_dims - 1; k >= 0 && ++index[k] == dims[k]; k--) index[k] = 0;
    }
    return TIPS_OK;
}
