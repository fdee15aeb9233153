/* conv2d: y[o] = sum_i w[o,i] * x[i] + b[o], any kernel, stride, dilation and groups.
 *
 * Zero padding is left to the engine. For the other modes the border is part of the source buffer (its halo), and the
 * engine convolves without padding: border and interior then take one path, and shifted inputs give shifted bits.
 * Where the source does not come with the right halo, it is staged in scratch. */
#include "layer/layers.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "engine/engine.h"
#include "tensor/pad.h"

#include <math.h>
#include <string.h>

typedef struct conv_state {
    tips_conv *forward, *data, *weights;
    tips_padding halo;     /* border the source buffer must have; none with zero padding */
    bool stage_in;         /* the source has another layout and is copied first */
    bool stage_diff;       /* the source's gradient goes through scratch */
    size_t staged_bytes;   /* of a source with its halo */
    size_t engine_forward, engine_backward, packed_bytes;
} conv_state;

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

static int extent(int in, int before, int after, int kernel, int stride, int dilation) {
    return (in + before + after - (kernel - 1) * dilation - 1) / stride + 1;
}

static tips_status check_config(const tips_node *node, const tips_conv2d *c, const tips_value_info *x) {
    const int counts[] = {c->out, c->kernel[0], c->kernel[1], c->stride[0], c->stride[1], c->dilation[0], c->dilation[1], c->groups};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 1) TIPS_FAIL(TIPS_RANGE, "conv2d '%s': channels, kernel, stride, dilation and groups start at 1", node->name);
    if (c->padding.top < 0 || c->padding.left < 0 || c->padding.bottom < 0 || c->padding.right < 0)
        TIPS_FAIL(TIPS_RANGE, "conv2d '%s': negative padding", node->name);
    if (x->c % c->groups || c->out % c->groups)
        TIPS_FAIL(TIPS_SHAPE, "conv2d '%s': %d groups do not divide %d input and %d output channels", node->name,
                  c->groups, x->c, c->out);
    if (x->h + c->padding.top + c->padding.bottom < (c->kernel[0] - 1) * c->dilation[0] + 1 ||
        x->w + c->padding.left + c->padding.right < (c->kernel[1] - 1) * c->dilation[1] + 1)
        TIPS_FAIL(TIPS_SHAPE, "conv2d '%s': a %dx%d kernel does not fit into a padded %dx%d map", node->name,
                  c->kernel[0], c->kernel[1], x->h, x->w);
    return TIPS_OK;
}

static tips_status shape(tips_graph *g, tips_node *node) {
    const tips_conv2d *c = node->config;
    if (node->n_in != 1) TIPS_FAIL(TIPS_INVALID, "conv2d '%s' takes one map", node->name);
    const tips_value_info x = *tips__value(g, node->in[0]);
    TIPS_TRY(check_config(node, c, &x));
    const double fan_in = (double)(x.c / c->groups) * c->kernel[0] * c->kernel[1];
    const double gain = c->gain > 0 ? c->gain : sqrt(2.0);
    tips__node_param(g, node, "weight",
                     (tips_param_spec){.layout = TIPS_CONV, .dims = {c->out, x.c / c->groups, c->kernel[0], c->kernel[1]},
                                       .n_dims = 4, .groups = c->groups, .std = gain / sqrt(fan_in), .trainable = true,
                                       .decay = !c->no_decay});
    if (c->bias)
        tips__node_param(g, node, "bias",
                         (tips_param_spec){.layout = TIPS_VECTOR, .dims = {c->out}, .n_dims = 1, .trainable = true,
                                           .decay = !c->no_decay});
    tips__node_out(g, node,
                   (tips_value_info){.kind = TIPS_MAP, .c = c->out, .per_sample = x.per_sample,
                                     .h = extent(x.h, c->padding.top, c->padding.bottom, c->kernel[0], c->stride[0], c->dilation[0]),
                                     .w = extent(x.w, c->padding.left, c->padding.right, c->kernel[1], c->stride[1], c->dilation[1])});
    return TIPS_OK;
}

static bool halo(const tips_node *node, tips_padding *out) {
    const tips_conv2d *c = node->config;
    *out = c->padding;
    return c->padding.mode != TIPS_PAD_ZERO && !tips__pad_none(&c->padding);
}

static tips_conv_shape engine_shape(const tips_op *op, const tips_conv2d *c, const tips_padding *border) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    const bool zero = c->padding.mode == TIPS_PAD_ZERO;
    tips_conv_shape s = {.n = x->n, .ic = tips__padded(x->c), .oc = tips__padded(y->c),
                         .ih = x->h + border->top + border->bottom, .iw = x->w + border->left + border->right,
                         .oh = y->h, .ow = y->w, .kh = c->kernel[0], .kw = c->kernel[1], .sh = c->stride[0],
                         .sw = c->stride[1], .dh = c->dilation[0], .dw = c->dilation[1], .groups = 1};
    switch (tips__group_plan(x->c, y->c, c->groups)) {
    case TIPS_GROUPS_DEPTHWISE: s.groups = s.ic; break;
    case TIPS_GROUPS_BLOCKED: s.groups = c->groups; break;
    case TIPS_GROUPS_DENSE: break;
    }
    if (zero) s.top = c->padding.top, s.left = c->padding.left;
    /* The engine wants the padding that the output size implies, which a stride may have cut off. */
    s.bottom = (s.oh - 1) * s.sh + (s.kh - 1) * s.dh + 1 - s.ih - s.top;
    s.right = (s.ow - 1) * s.sw + (s.kw - 1) * s.dw + 1 - s.iw - s.left;
    return s;
}

static bool same_border(const tips_padding *a, const tips_padding *b) {
    return a->top == b->top && a->left == b->left && a->bottom == b->bottom && a->right == b->right &&
           (a->mode == b->mode || tips__pad_none(a));
}

static tips_status make_primitives(tips_op *op, conv_state *s, const tips_conv_shape *shape_) {
    const tips_conv_fused fused = {.bias = op->node->n_params > 1 || op->fold[0], .sum = op->residual >= 0, .relu = op->relu};
    TIPS_TRY(tips__conv_create(TIPS_CONV_FORWARD, shape_, fused, &s->forward));
    s->engine_forward = aligned(tips__conv_scratch(s->forward));
    if (!op->training) return TIPS_OK;
    TIPS_TRY(tips__conv_create(TIPS_CONV_BACKWARD_WEIGHTS, shape_, fused, &s->weights));
    s->engine_backward = aligned(tips__conv_scratch(s->weights));
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_TRY(tips__conv_create(TIPS_CONV_BACKWARD_DATA, shape_, fused, &s->data));
    if (tips__conv_scratch(s->data) > s->engine_backward) s->engine_backward = aligned(tips__conv_scratch(s->data));
    return TIPS_OK;
}

static size_t packed_floats(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    return tips__conv_weight_floats(op->out[0].map.c, op->in[0].map.c, c->kernel[0], c->kernel[1], c->groups);
}

static tips_status plan(tips_op *op, tips_plan *p) {
    conv_state *s;
    TIPS_TRY(tips__new_zero(&s, sizeof *s, "a convolution"));
    op->state = s;
    if (!halo(op->node, &s->halo)) s->halo = (tips_padding){0};
    const tips_map *x = &op->in[0].map;
    s->stage_in = !same_border(&s->halo, &op->in[0].halo);
    s->stage_diff = s->stage_in || op->in[0].accumulate;
    s->staged_bytes = aligned(tips__map_bytes(x->n, x->c, x->h, x->w, &s->halo));
    s->packed_bytes = aligned(packed_floats(op) * sizeof(float));
    const tips_conv_shape es = engine_shape(op, op->node->config, &s->halo);
    TIPS_TRY(make_primitives(op, s, &es));
    p->keep_in = 1;
    p->forward_scratch = s->engine_forward + (s->stage_in ? s->staged_bytes : 0);
    p->backward_scratch = s->engine_backward + s->packed_bytes + (s->stage_in ? s->staged_bytes : 0) +
                          (s->data && s->stage_diff ? s->staged_bytes : 0);
    if (op->fold[0]) p->workspace = s->packed_bytes + aligned((size_t)tips__padded(op->out[0].map.c) * sizeof(float));
    return TIPS_OK;
}

static void release(tips_op *op) {
    conv_state *s = op->state;
    if (!s) return;
    tips__conv_destroy(s->forward);
    tips__conv_destroy(s->data);
    tips__conv_destroy(s->weights);
    tips__free(s);
    op->state = NULL;
}

static float *buffer_start(const tips_map *map, const tips_padding *border) {
    return map->data - border->top * map->sh - (ptrdiff_t)border->left * TIPS_BLOCK;
}

/* The source as the engine wants it: in place, or staged at `scratch`. */
static const float *engine_source(const tips_op *op, const conv_state *s, void *scratch) {
    const tips_map *x = &op->in[0].map;
    if (!s->stage_in) return buffer_start(x, &s->halo);
    const tips_map staged = tips__map_haloed(scratch, x->n, x->c, x->h, x->w, &s->halo);
    tips__map_copy(&staged, x);
    if (!tips__pad_none(&s->halo)) tips__halo_fill(&staged, &s->halo);
    return scratch;
}

/* y = gamma (conv + b - mean) / sqrt(var + eps) + beta, written into weights and bias. */
static void fold_norm(tips_op *op, float *weights, float *bias) {
    const int blocks = op->out[0].map.blocks;
    const size_t per_block = packed_floats(op) / (size_t)blocks;
    const float *gamma = op->fold[0], *beta = op->fold[1], *mean = op->fold[2], *variance = op->fold[3];
    for (int b = 0; b < blocks; b++) {
        vf scale;
        for (int l = 0; l < TIPS_BLOCK; l++) {
            const int o = b * TIPS_BLOCK + l;
            scale[l] = (float)(gamma[o] / sqrt(variance[o] + op->fold_eps));
            const float own = op->node->n_params > 1 ? op->param[1][o] : 0;
            bias[o] = beta[o] + (own - mean[o]) * scale[l];
        }
        const float *from = op->param[0] + (size_t)b * per_block;
        float *to = weights + (size_t)b * per_block;
        for (size_t i = 0; i < per_block; i += TIPS_BLOCK) vf_store(to + i, vf_load(from + i) * scale);
    }
    op->fold_version = *op->version;
}

static tips_status forward(tips_op *op) {
    conv_state *s = op->state;
    const float *weights = op->param[0], *bias = op->node->n_params > 1 ? op->param[1] : NULL;
    if (op->fold[0]) {
        float *folded = op->workspace, *folded_bias = (float *)((char *)op->workspace + s->packed_bytes);
        if (op->fold_version != *op->version) fold_norm(op, folded, folded_bias);
        weights = folded;
        bias = folded_bias;
    }
    if (op->residual >= 0 && op->in[op->residual].map.data != op->out[0].map.data)
        tips__map_copy(&op->out[0].map, &op->in[op->residual].map);
    const float *src = engine_source(op, s, (char *)op->scratch + s->engine_forward);
    return tips__conv_forward(s->forward, src, weights, bias, op->out[0].map.data, op->scratch);
}

static void bias_gradient(const tips_map *dy, float *db) {
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

static void emit_staged_diff(const tips_op *op, const conv_state *s, float *staged) {
    const tips_map *dx = &op->in[0].diff;
    const tips_map from = tips__map_haloed(staged, dx->n, dx->c, dx->h, dx->w, &s->halo);
    if (!tips__pad_none(&s->halo)) tips__halo_fold(&from, &s->halo);
    tips__map_emit(dx, &from, op->in[0].accumulate);
}

static tips_status backward_data(tips_op *op, const conv_state *s, float *transposed, float *staged) {
    const tips_conv2d *c = op->node->config;
    tips__conv_weights_for_backward(op->out[0].map.c, op->in[0].map.c, c->kernel[0], c->kernel[1], c->groups,
                                    op->param[0], transposed);
    const tips_map *dx = &op->in[0].diff;
    float *target = s->stage_diff ? staged : buffer_start(dx, &s->halo);
    TIPS_TRY(tips__conv_backward_data(s->data, op->out[0].diff.data, transposed, target, op->scratch));
    if (s->stage_diff)
        emit_staged_diff(op, s, staged);
    else if (!tips__pad_none(&s->halo))
        tips__halo_fold(dx, &s->halo);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    conv_state *s = op->state;
    const tips_conv2d *c = op->node->config;
    char *at = (char *)op->scratch + s->engine_backward;
    float *transposed = (float *)at;
    at += s->packed_bytes;
    const float *src = engine_source(op, s, at);
    if (s->stage_in) at += s->staged_bytes;
    TIPS_TRY(tips__conv_backward_weights(s->weights, src, op->out[0].diff.data, op->dparam[0], op->scratch));
    tips__conv_weights_mask(op->out[0].map.c, op->in[0].map.c, c->kernel[0], c->kernel[1], c->groups, op->dparam[0]);
    if (op->node->n_params > 1) bias_gradient(&op->out[0].diff, op->dparam[1]);
    return s->data ? backward_data(op, s, transposed, (float *)at) : TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_conv2d *c = op->node->config;
    const tips_ref_slot *x = &op->in[0], *y = &op->out[0];
    const tips_ref_conv conv = {
        .shape = {.n = x->n, .ic = x->c, .ih = x->h, .iw = x->w, .oc = y->c, .oh = y->h, .ow = y->w, .kh = c->kernel[0],
                  .kw = c->kernel[1], .sh = c->stride[0], .sw = c->stride[1], .dh = c->dilation[0], .dw = c->dilation[1],
                  .groups = c->groups, .top = c->padding.top, .left = c->padding.left},
        .pad_mode = c->padding.mode};
    tips__ref_conv_forward(&conv, x->data, op->param[0], op->node->n_params > 1 ? op->param[1] : NULL, y->data);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *g, const tips_node *node) {
    (void)g;
    const tips_conv2d *c = node->config;
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

const tips_layer tips__layer_conv2d = {
    .name = "conv2d", .brief = "convolution: any kernel, stride, dilation, groups and padding mode",
    .config_size = sizeof(tips_conv2d), .shape = shape, .plan = plan, .forward = forward, .backward = backward,
    .ref = ref, .release = release, .breaks = breaks, .multiply_adds = multiply_adds, .pools = pools, .halo = halo};
