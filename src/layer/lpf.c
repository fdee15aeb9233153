/* LPF-n: the binomial filter b_n (x) b_n, depthwise, stride 1, of sum `gain`; floor((n-1)/2) cells before, the rest
 * after. Run as rows, then columns, in a fixed order of taps.
 * Backward is the same filter (b_n is symmetric) over the gradient among n-1 zeros, its border then folded back. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "tensor/pad.h"

#include <string.h>

enum { MIN_SIZE = 2, MAX_SIZE = 7 };

/* dst[x] = sum over t of tap[t] * src[x + t * step], for whole vectors. */
typedef void line_filter(const float *src, ptrdiff_t step, int count, const float *tap, float *dst);

#define DEFINE_LINE_FILTER(size)                                                                                   \
    static void line_##size(const float *src, ptrdiff_t step, int count, const float *tap, float *dst) {           \
        for (int x = 0; x < count * TIPS_BLOCK; x += TIPS_BLOCK) {                                                 \
            vf sum = vf_load(src + x) * tap[0];                                                                    \
            for (int t = 1; t < (size); t++) sum = vf_fma(vf_set(tap[t]), vf_load(src + x + t * step), sum);       \
            vf_store(dst + x, sum);                                                                                \
        }                                                                                                          \
    }

DEFINE_LINE_FILTER(2)
DEFINE_LINE_FILTER(3)
DEFINE_LINE_FILTER(4)
DEFINE_LINE_FILTER(5)
DEFINE_LINE_FILTER(6)
DEFINE_LINE_FILTER(7)

static line_filter *const line_filters[MAX_SIZE + 1] = {NULL, NULL, line_2, line_3, line_4, line_5, line_6, line_7};

static const float binomial[MAX_SIZE + 1][MAX_SIZE] = {
    [2] = {1 / 2.0f, 1 / 2.0f},
    [3] = {1 / 4.0f, 2 / 4.0f, 1 / 4.0f},
    [4] = {1 / 8.0f, 3 / 8.0f, 3 / 8.0f, 1 / 8.0f},
    [5] = {1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f},
    [6] = {1 / 32.0f, 5 / 32.0f, 10 / 32.0f, 10 / 32.0f, 5 / 32.0f, 1 / 32.0f},
    [7] = {1 / 64.0f, 6 / 64.0f, 15 / 64.0f, 20 / 64.0f, 15 / 64.0f, 6 / 64.0f, 1 / 64.0f},
};

static tips_status shape(tips_graph *graph, tips_node *node) {
    tips_lpf *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (config->size < MIN_SIZE || config->size > MAX_SIZE) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a filter of size %d; it takes %d..%d", node->name, config->size, MIN_SIZE,
                  MAX_SIZE);
    }
    if (config->gain == 0) config->gain = 1;
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_padding forward_padding(const tips_lpf *config) {
    return tips__same_padding(config->mode, (const int[2]){config->size, config->size}, (const int[2]){1, 1});
}

/* The gradient reaches n-1 cells beyond its own map on every side. */
static tips_padding backward_padding(const tips_lpf *config) {
    const int reach = config->size - 1;
    return (tips_padding){TIPS_PAD_ZERO, reach, reach, reach, reach};
}

/* A padded row, and all rows after the horizontal pass. */
static size_t filter_floats(const tips_map *src, int size, const tips_padding *pad) {
    const size_t padded_width = (size_t)(src->w + pad->left + pad->right);
    const size_t height = (size_t)(src->h + pad->top + pad->bottom);
    return (padded_width + height * (padded_width - (size_t)size + 1)) * TIPS_BLOCK;
}

static size_t forward_floats(const tips_op *op) {
    const tips_lpf *config = op->node->config;
    const tips_padding pad = forward_padding(config);
    return filter_floats(&op->in[0].map, config->size, &pad);
}

static size_t backward_floats(const tips_op *op) {
    const tips_lpf *config = op->node->config;
    const tips_padding wide = backward_padding(config), pad = forward_padding(config);
    const tips_map *src = &op->in[0].map;
    return filter_floats(src, config->size, &wide) + tips__pad_plane_floats(src->h, src->w, &pad);
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->forward_scratch = tips__thread_bytes(forward_floats(op));
    plan->backward_scratch = tips__thread_bytes(backward_floats(op));
    return TIPS_OK;
}

/* Filters one plane of src, padded by `pad`, into the rows of dst. */
static void filter_plane(const tips_lpf *config, const tips_map *src, int n, int b, const tips_padding *pad,
                         float *scratch, float *dst, ptrdiff_t dst_row) {
    line_filter *const filter = line_filters[config->size];
    const int width = src->w + pad->left + pad->right - config->size + 1;
    const ptrdiff_t row = (ptrdiff_t)width * TIPS_BLOCK;
    float *line = scratch, *smooth = scratch + row + (config->size - 1) * TIPS_BLOCK;
    const tips_padding sides = {.mode = pad->mode, .left = pad->left, .right = pad->right};
    tips_map one_row = *src;
    one_row.h = 1;
    for (int y = -pad->top; y < src->h + pad->bottom; y++) {
        const int from = tips__pad_index(pad->mode, y, src->h);
        float *to = smooth + (y + pad->top) * row;
        if (from < 0) {
            memset(to, 0, (size_t)row * sizeof(float));
            continue;
        }
        one_row.data = src->data + from * src->sh;
        tips__pad_plane(&one_row, n, b, &sides, line);
        filter(line, TIPS_BLOCK, width, binomial[config->size], to);
    }
    float tap[MAX_SIZE];
    for (int t = 0; t < config->size; t++) tap[t] = (float)(binomial[config->size][t] * config->gain);
    const int height = src->h + pad->top + pad->bottom - config->size + 1;
    for (int y = 0; y < height; y++) filter(smooth + y * row, row, width, tap, dst + y * dst_row);
}

static tips_status forward(tips_op *op) {
    const tips_lpf *config = op->node->config;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const tips_padding pad = forward_padding(config);
    const size_t floats = forward_floats(op);
    TIPS_PARALLEL_PLANES(dst, n, b)
        filter_plane(config, src, n, b, &pad, tips__thread_scratch(op, floats), tips__plane(dst, n, b), dst->sh);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_lpf *config = op->node->config;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const tips_padding wide = backward_padding(config), pad = forward_padding(config);
    const size_t floats = backward_floats(op), plane = tips__pad_plane_floats(diff_src->h, diff_src->w, &pad);
    const ptrdiff_t row = (ptrdiff_t)(diff_src->w + pad.left + pad.right) * TIPS_BLOCK;
    TIPS_PARALLEL_PLANES(diff_src, n, b) {
        float *padded = tips__thread_scratch(op, floats);
        filter_plane(config, diff_dst, n, b, &wide, padded + plane, padded, row);
        tips__fold_plane(padded, &pad, diff_src, n, b, op->in[0].accumulate);
    }
    return TIPS_OK;
}

static double choose(int n, int k) { return k == 0 ? 1 : choose(n, k - 1) * (n - k + 1) / k; }

static double filtered_pixel(const tips_lpf *config, const double *plane, int h, int w, int y, int x) {
    const int last = config->size - 1;
    double sum = 0;
    for (int i = 0; i <= last; i++) {
        for (int j = 0; j <= last; j++) {
            const int from_y = tips__pad_index(config->mode, y + i - last / 2, h);
            const int from_x = tips__pad_index(config->mode, x + j - last / 2, w);
            if (from_y >= 0 && from_x >= 0) sum += choose(last, i) * choose(last, j) * plane[from_y * w + from_x];
        }
    }
    return sum * config->gain / pow(4, last);
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    double *to = op->out[0].data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int y = 0; y < in->h; y++)
            for (int x = 0; x < in->w; x++)
                *to++ = filtered_pixel(op->node->config, in->data + (size_t)plane * in->h * in->w, in->h, in->w, y, x);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    const tips_lpf *config = node->config;
    return config->size > 1 && config->mode != TIPS_PAD_CIRCULAR ? "padding" : NULL;
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_lpf *config = node->config;
    const tips_value_info *out = tips__value(graph, node->out[0]);
    return 2.0 * config->size * out->c * out->h * out->w * out->per_sample;
}

static const tips_option options[] = {
    {.name = "size", .type = TIPS_OPT_INT, .offset = offsetof(tips_lpf, size), .fallback = "3", .min = MIN_SIZE,
     .max = MAX_SIZE, .help = "taps in each direction"},
    {.name = "pad-mode", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_lpf, mode), .fallback = "circular",
     .choices = tips_pad_mode_names, .help = "how the map continues beyond its border"},
    {.name = "gain", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_lpf, gain), .fallback = "1", .min = 0, .max = 1e9,
     .help = "sum of the filter; the stride's product after an unpooling"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_lpf *config = node->config;
    const tips_filter_emit filter = {
        .size = config->size, .gain = config->gain, .mode = config->mode, .stride = {1, 1}};
    tips__emit_out(to, node, 0, tips__emit_filter(to, node, &filter));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_lpf) = {
    .name = "lpf",
    .brief = "binomial low-pass filter, depthwise, stride 1",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_lpf),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .multiply_adds = multiply_adds,
};
