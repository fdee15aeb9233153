/* Norm over the channels of each pixel: y = (x - mean) / sqrt(variance + eps) w[c] + b[c].
 * Backward, with z = (x - mean) / sqrt(variance + eps) and g = w dy: dx = (g - mean of g - z mean of g z) / sqrt(...),
 * dw = sum of z dy, db = sum of dy.
 *
 * Sums are taken in double, block by block and then lane by lane: the bits of a pixel follow from the pixel alone. */
#include "layer/channel_sums.h"
#include "layer/layers.h"
#include "emit/emit.h"

enum { WEIGHT, BIAS };

static tips_status shape(tips_graph *graph, tips_node *node) {
    tips_layer_norm *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info in = tips__in_info(graph, node, 0);
    if (config->eps == 0) config->eps = 1e-5;
    if (!(config->eps > 0)) TIPS_FAIL(TIPS_RANGE, "layer '%s': eps must be positive", node->name);
    tips_param_spec spec = {.layout = TIPS_VECTOR, .dims = {in.c}, .n_dims = 1, .fill = 1, .trainable = true,
                            .decay = true};
    tips__node_param(graph, node, "weight", spec);
    spec.fill = 0;
    tips__node_param(graph, node, "bias", spec);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

/* What the backward pass needs of a pixel beside its channels. */
typedef struct moments {
    float mean, scale; /* scale: 1 / sqrt(variance + eps) */
} moments;

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_map *src = &op->in[0].map;
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    plan->workspace = (size_t)src->n * (size_t)src->h * (size_t)src->w * sizeof(moments);
    plan->keep_in = 1;
    plan->in_place = 1;
    if (op->dparam[WEIGHT] || op->dparam[BIAS]) plan->backward_scratch = 2 * tips__channel_sums_bytes(src);
    return TIPS_OK;
}

static inline const float *pixel_of(const tips_map *map, int n, int y, int x) {
    return tips__row(map, n, 0, y) + (ptrdiff_t)x * TIPS_BLOCK;
}

static moments measure(const float *x, ptrdiff_t step, int channels, double eps) {
    vd sums = {0}, squares = {0};
    for (int b = 0; b < tips__blocks(channels); b++) {
        const vd value = vd_from(vf_load(x + b * step));
        sums += value;
        squares += value * value;
    }
    const double mean = vd_sum(sums) / channels, variance = vd_sum(squares) / channels - mean * mean;
    return (moments){(float)mean, (float)(1 / sqrt((variance > 0 ? variance : 0) + eps))};
}

static void forward_pixel(const tips_op *op, int n, int y, int x, moments *kept) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const float *from = pixel_of(src, n, y, x);
    float *to = (float *)pixel_of(dst, n, y, x);
    const moments m = measure(from, src->sb, src->c, ((const tips_layer_norm *)op->node->config)->eps);
    for (int b = 0; b < dst->blocks; b++) {
        const vf weight = vf_load(op->param[WEIGHT] + (ptrdiff_t)b * TIPS_BLOCK);
        const vf bias = vf_load(op->param[BIAS] + (ptrdiff_t)b * TIPS_BLOCK);
        vf_store(to + b * dst->sb, vf_fma((vf_load(from + b * src->sb) - m.mean) * m.scale, weight, bias));
    }
    if (kept) *kept = m;
}

static tips_status forward(tips_op *op) {
    const tips_map *dst = &op->out[0].map;
    moments *kept = tips__goes_back(&op->pass) ? op->workspace : NULL; /* (n, h, w) */
    TIPS_PARALLEL_FOR (i, dst->n * dst->h)
        for (int x = 0; x < dst->w; x++)
            forward_pixel(op, i / dst->h, i % dst->h, x, kept ? kept + (size_t)i * dst->w + x : NULL);
    return TIPS_OK;
}

/* One pixel's dx; where it lies over dy, every block is read before it is written. */
static void backward_pixel(const tips_op *op, int n, int y, int x, moments m) {
    const tips_map *src = &op->in[0].map, *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const float *value = pixel_of(src, n, y, x), *dy = pixel_of(diff_dst, n, y, x);
    float *dx = (float *)pixel_of(diff_src, n, y, x);
    vd plain = {0}, product = {0};
    for (int b = 0; b < src->blocks; b++) {
        const vf g = vf_load(dy + b * diff_dst->sb) * vf_load(op->param[WEIGHT] + (ptrdiff_t)b * TIPS_BLOCK);
        plain += vd_from(g);
        product += vd_from(g * ((vf_load(value + b * src->sb) - m.mean) * m.scale));
    }
    const float mean = (float)(vd_sum(plain) / src->c), tilt = (float)(vd_sum(product) / src->c);
    for (int b = 0; b < src->blocks; b++) {
        const vf g = vf_load(dy + b * diff_dst->sb) * vf_load(op->param[WEIGHT] + (ptrdiff_t)b * TIPS_BLOCK);
        const vf z = (vf_load(value + b * src->sb) - m.mean) * m.scale;
        const vf slope = tips__masked((g - mean - z * tilt) * m.scale, tips__lane_mask(src->c, b));
        tips__put(dx + b * diff_src->sb, slope, op->in[0].accumulate);
    }
}

static void backward_data(const tips_op *op) {
    const tips_map *src = &op->in[0].map;
    const moments *kept = op->workspace;
    TIPS_PARALLEL_FOR (i, src->n * src->h)
        for (int x = 0; x < src->w; x++)
            backward_pixel(op, i / src->h, i % src->h, x, kept[(size_t)i * src->w + x]);
}

typedef struct plane_sums {
    vd product, plain; /* of z dy and of dy */
} plane_sums;

static plane_sums sum_plane(const tips_op *op, int n, int b) {
    const tips_map *src = &op->in[0].map;
    const moments *kept = (const moments *)op->workspace + (size_t)n * src->h * src->w;
    plane_sums sums = {{0}, {0}};
    for (int y = 0; y < src->h; y++) {
        const float *value = tips__row(src, n, b, y), *from = tips__row(&op->out[0].diff, n, b, y);
        for (int x = 0; x < src->w; x++, kept++) {
            const vf dy = vf_load(from + (ptrdiff_t)x * TIPS_BLOCK);
            const vf z = (vf_load(value + (ptrdiff_t)x * TIPS_BLOCK) - kept->mean) * kept->scale;
            sums.product += vd_from(z * dy);
            sums.plain += vd_from(dy);
        }
    }
    return sums;
}

static void backward_params(const tips_op *op) {
    const tips_map *src = &op->in[0].map;
    double *products = op->scratch, *plains = products + (ptrdiff_t)src->n * src->blocks * TIPS_BLOCK;
    TIPS_PARALLEL_PLANES (src, n, b) {
        const plane_sums sums = sum_plane(op, n, b);
        tips__channel_sum_put(products, src, n, b, sums.product);
        tips__channel_sum_put(plains, src, n, b, sums.plain);
    }
    for (int b = 0; b < src->blocks; b++) {
        const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
        const vi mask = tips__lane_mask(src->c, b);
        const vf product = tips__masked(vf_from(tips__channel_total(products, src, b)), mask);
        if (op->dparam[WEIGHT]) tips__put(op->dparam[WEIGHT] + at, product, true);
        if (op->dparam[BIAS]) tips__put(op->dparam[BIAS] + at, vf_from(tips__channel_total(plains, src, b)), true);
    }
}

static tips_status backward(tips_op *op) {
    if (op->dparam[WEIGHT] || op->dparam[BIAS]) backward_params(op);
    if (op->in[0].want_diff) backward_data(op);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const double eps = ((const tips_layer_norm *)op->node->config)->eps;
    const size_t area = (size_t)in->h * in->w;
    for (size_t i = 0; i < (size_t)in->n * area; i++) {
        const size_t at = i / area * in->c * area + i % area;
        double mean = 0, variance = 0;
        for (int c = 0; c < in->c; c++) mean += in->data[at + c * area] / in->c;
        for (int c = 0; c < in->c; c++) variance += pow(in->data[at + c * area] - mean, 2) / in->c;
        for (int c = 0; c < in->c; c++)
            op->out[0].data[at + c * area] =
                (in->data[at + c * area] - mean) / sqrt(variance + eps) * op->param[WEIGHT][c] + op->param[BIAS][c];
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "eps", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_layer_norm, eps), .fallback = "1e-5", .min = 1e-12,
     .max = 1, .help = "added to the variance"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    tips_operand x;
    const bool is_vector = tips__emit_ins(to, node, &x);
    const double eps = ((const tips_layer_norm *)node->config)->eps;
    x = tips__emit_binary(to, "Sub", x, tips__emit_reduce(to, "ReduceMean", x, (const int[]){1}, 1));
    const tips_operand squares = tips__emit_binary(to, "Mul", x, x);
    const tips_operand variance = tips__emit_reduce(to, "ReduceMean", squares, (const int[]){1}, 1);
    const tips_operand shifted = tips__emit_binary(to, "Add", variance, tips__emit_float(to, eps));
    x = tips__emit_binary(to, "Div", x, tips__emit_unary(to, "Sqrt", shifted));
    x = tips__emit_binary(to, "Mul", x, tips__emit_spread_param(to, node, WEIGHT, is_vector));
    x = tips__emit_binary(to, "Add", x, tips__emit_spread_param(to, node, BIAS, is_vector));
    tips__emit_out_like(to, node, 0, x, is_vector);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_layer_norm) = {
    .name = "layer_norm",
    .brief = "norm over the channels of each pixel, with a scale and an offset for each channel",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_layer_norm),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
