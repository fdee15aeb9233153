/* Dense maximum: y[i,j] = max over the kh x kw window around (i,j), stride 1; (k-1)/2 cells before, the rest after.
 * Zero padding stands for minus infinity. The gradient goes to the first maximum in row-major order, whose place is
 * kept as one byte per output. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"
#include "tensor/pad.h"

#include <string.h>

enum { MAX_KERNEL = 15 };

static tips_padding padding(const tips_op *op) {
    const tips_dense_max *config = op->node->config;
    return tips__same_padding(config->mode, config->kernel, (const int[2]){1, 1});
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_dense_max *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    for (int i = 0; i < 2; i++) {
        if (config->kernel[i] < 1 || config->kernel[i] > MAX_KERNEL) {
            TIPS_FAIL(TIPS_RANGE, "layer '%s': a window of %dx%d; each side takes 1..%d", node->name, config->kernel[0],
                      config->kernel[1], MAX_KERNEL);
        }
    }
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static size_t plane_floats(const tips_op *op) {
    const tips_padding pad = padding(op);
    return tips__pad_plane_floats(op->in[0].map.h, op->in[0].map.w, &pad);
}

/* A padded plane, and a row of places as integers. */
static size_t scratch_floats(const tips_op *op) { return plane_floats(op) + (size_t)op->out[0].map.w * TIPS_BLOCK; }

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_map *dst = &op->out[0].map;
    plan->forward_scratch = tips__thread_bytes(scratch_floats(op));
    plan->backward_scratch = plan->forward_scratch;
    if (tips__goes_back(&op->pass))
        plan->workspace = tips__map_bytes(dst->n, dst->c, dst->h, dst->w, NULL) / sizeof(float);
    return TIPS_OK;
}

/* Where the maxima of one row of outputs lie. */
static uint8_t *places(const tips_op *op, int n, int b, int y) {
    const tips_map *dst = &op->out[0].map;
    return (uint8_t *)op->workspace + (((size_t)n * dst->blocks + b) * dst->h + y) * (size_t)dst->w * TIPS_BLOCK;
}

static void fill_lowest(float *cell, int count) {
    for (int x = 0; x < count; x++) vf_store(cell + x * TIPS_BLOCK, vf_set(-INFINITY));
}

static void lower_border(float *padded, int h, int w, const tips_padding *pad) {
    const int width = pad->left + w + pad->right;
    for (int y = -pad->top; y < h + pad->bottom; y++, padded += width * TIPS_BLOCK) {
        if (y < 0 || y >= h) {
            fill_lowest(padded, width);
        } else {
            fill_lowest(padded, pad->left);
            fill_lowest(padded + (pad->left + w) * TIPS_BLOCK, pad->right);
        }
    }
}

/* One row of maxima, and with `place` where they are. A NaN in the window is the maximum. */
static inline __attribute__((always_inline)) void max_row(const float *src, ptrdiff_t row, const int kernel[2], int w,
                                                          float *dst, int32_t *place) {
    for (int x = 0; x < w * TIPS_BLOCK; x += TIPS_BLOCK) {
        vf best = vf_load(src + x);
        vi at = {0};
        for (int i = 0, tap = 0; i < kernel[0]; i++) {
            for (int j = 0; j < kernel[1]; j++, tap++) {
                const vf value = vf_load(src + x + i * row + j * TIPS_BLOCK);
                const vi larger = (value > best) | (value != value);
                best = vf_select(larger, value, best);
                if (place) at = (larger & tap) | (~larger & at);
            }
        }
        vf_store(dst + x, best);
        if (place) *(vi *)(place + x) = at;
    }
}

static void max_and_place_row(const float *src, ptrdiff_t row, const int kernel[2], int w, float *dst, int32_t *spare,
                              uint8_t *place) {
    max_row(src, row, kernel, w, dst, spare);
    for (int x = 0; x < w * TIPS_BLOCK; x++) place[x] = (uint8_t)spare[x];
}

static tips_status forward(tips_op *op) {
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const tips_padding pad = padding(op);
    const size_t plane = plane_floats(op), floats = scratch_floats(op);
    const ptrdiff_t row = (ptrdiff_t)(src->w + pad.left + pad.right) * TIPS_BLOCK;
    TIPS_PARALLEL_PLANES(dst, n, b) {
        float *padded = tips__thread_scratch(op, floats);
        int32_t *spare = (int32_t *)(padded + plane);
        tips__pad_plane(src, n, b, &pad, padded);
        if (pad.mode == TIPS_PAD_ZERO) lower_border(padded, src->h, src->w, &pad);
        for (int y = 0; y < dst->h; y++) {
            const float *from = padded + y * row;
            float *to = tips__row(dst, n, b, y);
            if (tips__goes_back(&op->pass))
                max_and_place_row(from, row, kernel, dst->w, to, spare, places(op, n, b, y));
            else
                max_row(from, row, kernel, dst->w, to, NULL);
        }
    }
    return TIPS_OK;
}

static void scatter_tap(const float *diff_dst, const int32_t *place, int tap, int w, float *padded) {
    for (int x = 0; x < w * TIPS_BLOCK; x += TIPS_BLOCK) {
        const vi here = *(const vi *)(place + x) == tap;
        vf_store(padded + x, vf_load(padded + x) + vf_select(here, vf_load(diff_dst + x), (vf){0}));
    }
}

/* Adds one row of gradients to the cells of the padded plane that were the maxima; `padded` is the first window. */
static void scatter_row(const float *diff_dst, const uint8_t *place, const int kernel[2], int w, int32_t *spare,
                        float *padded, ptrdiff_t row) {
    for (int x = 0; x < w * TIPS_BLOCK; x++) spare[x] = place[x];
    for (int i = 0; i < kernel[0]; i++)
        for (int j = 0; j < kernel[1]; j++)
            scatter_tap(diff_dst, spare, i * kernel[1] + j, w, padded + i * row + j * TIPS_BLOCK);
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const tips_padding pad = padding(op);
    const size_t plane = plane_floats(op), floats = scratch_floats(op);
    const ptrdiff_t row = (ptrdiff_t)(diff_src->w + pad.left + pad.right) * TIPS_BLOCK;
    TIPS_PARALLEL_PLANES(diff_src, n, b) {
        float *padded = tips__thread_scratch(op, floats);
        int32_t *spare = (int32_t *)(padded + plane);
        memset(padded, 0, plane * sizeof(float));
        for (int y = 0; y < diff_src->h; y++)
            scatter_row(tips__row(diff_dst, n, b, y), places(op, n, b, y), kernel, diff_src->w, spare, padded + y * row,
                        row);
        tips__fold_plane(padded, &pad, diff_src, n, b, op->in[0].accumulate);
    }
    return TIPS_OK;
}

static double window_max(const tips_dense_max *config, const double *plane, int h, int w, int y, int x) {
    double best = -INFINITY;
    for (int i = 0; i < config->kernel[0]; i++) {
        for (int j = 0; j < config->kernel[1]; j++) {
            const int from_y = tips__pad_index(config->mode, y + i - (config->kernel[0] - 1) / 2, h);
            const int from_x = tips__pad_index(config->mode, x + j - (config->kernel[1] - 1) / 2, w);
            if (from_y < 0 || from_x < 0) continue;
            if (plane[from_y * w + from_x] > best) best = plane[from_y * w + from_x];
        }
    }
    return best;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    double *to = op->out[0].data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int y = 0; y < in->h; y++)
            for (int x = 0; x < in->w; x++)
                *to++ = window_max(op->node->config, in->data + (size_t)plane * in->h * in->w, in->h, in->w, y, x);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    const tips_dense_max *config = node->config;
    const bool reaches_out = config->kernel[0] > 1 || config->kernel[1] > 1;
    return reaches_out && config->mode != TIPS_PAD_CIRCULAR ? "padding" : NULL;
}

static const tips_option options[] = {
    {.name = "kernel", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_dense_max, kernel), .fallback = "3", .min = 1,
     .max = MAX_KERNEL, .help = "size of the window"},
    {.name = "pad-mode", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_dense_max, mode), .fallback = "circular",
     .choices = tips_pad_mode_names, .help = "how the map continues beyond its border; zero stands for minus infinity"},
    {.type = TIPS_OPT_END},
};

/* Zero padding is the operator's own, as there it stands for minus infinity too. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_dense_max *config = node->config;
    const int *kernel = config->kernel;
    tips_padding pad = tips__same_padding(config->mode, kernel, (const int[2]){1, 1});
    tips_operand x = tips__emit_in(to, node, 0);
    if (pad.mode != TIPS_PAD_ZERO) {
        x = tips__emit_pad(to, node, x, tips__emit_in_info(to, node, 0), &pad, 0);
        pad = (tips_padding){0};
    }
    x = tips__emit_op(to, "MaxPool", TIPS_OPERANDS(x),
                      TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", kernel[0], kernel[1]), TIPS_WITH_PAIR("strides", 1, 1),
                                TIPS_WITH_FOUR("pads", pad.top, pad.left, pad.bottom, pad.right)));
    tips__emit_out(to, node, 0, x);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_dense_max) = {
    .name = "dense_max",
    .brief = "maximum of a window around every pixel, stride 1",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_dense_max),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
