/* A map of numbers of its own, the same for every sample: y[c, i] = p[i, c]. Of its input it takes the samples only. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_constant *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (config->c < 1 || config->h < 1 || config->w < 1 || (double)config->c * config->h * config->w > INT32_MAX)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a map of %dx%dx%d", node->name, config->c, config->h, config->w);
    tips__node_param(graph, node, "value",
                     (tips_param_spec){.layout = TIPS_TOKENS, .dims = {1, config->h * config->w, config->c},
                                       .n_dims = 3, .std = 0.02, .trainable = config->trainable});
    tips__node_out(graph, node, tips__map_info(config->c, config->h, config->w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

static const float *own_row(const tips_op *op, const float *param, int b, int y) {
    const tips_constant *config = op->node->config;
    return param + ((ptrdiff_t)b * config->h + y) * config->w * TIPS_BLOCK;
}

static tips_status forward(tips_op *op) {
    const tips_map *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b)
        for (int y = 0; y < dst->h; y++)
            memcpy(tips__row(dst, n, b, y), own_row(op, op->param[0], b, y),
                   (size_t)dst->w * TIPS_BLOCK * sizeof(float));
    return TIPS_OK;
}

/* Samples one after the other, so that the sum does not depend on the threads. */
static void add_rows(const tips_op *op, int b, int y) {
    const tips_map *diff_dst = &op->out[0].diff;
    float *to = (float *)own_row(op, op->dparam[0], b, y);
    for (int n = 0; n < diff_dst->n; n++) {
        const float *from = tips__row(diff_dst, n, b, y);
        for (int x = 0; x < diff_dst->w * TIPS_BLOCK; x += TIPS_BLOCK) tips__put(to + x, vf_load(from + x), true);
    }
}

static tips_status backward(tips_op *op) {
    const tips_map *diff_dst = &op->out[0].diff;
    const tips_slot *in = &op->in[0];
    if (in->want_diff && !in->accumulate) tips__map_zero(&in->diff);
    if (!op->dparam[0]) return TIPS_OK;
    TIPS_PARALLEL_FOR (i, diff_dst->blocks * diff_dst->h) add_rows(op, i / diff_dst->h, i % diff_dst->h);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *out = &op->out[0];
    const size_t area = (size_t)out->h * out->w;
    for (size_t plane = 0; plane < (size_t)out->n * out->c; plane++)
        for (size_t i = 0; i < area; i++)
            out->data[plane * area + i] = op->param[0][i * (size_t)out->c + plane % (size_t)out->c];
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_constant *config = node->config;
    (void)graph;
    return config->h * config->w > 1 ? "position embedding" : NULL;
}

static const tips_option options[] = {
    {.name = "c", .type = TIPS_OPT_INT, .offset = offsetof(tips_constant, c), .fallback = "1", .min = 1, .max = 1 << 30,
     .help = "channels"},
    {.name = "h", .type = TIPS_OPT_INT, .offset = offsetof(tips_constant, h), .fallback = "1", .min = 1, .max = 1 << 30,
     .help = "rows"},
    {.name = "w", .type = TIPS_OPT_INT, .offset = offsetof(tips_constant, w), .fallback = "1", .min = 1, .max = 1 << 30,
     .help = "columns"},
    {.name = "trainable", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_constant, trainable), .fallback = "false",
     .help = "training changes the numbers"},
    {.type = TIPS_OPT_END},
};

/* As many times as there are samples, for what joins it to other maps. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_constant *config = node->config;
    const int64_t dims[] = {config->c, config->h, config->w};
    const tips_operand param = tips__emit_param(to, node, 0), in = tips__emit_in(to, node, 0);
    const tips_operand turned = tips__emit_op(
        to, "Transpose", &param, 1,
        TIPS_WITH({.name = "perm", .type = TIPS_ATTRIBUTE_INTS, .ints = {0, 2, 1}, .n_ints = 3}));
    const tips_operand map = tips__emit_reshape(to, turned, (const int64_t[]){1, dims[0], dims[1], dims[2]}, 4);
    const tips_operand samples = tips__emit_slice(to, tips__emit_unary(to, "Shape", in), 0, 0, 1, 1);
    const tips_operand parts[] = {samples, tips__emit_ints(to, dims, 3)};
    tips__emit_fix_size(to, node, "every position has numbers of its own");
    tips__emit_out(to, node, 0, tips__emit_binary(to, "Expand", map, tips__emit_concat(to, parts, 2, 0)));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_constant) = {
    .name = "constant",
    .brief = "a map of numbers of its own, whatever the input is",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_constant),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
