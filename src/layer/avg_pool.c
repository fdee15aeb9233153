/* Mean of windows: y[i,j] = 1/k sum over taps (a, b) of x[sh i + a - top, sw j + b - left].
 * k counts the taps on the map; with `count_pad` those on a border of zeros too. Borders of the other modes continue
 * the map and always count; taps beyond the border, of a last window that hangs over, never do. Sums go row by row in a
 * fixed order, the same for every window. */
#include "layer/layers.h"
#include "layer/padding_options.h"
#include "layer/window.h"
#include "layer/window_emit.h"

void tips__avg_pool_windows(const tips_avg_pool *c, int h, int w, tips_window axes[2]) {
    axes[0] =
        (tips_window){h, c->kernel[0], c->stride[0], 1, c->padding.top, c->padding.bottom, c->ceil, c->padding.mode};
    axes[1] =
        (tips_window){w, c->kernel[1], c->stride[1], 1, c->padding.left, c->padding.right, c->ceil, c->padding.mode};
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips_window axes[2];
    tips__avg_pool_windows(node->config, in.h, in.w, axes);
    for (int i = 0; i < 2; i++) TIPS_TRY(tips__window_check(node, &axes[i]));
    tips__node_out(graph, node,
                   tips__map_info(in.c, tips__window_count(&axes[0]), tips__window_count(&axes[1]), in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    tips_window axes[2];
    tips__avg_pool_windows(op->node->config, op->in[0].map.h, op->in[0].map.w, axes);
    plan->forward_scratch = plan->backward_scratch = tips__thread_bytes(tips__cover_floats(axes));
    return TIPS_OK;
}

static float divisor(const tips_avg_pool *c, const tips_cover *rows, const tips_cover *cols) {
    return c->count_pad ? (float)rows->counted * (float)cols->counted : (float)rows->n * (float)cols->n;
}

static inline __attribute__((always_inline)) void mean_run(const tips_window_run *r, int rows, int cols, int stride,
                                                           float count, float *to) {
    for (int x = 0; x < r->count; x++) {
        vf sum = {0};
        for (int i = 0; i < rows; i++) {
            const float *from = r->plane + r->rows.at[i] * r->line + (ptrdiff_t)(r->column + x * stride) * TIPS_BLOCK;
            vf line = vf_load(from);
            for (int j = 1; j < cols; j++) line += vf_load(from + (ptrdiff_t)j * TIPS_BLOCK);
            sum += line;
        }
        vf_store(to + (ptrdiff_t)x * TIPS_BLOCK, sum / count);
    }
}

/* The usual windows with their sizes known to the compiler: the same sums in the same order. */
static void inner_run(const tips_window_run *r, int cols, int stride, float count, float *to) {
    const int rows = r->rows.n;
    if (rows == 2 && cols == 2 && stride == 2) mean_run(r, 2, 2, 2, count, to);
    else if (rows == 3 && cols == 3 && stride == 1) mean_run(r, 3, 3, 1, count, to);
    else mean_run(r, rows, cols, stride, count, to);
}

/* A window that reaches beyond the left or right border. */
static void border_cell(const tips_window_run *r, const tips_cover *cols, float count, float *to) {
    vf sum = {0};
    for (int i = 0; i < r->rows.n; i++) {
        const float *from = r->plane + r->rows.at[i] * r->line;
        vf line = vf_load(from + (ptrdiff_t)cols->at[0] * TIPS_BLOCK);
        for (int j = 1; j < cols->n; j++) line += vf_load(from + (ptrdiff_t)cols->at[j] * TIPS_BLOCK);
        sum += line;
    }
    vf_store(to, sum / count);
}

static void pool_plane(const tips_op *op, const tips_window axes[2], int n, int b, int *cells) {
    const tips_avg_pool *config = op->node->config;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    tips_window_run run = {.plane = tips__plane(src, n, b), .line = src->sh};
    const tips_cover whole = {.n = axes[1].kernel, .counted = axes[1].kernel};
    int first, end;
    tips__window_inside(&axes[1], dst->w, &first, &end);
    run.column = first * axes[1].stride - axes[1].before;
    run.count = end - first;
    for (int y = 0; y < dst->h; y++) {
        float *to = tips__row(dst, n, b, y);
        run.rows = tips__window_cover(&axes[0], y, cells);
        inner_run(&run, axes[1].kernel, axes[1].stride, divisor(config, &run.rows, &whole),
                  to + (ptrdiff_t)first * TIPS_BLOCK);
        for (int x = 0; x < dst->w; x++) {
            if (x == first) x = end;
            if (x >= dst->w) break;
            const tips_cover cols = tips__window_cover(&axes[1], x, cells + axes[0].kernel);
            border_cell(&run, &cols, divisor(config, &run.rows, &cols), to + (ptrdiff_t)x * TIPS_BLOCK);
        }
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    tips_window axes[2];
    tips__avg_pool_windows(op->node->config, src->h, src->w, axes);
    const size_t floats = tips__cover_floats(axes);
    TIPS_PARALLEL_PLANES (dst, n, b) pool_plane(op, axes, n, b, (int *)tips__thread_scratch(op, floats));
    return TIPS_OK;
}

static void spread(vf share, const tips_cover *rows, const tips_cover *cols, float *plane, ptrdiff_t line) {
    for (int i = 0; i < rows->n; i++)
        for (int j = 0; j < cols->n; j++)
            tips__put(plane + rows->at[i] * line + (ptrdiff_t)cols->at[j] * TIPS_BLOCK, share, true);
}

/* Windows first..end-1, which lie within the map, give every cell its share. */
static void spread_inner(const float *from, const tips_cover *rows, const tips_window *columns, int first, int end,
                         float count, float *plane, ptrdiff_t line) {
    for (int x = first; x < end; x++) {
        const vf share = vf_load(from + (ptrdiff_t)x * TIPS_BLOCK) / count;
        const ptrdiff_t column = (ptrdiff_t)(x * columns->stride - columns->before) * TIPS_BLOCK;
        for (int i = 0; i < rows->n; i++)
            for (int j = 0; j < columns->kernel; j++)
                tips__put(plane + rows->at[i] * line + column + (ptrdiff_t)j * TIPS_BLOCK, share, true);
    }
}

static void spread_plane(const tips_op *op, const tips_window axes[2], int n, int b, int *cells) {
    const tips_avg_pool *config = op->node->config;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const tips_cover whole = {.n = axes[1].kernel, .counted = axes[1].kernel};
    float *plane = tips__plane(diff_src, n, b);
    int first, end;
    tips__window_inside(&axes[1], diff_dst->w, &first, &end);
    for (int y = 0; y < diff_dst->h; y++) {
        const float *from = tips__row(diff_dst, n, b, y);
        const tips_cover rows = tips__window_cover(&axes[0], y, cells);
        spread_inner(from, &rows, &axes[1], first, end, divisor(config, &rows, &whole), plane, diff_src->sh);
        for (int x = 0; x < diff_dst->w; x++) {
            if (x == first) x = end;
            if (x >= diff_dst->w) break;
            const tips_cover cols = tips__window_cover(&axes[1], x, cells + axes[0].kernel);
            spread(vf_load(from + (ptrdiff_t)x * TIPS_BLOCK) / divisor(config, &rows, &cols), &rows, &cols, plane,
                   diff_src->sh);
        }
    }
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *diff_src = &op->in[0].diff;
    tips_window axes[2];
    tips__avg_pool_windows(op->node->config, diff_src->h, diff_src->w, axes);
    const size_t floats = tips__cover_floats(axes);
    TIPS_PARALLEL_PLANES (diff_src, n, b) {
        if (!op->in[0].accumulate) tips__zero_plane(diff_src, n, b);
        spread_plane(op, axes, n, b, (int *)tips__thread_scratch(op, floats));
    }
    return TIPS_OK;
}

static double window_mean(const tips_avg_pool *c, const double *plane, int h, int w, int y, int x) {
    double sum = 0, count = 0;
    for (int i = 0; i < c->kernel[0]; i++)
        for (int j = 0; j < c->kernel[1]; j++) {
            const int at_y = y * c->stride[0] - c->padding.top + i, at_x = x * c->stride[1] - c->padding.left + j;
            if (at_y >= h + c->padding.bottom || at_x >= w + c->padding.right) continue;
            const int from_y = tips__pad_index(c->padding.mode, at_y, h);
            const int from_x = tips__pad_index(c->padding.mode, at_x, w);
            const bool is_padding = from_y < 0 || from_x < 0;
            sum += is_padding ? 0 : plane[from_y * w + from_x];
            count += !is_padding || c->count_pad;
        }
    return sum / count;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    double *to = out->data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int y = 0; y < out->h; y++)
            for (int x = 0; x < out->w; x++)
                *to++ = window_mean(op->node->config, in->data + (size_t)plane * in->h * in->w, in->h, in->w, y, x);
    return TIPS_OK;
}

static bool pools(const tips_node *node, int stride[2]) {
    const tips_avg_pool *c = node->config;
    memcpy(stride, c->stride, sizeof c->stride);
    return stride[0] > 1 || stride[1] > 1;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_avg_pool *c = node->config;
    const tips_value_info *in = tips__value(graph, node->in[0]), *out = tips__value(graph, node->out[0]);
    if (c->padding.mode != TIPS_PAD_CIRCULAR && (c->kernel[0] > 1 || c->kernel[1] > 1)) return "padding";
    if (c->stride[0] > 1 || c->stride[1] > 1) return "fixed grid";
    if (out->h < in->h || out->w < in->w) return "crop";
    return in->h == out->h && in->w == out->w ? NULL : "odd size";
}

static const tips_option options[] = {
    {.name = "kernel", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_avg_pool, kernel), .fallback = "2", .min = 1,
     .max = 1 << 12, .help = "size of the window"},
    {.name = "stride", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_avg_pool, stride), .fallback = "1", .min = 1,
     .max = 1 << 12, .help = "pixels from one window to the next"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_avg_pool, padding), .group = tips__padding_rows},
    {.name = "ceil", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_avg_pool, ceil), .fallback = "false",
     .help = "let a last window hang over the border"},
    {.name = "count-pad", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_avg_pool, count_pad), .fallback = "false",
     .help = "count a border of zeros in the mean"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_avg_pool *c = node->config;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    tips_window_emit windows = {.op = "AveragePool", .padding = c->padding, .counts_border = c->count_pad};
    tips__avg_pool_windows(c, in.h, in.w, windows.axes);
    return tips__emit_windows(to, node, &windows);
}

const tips_layer TIPS_ROW(tips__layer_avg_pool) = {
    .name = "avg_pool",
    .brief = "mean of windows: any kernel, stride and padding",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_avg_pool),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .pools = pools,
};
