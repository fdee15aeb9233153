/* Every step-th channel, row or column from start to before stop, as in Python: y[i] = x[start + i step] along an axis.
 */
#include "layer/channel_gather.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

#include <limits.h>

/* What is taken along the axis. */
typedef struct range {
    int start, step, count;
} range;

static int from_end(int i, int size) {
    const long place = i < 0 ? (long)i + size : i;
    return place < 0 ? 0 : place > size ? size : (int)place;
}

static range range_of(const tips_slice *config, int size) {
    const int start = from_end(config->start, size), stop = from_end(config->stop, size);
    const int length = stop > start ? stop - start : 0;
    return (range){start, config->step, length > 0 ? (length - 1) / config->step + 1 : 0};
}

static range range_in(const tips_slice *config, int c, int h, int w) {
    const int sizes[] = {c, h, w};
    return range_of(config, sizes[config->axis]);
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    static const char *const names[] = {"channels", "rows", "columns"};
    const tips_slice *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (config->axis < TIPS_AXIS_C || config->axis > TIPS_AXIS_W || config->step < 1) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': axis %d, step %d; an axis of 0..2 and a step of at least 1 are needed",
                  node->name, config->axis, config->step);
    }
    const range r = range_in(config, in.c, in.h, in.w);
    if (r.count < 1) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': nothing lies from %d to %d of the %s of a map of %dx%dx%d", node->name,
                  config->start, config->stop, names[config->axis], in.c, in.h, in.w);
    }
    int sizes[] = {in.c, in.h, in.w};
    sizes[config->axis] = r.count;
    tips__node_out(graph, node, tips__map_info(sizes[0], sizes[1], sizes[2], in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

static int taken(const tips_node *node, int channels, int c) {
    const range r = range_of(node->config, channels);
    return r.start + c * r.step;
}

static int given_back(const tips_node *node, int channels, int c) {
    const range r = range_of(node->config, channels);
    const int past = c - r.start;
    return past >= 0 && past % r.step == 0 && past / r.step < r.count ? past / r.step : -1;
}

/* Rows and columns that are taken; the other axis is taken whole. */
typedef struct grid {
    range rows, cols;
} grid;

static grid grid_of(const tips_op *op) {
    const tips_slice *config = op->node->config;
    const tips_map *src = &op->in[0].map;
    const range all_rows = {0, 1, src->h}, all_cols = {0, 1, src->w};
    return config->axis == TIPS_AXIS_H ? (grid){range_of(config, src->h), all_cols}
                                       : (grid){all_rows, range_of(config, src->w)};
}

static void take_cells(const tips_map *src, const tips_map *dst, grid g, int n, int b) {
    for (int y = 0; y < dst->h; y++) {
        const float *from = tips__row(src, n, b, g.rows.start + y * g.rows.step) + (ptrdiff_t)g.cols.start * TIPS_BLOCK;
        float *to = tips__row(dst, n, b, y);
        for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) vf_store(to + x, vf_load(from + x * g.cols.step));
    }
}

static void give_back_cells(const tips_map *src, const tips_map *dst, grid g, int n, int b) {
    for (int y = 0; y < src->h; y++) {
        const float *from = tips__row(src, n, b, y);
        float *to = tips__row(dst, n, b, g.rows.start + y * g.rows.step) + (ptrdiff_t)g.cols.start * TIPS_BLOCK;
        for (int x = 0; x < src->w * TIPS_BLOCK; x += TIPS_BLOCK)
            tips__put(to + x * g.cols.step, vf_load(from + x), true);
    }
}

static bool takes_channels(const tips_op *op) { return ((const tips_slice *)op->node->config)->axis == TIPS_AXIS_C; }

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    if (takes_channels(op)) {
        const tips_channel_gather job = {.node = op->node, .channels = src->c, .from = taken};
        tips__gather_channels(&job, src, dst);
        return TIPS_OK;
    }
    const grid g = grid_of(op);
    TIPS_PARALLEL_PLANES (dst, n, b) take_cells(src, dst, g, n, b);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    if (takes_channels(op)) {
        const tips_channel_gather job = {
            .node = op->node, .channels = diff_src->c, .from = given_back, .accumulate = op->in[0].accumulate};
        tips__gather_channels(&job, diff_dst, diff_src);
        return TIPS_OK;
    }
    const grid g = grid_of(op);
    if (!op->in[0].accumulate) tips__map_zero(diff_src);
    TIPS_PARALLEL_PLANES (diff_src, n, b) give_back_cells(diff_dst, diff_src, g, n, b);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_slice *config = op->node->config;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    const int sizes[] = {in->c, in->h, in->w}, size = sizes[config->axis];
    const int start = config->start < 0 ? config->start + size : config->start;
    double *to = out->data;
    for (int n = 0; n < in->n; n++)
        for (int c = 0; c < out->c; c++)
            for (int y = 0; y < out->h; y++)
                for (int x = 0; x < out->w; x++) {
                    int at[] = {c, y, x};
                    at[config->axis] = (start < 0 ? 0 : start) + at[config->axis] * config->step;
                    *to++ = in->data[(((size_t)n * in->c + at[0]) * in->h + at[1]) * in->w + at[2]];
                }
    return TIPS_OK;
}

static bool pools(const tips_node *node, int stride[2]) {
    const tips_slice *config = node->config;
    stride[0] = config->axis == TIPS_AXIS_H ? config->step : 1;
    stride[1] = config->axis == TIPS_AXIS_W ? config->step : 1;
    return stride[0] > 1 || stride[1] > 1;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]), *out = tips__value(graph, node->out[0]);
    int stride[2];
    if (in->h == out->h && in->w == out->w) return NULL;
    return pools(node, stride) ? "fixed grid" : "crop";
}

static const char *const axis_names[] = {"c", "h", "w", NULL};

static const tips_option options[] = {
    {.name = "axis", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_slice, axis), .fallback = "c",
     .choices = axis_names, .help = "what is sliced: channels, rows or columns"},
    {.name = "start", .type = TIPS_OPT_INT, .offset = offsetof(tips_slice, start), .fallback = "0", .min = INT_MIN,
     .max = INT_MAX, .help = "the first that is taken; a negative number counts from the end"},
    {.name = "stop", .type = TIPS_OPT_INT, .offset = offsetof(tips_slice, stop), .fallback = "2147483647",
     .min = INT_MIN, .max = INT_MAX,
     .help = "the first that is not taken any more; a negative number counts from the end"},
    {.name = "step", .type = TIPS_OPT_INT, .offset = offsetof(tips_slice, step), .fallback = "1", .min = 1,
     .max = INT_MAX, .help = "from one that is taken to the next"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_slice *c = node->config;
    const tips_operand x = tips__emit_in(to, node, 0);
    tips__emit_out(to, node, 0, tips__emit_slice(to, x, 1 + c->axis, c->start, c->stop, c->step));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_slice) = {
    .name = "slice",
    .brief = "a range of channels, rows or columns",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_slice),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .pools = pools,
};
