/* Rolls a map so that a chosen phase comes first: y[i, j] = x[i + a, j + b] around the torus, for the phase a * sw + b
 * of each sample. A fixed grid behind it is then one that follows the picture. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/phases.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const int *stride = ((const tips_strided *)node->config)->stride;
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(tips__expect_number(graph, node, 1));
    TIPS_TRY(tips__expect_stride(node, stride));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_in = 2;
    return TIPS_OK;
}

/* Rows of src from (top, left) on, around the torus, into dst. */
static void roll_plane(const tips_map *src, const tips_map *dst, int n, int b, int top, int left, bool accumulate) {
    for (int y = 0; y < dst->h; y++) {
        const float *from = tips__row(src, n, b, (y + top) % src->h);
        float *to = tips__row(dst, n, b, y);
        for (int x = 0; x < dst->w; x++)
            tips__put(to + (ptrdiff_t)x * TIPS_BLOCK, vf_load(from + (ptrdiff_t)((x + left) % src->w) * TIPS_BLOCK),
                      accumulate);
    }
}

static tips_status forward(tips_op *op) {
    const int *stride = ((const tips_strided *)op->node->config)->stride;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_TRY(tips__check_phases(op, stride));
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const int phase = tips__phase_of(op, n);
        roll_plane(src, dst, n, b, phase / stride[1], phase % stride[1], false);
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const int *stride = ((const tips_strided *)op->node->config)->stride;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_PARALLEL_PLANES (diff_src, n, b) {
        const int phase = tips__phase_of(op, n), h = diff_src->h, w = diff_src->w;
        roll_plane(diff_dst, diff_src, n, b, (h - phase / stride[1] % h) % h, (w - phase % stride[1] % w) % w,
                   op->in[0].accumulate);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const int *stride = ((const tips_strided *)op->node->config)->stride;
    const tips_ref_slot *in = &op->in[0];
    double *to = op->out[0].data;
    for (int plane = 0; plane < in->n * in->c; plane++) {
        const int phase = op->in[1].index[plane / in->c];
        for (int y = 0; y < in->h; y++)
            for (int x = 0; x < in->w; x++)
                *to++ = in->data[((size_t)plane * in->h + (y + phase / stride[1]) % in->h) * in->w +
                                 (x + phase % stride[1]) % in->w];
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "stride", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_strided, stride), .fallback = "2", .min = 1,
     .max = 64, .help = "rows and columns of a cell"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int *stride = ((const tips_strided *)node->config)->stride;
    tips__emit_out(to, node, 0,
                   tips__emit_roll(to, tips__emit_in(to, node, 0), tips__emit_in(to, node, 1), stride, false));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_roll) = {
    .name = "roll",
    .brief = "rolls a map so that the chosen phase comes first",
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
