/* Dropout: in training an element stays with probability 1 - p, divided by that, or becomes 0. Elsewhere y = x.
 * What stays follows from the step and the element's place (n, c, h, w) alone, so that backward draws it again. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "core/philox.h"
#include "emit/emit.h"

#include <math.h>

/* Words of one draw; pixels of a row that are drawn for at once, and the draws that cover them wherever they begin. */
enum { WORDS = 4, TILE = 16, DRAWS = TILE / WORDS + 1 };

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_dropout *config = node->config;
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    if (!(config->p >= 0 && config->p < 1))
        TIPS_FAIL(TIPS_RANGE, "layer '%s': a probability of %g to drop is not in [0, 1)", node->name, config->p);
    tips__node_out(graph, node, tips__in_info(graph, node, 0));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->in_place = 1;
    return TIPS_OK;
}

typedef struct drop_rule {
    uint32_t last; /* words up to this one drop */
    float scale;   /* of what stays */
} drop_rule;

static drop_rule rule_of(double p) {
    return (drop_rule){(uint32_t)(ceil(p * 4294967296.0) - 1), (float)(1 / (1 - p))};
}

/* Lane l's place first[l] + x has the word [first[l] % WORDS + x][l]. */
typedef struct drop_tile {
    uint64_t first[TIPS_BLOCK];
    uint32_t words[DRAWS * WORDS][TIPS_BLOCK];
} drop_tile;

static void draw_tile(const tips_op *op, int n, int b, int y, int x, drop_tile *tile) {
    const tips_map *map = &op->out[0].map;
    for (int l = 0; l < TIPS_BLOCK; l++) {
        const uint64_t channel = (uint64_t)n * (uint64_t)map->c + (uint64_t)(b * TIPS_BLOCK + l);
        tile->first[l] = (channel * (uint64_t)map->h + (uint64_t)y) * (uint64_t)map->w + (uint64_t)x;
    }
    for (int d = 0; d < DRAWS; d++)
        for (int l = 0; l < TIPS_BLOCK; l++) {
            uint32_t drawn[WORDS];
            tips__philox(op->rng, tile->first[l] / WORDS + (uint64_t)d, drawn);
            for (int w = 0; w < WORDS; w++) tile->words[d * WORDS + w][l] = drawn[w];
        }
}

/* Channels that are not there have zeros, which stay zeros whatever is drawn. */
static void apply_tile(const drop_tile *tile, drop_rule rule, int width, const float *from, float *to,
                       bool accumulate) {
    for (int x = 0; x < width; x++) {
        vf kept;
        for (int l = 0; l < TIPS_BLOCK; l++) {
            const uint32_t word = tile->words[tile->first[l] % WORDS + (uint64_t)x][l];
            kept[l] = from[x * TIPS_BLOCK + l] * (word <= rule.last ? 0 : rule.scale);
        }
        tips__put(to + x * TIPS_BLOCK, kept, accumulate);
    }
}

static void drop_row(const tips_op *op, int n, int b, int y, const float *from, float *to, bool accumulate) {
    const int width = op->out[0].map.w;
    const drop_rule rule = rule_of(((const tips_dropout *)op->node->config)->p);
    for (int x = 0; x < width; x += TILE) {
        drop_tile tile;
        draw_tile(op, n, b, y, x, &tile);
        apply_tile(&tile, rule, width - x < TILE ? width - x : TILE, from + x * TIPS_BLOCK, to + x * TIPS_BLOCK,
                   accumulate);
    }
}

static void copy_row(int width, const float *from, float *to, bool accumulate) {
    for (int x = 0; x < width * TIPS_BLOCK; x += TIPS_BLOCK) tips__put(to + x, vf_load(from + x), accumulate);
}

static void pass_on(const tips_op *op, const tips_map *from, const tips_map *to, bool accumulate) {
    const bool drops = op->pass.sampling && ((const tips_dropout *)op->node->config)->p > 0;
    TIPS_PARALLEL_PLANES(to, n, b) {
        for (int y = 0; y < to->h; y++) {
            const float *source = tips__row(from, n, b, y);
            float *target = tips__row(to, n, b, y);
            if (drops) drop_row(op, n, b, y, source, target, accumulate);
            else copy_row(to->w, source, target, accumulate);
        }
    }
}

static tips_status forward(tips_op *op) {
    pass_on(op, &op->in[0].map, &op->out[0].map, false);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (op->in[0].want_diff) pass_on(op, &op->out[0].diff, &op->in[0].diff, op->in[0].accumulate);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const size_t count = (size_t)in->n * (size_t)in->c * (size_t)in->h * (size_t)in->w;
    const double p = ((const tips_dropout *)op->node->config)->p;
    for (size_t i = 0; i < count; i++) {
        uint32_t words[WORDS];
        tips__rng_words(op->rng, i / WORDS, words);
        const bool drops = op->pass.sampling && words[i % WORDS] / 4294967296.0 < p;
        op->out[0].data[i] = drops ? 0 : op->pass.sampling ? in->data[i] / (1 - p) : in->data[i];
    }
    return TIPS_OK;
}

static tips_status emit(tips_emitter *to, const tips_node *node) { return tips__emit_same(to, node, "Identity"); }

static const tips_option options[] = {
    {.name = "p", .type = TIPS_OPT_FLOAT, .offset = offsetof(tips_dropout, p), .fallback = "0.5", .min = 0,
     .max = 0.999, .help = "probability that an element is dropped in training"},
    {.type = TIPS_OPT_END},
};

const tips_layer TIPS_ROW(tips__layer_dropout) = {
    .name = "dropout",
    .brief = "in training drops elements at random and scales up the rest",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_dropout),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
