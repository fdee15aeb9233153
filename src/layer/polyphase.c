/* Polyphase split: sample n becomes sh*sw samples, n*sh*sw + k being P_k(x)[i,j] = x[sh*i+a, sw*j+b], k = a*sw+b. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const int *stride = ((const tips_strided *)node->config)->stride;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (stride[0] < 1 || stride[1] < 1) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a stride of %dx%d; at least 1x1 is needed", node->name, stride[0],
                  stride[1]);
    }
    if (in.h % stride[0] || in.w % stride[1]) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': a map of %dx%d is not divisible by the stride %dx%d", node->name, in.h, in.w,
                  stride[0], stride[1]);
    }
    tips__node_out(graph, node, tips__map_info(in.c, in.h / stride[0], in.w / stride[1],
                                               in.per_sample * stride[0] * stride[1]));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const int *stride = ((const tips_strided *)op->node->config)->stride, phases = stride[0] * stride[1];
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES(dst, n, b) {
        const int phase = n % phases, top = phase / stride[1], left = phase % stride[1];
        for (int y = 0; y < dst->h; y++) {
            const float *from = tips__row(src, n / phases, b, y * stride[0] + top) + left * TIPS_BLOCK;
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) vf_store(to + x, vf_load(from + x * stride[1]));
        }
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const int *stride = ((const tips_strided *)op->node->config)->stride, phases = stride[0] * stride[1];
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const bool accumulate = op->in[0].accumulate;
    TIPS_PARALLEL_PLANES(diff_dst, n, b) {
        const int phase = n % phases, top = phase / stride[1], left = phase % stride[1];
        for (int y = 0; y < diff_dst->h; y++) {
            const float *from = tips__row(diff_dst, n, b, y);
            float *to = tips__row(diff_src, n / phases, b, y * stride[0] + top) + left * TIPS_BLOCK;
            for (int x = 0; x < diff_dst->w * TIPS_BLOCK; x += TIPS_BLOCK)
                tips__put(to + x * stride[1], vf_load(from + x), accumulate);
        }
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const int *stride = ((const tips_strided *)op->node->config)->stride;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    double *to = out->data;
    for (int n = 0; n < in->n; n++)
        for (int a = 0; a < stride[0]; a++)
            for (int b = 0; b < stride[1]; b++)
                for (int c = 0; c < in->c; c++)
                    for (int i = 0; i < out->h; i++)
                        for (int j = 0; j < out->w; j++)
                            *to++ = in->data[((n * in->c + c) * in->h + stride[0] * i + a) * in->w + stride[1] * j + b];
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "stride", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_strided, stride), .fallback = "2", .min = 1,
     .max = 64, .help = "rows and columns of a cell"},
    {.type = TIPS_OPT_END},
};

/* Phases side by side as channels, then as samples. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int *stride = ((const tips_strided *)node->config)->stride;
    const int64_t dims[] = {-1, tips__emit_in_info(to, node, 0).c, 0, 0};
    tips_operand x = tips__emit_phases(to, tips__emit_in(to, node, 0), stride, 1);
    tips__emit_out(to, node, 0, tips__emit_reshape(to, x, dims, 4));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_polyphase) = {
    .name = "polyphase",
    .brief = "every phase of a map as a sample of its own",
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
