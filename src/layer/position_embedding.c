/* Adds a vector of its own to every pixel: y[c, i] = x[c, i] + p[i, c]. With `extra` tokens, which have no pixel, the
 * map becomes a row that begins with them: y[c, 0, i] = p[i, c] for i < extra, else x[c, i - extra] + p[i, c]. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const int extra = ((const tips_position_embedding *)node->config)->extra;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (extra < 0) TIPS_FAIL(TIPS_RANGE, "layer '%s': %d extra tokens", node->name, extra);
    const int tokens = extra + in.h * in.w;
    tips__node_param(graph, node, "", (tips_param_spec){.layout = TIPS_TOKENS, .dims = {1, tokens, in.c}, .n_dims = 3,
                                                        .std = 0.02, .trainable = true});
    tips__node_out(graph, node, tips__map_info(in.c, extra ? 1 : in.h, extra ? tokens : in.w, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

/* Where token i of a plane lies. */
static inline float *token(const tips_map *map, int n, int b, int i) {
    return tips__row(map, n, b, i / map->w) + (ptrdiff_t)(i % map->w) * TIPS_BLOCK;
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const int extra = ((const tips_position_embedding *)op->node->config)->extra, tokens = dst->h * dst->w;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const float *own = op->param[0] + (ptrdiff_t)b * tokens * TIPS_BLOCK;
        for (int i = 0; i < tokens; i++, own += TIPS_BLOCK) {
            const vf value = i < extra ? (vf){0} : vf_load(token(src, n, b, i - extra));
            vf_store(token(dst, n, b, i), value + vf_load(own));
        }
    }
    return TIPS_OK;
}

/* Samples one after the other, so that the sum does not depend on the threads. */
static void backward_params(const tips_op *op) {
    const tips_map *diff_dst = &op->out[0].diff;
    const int tokens = diff_dst->h * diff_dst->w;
    TIPS_PARALLEL_FOR (i, diff_dst->blocks * tokens)
        for (int n = 0; n < diff_dst->n; n++)
            tips__put(op->dparam[0] + (ptrdiff_t)i * TIPS_BLOCK,
                      vf_load(token(diff_dst, n, i / tokens, i % tokens)), true);
}

static tips_status backward(tips_op *op) {
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const int extra = ((const tips_position_embedding *)op->node->config)->extra;
    if (op->dparam[0]) backward_params(op);
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_PARALLEL_PLANES (diff_src, n, b)
        for (int i = 0; i < diff_src->h * diff_src->w; i++)
            tips__put(token(diff_src, n, b, i), vf_load(token(diff_dst, n, b, extra + i)), op->in[0].accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    const int extra = ((const tips_position_embedding *)op->node->config)->extra;
    const int pixels = in->h * in->w, tokens = extra + pixels;
    double *to = out->data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int i = 0; i < tokens; i++)
            *to++ = op->param[0][(size_t)i * in->c + plane % in->c] +
                    (i < extra ? 0 : in->data[(size_t)plane * pixels + i - extra]);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph, (void)node;
    return "position embedding";
}

static const tips_option options[] = {
    {.name = "extra", .type = TIPS_OPT_INT, .offset = offsetof(tips_position_embedding, extra), .fallback = "0",
     .min = 0, .max = 1 << 12, .help = "tokens without a pixel that come first, in a row with the others"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const int extra = ((const tips_position_embedding *)node->config)->extra;
    const tips_value_info in = tips__emit_in_info(to, node, 0), out = tips__emit_out_info(to, node, 0);
    const tips_value_info row = {.kind = TIPS_MAP, .c = in.c, .h = 1, .w = in.h * in.w, .per_sample = in.per_sample};
    const tips_padding border = {.mode = TIPS_PAD_ZERO, .left = extra};
    const tips_operand param = tips__emit_param(to, node, 0);
    tips_operand own = tips__emit_op(
        to, "Transpose", &param, 1,
        TIPS_WITH({.name = "perm", .type = TIPS_ATTRIBUTE_INTS, .ints = {0, 2, 1}, .n_ints = 3}));
    own = tips__emit_reshape(to, own, (const int64_t[]){1, out.c, out.h, out.w}, 4);
    tips__emit_fix_size(to, node, "every position has numbers of its own");
    tips_operand x = tips__emit_in(to, node, 0);
    if (extra) {
        x = tips__emit_reshape(to, x, (const int64_t[]){-1, row.c, row.h, row.w}, 4);
        x = tips__emit_pad(to, node, x, row, &border, 0);
    }
    tips__emit_out(to, node, 0, tips__emit_binary(to, "Add", x, own));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_position_embedding) = {
    .name = "position_embedding",
    .brief = "a vector for every position added to its pixel, with room for tokens that have none",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_position_embedding),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
