/* Two choices of phase, made one after the other, as one: the outer choice takes every s-th pixel from (a, b) on, the
 * inner one every t-th of those from (c, d) on, and both together every s t-th from (a + s c, b + s d) on. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/phases.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_join_phases *c = node->config;
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_stride(node, c->outer));
    TIPS_TRY(tips__expect_stride(node, c->inner));
    for (int i = 0; i < 2; i++) {
        const tips_value_info info = tips__in_info(graph, node, i);
        if (!tips__is_number(&info) || info.per_sample != tips__in_info(graph, node, 0).per_sample)
            TIPS_FAIL(TIPS_SHAPE, "layer '%s': input %d of join_phases must be a choice of phase", node->name, i);
    }
    tips__node_out(graph, node, tips__in_info(graph, node, 0));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    (void)plan;
    return TIPS_OK;
}

static int joined(const tips_join_phases *c, int outer, int inner) {
    const int row = outer / c->outer[1] + c->outer[0] * (inner / c->inner[1]);
    const int column = outer % c->outer[1] + c->outer[1] * (inner % c->inner[1]);
    return row * c->outer[1] * c->inner[1] + column;
}

static tips_status forward(tips_op *op) {
    const tips_slot *out = &op->out[0];
    for (int n = 0; n < out->map.n; n++)
        out->index[n] = joined(op->node->config, op->in[0].index[n], op->in[1].index[n]);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    for (int n = 0; n < op->out[0].n; n++)
        op->out[0].index[n] = joined(op->node->config, op->in[0].index[n], op->in[1].index[n]);
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "outer", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_join_phases, outer), .fallback = "2", .min = 1,
     .max = 64, .help = "stride of the first choice"},
    {.name = "inner", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_join_phases, inner), .fallback = "2", .min = 1,
     .max = 64, .help = "stride of the second"},
    {.type = TIPS_OPT_END},
};

static tips_operand times(tips_emitter *to, tips_operand x, int by) {
    return tips__emit_binary(to, "Mul", x, tips__emit_int(to, by));
}

/* Row and column of a phase; whole numbers are divided without a rest. */
static void emit_parts(tips_emitter *to, tips_operand phase, int columns, tips_operand *row, tips_operand *column) {
    *row = tips__emit_binary(to, "Div", phase, tips__emit_int(to, columns));
    *column = tips__emit_binary(to, "Sub", phase, times(to, *row, columns));
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_join_phases *c = node->config;
    tips_operand outer[2], inner[2];
    emit_parts(to, tips__emit_in(to, node, 0), c->outer[1], &outer[0], &outer[1]);
    emit_parts(to, tips__emit_in(to, node, 1), c->inner[1], &inner[0], &inner[1]);
    const tips_operand row = tips__emit_binary(to, "Add", outer[0], times(to, inner[0], c->outer[0]));
    const tips_operand column = tips__emit_binary(to, "Add", outer[1], times(to, inner[1], c->outer[1]));
    tips__emit_out(to, node, 0,
                   tips__emit_binary(to, "Add", times(to, row, c->outer[1] * c->inner[1]), column));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_join_phases) = {
    .name = "join_phases",
    .brief = "two choices of phase, one made after the other, as one",
    .options = options,
    .config_size = sizeof(tips_join_phases),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .ref = ref,
    .emit = emit,
};
