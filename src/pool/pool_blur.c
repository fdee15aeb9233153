/* blur (BlurPool): LPF-n, then P_0. y[i,j] = sum_{r,t} b_r b_t x[sh*i + r - p, sw*j + t - p] with the binomial
 * filter b = C(n-1, .)/2^(n-1), p = floor((n-1)/2) and the network's padding, evaluated only where P_0 looks. */
#include "layer/emit_common.h"
#include "layer/layer_common.h"
#include "pool/pool_parts.h"
#include "pool/pool_ref.h"

#include <string.h>

enum { B = TIPS_BLOCK, MAX_TAPS = 7 };

typedef struct blur_config {
    tips_pool_common common;
    int n;
} blur_config;
TIPS_POOL_CHECK_CONFIG(blur_config);

static const tips_option options[] = {
    {.name = "n", .type = TIPS_OPT_INT, .offset = offsetof(blur_config, n), .fallback = "3", .min = 2, .max = 7,
     .help = "size of the binomial filter before subsampling"},
    TIPS_POOL_BEFORE("none"),
    {.type = TIPS_OPT_END},
};

static unsigned traits(const void *config) {
    (void)config;
    return TIPS_POOL_FILTERS;
}

/* Unlike other operators it takes maps of any size: the filter must see the border of the map itself. */
static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_value_info *x = tips__value(graph, node->in[0]);
    const blur_config *config = node->config;
    const int *stride = config->common.stride;
    if (x->kind != TIPS_MAP) TIPS_FAIL(TIPS_SHAPE, "%s: blur pools maps only", node->name);
    if (config->n < 2 || config->n > MAX_TAPS)
        TIPS_FAIL(TIPS_RANGE, "%s: blur n is 2..7, not %d", node->name, config->n);
    tips__pool_out_map(graph, node, x->c, (x->h + stride[0] - 1) / stride[0], (x->w + stride[1] - 1) / stride[1]);
    return TIPS_OK;
}

typedef struct blur {
    const tips_map *x, *y; /* or their gradients */
    const int *stride;
    tips_pad_mode mode;
    int n, before;
    float taps[MAX_TAPS];
} blur;

static blur start(const tips_op *op, const tips_map *x, const tips_map *y) {
    const blur_config *config = op->node->config;
    blur f = {.x = x, .y = y, .stride = config->common.stride, .mode = config->common.padding, .n = config->n,
              .before = (config->n - 1) / 2, .taps = {1}};
    for (int order = 1; order < f.n; order++)
        for (int t = order; t >= 0; t--) f.taps[t] = (f.taps[t] + (t > 0 ? f.taps[t - 1] : 0)) / 2;
    return f;
}

/* Each thread has a row with its border and, in forward, a row of zeros that stands for rows beyond a zero border. */
static size_t line_floats(const tips_op *op) {
    const blur_config *config = op->node->config;
    return (size_t)(op->in[0].map.w + config->n - 1) * B;
}

static tips_status plan(tips_op *op, tips_plan *out) {
    out->forward_scratch = tips__thread_bytes(2 * line_floats(op));
    out->backward_scratch = tips__thread_bytes(line_floats(op));
    return TIPS_OK;
}

static inline void filter_column(const float *const *rows, const float *taps, int n, int w, float *line) {
    for (ptrdiff_t x = 0; x < (ptrdiff_t)w * B; x += B) {
        vf sum = {0};
        for (int r = 0; r < n; r++) sum = vf_fma(vf_set(taps[r]), vf_load(rows[r] + x), sum);
        vf_store(line + x, sum);
    }
}

static inline void filter_row(const float *line, const float *taps, int n, int ow, int sw, float *y) {
    for (int j = 0; j < ow; j++) {
        vf sum = {0};
        for (int t = 0; t < n; t++) sum = vf_fma(vf_set(taps[t]), vf_load(line + ((ptrdiff_t)j * sw + t) * B), sum);
        vf_store(y + (ptrdiff_t)j * B, sum);
    }
}

/* The e-th of the n - 1 columns beyond the border. */
static int end_column(const blur *f, int e) { return e < f->before ? e - f->before : f->x->w + e - f->before; }

/* They are copies of filtered columns: the two filters and the padding commute. */
static void fill_ends(const blur *f, float *interior) {
    for (int e = 0; e < f->n - 1; e++) {
        const int x = end_column(f, e), from = tips__pad_index(f->mode, x, f->x->w);
        vf_store(interior + (ptrdiff_t)x * B, from < 0 ? (vf){0} : vf_load(interior + (ptrdiff_t)from * B));
    }
}

static void fold_ends(const blur *f, float *interior) {
    for (int e = 0; e < f->n - 1; e++) {
        const int x = end_column(f, e), to = tips__pad_index(f->mode, x, f->x->w);
        if (to < 0) continue;
        float *cell = interior + (ptrdiff_t)to * B;
        vf_store(cell, vf_load(cell) + vf_load(interior + (ptrdiff_t)x * B));
    }
}

static void blur_rows(const blur *f, const float *const *rows, float *line, float *y) {
    float *interior = line + (ptrdiff_t)f->before * B;
    if (f->n == 3)
        filter_column(rows, f->taps, 3, f->x->w, interior);
    else
        filter_column(rows, f->taps, f->n, f->x->w, interior);
    fill_ends(f, interior);
    if (f->n == 3)
        filter_row(line, f->taps, 3, f->y->w, f->stride[1], y);
    else
        filter_row(line, f->taps, f->n, f->y->w, f->stride[1], y);
}

static void blur_plane(const blur *f, int n, int block, float *line, float *zeros) {
    const float *rows[MAX_TAPS];
    memset(zeros, 0, (size_t)f->x->w * B * sizeof(float));
    for (int i = 0; i < f->y->h; i++) {
        for (int r = 0; r < f->n; r++) {
            const int from = tips__pad_index(f->mode, f->stride[0] * i + r - f->before, f->x->h);
            rows[r] = from < 0 ? zeros : tips__row(f->x, n, block, from);
        }
        blur_rows(f, rows, line, tips__row(f->y, n, block, i));
    }
}

static void spread_row(const blur *f, const float *dy, float *line) {
    memset(line, 0, (size_t)(f->x->w + f->n - 1) * B * sizeof(float));
    for (int j = 0; j < f->y->w; j++)
        for (int t = 0; t < f->n; t++) {
            float *cell = line + ((ptrdiff_t)j * f->stride[1] + t) * B;
            vf_store(cell, vf_fma(vf_set(f->taps[t]), vf_load(dy + (ptrdiff_t)j * B), vf_load(cell)));
        }
    fold_ends(f, line + (ptrdiff_t)f->before * B);
}

static void blur_diff_plane(const blur *f, int n, int block, float *line, bool accumulate) {
    const float *interior = line + (ptrdiff_t)f->before * B;
    if (!accumulate)
        for (int y = 0; y < f->x->h; y++) memset(tips__row(f->x, n, block, y), 0, (size_t)f->x->w * B * sizeof(float));
    for (int i = 0; i < f->y->h; i++) {
        spread_row(f, tips__row(f->y, n, block, i), line);
        for (int r = 0; r < f->n; r++) {
            const int y = tips__pad_index(f->mode, f->stride[0] * i + r - f->before, f->x->h);
            if (y < 0) continue;
            float *to = tips__row(f->x, n, block, y);
            const vf tap = vf_set(f->taps[r]);
            for (ptrdiff_t x = 0; x < (ptrdiff_t)f->x->w * B; x += B)
                vf_store(to + x, vf_fma(tap, vf_load(interior + x), vf_load(to + x)));
        }
    }
}

static tips_status forward(tips_op *op) {
    const blur f = start(op, &op->in[0].map, &op->out[0].map);
    const size_t floats = line_floats(op);
    TIPS_PARALLEL_PLANES(f.y, n, b) {
        float *line = tips__thread_scratch(op, 2 * floats);
        blur_plane(&f, n, b, line, line + floats);
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const blur f = start(op, &op->in[0].diff, &op->out[0].diff);
    const size_t floats = line_floats(op);
    TIPS_PARALLEL_PLANES(f.y, n, b)
        blur_diff_plane(&f, n, b, tips__thread_scratch(op, floats), op->in[0].accumulate);
    return TIPS_OK;
}

static double binomial(int n, int k) {
    double value = 1;
    for (int i = 1; i <= k; i++) value = value * (n - k + i) / i;
    return value;
}

static tips_status ref(tips_ref_op *op) {
    const blur_config *config = op->node->config;
    const int order = config->n - 1, before = order / 2, *stride = config->common.stride;
    REF_CELLS(&op->out[0], n, c, i, j) {
        double sum = 0;
        for (int r = 0; r <= order; r++)
            for (int t = 0; t <= order; t++)
                sum += binomial(order, r) * binomial(order, t) *
                       ref_padded(&op->in[0], config->common.padding, n, c, stride[0] * i + r - before,
                                  stride[1] * j + t - before);
        *ref_at(&op->out[0], n, c, i, j) = sum / pow(4, order);
    }
    return TIPS_OK;
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *x = tips__value(graph, node->in[0]), *y = tips__value(graph, node->out[0]);
    const blur_config *config = node->config;
    return (double)config->n * y->c * y->h * (x->w + y->w) * y->per_sample;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const blur_config *config = node->config;
    const int *stride = config->common.stride;
    const tips_filter_emit filter = {
        .size = config->n, .gain = 1, .mode = config->common.padding, .stride = {stride[0], stride[1]}};
    tips__emit_out(to, node, 0, tips__emit_filter(to, node, &filter));
    return TIPS_OK;
}

const tips_pool TIPS_ROW(tips__pool_blur) = {
    .layer = {.name = "blur", .brief = "binomial low-pass filter, then every s-th pixel (BlurPool)",
              .flags = TIPS_LAYER_STRIDED_OUT, .options = options, .config_size = sizeof(blur_config),
              .shape = shape, .plan = plan, .forward = forward, .backward = backward, .ref = ref, .emit = emit,
              .breaks = tips__pool_fixed_grid, .multiply_adds = multiply_adds, .pools = tips__pool_strides},
    .traits = traits,
};
