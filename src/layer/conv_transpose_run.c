/* conv_transpose, run. Forward: the pixels that lie alike in their cells are a plain convolution of the map, made by the
 * direct kernels and put in their places; a sum depends on its window alone, so what follows a phase is exact.
 * Backward: the gradient, with its phase undone, is convolved with the stride by the same weights, and those get the
 * gradients of that convolution's. */
#include "layer/conv_transpose_run.h"

#include "core/fail.h"
#include "core/memory.h"
#include "engine/direct_conv.h"
#include "engine/engine.h"
#include "layer/conv2d_run.h"
#include "layer/phases.h"
#include "tensor/pad.h"

#include <math.h>
#include <string.h>

typedef struct transpose_state {
    tips_conv *weights;  /* the engine's gradient, or NULL */
    tips_padding halo;   /* of the source, so that every part finds its taps; forward */
    tips_padding border; /* of the output's gradient; backward */
    size_t engine_bytes;
} transpose_state;

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

static const tips_conv2d *conv_of(const tips_op *op) {
    return &((const tips_conv_transpose *)op->node->config)->conv;
}

static int floor_div(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

static int common_divisor(int a, int b) { return b ? common_divisor(b, a % b) : a; }

conv_transpose_part tips__conv_transpose_part(const tips_conv_transpose *config, int in, int axis, int rest) {
    const tips_conv2d *c = &config->conv;
    const int s = c->stride[axis], d = c->dilation[axis], cut = axis ? c->padding.left : c->padding.top;
    const int size = tips__conv_transpose_extent(config, in, axis), g = common_divisor(s, d);
    conv_transpose_part part = {.step = s / g, .spread = d / g, .pixels = size > rest ? (size - rest + s - 1) / s : 0};
    for (int t = 0; t < c->kernel[axis]; t++) {
        const int at = rest + cut - d * t;
        if (floor_div(at, s) * s != at) continue;
        part.taps++;
        part.first = t; /* the last one has the least offset */
        part.offset = floor_div(at, s);
    }
    return part;
}

static int larger(int a, int b) { return a > b ? a : b; }

/* How far the parts reach beyond the ends of an axis. */
static void reach(const tips_conv_transpose *config, int in, int axis, int *before, int *behind) {
    *before = *behind = 0;
    for (int rest = 0; rest < config->conv.stride[axis]; rest++) {
        const conv_transpose_part p = tips__conv_transpose_part(config, in, axis, rest);
        if (p.taps == 0 || p.pixels == 0) continue;
        *before = larger(*before, -p.offset);
        *behind = larger(*behind, p.pixels - 1 + p.offset + (p.taps - 1) * p.spread - (in - 1));
    }
}

static conv_transpose_part part_of(const tips_op *op, int axis, int rest) {
    return tips__conv_transpose_part(op->node->config, op->in_size[axis], axis, rest);
}

static size_t part_floats(const tips_op *op, int row, int column) {
    const tips_conv2d *c = conv_of(op);
    const conv_transpose_part y = part_of(op, 0, row), x = part_of(op, 1, column);
    if (y.taps == 0 || x.taps == 0) return 0;
    return aligned(tips__conv_weight_floats(c->out, op->in_channels, y.taps, x.taps, c->groups) * sizeof(float)) /
           sizeof(float);
}

static size_t packed_floats(const tips_op *op) {
    const tips_conv2d *c = conv_of(op);
    size_t sum = 0;
    for (int r = 0; r < c->stride[0] * c->stride[1]; r++) sum += part_floats(op, r / c->stride[1], r % c->stride[1]);
    return sum;
}

static size_t plain_bytes(const tips_op *op) {
    const tips_conv2d *c = conv_of(op);
    return aligned((size_t)op->in_channels * (size_t)(c->out / c->groups) * (size_t)(c->kernel[0] * c->kernel[1]) *
                   sizeof(float));
}

/* Of the map of one part; the first is the largest. */
static size_t part_bytes(const tips_op *op) {
    return aligned(tips__map_bytes(op->out[0].map.n, conv_of(op)->out, part_of(op, 0, 0).pixels,
                                   part_of(op, 1, 0).pixels, &(tips_padding){0}));
}

static size_t staged_bytes(const tips_map *m, const tips_padding *halo) {
    return aligned(tips__map_bytes(m->n, m->c, m->h, m->w, halo));
}

/* ---- the convolution whose transpose this is: from the output's gradient to the input's ---- */

static int border_behind(int in, int out, int before, int kernel, int dilation, int stride) {
    return larger(0, (in - 1) * stride + (kernel - 1) * dilation + 1 - before - out);
}

static tips_padding border_of(const tips_op *op) {
    const tips_conv2d *c = conv_of(op);
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    tips_padding p = {.mode = c->padding.mode, .top = c->padding.top, .left = c->padding.left};
    p.bottom = border_behind(x->h, y->h, p.top, c->kernel[0], c->dilation[0], c->stride[0]);
    p.right = border_behind(x->w, y->w, p.left, c->kernel[1], c->dilation[1], c->stride[1]);
    return p;
}

static tips_conv_shape engine_shape(const tips_op *op, const tips_padding *border) {
    const tips_conv2d *c = conv_of(op);
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    tips_conv_shape s = {.n = x->n, .ic = tips__padded(y->c), .oc = tips__padded(x->c),
                         .ih = y->h + border->top + border->bottom, .iw = y->w + border->left + border->right,
                         .oh = x->h, .ow = x->w, .kh = c->kernel[0], .kw = c->kernel[1], .sh = c->stride[0],
                         .sw = c->stride[1], .dh = c->dilation[0], .dw = c->dilation[1], .groups = 1};
    switch (tips__group_plan(y->c, x->c, c->groups)) {
    case TIPS_GROUPS_DEPTHWISE: s.groups = s.ic; break;
    case TIPS_GROUPS_BLOCKED: s.groups = c->groups; break;
    case TIPS_GROUPS_DENSE: break;
    }
    s.bottom = (s.oh - 1) * s.sh + (s.kh - 1) * s.dh + 1 - s.ih;
    s.right = (s.ow - 1) * s.sw + (s.kw - 1) * s.dw + 1 - s.iw;
    return s;
}

tips_status tips__conv_transpose_plan(tips_op *op, tips_plan *plan) {
    const tips_conv_transpose *config = op->node->config;
    const tips_map *x = &op->in[0].map;
    transpose_state *s;
    TIPS_TRY(tips__new_zero(&s, sizeof *s, "a transposed convolution"));
    op->state = s;
    s->halo.mode = config->conv.padding.mode;
    reach(config, x->h, 0, &s->halo.top, &s->halo.bottom);
    reach(config, x->w, 1, &s->halo.left, &s->halo.right);
    s->border = border_of(op);
    plan->keep_in = op->n_in == 2 ? 2 : 0;
    plan->workspace = packed_floats(op) * sizeof(float);
    plan->forward_scratch = 2 * plain_bytes(op) + part_bytes(op) +
                            (tips__pad_none(&s->halo) ? 0 : staged_bytes(x, &s->halo));
    if (op->dparam[0]) {
        const tips_conv_shape shape = engine_shape(op, &s->border);
        TIPS_TRY(tips__conv_create(TIPS_CONV_BACKWARD_WEIGHTS, &shape, &s->weights));
        s->engine_bytes = aligned(tips__conv_scratch(s->weights));
        plan->keep_in |= 1;
    }
    plan->backward_scratch =
        s->engine_bytes + staged_bytes(&op->out[0].map, &s->border) + staged_bytes(x, &(tips_padding){0});
    return TIPS_OK;
}

void tips__conv_transpose_release(tips_op *op) {
    transpose_state *s = op->state;
    if (!s) return;
    tips__conv_destroy(s->weights);
    tips__free(s);
    op->state = NULL;
}

/* ---- forward ---- */

/* The plain kernel of one part: outputs first, taps in the order of the pixels they read. */
static void gather_taps(const tips_op *op, const float *plain, conv_transpose_part y, conv_transpose_part x,
                        float *out) {
    const tips_conv2d *c = conv_of(op);
    const int each_in = op->in_channels / c->groups, each_out = c->out / c->groups;
    const size_t area = (size_t)c->kernel[0] * (size_t)c->kernel[1];
    for (int o = 0; o < c->out; o++)
        for (int i = 0; i < each_in; i++) {
            const int in = o / each_out * each_in + i;
            const float *from = plain + ((size_t)in * (size_t)each_out + (size_t)(o % each_out)) * area;
            for (int a = 0; a < y.taps; a++)
                for (int b = 0; b < x.taps; b++)
                    *out++ = from[(y.first - a * y.step) * c->kernel[1] + x.first - b * x.step];
        }
}

static void pack_parts(const tips_op *op, float *packed) {
    const tips_conv2d *c = conv_of(op);
    float *plain = op->scratch, *part = (float *)((char *)op->scratch + plain_bytes(op));
    tips__conv_weights_unpack(op->in_channels, c->out, c->kernel[0], c->kernel[1], c->groups, op->param[0], plain);
    for (int r = 0; r < c->stride[0] * c->stride[1]; r++) {
        const int row = r / c->stride[1], column = r % c->stride[1];
        const conv_transpose_part y = part_of(op, 0, row), x = part_of(op, 1, column);
        if (y.taps == 0 || x.taps == 0) continue;
        gather_taps(op, plain, y, x, part);
        tips__conv_weights_pack(c->out, op->in_channels, y.taps, x.taps, c->groups, part, packed);
        packed += part_floats(op, row, column);
    }
}

/* Pixels (row, column) of all cells, moved by each sample's phase. */
static void put_part(const tips_op *op, const tips_map *part, int row, int column) {
    const int *stride = conv_of(op)->stride;
    const tips_map *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const int top = row + tips__phase_of(op, n) / stride[1], left = column + tips__phase_of(op, n) % stride[1];
        for (int y = 0; y < part->h; y++) {
            const float *from = tips__row(part, n, b, y);
            float *to = tips__row(dst, n, b, (y * stride[0] + top) % dst->h);
            for (int x = 0; x < part->w; x++)
                vf_store(to + (ptrdiff_t)((x * stride[1] + left) % dst->w) * TIPS_BLOCK,
                         vf_load(from + (ptrdiff_t)x * TIPS_BLOCK));
        }
    }
}

/* Pixels that no tap reaches are the bias. */
static void fill_part(const tips_op *op, const tips_map *part) {
    TIPS_PARALLEL_PLANES (part, n, b) {
        const vf value = op->node->n_params > 1 ? vf_load(op->param[1] + (ptrdiff_t)b * TIPS_BLOCK) : (vf){0};
        for (int y = 0; y < part->h; y++)
            for (int x = 0; x < part->w; x++) vf_store(tips__row(part, n, b, y) + (ptrdiff_t)x * TIPS_BLOCK, value);
    }
}

static void run_part(const tips_op *op, const tips_map *src, const float *packed, conv_transpose_part y,
                     conv_transpose_part x, const tips_map *part) {
    const tips_conv2d *c = conv_of(op);
    const tips_group_plan groups = tips__group_plan(src->c, c->out, c->groups);
    const tips_finish finish = {.bias = op->node->n_params > 1 ? op->param[1] : NULL, .high = INFINITY};
    const tips_direct conv = {.kh = y.taps, .kw = x.taps, .sh = 1, .sw = 1, .dh = y.spread, .dw = x.spread,
                              .top = -y.offset, .left = -x.offset,
                              .groups = groups == TIPS_GROUPS_BLOCKED ? c->groups : 1};
    (groups == TIPS_GROUPS_DEPTHWISE ? tips__depthwise_forward : tips__direct_forward)(&conv, src, packed, &finish,
                                                                                      part);
}

static tips_map source_of(const tips_op *op, const transpose_state *s, void *room) {
    const tips_map *x = &op->in[0].map;
    if (tips__pad_none(&s->halo)) return *x;
    const tips_map staged = tips__map_haloed(room, x->n, x->c, x->h, x->w, &s->halo);
    tips__map_copy(&staged, x);
    tips__halo_fill(&staged, &s->halo);
    return staged;
}

tips_status tips__conv_transpose_forward(tips_op *op) {
    const tips_conv2d *c = conv_of(op);
    const transpose_state *s = op->state;
    float *packed = op->workspace;
    char *room = (char *)op->scratch + 2 * plain_bytes(op);
    TIPS_TRY(tips__check_phases(op, c->stride));
    if (tips__goes_back(&op->pass) || op->fold_version != *op->version) pack_parts(op, packed);
    op->fold_version = *op->version;
    const tips_map src = source_of(op, s, room + part_bytes(op));
    for (int r = 0; r < c->stride[0] * c->stride[1]; r++) {
        const int row = r / c->stride[1], column = r % c->stride[1];
        const conv_transpose_part y = part_of(op, 0, row), x = part_of(op, 1, column);
        if (y.pixels == 0 || x.pixels == 0) continue;
        const tips_map part = tips__map_dense((float *)(void *)room, src.n, c->out, y.pixels, x.pixels);
        if (y.taps == 0 || x.taps == 0) fill_part(op, &part);
        else run_part(op, &src, packed, y, x, &part);
        packed += part_floats(op, row, column);
        put_part(op, &part, row, column);
    }
    return TIPS_OK;
}

/* ---- backward ---- */

/* The gradient as if the phase were 0, with its border. */
static tips_map unrolled(const tips_op *op, const tips_padding *border, void *room) {
    const int *stride = conv_of(op)->stride;
    const tips_map *dy = &op->out[0].diff;
    const tips_map staged = tips__map_haloed(room, dy->n, dy->c, dy->h, dy->w, border);
    TIPS_PARALLEL_PLANES (dy, n, b) {
        const int top = tips__phase_of(op, n) / stride[1], left = tips__phase_of(op, n) % stride[1];
        for (int y = 0; y < dy->h; y++) {
            const float *from = tips__row(dy, n, b, (y + top) % dy->h);
            float *to = tips__row(&staged, n, b, y);
            memcpy(to, from + (ptrdiff_t)left * TIPS_BLOCK, (size_t)(dy->w - left) * TIPS_BLOCK * sizeof(float));
            memcpy(to + (ptrdiff_t)(dy->w - left) * TIPS_BLOCK, from, (size_t)left * TIPS_BLOCK * sizeof(float));
        }
    }
    if (!tips__pad_none(border)) tips__halo_fill(&staged, border);
    return staged;
}

static void backward_data(const tips_op *op, const tips_padding *border, const tips_map *dy) {
    const tips_conv2d *c = conv_of(op);
    const tips_map *dx = &op->in[0].diff;
    const tips_group_plan groups = tips__group_plan(dy->c, dx->c, c->groups);
    const tips_finish finish = {.residual = op->in[0].accumulate ? dx : NULL, .high = INFINITY};
    const tips_direct conv = {.kh = c->kernel[0], .kw = c->kernel[1], .sh = c->stride[0], .sw = c->stride[1],
                              .dh = c->dilation[0], .dw = c->dilation[1], .top = border->top, .left = border->left,
                              .groups = groups == TIPS_GROUPS_BLOCKED ? c->groups : 1};
    (groups == TIPS_GROUPS_DEPTHWISE ? tips__depthwise_forward : tips__direct_forward)(&conv, dy, op->param[0], &finish,
                                                                                      dx);
}

static tips_status backward_weights(const tips_op *op, const transpose_state *s, const float *dy, float *room) {
    const tips_conv2d *c = conv_of(op);
    const tips_map *x = &op->in[0].map;
    const float *source = x->data;
    if (!tips__map_is_dense(x)) {
        const tips_map dense = tips__map_dense(room, x->n, x->c, x->h, x->w);
        tips__map_copy(&dense, x);
        source = room;
    }
    TIPS_TRY(tips__conv_backward_weights(s->weights, dy, source, op->dparam[0], op->scratch));
    tips__conv_weights_mask(x->c, op->out[0].diff.c, c->kernel[0], c->kernel[1], c->groups, op->dparam[0]);
    return TIPS_OK;
}

tips_status tips__conv_transpose_backward(tips_op *op) {
    const transpose_state *s = op->state;
    char *staged = (char *)op->scratch + s->engine_bytes;
    float *room = (float *)(void *)(staged + staged_bytes(&op->out[0].map, &s->border));
    if (op->dparam[1]) tips__conv2d_bias_gradient(&op->out[0].diff, op->dparam[1]);
    if (!op->in[0].want_diff && !s->weights) return TIPS_OK;
    const tips_map dy = unrolled(op, &s->border, staged);
    if (s->weights) TIPS_TRY(backward_weights(op, s, (const float *)(const void *)staged, room));
    if (op->in[0].want_diff) backward_data(op, &s->border, &dy);
    return TIPS_OK;
}
