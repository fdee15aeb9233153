/* Parts of maps: Slice, Split, Gather. */
#include "onnx/onnx_ops.h"

#include "core/fail.h"
#include "core/memory.h"

#include <limits.h>

tips_status tips__onnx_add_slice(onnx_importer *im, onnx_value *v, tips_axis axis, tips_slice slice) {
    static const char *const suffix[] = {"channels", "rows", "columns"};
    char name[ONNX_NAME];
    slice.axis = (int)axis;
    if (slice.start == 0 && slice.stop == INT_MAX && slice.step == 1) return TIPS_OK;
    tips__onnx_step_name_of(im, suffix[axis], name);
    const onnx_value *in[] = {v};
    onnx_value made;
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_slice, name, &slice, in, 1, &made));
    *v = made;
    return TIPS_OK;
}

/* start, stop and step of one axis, cut to what it has; the end stays open where it was. */
static tips_slice cut(int64_t start, int64_t stop, int64_t step, int64_t extent) {
    if (start < -extent) start = 0;
    if (start > extent) start = extent;
    if (stop < -extent) stop = -extent;
    return (tips_slice){.start = (int)start, .stop = stop >= extent ? INT_MAX : (int)stop, .step = (int)step};
}

/* The groups as they are where the axis is the outer one of its group: what is taken then lies together. */
static void find_groups(const onnx_importer *im, const onnx_value *v, int axis, int64_t step, onnx_groups *g,
                        int *role) {
    int place;
    *g = tips__onnx_groups_of(im, v);
    if (tips__onnx_find_axis(g, axis, role, &place) && place == 0 &&
        (step == 1 || tips__onnx_inner(v, g, *role, place) == 1))
        return;
    *g = tips__onnx_with_channels(im, v, axis, 1);
    *role = TIPS_AXIS_C;
}

/* Ends in the elements of an axis become ends in those of its group. */
static tips_slice widened(tips_slice s, int64_t inner) {
    if (inner == 1) return s;
    return (tips_slice){.start = (int)(s.start * inner), .step = 1,
                        .stop = s.stop == INT_MAX ? INT_MAX : (int)(s.stop * inner)};
}

/* Adds a slice of one axis and keeps the view. */
static tips_status slice_axis(onnx_importer *im, onnx_value *v, int axis, int64_t start, int64_t stop, int64_t step) {
    const int64_t extent = v->dims[axis];
    onnx_groups g;
    int role;
    if (step < 1 || step > INT_MAX / 2) TIPS_FAIL(TIPS_UNSUPPORTED, "a step of %lld is not supported", (long long)step);
    const tips_slice slice = cut(start, stop, step, extent);
    const bool is_from_start = slice.start == 0 || slice.start == -extent;
    if (is_from_start && slice.stop == INT_MAX && (step == 1 || extent == 1)) return TIPS_OK;
    TIPS_TRY(tips__onnx_check_batch(v, axis));
    find_groups(im, v, axis, step, &g, &role);
    TIPS_TRY(tips__onnx_group(im, v, &g));
    onnx_value seen = *v;
    const int64_t inner = role == TIPS_AXIS_C || g.n[role] ? tips__onnx_inner(v, &g, role, 0) : 1;
    TIPS_TRY(tips__onnx_add_slice(im, v, (tips_axis)role, widened(slice, inner)));
    const tips_value_info *map = tips__onnx_map_info(im, v);
    const int64_t extents[3] = {map->c, map->h, map->w};
    seen.dims[axis] = extents[role] / inner;
    tips__onnx_look_grouped(v, &seen, &g);
    return TIPS_OK;
}

tips_status tips__onnx_map_slice(onnx_importer *im) {
    enum { MOST = TIPS_ONNX_MAX_DIMS };
    onnx_value *x;
    int64_t starts[MOST], ends[MOST], axes[MOST], steps[MOST];
    int n, n_ends, n_axes, n_steps, axis;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_numbers(im, "starts", 1, 10, MOST, starts, &n));
    TIPS_TRY(tips__onnx_numbers(im, "ends", 2, 10, MOST, ends, &n_ends));
    TIPS_TRY(tips__onnx_numbers(im, "axes", 3, 10, MOST, axes, &n_axes));
    TIPS_TRY(tips__onnx_numbers(im, "steps", 4, 10, MOST, steps, &n_steps));
    if (n < 0 || n != n_ends || (n_axes >= 0 && n_axes != n) || (n_steps >= 0 && n_steps != n))
        TIPS_FAIL(TIPS_FORMAT, "its starts, ends, axes and steps are not as many");
    onnx_value *out = tips__onnx_out(im, 0), part = *x;
    for (int i = 0; i < n; i++) {
        TIPS_TRY(tips__onnx_axis(n_axes < 0 ? i : axes[i], x->n_dims, &axis));
        TIPS_TRY(slice_axis(im, &part, axis, starts[i], ends[i], n_steps < 0 ? 1 : steps[i]));
    }
    *out = part;
    return TIPS_OK;
}

/* The sizes of the parts: listed, or equal with a smaller last one. */
static tips_status read_parts(const onnx_importer *im, int64_t extent, int64_t *parts, int n_parts) {
    int count;
    int64_t sum = 0;
    TIPS_TRY(tips__onnx_numbers(im, "split", 1, 13, n_parts, parts, &count));
    const int64_t each = (extent + n_parts - 1) / n_parts;
    if (count < 0)
        for (int i = 0; i < n_parts; i++) parts[i] = i < n_parts - 1 ? each : extent - each * (n_parts - 1);
    if (count >= 0 && count != n_parts) TIPS_FAIL(TIPS_FORMAT, "it has %d outputs and %d parts", n_parts, count);
    for (int i = 0; i < n_parts; i++) {
        if (parts[i] < 1 || parts[i] > extent - sum) TIPS_FAIL(TIPS_FORMAT, "its parts do not fill the axis");
        sum += parts[i];
    }
    if (sum != extent) TIPS_FAIL(TIPS_FORMAT, "its parts do not fill the axis");
    return TIPS_OK;
}

static tips_status split_parts(onnx_importer *im, onnx_value *x, int axis, int64_t *parts) {
    TIPS_TRY(read_parts(im, x->dims[axis], parts, im->node->n_out));
    int64_t start = 0;
    for (int i = 0; i < im->node->n_out; start += parts[i++]) {
        if (!tips__onnx_out_used(im, i)) continue;
        onnx_value part = *x;
        TIPS_TRY(slice_axis(im, &part, axis, start, start + parts[i], 1));
        *tips__onnx_out(im, i) = part;
    }
    return TIPS_OK;
}

tips_status tips__onnx_map_split(onnx_importer *im) {
    onnx_value *x;
    int64_t wanted = 0, *parts;
    int axis;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &wanted));
    TIPS_TRY(tips__onnx_axis(wanted, x->n_dims, &axis));
    TIPS_TRY(tips__new(&parts, (size_t)im->node->n_out * sizeof *parts, "the parts of a map"));
    const tips_status status = split_parts(im, x, axis, parts);
    tips__free(parts);
    return status;
}

static void drop_axis(onnx_value *v, int axis) {
    v->n_dims--;
    if (v->batch > axis) v->batch--;
    for (int i = axis; i < v->n_dims; i++) v->dims[i] = v->dims[i + 1], v->strides[i] = v->strides[i + 1];
}

/* Elements in any order: one by one, then together. */
static tips_status gather_each(onnx_importer *im, const onnx_value *x, int axis, const int64_t *at, int count,
                                   onnx_value *out) {
    enum { MOST = 64 };
    onnx_value parts[MOST];
    const onnx_value *in[MOST];
    const onnx_groups g = tips__onnx_with_channels(im, x, axis, 1);
    onnx_value seen = *x;
    if (count > MOST) TIPS_FAIL(TIPS_UNSUPPORTED, "these indices are supported for at most %d elements", MOST);
    for (int i = 0; i < count; i++) {
        parts[i] = *x;
        in[i] = &parts[i];
        TIPS_TRY(tips__onnx_group(im, &parts[i], &g));
        TIPS_TRY(slice_axis(im, &parts[i], axis, at[i], at[i] + 1, 1));
        TIPS_TRY(tips__onnx_group(im, &parts[i], &g));
    }
    TIPS_TRY(tips__onnx_add_concat(im, in, count, out));
    seen.dims[axis] = count;
    tips__onnx_look_grouped(out, &seen, &g);
    return TIPS_OK;
}

/* Indices counted from the start; *is_even: at equal distances upwards. */
static tips_status read_indices(const onnx_tensor *t, int64_t extent, int64_t *at, bool *is_even) {
    for (size_t i = 0; i < t->elements; i++) {
        at[i] = t->ints[i] < 0 ? t->ints[i] + extent : t->ints[i];
        if (at[i] < 0 || at[i] >= extent)
            TIPS_FAIL(TIPS_FORMAT, "its index %lld is out of range", (long long)t->ints[i]);
    }
    *is_even = t->elements < 2 || at[1] > at[0];
    for (size_t i = 2; i < t->elements; i++) *is_even = *is_even && at[i] - at[i - 1] == at[1] - at[0];
    return TIPS_OK;
}

tips_status tips__onnx_map_gather(onnx_importer *im) {
    onnx_value *x;
    const onnx_tensor *t = tips__onnx_const(im, 1);
    int64_t wanted = 0, at[1024];
    bool is_even = true;
    int axis;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_int(im->node->proto, "axis", &wanted));
    TIPS_TRY(tips__onnx_axis(wanted, x->n_dims, &axis));
    if (!t || !t->ints || t->n_dims > 1 || t->elements < 1 || t->elements > sizeof at / sizeof *at)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its indices are not a short list of constants");
    if (axis == x->batch) TIPS_FAIL(TIPS_UNSUPPORTED, "it picks samples from a batch");
    TIPS_TRY(read_indices(t, x->dims[axis], at, &is_even));
    const int count = (int)t->elements;
    onnx_value picked = *x;
    if (is_even) TIPS_TRY(slice_axis(im, &picked, axis, at[0], at[count - 1] + 1, count > 1 ? at[1] - at[0] : 1));
    else TIPS_TRY(gather_each(im, x, axis, at, count, &picked));
    if (t->n_dims == 0) drop_axis(&picked, axis);
    *tips__onnx_out(im, 0) = picked;
    return TIPS_OK;
}
