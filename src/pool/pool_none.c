/* none: y = x, no downsampling at all. tips__pool_add places no node for it; the row exists to be named. */
#include "emit/emit.h"
#include "pool/pool_parts.h"

#include <string.h>

typedef struct none_config {
    tips_pool_common common;
} none_config;
TIPS_POOL_CHECK_CONFIG(none_config);

static const tips_option options[] = {TIPS_POOL_BEFORE("none"), {.type = TIPS_OPT_END}};

static unsigned traits(const void *config) {
    (void)config;
    return TIPS_POOL_EXACT | TIPS_POOL_IDENTITY;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_value_info *x = tips__value(graph, node->in[0]);
    tips__pool_out_map(graph, node, x->c, x->h, x->w);
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *out) {
    (void)op;
    (void)out;
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    tips__map_copy(&op->out[0].map, &op->in[0].map);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (op->in[0].want_diff) tips__map_emit(&op->in[0].diff, &op->out[0].diff, op->in[0].accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *x = &op->in[0];
    memcpy(op->out[0].data, x->data, (size_t)x->n * (size_t)x->c * (size_t)x->h * (size_t)x->w * sizeof(double));
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    tips__emit_out(to, node, 0, tips__emit_in(to, node, 0));
    return TIPS_OK;
}

const tips_pool TIPS_ROW(tips__pool_none) = {
    .layer = {.name = "none", .brief = "no downsampling; the network ends in one global average",
              .flags = TIPS_LAYER_STRIDED_OUT, .options = options, .config_size = sizeof(none_config),
              .shape = shape, .plan = plan, .forward = forward, .backward = backward, .ref = ref, .emit = emit},
    .traits = traits,
};
