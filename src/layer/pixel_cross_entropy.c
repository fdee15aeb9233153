/* Cross-entropy of the logits of every pixel with its label t, mean over the labelled pixels of a sample:
 *     loss = 1/m sum_p (log sum_j exp x_j - x_t)_p,   dx_j = dloss / m (softmax_j - [j = t])
 * A sample without a labelled pixel has a loss of 0. */
#include "layer/layers.h"
#include "layer/pixel.h"
#include "layer/pixel_labels.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_pixel_labels(graph, node));
    tips__node_out(graph, node, tips__map_info(1, 1, 1, tips__in_info(graph, node, 0).per_sample));
    return TIPS_OK;
}

/* Of one row, or of a sample. */
typedef struct tally {
    double loss, count;
} tally;

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_map *logits = &op->in[0].map;
    plan->keep_in = 3;
    plan->forward_scratch = (size_t)logits->n * (size_t)logits->h * sizeof(tally);
    plan->workspace = (size_t)logits->n * sizeof(double);
    return TIPS_OK;
}

static tally row_tally(const tips_op *op, int n, int y) {
    const tips_map *logits = &op->in[0].map;
    const int ignore = ((const tips_pixel_cross_entropy *)op->node->config)->ignore;
    const int32_t *labels = tips__row_labels(op, n, y);
    tally sum = {0};
    for (int x = 0; x < logits->w; x++) {
        if (labels[x] == ignore) continue;
        const tips_pixel pixel = tips__pixel_of(logits, n, y, x);
        sum.loss += tips__pixel_log_sum(pixel, logits->c) - tips__pixel_channel(pixel, labels[x]);
        sum.count++;
    }
    return sum;
}

static tips_status forward(tips_op *op) {
    const tips_map *logits = &op->in[0].map;
    const int height = logits->h;
    tally *rows = op->scratch;
    double *counts = op->workspace;
    TIPS_TRY(tips__check_pixel_labels(op, ((const tips_pixel_cross_entropy *)op->node->config)->ignore));
    TIPS_PARALLEL_FOR (i, logits->n * height) rows[i] = row_tally(op, i / height, i % height);
    for (int n = 0; n < logits->n; n++) {
        tally sum = {0};
        vf loss = {0};
        for (int y = 0; y < height; y++) {
            sum.loss += rows[n * height + y].loss;
            sum.count += rows[n * height + y].count;
        }
        counts[n] = sum.count;
        loss[0] = (float)(sum.count > 0 ? sum.loss / sum.count : 0);
        vf_store(tips__plane(&op->out[0].map, n, 0), loss);
    }
    return TIPS_OK;
}

static void pixel_gradient(const tips_slot *in, tips_pixel x, tips_pixel dx, int label, float scale) {
    const int channels = in->map.c;
    const float log_sum = (float)tips__pixel_log_sum(x, channels);
    for (int b = 0; b < tips__blocks(channels); b++) {
        vf part = tips__masked(vf_exp(tips__pixel_block(x, b) - log_sum), tips__lane_mask(channels, b));
        if (label / TIPS_BLOCK == b) part[label % TIPS_BLOCK] -= 1;
        tips__put(dx.at + b * dx.step, part * scale, in->accumulate);
    }
}

static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0];
    const int ignore = ((const tips_pixel_cross_entropy *)op->node->config)->ignore, height = in->map.h;
    const double *counts = op->workspace;
    if (!in->want_diff) return TIPS_OK;
    if (!in->accumulate) tips__map_zero(&in->diff);
    TIPS_PARALLEL_FOR (i, in->map.n * height) {
        const int n = i / height, y = i % height;
        const int32_t *labels = tips__row_labels(op, n, y);
        const float scale = (float)(tips__plane(&op->out[0].diff, n, 0)[0] / (counts[n] > 0 ? counts[n] : 1));
        for (int x = 0; x < in->map.w; x++)
            if (labels[x] != ignore)
                pixel_gradient(in, tips__pixel_of(&in->map, n, y, x), tips__pixel_of(&in->diff, n, y, x), labels[x],
                               scale);
    }
    return TIPS_OK;
}

static double ref_pixel(const double *x, int channels, size_t plane, int label) {
    double largest = x[0], total = 0;
    for (int c = 1; c < channels; c++) largest = fmax(largest, x[(size_t)c * plane]);
    for (int c = 0; c < channels; c++) total += exp(x[(size_t)c * plane] - largest);
    return largest + log(total) - x[(size_t)label * plane];
}

static tips_status ref(tips_ref_op *op) {
    const int ignore = ((const tips_pixel_cross_entropy *)op->node->config)->ignore;
    const tips_ref_slot *in = &op->in[0];
    const size_t plane = (size_t)in->h * (size_t)in->w;
    for (int n = 0; n < in->n; n++) {
        double sum = 0;
        int count = 0;
        for (size_t p = 0; p < plane; p++) {
            const int label = op->in[1].index[(size_t)n * plane + p];
            if (label == ignore) continue;
            sum += ref_pixel(in->data + (size_t)n * (size_t)in->c * plane + p, in->c, plane, label);
            count++;
        }
        op->out[0].data[n] = count ? sum / count : 0;
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "ignore", .type = TIPS_OPT_INT, .offset = offsetof(tips_pixel_cross_entropy, ignore), .fallback = "255",
     .min = -1, .max = 65535, .help = "label of pixels that do not count"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_pixel_cross_entropy) = {
    .name = "pixel_cross_entropy",
    .brief = "softmax cross-entropy with a label for each pixel, mean over those of a sample",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .options = options,
    .config_size = sizeof(tips_pixel_cross_entropy),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
