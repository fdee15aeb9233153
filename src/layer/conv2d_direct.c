/* conv2d by the engine's direct kernels.
 *
 * Zero padding is left to the engine. For the other modes the border is part of the source buffer (its halo), and the
 * engine convolves without padding: border and interior then take one path, and shifted inputs give shifted bits.
 * Where the source does not come with the right halo, it is staged in scratch. */
#include "layer/conv2d_run.h"

#include "core/fail.h"
#include "core/memory.h"
#include "engine/engine.h"
#include "tensor/pad.h"

typedef struct conv_state {
    tips_conv *forward, *data, *weights;
    tips_padding halo;     /* border the source buffer must have; none with zero padding */
    bool stage_in;         /* the source has another layout and is copied first */
    bool stage_diff;       /* the source's gradient goes through scratch */
    size_t staged_bytes;   /* of a source with its halo */
    size_t engine_forward, engine_backward, packed_bytes;
} conv_state;

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

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

static void make_room(conv_state *s, const tips_conv *conv) {
    const size_t bytes = aligned(tips__conv_scratch(conv));
    if (bytes > s->engine_backward) s->engine_backward = bytes;
}

static tips_status make_primitives(tips_op *op, conv_state *s, const tips_conv_shape *shape_) {
    const tips_conv_fused fused = {.bias = op->node->n_params > 1 || op->fold[0],
                                   .sum = op->residual >= 0, .relu = op->relu};
    TIPS_TRY(tips__conv_create(TIPS_CONV_FORWARD, shape_, fused, &s->forward));
    s->engine_forward = aligned(tips__conv_scratch(s->forward));
    if (op->dparam[0]) {
        TIPS_TRY(tips__conv_create(TIPS_CONV_BACKWARD_WEIGHTS, shape_, fused, &s->weights));
        make_room(s, s->weights);
    }
    if (op->in[0].want_diff) {
        TIPS_TRY(tips__conv_create(TIPS_CONV_BACKWARD_DATA, shape_, fused, &s->data));
        make_room(s, s->data);
    }
    return TIPS_OK;
}

tips_status tips__conv2d_direct_plan(tips_op *op, tips_plan *p) {
    conv_state *s;
    TIPS_TRY(tips__new_zero(&s, sizeof *s, "a convolution"));
    op->state = s;
    if (!tips__conv2d_halo(op->node->config, &s->halo)) s->halo = (tips_padding){0};
    const tips_map *x = &op->in[0].map;
    s->stage_in = !same_border(&s->halo, &op->in[0].halo);
    s->stage_diff = s->stage_in || op->in[0].accumulate;
    s->staged_bytes = aligned(tips__map_bytes(x->n, x->c, x->h, x->w, &s->halo));
    s->packed_bytes = aligned(tips__conv2d_packed_floats(op) * sizeof(float));
    const tips_conv_shape es = engine_shape(op, op->node->config, &s->halo);
    TIPS_TRY(make_primitives(op, s, &es));
    p->keep_in = s->weights != NULL;
    p->forward_scratch = s->engine_forward + (s->stage_in ? s->staged_bytes : 0);
    p->backward_scratch = s->engine_backward + s->packed_bytes + (s->weights && s->stage_in ? s->staged_bytes : 0) +
                          (s->data && s->stage_diff ? s->staged_bytes : 0);
    return TIPS_OK;
}

void tips__conv2d_direct_release(tips_op *op) {
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

tips_status tips__conv2d_direct_forward(tips_op *op, const float *weights, const float *bias) {
    conv_state *s = op->state;
    if (op->residual >= 0 && op->in[op->residual].map.data != op->out[0].map.data)
        tips__map_copy(&op->out[0].map, &op->in[op->residual].map);
    const float *src = engine_source(op, s, (char *)op->scratch + s->engine_forward);
    return tips__conv_forward(s->forward, src, weights, bias, op->out[0].map.data, op->scratch);
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

static tips_status backward_weights(tips_op *op, const conv_state *s, void *staged) {
    const tips_conv2d *c = op->node->config;
    const float *src = engine_source(op, s, staged);
    TIPS_TRY(tips__conv_backward_weights(s->weights, src, op->out[0].diff.data, op->dparam[0], op->scratch));
    tips__conv_weights_mask(op->out[0].map.c, op->in[0].map.c, c->kernel[0], c->kernel[1], c->groups, op->dparam[0]);
    return TIPS_OK;
}

tips_status tips__conv2d_direct_backward(tips_op *op) {
    conv_state *s = op->state;
    char *at = (char *)op->scratch + s->engine_backward;
    float *transposed = (float *)at;
    at += s->packed_bytes;
    if (s->weights) TIPS_TRY(backward_weights(op, s, at));
    if (s->weights && s->stage_in) at += s->staged_bytes;
    return s->data ? backward_data(op, s, transposed, (float *)at) : TIPS_OK;
}

