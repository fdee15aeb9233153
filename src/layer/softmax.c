/* softmax over the channels of each pixel, y[c] = exp(x[c]) / sum of exp(x[i]), and its logarithm.
 * Backward: dx = y (dy - sum of y dy); for the logarithm dx = dy - exp(y) sum of dy.
 *
 * The largest channel is subtracted first. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/pixel.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_out = 1;
    return TIPS_OK;
}

static void log_softmax_pixel(tips_pixel x, tips_pixel y, int channels) {
    const float largest = tips__pixel_largest(x, channels);
    const float rest = (float)log(tips__pixel_powers(x, y, channels, largest));
    for (int b = 0; b < tips__blocks(channels); b++)
        vf_store(y.at + b * y.step,
                 tips__masked(tips__pixel_block(x, b) - largest - rest, tips__lane_mask(channels, b)));
}

static double sum_of(tips_pixel a, int blocks) {
    vd sum = {0};
    for (int i = 0; i < blocks; i++) sum += vd_from(tips__pixel_block(a, i));
    return vd_sum(sum);
}

static void softmax_gradient(tips_pixel y, tips_pixel dy, tips_pixel dx, int channels, bool accumulate) {
    const float mean = (float)tips__pixel_product(y, dy, tips__blocks(channels));
    for (int b = 0; b < tips__blocks(channels); b++)
        tips__put(dx.at + b * dx.step, tips__pixel_block(y, b) * (tips__pixel_block(dy, b) - mean), accumulate);
}

static void log_softmax_gradient(tips_pixel y, tips_pixel dy, tips_pixel dx, int channels, bool accumulate) {
    const float sum = (float)sum_of(dy, tips__blocks(channels));
    for (int b = 0; b < tips__blocks(channels); b++) {
        const vf part = tips__pixel_block(dy, b) - vf_exp(tips__pixel_block(y, b)) * sum;
        tips__put(dx.at + b * dx.step, tips__masked(part, tips__lane_mask(channels, b)), accumulate);
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const bool logarithm = op->node->layer == &tips__layer_log_softmax;
    TIPS_PARALLEL_FOR (i, dst->n * dst->h) {
        const int n = i / dst->h, y = i % dst->h;
        for (int x = 0; x < dst->w; x++) {
            const tips_pixel from = tips__pixel_of(src, n, y, x), to = tips__pixel_of(dst, n, y, x);
            if (logarithm) log_softmax_pixel(from, to, dst->c);
            else tips__pixel_softmax(from, to, dst->c);
        }
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0], *out = &op->out[0];
    const tips_map *dst = &out->map;
    if (!in->want_diff) return TIPS_OK;
    const bool logarithm = op->node->layer == &tips__layer_log_softmax;
    TIPS_PARALLEL_FOR (i, dst->n * dst->h) {
        const int n = i / dst->h, y = i % dst->h;
        for (int x = 0; x < dst->w; x++) {
            const tips_pixel value = tips__pixel_of(dst, n, y, x), dy = tips__pixel_of(&out->diff, n, y, x);
            const tips_pixel dx = tips__pixel_of(&in->diff, n, y, x);
            if (logarithm) log_softmax_gradient(value, dy, dx, dst->c, in->accumulate);
            else softmax_gradient(value, dy, dx, dst->c, in->accumulate);
        }
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const bool logarithm = op->node->layer == &tips__layer_log_softmax;
    const size_t area = (size_t)in->h * in->w;
    for (size_t i = 0; i < (size_t)in->n * area; i++) {
        const size_t at = i / area * in->c * area + i % area;
        double largest = in->data[at], sum = 0;
        for (int c = 1; c < in->c; c++) largest = fmax(largest, in->data[at + c * area]);
        for (int c = 0; c < in->c; c++) sum += exp(in->data[at + c * area] - largest);
        for (int c = 0; c < in->c; c++) {
            const double x = in->data[at + c * area] - largest;
            op->out[0].data[at + c * area] = logarithm ? x - log(sum) : exp(x) / sum;
        }
    }
    return TIPS_OK;
}

/* Before opset 13 the softmax ran over all axes from the given one on; over the last they are the same. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    enum { HAS_ONE_AXIS = 13 };
    const char *op = node->layer == &tips__layer_log_softmax ? "LogSoftmax" : "Softmax";
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x), turns = !is_vector && tips__emit_opset(to) < HAS_ONE_AXIS;
    if (turns) x = tips__emit_op(to, "Transpose", &x, 1, TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 2, 3, 1)));
    x = tips__emit_softmax(to, op, x, turns ? 3 : 1);
    if (turns) x = tips__emit_op(to, "Transpose", &x, 1, TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 3, 1, 2)));
    tips__emit_out_like(to, node, 0, x, is_vector);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_softmax) = {
    .name = "softmax",
    .brief = "exp(x) over its sum, over the channels of each pixel",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};

const tips_layer TIPS_ROW(tips__layer_log_softmax) = {
    .name = "log_softmax",
    .brief = "the logarithm of softmax",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
