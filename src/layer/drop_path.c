/* Stochastic depth: in training a sample stays with probability 1 - p, divided by that, or becomes 0: on the branch of
 * a residual block, which then is its shortcut alone. Elsewhere y = x. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_dropout *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    if (!(config->p >= 0 && config->p < 1))
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a probability of %g to drop is not in [0, 1)", node->name, config->p);
    tips__node_out(graph, node, tips__in_info(graph, node, 0));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->in_place = 1;
    return TIPS_OK;
}

/* 0, or what a sample that stays is multiplied by. */
static float factor(const tips_op *op, int n) {
    const double p = ((const tips_dropout *)op->node->config)->p;
    if (!op->pass.sampling) return 1;
    return tips__rng_uniform(op->rng, (uint64_t)n) < p ? 0 : (float)(1 / (1 - p));
}

static void pass_on(const tips_op *op, const tips_map *from, const tips_map *to, bool accumulate) {
    TIPS_PARALLEL_PLANES(to, n, b) {
        const vf scale = vf_set(factor(op, n));
        for (int y = 0; y < to->h; y++) {
            const float *source = tips__row(from, n, b, y);
            float *target = tips__row(to, n, b, y);
            for (int x = 0; x < to->w * TIPS_BLOCK; x += TIPS_BLOCK)
                tips__put(target + x, scale * vf_load(source + x), accumulate);
        }
    }
}

static tips_status forward(tips_op *op) {
    pass_on(op, &op->in[0].map, &op->out[0].map, false);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (op->in[0].want_diff) pass_on(op, &op->out[0].diff, &op->in[0].diff, op->in[0].accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const int count = in->c * in->h * in->w;
    const double p = ((const tips_dropout *)op->node->config)->p;
    for (int n = 0; n < in->n; n++) {
        const bool drops = op->pass.sampling && tips__rng_uniform(op->rng, (uint64_t)n) < p;
        const double scale = drops ? 0 : op->pass.sampling ? 1 / (1 - p) : 1;
        for (int i = 0; i < count; i++) op->out[0].data[n * count + i] = scale * in->data[n * count + i];
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) { return tips__emit_same(to, node, "Identity"); }

static const tips_option options[] = {
    {.name = "p", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_dropout, p), .fallback = "0.5", .min = 0,
     .max = 0.999, .help = "probability that a sample is dropped in training"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_drop_path) = {
    .name = "drop_path",
    .brief = "in training drops whole samples at random and scales up the rest: stochastic depth",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_dropout),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
