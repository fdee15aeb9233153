/* The contrastive loss of vectors z with a number each, over a whole batch, per sample, in double. A(i) are all samples
 * but i, P(i) those of A(i) with the number of i, s_ia = z_i z_a / T:
 *     loss_i = lse_i - mean over P(i) of s_ip,   lse_i = log sum over A(i) of exp s_ia
 * and 0 where P(i) is empty. With the number of the picture it is NT-Xent (SimCLR), with that of the class the
 * supervised contrastive loss (SupCon), whose sum over P lies outside the logarithm. Backward: dz_i = 1/T sum over A(i)
 * of (c_ia + c_ai) z_a,   c_ia = dloss_i (exp(s_ia - lse_i) - [a in P(i)] / |P(i)|) */
#include "layer/layers.h"
#include "layer/pixel.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_contrast *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_vector(graph, node, 0));
    TIPS_TRY(tips__expect_number(graph, node, 1));
    const tips_value_info z = tips__in_info(graph, node, 0);
    if (!(config->temperature > 0 && config->temperature <= 1e6))
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a temperature of %g is not in (0, 1e6]", node->name, config->temperature);
    tips__node_out(graph, node, tips__map_info(1, 1, 1, z.per_sample));
    return TIPS_OK;
}

/* What the others are to a sample. */
typedef struct crowd {
    double log_sum; /* lse */
    int alike;      /* |P| */
} crowd;

static tips_status plan(tips_op *op, tips_plan *plan) {
    const int n = op->in[0].map.n;
    plan->keep_in = 3;
    if (!tips__goes_back(&op->pass)) return TIPS_OK;
    plan->workspace = (size_t)n * sizeof(crowd);
    plan->backward_scratch = tips__thread_bytes(2 * (size_t)n); /* a double for each sample */
    return TIPS_OK;
}

static double nearness(const tips_op *op, int i, int j) {
    const tips_map *z = &op->in[0].map;
    const double temperature = ((const tips_contrast *)op->node->config)->temperature;
    return tips__pixel_product(tips__pixel_of(z, i, 0, 0), tips__pixel_of(z, j, 0, 0), z->blocks) / temperature;
}

/* The sum is taken relative to the largest so far, so that one pass does. */
static double sample_loss(const tips_op *op, int i, crowd *out) {
    const int32_t *number = op->in[1].index;
    double largest = -INFINITY, sum = 0, alike = 0;
    *out = (crowd){0};
    for (int a = 0; a < op->in[0].map.n; a++) {
        if (a == i) continue;
        const double s = nearness(op, i, a);
        sum = s > largest ? sum * exp(largest - s) + 1 : sum + exp(s - largest);
        largest = fmax(largest, s);
        if (number[a] == number[i]) alike += s, out->alike++;
    }
    out->log_sum = largest + log(sum);
    return out->alike ? out->log_sum - alike / out->alike : 0;
}

static tips_status forward(tips_op *op) {
    crowd *kept = tips__goes_back(&op->pass) ? op->workspace : NULL; /* (n) */
    TIPS_PARALLEL_FOR (i, op->in[0].map.n) {
        vf loss = {0};
        crowd others;
        loss[0] = (float)sample_loss(op, i, &others);
        vf_store(tips__plane(&op->out[0].map, i, 0), loss);
        if (kept) kept[i] = others;
    }
    return TIPS_OK;
}

/* c_ia of the formula, where s is s_ia. */
static double pull(const tips_op *op, int i, int a, double s) {
    const crowd *others = (const crowd *)op->workspace + i;
    if (others->alike == 0) return 0;
    const double part = op->in[1].index[a] == op->in[1].index[i] ? 1.0 / others->alike : 0;
    return tips__plane(&op->out[0].diff, i, 0)[0] * (exp(s - others->log_sum) - part);
}

static void sample_gradient(const tips_op *op, int i, double *pulls) {
    const tips_slot *in = &op->in[0];
    const double temperature = ((const tips_contrast *)op->node->config)->temperature;
    for (int a = 0; a < in->map.n; a++) {
        const double s = a == i ? 0 : nearness(op, i, a);
        pulls[a] = a == i ? 0 : (pull(op, i, a, s) + pull(op, a, i, s)) / temperature;
    }
    for (int b = 0; b < in->map.blocks; b++) {
        vd sum = {0};
        for (int a = 0; a < in->map.n; a++) sum += vd_from(vf_load(tips__plane(&in->map, a, b))) * pulls[a];
        tips__put(tips__plane(&in->diff, i, b), vf_from(sum), in->accumulate);
    }
}

static tips_status backward(tips_op *op) {
    const int n = op->in[0].map.n;
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_PARALLEL_FOR (i, n) sample_gradient(op, i, (double *)(void *)tips__thread_scratch(op, 2 * (size_t)n));
    return TIPS_OK;
}

static double ref_nearness(const tips_ref_op *op, int i, int j) {
    const tips_ref_slot *z = &op->in[0];
    double sum = 0;
    for (int c = 0; c < z->c; c++) sum += z->data[i * z->c + c] * z->data[j * z->c + c];
    return sum / ((const tips_contrast *)op->node->config)->temperature;
}

static tips_status ref(tips_ref_op *op) {
    const int n = op->in[0].n;
    const int32_t *number = op->in[1].index;
    for (int i = 0; i < n; i++) {
        double largest = -INFINITY, sum = 0, loss = 0;
        int alike = 0;
        for (int a = 0; a < n; a++)
            if (a != i) largest = fmax(largest, ref_nearness(op, i, a));
        for (int a = 0; a < n; a++)
            if (a != i) sum += exp(ref_nearness(op, i, a) - largest);
        for (int p = 0; p < n; p++) {
            if (p == i || number[p] != number[i]) continue;
            loss -= ref_nearness(op, i, p) - largest - log(sum);
            alike++;
        }
        op->out[0].data[i] = alike ? loss / alike : 0;
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "temperature",
     .type = TIPS_OPT_FLOAT,
     .offset = offsetof(tips_contrast, temperature),
     .fallback = "0.1",
     .min = 0.001,
     .max = 1000,
     .help = "what products of vectors are divided by"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_contrast) = {
    .name = "contrast",
    .brief = "contrastive loss of the vectors of a batch: near to those with their number, far from the others",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .options = options,
    .config_size = sizeof(tips_contrast),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
