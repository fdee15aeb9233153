/* Where a detector should look again: of each level the anchors with the highest logits become boxes by their codes,
 * and of those that overlap the best stays; the best of all levels are the regions. They are data: no gradient flows
 * through. On a torus equal logits are put in an order that moves with the picture: that of the places behind the best
 * anchor of all. On the plane it is the order of rows, columns and shapes.
 * Inputs: a map of logits (shapes) and then one of codes (shapes * 4) for each level, origins. Outputs: the regions by
 * falling logit as numbers, a pixel each (TIPS_REGION_NUMBERS, 1, most), and as an index (1, most, TIPS_ROI_COLUMNS).
 */
#include "core/memory.h"
#include "layer/box_maps.h"

#include <stdlib.h>

enum { CODES = 4 };

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_proposals *c = node->config;
    const int levels = c->anchors.n_levels;
    TIPS_TRY(tips__expect_anchors(node, &c->anchors));
    TIPS_TRY(tips__expect_inputs(node, 2 * levels + 1));
    TIPS_TRY(tips__expect_head(graph, node, 0, &c->anchors, 1));
    TIPS_TRY(tips__expect_head(graph, node, levels, &c->anchors, CODES));
    TIPS_TRY(tips__expect_origins(graph, node, 2 * levels, &c->anchors));
    if (c->candidates < 1 || c->most < 1)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': %d regions of %d candidates; at least 1 is needed", node->name, c->most,
                  c->candidates);
    tips__node_out(graph, node, tips__map_info(TIPS_REGION_NUMBERS, 1, c->most, 1));
    tips__node_out(graph, node,
                   (tips_value_info){.kind = TIPS_INDEX, .c = 1, .h = c->most, .w = TIPS_ROI_COLUMNS, .per_sample = 1});
    return TIPS_OK;
}

/* The heads of one sample, as either engine holds them. */
typedef struct heads {
    const tips_proposals *config;
    const tips_op *op;
    const tips_ref_op *ref;
    int n;
    tips_origins origins;
    int behind[2]; /* the pixel that places are counted from */
} heads;

/* An anchor by its number in a level. */
typedef struct place {
    int y, x, shape;
} place;

static place place_of(const tips_proposals *c, int level, int number) {
    const int shapes = tips__anchor_shapes(&c->anchors), cell = number / shapes,
              wide = c->anchors.levels[level].cells[1];
    return (place){cell / wide, cell % wide, number % shapes};
}

static int anchors_of(const tips_proposals *c, int level) {
    return tips__anchor_cells(&c->anchors.levels[level]) * tips__anchor_shapes(&c->anchors);
}

static double number_at(const heads *h, int input, int channel, int y, int x) {
    return h->ref ? tips__ref_number(&h->ref->in[input], h->n, channel, y, x)
                  : *tips__map_number(&h->op->in[input].map, h->n, channel, y, x);
}

static double logit_of(const heads *h, int level, place p) { return number_at(h, level, p.shape, p.y, p.x); }

static void code_of(const heads *h, int level, place p, double code[CODES]) {
    for (int k = 0; k < CODES; k++)
        code[k] = number_at(h, h->config->anchors.n_levels + level, p.shape * CODES + k, p.y, p.x);
}

static void pixel_of(const heads *h, int level, place p, int at[2]) {
    const int *stride = h->config->anchors.levels[level].stride;
    at[0] = stride[0] * p.y + (int)h->origins.at[level][0];
    at[1] = stride[1] * p.x + (int)h->origins.at[level][1];
}

/* Whether an anchor with the logit of the best so far is still better: no place decides before all numbers did. */
static bool is_better(const heads *h, int level, place p, int best_level, place best) {
    double one[CODES], other[CODES];
    if (level != best_level || p.shape != best.shape) return false;
    code_of(h, level, p, one);
    code_of(h, level, best, other);
    for (int k = 0; k < CODES; k++)
        if (one[k] != other[k]) return one[k] > other[k];
    return false;
}

/* Where the best anchor of all lies; on the plane the corner. */
static void find_first(heads *h) {
    const tips_proposals *c = h->config;
    double most = -INFINITY;
    int level = 0;
    place best = {0};
    h->behind[0] = h->behind[1] = 0;
    if (!c->anchors.circular) return;
    for (int l = 0; l < c->anchors.n_levels; l++)
        for (int i = 0; i < anchors_of(c, l); i++) {
            const place p = place_of(c, l, i);
            const double logit = logit_of(h, l, p);
            if (logit > most || (logit == most && is_better(h, l, p, level, best))) most = logit, level = l, best = p;
        }
    pixel_of(h, level, best, h->behind);
}

static int around(int at, int size) { return (at % size + size) % size; }

static tips_ranked ranked(const heads *h, int level, int number) {
    const tips_anchors *a = &h->config->anchors;
    const place p = place_of(h->config, level, number);
    tips_ranked one = {.score = logit_of(h, level, p), .order = number, .place = number};
    int at[2];
    if (!a->circular) return one;
    pixel_of(h, level, p, at);
    const int64_t down = around(at[0] - h->behind[0], a->size[0]), right = around(at[1] - h->behind[1], a->size[1]);
    one.order = (down * a->size[1] + right) * tips__anchor_shapes(a) + p.shape;
    return one;
}

static bool decode(const heads *h, int level, int number, tips_region *out) {
    const tips_proposals *c = h->config;
    const place p = place_of(c, level, number);
    tips_corners shapes[TIPS_ANCHOR_MOST];
    double code[CODES];
    int at[2];
    tips__anchor_shapes_of(&c->anchors, level, shapes);
    code_of(h, level, p, code);
    pixel_of(h, level, p, at);
    return tips__region_decode(&c->anchors, at, &shapes[p.shape], code, c->least, out);
}

/* What is left of a level of a sample, best first. */
typedef struct level_room {
    tips_candidate *candidates; /* (most_of) */
    tips_ranked *ranked;        /* the same */
    int *count;
} level_room;

static int most_of(const tips_proposals *c) {
    int largest = 0;
    for (int l = 0; l < c->anchors.n_levels; l++)
        if (anchors_of(c, l) > largest) largest = anchors_of(c, l);
    return c->candidates < largest ? c->candidates : largest;
}

/* A whole number of cache lines. */
static size_t room_bytes(const tips_proposals *c) {
    const size_t one = sizeof(tips_candidate) + sizeof(tips_ranked), bytes = (size_t)most_of(c) * one + sizeof(int);
    return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN;
}

/* The scratch begins with the pixel that each sample's places are counted from. */
static size_t firsts_bytes(int samples) {
    const size_t bytes = (size_t)samples * sizeof(int[2]);
    return (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN;
}

static level_room room_at(const tips_op *op, int n, int level) {
    const tips_proposals *c = op->node->config;
    const size_t number = (size_t)n * (size_t)c->anchors.n_levels + (size_t)level;
    char *at = (char *)op->scratch + firsts_bytes(op->in[0].map.n) + number * room_bytes(c);
    tips_candidate *candidates = (tips_candidate *)(void *)at;
    tips_ranked *list = (tips_ranked *)(void *)(candidates + most_of(c));
    return (level_room){candidates, list, (int *)(void *)(list + most_of(c))};
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_proposals *c = op->node->config;
    const int samples = op->in[0].map.n;
    plan->forward_scratch = firsts_bytes(samples) + (size_t)samples * (size_t)c->anchors.n_levels * room_bytes(c);
    return TIPS_OK;
}

static heads heads_of(const tips_op *op, int n) {
    const tips_proposals *c = op->node->config;
    const int levels = c->anchors.n_levels;
    return (heads){
        .config = c, .op = op, .n = n, .origins = tips__origins_in(tips__sample_index(&op->in[2 * levels], n), levels)};
}

static void start_sample(const tips_op *op, int n) {
    heads h = heads_of(op, n);
    find_first(&h);
    memcpy((int *)op->scratch + (ptrdiff_t)n * 2, h.behind, sizeof h.behind);
}

static void propose_level(const tips_op *op, int n, int level) {
    const tips_proposals *c = op->node->config;
    const level_room room = room_at(op, n, level);
    heads h = heads_of(op, n);
    tips_ranking best = {room.ranked, 0, most_of(c)};
    int count = 0;
    memcpy(h.behind, (const int *)op->scratch + (ptrdiff_t)n * 2, sizeof h.behind);
    for (int i = 0; i < anchors_of(c, level); i++) tips__ranking_add(&best, ranked(&h, level, i));
    tips__ranking_sort(&best);
    for (int i = 0; i < best.count; i++) {
        tips_region region;
        if (!decode(&h, level, best.items[i].place, &region)) continue;
        room.candidates[count++] =
            (tips_candidate){.box = tips__region_corners(&region), .score = best.items[i].score, .place = i};
    }
    *room.count =
        tips__candidates_suppress(room.candidates, count, c->overlap, false, tips__anchor_torus(&c->anchors), c->most);
}

static tips_region region_of(const tips_corners *box) {
    const double parts = TIPS_PIXEL_PARTS; /* exact, as the box was */
    return (tips_region){(int32_t)(box->x1 * parts), (int32_t)(box->y1 * parts), (int32_t)(box->x2 * parts),
                         (int32_t)(box->y2 * parts)};
}

static void put_region(const tips_op *op, int n, int i, const tips_region *region) {
    float numbers[TIPS_REGION_NUMBERS];
    tips__region_write(region, numbers);
    for (int k = 0; k < TIPS_REGION_NUMBERS; k++) *tips__map_number(&op->out[0].map, n, k, 0, i) = numbers[k];
    tips__roi_put(tips__sample_index(&op->out[1], n), i, region);
}

/* The lists of the levels become one; of equal logits that of the finer level comes first. */
static void merge_levels(const tips_op *op, int n) {
    const tips_proposals *c = op->node->config;
    int taken[TIPS_ANCHOR_LEVELS] = {0};
    for (int i = 0; i < c->most; i++) {
        const tips_candidate *best = NULL;
        int from = 0;
        for (int l = 0; l < c->anchors.n_levels; l++) {
            const level_room room = room_at(op, n, l);
            const tips_candidate *next = taken[l] < *room.count ? &room.candidates[taken[l]] : NULL;
            if (next && (!best || next->score > best->score)) best = next, from = l;
        }
        if (best) taken[from]++;
        const tips_region region = best ? region_of(&best->box) : (tips_region){0};
        put_region(op, n, i, best ? &region : NULL);
    }
}

static tips_status forward(tips_op *op) {
    const int levels = ((const tips_proposals *)op->node->config)->anchors.n_levels, samples = op->in[0].map.n;
    tips__map_zero(&op->out[0].map);
    TIPS_PARALLEL_FOR (n, samples) start_sample(op, n);
    TIPS_PARALLEL_FOR (i, samples * levels) propose_level(op, i / levels, i % levels);
    TIPS_PARALLEL_FOR (n, samples) merge_levels(op, n);
    return TIPS_OK;
}

/* A region on its way through the oracle. */
typedef struct listed {
    tips_ranked rank; /* `place` is the anchor's number in its level */
    tips_region region;
    int level;
    bool is_out;
} listed;

static int by_rank(const void *a, const void *b) {
    const listed *x = a, *y = b;
    if (x->rank.score != y->rank.score) return x->rank.score > y->rank.score ? -1 : 1;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    return x->rank.order < y->rank.order ? -1 : x->rank.order > y->rank.order;
}

/* All anchors of a level, sorted; those that are none of the best, too small or overlapped are out. */
static void list_level(const heads *h, int level, listed *list) {
    const tips_proposals *c = h->config;
    const int count = anchors_of(c, level);
    for (int i = 0; i < count; i++) list[i] = (listed){.rank = ranked(h, level, i), .level = level};
    qsort(list, (size_t)count, sizeof *list, by_rank);
    for (int i = 0; i < count; i++) {
        list[i].is_out = i >= c->candidates || !decode(h, level, list[i].rank.place, &list[i].region);
        const tips_corners box = tips__region_corners(&list[i].region);
        for (int j = 0; j < i && !list[i].is_out; j++) {
            const tips_corners other = tips__region_corners(&list[j].region);
            list[i].is_out =
                !list[j].is_out && tips__corners_iou(&other, &box, tips__anchor_torus(&c->anchors)) > c->overlap;
        }
    }
}

static void put_reference(tips_ref_op *op, int n, int i, const tips_region *region) {
    const int most = ((const tips_proposals *)op->node->config)->most;
    float numbers[TIPS_REGION_NUMBERS];
    tips__region_write(region, numbers);
    for (int k = 0; k < TIPS_REGION_NUMBERS; k++)
        op->out[0].data[(n * TIPS_REGION_NUMBERS + k) * most + i] = numbers[k];
    tips__roi_put(tips__ref_sample_index(&op->out[1], n), i, region);
}

static tips_status ref(tips_ref_op *op) {
    const tips_proposals *c = op->node->config;
    const int levels = c->anchors.n_levels, all = tips__anchor_count(&c->anchors);
    listed *list;
    TIPS_TRY(tips__new(&list, (size_t)all * sizeof *list, "regions"));
    for (int n = 0; n < op->n; n++) {
        const int32_t *origins = tips__ref_sample_index(&op->in[2 * levels], n);
        heads h = {.config = c, .ref = op, .n = n, .origins = tips__origins_in(origins, levels)};
        int first = 0, count = 0;
        find_first(&h);
        for (int l = 0; l < levels; first += anchors_of(c, l++)) list_level(&h, l, list + first);
        qsort(list, (size_t)all, sizeof *list, by_rank);
        for (int i = 0; i < all && count < c->most; i++)
            if (!list[i].is_out) put_reference(op, n, count++, &list[i].region);
        while (count < c->most) put_reference(op, n, count++, NULL);
    }
    tips__free(list);
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    return ((const tips_proposals *)node->config)->anchors.circular ? NULL : "clipping";
}

const tips_layer TIPS_ROW(tips__layer_proposals) = {
    .name = "proposals",
    .brief = "the regions that a detector looks at again, from logits and codes of anchors",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .config_size = sizeof(tips_proposals),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .breaks = breaks,
    .ref = ref,
};
