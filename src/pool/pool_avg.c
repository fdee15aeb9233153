/* avg: y[i,j] = the mean of the sh x sw window, that is, the mix of all phases with weight 1/(sh*sw). */
#include "core/threads.h"
#include "emit/emit.h"
#include "pool/gather.h"
#include "pool/pool_parts.h"
#include "pool/pool_ref.h"

typedef struct avg_config {
    tips_pool_common common;
} avg_config;
TIPS_POOL_CHECK_CONFIG(avg_config);

static const tips_option options[] = {TIPS_POOL_BEFORE("none"), {.type = TIPS_OPT_END}};

static unsigned traits(const void *config) {
    (void)config;
    return 0;
}

static tips_status plan(tips_op *op, tips_plan *out) {
    (void)op;
    (void)out;
    return TIPS_OK;
}

static void equal_weights(const tips_op *op, float weights[TIPS_MAX_PHASES]) {
    const int phases = tips__pool_phases(tips__pool_common(op->node));
    for (int k = 0; k < phases; k++) weights[k] = 1.0f / (float)phases;
}

static tips_status forward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    float weights[TIPS_MAX_PHASES];
    equal_weights(op, weights);
    TIPS_PARALLEL_PLANES(y, n, b) tips__mix_plane(y, x, n, b, stride, weights);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_slot *in = &op->in[0];
    const tips_map *dy = &op->out[0].diff;
    float weights[TIPS_MAX_PHASES];
    if (!in->want_diff) return TIPS_OK;
    equal_weights(op, weights);
    TIPS_PARALLEL_PLANES(dy, n, b) tips__mix_diff_plane(&in->diff, dy, n, b, stride, weights, in->accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const int phases = stride[0] * stride[1];
    REF_CELLS(&op->out[0], n, c, i, j) {
        double sum = 0;
        for (int k = 0; k < phases; k++) sum += ref_phase(&op->in[0], stride, k, n, c, i, j);
        *ref_at(&op->out[0], n, c, i, j) = sum / phases;
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int *stride = tips__pool_common(node)->stride;
    const tips_operand y = tips__emit_op(to, "AveragePool", TIPS_OPERANDS(tips__emit_in(to, node, 0)),
                                         TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", stride[0], stride[1]),
                                                   TIPS_WITH_PAIR("strides", stride[0], stride[1])));
    tips__emit_out(to, node, 0, y);
    return TIPS_OK;
}

const tips_pool TIPS_ROW(tips__pool_avg) = {
    .layer = {.name = "avg", .brief = "mean of each window",
              .flags = TIPS_LAYER_STRIDED_OUT, .options = options, .config_size = sizeof(avg_config),
              .shape = tips__pool_shape, .plan = plan, .forward = forward, .backward = backward, .ref = ref,
              .emit = emit, .breaks = tips__pool_fixed_grid, .pools = tips__pool_strides},
    .traits = traits,
};
