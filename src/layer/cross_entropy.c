/* Cross-entropy of logits x with a label t, per sample, in double:
 *     loss = (1 - e) (lse - x_t) + e mean_j (lse - x_j),   lse = log sum_j exp x_j,   e the label smoothing
 *     dx_j = dloss (softmax_j - (1 - e) [j = t] - e / c)
 * A mixed picture has a second label u: with share s of the first, s x_t + (1 - s) x_u takes the place of x_t. */
#include "layer/layers.h"
#include "layer/logits.h"

enum { PLAIN = 2, MIXED = 4 }; /* inputs: logits, label, and with a second label that and the first one's share */

static tips_status expect_second(const tips_graph *graph, const tips_node *node) {
    TIPS_TRY(tips__expect_number(graph, node, 2));
    TIPS_TRY(tips__expect_vector(graph, node, 3));
    const tips_value_info share = tips__in_info(graph, node, 3), logits = tips__in_info(graph, node, 0);
    if (share.c != 1 || share.per_sample != logits.per_sample)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': a share is one number a sample, not %d", node->name, share.c);
    return TIPS_OK;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_cross_entropy *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, node->n_in == MIXED ? MIXED : PLAIN));
    TIPS_TRY(tips__expect_vector(graph, node, 0));
    TIPS_TRY(tips__expect_number(graph, node, 1));
    if (node->n_in == MIXED) TIPS_TRY(expect_second(graph, node));
    const tips_value_info logits = tips__in_info(graph, node, 0);
    if (!(config->smoothing >= 0 && config->smoothing < 1)) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': label smoothing of %g is not in [0, 1)", node->name, config->smoothing);
    }
    tips__node_out(graph, node, tips__map_info(1, 1, 1, logits.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->keep_in = (1u << op->n_in) - 1;
    return TIPS_OK;
}

/* What a sample should be: `share` of one class, the rest of the other. */
typedef struct target {
    int label, other;
    double share;
} target;

static target target_of(const tips_op *op, int n) {
    const int label = op->in[1].index[n];
    if (op->n_in != MIXED) return (target){label, label, 1};
    return (target){label, op->in[2].index[n], tips__plane(&op->in[3].map, n, 0)[0]};
}

static double sample_loss(const tips_map *logits, int n, target t, double smoothing) {
    const double lse = tips__log_sum_exp(logits, n, 1), missed = lse - tips__logit(logits, n, t.label, 1);
    double sum = 0;
    for (int c = 0; c < logits->c; c++) sum += tips__logit(logits, n, c, 1);
    const double both =
        t.share == 1 ? missed : t.share * missed + (1 - t.share) * (lse - tips__logit(logits, n, t.other, 1));
    return (1 - smoothing) * both + smoothing * (lse - sum / logits->c);
}

static tips_status check_labels(const tips_op *op) {
    const tips_map *logits = &op->in[0].map;
    for (int n = 0; n < logits->n; n++) {
        const target t = target_of(op, n);
        const int label = t.label < 0 || t.label >= logits->c ? t.label : t.other;
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
        loss[0] = (float)sample_loss(logits, n, target_of(op, n), config->smoothing);
        vf_store(tips__plane(&op->out[0].map, n, 0), loss);
    }
    return TIPS_OK;
}

static void sample_gradient(const tips_op *op, int n, double smoothing) {
    const tips_slot *in = &op->in[0];
    const double scale = tips__plane(&op->out[0].diff, n, 0)[0], lse = tips__log_sum_exp(&in->map, n, 1);
    const target t = target_of(op, n);
    for (int b = 0; b < in->map.blocks; b++) {
        vf gradient = {0};
        for (int l = 0; l < tips__lanes(in->map.c, b); l++) {
            const int c = b * TIPS_BLOCK + l;
            const double part = (c == t.label ? t.share : 0) + (c == t.other ? 1 - t.share : 0);
            const double wanted = (1 - smoothing) * part + smoothing / in->map.c;
            gradient[l] = (float)(scale * (exp(tips__logit(&in->map, n, c, 1) - lse) - wanted));
        }
        tips__put(tips__plane(&in->diff, n, b), gradient, in->accumulate);
    }
}

static void share_gradient(const tips_op *op, int n, double smoothing) {
    const tips_map *logits = &op->in[0].map;
    const target t = target_of(op, n);
    const double change = tips__logit(logits, n, t.other, 1) - tips__logit(logits, n, t.label, 1);
    vf gradient = {0};
    gradient[0] = (float)(tips__plane(&op->out[0].diff, n, 0)[0] * (1 - smoothing) * change);
    tips__put(tips__plane(&op->in[3].diff, n, 0), gradient, op->in[3].accumulate);
}

static tips_status backward(tips_op *op) {
    const double smoothing = ((const tips_cross_entropy *)op->node->config)->smoothing;
    const bool shares = op->n_in == MIXED && op->in[3].want_diff;
    TIPS_PARALLEL_FOR(n, op->in[0].map.n) {
        if (op->in[0].want_diff) sample_gradient(op, n, smoothing);
        if (shares) share_gradient(op, n, smoothing);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const double smoothing = ((const tips_cross_entropy *)op->node->config)->smoothing;
    const int classes = op->in[0].c;
    for (int n = 0; n < op->in[0].n; n++) {
        const double *x = op->in[0].data + n * classes;
        const double share = op->n_in == MIXED ? op->in[3].data[n] : 1;
        double largest = x[0], total = 0, loss = 0;
        for (int c = 1; c < classes; c++) largest = x[c] > largest ? x[c] : largest;
        for (int c = 0; c < classes; c++) total += exp(x[c] - largest);
        for (int c = 0; c < classes; c++) {
            double part = c == op->in[1].index[n] ? share : 0;
            if (share != 1 && c == op->in[2].index[n]) part += 1 - share;
            loss -= (smoothing / classes + (1 - smoothing) * part) * (x[c] - largest - log(total));
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
    .brief = "softmax cross-entropy with a label, or with two and the share of the first, per sample",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .options = options,
    .config_size = sizeof(tips_cross_entropy),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
