/* Unpooling with a chosen phase k = a*sw+b per sample: u[sh*i+a, sw*j+b] = z[i,j], zero elsewhere. Without a second
 * input the phase is 0. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/phases.h"

#include <string.h>

static tips_status shape(tips_graph *graph, tips_node *node) {
    const int *stride = ((const tips_strided *)node->config)->stride;
    TIPS_TRY(tips__expect_inputs(node, node->n_in == 1 ? 1 : 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    if (node->n_in == 2) TIPS_TRY(tips__expect_number(graph, node, 1));
    const tips_value_info in = tips__in_info(graph, node, 0);
    TIPS_TRY(tips__expect_stride(node, stride));
    tips__node_out(graph, node, tips__map_info(in.c, in.h * stride[0], in.w * stride[1], in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->keep_in = op->n_in == 2 ? 2 : 0;
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const int *stride = ((const tips_strided *)op->node->config)->stride;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_TRY(tips__check_phases(op, stride));
    TIPS_PARALLEL_PLANES(dst, n, b) {
        const int top = tips__phase_of(op, n) / stride[1], left = tips__phase_of(op, n) % stride[1];
        for (int y = 0; y < dst->h; y++) {
            float *to = tips__row(dst, n, b, y);
            memset(to, 0, (size_t)dst->w * TIPS_BLOCK * sizeof(float));
            if (y % stride[0] != top) continue;
            const float *from = tips__row(src, n, b, y / stride[0]);
            for (int x = 0; x < src->w; x++)
                vf_store(to + (x * stride[1] + left) * TIPS_BLOCK, vf_load(from + x * TIPS_BLOCK));
        }
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const int *stride = ((const tips_strided *)op->node->config)->stride;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const bool accumulate = op->in[0].accumulate;
    TIPS_PARALLEL_PLANES(diff_src, n, b) {
        const int top = tips__phase_of(op, n) / stride[1], left = tips__phase_of(op, n) % stride[1];
        for (int y = 0; y < diff_src->h; y++) {
            const float *from = tips__row(diff_dst, n, b, y * stride[0] + top);
            float *to = tips__row(diff_src, n, b, y);
            for (int x = 0; x < diff_src->w; x++)
                tips__put(to + x * TIPS_BLOCK, vf_load(from + (x * stride[1] + left) * TIPS_BLOCK), accumulate);
        }
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const int *stride = ((const tips_strided *)op->node->config)->stride;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    double *to = out->data;
    for (int n = 0; n < in->n; n++) {
        const int phase = op->n_in == 2 ? op->in[1].index[n] : 0, a = phase / stride[1], b = phase % stride[1];
        for (int c = 0; c < in->c; c++) {
            const double *z = in->data + (size_t)(n * in->c + c) * in->h * in->w;
            for (int y = 0; y < out->h; y++)
                for (int x = 0; x < out->w; x++)
                    *to++ = y % stride[0] == a && x % stride[1] == b ? z[y / stride[0] * in->w + x / stride[1]] : 0;
        }
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "stride", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_strided, stride), .fallback = "2", .min = 1,
     .max = 64, .help = "rows and columns of a cell"},
    {.type = TIPS_OPT_END},
};

/* Every pixel at phase 0, by a transposed convolution that writes one corner, then rolled to its phase. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int *stride = ((const tips_strided *)node->config)->stride;
    const int c = tips__emit_in_info(to, node, 0).c;
    const tips_operand corner = tips__emit_corner(to, c, stride);
    const tips_operand spread = tips__emit_op(
        to, "ConvTranspose", TIPS_OPERANDS(tips__emit_in(to, node, 0), corner),
        TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", stride[0], stride[1]), TIPS_WITH_PAIR("strides", stride[0], stride[1]),
                  TIPS_WITH_INT("group", c)));
    tips__emit_out(to, node, 0,
                   node->n_in == 2 ? tips__emit_roll(to, spread, tips__emit_in(to, node, 1), stride, true) : spread);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_unpool) = {
    .name = "unpool",
    .brief = "every pixel at the chosen phase of its cell, zeros around it",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_strided),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
