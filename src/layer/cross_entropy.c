/* Cross-entropy of logits x with a label t, per sample, in double:
 *     loss = (1 - e) (lse - x_t) + e mean_j (lse - x_j),   lse = log sum_j exp x_j,   e the label smoothing
 *     dx_j = dloss (softmax_j - (1 - e) [j = t] - e / c) */
#include "layer/layers.h"
#include "layer/logits.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_cross_entropy *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_vector(graph, node, 0));
    TIPS_TRY(tips__expect_number(graph, node, 1));
    const tips_value_info logits = tips__in_info(graph, node, 0);
    if (!(config->smoothing >= 0 && config->smoothing < 1)) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': label smoothing of %g is not in [0, 1)", node->name, config->smoothing);
    }
    tips__node_out(graph, node, tips__map_info(1, 1, 1, logits.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_in = 3;
    return TIPS_OK;
}

static double sample_loss(const tips_map *logits, int n, int label, double smoothing) {
    const double lse = tips__log_sum_exp(logits, n, 1);
    double sum = 0;
    for (int c = 0; c < logits->c; c++) sum += tips__logit(logits, n, c, 1);
    return (1 - smoothing) * (lse - tips__logit(logits, n, label, 1)) + smoothing * (lse - sum / logits->c);
}

static tips_status check_labels(const tips_op *op) {
    const tips_map *logits = &op->in[0].map;
    for (int n = 0; n < logits->n; n++) {
        const int label = op->in[1].index[n];
        if (label < 0 || label >= logits->c) {
            TIPS_FAIL(TIPS_RANGE, "layer '%s': label %d of sample %d is not in 0..%d", op->node->name, label, n,
                      logits->c - 1);
        }
    }
    return TIPS_OK;
}

static tips_status forward(tips_op *op) {
    const tips_cross_entropy *config = op->node->config;
    const tips_map *logits = &op->in[0].map;
    TIPS_TRY(check_labels(op));
    TIPS_PARALLEL_FOR(n, logits->n) {
        vf loss = {0};
        loss[0] = (float)sample_loss(logits, n, op->in[1].index[n], config->smoothing);
        vf_store(tips__plane(&op->out[0].map, n, 0), loss);
    }
    return TIPS_OK;
}

static void sample_gradient(const tips_op *op, int n, double smoothing) {
    const tips_slot *in = &op->in[0];
    const double scale = tips__plane(&op->out[0].diff, n, 0)[0], lse = tips__log_sum_exp(&in->map, n, 1);
    const int label = op->in[1].index[n];
    for (int b = 0; b < in->map.blocks; b++) {
        vf gradient = {0};
        for (int l = 0; l < tips__lanes(in->map.c, b); l++) {
            const int c = b * TIPS_BLOCK + l;
            const double target = (c == label ? 1 - smoothing : 0) + smoothing / in->map.c;
            gradient[l] = (float)(scale * (exp(tips__logit(&in->map, n, c, 1) - lse) - target));
        }
        tips__put(tips__plane(&in->diff, n, b), gradient, in->accumulate);
    }
}

static tips_status backward(tips_op *op) {
    const tips_cross_entropy *config = op->node->config;
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_PARALLEL_FOR(n, op->in[0].map.n) sample_gradient(op, n, config->smoothing);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const double smoothing = ((const tips_cross_entropy *)op->node->config)->smoothing;
    const int classes = op->in[0].c;
    for (int n = 0; n < op->in[0].n; n++) {
        const double *x = op->in[0].data + n * classes;
        double largest = x[0], total = 0, loss = 0;
        for (int c = 1; c < classes; c++) largest = x[c] > largest ? x[c] : largest;
        for (int c = 0; c < classes; c++) total += exp(x[c] - largest);
        for (int c = 0; c < classes; c++) {
            const double target = smoothing / classes + (c == op->in[1].index[n] ? 1 - smoothing : 0);
            loss -= target * (x[c] - largest - log(total));
        }
        op->out[0].data[n] = loss;
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "smoothing", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_cross_entropy, smoothing), .fallback = "0",
     .min = 0, .max = 0.999, .help = "part of the target that is spread over all classes"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_cross_entropy) = {
    .name = "cross_entropy",
    .brief = "softmax cross-entropy with a label, per sample",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .options = options,
    .config_size = sizeof(tips_cross_entropy),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
