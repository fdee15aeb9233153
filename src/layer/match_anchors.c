/* Which truth each anchor answers for: the one that it overlaps most, nothing, or none of both (box/anchors.h). Anchors
 * lie where the phases that were chosen say, so this is done after they are: in the graph.
 * Inputs: origins, truths. Output: an index (1, anchors, 1). */
#include "core/memory.h"
#include "layer/box_maps.h"

enum { ORIGINS, TRUTHS };

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_match_anchors *c = node->config;
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_anchors(node, &c->anchors));
    TIPS_TRY(tips__expect_origins(graph, node, ORIGINS, &c->anchors));
    TIPS_TRY(tips__expect_truths(graph, node, TRUTHS));
    tips__node_out(
        graph, node,
        (tips_value_info){.kind = TIPS_INDEX, .c = 1, .h = tips__anchor_count(&c->anchors), .w = 1, .per_sample = 1});
    return TIPS_OK;
}

/* Truths of a sample that are there, the rows they come from, and room for the matching. */
typedef struct room {
    tips_truth *truths;
    double *best;
    int *rows;
} room;

/* A whole number of cache lines, so that each sample's begins at one. */
static size_t room_bytes(int most) {
    const size_t bytes = (size_t)most * (sizeof(tips_truth) + sizeof(double) + sizeof(int));
    return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN;
}

static room room_at(void *memory, int most) {
    tips_truth *truths = memory;
    double *best = (double *)(void *)(truths + most);
    return (room){truths, best, (int *)(void *)(best + most)};
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->forward_scratch = (size_t)op->in[TRUTHS].map.n * room_bytes(op->in[TRUTHS].map.h);
    return TIPS_OK;
}

/* One sample. Each has a stream of its own. */
static void match(const tips_match_anchors *c, const int32_t *origins, const int32_t *truths, int most, tips_rng rng,
                  void *memory, int32_t *out) {
    const room r = room_at(memory, most);
    const tips_origins places = tips__origins_in(origins, c->anchors.n_levels);
    const int anchors = tips__anchor_count(&c->anchors);
    int count = 0;
    for (int i = 0; i < most; i++)
        if (tips__truth_in(truths, i, &r.truths[count])) r.rows[count++] = i;
    tips__anchors_match(&c->anchors, &places, r.truths, count, &c->rule, rng, r.best, out);
    for (int i = 0; i < anchors; i++)
        if (out[i] >= 0) out[i] = r.rows[out[i]];
}

static tips_status forward(tips_op *op) {
    const tips_slot *truths = &op->in[TRUTHS];
    TIPS_PARALLEL_FOR (n, truths->map.n)
        match(op->node->config, tips__sample_index(&op->in[ORIGINS], n), tips__sample_index(truths, n), truths->map.h,
              tips__sample_rng(op->rng, n), (char *)op->scratch + (size_t)n * room_bytes(truths->map.h),
              tips__sample_index(&op->out[0], n));
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *truths = &op->in[TRUTHS];
    void *memory;
    TIPS_TRY(tips__new(&memory, room_bytes(truths->h), "truths"));
    for (int n = 0; n < op->n; n++)
        match(op->node->config, tips__ref_sample_index(&op->in[ORIGINS], n), tips__ref_sample_index(truths, n),
              truths->h, tips__sample_rng(op->rng, n), memory, tips__ref_sample_index(&op->out[0], n));
    tips__free(memory);
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_match_anchors) = {
    .name = "match_anchors",
    .brief = "the truth that each anchor answers for",
    .config_size = sizeof(tips_match_anchors),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .ref = ref,
};
