/* stride: y = P_0(x), the plain subsampling of a strided layer. The negative control. */
#include "core/threads.h"
#include "layer/emit_common.h"
#include "pool/gather.h"
#include "pool/pool_parts.h"
#include "pool/pool_ref.h"

typedef struct stride_config {
    tips_pool_common common;
} stride_config;
TIPS_POOL_CHECK_CONFIG(stride_config);

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

static tips_status forward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    TIPS_PARALLEL_PLANES(y, n, b) tips__gather_plane(y, x, n, b, stride, 0);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_slot *in = &op->in[0];
    const tips_map *dy = &op->out[0].diff;
    if (!in->want_diff) return TIPS_OK;
    TIPS_PARALLEL_PLANES(dy, n, b) tips__scatter_plane(&in->diff, dy, n, b, stride, 0, in->accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    tips__ref_gather(&op->out[0], &op->in[0], tips__pool_common(op->node)->stride, NULL);
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int *stride = tips__pool_common(node)->stride;
    tips__emit_out(to, node, 0, tips__emit_phase(to, tips__emit_in(to, node, 0), stride, 0));
    return TIPS_OK;
}

const tips_pool TIPS_ROW(tips__pool_stride) = {
    .layer = {.name = "stride", .brief = "keeps every s-th pixel: what a strided layer does",
              .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_GRID, .options = options,
              .config_size = sizeof(stride_config), .shape = tips__pool_shape, .plan = plan, .forward = forward,
              .backward = backward, .ref = ref, .emit = emit, .breaks = tips__pool_fixed_grid,
              .pools = tips__pool_strides},
    .traits = traits,
};
