/* Dice loss of the softmax p of every pixel's logits with its label, per sample, over labelled pixels:
 *     I_c = sum p_c [t = c],   D_c = sum p_c + sum [t = c] + s,   loss = 1 - 1/C sum_c (2 I_c + s) / D_c
 * so dloss/dp_c = -1/C (2 [t = c] / D_c - (2 I_c + s) / D_c^2), and the softmax's own gradient follows. */
#include "layer/layers.h"
#include "layer/pixel.h"
#include "layer/pixel_labels.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_dice *config = node->config;
    TIPS_TRY(tips__expect_pixel_labels(graph, node));
    if (!(config->smooth > 0))
        TIPS_FAIL(TIPS_RANGE, "layer '%s': dice needs smooth > 0, not %g", node->name, config->smooth);
    tips__node_out(graph, node, tips__map_info(1, 1, 1, tips__in_info(graph, node, 0).per_sample));
    return TIPS_OK;
}

static size_t padded_channels(const tips_op *op) { return (size_t)tips__padded(op->in[0].map.c); }

/* Workspace: for each sample two vectors of doubles, 2 I_c + s and D_c. Scratch: a pixel's softmax for each thread. */
static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->keep_in = 3;
    plan->workspace = 2 * (size_t)op->in[0].map.n * padded_channels(op) * sizeof(double);
    plan->forward_scratch = plan->backward_scratch = tips__thread_bytes(padded_channels(op));
    return TIPS_OK;
}

static tips_pixel thread_pixel(const tips_op *op) {
    return (tips_pixel){tips__thread_scratch(op, padded_channels(op)), TIPS_BLOCK};
}

static void add_pixel(tips_pixel p, int channels, int label, double *twice, double *both) {
    for (int b = 0; b < tips__blocks(channels); b++) {
        double *to = both + (ptrdiff_t)b * TIPS_BLOCK;
        tips__store_doubles(to, tips__load_doubles(to) + vd_from(tips__pixel_block(p, b)));
    }
    both[label] += 1;
    twice[label] += 2 * (double)tips__pixel_channel(p, label);
}

static double sample_loss(const tips_op *op, int n, double *twice, double *both) {
    const tips_dice *config = op->node->config;
    const tips_map *logits = &op->in[0].map;
    const tips_pixel p = thread_pixel(op);
    double sum = 0;
    for (size_t c = 0; c < padded_channels(op); c++) twice[c] = both[c] = config->smooth;
    for (int y = 0; y < logits->h; y++) {
        const int32_t *labels = tips__row_labels(op, n, y);
        for (int x = 0; x < logits->w; x++) {
            if (labels[x] == config->ignore) continue;
            tips__pixel_softmax(tips__pixel_of(logits, n, y, x), p, logits->c);
            add_pixel(p, logits->c, labels[x], twice, both);
        }
    }
    for (int c = 0; c < logits->c; c++) sum += twice[c] / both[c];
    return 1 - sum / logits->c;
}

static double *sums_of(const tips_op *op, int n) {
    return (double *)op->workspace + 2 * (size_t)n * padded_channels(op);
}

static tips_status forward(tips_op *op) {
    TIPS_TRY(tips__check_pixel_labels(op, ((const tips_dice *)op->node->config)->ignore));
    TIPS_PARALLEL_FOR (n, op->in[0].map.n) {
        double *twice = sums_of(op, n);
        vf loss = {0};
        loss[0] = (float)sample_loss(op, n, twice, twice + padded_channels(op));
        vf_store(tips__plane(&op->out[0].map, n, 0), loss);
    }
    return TIPS_OK;
}

/* dloss/dp_c without the factor -1/C. */
static double slope(const double *twice, const double *both, int c, int label) {
    return (c == label ? 2 / both[c] : 0) - twice[c] / (both[c] * both[c]);
}

static void pixel_gradient(const tips_slot *in, tips_pixel p, tips_pixel dx, int label, const double *twice,
                           const double *both, double scale) {
    double mean = 0;
    for (int c = 0; c < in->map.c; c++) mean += (double)tips__pixel_channel(p, c) * slope(twice, both, c, label);
    for (int b = 0; b < tips__blocks(in->map.c); b++) {
        vf part = {0};
        for (int l = 0; l < tips__lanes(in->map.c, b); l++)
            part[l] = (float)(scale * (slope(twice, both, b * TIPS_BLOCK + l, label) - mean));
        tips__put(dx.at + b * dx.step, part * tips__pixel_block(p, b), in->accumulate);
    }
}

static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0];
    const int ignore = ((const tips_dice *)op->node->config)->ignore, height = in->map.h;
    if (!in->want_diff) return TIPS_OK;
    if (!in->accumulate) tips__map_zero(&in->diff);
    TIPS_PARALLEL_FOR (i, in->map.n * height) {
        const int n = i / height, y = i % height;
        const int32_t *labels = tips__row_labels(op, n, y);
        const double *twice = sums_of(op, n), *both = twice + padded_channels(op);
        const double scale = -(double)tips__plane(&op->out[0].diff, n, 0)[0] / in->map.c;
        const tips_pixel p = thread_pixel(op);
        for (int x = 0; x < in->map.w; x++) {
            if (labels[x] == ignore) continue;
            tips__pixel_softmax(tips__pixel_of(&in->map, n, y, x), p, in->map.c);
            pixel_gradient(in, p, tips__pixel_of(&in->diff, n, y, x), labels[x], twice, both, scale);
        }
    }
    return TIPS_OK;
}

/* Probability of class c at pixel p of plain logits. */
static double ref_share(const double *x, int channels, size_t plane, int c) {
    double total = 0;
    for (int j = 0; j < channels; j++) total += exp(x[(size_t)j * plane] - x[(size_t)c * plane]);
    return 1 / total;
}

static double ref_quotient(const tips_ref_op *op, int n, int c) {
    const tips_dice *config = op->node->config;
    const tips_ref_slot *in = &op->in[0];
    const size_t plane = (size_t)in->h * (size_t)in->w;
    double common = 0, all = 0;
    for (size_t p = 0; p < plane; p++) {
        const int label = op->in[1].index[(size_t)n * plane + p];
        if (label == config->ignore) continue;
        const double share = ref_share(in->data + (size_t)n * (size_t)in->c * plane + p, in->c, plane, c);
        all += share + (label == c);
        if (label == c) common += share;
    }
    return (2 * common + config->smooth) / (all + config->smooth);
}

static tips_status ref(tips_ref_op *op) {
    for (int n = 0; n < op->in[0].n; n++) {
        double sum = 0;
        for (int c = 0; c < op->in[0].c; c++) sum += ref_quotient(op, n, c);
        op->out[0].data[n] = 1 - sum / op->in[0].c;
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "ignore", .type = TIPS_OPT_INT, .offset = offsetof(tips_dice, ignore), .fallback = "255", .min = -1,
     .max = 65535, .help = "label of pixels that do not count"},
    {.name = "smooth", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_dice, smooth), .fallback = "1", .min = 1e-6,
     .max = 1e6, .help = "added to both parts of each quotient"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_dice) = {
    .name = "dice",
    .brief = "Dice loss of softmax shares with a label for each pixel, mean over classes",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .options = options,
    .config_size = sizeof(tips_dice),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
