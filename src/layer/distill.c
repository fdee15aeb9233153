/* How far the answers of logits x are from those of a teacher's logits t, both softened by a temperature T, per sample,
 * in double:
 *     loss = T^2 sum_j p_j (log p_j - log q_j),   p = softmax(t / T),   q = softmax(x / T)
 *     dx_j = dloss T (q_j - p_j),   dt_j = dloss T p_j (log p_j - log q_j - loss / T^2)
 * T^2 keeps the gradient's size while T grows. */
#include "layer/layers.h"
#include "layer/logits.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_distill *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_vector(graph, node, 0));
    TIPS_TRY(tips__expect_like_first(graph, node, 1));
    const tips_value_info logits = tips__in_info(graph, node, 0);
    if (!(config->temperature > 0 && config->temperature <= 1e6))
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a temperature of %g is not in (0, 1e6]", node->name, config->temperature);
    tips__node_out(graph, node, tips__map_info(1, 1, 1, logits.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_in = 3;
    return TIPS_OK;
}

/* One sample's two answers. */
typedef struct answers {
    const tips_map *student, *teacher;
    int n;
    double temperature, student_sum, teacher_sum; /* log sum exp */
} answers;

static answers answers_of(const tips_op *op, int n) {
    answers a = {&op->in[0].map, &op->in[1].map, n, ((const tips_distill *)op->node->config)->temperature, 0, 0};
    a.student_sum = tips__log_sum_exp(a.student, n, a.temperature);
    a.teacher_sum = tips__log_sum_exp(a.teacher, n, a.temperature);
    return a;
}

static double log_q(const answers *a, int c) {
    return tips__logit(a->student, a->n, c, a->temperature) - a->student_sum;
}

static double log_p(const answers *a, int c) {
    return tips__logit(a->teacher, a->n, c, a->temperature) - a->teacher_sum;
}

static double divergence(const answers *a) {
    double sum = 0;
    for (int c = 0; c < a->student->c; c++) sum += exp(log_p(a, c)) * (log_p(a, c) - log_q(a, c));
    return sum;
}

static tips_status forward(tips_op *op) {
    TIPS_PARALLEL_FOR(n, op->in[0].map.n) {
        const answers a = answers_of(op, n);
        vf loss = {0};
        loss[0] = (float)(a.temperature * a.temperature * divergence(&a));
        vf_store(tips__plane(&op->out[0].map, n, 0), loss);
    }
    return TIPS_OK;
}

static double gradient_of(const answers *a, int input, int c, double d) {
    const double p = exp(log_p(a, c));
    return input == 0 ? exp(log_q(a, c)) - p : p * (log_p(a, c) - log_q(a, c) - d);
}

static void backward_sample(const tips_op *op, int n) {
    const answers a = answers_of(op, n);
    const double scale = a.temperature * tips__plane(&op->out[0].diff, n, 0)[0], d = divergence(&a);
    for (int i = 0; i < 2; i++) {
        const tips_slot *in = &op->in[i];
        for (int b = 0; in->want_diff && b < in->map.blocks; b++) {
            vf gradient = {0};
            for (int l = 0; l < tips__lanes(in->map.c, b); l++) {
                gradient[l] = (float)(scale * gradient_of(&a, i, b * TIPS_BLOCK + l, d));
            }
            tips__put(tips__plane(&in->diff, n, b), gradient, in->accumulate);
        }
    }
}

static tips_status backward(tips_op *op) {
    TIPS_PARALLEL_FOR(n, op->in[0].map.n) backward_sample(op, n);
    return TIPS_OK;
}

/* log softmax(x / T)_c, straight from the definition. */
static double ref_log(const double *x, int classes, int c, double temperature) {
    double sum = 0;
    for (int j = 0; j < classes; j++) sum += exp((x[j] - x[c]) / temperature);
    return -log(sum);
}

static tips_status ref(tips_ref_op *op) {
    const double temperature = ((const tips_distill *)op->node->config)->temperature;
    const int classes = op->in[0].c;
    for (int n = 0; n < op->in[0].n; n++) {
        const double *x = op->in[0].data + n * classes, *t = op->in[1].data + n * classes;
        double loss = 0;
        for (int c = 0; c < classes; c++) {
            const double teacher = ref_log(t, classes, c, temperature);
            loss += exp(teacher) * (teacher - ref_log(x, classes, c, temperature));
        }
        op->out[0].data[n] = temperature * temperature * loss;
    }
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "temperature", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_distill, temperature), .fallback = "4",
     .min = 0.01, .max = 1000, .help = "how much both answers are softened before they are compared"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_distill) = {
    .name = "distill",
    .brief = "divergence from a teacher's softened answer, per sample",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .options = options,
    .config_size = sizeof(tips_distill),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
