/* How far the boxes of anchors are from those of their truths, as codes (box/box.h): over anchors with a truth,
 *     loss = 1/m sum |d|,  or with beta  d^2 / (2 beta) where |d| < beta, |d| - beta / 2 else.
 * m is the number of anchors with a truth, or of all that are not ignored.
 * Inputs: a map (shapes * 4) for each level, matches, origins, truths. */
#include "layer/box_maps.h"

enum { CODES = 4 };
static const tips_box_weights plain = {1, 1};

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_box_loss *c = node->config;
    const int levels = c->anchors.n_levels;
    TIPS_TRY(tips__expect_anchors(node, &c->anchors));
    TIPS_TRY(tips__expect_inputs(node, levels + 3));
    TIPS_TRY(tips__expect_head(graph, node, 0, &c->anchors, CODES));
    TIPS_TRY(tips__expect_matches(graph, node, levels, &c->anchors));
    TIPS_TRY(tips__expect_origins(graph, node, levels + 1, &c->anchors));
    TIPS_TRY(tips__expect_truths(graph, node, levels + 2));
    tips__node_out(graph, node, tips__map_info(1, 1, 1, 1));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_box_loss *c = op->node->config;
    plan->keep_in = (1u << (c->anchors.n_levels + 3)) - 1;
    plan->forward_scratch = (size_t)op->in[0].map.n * (size_t)tips__anchor_rows(&c->anchors) * sizeof(double);
    return TIPS_OK;
}

/* What an anchor's code should be. */
static void wanted_code(const tips_anchors *a, const tips_origins *origins, tips_anchor_row at, int x, int s,
                        const tips_truth *truth, double code[CODES]) {
    tips_corners shapes[TIPS_ANCHOR_MOST];
    tips__anchor_shapes_of(a, at.level, shapes);
    const tips_corners anchor = tips__anchor_at(a, origins, at.level, at.y, x, &shapes[s]);
    const tips_corners box = tips__corners_nearest(&truth->box, &anchor, tips__anchor_torus(a));
    tips__box_encode(&anchor, &box, plain, code);
}

static const int32_t *matches_of(const tips_op *op, int n) {
    return tips__sample_index(&op->in[((const tips_box_loss *)op->node->config)->anchors.n_levels], n);
}

static double divisor_of(const tips_op *op, int n) {
    const tips_box_loss *c = op->node->config;
    return tips__match_divisor(matches_of(op, n), tips__anchor_count(&c->anchors), c->over);
}

/* The loss of a row of cells, and, with a scale, its gradient. */
static double follow_row(const tips_op *op, int n, tips_anchor_row at, const double *scale) {
    const tips_box_loss *c = op->node->config;
    const int levels = c->anchors.n_levels;
    const tips_slot *in = &op->in[at.level];
    const int32_t *match = matches_of(op, n) + at.first;
    const tips_origins origins = tips__origins_in(tips__sample_index(&op->in[levels + 1], n), levels);
    const int32_t *truths = tips__sample_index(&op->in[levels + 2], n);
    double sum = 0;
    for (int x = 0; x < in->map.w; x++)
        for (int s = 0; s < tips__anchor_shapes(&c->anchors); s++, match++) {
            tips_truth truth;
            double code[CODES];
            if (*match < 0 || !tips__truth_in(truths, *match, &truth)) continue;
            wanted_code(&c->anchors, &origins, at, x, s, &truth, code);
            for (int k = 0; k < CODES; k++) {
                const double d = *tips__map_number(&in->map, n, s * CODES + k, at.y, x) - code[k];
                if (scale)
                    *tips__map_number(&in->diff, n, s * CODES + k, at.y, x) +=
                        (float)(*scale * tips__code_slope(d, c->beta));
                else sum += tips__code_distance(d, c->beta);
            }
        }
    return sum;
}

static tips_status forward(tips_op *op) {
    const tips_anchors *anchors = &((const tips_box_loss *)op->node->config)->anchors;
    const int rows = tips__anchor_rows(anchors), samples = op->in[0].map.n;
    double *sums = op->scratch;
    TIPS_PARALLEL_FOR (i, samples * rows) sums[i] = follow_row(op, i / rows, tips__anchor_row(anchors, i % rows), NULL);
    tips__map_zero(&op->out[0].map);
    for (int n = 0; n < samples; n++) {
        double sum = 0;
        for (int i = 0; i < rows; i++) sum += sums[n * rows + i];
        *tips__map_number(&op->out[0].map, n, 0, 0, 0) = (float)(sum / divisor_of(op, n));
    }
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    const tips_anchors *anchors = &((const tips_box_loss *)op->node->config)->anchors;
    const int rows = tips__anchor_rows(anchors);
    for (int l = 0; l < anchors->n_levels; l++)
        if (op->in[l].want_diff && !op->in[l].accumulate) tips__map_zero(&op->in[l].diff);
    TIPS_PARALLEL_FOR (i, op->in[0].map.n * rows) {
        const tips_anchor_row at = tips__anchor_row(anchors, i % rows);
        const int n = i / rows;
        const double scale = *tips__map_number(&op->out[0].diff, n, 0, 0, 0) / divisor_of(op, n);
        if (op->in[at.level].want_diff) follow_row(op, n, at, &scale);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_box_loss *c = op->node->config;
    const int levels = c->anchors.n_levels, shapes = tips__anchor_shapes(&c->anchors);
    const tips_ref_slot *index = &op->in[levels];
    for (int n = 0; n < op->n; n++) {
        const int32_t *matches = index->index + (size_t)n * (size_t)index->h;
        const tips_origins origins = tips__origins_in(tips__ref_sample_index(&op->in[levels + 1], n), levels);
        const int32_t *truths = tips__ref_sample_index(&op->in[levels + 2], n);
        double sum = 0;
        for (int row = 0; row < tips__anchor_rows(&c->anchors); row++) {
            const tips_anchor_row at = tips__anchor_row(&c->anchors, row);
            const tips_ref_slot *map = &op->in[at.level];
            for (int i = 0; i < map->w * shapes; i++) {
                tips_truth truth;
                double code[CODES];
                const int match = matches[at.first + i];
                if (match < 0 || !tips__truth_in(truths, match, &truth)) continue;
                wanted_code(&c->anchors, &origins, at, i / shapes, i % shapes, &truth, code);
                for (int k = 0; k < CODES; k++)
                    sum += tips__code_distance(
                        tips__ref_number(map, n, i % shapes * CODES + k, at.y, i / shapes) - code[k], c->beta);
            }
        }
        op->out[0].data[n] = sum / tips__match_divisor(matches, index->h, c->over);
    }
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_box_loss) = {
    .name = "box_loss",
    .brief = "distance of the boxes of anchors from those of their truths",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .config_size = sizeof(tips_box_loss),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
