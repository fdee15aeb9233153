/* conv2d by Winograd's algorithm: any strides in and out, no halo, no staging. */
#include "layer/conv2d_run.h"

#include "core/memory.h"
#include "engine/direct_conv.h"
#include "engine/winograd.h"
#include "engine/winograd_origin.h"
#include "tensor/pad.h"

enum {
    FEWEST_CHANNELS = 24, /* below, the transforms cost more than they save */
    FEWEST_TILES = 9      /* of a map; below, a lone picture waits for its weights, which are four times as many */
};

static int tiles(int size) { return (size + 3) / 4; }

/* Where bits shall follow every shift, tiles do too. A backward pass claims nothing of the kind. */
static bool is_anchored(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    return c->padding.mode == TIPS_PAD_CIRCULAR && op->algorithm != TIPS_ALGORITHM_FAST && !tips__goes_back(&op->pass);
}

static bool may_be_fast(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    if (op->algorithm == TIPS_ALGORITHM_FAST || is_anchored(op)) return true;
    return op->algorithm == TIPS_ALGORITHM_AUTO && (tips__goes_back(&op->pass) || c->padding.mode == TIPS_PAD_ZERO);
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
    return (tips_winograd){.n = x->n,
                           .h = x->h,
                           .w = x->w,
                           .ic = tips__padded(x->c),
                           .oc = tips__padded(op->out[0].map.c),
                           .circular = c->padding.mode == TIPS_PAD_CIRCULAR};
}

/* ---- anchored tiles ---- */

static size_t aligned(size_t bytes) { return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN; }

/* What comes before the algorithm's scratch, in bytes from its start. */
typedef struct anchor_room {
    size_t marks;   /* to find origins by, behind these */
    size_t weights; /* packed, and a sample with its border, where direct kernels stand in */
    size_t haloed;
    size_t rest;
} anchor_room;

static anchor_room room_of(const tips_op *op) {
    const tips_conv2d *c = op->node->config;
    const tips_map *x = &op->in[0].map;
    if (!is_anchored(op)) return (anchor_room){0};
    anchor_room r = {.marks = aligned((size_t)x->n * sizeof(tips_place))};
    r.weights = r.marks + aligned(tips__origins_scratch(x->n, x->h, x->w));
    r.haloed = r.weights + aligned(tips__conv2d_packed_floats(op) * sizeof(float));
    r.rest = r.haloed + aligned(tips__map_bytes(1, x->c, x->h, x->w, &c->padding));
    return r;
}

static tips_map sample(const tips_map *map, int n, int count) {
    tips_map part = *map;
    part.data += n * map->sn;
    part.n = count;
    return part;
}

/* A picture that repeats itself has no place where tiles could begin; direct kernels have no tiles. */
static void run_direct(const tips_op *op, int n, const tips_finish *finish) {
    const tips_conv2d *c = op->node->config;
    const anchor_room room = room_of(op);
    float *weights = (float *)((char *)op->scratch + room.weights);
    float *buffer = (float *)((char *)op->scratch + room.haloed);
    const tips_map x = sample(&op->in[0].map, n, 1), y = sample(&op->out[0].map, n, 1);
    const tips_map haloed = tips__map_haloed(buffer, 1, x.c, x.h, x.w, &c->padding);
    tips__map_copy(&haloed, &x);
    tips__halo_fill(&haloed, &c->padding);
    tips__conv2d_packed_weights(op, weights);
    const tips_direct conv = {.kh = 3, .kw = 3, .sh = 1, .sw = 1, .dh = 1, .dw = 1, .top = 1, .left = 1, .groups = 1};
    tips__direct_forward(&conv, &haloed, weights, finish, &y);
}

static void run_tiles(const tips_op *op, int n, int count, const float *weights, const tips_finish *finish) {
    tips_winograd s = shape_of(op);
    s.n = count;
    s.origins = (const tips_place *)op->scratch + n;
    const tips_map x = sample(&op->in[0].map, n, count), y = sample(&op->out[0].map, n, count);
    tips__winograd_forward(&s, &x, weights, finish, &y, (char *)op->scratch + room_of(op).rest);
}

static void run_anchored(const tips_op *op, const float *weights, const tips_finish *finish) {
    const int samples = op->in[0].map.n;
    tips_place *origins = op->scratch;
    tips__origins_find(&op->in[0].map, origins, (char *)op->scratch + room_of(op).marks);
    for (int n = 0, end; n < samples; n = end) {
        tips_finish own = *finish;
        const tips_map residual = finish->residual ? sample(finish->residual, n, samples - n) : (tips_map){0};
        if (finish->residual) own.residual = &residual;
        for (end = n; end < samples && origins[end].y >= 0;) end++;
        if (end > n) run_tiles(op, n, end - n, weights, &own);
        else run_direct(op, end++, &own);
    }
}

/* ---- a convolution's run ---- */

tips_status tips__conv2d_fast_plan(tips_op *op, tips_plan *plan) {
    const tips_winograd s = shape_of(op);
    plan->forward_scratch = room_of(op).rest + (tips__goes_back(&op->pass) ? tips__winograd_packed_scratch(&s)
                                                                           : tips__winograd_forward_scratch(&s));
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
    if (is_anchored(op)) run_anchored(op, weights, finish);
    else
        (tips__goes_back(&op->pass) ? tips__winograd_packed_forward : tips__winograd_forward)(
            &s, &op->in[0].map, weights, finish, &op->out[0].map, op->scratch);
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
