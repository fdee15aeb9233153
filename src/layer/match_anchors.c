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

static size_t room_bytes(int most) { return (size_t)most * (sizeof(tips_truth) + sizeof(double) + sizeof(int)); }

static room room_at(void *memory, int most) {
    tips_truth *truths = memory;
    double *best = (double *)(void *)(truths + most);
    return (room){truths, best, (int *)(void *)(best + most)};
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->forward_scratch = (size_t)op->n * room_bytes(op->in[TRUTHS].map.h);
    return TIPS_OK;
}

/* Every sample has a stream of its own, whatever the batch. */
static tips_rng rng_of(tips_rng rng, int n) { return (tips_rng){rng.seed, tips__rng_mix(rng.stream, (uint64_t)n)}; }

static void match(const tips_match_anchors *c, const tips_origins *origins, const room *r, int count, tips_rng rng,
                  int32_t *out) {
    const int anchors = tips__anchor_count(&c->anchors);
    tips__anchors_match(&c->anchors, origins, r->truths, count, &c->rule, rng, r->best, out);
    for (int i = 0; i < anchors; i++)
        if (out[i] >= 0) out[i] = r->rows[out[i]];
}

static tips_status forward(tips_op *op) {
    const tips_match_anchors *c = op->node->config;
    const tips_map *truths = &op->in[TRUTHS].map;
    const size_t bytes = room_bytes(truths->h);
    TIPS_PARALLEL_FOR (n, op->in[ORIGINS].map.n) {
        const room r = room_at((char *)op->scratch + (size_t)n * bytes, truths->h);
        tips_origins origins;
        int count = 0;
        tips__origins_in(&op->in[ORIGINS].map, n, &origins);
        for (int i = 0; i < truths->h; i++)
            if (tips__truth_in(truths, n, i, &r.truths[count])) r.rows[count++] = i;
        match(c, &origins, &r, count, rng_of(op->rng, n), op->out[0].index + (size_t)n * op->out[0].map.h);
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_match_anchors *c = op->node->config;
    const tips_ref_slot *truths = &op->in[TRUTHS];
    void *memory;
    TIPS_TRY(tips__new(&memory, room_bytes(truths->h), "truths"));
    const room r = room_at(memory, truths->h);
    for (int n = 0; n < op->n; n++) {
        tips_origins origins;
        int count = 0;
        tips__ref_origins_in(&op->in[ORIGINS], n, &origins);
        for (int i = 0; i < truths->h; i++)
            if (tips__ref_truth_in(truths, n, i, &r.truths[count])) r.rows[count++] = i;
        match(c, &origins, &r, count, rng_of(op->rng, n), op->out[0].index + (size_t)n * op->out[0].h);
    }
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
