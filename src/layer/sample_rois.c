/* The regions that a detector learns from: proposals and truths are matched (box/regions.h), and some are drawn.
 * Inputs: proposals (1, most, TIPS_ROI_COLUMNS), truths. Outputs, all of them indices: the regions that were drawn
 * (1, sample, TIPS_ROI_COLUMNS), the truth of each (1, sample, 1), and its class (1, 1, sample): 0 for nothing, that of
 * the truth plus 1, or TIPS_MATCH_IGNORED where there is no region. */
#include "core/memory.h"
#include "layer/box_maps.h"

enum { PROPOSALS, TRUTHS };
enum { REGIONS, MATCHES, LABELS };

static tips_value_info index_of(int h, int w) {
    return (tips_value_info){.kind = TIPS_INDEX, .c = 1, .h = h, .w = w, .per_sample = 1};
}

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_sample_rois *c = node->config;
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_rois(graph, node, PROPOSALS));
    TIPS_TRY(tips__expect_truths(graph, node, TRUTHS));
    if (c->rule.sample < 1)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a sample of %d; at least 1 is needed", node->name, c->rule.sample);
    tips__node_out(graph, node, index_of(c->rule.sample, TIPS_ROI_COLUMNS));
    tips__node_out(graph, node, index_of(c->rule.sample, 1));
    tips__node_out(graph, node, index_of(1, c->rule.sample));
    return TIPS_OK;
}

/* Memory for one sample: truths that are there and the rows they come from, regions, and what these are matched with.
 */
typedef struct room {
    tips_truth *truths;
    tips_region *regions;
    int32_t *matches;
    int *rows;
} room;

static size_t room_bytes(int most, int proposals) {
    const size_t both = (size_t)most + (size_t)proposals;
    const size_t bytes =
        (size_t)most * (sizeof(tips_truth) + sizeof(int)) + both * (sizeof(tips_region) + sizeof(int32_t));
    return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN;
}

static room room_at(void *memory, int most, int proposals) {
    tips_truth *truths = memory;
    tips_region *regions = (tips_region *)(void *)(truths + most);
    int32_t *matches = (int32_t *)(void *)(regions + most + proposals);
    return (room){truths, regions, matches, (int *)(void *)(matches + most + proposals)};
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->forward_scratch = (size_t)op->in[TRUTHS].map.n * room_bytes(op->in[TRUTHS].map.h, op->in[PROPOSALS].map.h);
    return TIPS_OK;
}

/* One sample's numbers. */
typedef struct sample {
    const int32_t *proposals, *truths;
    int n_proposals, n_truths; /* rows */
    int32_t *regions, *matches, *labels;
} sample;

static void draw(const tips_sample_rois *c, const sample *s, tips_rng rng, void *memory) {
    const room r = room_at(memory, s->n_truths, s->n_proposals);
    int truths = 0, count = 0, drawn = 0;
    for (int i = 0; i < s->n_truths; i++)
        if (tips__truth_in(s->truths, i, &r.truths[truths])) r.rows[truths++] = i;
    for (int i = 0; i < s->n_proposals; i++) count += tips__roi_in(s->proposals, i, &r.regions[count]);
    for (int t = 0; t < truths; t++) {
        const int32_t *row = s->truths + (ptrdiff_t)r.rows[t] * TIPS_TRUTH_COLUMNS; /* in the same parts of a pixel */
        r.regions[count++] = (tips_region){row[TRUTH_X1], row[TRUTH_Y1], row[TRUTH_X2], row[TRUTH_Y2]};
    }
    tips__regions_match(r.regions, count, r.truths, truths, c->circular ? c->size : NULL, &c->rule, rng, r.matches);
    for (int i = 0; i < count && drawn < c->rule.sample; i++) {
        const int match = r.matches[i];
        if (match == TIPS_MATCH_IGNORED) continue;
        tips__roi_put(s->regions, drawn, &r.regions[i]);
        s->matches[drawn] = match >= 0 ? r.rows[match] : match;
        s->labels[drawn++] = match >= 0 ? r.truths[match].label + 1 : 0;
    }
    for (; drawn < c->rule.sample; drawn++) {
        tips__roi_put(s->regions, drawn, NULL);
        s->matches[drawn] = s->labels[drawn] = TIPS_MATCH_IGNORED;
    }
}

static tips_status forward(tips_op *op) {
    const int proposals = op->in[PROPOSALS].map.h, truths = op->in[TRUTHS].map.h;
    TIPS_PARALLEL_FOR (n, op->in[TRUTHS].map.n) {
        const sample s = {tips__sample_index(&op->in[PROPOSALS], n),
                          tips__sample_index(&op->in[TRUTHS], n),
                          proposals,
                          truths,
                          tips__sample_index(&op->out[REGIONS], n),
                          tips__sample_index(&op->out[MATCHES], n),
                          tips__sample_index(&op->out[LABELS], n)};
        draw(op->node->config, &s, tips__sample_rng(op->rng, n),
             (char *)op->scratch + (size_t)n * room_bytes(truths, proposals));
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const int proposals = op->in[PROPOSALS].h, truths = op->in[TRUTHS].h;
    void *memory;
    TIPS_TRY(tips__new(&memory, room_bytes(truths, proposals), "regions"));
    for (int n = 0; n < op->n; n++) {
        const sample s = {tips__ref_sample_index(&op->in[PROPOSALS], n),
                          tips__ref_sample_index(&op->in[TRUTHS], n),
                          proposals,
                          truths,
                          tips__ref_sample_index(&op->out[REGIONS], n),
                          tips__ref_sample_index(&op->out[MATCHES], n),
                          tips__ref_sample_index(&op->out[LABELS], n)};
        draw(op->node->config, &s, tips__sample_rng(op->rng, n), memory);
    }
    tips__free(memory);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_sample_rois) = {
    .name = "sample_rois",
    .brief = "regions to learn from, drawn from proposals and truths",
    .config_size = sizeof(tips_sample_rois),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .ref = ref,
};
