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

static tips_status plan(tips_op *op, tips_plan *plan) {
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const tips_map *y = &op->out[0].map;
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    plan->backward_scratch = tips__dense_max_scratch(y, kernel);
    plan->workspace = tips__map_bytes(y->n, y->c, y->h, y->w, NULL) / sizeof(float);
    return TIPS_OK;
}

/* ---- maxima ---- */

typedef struct largest {
    vf value;
    vi at;
} largest;

/* A NaN in the window is the maximum. */
static inline __attribute__((always_inline)) void offer(largest *b, const float *cell, int tap, bool keep) {
    const vf value = vf_load(cell);
    const vi larger = (value > b->value) | (value != value);
    b->value = vf_select(larger, value, b->value);
    if (keep) b->at = (larger & tap) | (~larger & b->at);
}

static inline __attribute__((always_inline)) void put(const largest *b, int x, float *dst, uint8_t *place, bool keep) {
    vf_store(dst + (ptrdiff_t)x * B, b->value);
    if (keep) *(dense_max_bytes *)(place + (ptrdiff_t)x * B) = __builtin_convertvector(b->at, dense_max_bytes);
}

/* Outputs whose windows lie within the rows, none of which is beyond the border. */
static inline __attribute__((always_inline)) void max_inside(const float *const *rows, int kh, int kw, int left,
                                                             int begin, int end, float *dst, uint8_t *place,
                                                             bool keep) {
    for (int x = begin; x < end; x++) {
        largest b = {.value = vf_set(-INFINITY)};
        for (int i = 0; i < kh; i++)
            for (int j = 0; j < kw; j++) offer(&b, rows[i] + (ptrdiff_t)(x - left + j) * B, i * kw + j, keep);
        put(&b, x, dst, place, keep);
    }
}

static void max_anywhere(const float *const *rows, const int kernel[2], const tips_padding *pad, int w, int begin,
                         int end, float *dst, uint8_t *place) {
    for (int x = begin; x < end; x++) {
        largest b = {.value = vf_set(-INFINITY)};
        for (int i = 0; i < kernel[0]; i++)
            for (int j = 0; j < kernel[1]; j++) {
                const int from = tips__pad_index(pad->mode, x - pad->left + j, w);
                if (rows[i] && from >= 0) offer(&b, rows[i] + (ptrdiff_t)from * B, i * kernel[1] + j, true);
            }
        put(&b, x, dst, place, place != NULL);
    }
}

/* The usual windows with their sizes known to the compiler. */
static inline __attribute__((always_inline)) void max_usual(const float *const *rows, const int kernel[2], int left,
                                                            int begin, int end, float *dst, uint8_t *place,
                                                            bool keep) {
    if (kernel[0] == 2 && kernel[1] == 2) max_inside(rows, 2, 2, left, begin, end, dst, place, keep);
    else if (kernel[0] == 3 && kernel[1] == 3) max_inside(rows, 3, 3, left, begin, end, dst, place, keep);
    else max_inside(rows, kernel[0], kernel[1], left, begin, end, dst, place, keep);
}

static void max_row(const tips_map *src, int n, int b, int y, const int kernel[2], const tips_padding *pad, float *dst,
                    uint8_t *place) {
    const float *rows[DENSE_MAX_KERNEL];
    bool complete = true;
    for (int i = 0; i < kernel[0]; i++) {
        const int from = tips__pad_index(pad->mode, y - pad->top + i, src->h);
        rows[i] = from < 0 ? NULL : tips__row(src, n, b, from);
        complete = complete && rows[i];
    }
    const int left = complete && pad->left < src->w ? pad->left : src->w;
    const int end = src->w - pad->right > left ? src->w - pad->right : left;
    max_anywhere(rows, kernel, pad, src->w, 0, left, dst, place);
    if (place) max_usual(rows, kernel, pad->left, left, end, dst, place, true);
    else max_usual(rows, kernel, pad->left, left, end, dst, NULL, false);
    max_anywhere(rows, kernel, pad, src->w, end, src->w, dst, place);
}

static tips_status forward(tips_op *op) {
    const int *kernel = ((const tips_dense_max *)op->node->config)->kernel;
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const tips_padding pad = dense_max_padding(op);
    const bool keep = tips__goes_back(&op->pass);
    TIPS_PARALLEL_PLANES(dst, n, b)
        for (int y = 0; y < dst->h; y++)
            max_row(src, n, b, y, kernel, &pad, tips__row(dst, n, b, y), keep ? dense_max_places(op, n, b, y) : NULL);
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
