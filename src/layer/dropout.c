/* Dropout: in training an element stays with probability 1 - p, divided by that, or becomes 0. Elsewhere y = x.
 * What stays follows from the step and the element's place (n, c, h, w) alone, so that backward draws it again. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

enum { WORDS = 4 };

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

/* 0, or what an element that stays is multiplied by. */
static float factor(tips_rng rng, double p, uint64_t place) {
    uint32_t words[WORDS];
    tips__rng_words(rng, place / WORDS, words);
    return words[place % WORDS] < p * 4294967296.0 ? 0 : (float)(1 / (1 - p));
}

static void drop_pixel(const tips_op *op, int n, int b, int y, int x, const float *from, float *to, bool accumulate) {
    const tips_map *map = &op->out[0].map;
    const double p = ((const tips_dropout *)op->node->config)->p;
    vf kept = {0};
    for (int l = 0; l < tips__lanes(map->c, b); l++) {
        const uint64_t channel = (uint64_t)n * (uint64_t)map->c + (uint64_t)(b * TIPS_BLOCK + l);
        const uint64_t place = (channel * (uint64_t)map->h + (uint64_t)y) * (uint64_t)map->w + (uint64_t)x;
        kept[l] = from[l] * factor(op->rng, p, place);
    }
    tips__put(to, kept, accumulate);
}

static void pass_on(const tips_op *op, const tips_map *from, const tips_map *to, bool accumulate) {
    const bool drops = op->pass.sampling;
    TIPS_PARALLEL_PLANES(to, n, b) {
        for (int y = 0; y < to->h; y++) {
            const float *source = tips__row(from, n, b, y);
            float *target = tips__row(to, n, b, y);
            for (int x = 0; x < to->w; x++) {
                const int at = x * TIPS_BLOCK;
                if (drops) drop_pixel(op, n, b, y, x, source + at, target + at, accumulate);
                else tips__put(target + at, vf_load(source + at), accumulate);
            }
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
