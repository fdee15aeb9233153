/* Mean squared error per sample: loss = mean over c, i, j of (a - b)^2; da = -db = 2 (a - b) dloss / (c h w). */
#include "layer/layer_common.h"
#include "layer/layers.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(tips__expect_like_first(graph, node, 1));
    const tips_value_info in = tips__in_info(graph, node, 0);
    tips__node_out(graph, node, tips__map_info(1, 1, 1, in.per_sample));
    return TIPS_OK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    (void)op;
    plan->keep_in = 3;
    return TIPS_OK;
}

static double terms(const tips_map *map) { return (double)map->c * map->h * map->w; }

static double sample_sum(const tips_map *left, const tips_map *right, int n) {
    vd sum = {0};
    for (int b = 0; b < left->blocks; b++) {
        for (int y = 0; y < left->h; y++) {
            const float *l = tips__row(left, n, b, y), *r = tips__row(right, n, b, y);
            for (int x = 0; x < left->w * TIPS_BLOCK; x += TIPS_BLOCK) {
                const vd difference = vd_from(vf_load(l + x)) - vd_from(vf_load(r + x));
                sum += difference * difference;
            }
        }
    }
    return vd_sum(sum);
}

static tips_status forward(tips_op *op) {
    const tips_map *left = &op->in[0].map, *right = &op->in[1].map;
    TIPS_PARALLEL_FOR(n, left->n) {
        vf loss = {0};
        loss[0] = (float)(sample_sum(left, right, n) / terms(left));
        vf_store(tips__plane(&op->out[0].map, n, 0), loss);
    }
    return TIPS_OK;
}

/* The gradient of input i; the other input enters with the opposite sign. */
static void backward_input(const tips_op *op, int i) {
    const tips_slot *in = &op->in[i];
    const tips_map *self = &in->map, *other = &op->in[1 - i].map;
    TIPS_PARALLEL_PLANES(self, n, b) {
        const float scale = (float)(2 * tips__plane(&op->out[0].diff, n, 0)[0] / terms(self));
        for (int y = 0; y < self->h; y++) {
            const float *s = tips__row(self, n, b, y), *o = tips__row(other, n, b, y);
            float *to = tips__row(&in->diff, n, b, y);
            for (int x = 0; x < self->w * TIPS_BLOCK; x += TIPS_BLOCK)
                tips__put(to + x, (vf_load(s + x) - vf_load(o + x)) * scale, in->accumulate);
        }
    }
}

static tips_status backward(tips_op *op) {
    for (int i = 0; i < 2; i++)
        if (op->in[i].want_diff) backward_input(op, i);
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *a = &op->in[0], *b = &op->in[1];
    const int count = a->c * a->h * a->w;
    for (int n = 0; n < a->n; n++) {
        double sum = 0;
        for (int i = 0; i < count; i++) sum += pow(a->data[(size_t)n * count + i] - b->data[(size_t)n * count + i], 2);
        op->out[0].data[n] = sum / count;
    }
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_mse) = {
    .name = "mse",
    .brief = "mean squared difference of two maps, per sample",
    .flags = TIPS_LAYER_STRIDED_OUT | TIPS_LAYER_LOSS,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
};
