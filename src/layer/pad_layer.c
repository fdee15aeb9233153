/* Explicit padding: y[i,j] = x[index(i - top), index(j - left)] with the index rule of the padding mode; `value` where
 * zero padding leads outside.
 * Extends a map whose size the stride does not divide. Backward folds the border back. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "layer/padding_options.h"
#include "emit/emit.h"
#include "tensor/pad.h"

#include <string.h>

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_padding *pad = &((const tips_pad_config *)node->config)->padding;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (pad->top < 0 || pad->left < 0 || pad->bottom < 0 || pad->right < 0) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': padding of %d, %d, %d, %d (top, left, bottom, right) must not be negative",
                  node->name, pad->top, pad->left, pad->bottom, pad->right);
    }
    tips__node_out(graph, node, tips__map_info(in.c, in.h + pad->top + pad->bottom, in.w + pad->left + pad->right,
                                               in.per_sample));
    return TIPS_OK;
}

static size_t plane_floats(const tips_op *op) {
    const tips_pad_config *config = op->node->config;
    return tips__pad_plane_floats(op->in[0].map.h, op->in[0].map.w, &config->padding);
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->backward_scratch = tips__thread_bytes(plane_floats(op));
    return TIPS_OK;
}

static void fill(float *to, int count, vf value) {
    for (int x = 0; x < count * TIPS_BLOCK; x += TIPS_BLOCK) vf_store(to + x, value);
}

static void pad_rows(const tips_map *src, int n, int b, const tips_pad_config *config, const tips_map *dst) {
    const tips_padding *pad = &config->padding;
    const tips_padding sides = {.mode = pad->mode, .left = pad->left, .right = pad->right};
    const vf border = tips__masked(vf_set((float)config->value), tips__lane_mask(src->c, b));
    tips_map one_row = *src;
    one_row.h = 1;
    for (int y = 0; y < dst->h; y++) {
        const int from = tips__pad_index(pad->mode, y - pad->top, src->h);
        float *to = tips__row(dst, n, b, y);
        if (from < 0) {
            fill(to, dst->w, border);
            continue;
        }
        one_row.data = src->data + from * src->sh;
        tips__pad_plane(&one_row, n, b, &sides, to);
        if (pad->mode != TIPS_PAD_ZERO || config->value == 0) continue;
        fill(to, pad->left, border);
        fill(to + (pad->left + src->w) * TIPS_BLOCK, pad->right, border);
    }
}

static tips_status forward(tips_op *op) {
    const tips_pad_config *config = op->node->config;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES(dst, n, b) pad_rows(src, n, b, config, dst);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_pad_config *config = op->node->config;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const size_t floats = plane_floats(op), row = (size_t)diff_dst->w * TIPS_BLOCK;
    TIPS_PARALLEL_PLANES(diff_src, n, b) {
        float *padded = tips__thread_scratch(op, floats);
        for (int y = 0; y < diff_dst->h; y++)
            memcpy(padded + (size_t)y * row, tips__row(diff_dst, n, b, y), row * sizeof(float));
        tips__fold_plane(padded, &config->padding, diff_src, n, b, op->in[0].accumulate);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_pad_config *config = op->node->config;
    const tips_padding *pad = &config->padding;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    double *to = out->data;
    for (int plane = 0; plane < in->n * in->c; plane++) {
        const double *from = in->data + (size_t)plane * in->h * in->w;
        for (int y = 0; y < out->h; y++) {
            for (int x = 0; x < out->w; x++) {
                const int from_y = tips__pad_index(pad->mode, y - pad->top, in->h);
                const int from_x = tips__pad_index(pad->mode, x - pad->left, in->w);
                *to++ = from_y < 0 || from_x < 0 ? config->value : from[from_y * in->w + from_x];
            }
        }
    }
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    const tips_pad_config *config = node->config;
    return tips__pad_none(&config->padding) ? NULL : "odd size";
}

static const tips_option options[] = {
    {.name = "pad-mode", .type = TIPS_OPT_LIKE, .offset = offsetof(tips_pad_config, padding.mode),
     .group = tips__padding_rows, .fallback = "circular"},
    {.type = TIPS_OPT_GROUP, .offset = offsetof(tips_pad_config, padding), .group = tips__padding_rows,
     .without = "pad-mode"},
    {.name = "value", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_pad_config, value), .fallback = "0",
     .min = -INFINITY, .max = INFINITY, .help = "what lies beyond the border where the padding is zero"},
    {.name = "extends", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_pad_config, extends), .fallback = "false",
     .help = "the border fills up to a multiple of a stride, so it is of this size only"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_pad_config *config = node->config;
    const tips_value_info size = tips__emit_in_info(to, node, 0);
    const tips_operand x = tips__emit_in(to, node, 0);
    if (config->extends) tips__emit_fix_size(to, node, "a stride does not divide its size");
    tips__emit_out(to, node, 0, tips__emit_pad(to, node, x, size, &config->padding, config->value));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_pad) = {
    .name = "pad",
    .brief = "a map with its border written out",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_pad_config),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
