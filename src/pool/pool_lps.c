/* lps (learnable polyphase sampling): l_k = mean of conv3x3 - ReLU - conv3x3 of P_k(x), one net for all phases.
 * Sampling (in training): p = softmax((l + g) / t) with Gumbel noise g, y = sum_k p_k P_k(x). Else y = P_argmax(l)(x),
 * and no gradient reaches l. Whoever shares the choice follows the very same p, or the same phase. */
#include "core/fail.h"
#include "layer/layers.h"
#include "pool/lps.h"
#include "pool/phase_emit.h"
#include "pool/pool_ref.h"

TIPS_POOL_CHECK_CONFIG(lps_config);

static const tips_option options[] = {
    {.name = "width", .type = TIPS_OPT_INT, .offset = offsetof(lps_config, width), .fallback = "0", .min = 0,
     .max = 4096, .help = "channels of the logit net; 0 means an eighth of the input's, at least 8"},
    {.name = "temperature", .type = TIPS_OPT_FLOAT, .offset = offsetof(lps_config, temperature), .fallback = "0.23",
     .min = 1e-4, .max = INFINITY, .help = "of the Gumbel-softmax in training; inf weighs all phases equally"},
    TIPS_POOL_BEFORE("none"),
    {.type = TIPS_OPT_END},
};

static unsigned traits(const void *config) {
    (void)config;
    return TIPS_POOL_EXACT | TIPS_POOL_CHOOSES | TIPS_POOL_LEARNED | TIPS_POOL_STOCHASTIC;
}

static tips_value add_conv(tips_graph *graph, const char *name, const char *part, const lps_config *config,
                           tips_value x) {
    char full[TIPS_POOL_NAME];
    tips_conv2d conv = {.out = config->width, .kernel = {3, 3}, .stride = {1, 1}, .dilation = {1, 1}, .groups = 1,
                        .bias = true, .no_decay = true};
    conv.padding = tips__same_padding(config->common.padding, conv.kernel, conv.dilation);
    tips__pool_part(full, name, part);
    return tips__conv2d(graph, full, x, conv);
}

static tips_value add_logits(tips_graph *graph, const char *name, const lps_config *given, tips_value x) {
    char full[TIPS_POOL_NAME];
    lps_config config = *given;
    const int c = tips__value(graph, x)->c;
    const tips_strided strided = {{config.common.stride[0], config.common.stride[1]}};
    if (config.width == 0) config.width = c / 8 > 8 ? c / 8 : 8;
    tips__pool_part(full, name, "phases");
    x = tips__graph_add(graph, &tips__layer_polyphase, full, &strided, &x, 1);
    x = add_conv(graph, name, "logits.0", &config, x);
    tips__pool_part(full, name, "logits.relu");
    x = tips__relu(graph, full, x);
    return add_conv(graph, name, "logits.1", &config, x);
}

static tips_value build(tips_graph *graph, const tips_pool *pool, const char *name, const void *config, tips_value x,
                        const tips_selection *shared, tips_selection *selection) {
    const lps_config *lps = config;
    if (lps->common.shared) {
        const tips_value in[3] = {x, shared->phase, shared->weights};
        *selection = *shared;
        return tips__graph_add(graph, &pool->layer, name, config, in, shared->weights == TIPS_NO_VALUE ? 2 : 3);
    }
    const tips_value in[2] = {x, add_logits(graph, name, lps, x)};
    if (in[1] == TIPS_NO_VALUE) return TIPS_NO_VALUE;
    const tips_value y = tips__graph_add(graph, &pool->layer, name, config, in, 2);
    if (y == TIPS_NO_VALUE) return y;
    selection->phase = tips__graph_sibling(graph, y, 1);
    selection->weights = tips__graph_sibling(graph, y, 2);
    return y;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_pool_common *common = tips__pool_common(node);
    TIPS_TRY(tips__pool_shape(graph, node));
    if (common->shared) return TIPS_OK;
    const tips_value_info *x = tips__value(graph, node->in[0]), *l = tips__value(graph, node->in[1]);
    const int phases = tips__pool_phases(common);
    if (l->kind != TIPS_MAP || l->per_sample != x->per_sample * phases)
        TIPS_FAIL(TIPS_SHAPE, "%s: lps needs a logit map for each of %d phases", node->name, phases);
    tips__pool_out_phase(graph, node);
    tips__pool_out_map(graph, node, phases, 1, 1);
    return TIPS_OK;
}

static void ref_logits(const tips_ref_slot *l, int n, int phases, double *logit) {
    for (int k = 0; k < phases; k++) {
        double sum = 0;
        for (int c = 0; c < l->c; c++)
            for (int y = 0; y < l->h; y++)
                for (int x = 0; x < l->w; x++) sum += *ref_at(l, n * phases + k, c, y, x);
        logit[k] = sum / l->c / l->h / l->w;
    }
}

static void ref_decide(tips_ref_op *op, int n) {
    const lps_config *config = op->node->config;
    const int phases = tips__pool_phases(&config->common);
    double z[TIPS_MAX_PHASES] = {0}, sum = 0, *p = ref_at(&op->out[2], n, 0, 0, 0);
    ref_logits(&op->in[1], n, phases, z);
    for (int k = 0; k < phases && op->pass.sampling; k++) z[k] += tips__lps_noise(config, op->rng, n, k);
    const int best = tips__ref_choose(z, &op->in[0], config->common.stride, n);
    op->out[1].index[n] = best;
    for (int k = 0; k < phases; k++)
        sum += p[k] = op->pass.sampling ? exp((z[k] - z[best]) / config->temperature) : (double)(k == best);
    for (int k = 0; k < phases; k++) p[k] /= sum;
}

static tips_status ref(tips_ref_op *op) {
    const tips_pool_common *common = tips__pool_common(op->node);
    for (int n = 0; n < op->in[0].n && !common->shared; n++) ref_decide(op, n);
    const bool mix = op->pass.sampling && (!common->shared || op->n_in > 2);
    const tips_ref_slot *weights = common->shared ? &op->in[2] : &op->out[2];
    tips__ref_gather(&op->out[0], &op->in[0], common->stride, common->shared ? op->in[1].index : op->out[1].index);
    if (!mix) return TIPS_OK;
    REF_CELLS(&op->out[0], n, c, i, j) {
        double sum = 0;
        for (int k = 0; k < tips__pool_phases(common); k++)
            sum += *ref_at(weights, n, k, 0, 0) * ref_phase(&op->in[0], common->stride, k, n, c, i, j);
        *ref_at(&op->out[0], n, c, i, j) = sum;
    }
    return TIPS_OK;
}

/* Evaluation takes the phase with the largest logit; the weights are then 1 for it and 0 for the others. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_pool_common *common = tips__pool_common(node);
    const int phases = tips__pool_phases(common);
    const tips_operand x = tips__emit_in(to, node, 0);
    tips_operand phase;
    if (common->shared) {
        phase = tips__emit_in(to, node, 1);
    } else {
        const tips_operand maps = tips__emit_cast(to, tips__emit_in(to, node, 1), TIPS_OPERAND_DOUBLE);
        const tips_operand means = tips__emit_reduce(to, "ReduceMean", maps, (const int[]){1, 2, 3}, 3);
        const tips_operand logits = tips__emit_reshape(to, means, (const int64_t[]){-1, phases, 1, 1}, 4);
        phase = tips__emit_choose(to, logits, x, common->stride);
        const tips_operand flat = tips__emit_reshape(to, phase, (const int64_t[]){-1, 1}, 2);
        tips__emit_out(to, node, 1, phase);
        tips__emit_out_vector(to, node, 2, tips__emit_one_hot(to, flat, phases));
    }
    tips__emit_out(to, node, 0, tips__emit_pick(to, x, phase, common->stride));
    return TIPS_OK;
}

const tips_pool TIPS_ROW(tips__pool_lps) = {
    .layer = {.name = "lps", .brief = "a small net learns which phase to keep (learnable polyphase sampling)",
              .flags = TIPS_LAYER_STRIDED_OUT, .options = options, .config_size = sizeof(lps_config),
              .shape = shape, .plan = tips__lps_plan, .forward = tips__lps_forward, .backward = tips__lps_backward,
              .ref = ref, .emit = emit, .pools = tips__pool_strides},
    .traits = traits,
    .build = build,
};
