/* Maps of another size: nearest pixel, or linear between the nearest two along each axis, without smoothing.
 * Where output i of an axis lies on the input (in cells, size m -> k, scale s):
 *   half_pixel          (i + 1/2) / s - 1/2
 *   pytorch_half_pixel  the same, 0 where k = 1
 *   align_corners       i (m - 1) / (k - 1), 0 where k = 1
 *   asymmetric          i / s
 * Cells beyond the border are those at the border. Backward is the exact transpose. */
#include "core/memory.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

/* One axis: size m -> k, scale s. */
typedef struct axis {
    int from, to;
    double scale;
} axis;

/* Output = low_weight * x[low] + high_weight * x[high]; nearest has a high_weight of 0. */
typedef struct tap {
    int low, high;
    float low_weight, high_weight;
} tap;

static axis axis_of(const tips_resize *config, int i, int size) {
    const double scale = i == 0 ? config->scale_h : config->scale_w;
    if (config->size[i] > 0) return (axis){size, config->size[i], (double)config->size[i] / size};
    const double wanted = floor(size * scale);
    return (axis){size, wanted < 1 || !(wanted < 1 << 24) ? 0 : (int)wanted, scale};
}

static tips_status check_config(const tips_node *node) {
    const tips_resize *c = node->config;
    if (c->mode < TIPS_RESIZE_NEAREST || c->mode > TIPS_RESIZE_LINEAR || c->grid < TIPS_GRID_HALF_PIXEL ||
        c->grid > TIPS_GRID_ASYMMETRIC || c->round < TIPS_ROUND_PREFER_FLOOR || c->round > TIPS_ROUND_CEIL) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': mode %d, grid %d, round %d; 0..1, 0..3 and 0..3 are known", node->name,
                  c->mode, c->grid, c->round);
    }
    return TIPS_OK;
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_resize *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(check_config(node));
    const tips_value_info in = tips__in_info(graph, node, 0);
    const axis rows = axis_of(config, 0, in.h), cols = axis_of(config, 1, in.w);
    if (config->size[0] < 0 || config->size[1] < 0 || rows.to < 1 || cols.to < 1) {
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a map of %dx%d cannot be resized to %dx%d, or by %g and %g", node->name,
                  in.h, in.w, config->size[0], config->size[1], config->scale_h, config->scale_w);
    }
    tips__node_out(graph, node, tips__map_info(in.c, rows.to, cols.to, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_map *dst = &op->out[0].map;
    plan->forward_scratch = plan->backward_scratch = ((size_t)dst->h + (size_t)dst->w) * sizeof(tap);
    return TIPS_OK;
}

static double position(const tips_resize *config, const axis *a, int i) {
    switch ((tips_resize_grid)config->grid) {
    case TIPS_GRID_HALF_PIXEL: return (i + 0.5) / a->scale - 0.5;
    case TIPS_GRID_PYTORCH_HALF_PIXEL: return a->to > 1 ? (i + 0.5) / a->scale - 0.5 : 0;
    case TIPS_GRID_ALIGN_CORNERS: return a->to > 1 ? (double)i * (a->from - 1) / (a->to - 1) : 0;
    case TIPS_GRID_ASYMMETRIC: return i / a->scale;
    }
    return 0;
}

static double clamped(double x, int size) { return x < 0 ? 0 : x > size - 1 ? size - 1 : x; }

static int nearest(const tips_resize *config, const axis *a, int i) {
    const double x = position(config, a, i);
    switch ((tips_resize_round)config->round) {
    case TIPS_ROUND_PREFER_FLOOR: return (int)clamped(ceil(x - 0.5), a->from);
    case TIPS_ROUND_PREFER_CEIL: return (int)clamped(floor(x + 0.5), a->from);
    case TIPS_ROUND_FLOOR: return (int)clamped(floor(x), a->from);
    case TIPS_ROUND_CEIL: return (int)clamped(ceil(x), a->from);
    }
    return 0;
}

static tap tap_of(const tips_resize *config, const axis *a, int i) {
    if (config->mode == TIPS_RESIZE_NEAREST) {
        const int cell = nearest(config, a, i);
        return (tap){cell, cell, 1, 0};
    }
    const double x = clamped(position(config, a, i), a->from);
    const int low = (int)x, high = low + 1 < a->from ? low + 1 : low;
    return (tap){low, high, (float)(1 - (x - low)), (float)(x - low)};
}

/* Taps of all rows, then of all columns. */
static const tap *make_taps(const tips_op *op) {
    const tips_resize *config = op->node->config;
    const tips_map *src = &op->in[0].map;
    const axis rows = axis_of(config, 0, src->h), cols = axis_of(config, 1, src->w);
    tap *taps = op->scratch;
    for (int i = 0; i < rows.to; i++) taps[i] = tap_of(config, &rows, i);
    for (int i = 0; i < cols.to; i++) taps[rows.to + i] = tap_of(config, &cols, i);
    return taps;
}

static void nearest_row(const float *from, const tap *cols, int count, float *to) {
    for (int x = 0; x < count; x++)
        vf_store(to + (ptrdiff_t)x * TIPS_BLOCK, vf_load(from + (ptrdiff_t)cols[x].low * TIPS_BLOCK));
}

static inline vf between(const float *row, tap t) {
    return vf_load(row + (ptrdiff_t)t.low * TIPS_BLOCK) * t.low_weight +
           vf_load(row + (ptrdiff_t)t.high * TIPS_BLOCK) * t.high_weight;
}

static void linear_row(const float *low, const float *high, tap row, const tap *cols, int count, float *to) {
    for (int x = 0; x < count; x++)
        vf_store(to + (ptrdiff_t)x * TIPS_BLOCK,
                 between(low, cols[x]) * row.low_weight + between(high, cols[x]) * row.high_weight);
}

static tips_status forward(tips_op *op) {
    const tips_resize *config = op->node->config;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const tap *rows = make_taps(op), *cols = rows + dst->h;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        for (int y = 0; y < dst->h; y++) {
            const float *low = tips__row(src, n, b, rows[y].low), *high = tips__row(src, n, b, rows[y].high);
            float *to = tips__row(dst, n, b, y);
            if (config->mode == TIPS_RESIZE_NEAREST) nearest_row(low, cols, dst->w, to);
            else linear_row(low, high, rows[y], cols, dst->w, to);
        }
    }
    return TIPS_OK;
}

static void spread_row(const float *from, float weight, const tap *cols, int count, float *to) {
    if (weight == 0) return;
    for (int x = 0; x < count; x++) {
        const vf value = vf_load(from + (ptrdiff_t)x * TIPS_BLOCK) * weight;
        tips__put(to + (ptrdiff_t)cols[x].low * TIPS_BLOCK, value * cols[x].low_weight, true);
        if (cols[x].high_weight == 0) continue;
        tips__put(to + (ptrdiff_t)cols[x].high * TIPS_BLOCK, value * cols[x].high_weight, true);
    }
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const tap *rows = make_taps(op), *cols = rows + diff_dst->h;
    if (!op->in[0].accumulate) tips__map_zero(diff_src);
    TIPS_PARALLEL_PLANES (diff_src, n, b) {
        for (int y = 0; y < diff_dst->h; y++) {
            const float *from = tips__row(diff_dst, n, b, y);
            spread_row(from, rows[y].low_weight, cols, diff_dst->w, tips__row(diff_src, n, b, rows[y].low));
            spread_row(from, rows[y].high_weight, cols, diff_dst->w, tips__row(diff_src, n, b, rows[y].high));
        }
    }
    return TIPS_OK;
}

/* How much of cell j is in output i. */
static double share(const tips_resize *config, const axis *a, int i, int j) {
    if (config->mode == TIPS_RESIZE_NEAREST) return nearest(config, a, i) == j;
    const double distance = fabs(clamped(position(config, a, i), a->from) - j);
    return distance < 1 ? 1 - distance : 0;
}

static double resized_pixel(const tips_resize *config, const double *plane, const axis *rows, const axis *cols, int y,
                            int x) {
    double sum = 0;
    for (int i = 0; i < rows->from; i++)
        for (int j = 0; j < cols->from; j++)
            sum += share(config, rows, y, i) * share(config, cols, x, j) * plane[i * cols->from + j];
    return sum;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0], *out = &op->out[0];
    const axis rows = axis_of(op->node->config, 0, in->h), cols = axis_of(op->node->config, 1, in->w);
    double *to = out->data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int y = 0; y < out->h; y++)
            for (int x = 0; x < out->w; x++)
                *to++ = resized_pixel(op->node->config, in->data + (size_t)plane * in->h * in->w, &rows, &cols, y, x);
    return TIPS_OK;
}

/* Every cell becomes k / m equal ones, in its place. */
static bool repeats_cells(const tips_resize *config, const axis *a) {
    if (a->to % a->from) return false;
    for (int i = 0; i < a->to; i++) {
        const tap t = tap_of(config, a, i);
        if (t.low != i / (a->to / a->from) || t.high_weight != 0) return false;
    }
    return true;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *in = tips__value(graph, node->in[0]);
    const axis rows = axis_of(node->config, 0, in->h), cols = axis_of(node->config, 1, in->w);
    return repeats_cells(node->config, &rows) && repeats_cells(node->config, &cols) ? NULL : "fixed grid";
}

/* The step of one axis, where it is known without the map and whole. */
static bool whole_step(double scale, int size, int *step) {
    *step = size == 0 && scale > 0 && scale <= 1 ? (int)lround(1 / scale) : 1;
    return *step > 1 && *step * scale == 1;
}

static bool pools(const tips_node *node, int stride[2]) {
    const tips_resize *config = node->config;
    const bool rows = whole_step(config->scale_h, config->size[0], &stride[0]);
    const bool cols = whole_step(config->scale_w, config->size[1], &stride[1]);
    if (!rows) stride[0] = 1;
    if (!cols) stride[1] = 1;
    return rows || cols;
}

static const char *const mode_names[] = {"nearest", "linear", NULL};
static const char *const grid_names[] = {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", NULL};
static const char *const round_names[] = {"prefer_floor", "prefer_ceil", "floor", "ceil", NULL};

static const tips_option options[] = {
    {.name = "mode", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_resize, mode), .fallback = "nearest",
     .choices = mode_names, .help = "the nearest pixel, or between the nearest two along each axis"},
    {.name = "grid", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_resize, grid), .fallback = "half_pixel",
     .choices = grid_names, .help = "where the pixels of the output lie on the input"},
    {.name = "round", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_resize, round), .fallback = "prefer_floor",
     .choices = round_names, .help = "which pixel is the nearest"},
    {.name = "scale-h", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_resize, scale_h), .fallback = "1", .min = 0,
     .max = 1 << 20, .help = "factor of the height, unless a size is given"},
    {.name = "scale-w", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_resize, scale_w), .fallback = "1", .min = 0,
     .max = 1 << 20, .help = "factor of the width, unless a size is given"},
    {.name = "size", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_resize, size), .fallback = "0", .min = 0,
     .max = 1 << 20, .help = "height and width; 0: by the scale"},
    {.type = TIPS_OPT_END},
};

/* The nearest cells along one axis by their numbers: floats of runtimes may round to others. */
static tips_operand emit_nearest(tips_emitter *to, const tips_resize *config, const axis *a, int along,
                                 tips_operand x) {
    int64_t *cells;
    const tips_status status = tips__new(&cells, (size_t)a->to * sizeof *cells, "the cells of a resized map");
    tips__emit_fail(to, status);
    if (status != TIPS_OK) return TIPS_NO_OPERAND;
    for (int i = 0; i < a->to; i++) cells[i] = nearest(config, a, i);
    const tips_operand in[] = {x, tips__emit_ints(to, cells, a->to)};
    tips__free(cells);
    return tips__emit_op(to, "Gather", in, 2, TIPS_WITH(TIPS_WITH_INT("axis", along)));
}

/* Batch and channels as they are, then the height and width of the config. */
static tips_operand emit_sizes(tips_emitter *to, const tips_resize *config, tips_operand x) {
    const tips_operand parts[] = {tips__emit_slice(to, tips__emit_unary(to, "Shape", x), 0, 0, 2, 1),
                                  tips__emit_ints(to, (const int64_t[]){config->size[0], config->size[1]}, 2)};
    return tips__emit_concat(to, parts, 2, 0);
}

static tips_operand emit_resize(tips_emitter *to, const tips_resize *config, tips_operand x) {
    static const char *const rounds[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
    const bool by_size = config->size[0] > 0;
    const float scales[] = {1, 1, (float)config->scale_h, (float)config->scale_w};
    const tips_operand nothing = tips__emit_floats(to, scales, (const int64_t[]){0}, 1);
    const tips_operand scale = by_size ? nothing : tips__emit_floats(to, scales, (const int64_t[]){4}, 1);
    const tips_operand in[] = {x, nothing, scale, by_size ? emit_sizes(to, config, x) : TIPS_NO_OPERAND};
    return tips__emit_op(to, "Resize", in, 4,
                         TIPS_WITH(TIPS_WITH_TEXT("mode", mode_names[config->mode]),
                                   TIPS_WITH_TEXT("coordinate_transformation_mode", grid_names[config->grid]),
                                   TIPS_WITH_TEXT("nearest_mode", rounds[config->round])));
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_resize *config = node->config;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    const axis rows = axis_of(config, 0, in.h), columns = axis_of(config, 1, in.w);
    tips_operand x = tips__emit_in(to, node, 0);
    const bool one_size = (config->size[0] > 0) != (config->size[1] > 0);
    if (one_size) TIPS_FAIL(TIPS_UNSUPPORTED, "layer '%s': a size of one axis only cannot be exported", node->name);
    if (config->size[0] > 0 && config->mode == TIPS_RESIZE_NEAREST) {
        tips__emit_fix_size(to, node, "it picks pixels of a map of this size");
        x = emit_nearest(to, config, &rows, 2, x);
        x = emit_nearest(to, config, &columns, 3, x);
    } else {
        x = emit_resize(to, config, x);
    }
    tips__emit_out(to, node, 0, x);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_resize) = {
    .name = "resize",
    .brief = "a map of another size: nearest pixel or linear",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_resize),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .pools = pools,
};
