/* ddac, forward and backward: the weights of all pixels first (kept for backward), then plane by plane. */
#include "layer/layer_common.h"
#include "pool/ddac.h"

#include <string.h>

enum { B = TIPS_BLOCK };

static ddac_shape shape_of(const tips_op *op) {
    const tips_map *x = &op->in[0].map;
    return tips__ddac_shape(op->node->config, x->c, x->h, x->w);
}

/* Floats of the weights of one sample: (oh, ow, padded). */
static size_t sample_floats(const ddac_shape *s) { return (size_t)s->oh * (size_t)s->ow * (size_t)s->padded; }

static float *weights_of(const tips_op *op, const ddac_shape *s, int n) {
    return (float *)op->workspace + (size_t)n * sample_floats(s);
}

tips_status tips__ddac_plan(tips_op *op, tips_plan *out) {
    const ddac_shape s = shape_of(op);
    out->workspace = (size_t)op->in[0].map.n * sample_floats(&s) * sizeof(float);
    out->forward_scratch = tips__thread_bytes(s.plane);
    out->backward_scratch = tips__thread_bytes(s.plane + sample_floats(&s));
    out->keep_in = 1;
    return TIPS_OK;
}

tips_status tips__ddac_forward(tips_op *op) {
    const ddac_shape s = shape_of(op);
    const tips_map *x = &op->in[0].map, *l = &op->in[1].map, *y = &op->out[0].map;
    const ptrdiff_t row = (ptrdiff_t)s.ow * s.padded;
    TIPS_PARALLEL_FOR(at, x->n * s.oh)
        tips__ddac_softmax_row(&s, l, at / s.oh, at % s.oh, weights_of(op, &s, at / s.oh) + at % s.oh * row);
    TIPS_PARALLEL_PLANES(x, n, b) {
        float *padded = tips__thread_scratch(op, s.plane);
        tips__pad_plane(x, n, b, &s.padding, padded);
        tips__ddac_plane(&s, tips__ddac_lanes(&s, x->c, b), padded, weights_of(op, &s, n), y, n, b);
    }
    return TIPS_OK;
}

static void diff_x(const tips_op *op, const ddac_shape *s) {
    const tips_slot *in = &op->in[0];
    const tips_map *dy = &op->out[0].diff;
    TIPS_PARALLEL_PLANES(dy, n, b) {
        float *padded = tips__thread_scratch(op, s->plane);
        memset(padded, 0, s->plane * sizeof(float));
        tips__ddac_diff_plane(s, tips__ddac_lanes(s, dy->c, b), weights_of(op, s, n), dy, n, b, padded);
        tips__fold_plane(padded, &s->padding, &in->diff, n, b, in->accumulate);
    }
}

/* Writes the gradient of sample n's logits: dl at the pixels of P_0, zero elsewhere. */
static void emit_logits(const ddac_shape *s, const tips_slot *slot, int n, const float *dl) {
    const tips_map *to = &slot->diff;
    for (int b = 0; b < to->blocks; b++)
        for (int y = 0; y < to->h; y++) {
            float *row = tips__row(to, n, b, y);
            const float *from = dl + (ptrdiff_t)(y / s->stride[0]) * s->ow * s->padded + (ptrdiff_t)b * B;
            if (!slot->accumulate) memset(row, 0, (size_t)to->w * B * sizeof(float));
            for (int j = 0; j < s->ow && y % s->stride[0] == 0; j++) {
                float *cell = row + (ptrdiff_t)j * s->stride[1] * B;
                vf_store(cell, vf_load(cell) + vf_load(from + (ptrdiff_t)j * s->padded));
            }
        }
}

/* One thread a sample: the groups of a sample reach across its planes. */
static void diff_logits(const tips_op *op, const ddac_shape *s) {
    const tips_map *x = &op->in[0].map, *dy = &op->out[0].diff;
    TIPS_PARALLEL_FOR(n, x->n) {
        float *padded = tips__thread_scratch(op, s->plane + sample_floats(s)), *dw = padded + s->plane;
        memset(dw, 0, sample_floats(s) * sizeof(float));
        for (int b = 0; b < x->blocks; b++) {
            tips__pad_plane(x, n, b, &s->padding, padded);
            tips__ddac_dweights_plane(s, tips__ddac_lanes(s, x->c, b), padded, dy, n, b, dw);
        }
        tips__ddac_softmax_diff(s, weights_of(op, s, n), dw);
        emit_logits(s, &op->in[1], n, dw);
    }
}

tips_status tips__ddac_backward(tips_op *op) {
    const ddac_shape s = shape_of(op);
    if (op->in[0].want_diff) diff_x(op, &s);
    if (op->in[1].want_diff) diff_logits(op, &s);
    return TIPS_OK;
}
