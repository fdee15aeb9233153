/* tips, tips-official and tips-exact: one operator with three sets of defaults.
 * It is exact under circular shifts for phase logits anchored by them, and for any logits but quadrants anchored by
 * the norm; so the claim depends on the options, not on the name. */
#include "pool/pool_parts.h"
#include "pool/tips_pool.h"

#include "core/fail.h"
#include "layer/layers.h"

#include <math.h>
#include <stdio.h>

TIPS_POOL_CHECK_CONFIG(tips_family_config);

static const char *const psi_names[] = {"full", "depthwise", NULL};
static const char *const tau_names[] = {"gap", "quadrant", "phase", NULL};
static const char *const anchor_names[] = {"none", "norm", "logits", NULL};
static const char *const select_names[] = {"soft", "hard", NULL};
static const char *const fm_names[] = {"paper", "code", "skew", "uniform", "band", "off", NULL};

#define CHOICE(key, member, start, all, text)                                                                         \
    {                                                                                                                 \
        .name = key, .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_family_config, member), .fallback = start,      \
        .choices = all, .help = text                                                                                  \
    }

#define OPTIONS(table, psi_default, tau_default, anchor_default, fm_default, before_default)                          \
    static const tips_option table[] = {                                                                              \
        CHOICE("psi", psi, psi_default, psi_names,                                                                    \
               "the 3x3 convolution that looks at the map: all channels, or each its own"),                           \
        CHOICE("tau", tau, tau_default, tau_names,                                                                    \
               "what the mixing weights are made from: global, quadrant or phase means"),                             \
        CHOICE("anchor", anchor, anchor_default, anchor_names,                                                        \
               "the phase the sampling grid starts from: fixed, largest norm or logits"),                             \
        CHOICE("select", hard, "soft", select_names,                                                                  \
               "mix the phases, or take the largest (straight-through gradient)"),                                    \
        CHOICE("fm", fm, fm_default, fm_names, "form of the loss that discourages failure modes of the weights"),     \
        {.name = "start", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_family_config, start), .fallback = "1",     \
         .unsaid = "1", .min = 0, .max = 10,                                                                          \
         .help = "scale of the mixing weights before training: 0 mixes alike, large ones take one phase"},           \
        TIPS_POOL_BEFORE(before_default),                                                                             \
        {0}}

OPTIONS(text_options, "full", "gap", "none", "paper", "none");
OPTIONS(code_options, "depthwise", "quadrant", "none", "code", "none");
OPTIONS(exact_options, "depthwise", "phase", "logits", "band", "max");

static unsigned traits(const void *config) {
    const tips_family_config *c = config;
    const bool exact = c->anchor != ANCHOR_NONE && c->tau != TAU_QUADRANT;
    return TIPS_POOL_LEARNED | TIPS_POOL_LOSSES | (exact ? TIPS_POOL_EXACT : 0) |
           (c->anchor != ANCHOR_NONE ? TIPS_POOL_CHOOSES : 0);
}

static void declare_params(tips_graph *g, tips_node *node, const tips_family_config *c, int channels) {
    const int phases = tips__pool_phases(&c->common);
    const double std = c->start / sqrt(channels);
    if (c->psi == PSI_DEPTHWISE)
        tips__node_param(g, node, "psi.weight",
                         (tips_param_spec){.layout = TIPS_DEPTHWISE, .dims = {channels, 1, 3, 3}, .n_dims = 4,
                                           .std = sqrt(2.0 / 9), .trainable = true, .decay = true});
    tips_param_spec mix = {
        .layout = TIPS_MATRIX, .dims = {channels, channels}, .n_dims = 2, .std = std, .trainable = true, .decay = true};
    if (c->tau == TAU_GAP) mix.dims[0] = channels * phases;
    if (c->tau == TAU_QUADRANT) mix.layout = TIPS_VECTOR, mix.n_dims = 1, mix.std = c->start;
    tips__node_param(g, node, "mix.weight", mix);
    if (c->tau != TAU_GAP) return;
    tips__node_param(
        g, node, "mix.bias",
        (tips_param_spec){
            .layout = TIPS_VECTOR, .dims = {channels * phases}, .n_dims = 1, .trainable = true, .decay = true});
}

static tips_status shape(tips_graph *g, tips_node *node) {
    const tips_family_config *c = node->config;
    if (c->anchor == ANCHOR_LOGITS && c->tau != TAU_PHASE)
        TIPS_FAIL(TIPS_INVALID, "%s: anchor=logits needs tau=phase, not tau=%s; use anchor=norm, or tau=phase",
                  node->layer->name, tau_names[c->tau]);
    if (tips__pool_phases(&c->common) > TIPS_MAX_PHASES)
        TIPS_FAIL(TIPS_RANGE, "%s: at most %d phases", node->name, TIPS_MAX_PHASES);
    const int channels = tips__value(g, node->in[0])->c;
    TIPS_TRY(tips__pool_shape(g, node));
    declare_params(g, node, c, channels);
    if (c->anchor != ANCHOR_NONE && !c->common.shared) tips__pool_out_phase(g, node);
    return TIPS_OK;
}

static tips_value build(tips_graph *g, const tips_pool *pool, const char *name, const void *config, tips_value x,
                        const tips_selection *shared, tips_selection *selection) {
    tips_family_config c = *(const tips_family_config *)config;
    tips_value in[3] = {x};
    int n_in = 1;
    c.common.shared = c.anchor != ANCHOR_NONE && shared && shared->phase != TIPS_NO_VALUE;
    if (c.common.shared) in[n_in++] = shared->phase;
    if (c.psi == PSI_FULL && x != TIPS_NO_VALUE) {
        char part[TIPS_POOL_NAME];
        tips__pool_part(part, name, "psi");
        const tips_value raw = tips__conv_same(g, part, x, tips__value(g, x)->c, 3, c.common.padding);
        tips__pool_part(part, name, "psi.relu");
        in[n_in++] = tips__relu(g, part, raw);
    }
    const tips_value y = tips__graph_add(g, &pool->layer, name, &c, in, n_in);
    if (c.common.shared)
        *selection = *shared;
    else if (c.anchor != ANCHOR_NONE)
        selection->phase = tips__graph_sibling(g, y, 1);
    return y;
}

static const char *breaks(const tips_graph *g, const tips_node *node) {
    const tips_family_config *c = node->config;
    if (c->psi == PSI_DEPTHWISE && c->common.padding != TIPS_PAD_CIRCULAR && tips__pool_phases(&c->common) > 1)
        return "padding";
    return traits(node->config) & TIPS_POOL_EXACT ? NULL : tips__pool_fixed_grid(g, node);
}

static double multiply_adds(const tips_graph *g, const tips_node *node) {
    const tips_family_config *c = node->config;
    const tips_value_info *x = tips__value(g, node->in[0]);
    const double cells = (double)x->c * x->h * x->w * x->per_sample, phases = tips__pool_phases(&c->common);
    const double psi = c->psi == PSI_DEPTHWISE ? 9 * cells : 0; /* the full one is a node of its own */
    const double mix = c->tau == TAU_QUADRANT ? x->c * phases : (double)x->c * x->c * phases;
    return psi + mix + cells;
}

#define ROW(id, label, text, table)                                                                                   \
    const tips_pool TIPS_ROW(id) = {                                                                                  \
        .layer = {.name = label, .brief = text, .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_AUX, .options = table,   \
                  .config_size = sizeof(tips_family_config), .shape = shape, .plan = tips__family_plan,               \
                  .forward = tips__family_forward, .backward = tips__family_backward, .ref = tips__family_ref,        \
                  .emit = tips__family_emit, .breaks = breaks, .multiply_adds = multiply_adds,                        \
                  .pools = tips__pool_strides},                                                                       \
        .traits = traits, .build = build}

ROW(tips__pool_tips, "tips", "mixes polyphase components by learned weights, as the paper's text reads", text_options);
ROW(tips__pool_tips_official, "tips-official", "the same as the paper's published code computes it", code_options);
ROW(tips__pool_tips_exact, "tips-exact", "mixes anchored components: commutes with every circular shift",
    exact_options);
