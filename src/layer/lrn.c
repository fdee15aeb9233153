/* Local response normalisation across channels: y[c] = x[c] / d[c]^beta with d[c] = bias + alpha/size * sum of x[i]^2
 * over the window c - floor((size-1)/2) .. c + ceil((size-1)/2).
 * dx[c] = dy[c] / d[c]^beta - 2 alpha beta / size * x[c] * sum of dy[i] x[i] / d[i]^(beta+1) over the i whose window
 * holds c.
 *
 * The channels of a pixel are copied to a line with zeros at both ends, so that every window takes the same path. */
#include "core/memory.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_lrn *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    if (config->size < 1)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a window of %d channels; at least 1 is needed", node->name, config->size);
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(in.c, in.h, in.w, in.per_sample));
    return TIPS_OK;
}

/* How far a window reaches; beyond the channels there are are only zeros. */
typedef struct reach {
    int before, after;
} reach;

static reach reach_of(const tips_op *op) {
    const int size = ((const tips_lrn *)op->node->config)->size, most = op->in[0].map.c - 1;
    const int before = (size - 1) / 2, after = size / 2;
    return (reach){before < most ? before : most, after < most ? after : most};
}

/* A line: zeros, the channels in whole blocks, zeros. A window never reaches further than the channels are many. */
static size_t line_floats(const tips_op *op) { return 3 * (size_t)tips__padded(op->in[0].map.c); }

static float *channels_of(const tips_op *op, float *line) { return line + tips__padded(op->in[0].map.c); }

/* The line of squares, in backward also one of the terms of the sum, and the powers. */
static size_t forward_floats(const tips_op *op) { return line_floats(op); }
static size_t backward_floats(const tips_op *op) { return 2 * line_floats(op) + tips__padded(op->in[0].map.c); }

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->keep_in = 1;
    plan->forward_scratch = tips__thread_bytes(forward_floats(op));
    plan->backward_scratch = tips__thread_bytes(backward_floats(op));
    return TIPS_OK;
}

static inline vf load_anywhere(const float *p) {
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline vf window_sum(const float *channels, int before, int after) {
    vf sum = load_anywhere(channels - before);
    for (int i = 1 - before; i <= after; i++) sum += load_anywhere(channels + i);
    return sum;
}

static inline vf square_root(vf x) {
    vf root;
    for (int l = 0; l < TIPS_BLOCK; l++) root[l] = sqrtf(x[l]);
    return root;
}

/* d^beta; the usual exponents without a call for each lane. */
static inline vf power(vf d, double beta) {
    if (beta == 1) return d;
    const vf root = square_root(d);
    if (beta == 0.5) return root;
    if (beta == 0.75) return root * square_root(root);
    vf result;
    for (int l = 0; l < TIPS_BLOCK; l++) result[l] = (float)pow((double)d[l], beta);
    return result;
}

typedef struct lrn_run {
    const tips_lrn *config;
    reach window;
    float rate; /* alpha / size */
    int blocks, channels;
} lrn_run;

static lrn_run run_of(const tips_op *op) {
    const tips_lrn *config = op->node->config;
    return (lrn_run){config, reach_of(op), (float)(config->alpha / config->size), op->in[0].map.blocks,
                     op->in[0].map.c};
}

static void write_squares(const lrn_run *run, const float *x, ptrdiff_t step, float *squares) {
    for (int b = 0; b < run->blocks; b++) {
        const vf value = vf_load(x + b * step);
        vf_store(squares + (ptrdiff_t)b * TIPS_BLOCK, value * value);
    }
}

static inline vf divisor(const lrn_run *run, const float *squares, int b) {
    const vf sum = window_sum(squares + (ptrdiff_t)b * TIPS_BLOCK, run->window.before, run->window.after);
    return vf_fma(sum, vf_set(run->rate), vf_set((float)run->config->bias));
}

static void forward_pixel(const lrn_run *run, const float *x, ptrdiff_t x_step, float *y, ptrdiff_t y_step,
                          float *squares) {
    write_squares(run, x, x_step, squares);
    for (int b = 0; b < run->blocks; b++) {
        const vf value = vf_load(x + b * x_step) / power(divisor(run, squares, b), run->config->beta);
        vf_store(y + b * y_step, tips__masked(value, tips__lane_mask(run->channels, b)));
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const lrn_run run = run_of(op);
    const size_t floats = forward_floats(op);
    TIPS_PARALLEL_FOR (i, dst->n * dst->h) {
        float *line = tips__thread_scratch(op, floats);
        const float *from = tips__row(src, i / dst->h, 0, i % dst->h);
        float *to = tips__row(dst, i / dst->h, 0, i % dst->h);
        memset(line, 0, floats * sizeof *line);
        for (ptrdiff_t x = 0; x < (ptrdiff_t)dst->w * TIPS_BLOCK; x += TIPS_BLOCK)
            forward_pixel(&run, from + x, src->sb, to + x, dst->sb, channels_of(op, line));
    }
    return TIPS_OK;
}

/* The lines of one thread in backward. */
typedef struct lines {
    float *squares, *terms; /* dy x / d^(beta+1) */
    float *powers;          /* d^beta */
} lines;

static lines lines_at(const tips_op *op, float *scratch) {
    return (lines){channels_of(op, scratch), channels_of(op, scratch + line_floats(op)), scratch + 2 * line_floats(op)};
}

static void write_terms(const lrn_run *run, const float *x, ptrdiff_t x_step, const float *dy, ptrdiff_t dy_step,
                        const lines *l) {
    write_squares(run, x, x_step, l->squares);
    for (int b = 0; b < run->blocks; b++) {
        const vf d = divisor(run, l->squares, b), to_beta = power(d, run->config->beta);
        const vf term = vf_load(dy + b * dy_step) * vf_load(x + b * x_step) / (to_beta * d);
        vf_store(l->powers + (ptrdiff_t)b * TIPS_BLOCK, to_beta);
        vf_store(l->terms + (ptrdiff_t)b * TIPS_BLOCK, tips__masked(term, tips__lane_mask(run->channels, b)));
    }
}

/* Channel c lies in the windows of c - after .. c + before. */
static vf block_gradient(const lrn_run *run, vf x, vf dy, const lines *l, int b) {
    const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
    const vf sum = window_sum(l->terms + at, run->window.after, run->window.before);
    const float factor = (float)(2 * run->config->beta * run->config->alpha / run->config->size);
    return tips__masked(dy / vf_load(l->powers + at) - factor * x * sum, tips__lane_mask(run->channels, b));
}

static void backward_row(const tips_op *op, const lrn_run *run, int n, int y, const lines *l) {
    const tips_slot *in = &op->in[0];
    const tips_map *src = &in->map, *diff_dst = &op->out[0].diff;
    const float *x = tips__row(src, n, 0, y), *dy = tips__row(diff_dst, n, 0, y);
    float *dx = tips__row(&in->diff, n, 0, y);
    for (ptrdiff_t at = 0; at < (ptrdiff_t)src->w * TIPS_BLOCK; at += TIPS_BLOCK) {
        write_terms(run, x + at, src->sb, dy + at, diff_dst->sb, l);
        for (int b = 0; b < run->blocks; b++)
            tips__put(dx + at + b * in->diff.sb,
                      block_gradient(run, vf_load(x + at + b * src->sb), vf_load(dy + at + b * diff_dst->sb), l, b),
                      in->accumulate);
    }
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *src = &op->in[0].map;
    const lrn_run run = run_of(op);
    const size_t floats = backward_floats(op);
    TIPS_PARALLEL_FOR (i, src->n * src->h) {
        float *scratch = tips__thread_scratch(op, floats);
        const lines l = lines_at(op, scratch);
        memset(scratch, 0, floats * sizeof *scratch);
        backward_row(op, &run, i / src->h, i % src->h, &l);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_lrn *config = op->node->config;
    const tips_ref_slot *in = &op->in[0];
    const size_t area = (size_t)in->h * in->w;
    for (size_t i = 0; i < (size_t)in->n * area; i++) {
        const double *x = in->data + i / area * in->c * area + i % area;
        double *y = op->out[0].data + i / area * in->c * area + i % area;
        for (int c = 0; c < in->c; c++) {
            double sum = 0;
            for (int k = 0; k < config->size; k++) {
                const int other = c - (config->size - 1) / 2 + k;
                if (other >= 0 && other < in->c) sum += x[other * area] * x[other * area];
            }
            y[c * area] = x[c * area] / pow(config->bias + config->alpha / config->size * sum, config->beta);
        }
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "size", .type = TIPS_OPT_INT, .offset = offsetof(tips_lrn, size), .fallback = "5", .min = 1,
     .max = 1 << 20, .help = "channels in a window"},
    {.name = "alpha", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_lrn, alpha), .fallback = "0.0001",
     .help = "weight of the mean square of a window"},
    {.name = "beta", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_lrn, beta), .fallback = "0.75",
     .help = "exponent of the divisor"},
    {.name = "bias", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_lrn, bias), .fallback = "1",
     .help = "the divisor of a window of zeros"},
    {.type = TIPS_OPT_END},
};

/* The divisors before the power, as a 1x1 convolution of the squares: runtimes know LRN with odd windows only. */
static tips_operand emit_divisors(tips_emitter *to, const tips_lrn *config, int channels, tips_operand x) {
    float *weights; /* (channels, channels), then the bias */
    const tips_status status =
        tips__new_zero(&weights, ((size_t)channels + 1) * (size_t)channels * sizeof *weights, "the windows of a norm");
    tips__emit_fail(to, status);
    if (status != TIPS_OK) return TIPS_NO_OPERAND;
    float *bias = weights + (size_t)channels * (size_t)channels;
    for (int c = 0; c < channels; c++) {
        bias[c] = (float)config->bias;
        for (int i = 0; i < channels; i++)
            if (i >= c - (config->size - 1) / 2 && i <= c + config->size / 2)
                weights[(size_t)c * (size_t)channels + (size_t)i] = (float)(config->alpha / config->size);
    }
    const tips_operand in[] = {tips__emit_binary(to, "Mul", x, x),
                               tips__emit_floats(to, weights, (const int64_t[]){channels, channels, 1, 1}, 4),
                               tips__emit_floats(to, bias, (const int64_t[]){channels}, 1)};
    tips__free(weights);
    return tips__emit_op(to, "Conv", in, 3, TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", 1, 1)));
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_lrn *c = node->config;
    tips_operand x = tips__emit_in(to, node, 0);
    if (c->size % 2 == 0) {
        const tips_operand divisors = emit_divisors(to, c, tips__emit_in_info(to, node, 0).c, x);
        x = tips__emit_binary(to, "Div", x, tips__emit_binary(to, "Pow", divisors, tips__emit_float(to, c->beta)));
    } else {
        x = tips__emit_op(to, "LRN", &x, 1,
                          TIPS_WITH(TIPS_WITH_INT("size", c->size), TIPS_WITH_FLOAT("alpha", c->alpha),
                                    TIPS_WITH_FLOAT("beta", c->beta), TIPS_WITH_FLOAT("bias", c->bias)));
    }
    tips__emit_out(to, node, 0, x);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_lrn) = {
    .name = "lrn",
    .brief = "local response normalisation across channels",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_lrn),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
