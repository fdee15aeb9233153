/* conv2d by direct kernels: forward our own, gradients the engine's.
 *
 * The border is part of the source buffer (its halo), and the kernels convolve without padding: border and interior
 * then take one path, and shifted inputs give shifted bits. Where the source does not come with the right halo, it is
 * staged in scratch; forward is content with a wider one. */
#include "layer/conv2d_run.h"

#include "core/fail.h"
#include "core/memory.h"
#include "engine/direct_conv.h"
#include "engine/engine.h"
#include "tensor/pad.h"

typedef struct conv_state {
    tips_conv *data, *weights;
    tips_padding halo;     /* border the source buffer must have */
    bool stage_in;         /* forward: the source has too small a border, or another, and is copied first */
    bool stage_kept;       /* backward: the source's border is not just that */
    bool stage_diff;       /* the source's gradient goes through scratch */
    size_t staged_bytes;   /* of a source with its halo */
    size_t engine_bytes, packed_bytes;
} conv_state;

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

static tips_conv_shape engine_shape(const tips_op *op, const tips_conv2d *c, const tips_padding *border) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    tips_conv_shape s = {.n = x->n, .ic = tips__padded(x->c), .oc = tips__padded(y->c),
                         .ih = x->h + border->top + border->bottom, .iw = x->w + border->left + border->right,
                         .oh = y->h, .ow = y->w, .kh = c->kernel[0], .kw = c->kernel[1], .sh = c->stride[0],
                         .sw = c->stride[1], .dh = c->dilation[0], .dw = c->dilation[1], .groups = 1,
                         .used_ic = x->c, .used_oc = y->c};
    switch (tips__group_plan(x->c, y->c, c->groups)) {
    case TIPS_GROUPS_DEPTHWISE: s.groups = s.ic; break;
    case TIPS_GROUPS_BLOCKED: s.groups = c->groups; break;
    case TIPS_GROUPS_DENSE: break;
    }
    /* The engine wants the padding that the output size implies, which a stride may have cut off. */
    s.bottom = (s.oh - 1) * s.sh + (s.kh - 1) * s.dh + 1 - s.ih;
    s.right = (s.ow - 1) * s.sw + (s.kw - 1) * s.dw + 1 - s.iw;
    return s;
}

static bool same_border(const tips_padding *a, const tips_padding *b) {
    return a->top == b->top && a->left == b->left && a->bottom == b->bottom && a->right == b->right &&
           (a->mode == b->mode || tips__pad_none(a));
}

static bool covers(const tips_padding *there, const tips_padding *wanted) {
    if (tips__pad_none(wanted)) return true;
    return there->mode == wanted->mode && there->top >= wanted->top && there->left >= wanted->left &&
           there->bottom >= wanted->bottom && there->right >= wanted->right;
}

static tips_status make_primitive(tips_conv_kind kind, const tips_conv_shape *shape, conv_state *s, tips_conv **out) {
    TIPS_TRY(tips__conv_create(kind, shape, out));
    const size_t bytes = aligned(tips__conv_scratch(*out));
    if (bytes > s->engine_bytes) s->engine_bytes = bytes;
    return TIPS_OK;
}

static tips_status make_primitives(const tips_op *op, conv_state *s) {
    const tips_conv_shape shape = engine_shape(op, op->node->config, &s->halo);
    if (op->dparam[0]) TIPS_TRY(make_primitive(TIPS_CONV_BACKWARD_WEIGHTS, &shape, s, &s->weights));
    if (op->in[0].want_diff) TIPS_TRY(make_primitive(TIPS_CONV_BACKWARD_DATA, &shape, s, &s->data));
    return TIPS_OK;
}

tips_status tips__conv2d_direct_plan(tips_op *op, tips_plan *p) {
    conv_state *s;
    TIPS_TRY(tips__new_zero(&s, sizeof *s, "a convolution"));
    op->state = s;
    s->halo = ((const tips_conv2d *)op->node->config)->padding;
    const tips_map *x = &op->in[0].map;
    s->stage_in = !covers(&op->in[0].halo, &s->halo);
    s->stage_kept = !same_border(&s->halo, &op->in[0].halo) || x->lanes != TIPS_BLOCK;
    s->stage_diff = s->stage_kept || op->in[0].accumulate;
    s->staged_bytes = aligned(tips__map_bytes(x->n, x->c, x->h, x->w, &s->halo));
    s->packed_bytes = aligned(tips__conv2d_packed_floats(op) * sizeof(float));
    TIPS_TRY(make_primitives(op, s));
    p->keep_in = s->weights != NULL;
    p->forward_scratch = s->stage_in ? s->staged_bytes : 0;
    p->backward_scratch = s->engine_bytes + s->packed_bytes + (s->weights && s->stage_kept ? s->staged_bytes : 0) +
                          (s->data && s->stage_diff ? s->staged_bytes : 0);
    return TIPS_OK;
}

void tips__conv2d_direct_release(tips_op *op) {
    conv_state *s = op->state;
    if (!s) return;
    tips__conv_destroy(s->data);
    tips__conv_destroy(s->weights);
    tips__free(s);
    op->state = NULL;
}

static float *buffer_start(const tips_map *map, const tips_padding *border) {
    return map->data - border->top * map->sh - (ptrdiff_t)border->left * TIPS_BLOCK;
}

static tips_map stage(const tips_op *op, const conv_state *s, tips_map staged) {
    tips__map_copy(&staged, &op->in[0].map);
    if (!tips__pad_none(&s->halo)) tips__halo_fill(&staged, &s->halo);
    return staged;
}

/* The source as the engine wants it: in place, or staged at `scratch`. */
static const float *engine_source(const tips_op *op, const conv_state *s, void *scratch) {
    const tips_map *x = &op->in[0].map;
    if (!s->stage_kept) return buffer_start(x, &s->halo);
    stage(op, s, tips__map_haloed(scratch, x->n, x->c, x->h, x->w, &s->halo)); /* a thin one too becomes full */
    return scratch;
}

tips_status tips__conv2d_direct_forward(tips_op *op, const float *weights, const tips_finish *finish) {
    const conv_state *s = op->state;
    const tips_conv2d *c = op->node->config;
    const tips_map *y = &op->out[0].map, *given = &op->in[0].map;
    const tips_map x = s->stage_in ? stage(op, s, tips__map_like(op->scratch, given, &s->halo)) : *given;
    const tips_group_plan groups = tips__group_plan(x.c, y->c, c->groups);
    const tips_direct conv = {.kh = c->kernel[0], .kw = c->kernel[1],
                              .sh = tips__conv2d_step(op, 0), .sw = tips__conv2d_step(op, 1),
                              .dh = c->dilation[0], .dw = c->dilation[1], .top = s->halo.top, .left = s->halo.left,
                              .groups = groups == TIPS_GROUPS_BLOCKED ? c->groups : 1};
    (groups == TIPS_GROUPS_DEPTHWISE ? tips__depthwise_forward : tips__direct_forward)(&conv, &x, weights, finish, y);
    return TIPS_OK;
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
    char *at = (char *)op->scratch + s->engine_bytes;
    float *transposed = (float *)at;
    at += s->packed_bytes;
    if (s->weights) TIPS_TRY(backward_weights(op, s, at));
    if (s->weights && s->stage_kept) at += s->staged_bytes;
    return s->data ? backward_data(op, s, transposed, (float *)at) : TIPS_OK;
}

