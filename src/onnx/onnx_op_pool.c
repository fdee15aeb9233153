/* Pooling and means over space. */
#include "onnx/onnx_ops.h"
#include "onnx/onnx_window.h"

#include "core/fail.h"

#include <limits.h>

static tips_status start(onnx_importer *im, onnx_value **x, onnx_window *window, int64_t *ceil, char name[ONNX_NAME]) {
    *ceil = 0;
    TIPS_TRY(tips__onnx_need_map(im, 0, x));
    if ((*x)->n_dims != 4)
        TIPS_FAIL(TIPS_UNSUPPORTED, "pooling of %d dimensions is not supported, only of 2", (*x)->n_dims - 2);
    TIPS_TRY(tips__onnx_arrange(im, *x, tips__onnx_nchw));
    TIPS_TRY(tips__onnx_window(im, NULL, (*x)->dims[2], (*x)->dims[3], window));
    TIPS_TRY(tips__onnx_int(im->node->proto, "ceil_mode", ceil));
    tips__onnx_step_name(im, ONNX_NONE, name);
    return TIPS_OK;
}

/* Which axes a mean or maximum is taken over; all without a list. */
static tips_status read_axes(const onnx_importer *im, const onnx_value *x, bool over[TIPS_ONNX_MAX_DIMS]) {
    const int n_dims = x->n_dims;
    int64_t axes[TIPS_ONNX_MAX_DIMS], noop = 0;
    int count, axis;
    TIPS_TRY(tips__onnx_numbers(im, "axes", 1, 18, TIPS_ONNX_MAX_DIMS, axes, &count));
    TIPS_TRY(tips__onnx_int(im->node->proto, "noop_with_empty_axes", &noop));
    for (int i = 0; i < n_dims; i++) over[i] = count <= 0 && !noop;
    for (int i = 0; i < count; i++) {
        TIPS_TRY(tips__onnx_axis(axes[i], n_dims, &axis));
        over[axis] = true;
    }
    if (x->batch != ONNX_NONE && over[x->batch]) TIPS_FAIL(TIPS_UNSUPPORTED, "it goes over the samples of a batch");
    return TIPS_OK;
}

static void drop_axes(onnx_value *v, const bool over[TIPS_ONNX_MAX_DIMS]) {
    int kept = 0, batch = ONNX_NONE;
    for (int i = 0; i < v->n_dims; i++) {
        if (over[i]) continue;
        if (i == v->batch) batch = kept;
        v->dims[kept] = v->dims[i];
        v->strides[kept++] = v->strides[i];
    }
    v->n_dims = kept;
    v->batch = batch;
}

/* The largest channel, by halves: parts may overlap, since a maximum does not count. */
static tips_status add_channel_max(onnx_importer *im, const onnx_value *x, onnx_value *out) {
    onnx_value v = *x;
    const tips_combine larger = {.op = TIPS_COMBINE_MAX};
    for (int c = tips__onnx_map_info(im, x)->c; c > 1; c = (c + 1) / 2) {
        const tips_slice first = {.stop = (c + 1) / 2, .step = 1}, last = {.start = c / 2, .stop = INT_MAX, .step = 1};
        onnx_value low = v, high = v;
        const onnx_value *in[] = {&low, &high};
        char name[ONNX_NAME];
        TIPS_TRY(tips__onnx_add_slice(im, &low, TIPS_AXIS_C, first));
        TIPS_TRY(tips__onnx_add_slice(im, &high, TIPS_AXIS_C, last));
        tips__onnx_step_name(im, ONNX_NONE, name);
        TIPS_TRY(tips__onnx_add_step(im, &tips__layer_combine, name, &larger, in, 2, &v));
    }
    *out = v;
    return TIPS_OK;
}

/* Whether an axis is that of the map's channels, wherever its positions are. */
static bool are_channels(const onnx_importer *im, const onnx_value *x, int axis) {
    const tips_value_info *map = tips__onnx_map_info(im, x);
    return !x->is_padded && x->dims[axis] == map->c && x->strides[axis] == (int64_t)map->h * map->w;
}

/* Positions stay where they are, so the view does too. */
static tips_status max_over_channels(onnx_importer *im, const onnx_value *x, int axis) {
    onnx_value *out = tips__onnx_out(im, 0), seen = *x;
    TIPS_TRY(add_channel_max(im, x, out));
    seen.step = out->step, seen.value = out->value;
    seen.dims[axis] = seen.strides[axis] = 1;
    *out = seen;
    return TIPS_OK;
}

static bool is_border_free(const tips_padding *p) { return !p->top && !p->bottom && !p->left && !p->right; }

/* The axis that a window takes as a whole, while it is one wide along the other; ONNX_NONE if there is none. */
static int whole_axis(const onnx_value *x, const onnx_window *w) {
    for (int k = 0; k < 2; k++)
        if (w->kernel[k] == x->dims[2 + k] && x->dims[2 + k] > 1 && w->kernel[1 - k] == 1 && w->stride[1 - k] == 1 &&
            is_border_free(&w->padding))
            return 2 + k;
    return ONNX_NONE;
}

/* Some programs write a maximum over channels as a pooling of the transposed map. */
static tips_status try_channels(onnx_importer *im, bool *done) {
    onnx_value *x;
    onnx_window w;
    *done = false;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    if (x->n_dims != 4 || x->is_padded) return TIPS_OK;
    TIPS_TRY(tips__onnx_window(im, NULL, x->dims[2], x->dims[3], &w));
    const int axis = whole_axis(x, &w);
    if (axis == ONNX_NONE || !are_channels(im, x, axis)) return TIPS_OK;
    *done = true;
    return max_over_channels(im, x, axis);
}

tips_status tips__onnx_map_reduce_max(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    bool over[TIPS_ONNX_MAX_DIMS] = {false};
    int64_t keep = 1;
    int axis = 0;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(read_axes(im, x, over));
    TIPS_TRY(tips__onnx_int(im->node->proto, "keepdims", &keep));
    while (axis < x->n_dims && !over[axis]) axis++;
    bool fits = axis < x->n_dims && are_channels(im, x, axis);
    for (int i = 0; i < x->n_dims; i++) fits = fits && over[i] == (i == axis);
    if (!fits) TIPS_FAIL(TIPS_UNSUPPORTED, "a maximum is read over one axis only, that of the channels");
    TIPS_TRY(max_over_channels(im, x, axis));
    if (!keep) drop_axes(out, over);
    return TIPS_OK;
}

tips_status tips__onnx_map_max_pool(onnx_importer *im) {
    onnx_value *x;
    bool done;
    onnx_window w;
    char name[ONNX_NAME];
    int64_t ceil;
    if (tips__onnx_out_used(im, 1))
        TIPS_FAIL(TIPS_UNSUPPORTED, "its indices (output 1) are used, which is not supported");
    TIPS_TRY(try_channels(im, &done));
    if (done) return TIPS_OK;
    TIPS_TRY(start(im, &x, &w, &ceil, name));
    const tips_max_pool config = {.kernel = {w.kernel[0], w.kernel[1]},
                                  .stride = {w.stride[0], w.stride[1]},
                                  .dilation = {w.dilation[0], w.dilation[1]},
                                  .padding = w.padding,
                                  .ceil = ceil != 0};
    const onnx_value *in[] = {x};
    return tips__onnx_add_step(im, &tips__layer_max_pool, name, &config, in, 1, tips__onnx_out(im, 0));
}

static bool covers_all(const onnx_window *w, const onnx_value *x) {
    const tips_padding *p = &w->padding;
    return w->kernel[0] == x->dims[2] && w->kernel[1] == x->dims[3] && !p->top && !p->left && !p->bottom && !p->right;
}

tips_status tips__onnx_map_average_pool(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    onnx_window w;
    char name[ONNX_NAME];
    int64_t ceil, count_pad = 0;
    TIPS_TRY(start(im, &x, &w, &ceil, name));
    TIPS_TRY(tips__onnx_int(im->node->proto, "count_include_pad", &count_pad));
    if (w.dilation[0] != 1 || w.dilation[1] != 1) TIPS_FAIL(TIPS_UNSUPPORTED, "a mean with dilation is not supported");
    const onnx_value *in[] = {x};
    if (covers_all(&w, x)) return tips__onnx_add_step(im, &tips__layer_global_avg, name, NULL, in, 1, out);
    const tips_avg_pool config = {.kernel = {w.kernel[0], w.kernel[1]},
                                  .stride = {w.stride[0], w.stride[1]},
                                  .padding = w.padding,
                                  .ceil = ceil != 0,
                                  .count_pad = count_pad != 0};
    return tips__onnx_add_step(im, &tips__layer_avg_pool, name, &config, in, 1, out);
}

tips_status tips__onnx_map_global_average_pool(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    char name[ONNX_NAME];
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    const onnx_layout layout = x->n_dims == 3 ? (onnx_layout){{1, 2, ONNX_NONE}} : tips__onnx_nchw;
    const int n_dims = x->n_dims;
    TIPS_TRY(tips__onnx_arrange(im, x, layout));
    tips__onnx_step_name(im, ONNX_NONE, name);
    const onnx_value *in[] = {x};
    TIPS_TRY(tips__onnx_add_step(im, &tips__layer_global_avg, name, NULL, in, 1, out));
    tips__onnx_look(im, out, n_dims, layout);
    return TIPS_OK;
}

tips_status tips__onnx_map_global_max_pool(onnx_importer *im) {
    onnx_value *x;
    char name[ONNX_NAME];
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_arrange(im, x, tips__onnx_nchw));
    tips__onnx_step_name(im, ONNX_NONE, name);
    const tips_max_pool config = {.kernel = {(int)x->dims[2], (int)x->dims[3]}, .stride = {1, 1}, .dilation = {1, 1}};
    const onnx_value *in[] = {x};
    return tips__onnx_add_step(im, &tips__layer_max_pool, name, &config, in, 1, tips__onnx_out(im, 0));
}

static tips_status add_mean(onnx_importer *im, onnx_value *x, bool over_h, bool over_w, onnx_value *out) {
    const tips_value_info *map = tips__onnx_map_info(im, x);
    const onnx_value *in[] = {x};
    char name[ONNX_NAME];
    tips__onnx_step_name(im, ONNX_NONE, name);
    if ((over_h || map->h == 1) && (over_w || map->w == 1))
        return tips__onnx_add_step(im, &tips__layer_global_avg, name, NULL, in, 1, out);
    const tips_avg_pool config = {.kernel = {over_h ? map->h : 1, over_w ? map->w : 1}, .stride = {1, 1}};
    return tips__onnx_add_step(im, &tips__layer_avg_pool, name, &config, in, 1, out);
}

/* Groups in which a mean is taken over all rows, or columns, or both: those there are, or, if that is not so, all that
 * stays as channels and the rest as rows. */
static onnx_groups mean_groups(const onnx_importer *im, const onnx_value *x, const bool over[TIPS_ONNX_MAX_DIMS]) {
    onnx_groups g = tips__onnx_groups_of(im, x), apart = {.n = {0}};
    bool fits = true;
    for (int role = 0; role < 3; role++)
        for (int i = 0; i < g.n[role]; i++) {
            const bool is_over = over[g.axis[role][i]];
            if (x->dims[g.axis[role][i]] == 1) continue;
            fits = fits && (role ? is_over == over[g.axis[role][0]] : !is_over);
        }
    for (int i = 0; i < x->n_dims; i++) {
        const int role = over[i] ? 1 : 0;
        if (x->dims[i] > 1) apart.axis[role][apart.n[role]++] = i;
    }
    return fits ? g : apart;
}

tips_status tips__onnx_map_reduce_mean(onnx_importer *im) {
    onnx_value *x, *out = tips__onnx_out(im, 0);
    bool over[TIPS_ONNX_MAX_DIMS] = {false};
    int64_t keep = 1;
    TIPS_TRY(tips__onnx_need_map(im, 0, &x));
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(read_axes(im, x, over));
    TIPS_TRY(tips__onnx_int(im->node->proto, "keepdims", &keep));
    const onnx_groups g = mean_groups(im, x, over);
    TIPS_TRY(tips__onnx_group(im, x, &g));
    onnx_value seen = *x;
    const bool over_h = g.n[1] && over[g.axis[1][0]], over_w = g.n[2] && over[g.axis[2][0]];
    if (over_h || over_w) TIPS_TRY(add_mean(im, x, over_h, over_w, out));
    else *out = *x;
    for (int i = 0; i < seen.n_dims; i++)
        if (over[i]) seen.dims[i] = 1;
    tips__onnx_look_grouped(out, &seen, &g);
    if (!keep) drop_axes(out, over);
    return TIPS_OK;
}
