/* group_norm: y = gamma[c] (x - mean) / sqrt(var + eps) + beta[c], with mean and biased variance of each sample's
 * groups of c/g channels in a row, over all positions. One group is the layer norm over (c, h, w), c groups are the
 * instance norm.
 *
 * Sums over positions are order-independent, so that the bits of y follow every circular shift of x. They are sums of
 * x - k and of its square, lane by lane, k the middle between the least and the largest value of the lane: a bound as
 * tight as that leaves the variance exact where the mean is far from zero. */
#include "layer/group_norm_run.h"

#include "emit/emit.h"
#include "tensor/exact_sum.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    tips_group_norm *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    const tips_value_info x = tips__in_info(graph, node, 0);
    if (config->eps <= 0) config->eps = 1e-5;
    if (config->groups < 1 || x.c % config->groups)
        TIPS_FAIL(TIPS_SHAPE, "group_norm '%s': %d groups do not divide %d channels", node->name, config->groups, x.c);
    tips_param_spec spec = {.layout = TIPS_VECTOR, .dims = {x.c}, .n_dims = 1, .trainable = true, .decay = true};
    if (config->affine) {
        spec.fill = 1;
        tips__node_param(graph, node, "weight", spec);
        spec.fill = 0;
        tips__node_param(graph, node, "bias", spec);
    }
    tips__node_out(graph, node, tips__map_info(x.c, x.h, x.w, x.per_sample));
    return TIPS_OK;
}

/* Numbers of (n, c padded). */
static size_t channel_numbers(const tips_op *op) {
    return (size_t)op->in[0].map.n * (size_t)tips__padded(op->in[0].map.c);
}

static tips_status plan(tips_op *op, tips_plan *p) {
    p->workspace = 2 * channel_numbers(op) * sizeof(float);
    p->forward_scratch = 2 * channel_numbers(op) * sizeof(double);
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    p->backward_scratch = channel_numbers(op) * (2 * sizeof(double) + 2 * sizeof(float));
    p->keep_in = 1;
    p->in_place = 1;
    return TIPS_OK;
}

/* ---- statistics ---- */

/* The middle and the largest distance from it, of each lane of a plane. */
static void plane_range(const tips_map *x, int n, int b, vd *middle, vd *reach) {
    vf high = vf_set(-INFINITY), low = vf_set(-INFINITY); /* low: the largest of -x */
    for (int y = 0; y < x->h; y++) {
        const float *row = tips__row(x, n, b, y);
        for (ptrdiff_t i = 0; i < (ptrdiff_t)x->w * TIPS_BLOCK; i += TIPS_BLOCK) {
            const vf v = vf_load(row + i);
            high = vf_max(v, high);
            low = vf_max(-v, low);
        }
    }
    const vd k = vd_from(0.5f * high - 0.5f * low);
    *middle = k;
    *reach = vd_max(vd_from(high) - k, k + vd_from(low));
}

/* What a sample's statistics are put together from: mean and sum of squared deviations of each channel. */
typedef struct channel_moments {
    double *mean, *squares; /* (n, c padded) */
} channel_moments;

static channel_moments moments_at(const tips_op *op) {
    double *at = op->scratch;
    return (channel_moments){at, at + channel_numbers(op)};
}

static void plane_moments(const tips_map *x, int n, int b, const channel_moments *out) {
    const double area = (double)x->h * x->w;
    const ptrdiff_t at = tips__group_at(x, n, b);
    vd middle, reach;
    plane_range(x, n, b, &middle, &reach);
    exact_sum values = exact_sum_start(reach, area), squares = exact_sum_start(reach * reach, area);
    for (int y = 0; y < x->h; y++) exact_sum_add_moments(&values, &squares, middle, tips__row(x, n, b, y), x->w);
    tips__store_doubles(out->mean + at, middle + values.sum / area);
    tips__store_doubles(out->squares + at, squares.sum - values.sum * values.sum / area);
}

/* Channels first..first+count-1 of a sample, whose numbers begin at `mean` and `squares`. */
static void group_statistics(const double *mean, const double *squares, int first, int count, double area,
                             double *group_mean, double *variance) {
    double sum = 0, total = 0;
    for (int c = first; c < first + count; c++) sum += mean[c];
    const double middle = sum / count;
    for (int c = first; c < first + count; c++)
        total += squares[c] + area * ((mean[c] - middle) * (mean[c] - middle));
    *group_mean = middle;
    *variance = total < 0 ? 0 : total / (area * count); /* rounding may leave less than nothing */
}

static void sample_statistics(const tips_op *op, int n, const channel_moments *m, const group_saved *s) {
    const tips_group_norm *config = op->node->config;
    const tips_map *x = &op->in[0].map;
    const ptrdiff_t at = tips__group_at(x, n, 0);
    const int count = x->c / config->groups;
    for (int first = 0; first < x->c; first += count) {
        double mean, variance;
        group_statistics(m->mean + at, m->squares + at, first, count, (double)x->h * x->w, &mean, &variance);
        for (int c = first; c < first + count; c++) {
            s->mean[at + c] = (float)mean;
            s->rstd[at + c] = (float)(1 / sqrt(variance + config->eps));
        }
    }
    for (int c = x->c; c < tips__padded(x->c); c++) s->mean[at + c] = s->rstd[at + c] = 0;
}

static void find_statistics(const tips_op *op, const group_saved *s) {
    const tips_map *x = &op->in[0].map;
    const channel_moments m = moments_at(op);
    TIPS_PARALLEL_PLANES (x, n, b) plane_moments(x, n, b, &m);
    TIPS_PARALLEL_FOR (n, x->n) sample_statistics(op, n, &m, s);
}

/* ---- */

static void normalise(const tips_op *op, const group_saved *s) {
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    TIPS_PARALLEL_PLANES (x, n, b) {
        const ptrdiff_t at = tips__group_at(x, n, b);
        const vf mean = vf_load(s->mean + at), scale = vf_load(s->rstd + at) * tips__group_gamma(op, b);
        const vf beta = op->node->n_params > 0 ? vf_load(op->param[GROUP_BETA] + (ptrdiff_t)b * TIPS_BLOCK) : (vf){0};
        for (int i = 0; i < x->h; i++) {
            const float *from = tips__row(x, n, b, i);
            float *to = tips__row(y, n, b, i);
            for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK)
                vf_store(to + j, vf_fma(vf_load(from + j) - mean, scale, beta));
        }
    }
}

static tips_status forward(tips_op *op) {
    const group_saved s = tips__group_saved(op);
    if (!op->replay) find_statistics(op, &s);
    normalise(op, &s);
    return TIPS_OK;
}

/* Elements of one group lie in a row. */
static void ref_group(const double *x, size_t count, double eps, double *y) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < count; i++) mean += x[i] / (double)count;
    for (size_t i = 0; i < count; i++) variance += (x[i] - mean) * (x[i] - mean) / (double)count;
    for (size_t i = 0; i < count; i++) y[i] = (x[i] - mean) / sqrt(variance + eps);
}

static tips_status ref(tips_ref_op *op) {
    const tips_group_norm *config = op->node->config;
    const tips_ref_slot *in = &op->in[0];
    double *y = op->out[0].data;
    const size_t area = (size_t)in->h * (size_t)in->w, planes = (size_t)in->n * (size_t)in->c;
    const size_t count = area * (size_t)(in->c / config->groups);
    for (size_t at = 0; at < planes * area; at += count) ref_group(in->data + at, count, config->eps, y + at);
    for (size_t i = 0; config->affine && i < planes * area; i++) {
        const size_t c = i / area % (size_t)in->c;
        y[i] = op->param[GROUP_GAMMA][c] * y[i] + op->param[GROUP_BETA][c];
    }
    return TIPS_OK;
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_value_info x = tips__in_info(graph, node, 0);
    return 2.0 * x.c * x.h * x.w * x.per_sample; /* the square, and gamma with beta */
}

static const tips_option options[] = {
    {.name = "groups", .type = TIPS_OPT_INT, .offset = offsetof(tips_group_norm, groups), .fallback = "1", .min = 1,
     .max = 1 << 20, .help = "parts of the channels with statistics of their own; must divide them"},
    {.name = "eps", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_group_norm, eps), .fallback = "1e-5", .min = 0,
     .max = 1, .help = "added to the variance; 0 stands for 1e-5"},
    {.name = "affine", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_group_norm, affine), .fallback = "true",
     .help = "a weight and a bias for each channel"},
    {.type = TIPS_OPT_END},
};

/* ---- export ---- */

/* The mean over the groups of a map, (n, c, 1, 1): one number for each channel. Sums run in double, so that the number
 * is the same in whatever order a runtime takes the positions. */
static tips_operand emit_group_mean(tips_emitter *to, int channels, int groups, tips_operand x) {
    x = tips__emit_reduce(to, "ReduceMean", tips__emit_cast(to, x, TIPS_OPERAND_DOUBLE), (const int[]){2, 3}, 2);
    if (groups < channels) {
        const int64_t by_group[] = {0, groups, channels / groups}, by_channel[] = {0, channels, 1, 1};
        const tips_operand parts = tips__emit_reshape(to, x, by_group, 3);
        const tips_operand mean = tips__emit_reduce(to, "ReduceMean", parts, (const int[]){2}, 1);
        const tips_operand size = tips__emit_ints(to, (const int64_t[]){1, 1, channels / groups}, 3);
        x = tips__emit_reshape(to, tips__emit_binary(to, "Expand", mean, size), by_channel, 4);
    }
    return x;
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_group_norm *config = node->config;
    const int channels = tips__emit_in_info(to, node, 0).c;
    const tips_operand x = tips__emit_in(to, node, 0);
    const tips_operand mean = emit_group_mean(to, channels, config->groups, x);
    const tips_operand d = tips__emit_binary(to, "Sub", x, tips__emit_cast(to, mean, TIPS_OPERAND_FLOAT));
    const tips_operand square = tips__emit_binary(to, "Mul", d, d);
    const tips_operand variance = emit_group_mean(to, channels, config->groups, square);
    const tips_operand shifted = tips__emit_binary(to, "Add", variance, tips__emit_double(to, config->eps));
    const tips_operand deviation = tips__emit_cast(to, tips__emit_unary(to, "Sqrt", shifted), TIPS_OPERAND_FLOAT);
    tips_operand y = tips__emit_binary(to, "Div", d, deviation);
    if (config->affine) {
        y = tips__emit_binary(to, "Mul", y, tips__emit_spread_param(to, node, GROUP_GAMMA, false));
        y = tips__emit_binary(to, "Add", y, tips__emit_spread_param(to, node, GROUP_BETA, false));
    }
    tips__emit_out(to, node, 0, y);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_group_norm) = {
    .name = "group_norm", .brief = "normalisation of each sample by groups of channels, the same bits in any order",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_REPLAYS, .options = options, .config_size = sizeof(tips_group_norm),
    .shape = shape, .plan = plan, .forward = forward, .backward = tips__group_norm_backward, .ref = ref, .emit = emit,
    .multiply_adds = multiply_adds};
