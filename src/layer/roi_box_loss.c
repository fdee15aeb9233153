/* How far the boxes of regions are from those of their truths, as codes (box/box.h) of the truth's class:
 *     loss = 1/m sum |d|,  or with beta  d^2 / (2 beta) where |d| < beta, |d| - beta / 2 else,
 * over regions with a truth; m is the number of all that are there.
 * Inputs: codes (4 (classes + 1), 1, most), of which the first four are of no class, regions, the truth of each,
 * truths.
 */
#include "layer/box_maps.h"

enum { CODE_MAP, REGIONS, MATCHES, TRUTHS, INPUTS };
enum { CODES = 4 };

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, INPUTS));
    TIPS_TRY(tips__expect_map(graph, node, CODE_MAP));
    const tips_value_info codes = tips__in_info(graph, node, CODE_MAP);
    if (codes.c % CODES || codes.c < 2 * CODES || codes.h != 1 || codes.per_sample != 1)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': codes of %dx%dx%d; a row of pixels with %d channels a class is taken",
                  node->name, codes.c, codes.h, codes.w, CODES);
    TIPS_TRY(tips__expect_rows(graph, node, REGIONS, codes.w, TIPS_ROI_COLUMNS));
    TIPS_TRY(tips__expect_rows(graph, node, MATCHES, codes.w, 1));
    TIPS_TRY(tips__expect_truths(graph, node, TRUTHS));
    tips__node_out(graph, node, tips__map_info(1, 1, 1, 1));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_in = (1u << INPUTS) - 1;
    return TIPS_OK;
}

/* The indices of one sample. */
typedef struct sample {
    const int32_t *regions, *matches, *truths;
    int count;
} sample;

static sample sample_of(const tips_op *op, int n) {
    return (sample){tips__sample_index(&op->in[REGIONS], n), tips__sample_index(&op->in[MATCHES], n),
                    tips__sample_index(&op->in[TRUTHS], n), op->in[MATCHES].map.h};
}

/* What the code of region i should be, and its first channel; false if it has no truth. */
static bool wanted_code(const tips_roi_box_loss *c, const sample *s, int i, int channels, double code[CODES],
                        int *channel) {
    tips_truth truth;
    tips_region region;
    if (s->matches[i] < 0 || !tips__truth_in(s->truths, s->matches[i], &truth)) return false;
    if (!tips__roi_in(s->regions, i, &region) || truth.label < 0 || (truth.label + 2) * CODES > channels) return false;
    const tips_corners from = tips__region_corners(&region);
    const tips_corners to = tips__corners_nearest(&truth.box, &from, c->circular ? c->size : NULL);
    tips__box_encode(&from, &to, c->weights, code);
    *channel = (truth.label + 1) * CODES;
    return true;
}

static double divisor_of(const sample *s) { return tips__match_divisor(s->matches, s->count, TIPS_OVER_COUNTED); }

static double sample_loss(const tips_op *op, int n) {
    const tips_roi_box_loss *c = op->node->config;
    const tips_map *codes = &op->in[CODE_MAP].map;
    const sample s = sample_of(op, n);
    double sum = 0;
    for (int i = 0; i < s.count; i++) {
        double code[CODES];
        int channel;
        if (!wanted_code(c, &s, i, codes->c, code, &channel)) continue;
        for (int k = 0; k < CODES; k++)
            sum += tips__code_distance(*tips__map_number(codes, n, channel + k, 0, i) - code[k], c->beta);
    }
    return sum / divisor_of(&s);
}

static tips_status forward(tips_op *op) {
    const tips_map *dst = &op->out[0].map;
    tips__map_zero(dst);
    TIPS_PARALLEL_FOR (n, dst->n) *tips__map_number(dst, n, 0, 0, 0) = (float)sample_loss(op, n);
    return TIPS_OK;
}

static void sample_gradient(const tips_op *op, int n) {
    const tips_roi_box_loss *c = op->node->config;
    const tips_map *codes = &op->in[CODE_MAP].map;
    const sample s = sample_of(op, n);
    const double scale = *tips__map_number(&op->out[0].diff, n, 0, 0, 0) / divisor_of(&s);
    for (int i = 0; i < s.count; i++) {
        double code[CODES];
        int channel;
        if (!wanted_code(c, &s, i, codes->c, code, &channel)) continue;
        for (int k = 0; k < CODES; k++) {
            const double d = *tips__map_number(codes, n, channel + k, 0, i) - code[k];
            *tips__map_number(&op->in[CODE_MAP].diff, n, channel + k, 0, i) +=
                (float)(scale * tips__code_slope(d, c->beta));
        }
    }
}

static tips_status backward(tips_op *op) {
    tips_slot *in = &op->in[CODE_MAP];
    if (!in->want_diff) return TIPS_OK;
    if (!in->accumulate) tips__map_zero(&in->diff);
    TIPS_PARALLEL_FOR (n, in->map.n) sample_gradient(op, n);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_roi_box_loss *c = op->node->config;
    const tips_ref_slot *codes = &op->in[CODE_MAP];
    for (int n = 0; n < op->n; n++) {
        const sample s = {tips__ref_sample_index(&op->in[REGIONS], n), tips__ref_sample_index(&op->in[MATCHES], n),
                          tips__ref_sample_index(&op->in[TRUTHS], n), op->in[MATCHES].h};
        double sum = 0;
        for (int i = 0; i < s.count; i++) {
            double code[CODES];
            int channel;
            if (!wanted_code(c, &s, i, codes->c, code, &channel)) continue;
            for (int k = 0; k < CODES; k++)
                sum += tips__code_distance(tips__ref_number(codes, n, channel + k, 0, i) - code[k], c->beta);
        }
        op->out[0].data[n] = sum / divisor_of(&s);
    }
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_roi_box_loss) = {
    .name = "roi_box_loss",
    .brief = "distance of the boxes of regions from those of their truths",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .config_size = sizeof(tips_roi_box_loss),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
