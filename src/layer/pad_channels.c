/* Channels of a constant before and after those of a map: y = (value, ..., x, value, ...). */
#include "layer/channel_gather.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_pad_channels *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (config->before < 0 || config->after < 0) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': %d and %d added channels; none or more are needed", node->name,
                  config->before, config->after);
    }
    tips__node_out(graph, node, tips__map_info(config->before + in.c + config->after, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

static int inner(const tips_node *node, int channels, int c) {
    const int from = c - ((const tips_pad_channels *)node->config)->before;
    return from >= 0 && from < channels ? from : -1;
}

static int outer(const tips_node *node, int channels, int c) {
    (void)channels;
    return c + ((const tips_pad_channels *)node->config)->before;
}

static tips_status forward(tips_op *op) {
    const tips_pad_channels *config = op->node->config;
    const tips_channel_gather job = {
        .node = op->node, .channels = op->in[0].map.c, .from = inner, .value = (float)config->value};
    tips__gather_channels(&job, &op->in[0].map, &op->out[0].map);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_channel_gather job = {
        .node = op->node, .channels = op->in[0].map.c, .from = outer, .accumulate = op->in[0].accumulate};
    tips__gather_channels(&job, &op->out[0].diff, &op->in[0].diff);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_pad_channels *config = op->node->config;
    const tips_ref_slot *in = &op->in[0];
    const int area = in->h * in->w;
    double *to = op->out[0].data;
    for (int n = 0; n < in->n; n++) {
        for (int i = 0; i < config->before * area; i++) *to++ = config->value;
        for (int i = 0; i < in->c * area; i++) *to++ = in->data[(size_t)n * in->c * area + i];
        for (int i = 0; i < config->after * area; i++) *to++ = config->value;
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "before", .type = TIPS_OPT_INT, .offset = offsetof(tips_pad_channels, before), .fallback = "0", .min = 0,
     .max = 1 << 20, .help = "channels added before the first"},
    {.name = "after", .type = TIPS_OPT_INT, .offset = offsetof(tips_pad_channels, after), .fallback = "0", .min = 0,
     .max = 1 << 20, .help = "channels added behind the last"},
    {.name = "value", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_pad_channels, value), .fallback = "0",
     .min = -INFINITY, .max = INFINITY, .help = "what the added channels hold"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_pad_channels *c = node->config;
    const int64_t pads[] = {0, c->before, 0, 0, 0, c->after, 0, 0};
    const tips_operand in[] = {tips__emit_in(to, node, 0), tips__emit_ints(to, pads, 8),
                               tips__emit_float(to, c->value)};
    tips__emit_out(to, node, 0, tips__emit_op(to, "Pad", in, 3, TIPS_WITH(TIPS_WITH_TEXT("mode", "constant"))));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_pad_channels) = {
    .name = "pad_channels",
    .brief = "a map between channels of a constant",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_pad_channels),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
