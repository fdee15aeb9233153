/* aps (adaptive polyphase sampling): k* = argmax_k ||P_k(x)||_p over all channels and positions, y = P_k*(x).
 * One k* per sample, shared with whoever follows; choice=channel is the published code's one phase per channel. */
#include "core/threads.h"
#include "pool/aps_channel.h"
#include "pool/gather.h"
#include "pool/phase_emit.h"
#include "pool/pool_parts.h"
#include "pool/pool_ref.h"

enum { CHOICE_SAMPLE, CHOICE_CHANNEL };

typedef struct aps_config {
    tips_pool_common common;
    int p, choice;
} aps_config;
TIPS_POOL_CHECK_CONFIG(aps_config);

static const char *const norms[] = {"1", "2", "inf", NULL};
static const char *const choices[] = {"sample", "channel", NULL};

static const tips_option options[] = {
    {.name = "p", .type = TIPS_OPT_CHOICE, .offset = offsetof(aps_config, p), .fallback = "2", .choices = norms,
     .help = "norm that picks the phase"},
    {.name = "choice", .type = TIPS_OPT_CHOICE, .offset = offsetof(aps_config, choice), .fallback = "sample",
     .choices = choices, .help = "one phase for a whole sample (exact), or one for each channel as in published code"},
    TIPS_POOL_BEFORE("none"),
    {.type = TIPS_OPT_END},
};

static bool is_per_channel(const void *config) { return ((const aps_config *)config)->choice == CHOICE_CHANNEL; }

/* p as tips__phase_norms takes it. */
static int norm_of(const tips_node *node) {
    static const int p[] = {1, 2, 0};
    return p[((const aps_config *)node->config)->p];
}

static unsigned traits(const void *config) { return is_per_channel(config) ? 0 : TIPS_POOL_EXACT | TIPS_POOL_CHOOSES; }

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    return is_per_channel(node->config) && tips__pool_phases(node->config) > 1 ? "per-channel choice" : NULL;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_status status = tips__pool_shape(graph, node);
    if (status == TIPS_OK && !is_per_channel(node->config) && !tips__pool_common(node)->shared)
        tips__pool_out_phase(graph, node);
    return status;
}

static tips_status plan(tips_op *op, tips_plan *out) {
    if (is_per_channel(op->node->config))
        out->workspace = (size_t)op->in[0].map.n * (size_t)op->in[0].map.blocks * sizeof(vi);
    else if (tips__pool_common(op->node)->shared)
        out->keep_in = 1u << 1;
    else
        out->keep_out = 1u << 1;
    return TIPS_OK;
}

static vi *lane_phases(const tips_op *op, int n, int block) {
    return (vi *)op->workspace + (ptrdiff_t)n * op->in[0].map.blocks + block;
}

static void forward_channels(tips_op *op, const int *stride) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const int p = norm_of(op->node);
    TIPS_PARALLEL_PLANES(x, n, b) {
        vi *phase = lane_phases(op, n, b);
        *phase = tips__aps_channel_choose(x, n, b, stride, p);
        tips__aps_channel_plane(y, x, n, b, stride, *phase);
    }
}

static void choose(tips_op *op, const int *stride) {
    const tips_map *x = &op->in[0].map;
    const int p = norm_of(op->node);
    TIPS_PARALLEL_FOR(n, x->n) {
        double score[TIPS_MAX_PHASES];
        tips__phase_norms(x, n, stride, p, score);
        op->out[1].index[n] = tips__phase_choose(score, x, n, stride, op->margin ? op->margin + n : NULL);
    }
}

static const int32_t *phases_of(const tips_op *op) {
    return tips__pool_common(op->node)->shared ? op->in[1].index : op->out[1].index;
}

static tips_status forward(tips_op *op) {
    const tips_pool_common *common = tips__pool_common(op->node);
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    if (is_per_channel(common)) {
        forward_channels(op, common->stride);
        return TIPS_OK;
    }
    if (!common->shared) choose(op, common->stride);
    const int32_t *phase = phases_of(op);
    TIPS_PARALLEL_PLANES(y, n, b) tips__gather_plane(y, x, n, b, common->stride, phase[n]);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_slot *in = &op->in[0];
    const tips_map *dy = &op->out[0].diff;
    if (!in->want_diff) return TIPS_OK;
    if (is_per_channel(op->node->config)) {
        TIPS_PARALLEL_PLANES(dy, n, b)
            tips__aps_channel_diff_plane(&in->diff, dy, n, b, stride, *lane_phases(op, n, b), in->accumulate);
        return TIPS_OK;
    }
    const int32_t *phase = phases_of(op);
    TIPS_PARALLEL_PLANES(dy, n, b) tips__scatter_plane(&in->diff, dy, n, b, stride, phase[n], in->accumulate);
    return TIPS_OK;
}

/* One channel of one sample, as a slot of its own. */
static tips_ref_slot one_channel(const tips_ref_slot *s, int n, int c) {
    return (tips_ref_slot){.data = ref_at(s, n, c, 0, 0), .n = 1, .c = 1, .h = s->h, .w = s->w};
}

static void ref_channels(tips_ref_op *op, const int *stride, int p) {
    for (int n = 0; n < op->in[0].n; n++)
        for (int c = 0; c < op->in[0].c; c++) {
            const tips_ref_slot x = one_channel(&op->in[0], n, c), y = one_channel(&op->out[0], n, c);
            int32_t best = 0;
            for (int k = 1; k < stride[0] * stride[1]; k++)
                if (tips__ref_norm(&x, stride, 0, k, p) > tips__ref_norm(&x, stride, 0, best, p)) best = k;
            tips__ref_gather(&y, &x, stride, &best);
        }
}

static tips_status ref(tips_ref_op *op) {
    const tips_pool_common *common = tips__pool_common(op->node);
    const int *stride = common->stride, p = norm_of(op->node);
    if (is_per_channel(common)) {
        ref_channels(op, stride, p);
        return TIPS_OK;
    }
    for (int n = 0; n < op->in[0].n && !common->shared; n++) {
        double score[TIPS_MAX_PHASES];
        for (int k = 0; k < stride[0] * stride[1]; k++) score[k] = tips__ref_norm(&op->in[0], stride, n, k, p);
        op->out[1].index[n] = tips__ref_choose(score, &op->in[0], stride, n);
    }
    tips__ref_gather(&op->out[0], &op->in[0], stride, common->shared ? op->in[1].index : op->out[1].index);
    return TIPS_OK;
}

static tips_operand emit_choice(tips_emitter *to, const tips_node *node, tips_operand x, const int *stride) {
    const int p = norm_of(node);
    if (tips__pool_common(node)->shared) return tips__emit_in(to, node, 1);
    if (is_per_channel(node->config))
        return tips__emit_first_largest(to, tips__emit_channel_norms(to, x, stride, p), 2);
    const tips_operand scores = tips__emit_phase_norms(to, x, stride, p);
    return p == 2 ? tips__emit_first_largest(to, scores, 1) : tips__emit_choose(to, scores, x, stride);
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int *stride = tips__pool_common(node)->stride;
    const tips_operand x = tips__emit_in(to, node, 0), phase = emit_choice(to, node, x, stride);
    tips__emit_out(to, node, 0, tips__emit_pick(to, x, phase, stride));
    if (node->n_out > 1) tips__emit_out(to, node, 1, phase);
    return TIPS_OK;
}

const tips_pool TIPS_ROW(tips__pool_aps) = {
    .layer = {.name = "aps", .brief = "the phase with the largest norm (adaptive polyphase sampling)",
              .flags = TIPS_LAYER_STRIDED_OUT, .options = options, .config_size = sizeof(aps_config),
              .shape = shape, .plan = plan, .forward = forward, .backward = backward, .ref = ref, .emit = emit,
              .breaks = breaks, .pools = tips__pool_strides},
    .traits = traits,
};
