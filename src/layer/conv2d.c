/* conv2d: y[o] = sum_i w[o,i] * x[i] + b[o], any kernel, stride, dilation and groups.
 * Run by direct kernels (exact under shifts) or, where speed is allowed to round, by Winograd's. */
#include "layer/conv2d_run.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "engine/engine.h"
#include "layer/padding_options.h"
#include "layer/pointwise.h"
#include "emit/emit.h"
#include "tensor/pad.h"

#include <math.h>

/* The output's height (axis 0) or width (axis 1). */
static int extent(const tips_conv2d *c, int in, int axis) {
    const tips_padding *p = &c->padding;
    const int border = axis ? p->left + p->right : p->top + p->bottom;
    return (in + border - (c->kernel[axis] - 1) * c->dilation[axis] - 1) / c->stride[axis] + 1;
}

static tips_status check_config(const tips_node *node, const tips_conv2d *c, const tips_value_info *x) {
    const int counts[] = {c->out, c->kernel[0], c->kernel[1], c->stride[0], c->stride[1], c->dilation[0],
                          c->dilation[1], c->groups};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 1)
            TIPS_FAIL(TIPS_RANGE, "conv2d '%s': channels, kernel, stride, dilation and groups start at 1", node->name);
    if (c->padding.top < 0 || c->padding.left < 0 || c->padding.bottom < 0 || c->padding.right < 0)
        TIPS_FAIL(TIPS_RANGE, "conv2d '%s': negative padding", node->name);
    if (x->c % c->groups || c->out % c->groups)
        TIPS_FAIL(TIPS_SHAPE, "conv2d '%s': %d groups do not divide %d input and %d output channels", node->name,
                  c->groups, x->c, c->out);
    if (x->h + c->padding.top + c->padding.bottom < (c->kernel[0] - 1) * c->dilation[0] + 1 ||
        x->w + c->padding.left + c->padding.right < (c->kernel[1] - 1) * c->dilation[1] + 1)
        TIPS_FAIL(TIPS_SHAPE, "conv2d '%s': a %dx%d kernel does not fit into a padded %dx%d map", node->name,
                  c->kernel[0], c->kernel[1], x->h, x->w);
    if (c->names != TIPS_NAMES_CONV && c->kernel[0] * c->kernel[1] * c->groups != 1)
        TIPS_FAIL(TIPS_INVALID, "conv2d '%s': a linear layer has one pixel and one group", node->name);
    return TIPS_OK;
}

static tips_status shape(tips_graph *g, tips_node *node) {
    const tips_conv2d *c = node->config;
    const bool joint = c->names == TIPS_NAMES_ATTENTION;
    if (node->n_in != 1) TIPS_FAIL(TIPS_INVALID, "conv2d '%s' takes one map", node->name);
    const tips_value_info x = *tips__value(g, node->in[0]);
    TIPS_TRY(check_config(node, c, &x));
    const double fan_in = (double)(x.c / c->groups) * c->kernel[0] * c->kernel[1];
    const double gain = c->gain > 0 ? c->gain : sqrt(2.0);
    tips__node_param(g, node, joint ? "in_proj_weight" : "weight",
                     (tips_param_spec){.layout = TIPS_CONV, .n_dims = c->names == TIPS_NAMES_CONV ? 4 : 2,
                                       .dims = {c->out, x.c / c->groups, c->kernel[0], c->kernel[1]},
                                       .groups = c->groups, .trainable = true,
                                       .std = c->deviation > 0 ? c->deviation : gain / sqrt(fan_in),
                                       .decay = !c->no_decay});
    if (c->bias)
        tips__node_param(g, node, joint ? "in_proj_bias" : "bias",
                         (tips_param_spec){.layout = TIPS_VECTOR, .dims = {c->out}, .n_dims = 1, .fill = c->bias_start,
                                           .trainable = true, .decay = !c->no_decay});
    tips__node_out(g, node,
                   (tips_value_info){.kind = TIPS_MAP, .c = c->out, .per_sample = x.per_sample,
                                     .h = extent(c, x.h, 0), .w = extent(c, x.w, 1)});
    return TIPS_OK;
}

int tips__conv2d_step(const tips_op *op, int axis) {
    const tips_conv2d *c = op->node->config;
    return c->stride[axis] * (op->grid[axis] ? op->grid[axis] : 1);
}

/* The engine's gradients want a source without gaps where the kernel has no border. */
static tips_source_layout reads(const tips_op *op, tips_padding *halo) {
    const tips_conv2d *c = op->node->config;
    if (tips__conv2d_is_fast(op) || op->expand) return TIPS_READS_ANY;
    if (tips__pad_none(&c->padding)) return tips__goes_back(&op->pass) ? TIPS_READS_DENSE : TIPS_READS_ANY;
    *halo = c->padding;
    return TIPS_READS_HALO;
}

/* Depthwise kernels take a pixel's channels as a vector, and so does the engine, which gradients of the weights stage a
 * thin map for. */
static bool reads_thin(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    return !tips__conv2d_is_fast(op) && !op->pass.input_gradients &&
           tips__group_plan(op->in_channels, c->out, c->groups) != TIPS_GROUPS_DEPTHWISE;
}

/* The engine's gradients want the output's without gaps too. */
static bool writes_strides(const tips_op *op) { return tips__conv2d_is_fast(op) || !tips__goes_back(&op->pass); }

size_t tips__conv2d_packed_floats(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    return tips__conv_weight_floats(op->out[0].map.c, op->in_channels, c->kernel[0], c->kernel[1], c->groups);
}

static tips_status plan(tips_op *op, tips_plan *p) {
    if (op->expand) return tips__conv2d_pair_plan(op, p);
    p->workspace = tips__conv2d_weights_bytes(op);
    return tips__conv2d_is_fast(op) ? tips__conv2d_fast_plan(op, p) : tips__conv2d_direct_plan(op, p);
}

/* A clip that leaves zero alone, as in lanes without a channel, is done in registers. */
static bool clips(const tips_op *op) {
    if (!op->function || op->gated || op->function->layer != &tips__layer_clip) return false;
    const tips_clip *c = op->function->config;
    return c->min <= 0 && c->max >= 0;
}

void tips__conv2d_prepare(tips_op *op, conv2d_ready *out) {
    out->weights = tips__conv2d_weights(op);
    out->function = tips__pointwise_finish(op->function, op->gated, op->out[0].map.c);
    tips_finish *finish = &out->finish;
    *finish = (tips_finish){.bias = out->weights.bias, .clips = op->relu, .high = INFINITY,
                            .residual = op->residual >= 0 ? &op->in[op->residual].map : NULL};
    if (clips(op)) {
        finish->clips = true;
        finish->low = (float)out->function.numbers.a;
        finish->high = (float)out->function.numbers.b;
    } else if (op->function) {
        finish->function = tips__pointwise_row;
        finish->with = &out->function;
    }
}

static tips_status forward(tips_op *op) {
    if (op->expand) return tips__conv2d_pair_forward(op);
    conv2d_ready ready;
    tips__conv2d_prepare(op, &ready);
    return tips__conv2d_is_fast(op) ? tips__conv2d_fast_forward(op, ready.weights.weights, &ready.finish)
                                    : tips__conv2d_direct_forward(op, ready.weights.weights, &ready.finish);
}

void tips__conv2d_bias_gradient(const tips_map *dy, float *db) {
    TIPS_PARALLEL_FOR(b, dy->blocks) {
        vd sum = (vd){0};
        for (int n = 0; n < dy->n; n++)
            for (int y = 0; y < dy->h; y++) {
                const float *row = tips__row(dy, n, b, y);
                vf line = (vf){0};
                for (int x = 0; x < dy->w; x++) line += vf_load(row + (ptrdiff_t)x * TIPS_BLOCK);
                sum += vd_from(line);
            }
        vf_store(db + (ptrdiff_t)b * TIPS_BLOCK, vf_load(db + (ptrdiff_t)b * TIPS_BLOCK) + vf_from(sum));
    }
}

static tips_status backward(tips_op *op) {
    if (op->dparam[1]) tips__conv2d_bias_gradient(&op->out[0].diff, op->dparam[1]);
    return tips__conv2d_is_fast(op) ? tips__conv2d_fast_backward(op) : tips__conv2d_direct_backward(op);
}

static tips_status ref(tips_ref_op *op) {
    const tips_conv2d *c = op->node->config;
    const tips_ref_slot *x = &op->in[0], *y = &op->out[0];
    const tips_ref_conv conv = {
        .shape = {.n = x->n, .ic = x->c, .ih = x->h, .iw = x->w, .oc = y->c, .oh = y->h, .ow = y->w, .kh = c->kernel[0],
                  .kw = c->kernel[1], .sh = c->stride[0], .sw = c->stride[1], .dh = c->dilation[0],
                  .dw = c->dilation[1], .groups = c->groups, .top = c->padding.top, .left = c->padding.left},
        .pad_mode = c->padding.mode};
    tips__ref_conv_forward(&conv, x->data, op->param[0], op->node->n_params > 1 ? op->param[1] : NULL, y->data);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *g, const tips_node *node) {
    (void)g;
    const tips_conv2d *c = node->config;
    const bool tiles = c->kernel[0] == c->stride[0] && c->kernel[1] == c->stride[1] && tips__pad_none(&c->padding);
    if (tiles && c->kernel[0] * c->kernel[1] > 1) return "patch grid";
    if (c->padding.mode != TIPS_PAD_CIRCULAR && (c->kernel[0] > 1 || c->kernel[1] > 1)) return "padding";
    if (c->stride[0] > 1 || c->stride[1] > 1) return "fixed grid";
    return NULL;
}

static double multiply_adds(const tips_graph *g, const tips_node *node) {
    const tips_conv2d *c = node->config;
    const tips_value_info *x = tips__value(g, node->in[0]), *y = tips__value(g, node->out[0]);
    return (double)y->c * y->h * y->w * y->per_sample * (x->c / c->groups) * c->kernel[0] * c->kernel[1];
}

static bool pools(const tips_node *node, int stride[2]) {
    const tips_conv2d *c = node->config;
    stride[0] = c->stride[0];
    stride[1] = c->stride[1];
    return c->stride[0] > 1 || c->stride[1] > 1;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_conv2d *c = node->config;
    tips_padding pad = c->padding;
    tips_operand x = tips__emit_in(to, node, 0);
    if (pad.mode != TIPS_PAD_ZERO) {
        x = tips__emit_pad(to, node, x, tips__emit_in_info(to, node, 0), &pad, 0);
        pad = (tips_padding){0};
    }
    tips_operand weight = tips__emit_param(to, node, 0);
    if (c->names != TIPS_NAMES_CONV)
        weight = tips__emit_reshape(to, weight, (const int64_t[]){c->out, tips__emit_in_info(to, node, 0).c, 1, 1}, 4);
    const tips_operand in[] = {x, weight, tips__emit_bias(to, node, 1)};
    x = tips__emit_op(to, "Conv", in, 3,
                      TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", c->kernel[0], c->kernel[1]),
                                TIPS_WITH_PAIR("strides", c->stride[0], c->stride[1]),
                                TIPS_WITH_PAIR("dilations", c->dilation[0], c->dilation[1]),
                                TIPS_WITH_FOUR("pads", pad.top, pad.left, pad.bottom, pad.right),
                                TIPS_WITH_INT("group", c->groups)));
    tips__emit_out(to, node, 0, x);
    return TIPS_OK;
}

const tips_option TIPS_ROW(tips__conv2d_rows)[] = {
    {.name = "out", .type = TIPS_OPT_INT, .offset = offsetof(tips_conv2d, out), .fallback = "1", .min = 1,
     .max = 1 << 20, .help = "output channels"},
    {.name = "kernel", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_conv2d, kernel), .fallback = "3", .min = 1,
     .max = 1 << 12, .help = "height and width of the kernel"},
    {.name = "stride", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_conv2d, stride), .fallback = "1", .min = 1,
     .max = 1 << 12, .help = "pixels from one window to the next"},
    {.name = "dilation", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_conv2d, dilation), .fallback = "1", .min = 1,
     .max = 1 << 12, .help = "pixels from one tap to the next"},
    {.name = "groups", .type = TIPS_OPT_INT, .offset = offsetof(tips_conv2d, groups), .fallback = "1", .min = 1,
     .max = 1 << 20, .help = "parts of the channels that are convolved apart"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_conv2d, padding), .group = tips__padding_rows},
    {.name = "bias", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_conv2d, bias), .fallback = "false",
     .help = "add a bias"},
    {.name = "gain", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_conv2d, gain), .fallback = "0", .min = 0,
     .max = 1e9, .help = "factor of the Kaiming-normal initialisation by fan-in; 0: the square root of 2"},
    {.name = "deviation", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_conv2d, deviation), .fallback = "0", .min = 0,
     .max = 1e9, .help = "deviation of the weights at first; 0: by the gain"},
    {.name = "bias-start", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_conv2d, bias_start), .fallback = "0",
     .min = -1e9, .max = 1e9, .help = "what the bias is at first"},
    {.name = "no-decay", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_conv2d, no_decay), .fallback = "false",
     .help = "leave the parameters out of weight decay"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_conv2d) = {
    .name = "conv2d", .brief = "convolution: any kernel, stride, dilation, groups and padding mode",
    .flags = TIPS_LAYER_TAKES_NORM, .options = tips__conv2d_rows, .config_size = sizeof(tips_conv2d),
    .shape = shape, .plan = plan, .forward = forward, .backward = backward, .ref = ref, .emit = emit,
    .release = tips__conv2d_direct_release, .breaks = breaks, .multiply_adds = multiply_adds, .pools = pools,
    .reads = reads, .reads_thin = reads_thin, .writes_strides = writes_strides};
