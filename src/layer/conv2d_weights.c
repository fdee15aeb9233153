/* The weights a convolution computes with: its own, or prepared ones (a norm folded in, transformed for Winograd's
 * algorithm) that are made anew when parameters have changed and kept else. */
#include "layer/conv2d_run.h"

#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

/* A pass that goes back transforms them in each step, in scratch. */
static bool keeps_transformed(const tips_op *op) { return tips__conv2d_is_fast(op) && !tips__goes_back(&op->pass); }

static size_t prepared_floats(const tips_op *op) {
    if (keeps_transformed(op)) return tips__conv2d_fast_floats(op);
    return op->fold[0] ? tips__conv2d_packed_floats(op) : 0;
}

static size_t channel_floats(const tips_op *op) { return (size_t)tips__padded(op->out[0].map.c); }

size_t tips__conv2d_weights_bytes(const tips_op *op) {
    return aligned(prepared_floats(op) * sizeof(float)) + (op->fold[0] ? 2 * channel_floats(op) * sizeof(float) : 0);
}

/* y = gamma (conv + b - mean) / sqrt(var + eps) + beta as scale and bias. */
static void fold_channels(const tips_op *op, float *scale, float *bias) {
    const float *gamma = op->fold[0], *beta = op->fold[1], *mean = op->fold[2], *variance = op->fold[3];
    for (size_t o = 0; o < channel_floats(op); o++) {
        scale[o] = (float)(gamma[o] / sqrt(variance[o] + op->fold_eps));
        const float own = op->node->n_params > 1 ? op->param[1][o] : 0;
        bias[o] = beta[o] + (own - mean[o]) * scale[o];
    }
}

static void scale_weights(const tips_op *op, const float *scale, float *out) {
    const int blocks = op->out[0].map.blocks;
    const size_t per_block = tips__conv2d_packed_floats(op) / (size_t)blocks;
    TIPS_PARALLEL_FOR (b, blocks) {
        const vf factor = vf_load(scale + (ptrdiff_t)b * TIPS_BLOCK);
        const float *from = op->param[0] + (size_t)b * per_block;
        float *to = out + (size_t)b * per_block;
        for (size_t i = 0; i < per_block; i += TIPS_BLOCK) vf_store(to + i, vf_load(from + i) * factor);
    }
}

static float *kept_scale(const tips_op *op) {
    return (float *)((char *)op->workspace + aligned(prepared_floats(op) * sizeof(float)));
}

void tips__conv2d_packed_weights(const tips_op *op, float *out) {
    if (op->fold[0])
        scale_weights(op, kept_scale(op), out);
    else
        memcpy(out, op->param[0], tips__conv2d_packed_floats(op) * sizeof *out);
}

conv2d_weights tips__conv2d_weights(tips_op *op) {
    conv2d_weights w = {op->param[0], op->node->n_params > 1 ? op->param[1] : NULL};
    const size_t floats = prepared_floats(op);
    if (floats == 0) return w;
    float *weights = op->workspace, *scale = NULL;
    if (op->fold[0]) {
        scale = kept_scale(op);
        w.bias = scale + channel_floats(op);
    }
    w.weights = weights;
    if (op->fold_version == *op->version) return w;
    if (scale) fold_channels(op, scale, scale + channel_floats(op));
    if (keeps_transformed(op))
        tips__conv2d_fast_weights(op, scale, weights);
    else
        scale_weights(op, scale, weights);
    op->fold_version = *op->version;
    return w;
}
