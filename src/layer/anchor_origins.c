/* Where the cells of a pyramid lie: for each level the sum of the phases chosen on the way there, each times the
 * strides before it, o_l = sum_j s_1 ... s_{j-1} p_j. Written as numbers, with what else there is to know of the
 * anchors, so that whoever reads a network's outputs can tell where its boxes are. Input 0 is any map of the batch, the
 * others are the phases; without them all origins are 0. */
#include "layer/box_maps.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_anchor_origins *c = node->config;
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(tips__expect_anchors(node, &c->anchors));
    if (node->n_in != 1 && node->n_in != c->steps + 1)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %d phases for %d downsamplings", node->name, node->n_in - 1, c->steps);
    for (int i = 1; i < node->n_in; i++) TIPS_TRY(tips__expect_number(graph, node, i));
    tips__node_out(graph, node, tips__map_info(1, c->anchors.n_levels, TIPS_ANCHOR_COLUMNS, 1));
    return TIPS_OK;
}

/* Phase p of step j, for the levels that lie behind it. */
static void add_phase(const tips_anchor_origins *c, int j, int phase, int origin[TIPS_ANCHOR_LEVELS][2]) {
    int before[2] = {1, 1};
    for (int i = 0; i < j; i++) before[0] *= c->stride[i][0], before[1] *= c->stride[i][1];
    for (int l = 0; l < c->anchors.n_levels; l++) {
        if (c->depth[l] <= j) continue;
        origin[l][0] += before[0] * (phase / c->stride[j][1]);
        origin[l][1] += before[1] * (phase % c->stride[j][1]);
    }
}

static tips_status forward(tips_op *op) {
    const tips_anchor_origins *c = op->node->config;
    const tips_map *dst = &op->out[0].map;
    tips__map_zero(dst);
    for (int n = 0; n < dst->n; n++) {
        int origin[TIPS_ANCHOR_LEVELS][2] = {{0}};
        for (int j = 0; j + 1 < op->n_in; j++) add_phase(c, j, op->in[j + 1].index[n], origin);
        for (int l = 0; l < dst->h; l++) {
            float row[TIPS_ANCHOR_COLUMNS];
            tips__anchors_write(&c->anchors, l, origin[l], row);
            for (int x = 0; x < dst->w; x++) *tips__map_number(dst, n, 0, l, x) = row[x];
        }
    }
    return TIPS_OK;
}

static tips_status ref(tips_ref_op *op) {
    const tips_anchor_origins *c = op->node->config;
    double *to = op->out[0].data;
    for (int n = 0; n < op->n; n++)
        for (int l = 0; l < c->anchors.n_levels; l++) {
            int origin[2] = {0, 0};
            for (int j = c->depth[l] - 1; j >= 0; j--) {
                const int phase = op->n_in > 1 ? op->in[j + 1].index[n] : 0;
                origin[0] = phase / c->stride[j][1] + c->stride[j][0] * origin[0];
                origin[1] = phase % c->stride[j][1] + c->stride[j][1] * origin[1];
            }
            float row[TIPS_ANCHOR_COLUMNS];
            tips__anchors_write(&c->anchors, l, origin, row);
            for (int x = 0; x < TIPS_ANCHOR_COLUMNS; x++) *to++ = row[x];
        }
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_anchor_origins) = {
    .name = "anchor_origins",
    .brief = "where the cells of each level of a pyramid lie, from the phases that were chosen",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .config_size = sizeof(tips_anchor_origins),
    .shape = shape,
    .forward = forward,
    .ref = ref,
};
