/* Channel shuffle: the channels as (groups, c / groups), transposed: y[k g + i] = x[i c/g + k]. */
#include "core/memory.h"
#include "layer/channel_gather.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static int groups_of(const tips_node *node) { return ((const tips_shuffle *)node->config)->groups; }

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    const int groups = groups_of(node);
    if (groups < 1 || in.c % groups) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %d groups do not divide %d channels", node->name, groups, in.c);
    }
    tips__node_out(graph, node, in);
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

static int shuffled(const tips_node *node, int channels, int c) {
    const int groups = groups_of(node);
    return c % groups * (channels / groups) + c / groups;
}

static int sorted(const tips_node *node, int channels, int c) {
    const int groups = groups_of(node), each = channels / groups;
    return c % each * groups + c / each;
}

static tips_status forward(tips_op *op) {
    const tips_channel_gather job = {.node = op->node, .channels = op->in[0].map.c, .from = shuffled};
    tips__gather_channels(&job, &op->in[0].map, &op->out[0].map);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_channel_gather job = {
        .node = op->node, .channels = op->in[0].map.c, .from = sorted, .accumulate = op->in[0].accumulate};
    tips__gather_channels(&job, &op->out[0].diff, &op->in[0].diff);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const int groups = groups_of(op->node), each = in->c / groups, area = in->h * in->w;
    for (int n = 0; n < in->n; n++)
        for (int g = 0; g < groups; g++)
            for (int k = 0; k < each; k++)
                for (int i = 0; i < area; i++)
                    op->out[0].data[((size_t)n * in->c + k * groups + g) * area + i] =
                        in->data[((size_t)n * in->c + g * each + k) * area + i];
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "groups", .type = TIPS_OPT_INT, .offset = offsetof(tips_shuffle, groups), .fallback = "1", .min = 1,
     .max = 1 << 20, .help = "parts whose channels are mixed; they divide the channels"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int channels = tips__emit_in_info(to, node, 0).c;
    int64_t *from;
    TIPS_TRY(tips__new(&from, (size_t)channels * sizeof *from, "the order of channels"));
    for (int c = 0; c < channels; c++) from[c] = shuffled(node, channels, c);
    const tips_operand in[] = {tips__emit_in(to, node, 0), tips__emit_ints(to, from, channels)};
    tips__free(from);
    tips__emit_out(to, node, 0, tips__emit_op(to, "Gather", in, 2, TIPS_WITH(TIPS_WITH_INT("axis", 1))));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_shuffle) = {
    .name = "shuffle",
    .brief = "channels of several groups, one of each in turn",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_shuffle),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
