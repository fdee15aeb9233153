/* conv2d by Winograd's algorithm: any strides in and out, no halo, no staging. */
#include "layer/conv2d_run.h"

#include "engine/winograd.h"
#include "tensor/pad.h"

enum {
    FEWEST_CHANNELS = 24, /* below, the transforms cost more than they save */
    FEWEST_TILES = 9      /* of a map; below, a lone picture waits for its weights, which are four times as many */
};

static int tiles(int size) { return (size + 3) / 4; }

static bool may_be_fast(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    if (op->algorithm == TIPS_ALGORITHM_AUTO) return tips__goes_back(&op->pass) || c->padding.mode == TIPS_PAD_ZERO;
    return op->algorithm == TIPS_ALGORITHM_FAST;
}

bool tips__conv2d_is_fast(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    const tips_padding *p = &c->padding;
    const bool border_of_one = p->top == 1 && p->left == 1 && p->bottom == 1 && p->right == 1;
    const bool mode = p->mode == TIPS_PAD_ZERO || p->mode == TIPS_PAD_CIRCULAR;
    const bool plain = c->kernel[0] == 3 && c->kernel[1] == 3 && tips__conv2d_step(op, 0) == 1 &&
                       tips__conv2d_step(op, 1) == 1 && c->dilation[0] == 1 && c->dilation[1] == 1 && c->groups == 1;
    const bool pays = op->in_channels >= FEWEST_CHANNELS && c->out >= FEWEST_CHANNELS;
    const bool large = tips__goes_back(&op->pass) || op->small_pictures ||
                       tiles(op->in_size[0]) * tiles(op->in_size[1]) >= FEWEST_TILES;
    return may_be_fast(op) && plain && border_of_one && mode && pays && large;
}

static tips_winograd shape_of(const tips_op *op) {
    const tips_map *x = &op->in[0].map;
    const tips_conv2d *c = op->node->config;
    return (tips_winograd){x->n, x->h, x->w, tips__padded(x->c), tips__padded(op->out[0].map.c),
                           c->padding.mode == TIPS_PAD_CIRCULAR};
}

/* In a pass that goes back, the transformed weights lie at the end of the scratch. */
tips_status tips__conv2d_fast_plan(tips_op *op, tips_plan *plan) {
    const tips_winograd s = shape_of(op);
    const bool back = tips__goes_back(&op->pass);
    plan->forward_scratch =
        tips__winograd_forward_scratch(&s) + (back ? tips__conv2d_fast_floats(op) * sizeof(float) : 0);
    plan->backward_scratch = tips__winograd_backward_scratch(&s);
    plan->keep_in = op->dparam[0] != NULL;
    return TIPS_OK;
}

size_t tips__conv2d_fast_floats(const tips_op *op) {
    const tips_winograd s = shape_of(op);
    return tips__winograd_weight_floats(&s);
}

void tips__conv2d_fast_weights(const tips_op *op, const float *scale, float *out) {
    const tips_winograd s = shape_of(op);
    tips__winograd_weights(&s, op->param[0], scale, out);
}

tips_status tips__conv2d_fast_forward(tips_op *op, const float *weights, const tips_finish *finish) {
    const tips_winograd s = shape_of(op);
    if (tips__goes_back(&op->pass)) {
        float *transformed = (float *)((char *)op->scratch + tips__winograd_forward_scratch(&s));
        tips__winograd_weights(&s, weights, NULL, transformed);
        weights = transformed;
    }
    tips__winograd_forward(&s, &op->in[0].map, weights, finish, &op->out[0].map, op->scratch);
    return TIPS_OK;
}

tips_status tips__conv2d_fast_backward(tips_op *op) {
    const tips_winograd s = shape_of(op);
    if (op->dparam[0])
        tips__winograd_backward_weights(&s, &op->in[0].map, &op->out[0].diff, op->dparam[0], op->scratch);
    if (op->in[0].want_diff)
        tips__winograd_backward_data(&s, &op->out[0].diff, op->param[0], op->in[0].accumulate, &op->in[0].diff,
                                     op->scratch);
    return TIPS_OK;
}
