/* Dense maximum: y[i,j] = max over the kh x kw window around (i,j), stride 1; (k-1)/2 cells before, the rest after.
 * Zero padding stands for minus infinity. The gradient goes to the first maximum in row-major order, whose place is
 * kept as one byte per output. */
#include "emit/emit.h"
#include "layer/dense_max_run.h"

enum { B = TIPS_BLOCK };

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_dense_max *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    for (int i = 0; i < 2; i++) {
        if (config->kernel[i] < 1 || config->kernel[i] > DENSE_MAX_KERNEL) {
            TIPS_FAIL(TIPS_RANGE, "layer '%s': a window of %dx%d; each side takes 1..%d", node->name, config->kernel[0],
                      config->kernel[1], DENSE_MAX_KERNEL);
        }
    }
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

/* As many rows as the window has, and where their maxima are. */
static size_t scratch_floats(const tips_op *op) {
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const size_t line = (size_t)op->out[0].map.w * B, floats = (size_t)kernel[0] * (line + line / sizeof(float));
    return (floats + B - 1) / B * B;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const tips_map *y = &op->out[0].map;
    plan->forward_scratch = tips__thread_bytes(scratch_floats(op));
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    plan->backward_scratch = tips__dense_max_scratch(y, kernel);
    plan->workspace = tips__map_bytes(y->n, y->c, y->h, y->w, NULL) / sizeof(float);
    return TIPS_OK;
}

/* ---- maxima: of the rows of a window first, then of these ---- */

/* A row of maxima, and where they are. */
typedef struct row {
    float *value;
    uint8_t *place;
} row;

static inline __attribute__((always_inline)) void put(vf_largest l, row to, int x, bool keep) {
    vf_store(to.value + (ptrdiff_t)x * B, l.value);
    if (keep) vi_store_bytes(to.place + (ptrdiff_t)x * B, l.at);
}

static inline __attribute__((always_inline)) void across_inside(const float *src, int kw, int left, int begin, int end,
                                                                row to, bool keep) {
    for (int x = begin; x < end; x++) {
        vf_largest l = largest_start(0);
        for (int j = 0; j < kw; j++) largest_offer(&l, vf_load(src + (ptrdiff_t)(x - left + j) * B), (vi){0} + j, keep);
        put(l, to, x, keep);
    }
}

/* Windows of some rows, NULL beyond the border, that may reach over the sides. */
static void max_anywhere(const float *const *rows, int kh, int kw, const tips_padding *pad, int w, int begin, int end,
                         row to, bool keep) {
    for (int x = begin; x < end; x++) {
        vf_largest l = largest_start(0);
        for (int tap = 0; tap < kh * kw; tap++) {
            const int from = tips__pad_index(pad->mode, x - pad->left + tap % kw, w);
            const float *src = rows[tap / kw];
            if (src && from >= 0) largest_offer(&l, vf_load(src + (ptrdiff_t)from * B), (vi){0} + tap, keep);
        }
        put(l, to, x, keep);
    }
}

static inline __attribute__((always_inline)) void max_across(const float *src, int kw, const tips_padding *pad, int w,
                                                             row to, bool keep) {
    const int left = pad->left < w ? pad->left : w, end = w - pad->right > left ? w - pad->right : left;
    max_anywhere(&src, 1, kw, pad, w, 0, left, to, keep);
    if (kw == 2) across_inside(src, 2, left, left, end, to, keep);
    else if (kw == 3) across_inside(src, 3, left, left, end, to, keep);
    else across_inside(src, kw, left, left, end, to, keep);
    max_anywhere(&src, 1, kw, pad, w, end, w, to, keep);
}

static inline __attribute__((always_inline)) void down(const row *rows, int kh, int kw, int w, row to, bool keep) {
    for (int x = 0; x < w; x++) {
        vf_largest l = largest_start(0);
        for (int i = 0; i < kh; i++) {
            if (!rows[i].value) continue;
            const vi at = keep ? vi_load_bytes(rows[i].place + (ptrdiff_t)x * B) + i * kw : (vi){0};
            largest_offer(&l, vf_load(rows[i].value + (ptrdiff_t)x * B), at, keep);
        }
        put(l, to, x, keep);
    }
}

/* The usual windows, with all their rows, are known to the compiler. */
static inline __attribute__((always_inline)) void max_down(const row *rows, int kh, int kw, int w, row to, bool keep) {
    bool complete = true;
    for (int i = 0; i < kh; i++) complete = complete && rows[i].value;
    if (!complete) down(rows, kh, kw, w, to, keep);
    else if (kh == 2) down((const row[2]){rows[0], rows[1]}, 2, kw, w, to, keep);
    else if (kh == 3) down((const row[3]){rows[0], rows[1], rows[2]}, 3, kw, w, to, keep);
    else down(rows, kh, kw, w, to, keep);
}

/* Windows of 2x2 are few enough to be looked through at once. */
static inline __attribute__((always_inline)) void max_squares(const tips_op *op, int n, int b, bool keep) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const tips_padding pad = dense_max_padding(op);
    for (int y = 0; y < dst->h; y++) {
        const int below = tips__pad_index(pad.mode, y + 1, src->h);
        const float *const rows[2] = {tips__row(src, n, b, y), below < 0 ? NULL : tips__row(src, n, b, below)};
        const row to = {tips__row(dst, n, b, y), keep ? dense_max_places(op, n, b, y) : NULL};
        const int inside = below < 0 ? 0 : dst->w - 1;
        for (int x = 0; x < inside; x++) {
            vf_largest l = largest_start(0);
            for (int tap = 0; tap < 4; tap++)
                largest_offer(&l, vf_load(rows[tap / 2] + (ptrdiff_t)(x + tap % 2) * B), (vi){0} + tap, keep);
            put(l, to, x, keep);
        }
        max_anywhere(rows, 2, 2, &pad, dst->w, inside, dst->w, to, keep);
    }
}

/* Maxima of as many rows as a window has, each in its slot by its number. */
static inline __attribute__((always_inline)) void max_plane(const tips_op *op, int n, int b, bool keep) {
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const tips_padding pad = dense_max_padding(op);
    const ptrdiff_t line = (ptrdiff_t)dst->w * B;
    if (kernel[0] == 2 && kernel[1] == 2) {
        max_squares(op, n, b, keep);
        return;
    }
    float *ring = tips__thread_scratch(op, scratch_floats(op));
    row rows[DENSE_MAX_KERNEL];
    for (int y = -pad.top, made = -pad.top; y < dst->h; y++) {
        for (; made <= y + pad.bottom; made++) {
            const int slot = (made + pad.top) % kernel[0], from = tips__pad_index(pad.mode, made, src->h);
            row *to = &rows[slot];
            *to = (row){from < 0 ? NULL : ring + slot * line, (uint8_t *)(ring + kernel[0] * line) + slot * line};
            if (from >= 0) max_across(tips__row(src, n, b, from), kernel[1], &pad, dst->w, *to, keep);
        }
        if (y < 0) continue;
        row window[DENSE_MAX_KERNEL];
        for (int i = 0; i < kernel[0]; i++) window[i] = rows[(y + i) % kernel[0]];
        max_down(window, kernel[0], kernel[1], dst->w,
                 (row){tips__row(dst, n, b, y), keep ? dense_max_places(op, n, b, y) : NULL}, keep);
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *dst = &op->out[0].map;
    if (tips__goes_back(&op->pass)) {
        TIPS_PARALLEL_PLANES(dst, n, b) max_plane(op, n, b, true);
    } else {
        TIPS_PARALLEL_PLANES(dst, n, b) max_plane(op, n, b, false);
    }
    return TIPS_OK;
}

static double window_max(const tips_dense_max *config, const double *plane, int h, int w, int y, int x) {
    double best = -INFINITY;
    for (int i = 0; i < config->kernel[0]; i++) {
        for (int j = 0; j < config->kernel[1]; j++) {
            const int from_y = tips__pad_index(config->mode, y + i - (config->kernel[0] - 1) / 2, h);
            const int from_x = tips__pad_index(config->mode, x + j - (config->kernel[1] - 1) / 2, w);
            if (from_y < 0 || from_x < 0) continue;
            if (plane[from_y * w + from_x] > best) best = plane[from_y * w + from_x];
        }
    }
    return best;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    double *to = op->out[0].data;
    for (int plane = 0; plane < in->n * in->c; plane++)
        for (int y = 0; y < in->h; y++)
            for (int x = 0; x < in->w; x++)
                *to++ = window_max(op->node->config, in->data + (size_t)plane * in->h * in->w, in->h, in->w, y, x);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    const tips_dense_max *config = node->config;
    const bool reaches_out = config->kernel[0] > 1 || config->kernel[1] > 1;
    return reaches_out && config->mode != TIPS_PAD_CIRCULAR ? "padding" : NULL;
}

static const tips_option options[] = {
    {.name = "kernel", .type = TIPS_OPT_PAIR, .offset = offsetof(tips_dense_max, kernel), .fallback = "3", .min = 1,
     .max = DENSE_MAX_KERNEL, .help = "size of the window"},
    {.name = "pad-mode", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_dense_max, mode), .fallback = "circular",
     .choices = tips_pad_mode_names, .help = "how the map continues beyond its border; zero stands for minus infinity"},
    {.type = TIPS_OPT_END},
};

/* Zero padding is the operator's own, as there it stands for minus infinity too. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_dense_max *config = node->config;
    const int *kernel = config->kernel;
    tips_padding pad = tips__same_padding(config->mode, kernel, (const int[2]){1, 1});
    tips_operand x = tips__emit_in(to, node, 0);
    if (pad.mode != TIPS_PAD_ZERO) {
        x = tips__emit_pad(to, node, x, tips__emit_in_info(to, node, 0), &pad, 0);
        pad = (tips_padding){0};
    }
    x = tips__emit_op(to, "MaxPool", TIPS_OPERANDS(x),
                      TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", kernel[0], kernel[1]), TIPS_WITH_PAIR("strides", 1, 1),
                                TIPS_WITH_FOUR("pads", pad.top, pad.left, pad.bottom, pad.right)));
    tips__emit_out(to, node, 0, x);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_dense_max) = {
    .name = "dense_max",
    .brief = "maximum of a window around every pixel, stride 1",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_dense_max),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = tips__dense_max_backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
};
