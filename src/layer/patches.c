/* Patches of sh x sw pixels become pixels with sh sw c channels, column by column: y[(b sh + a) c + i, p, q] =
 * x[i, sh p + a, sw q + b]. With `dense`, every pixel is the corner of a patch, around the torus:
 * y[(b sh + a) c + i, p, q] = x[i, p + a, q + b]. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "layer/layers.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_patches *config = node->config;
    const int *size = config->size;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (size[0] < 1 || size[1] < 1 || size[0] > 64 || size[1] > 64)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': patches of %dx%d; they are 1x1 to 64x64", node->name, size[0], size[1]);
    if (!config->dense && (in.h % size[0] || in.w % size[1]))
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': a map of %dx%d is not divisible into patches of %dx%d", node->name, in.h,
                  in.w, size[0], size[1]);
    tips__node_out(graph, node, tips__map_info(in.c * size[0] * size[1], config->dense ? in.h : in.h / size[0],
                                               config->dense ? in.w : in.w / size[1], in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op, (void)plan;
    return TIPS_OK;
}

/* A channel of the patches: the channel of the map, and which pixel of the patch. */
typedef struct origin {
    int c, down, right;
} origin;

static origin origin_of(const tips_op *op, int channel) {
    const int c = op->in[0].map.c, high = ((const tips_patches *)op->node->config)->size[0];
    return (origin){channel % c, channel / c % high, channel / c / high};
}

/* Where pixel (y, x) of the patches finds a channel, in its first lane of that block. */
static float *find(const tips_op *op, const tips_map *map, int n, origin from, int y, int x) {
    const tips_patches *config = op->node->config;
    const int row = y * (config->dense ? 1 : config->size[0]) + from.down;
    const int column = x * (config->dense ? 1 : config->size[1]) + from.right;
    return tips__row(map, n, from.c / TIPS_BLOCK, row % map->h) + (ptrdiff_t)(column % map->w) * TIPS_BLOCK +
           from.c % TIPS_BLOCK;
}

static void forward_plane(const tips_op *op, int n, int b) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const bool whole = src->c % TIPS_BLOCK == 0;
    const int lanes = whole ? 1 : tips__lanes(dst->c, b);
    for (int l = 0; l < lanes; l++) {
        const origin from = origin_of(op, b * TIPS_BLOCK + l);
        for (int y = 0; y < dst->h; y++) {
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w; x++) {
                const float *at = find(op, src, n, from, y, x);
                if (whole) vf_store(to + (ptrdiff_t)x * TIPS_BLOCK, vf_load(at));
                else to[(ptrdiff_t)x * TIPS_BLOCK + l] = *at;
            }
        }
    }
    for (int l = lanes; l < TIPS_BLOCK && !whole; l++)
        for (int i = 0; i < dst->h * dst->w; i++)
            tips__row(dst, n, b, i / dst->w)[(ptrdiff_t)(i % dst->w) * TIPS_BLOCK + l] = 0;
}

static tips_status forward(tips_op *op) {
    TIPS_PARALLEL_PLANES (&op->out[0].map, n, b) forward_plane(op, n, b);
    return TIPS_OK;
}

/* The patches' pixels of one channel (or whole block of them) go back to where they came from. */
static void backward_channel(const tips_op *op, int n, int channel, bool whole) {
    const tips_map *diff_dst = &op->out[0].diff;
    const origin from = origin_of(op, channel);
    for (int y = 0; y < diff_dst->h; y++) {
        const float *dy = tips__row(diff_dst, n, channel / TIPS_BLOCK, y) + channel % TIPS_BLOCK;
        for (int x = 0; x < diff_dst->w; x++) {
            float *to = find(op, &op->in[0].diff, n, from, y, x);
            if (whole) tips__put(to, vf_load(dy + (ptrdiff_t)x * TIPS_BLOCK), true);
            else *to += dy[(ptrdiff_t)x * TIPS_BLOCK];
        }
    }
}

static tips_status backward(tips_op *op) {
    const tips_map *diff_src = &op->in[0].diff;
    const int *size = ((const tips_patches *)op->node->config)->size, c = diff_src->c;
    const bool whole = c % TIPS_BLOCK == 0;
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_PARALLEL_PLANES (diff_src, n, b) {
        for (int y = 0; y < diff_src->h && !op->in[0].accumulate; y++)
            memset(tips__row(diff_src, n, b, y), 0, (size_t)diff_src->w * TIPS_BLOCK * sizeof(float));
        for (int k = 0; k < size[0] * size[1]; k++)
            for (int l = 0; l < (whole ? 1 : tips__lanes(c, b)); l++)
                backward_channel(op, n, k * c + b * TIPS_BLOCK + l, whole);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_patches *config = op->node->config;
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    double *to = out->data;
    for (int plane = 0; plane < out->n * out->c; plane++) {
        const int n = plane / out->c, k = plane % out->c / in->c, i = plane % in->c;
        for (int y = 0; y < out->h; y++)
            for (int x = 0; x < out->w; x++) {
                const int row = (config->dense ? y : y * config->size[0]) + k % config->size[0];
                const int column = (config->dense ? x : x * config->size[1]) + k / config->size[0];
                *to++ = in->data[(((size_t)n * in->c + i) * in->h + row % in->h) * in->w + column % in->w];
            }
    }
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    const tips_patches *config = node->config;
    return config->dense || config->size[0] * config->size[1] == 1 ? NULL : "patch grid";
}

static bool pools(const tips_node *node, int stride[2]) {
    const tips_patches *config = node->config;
    for (int axis = 0; axis < 2; axis++) stride[axis] = config->dense ? 1 : config->size[axis];
    return stride[0] * stride[1] > 1;
}

static const tips_option options[] = {
    {.name = "size", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_patches, size), .fallback = "2", .min = 1,
     .max = 64, .help = "rows and columns of a patch"},
    {.name = "dense", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_patches, dense), .fallback = "false",
     .help = "a patch for every pixel, around the torus"},
    {.type = TIPS_OPT_END},
};

static tips_operand emit_rolled(tips_emitter *to, const tips_node *node, tips_operand x, int down, int right) {
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    if (down % in.h) x = tips__emit_rolled(to, x, TIPS_EMIT_ROWS, down % in.h);
    return right % in.w ? tips__emit_rolled(to, x, TIPS_EMIT_COLUMNS, right % in.w) : x;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    enum { MOST = 64 * 64 };
    static const int to_the_end[2] = {INT_MAX, INT_MAX};
    const tips_patches *config = node->config;
    const int *size = config->size, count = size[0] * size[1];
    tips_operand part[MOST];
    const tips_operand x = tips__emit_in(to, node, 0);
    for (int k = 0; k < count; k++) {
        const int start[2] = {k % size[0], k / size[0]};
        part[k] = config->dense ? emit_rolled(to, node, x, start[0], start[1])
                                : tips__emit_window(to, x, start, to_the_end, size);
    }
    tips__emit_out(to, node, 0, count == 1 ? x : tips__emit_concat(to, part, count, 1));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_patches) = {
    .name = "patches",
    .brief = "the pixels of a patch side by side as channels of one pixel",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_patches),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .pools = pools,
};
