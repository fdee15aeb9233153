/* Where the cells of a pyramid lie: for each level the sum of the phases chosen on the way there, each times the
 * strides before it, o_l = sum_j s_1 ... s_{j-1} p_j. Written as numbers, with what else there is to know of the
 * anchors, so that whoever reads a network's outputs can tell where its boxes are. Input 0 is any map of the batch, the
 * others are the phases; without them all origins are 0. Output 1 is the origins alone, an
 * index (1, levels, 2). */
#include "emit/emit.h"
#include "layer/box_maps.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    const tips_anchor_origins *c = node->config;
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(tips__expect_anchors(node, &c->anchors));
    if (node->n_in != 1 && node->n_in != c->steps + 1)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %d phases for %d downsamplings", node->name, node->n_in - 1, c->steps);
    for (int i = 1; i < node->n_in; i++) TIPS_TRY(tips__expect_number(graph, node, i));
    tips__node_out(graph, node, tips__map_info(1, c->anchors.n_levels, TIPS_ANCHOR_COLUMNS, 1));
    tips__node_out(graph, node,
                   (tips_value_info){.kind = TIPS_INDEX, .c = 1, .h = c->anchors.n_levels, .w = 2, .per_sample = 1});
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
            memcpy(tips__sample_index(&op->out[1], n) + (ptrdiff_t)l * 2, origin[l], sizeof origin[l]);
        }
    }
    return TIPS_OK;
}

/* Phases have no gradient, and the map is not looked at. */
static tips_status backward(tips_op *op) {
    if (op->in[0].want_diff && !op->in[0].accumulate) tips__map_zero(&op->in[0].diff);
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
            for (int axis = 0; axis < 2; axis++) tips__ref_sample_index(&op->out[1], n)[2 * l + axis] = origin[axis];
        }
    return TIPS_OK;
}

/* Places are those of the picture; the verifier compares them in a way of their own. */
static const char *breaks(const tips_graph *graph, const tips_node *node) {
    (void)graph;
    return node->n_in == 1 ? "fixed grid" : NULL;
}

/* (n, 1, 1, 1) of zeros. */
static tips_operand emit_zero(tips_emitter *to, const tips_node *node) {
    const tips_operand shape = tips__emit_unary(to, "Shape", tips__emit_in(to, node, 0));
    const tips_operand n = tips__emit_slice(to, shape, 0, 0, 1, 1);
    const tips_operand ones = tips__emit_ints(to, (const int64_t[]){1, 1, 1}, 3);
    return tips__emit_unary(to, "ConstantOfShape", tips__emit_concat(to, (const tips_operand[]){n, ones}, 2, 0));
}

/* Sums of phases behind each step, down and right, (n, 1, 1, 1) each. */
static void emit_sums(tips_emitter *to, const tips_node *node, tips_operand zero,
                      tips_operand sums[TIPS_ANCHOR_STEPS + 1][2]) {
    const tips_anchor_origins *c = node->config;
    int before[2] = {1, 1};
    sums[0][0] = sums[0][1] = zero;
    for (int j = 0; j < c->steps; j++) {
        const tips_operand across = tips__emit_int(to, c->stride[j][1]);
        const tips_operand phase = node->n_in > 1 ? tips__emit_in(to, node, j + 1) : TIPS_NO_OPERAND;
        for (int axis = 0; axis < 2; axis++) {
            sums[j + 1][axis] = sums[j][axis];
            if (phase == TIPS_NO_OPERAND) continue;
            const tips_operand row = tips__emit_binary(to, "Div", phase, across);
            const tips_operand own =
                axis == 0 ? row : tips__emit_binary(to, "Sub", phase, tips__emit_binary(to, "Mul", row, across));
            const tips_operand pixels = tips__emit_cast(
                to, tips__emit_binary(to, "Mul", own, tips__emit_int(to, before[axis])), TIPS_OPERAND_FLOAT);
            sums[j + 1][axis] = tips__emit_binary(to, "Add", sums[j][axis], pixels);
        }
        for (int axis = 0; axis < 2; axis++) before[axis] *= c->stride[j][axis];
    }
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    enum { KNOWN = TIPS_ANCHOR_COLUMNS - 2 };
    const tips_anchor_origins *c = node->config;
    const tips_operand zero = emit_zero(to, node);
    tips_operand sums[TIPS_ANCHOR_STEPS + 1][2], rows[TIPS_ANCHOR_LEVELS];
    emit_sums(to, node, zero, sums);
    for (int l = 0; l < c->anchors.n_levels; l++) {
        const tips_operand *origin = sums[c->depth[l]];
        float row[TIPS_ANCHOR_COLUMNS];
        tips__anchors_write(&c->anchors, l, (const int[]){0, 0}, row);
        const tips_operand known = tips__emit_floats(to, row + 2, (const int64_t[]){1, 1, 1, KNOWN}, 4);
        const tips_operand parts[] = {origin[0], origin[1], tips__emit_binary(to, "Add", known, zero)};
        rows[l] = tips__emit_concat(to, parts, 3, 3);
    }
    tips__emit_fix_size(to, node, "its anchors are made for one size");
    tips__emit_out(to, node, 0, tips__emit_concat(to, rows, c->anchors.n_levels, 2));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_anchor_origins) = {
    .name = "anchor_origins",
    .brief = "where the cells of each level of a pyramid lie, from the phases that were chosen",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .config_size = sizeof(tips_anchor_origins),
    .shape = shape,
    .forward = forward,
    .backward = backward,
    .breaks = breaks,
    .ref = ref,
    .emit = emit,
};
