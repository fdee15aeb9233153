/* conv2d twice: a 1x1 convolution and the depthwise one behind it, without the map in between. */
#include "layer/conv2d_pair.h"

#include "core/memory.h"
#include "engine/engine.h"
#include "engine/expand_conv.h"
#include "layer/conv2d_run.h"
#include "tensor/pad.h"

static bool is_plain_1x1(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    return c->kernel[0] * c->kernel[1] == 1 && tips__conv2d_step(op, 0) == 1 && tips__conv2d_step(op, 1) == 1 &&
           c->groups == 1 && tips__pad_none(&c->padding);
}

static tips_direct kernel_of(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    return (tips_direct){.kh = c->kernel[0], .kw = c->kernel[1],
                         .sh = tips__conv2d_step(op, 0), .sw = tips__conv2d_step(op, 1),
                         .dh = c->dilation[0], .dw = c->dilation[1], .top = c->padding.top, .left = c->padding.left,
                         .groups = 1};
}

bool tips__conv2d_pairs(const tips_op *expand, const tips_op *depthwise) {
    const tips_conv2d *c = depthwise->node->config;
    const tips_direct conv = kernel_of(depthwise);
    return is_plain_1x1(expand) && expand->residual < 0 &&
           tips__group_plan(depthwise->in_channels, c->out, c->groups) == TIPS_GROUPS_DEPTHWISE &&
           tips__expand_pays(&conv, &c->padding, depthwise->in_size[1], depthwise->in_channels);
}

static size_t own_workspace(const tips_op *op) {
    return (tips__conv2d_weights_bytes(op) + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN;
}

tips_status tips__conv2d_pair_plan(tips_op *op, tips_plan *p) {
    const tips_conv2d *c = op->node->config;
    const tips_direct conv = kernel_of(op);
    tips_op *expand = op->expand;
    expand->in[0] = op->in[0];
    expand->out[0].map = tips__map_dense(NULL, op->in[0].map.n, op->in_channels, op->in_size[0], op->in_size[1]);
    p->workspace = own_workspace(op) + tips__conv2d_weights_bytes(expand);
    p->forward_scratch = tips__expand_scratch(&conv, &c->padding, op->in_size[1], op->in_channels);
    return TIPS_OK;
}

tips_status tips__conv2d_pair_forward(tips_op *op) {
    const tips_conv2d *c = op->node->config;
    const tips_direct conv = kernel_of(op);
    conv2d_ready first, second;
    op->expand->workspace = op->workspace ? (char *)op->workspace + own_workspace(op) : NULL;
    tips__conv2d_prepare(op->expand, &first);
    tips__conv2d_prepare(op, &second);
    const tips_expand expand = {first.weights.weights, first.finish};
    tips__expand_forward(&expand, &op->in[0].map, &conv, &c->padding, second.weights.weights, &second.finish,
                         &op->out[0].map, op->scratch);
    return TIPS_OK;
}
