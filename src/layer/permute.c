/* The numbers of a map, in the plain order c, h, w, seen as a tensor of up to seven axes whose order is changed; what
 * comes out is a map again: y[i, j, k] = x[j, i, k] for `d1` to `d3` and order=213. Each of its channels, rows and
 * columns is one or several of the axes. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

/* The config as lists. */
typedef struct axes {
    int n;
    int from[TIPS_PERMUTE_MOST];       /* (n): the axis of the input that each axis of the output is */
    int extents[TIPS_PERMUTE_MOST];    /* (n): of the output */
    int32_t steps[TIPS_PERMUTE_MOST];  /* (n): from one to the next in the plain order of the input */
} axes;

/* Digits that are no order of the axes leave n at 0. */
static axes axes_of(const tips_permute *config) {
    axes a = {0};
    int32_t steps[TIPS_PERMUTE_MOST];
    bool seen[TIPS_PERMUTE_MOST] = {false};
    int digits[TIPS_PERMUTE_MOST + 3], n = 0;
    for (int left = config->order; left > 0 && n < TIPS_PERMUTE_MOST + 1; left /= 10) digits[n++] = left % 10;
    if (n == 0 || n > TIPS_PERMUTE_MOST) return a;
    for (int i = n - 1, step = 1; i >= 0; step *= config->dims[i--]) steps[i] = step;
    for (int i = 0; i < n; i++) {
        const int axis = digits[n - 1 - i] - 1;
        if (axis < 0 || axis >= n || seen[axis]) return a;
        seen[axis] = true;
        a.from[i] = axis;
        a.extents[i] = config->dims[axis];
        a.steps[i] = steps[axis];
    }
    a.n = n;
    return a;
}

static bool holds(const tips_permute *config, const tips_value_info *in) {
    double count = 1;
    for (int i = 0; i < TIPS_PERMUTE_MOST && config->dims[i] > 0; i++) count *= config->dims[i];
    return count == (double)in->c * in->h * in->w && (double)config->c * config->h * config->w == count;
}

/* The axes of the output that make up each of its channels, rows and columns: first[i] to before first[i + 1]. */
static bool split_axes(const tips_permute *config, const axes *a, int first[4]) {
    const int extents[3] = {config->c, config->h, config->w};
    int at = first[0] = 0;
    for (int role = 0; role < 3; role++) {
        int product = 1;
        while (at < a->n && product < extents[role]) product *= a->extents[at++];
        if (product != extents[role]) return false;
        first[role + 1] = at;
    }
    while (first[3] < a->n && a->extents[first[3]] == 1) first[3]++;
    return first[3] == a->n;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_permute *config = node->config;
    int first[4];
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (!holds(config, &in))
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': the axes and the result do not have the numbers of a map of %dx%dx%d",
                  node->name, in.c, in.h, in.w);
    const axes a = axes_of(config);
    if (a.n == 0) TIPS_FAIL(TIPS_RANGE, "layer '%s': %d is no order of the axes", node->name, config->order);
    if (!split_axes(config, &a, first))
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': axes would have to be split for a map of %dx%dx%d", node->name, config->c,
                  config->h, config->w);
    tips__node_out(graph, node, tips__map_info(config->c, config->h, config->w, in.per_sample));
    return TIPS_OK;
}

/* Where the channels, rows and columns of the output begin in the plain order of the input: the three add up. */
typedef struct places {
    const uint32_t *part[3]; /* (c), (h), (w) */
} places;

static size_t place_bytes(const tips_op *op) {
    const tips_permute *config = op->node->config;
    return ((size_t)config->c + (size_t)config->h + (size_t)config->w) * sizeof(uint32_t);
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->forward_scratch = plan->backward_scratch = place_bytes(op);
    return TIPS_OK;
}

static places find_places(const tips_op *op) {
    const tips_permute *config = op->node->config;
    const int extents[3] = {config->c, config->h, config->w};
    const axes a = axes_of(config);
    int first[4] = {0};
    uint32_t *to = op->scratch;
    places p;
    split_axes(config, &a, first);
    for (int role = 0; role < 3; role++) {
        p.part[role] = to;
        for (int i = 0; i < extents[role]; i++) {
            uint32_t place = 0;
            for (int axis = first[role + 1] - 1, left = i; axis >= first[role]; left /= a.extents[axis--])
                place += (uint32_t)(left % a.extents[axis]) * (uint32_t)a.steps[axis];
            *to++ = place;
        }
    }
    return p;
}

/* Where number `at` of the plain order lies. */
static inline float *number(const tips_map *map, int n, uint32_t at) {
    const uint32_t w = (uint32_t)map->w, area = w * (uint32_t)map->h, c = at / area, rest = at % area;
    return tips__row(map, n, (int)(c / TIPS_BLOCK), (int)(rest / w)) + rest % w * TIPS_BLOCK + c % TIPS_BLOCK;
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const places p = find_places(op);
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const uint32_t *channels = p.part[0] + (ptrdiff_t)b * TIPS_BLOCK;
        const int lanes = tips__lanes(dst->c, b);
        for (int y = 0; y < dst->h; y++) {
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w; x++, to += TIPS_BLOCK) {
                const uint32_t pixel = p.part[1][y] + p.part[2][x];
                vf value = {0};
                for (int l = 0; l < lanes; l++) value[l] = *number(src, n, channels[l] + pixel);
                vf_store(to, value);
            }
        }
    }
    return TIPS_OK;
}

/* Every number of the input has one place in the output, so threads do not meet. */
static tips_status backward(tips_op *op) {
    const tips_slot *in = &op->in[0];
    const tips_map *diff_dst = &op->out[0].diff;
    if (!in->want_diff) return TIPS_OK;
    if (!in->accumulate) tips__map_zero(&in->diff);
    const places p = find_places(op);
    TIPS_PARALLEL_PLANES (diff_dst, n, b) {
        const uint32_t *channels = p.part[0] + (ptrdiff_t)b * TIPS_BLOCK;
        const int lanes = tips__lanes(diff_dst->c, b);
        for (int y = 0; y < diff_dst->h; y++) {
            const float *from = tips__row(diff_dst, n, b, y);
            for (int x = 0; x < diff_dst->w; x++, from += TIPS_BLOCK)
                for (int l = 0; l < lanes; l++)
                    *number(&in->diff, n, channels[l] + p.part[1][y] + p.part[2][x]) += from[l];
        }
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const axes a = axes_of(op->node->config);
    const size_t count = (size_t)in->c * in->h * in->w;
    for (size_t i = 0; i < (size_t)in->n * count; i++) {
        size_t left = i % count, place = 0;
        for (int axis = a.n - 1; axis >= 0; left /= (size_t)a.extents[axis--])
            place += left % (size_t)a.extents[axis] * (size_t)a.steps[axis];
        op->out[0].data[i] = in->data[i / count * count + place];
    }
    return TIPS_OK;
}

/* Positions that stay positions, with channels alone in another order. */
static bool keeps_positions(const tips_permute *config, const tips_value_info *in) {
    const axes a = axes_of(config);
    int first[4];
    if (config->h != in->h || config->w != in->w || !split_axes(config, &a, first)) return false;
    for (int i = first[1]; i < a.n; i++)
        if (a.from[i] != i && a.extents[i] > 1) return false;
    return true;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]);
    return (in->h == 1 && in->w == 1) || keeps_positions(node->config, in) ? NULL : "token order";
}

#define AXIS(name_, i)                                                                                          \
    {.name = name_, .type = TIPS_OPT_INT, .offset = offsetof(tips_permute, dims) + (i) * sizeof(int), .fallback = "0", \
     .min = 0, .max = 1 << 30, .help = "extent of an axis of the input; 0: there is none"}

static const tips_option options[] = {
    AXIS("d1", 0), AXIS("d2", 1), AXIS("d3", 2), AXIS("d4", 3), AXIS("d5", 4), AXIS("d6", 5), AXIS("d7", 6),
    {.name = "order", .type = TIPS_OPT_INT, .offset = offsetof(tips_permute, order), .fallback = "1", .min = 1,
     .max = 7654321, .help = "the axes of the output, a digit each: 213 exchanges the first two of three"},
    {.name = "c", .type = TIPS_OPT_INT, .offset = offsetof(tips_permute, c), .fallback = "1", .min = 1, .max = 1 << 30,
     .help = "channels of the output"},
    {.name = "h", .type = TIPS_OPT_INT, .offset = offsetof(tips_permute, h), .fallback = "1", .min = 1, .max = 1 << 30,
     .help = "rows"},
    {.name = "w", .type = TIPS_OPT_INT, .offset = offsetof(tips_permute, w), .fallback = "1", .min = 1, .max = 1 << 30,
     .help = "columns"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_permute *config = node->config;
    const axes a = axes_of(config);
    int64_t dims[TIPS_PERMUTE_MOST + 1] = {-1};
    tips_attribute perm = {.name = "perm", .type = TIPS_ATTRIBUTE_INTS, .n_ints = a.n + 1};
    for (int i = 0; i < a.n; i++) dims[i + 1] = config->dims[i], perm.ints[i + 1] = a.from[i] + 1;
    tips__emit_fix_size(to, node, "it puts positions in another order");
    const tips_operand x = tips__emit_reshape(to, tips__emit_in(to, node, 0), dims, a.n + 1);
    const tips_operand y = tips__emit_op(to, "Transpose", &x, 1, TIPS_WITH(perm));
    tips__emit_out(to, node, 0, tips__emit_reshape(to, y, (const int64_t[]){-1, config->c, config->h, config->w}, 4));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_permute) = {
    .name = "permute",
    .brief = "the numbers of a map with axes in another order",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_permute),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
