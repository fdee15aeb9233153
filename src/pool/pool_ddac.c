/* ddac (adaptive, group-wise low-pass filtering): L = BN(conv_kxk(x)) with g*k*k channels, w = softmax of L over all
 * channels of a pixel (or within each group), y_c(i,j) = sum_t w[group(c),t,i,j] x_c((i,j) + offset t), then P_0.
 * Evaluated only where P_0 looks. */
#include "core/fail.h"
#include "layer/layers.h"
#include "pool/ddac.h"
#include "pool/pool_ref.h"

TIPS_POOL_CHECK_CONFIG(ddac_config);

static const char *const softmaxes[] = {"all", "group", NULL};

static const tips_option options[] = {
    {.name = "groups", .type = TIPS_OPT_INT, .offset = offsetof(ddac_config, groups), .fallback = "8", .min = 1,
     .max = 1024, .help = "groups of channels with a filter of their own; lowered to a divisor of the channels"},
    {.name = "kernel", .type = TIPS_OPT_INT, .offset = offsetof(ddac_config, kernel), .fallback = "3", .min = 1,
     .max = 7, .help = "size of the filters and of the convolution that predicts them; odd"},
    {.name = "softmax", .type = TIPS_OPT_CHOICE, .offset = offsetof(ddac_config, softmax), .fallback = "all",
     .choices = softmaxes, .help = "normalise over all filters of a pixel, or each group's filter to sum 1"},
    TIPS_POOL_BEFORE("none"),
    {.type = TIPS_OPT_END},
};

static unsigned traits(const void *config) {
    (void)config;
    return TIPS_POOL_LEARNED | TIPS_POOL_STAYS;
}

static tips_status check_kernel(const char *name, const ddac_config *config) {
    if (config->kernel < 1 || config->kernel % 2 == 0)
        TIPS_FAIL(TIPS_INVALID, "%s: ddac kernel=%d is not odd", name, config->kernel);
    return TIPS_OK;
}

static tips_value build(tips_graph *graph, const tips_pool *pool, const char *name, const void *config, tips_value x,
                        const tips_selection *shared, tips_selection *selection) {
    (void)shared;
    (void)selection;
    const ddac_config *ddac = config;
    const tips_value_info *info = tips__value(graph, x);
    const tips_status status = check_kernel(name, ddac);
    if (status != TIPS_OK) {
        tips__graph_fail(graph, status);
        return TIPS_NO_VALUE;
    }
    char part[TIPS_POOL_NAME];
    const int channels = tips__ddac_shape(ddac, info->c, info->h, info->w).channels;
    tips__pool_part(part, name, "predict");
    tips_value logits = tips__conv_same(graph, part, x, channels, ddac->kernel, ddac->common.padding);
    tips__pool_part(part, name, "norm");
    logits = tips__batch_norm(graph, part, logits);
    if (logits == TIPS_NO_VALUE) return logits;
    return tips__graph_add(graph, &pool->layer, name, config, (tips_value[]){x, logits}, 2);
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const ddac_config *config = node->config;
    TIPS_TRY(check_kernel(node->name, config));
    TIPS_TRY(tips__pool_shape(graph, node));
    const tips_value_info *x = tips__value(graph, node->in[0]), *l = tips__value(graph, node->in[1]);
    const int channels = tips__ddac_shape(config, x->c, x->h, x->w).channels;
    if (l->kind != TIPS_MAP || l->c != channels || l->h != x->h || l->w != x->w)
        TIPS_FAIL(TIPS_SHAPE, "%s: ddac needs %d logits for each of %dx%d pixels", node->name, channels, x->h, x->w);
    return TIPS_OK;
}

/* w[from + t] of pixel (y, x) of sample n. */
static double ref_weight(const tips_ref_slot *l, int segment, int n, int channel, int y, int x) {
    const int from = channel / segment * segment;
    double sum = 0;
    for (int c = from; c < from + segment; c++) sum += exp(*ref_at(l, n, c, y, x) - *ref_at(l, n, channel, y, x));
    return 1 / sum;
}

static tips_status ref(tips_ref_op *op) {
    const ddac_config *config = op->node->config;
    const tips_ref_slot *x = &op->in[0], *l = &op->in[1];
    const int k = config->kernel, per_group = x->c / (l->c / (k * k));
    const int segment = config->softmax == DDAC_SOFTMAX_ALL ? l->c : k * k;
    REF_CELLS(&op->out[0], n, c, i, j) {
        const int y = config->common.stride[0] * i, z = config->common.stride[1] * j;
        double sum = 0;
        for (int t = 0; t < k * k; t++)
            sum += ref_weight(l, segment, n, c / per_group * k * k + t, y, z) *
                   ref_padded(x, config->common.padding, n, c, y + t / k - k / 2, z + t % k - k / 2);
        *ref_at(&op->out[0], n, c, i, j) = sum;
    }
    return TIPS_OK;
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *y = tips__value(graph, node->out[0]);
    const ddac_config *config = node->config;
    return (double)y->c * y->h * y->w * config->kernel * config->kernel * y->per_sample;
}

const tips_pool TIPS_ROW(tips__pool_ddac) = {
    .layer = {.name = "ddac", .brief = "a predicted filter for each pixel and channel group, then every s-th pixel",
              .flags = TIPS_LAYER_STRIDED_OUT, .options = options, .config_size = sizeof(ddac_config),
              .shape = shape, .plan = tips__ddac_plan, .forward = tips__ddac_forward, .backward = tips__ddac_backward,
              .ref = ref, .emit = tips__ddac_emit, .breaks = tips__pool_fixed_grid, .multiply_adds = multiply_adds,
              .pools = tips__pool_strides},
    .traits = traits,
    .build = build,
};
