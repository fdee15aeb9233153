/* Focal loss of the logits x of every class of every anchor, with t = 1 for the class of its truth and 0 else:
 *     p = 1 / (1 + exp(-x)), q = t ? p : 1 - p, a = t ? alpha : 1 - alpha
 *     loss = 1/m sum -a (1 - q)^gamma log q,   dx = dloss / m  s a (1 - q)^gamma (gamma q log q - (1 - q)),
 * s = 1 where t, -1 else. Anchors that are ignored do not count; m is the number of anchors with a truth, or of all
 * that count. With gamma 0 and no alpha it is the cross-entropy of one yes or no each.
 * Inputs: a map (shapes * classes) for each level, matches, truths. */
#include "layer/box_maps.h"

#include <math.h>

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_focal_loss *c = node->config;
    const int levels = c->anchors.n_levels;
    TIPS_TRY(tips__expect_anchors(node, &c->anchors));
    TIPS_TRY(tips__expect_inputs(node, levels + 2));
    TIPS_TRY(tips__expect_head(graph, node, 0, &c->anchors, c->classes));
    TIPS_TRY(tips__expect_matches(graph, node, levels, &c->anchors));
    TIPS_TRY(tips__expect_truths(graph, node, levels + 1));
    tips__node_out(graph, node, tips__map_info(1, 1, 1, 1));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_focal_loss *c = op->node->config;
    plan->keep_in = (1u << (c->anchors.n_levels + 2)) - 1;
    plan->forward_scratch = (size_t)op->in[0].map.n * (size_t)tips__anchor_rows(&c->anchors) * sizeof(double);
    return TIPS_OK;
}

/* The class that an anchor should have: -1 none, -2 no matter. */
static int wanted_class(const tips_op *op, int n, int match) {
    const tips_focal_loss *c = op->node->config;
    tips_truth truth;
    if (match < 0) return match == TIPS_MATCH_NOTHING ? -1 : -2;
    if (!tips__truth_in(tips__sample_index(&op->in[c->anchors.n_levels + 1], n), match, &truth)) return -2;
    return c->classes == 1 ? 0 : truth.label;
}

/* (1 - q)^gamma and log q of a logit that is wanted to be high, or low where the sign is turned. */
typedef struct focal {
    double q, log_q, power;
} focal;

static inline focal focal_of(double x, double gamma) {
    const double small = exp(-fabs(x)), q = x >= 0 ? 1 / (1 + small) : small / (1 + small);
    const double rest = x >= 0 ? small / (1 + small) : 1 / (1 + small);
    const double power = gamma == 2 ? rest * rest : gamma == 0 ? 1 : pow(rest, gamma);
    return (focal){q, (x < 0 ? x : 0) - log1p(small), power};
}

static inline double weight_of(const tips_focal_loss *c, bool wanted) {
    if (c->alpha < 0) return 1;
    return wanted ? c->alpha : 1 - c->alpha;
}

static const int32_t *matches_of(const tips_op *op, int n) {
    return tips__sample_index(&op->in[((const tips_focal_loss *)op->node->config)->anchors.n_levels], n);
}

static double row_loss(const tips_op *op, int n, tips_anchor_row at) {
    const tips_focal_loss *c = op->node->config;
    const tips_map *map = &op->in[at.level].map;
    const int32_t *matches = matches_of(op, n) + at.first;
    double sum = 0;
    for (int x = 0; x < map->w; x++)
        for (int s = 0; s < tips__anchor_shapes(&c->anchors); s++) {
            const int wanted = wanted_class(op, n, *matches++);
            for (int k = 0; k < c->classes && wanted > -2; k++) {
                const double logit = *tips__map_number(map, n, s * c->classes + k, at.y, x);
                const focal f = focal_of(k == wanted ? logit : -logit, c->gamma);
                sum -= weight_of(c, k == wanted) * f.power * f.log_q;
            }
        }
    return sum;
}

static double divisor_of(const tips_op *op, int n) {
    const tips_focal_loss *c = op->node->config;
    return tips__match_divisor(matches_of(op, n), tips__anchor_count(&c->anchors), c->over);
}

static tips_status forward(tips_op *op) {
    const tips_anchors *anchors = &((const tips_focal_loss *)op->node->config)->anchors;
    const int rows = tips__anchor_rows(anchors), samples = op->in[0].map.n;
    double *sums = op->scratch;
    TIPS_PARALLEL_FOR (i, samples * rows) sums[i] = row_loss(op, i / rows, tips__anchor_row(anchors, i % rows));
    tips__map_zero(&op->out[0].map);
    for (int n = 0; n < samples; n++) {
        double sum = 0;
        for (int i = 0; i < rows; i++) sum += sums[n * rows + i];
        *tips__map_number(&op->out[0].map, n, 0, 0, 0) = (float)(sum / divisor_of(op, n));
    }
    return TIPS_OK;
}

static void row_gradient(const tips_op *op, int n, tips_anchor_row at, double scale) {
    const tips_focal_loss *c = op->node->config;
    const tips_slot *in = &op->in[at.level];
    const int32_t *matches = matches_of(op, n) + at.first;
    for (int x = 0; x < in->map.w; x++)
        for (int s = 0; s < tips__anchor_shapes(&c->anchors); s++) {
            const int wanted = wanted_class(op, n, *matches++);
            for (int k = 0; k < c->classes && wanted > -2; k++) {
                const int channel = s * c->classes + k;
                const double logit = *tips__map_number(&in->map, n, channel, at.y, x), sign = k == wanted ? 1 : -1;
                const focal f = focal_of(sign * logit, c->gamma);
                *tips__map_number(&in->diff, n, channel, at.y, x) +=
                    (float)(scale * sign * weight_of(c, k == wanted) * f.power *
                            (c->gamma * f.q * f.log_q - (1 - f.q)));
            }
        }
}

static tips_status backward(tips_op *op) {
    const tips_anchors *anchors = &((const tips_focal_loss *)op->node->config)->anchors;
    const int rows = tips__anchor_rows(anchors);
    for (int l = 0; l < anchors->n_levels; l++)
        if (op->in[l].want_diff && !op->in[l].accumulate) tips__map_zero(&op->in[l].diff);
    TIPS_PARALLEL_FOR (i, op->in[0].map.n * rows) {
        const tips_anchor_row at = tips__anchor_row(anchors, i % rows);
        const int n = i / rows;
        if (op->in[at.level].want_diff)
            row_gradient(op, n, at, *tips__map_number(&op->out[0].diff, n, 0, 0, 0) / divisor_of(op, n));
    }
    return TIPS_OK;
}

static double ref_loss(const tips_focal_loss *c, double x, bool wanted) {
    const double p = 1 / (1 + exp(-x)), q = wanted ? p : 1 - p;
    return -weight_of(c, wanted) * pow(1 - q, c->gamma) * log(q);
}

static tips_status ref(tips_ref_op *op) {
    const tips_focal_loss *c = op->node->config;
    const tips_ref_slot *index = &op->in[c->anchors.n_levels], *truths = &op->in[c->anchors.n_levels + 1];
    for (int n = 0; n < op->n; n++) {
        const int32_t *match = index->index + (size_t)n * (size_t)index->h;
        const double divisor = tips__match_divisor(match, index->h, c->over);
        double sum = 0;
        for (int l = 0; l < c->anchors.n_levels; l++)
            for (int cell = 0; cell < tips__anchor_cells(&c->anchors.levels[l]); cell++)
                for (int s = 0; s < tips__anchor_shapes(&c->anchors); s++, match++) {
                    tips_truth truth = {.label = -1};
                    if (*match == TIPS_MATCH_IGNORED) continue;
                    if (*match >= 0 && !tips__truth_in(tips__ref_sample_index(truths, n), *match, &truth)) continue;
                    const int wanted = *match >= 0 && c->classes == 1 ? 0 : truth.label;
                    for (int k = 0; k < c->classes; k++)
                        sum += ref_loss(
                            c,
                            tips__ref_number(&op->in[l], n, s * c->classes + k, cell / op->in[l].w, cell % op->in[l].w),
                            *match >= 0 && k == wanted);
                }
        op->out[0].data[n] = sum / divisor;
    }
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_focal_loss) = {
    .name = "focal_loss",
    .brief = "focal loss of the classes of anchors, over those with a truth",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .config_size = sizeof(tips_focal_loss),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
