/* The same numbers in another shape, in the plain order c, h, w: y[i] = x[i] with i = (c H + h) W + w on both sides. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static bool flattens(const tips_reshape *config) { return config->c == 0 && config->h == 0 && config->w == 0; }

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_reshape *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    const double count = (double)in.c * in.h * in.w;
    const bool fits = flattens(config) ? count <= INT32_MAX : (double)config->c * config->h * config->w == count;
    if (!fits || config->c < 0 || config->h < 0 || config->w < 0) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': a map of %dx%dx%d cannot become one of %dx%dx%d", node->name, in.c, in.h,
                  in.w, config->c, config->h, config->w);
    }
    const tips_value_info out = flattens(config) ? tips__map_info(in.c * in.h * in.w, 1, 1, in.per_sample)
                                                 : tips__map_info(config->c, config->h, config->w, in.per_sample);
    tips__node_out(graph, node, out);
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

/* A place in a map that moves on in the plain order. */
typedef struct cursor {
    const float *at; /* first pixel of the row, at the channel's lane */
    int c, y, x;
} cursor;

static void seek_row(const tips_map *map, int n, cursor *p) {
    p->at = tips__row(map, n, p->c / TIPS_BLOCK, p->y) + p->c % TIPS_BLOCK;
}

static cursor cursor_at(const tips_map *map, int n, int channel, int area) {
    const size_t i = (size_t)channel * (size_t)area, own = (size_t)map->h * (size_t)map->w;
    cursor p = {.c = (int)(i / own), .y = (int)(i % own / (size_t)map->w), .x = (int)(i % (size_t)map->w)};
    seek_row(map, n, &p);
    return p;
}

static float take(const tips_map *map, int n, cursor *p) {
    const float value = p->at[(ptrdiff_t)p->x * TIPS_BLOCK];
    if (++p->x < map->w) return value;
    p->x = 0;
    if (++p->y == map->h) p->y = 0, p->c++;
    if (p->c < map->c) seek_row(map, n, p);
    return value;
}

static void reshape_plane(const tips_map *src, const tips_map *dst, int n, int b, bool accumulate) {
    const int lanes = tips__lanes(dst->c, b);
    cursor from[TIPS_BLOCK];
    for (int l = 0; l < lanes; l++) from[l] = cursor_at(src, n, b * TIPS_BLOCK + l, dst->h * dst->w);
    for (int y = 0; y < dst->h; y++) {
        float *to = tips__row(dst, n, b, y);
        for (int x = 0; x < dst->w * TIPS_BLOCK; x += TIPS_BLOCK) {
            vf value = {0};
            for (int l = 0; l < lanes; l++) value[l] = take(src, n, &from[l]);
            tips__put(to + x, value, accumulate);
        }
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b) reshape_plane(src, dst, n, b, false);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    TIPS_PARALLEL_PLANES (diff_src, n, b) reshape_plane(diff_dst, diff_src, n, b, op->in[0].accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    memcpy(op->out[0].data, in->data, (size_t)in->n * in->c * in->h * in->w * sizeof *in->data);
    return TIPS_OK;
}

/* A value that an anchor has put in place, through layers with one input only, does not shift any more. */
static bool is_anchored(const tips_graph *graph, tips_value value) {
    for (int id = tips__value(graph, value)->producer; id >= 0; id = tips__value(graph, value)->producer) {
        const tips_node *node = tips__graph_node(graph, id);
        if (node->layer == &tips__layer_anchor) return true;
        if (node->n_in != 1) return false;
        value = node->in[0];
    }
    return false;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]), *out = tips__value(graph, node->out[0]);
    const bool is_vector = in->h == 1 && in->w == 1, is_same = in->h == out->h && in->w == out->w;
    return is_vector || is_same || is_anchored(graph, node->in[0]) ? NULL : "position-dependent head";
}

static const tips_option options[] = {
    {.name = "c", .type = TIPS_OPT_INT, .offset = offsetof(tips_reshape, c), .fallback = "0", .min = 0, .max = 1 << 30,
     .help = "channels; 0 for all three: flatten"},
    {.name = "h", .type = TIPS_OPT_INT, .offset = offsetof(tips_reshape, h), .fallback = "0", .min = 0, .max = 1 << 30,
     .help = "rows"},
    {.name = "w", .type = TIPS_OPT_INT, .offset = offsetof(tips_reshape, w), .fallback = "0", .min = 0, .max = 1 << 30,
     .help = "columns"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_value_info in = tips__emit_in_info(to, node, 0), out = tips__emit_out_info(to, node, 0);
    const tips_operand x = tips__emit_in(to, node, 0);
    if (in.h > 1 || in.w > 1 || !tips__emit_in_is_pixel(to, node, 0))
        tips__emit_fix_size(to, node, "it turns positions into channels");
    if (out.h == 1 && out.w == 1) tips__emit_out_vector(to, node, 0, tips__emit_in_vector(to, node, 0));
    else tips__emit_out(to, node, 0, tips__emit_reshape(to, x, (const int64_t[]){-1, out.c, out.h, out.w}, 4));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_reshape) = {
    .name = "reshape",
    .brief = "the same numbers in another shape, or as a vector",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_ONE_PIXEL,
    .options = options,
    .config_size = sizeof(tips_reshape),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
