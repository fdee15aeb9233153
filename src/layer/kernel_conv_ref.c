/* kernel_conv, the oracle: every window for itself. */
#include "layer/kernel_conv_run.h"

static double ref_seen(const tips_ref_op *op, size_t pixel, int channel, double value) {
    const tips_kernel_conv *c = op->node->config;
    if (!tips__kernel_drops(op->node, &op->pass)) return value;
    return tips__kernel_dropped(c, op->rng, op->in[0].c, pixel, channel) ? 0 : value / (1 - c->dropout);
}

static void ref_window(const tips_ref_op *op, const tips_window axes[2], int n, int y, int x, double *mean,
                       double *variance) {
    const tips_kernel_conv *c = op->node->config;
    const tips_ref_slot *in = &op->in[0];
    double sum = 0, square = 0;
    for (int ch = 0; ch < in->c; ch++)
        for (int i = 0; i < axes[0].kernel; i++)
            for (int j = 0; j < axes[1].kernel; j++) {
                const int from_y = tips__window_cell(&axes[0], y, i), from_x = tips__window_cell(&axes[1], x, j);
                if (from_y < 0 || from_x < 0) continue;
                const size_t area = (size_t)in->h * (size_t)in->w, at = (size_t)from_y * (size_t)in->w + (size_t)from_x;
                const double *plane = in->data + ((size_t)n * in->c + ch) * area;
                const double v = ref_seen(op, (size_t)n * area + at, ch, plane[at]);
                sum += v;
                square += v * v;
            }
    *mean = sum / tips__kernel_elements(&c->conv, in->c);
    *variance = square / tips__kernel_elements(&c->conv, in->c) - *mean * *mean;
}

static void ref_normalise(const tips_ref_op *op, int n, int y, int x, double mean, double variance) {
    const tips_kernel_conv *c = op->node->config;
    const tips_ref_slot *out = &op->out[0];
    const size_t taps = (size_t)(op->in[0].c / c->conv.groups * c->conv.kernel[0] * c->conv.kernel[1]);
    for (int o = 0; o < out->c; o++) {
        double sum = 0, *at = &out->data[(((size_t)n * out->c + o) * out->h + y) * out->w + x];
        for (size_t i = 0; i < taps; i++) sum += op->param[KERNEL_WEIGHT][(size_t)o * taps + i];
        *at = (*at - mean * sum) / sqrt(variance + c->eps) + (op->node->n_params > 1 ? op->param[KERNEL_BIAS][o] : 0);
    }
}

tips_status tips__kernel_conv_ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    tips_node node = *op->node;
    tips_ref_op inner = *op;
    tips_window axes[2];
    node.n_params = 1;
    inner.node = &node;
    TIPS_TRY(tips__layer_conv2d.ref(&inner));
    tips__kernel_axes(op->node->config, in->h, in->w, axes);
    for (int n = 0; n < out->n; n++)
        for (int y = 0; y < out->h; y++)
            for (int x = 0; x < out->w; x++) {
                double mean, variance;
                ref_window(op, axes, n, y, x, &mean, &variance);
                ref_normalise(op, n, y, x, mean, variance);
            }
    return TIPS_OK;
}
