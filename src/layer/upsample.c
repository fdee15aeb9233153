/* A map enlarged by whole factors, its cells where a chosen phase put them: with phase (a, b), pixel (y, x) of the
 * output lies (y - a, x - b) from the first cell, around the torus.
 *   nearest: u[s n + a + r] = z[n], 0 <= r < s
 *   linear:  between the two cells nearest to (y - a + 1/2) / s - 1/2 along each axis, around the torus
 *   corner:  between the two cells nearest to (y - a) / s
 * A map that was sampled at another phase and moved for it comes out moved by the shift of the input, bit by bit: taps
 * are counted from the phase. Backward is the exact transpose. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/phases.h"

#include <math.h>

/* Output = low_weight * x[low] + high_weight * x[high]. */
typedef struct tap {
    int low, high;
    float low_weight, high_weight;
} tap;

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_upsample *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, node->n_in == 1 ? 1 : 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    if (node->n_in == 2) TIPS_TRY(tips__expect_number(graph, node, 1));
    const tips_value_info in = tips__in_info(graph, node, 0);
    TIPS_TRY(tips__expect_stride(node, config->stride));
    tips__node_out(graph, node,
                   tips__map_info(in.c, in.h * config->stride[0], in.w * config->stride[1], in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_map *dst = &op->out[0].map;
    plan->keep_in = op->n_in == 2 ? 2 : 0;
    plan->forward_scratch = plan->backward_scratch = ((size_t)dst->h + (size_t)dst->w) * sizeof(tap);
    return TIPS_OK;
}

/* In cells. */
static double place_of(const tips_upsample *config, int stride, int i) {
    return config->mode == TIPS_UPSAMPLE_CORNER ? (double)i / stride : (i + 0.5) / stride - 0.5;
}

/* Of the pixel that lies i behind the phase, on an axis of so many cells. */
static tap tap_of(const tips_upsample *config, int stride, int cells, int i) {
    if (config->mode == TIPS_UPSAMPLE_NEAREST) return (tap){i / stride, i / stride, 1, 0};
    const double at = place_of(config, stride, i);
    const int low = (int)floor(at);
    return (tap){(low + cells) % cells, (low + 1) % cells, (float)(1 - (at - low)), (float)(at - low)};
}

/* Taps of all rows, then of all columns, counted from the phase. */
static const tap *make_taps(const tips_op *op, int h, int w) {
    const tips_upsample *config = op->node->config;
    tap *taps = op->scratch;
    const int *stride = config->stride;
    for (int i = 0; i < h * stride[0]; i++) taps[i] = tap_of(config, stride[0], h, i);
    for (int i = 0; i < w * stride[1]; i++) taps[h * stride[0] + i] = tap_of(config, stride[1], w, i);
    return taps;
}

static inline vf between(const float *row, tap t) {
    return vf_load(row + (ptrdiff_t)t.low * TIPS_BLOCK) * t.low_weight +
           vf_load(row + (ptrdiff_t)t.high * TIPS_BLOCK) * t.high_weight;
}

static void linear_pixel(const float *low, const float *high, tap row, tap col, float *to) {
    vf_store(to, between(low, col) * row.low_weight + between(high, col) * row.high_weight);
}

/* Output column left + i, around the torus, of the pixel that lies i behind the phase. */
static inline float *pixel_at(float *row, int left, int i, int width) {
    const int x = left + i;
    return row + (ptrdiff_t)(x < width ? x : x - width) * TIPS_BLOCK;
}

static tips_status forward(tips_op *op) {
    const tips_upsample *config = op->node->config;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const int *stride = config->stride;
    TIPS_TRY(tips__check_phases(op, stride));
    const tap *rows = make_taps(op, src->h, src->w), *cols = rows + dst->h;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const int top = tips__phase_of(op, n) / stride[1], left = tips__phase_of(op, n) % stride[1];
        for (int i = 0; i < dst->h; i++) {
            const float *low = tips__row(src, n, b, rows[i].low), *high = tips__row(src, n, b, rows[i].high);
            float *to = tips__row(dst, n, b, (i + top) % dst->h);
            for (int x = 0; x < dst->w; x++) {
                float *pixel = pixel_at(to, left, x, dst->w);
                if (config->mode == TIPS_UPSAMPLE_NEAREST)
                    vf_store(pixel, vf_load(low + (ptrdiff_t)cols[x].low * TIPS_BLOCK));
                else linear_pixel(low, high, rows[i], cols[x], pixel);
            }
        }
    }
    return TIPS_OK;
}

static void spread_row(float *from, int left, float weight, const tap *cols, int count, float *to) {
    if (weight == 0) return;
    for (int x = 0; x < count; x++) {
        const vf value = vf_load(pixel_at(from, left, x, count)) * weight;
        tips__put(to + (ptrdiff_t)cols[x].low * TIPS_BLOCK, value * cols[x].low_weight, true);
        if (cols[x].high_weight == 0) continue;
        tips__put(to + (ptrdiff_t)cols[x].high * TIPS_BLOCK, value * cols[x].high_weight, true);
    }
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const int *stride = ((const tips_upsample *)op->node->config)->stride;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const tap *rows = make_taps(op, diff_src->h, diff_src->w), *cols = rows + diff_dst->h;
    if (!op->in[0].accumulate) tips__map_zero(diff_src);
    TIPS_PARALLEL_PLANES (diff_src, n, b) {
        const int top = tips__phase_of(op, n) / stride[1], left = tips__phase_of(op, n) % stride[1];
        for (int i = 0; i < diff_dst->h; i++) {
            float *from = tips__row(diff_dst, n, b, (i + top) % diff_dst->h);
            spread_row(from, left, rows[i].low_weight, cols, diff_dst->w, tips__row(diff_src, n, b, rows[i].low));
            spread_row(from, left, rows[i].high_weight, cols, diff_dst->w, tips__row(diff_src, n, b, rows[i].high));
        }
    }
    return TIPS_OK;
}

/* How much of cell j is in the pixel that lies i behind the phase. */
static double share(const tips_upsample *config, int stride, int cells, int i, int j) {
    if (config->mode == TIPS_UPSAMPLE_NEAREST) return i / stride == j;
    const double off = fabs(remainder(place_of(config, stride, i) - j, cells));
    if (cells == 1) return 1;
    /* On a torus of two cells the other one is a neighbour on both sides. */
    const double around = cells - off;
    return (off < 1 ? 1 - off : 0) + (around < 1 ? 1 - around : 0);
}

static double enlarged_pixel(const tips_upsample *config, const tips_ref_slot *in, const double *plane, int i, int j) {
    double sum = 0;
    for (int y = 0; y < in->h; y++)
        for (int x = 0; x < in->w; x++)
            sum += share(config, config->stride[0], in->h, i, y) * share(config, config->stride[1], in->w, j, x) *
                   plane[y * in->w + x];
    return sum;
}

static tips_status ref(tips_ref_op *op) {
    const tips_upsample *config = op->node->config;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    for (int plane = 0; plane < in->n * in->c; plane++) {
        const int phase = op->n_in == 2 ? op->in[1].index[plane / in->c] : 0;
        const int a = phase / config->stride[1], b = phase % config->stride[1];
        const double *z = in->data + (size_t)plane * in->h * in->w;
        for (int i = 0; i < out->h; i++)
            for (int j = 0; j < out->w; j++)
                out->data[((size_t)plane * out->h + (i + a) % out->h) * out->w + (j + b) % out->w] =
                    enlarged_pixel(config, in, z, i, j);
    }
    return TIPS_OK;
}

static const char *const mode_names[] = {"nearest", "linear", "corner", NULL};

static const tips_option options[] = {
    {.name = "stride", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_upsample, stride), .fallback = "2", .min = 1,
     .max = 64, .help = "factors of height and width"},
    {.name = "mode", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_upsample, mode), .fallback = "nearest",
     .choices = mode_names, .help = "the nearest cell, or linear between neighbours around the torus, from their middles or corners"},
    {.type = TIPS_OPT_END},
};

/* Enlarged among its neighbours around the torus, cut out, then rolled to its phase. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_upsample *config = node->config;
    const int *s = config->stride;
    const bool is_linear = config->mode != TIPS_UPSAMPLE_NEAREST;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    const tips_padding around = {TIPS_PAD_CIRCULAR, 1, 1, 1, 1};
    const float scales[] = {1, 1, (float)s[0], (float)s[1]};
    tips_operand x = tips__emit_in(to, node, 0);
    if (is_linear) x = tips__emit_pad(to, node, x, in, &around, 0);
    const tips_operand with[] = {x, tips__emit_floats(to, scales, (const int64_t[]){0}, 1),
                                 tips__emit_floats(to, scales, (const int64_t[]){4}, 1)};
    x = tips__emit_op(to, "Resize", with, 3,
                      TIPS_WITH(TIPS_WITH_TEXT("mode", is_linear ? "linear" : "nearest"),
                                TIPS_WITH_TEXT("coordinate_transformation_mode",
                                               config->mode == TIPS_UPSAMPLE_LINEAR ? "half_pixel" : "asymmetric"),
                                TIPS_WITH_TEXT("nearest_mode", "floor")));
    if (is_linear)
        x = tips__emit_window(to, x, s, (const int[2]){-s[0], -s[1]}, (const int[2]){1, 1});
    if (node->n_in == 2) x = tips__emit_roll(to, x, tips__emit_in(to, node, 1), s, true);
    tips__emit_out(to, node, 0, x);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_upsample) = {
    .name = "upsample",
    .brief = "a map enlarged by whole factors, its cells where the chosen phase put them",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_upsample),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
