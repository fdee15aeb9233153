/* Maximum of windows: y[i,j] = max over taps (a, b) of x[sh i + dh a - top, sw j + dw b - left].
 * Zero padding stands for minus infinity. The gradient goes to the first maximum in row-major order, whose pixel is
 * kept for every output. NaN is larger than everything, so that it is not lost. */
#include "layer/layers.h"
#include "layer/padding_options.h"
#include "layer/window.h"
#include "layer/window_emit.h"
#include "tensor/largest.h"

void tips__max_pool_windows(const tips_max_pool *c, int h, int w, tips_window axes[2]) {
    axes[0] = (tips_window){h,       c->kernel[0],   c->stride[0], c->dilation[0], c->padding.top, c->padding.bottom,
                            c->ceil, c->padding.mode};
    axes[1] = (tips_window){w,       c->kernel[1],   c->stride[1], c->dilation[1], c->padding.left, c->padding.right,
                            c->ceil, c->padding.mode};
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips_window axes[2];
    tips__max_pool_windows(node->config, in.h, in.w, axes);
    for (int i = 0; i < 2; i++) TIPS_TRY(tips__window_check(node, &axes[i]));
    tips__node_out(graph, node,
                   tips__map_info(in.c, tips__window_count(&axes[0]), tips__window_count(&axes[1]), in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    tips_window axes[2];
    tips__max_pool_windows(op->node->config, src->h, src->w, axes);
    plan->forward_scratch = tips__thread_bytes(tips__cover_floats(axes));
    if (tips__goes_back(&op->pass)) plan->workspace = tips__map_bytes(dst->n, dst->c, dst->h, dst->w, NULL);
    return TIPS_OK;
}

/* The pixels (row * pixels per line + column) of one row of maxima. */
static int32_t *places(const tips_op *op, int n, int b, int y) {
    const tips_map *dst = &op->out[0].map;
    return (int32_t *)op->workspace + (((size_t)n * dst->blocks + b) * dst->h + y) * (size_t)dst->w * TIPS_BLOCK;
}

static inline __attribute__((always_inline)) void put(const vf_largest *l, float *to, int32_t *at) {
    vf_store(to, l->value);
    if (at) *(vi *)at = l->at;
}

static inline __attribute__((always_inline)) void max_run(const tips_window_run *r, int rows, int cols, int dilation,
                                                          int stride, float *to, int32_t *at) {
    const int pixels = (int)(r->line / TIPS_BLOCK);
    for (int x = 0; x < r->count; x++) {
        const int column = r->column + x * stride;
        vf_largest l = largest_start(r->rows.at[0] * pixels + column);
        for (int i = 0; i < rows; i++) {
            const float *from = r->plane + r->rows.at[i] * r->line;
            for (int j = 0; j < cols; j++) {
                const int cell = column + j * dilation;
                const vi pixel = (vi){0} + (r->rows.at[i] * pixels + cell);
                largest_offer(&l, vf_load(from + (ptrdiff_t)cell * TIPS_BLOCK), pixel, at != NULL);
            }
        }
        put(&l, to + (ptrdiff_t)x * TIPS_BLOCK, at ? at + (ptrdiff_t)x * TIPS_BLOCK : NULL);
    }
}

/* The usual windows with their sizes known to the compiler. */
static inline __attribute__((always_inline)) void choose_run(const tips_window_run *r, int cols, int stride, float *to,
                                                             int32_t *at) {
    const int rows = r->rows.n;
    if (r->dilation == 1 && rows == 3 && cols == 3 && stride == 2) max_run(r, 3, 3, 1, 2, to, at);
    else if (r->dilation == 1 && rows == 3 && cols == 3 && stride == 1) max_run(r, 3, 3, 1, 1, to, at);
    else if (r->dilation == 1 && rows == 2 && cols == 2 && stride == 2) max_run(r, 2, 2, 1, 2, to, at);
    else max_run(r, rows, cols, r->dilation, stride, to, at);
}

static void inner_run(const tips_window_run *r, const tips_window *columns, float *to, int32_t *at) {
    if (at) choose_run(r, columns->kernel, columns->stride, to, at);
    else choose_run(r, columns->kernel, columns->stride, to, NULL);
}

/* A window that reaches beyond the left or right border. */
static void border_cell(const tips_window_run *r, const tips_cover *cols, float *to, int32_t *at) {
    const int pixels = (int)(r->line / TIPS_BLOCK);
    vf_largest l = largest_start(r->rows.at[0] * pixels + cols->at[0]);
    for (int i = 0; i < r->rows.n; i++) {
        const float *from = r->plane + r->rows.at[i] * r->line;
        for (int j = 0; j < cols->n; j++)
            largest_offer(&l, vf_load(from + (ptrdiff_t)cols->at[j] * TIPS_BLOCK),
                          (vi){0} + (r->rows.at[i] * pixels + cols->at[j]), true);
    }
    put(&l, to, at);
}

static void pool_plane(const tips_op *op, const tips_window axes[2], int n, int b, int *cells) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    tips_window_run run = {.plane = tips__plane(src, n, b), .line = src->sh, .dilation = axes[1].dilation};
    int first, end;
    tips__window_inside(&axes[1], dst->w, &first, &end);
    run.column = first * axes[1].stride - axes[1].before;
    run.count = end - first;
    for (int y = 0; y < dst->h; y++) {
        float *to = tips__row(dst, n, b, y);
        int32_t *at = tips__goes_back(&op->pass) ? places(op, n, b, y) : NULL;
        run.rows = tips__window_cover(&axes[0], y, cells);
        inner_run(&run, &axes[1], to + (ptrdiff_t)first * TIPS_BLOCK, at ? at + (ptrdiff_t)first * TIPS_BLOCK : NULL);
        for (int x = 0; x < dst->w; x++) {
            if (x == first) x = end;
            if (x >= dst->w) break;
            const tips_cover cols = tips__window_cover(&axes[1], x, cells + axes[0].kernel);
            border_cell(&run, &cols, to + (ptrdiff_t)x * TIPS_BLOCK, at ? at + (ptrdiff_t)x * TIPS_BLOCK : NULL);
        }
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    tips_window axes[2];
    tips__max_pool_windows(op->node->config, src->h, src->w, axes);
    const size_t floats = tips__cover_floats(axes);
    TIPS_PARALLEL_PLANES (dst, n, b) pool_plane(op, axes, n, b, (int *)tips__thread_scratch(op, floats));
    return TIPS_OK;
}

static void scatter_row(const float *diff_dst, const int32_t *at, int count, float *diff_src) {
    for (int x = 0; x < count; x++)
        for (int l = 0; l < TIPS_BLOCK; l++) {
            const ptrdiff_t i = (ptrdiff_t)x * TIPS_BLOCK + l;
            diff_src[(ptrdiff_t)at[i] * TIPS_BLOCK + l] += diff_dst[i];
        }
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    TIPS_PARALLEL_PLANES (diff_src, n, b) {
        if (!op->in[0].accumulate) tips__zero_plane(diff_src, n, b);
        for (int y = 0; y < diff_dst->h; y++)
            scatter_row(tips__row(diff_dst, n, b, y), places(op, n, b, y), diff_dst->w, tips__plane(diff_src, n, b));
    }
    return TIPS_OK;
}

/* The value under one tap, minus infinity where there is none. */
static double tap_value(const tips_max_pool *c, const double *plane, int h, int w, int y, int x) {
    if (y >= h + c->padding.bottom || x >= w + c->padding.right) return -INFINITY;
    const int from_y = tips__pad_index(c->padding.mode, y, h), from_x = tips__pad_index(c->padding.mode, x, w);
    return from_y < 0 || from_x < 0 ? -INFINITY : plane[from_y * w + from_x];
}

static double window_max(const tips_max_pool *c, const double *plane, int h, int w, int y, int x) {
    double best = -INFINITY;
    for (int i = 0; i < c->kernel[0]; i++)
        for (int j = 0; j < c->kernel[1]; j++)
            best = fmax(best, tap_value(c, plane, h, w, y * c->stride[0] - c->padding.top + i * c->dilation[0],
                                        x * c->stride[1] - c->padding.left + j * c->dilation[1]));
    return best;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    double *to = out->data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int y = 0; y < out->h; y++)
            for (int x = 0; x < out->w; x++)
                *to++ = window_max(op->node->config, in->data + (size_t)plane * in->h * in->w, in->h, in->w, y, x);
    return TIPS_OK;
}

static bool pools(const tips_node *node, int stride[2]) {
    const tips_max_pool *c = node->config;
    memcpy(stride, c->stride, sizeof c->stride);
    return stride[0] > 1 || stride[1] > 1;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_max_pool *c = node->config;
    const tips_value_info *in = tips__value(graph, node->in[0]), *out = tips__value(graph, node->out[0]);
    if (c->padding.mode != TIPS_PAD_CIRCULAR && (c->kernel[0] > 1 || c->kernel[1] > 1)) return "padding";
    if (c->stride[0] > 1 || c->stride[1] > 1) return "fixed grid";
    if (out->h < in->h || out->w < in->w) return "crop";
    return in->h == out->h && in->w == out->w ? NULL : "odd size";
}

static const tips_option options[] = {
    {.name = "kernel", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_max_pool, kernel), .fallback = "2", .min = 1,
     .max = 1 << 12, .help = "size of the window"},
    {.name = "stride", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_max_pool, stride), .fallback = "1", .min = 1,
     .max = 1 << 12, .help = "pixels from one window to the next"},
    {.name = "dilation", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_max_pool, dilation), .fallback = "1", .min = 1,
     .max = 1 << 12, .help = "pixels from one tap to the next"},
    {.name = "pad-mode", .type = TIPS_OPT_LIKE, .offset = offsetof(tips_max_pool, padding.mode),
     .group = tips__padding_rows, .help = "how the map continues beyond its border; zero stands for minus infinity"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_max_pool, padding), .group = tips__padding_rows,
     .without = "pad-mode"},
    {.name = "ceil", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_max_pool, ceil), .fallback = "false",
     .help = "let a last window hang over the border"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_max_pool *c = node->config;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    tips_window_emit windows = {.op = "MaxPool", .padding = c->padding, .border = -INFINITY};
    tips__max_pool_windows(c, in.h, in.w, windows.axes);
    return tips__emit_windows(to, node, &windows);
}

const tips_layer TIPS_ROW(tips__layer_max_pool) = {
    .name = "max_pool",
    .brief = "maximum of windows: any kernel, stride, dilation and padding",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_max_pool),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .pools = pools,
};
