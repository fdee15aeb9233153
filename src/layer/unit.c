/* The channels of each pixel at length 1: y = x / max(|x|, 1e-12), |x| the 2-norm over the channels.
 * Backward: dx = (dy - y sum of y dy) / |x|; where |x| is less than that, dx = dy / 1e-12. */
#include "emit/emit.h"
#include "layer/layers.h"
#include "layer/pixel.h"

static const double least = 1e-12;

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_in = 1;
    return TIPS_OK;
}

static double length_of(tips_pixel x, int blocks) { return sqrt(tips__pixel_product(x, x, blocks)); }

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_FOR (i, dst->n * dst->h) {
        for (int x = 0; x < dst->w; x++) {
            const tips_pixel from = tips__pixel_of(src, i / dst->h, i % dst->h, x);
            const tips_pixel to = tips__pixel_of(dst, i / dst->h, i % dst->h, x);
            const float scale = (float)(1 / fmax(length_of(from, dst->blocks), least));
            for (int b = 0; b < dst->blocks; b++) vf_store(to.at + b * to.step, tips__pixel_block(from, b) * scale);
        }
    }
    return TIPS_OK;
}

static void backward_pixel(tips_pixel x, tips_pixel dy, tips_pixel dx, int blocks, bool accumulate) {
    const double length = length_of(x, blocks), scale = 1 / fmax(length, least);
    const double along = length > least ? tips__pixel_product(x, dy, blocks) * scale * scale : 0;
    for (int b = 0; b < blocks; b++) {
        const vf slope = (tips__pixel_block(dy, b) - tips__pixel_block(x, b) * (float)along) * (float)scale;
        tips__put(dx.at + b * dx.step, slope, accumulate);
    }
}

static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0], *out = &op->out[0];
    const tips_map *src = &in->map;
    if (!in->want_diff) return TIPS_OK;
    TIPS_PARALLEL_FOR (i, src->n * src->h) {
        const int n = i / src->h, y = i % src->h;
        for (int x = 0; x < src->w; x++)
            backward_pixel(tips__pixel_of(src, n, y, x), tips__pixel_of(&out->diff, n, y, x),
                           tips__pixel_of(&in->diff, n, y, x), src->blocks, in->accumulate);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const size_t area = (size_t)in->h * (size_t)in->w, channels = (size_t)in->c;
    for (size_t i = 0; i < (size_t)in->n * area; i++) {
        const size_t at = i / area * channels * area + i % area;
        double sum = 0;
        for (size_t c = 0; c < channels; c++) sum += in->data[at + c * area] * in->data[at + c * area];
        for (size_t c = 0; c < channels; c++)
            op->out[0].data[at + c * area] = in->data[at + c * area] / fmax(sqrt(sum), least);
    }
    return TIPS_OK;
}

/* ReduceSum and Sqrt of squares: ReduceL2 says the same, and fewer programs read it. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    const tips_operand sum =
        tips__emit_reduce(to, "ReduceSum", tips__emit_binary(to, "Mul", x, x), (const int[]){1}, 1);
    const tips_operand length = tips__emit_unary(to, "Sqrt", sum);
    const tips_operand divisor = tips__emit_op(to, "Max", TIPS_OPERANDS(length, tips__emit_float(to, least)), NULL);
    tips__emit_out_like(to, node, 0, tips__emit_binary(to, "Div", x, divisor), is_vector);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_unit) = {
    .name = "unit",
    .brief = "the channels of each pixel at length 1",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
