/* Arithmetic of two maps, element by element: a + b, a - b, a b, a / b or the larger one. Where one has extent 1 in c,
 * h or w it is spread over the other; its gradient is then the sum over what it was spread over, in double and in a
 * fixed order. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static const char *const op_names[] = {"add", "sub", "mul", "div", "max", NULL};

static tips_combine_op op_of(const tips_node *node) {
    return (tips_combine_op)((const tips_combine *)node->config)->op;
}

static tips_status expect_spreadable(const tips_node *node, const char *axis, int left, int right) {
    if (left != right && left != 1 && right != 1) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': %s cannot spread %s = %d over %d; one of them must be 1, or both the same",
                  node->name, node->layer->name, axis, left, right);
    }
    return TIPS_OK;
}

static int larger(int a, int b) { return a > b ? a : b; }

static tips_status shape(tips_graph *graph, tips_node *node) {
    const int op = ((const tips_combine *)node->config)->op;
    if (op < TIPS_COMBINE_ADD || op > TIPS_COMBINE_MAX)
        TIPS_FAIL(TIPS_RANGE, "layer '%s': operation %d is none of add, sub, mul, div and max", node->name, op);
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(tips__expect_map(graph, node, 1));
    const tips_value_info left = tips__in_info(graph, node, 0), right = tips__in_info(graph, node, 1);
    if (left.per_sample != right.per_sample) {
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': input 0 has %d maps per sample, input 1 has %d", node->name, left.per_sample,
                  right.per_sample);
    }
    TIPS_TRY(expect_spreadable(node, "c", left.c, right.c));
    TIPS_TRY(expect_spreadable(node, "h", left.h, right.h));
    TIPS_TRY(expect_spreadable(node, "w", left.w, right.w));
    tips__node_out(
        graph, node,
        tips__map_info(larger(left.c, right.c), larger(left.h, right.h), larger(left.w, right.w), left.per_sample));
    return TIPS_OK;
}

/* Which axes of the output an input is spread over. */
typedef struct spread {
    bool c, h, w;
} spread;

static spread spread_of(const tips_map *in, const tips_map *out) {
    return (spread){in->c < out->c, in->h < out->h, in->w < out->w};
}

static bool is_spread(spread s) { return s.c || s.h || s.w; }

/* Doubles for the sums of one row of input i. */
static size_t sum_doubles(const tips_op *op, int i) {
    const tips_slot *in = &op->in[i];
    return in->want_diff && is_spread(spread_of(&in->map, &op->out[0].map)) ? (size_t)in->map.w * TIPS_BLOCK : 0;
}

static size_t scratch_doubles(const tips_op *op) {
    const size_t left = sum_doubles(op, 0), right = sum_doubles(op, 1);
    return left > right ? left : right;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const tips_combine_op kind = op_of(op->node);
    plan->keep_in = kind == TIPS_COMBINE_ADD || kind == TIPS_COMBINE_SUB ? 0 : 3;
    plan->backward_scratch = tips__thread_bytes(2 * scratch_doubles(op));
    return TIPS_OK;
}

/* One row of an input as the output sees it. */
typedef struct operand {
    const float *row;
    ptrdiff_t step; /* from pixel to pixel: 0 where it is spread over w */
    bool splat;     /* channel 0 for all channels */
} operand;

static operand operand_row(const tips_map *in, const tips_map *out, int n, int b, int y) {
    const spread s = spread_of(in, out);
    return (operand){tips__row(in, n, s.c ? 0 : b, s.h ? 0 : y), s.w ? 0 : TIPS_BLOCK, s.c};
}

static inline vf operand_at(const operand *o, int x) {
    const float *at = o->row + x * o->step;
    return o->splat ? vf_set(*at) : vf_load(at);
}

/* Where no channel is, it divides by one: 0 / 0 would look as if a value had gone wrong. */
static inline vf combined(tips_combine_op op, vf left, vf right, vi mask) {
    switch (op) {
    case TIPS_COMBINE_ADD: return left + right;
    case TIPS_COMBINE_SUB: return left - right;
    case TIPS_COMBINE_MUL: return left * right;
    case TIPS_COMBINE_MAX: return vf_select(left >= right, left, right);
    case TIPS_COMBINE_DIV: break;
    }
    return left / vf_select(mask, right, vf_set(1));
}

static tips_status forward(tips_op *op) {
    const tips_combine_op kind = op_of(op->node);
    const tips_map *dst = &op->out[0].map;
    TIPS_PARALLEL_PLANES (dst, n, b) {
        const vi mask = tips__lane_mask(dst->c, b);
        for (int y = 0; y < dst->h; y++) {
            const operand left = operand_row(&op->in[0].map, dst, n, b, y);
            const operand right = operand_row(&op->in[1].map, dst, n, b, y);
            float *to = tips__row(dst, n, b, y);
            for (int x = 0; x < dst->w; x++)
                vf_store(to + (ptrdiff_t)x * TIPS_BLOCK,
                         tips__masked(combined(kind, operand_at(&left, x), operand_at(&right, x), mask), mask));
        }
    }
    return TIPS_OK;
}

/* One row of the output with what its gradients are made from. */
typedef struct gradient_row {
    tips_combine_op op;
    int side; /* of the input whose gradient is taken */
    operand left, right;
    const float *dy;
    vi mask;
} gradient_row;

static gradient_row gradient_row_at(const tips_op *op, int side, int n, int b, int y) {
    const tips_map *dst = &op->out[0].map;
    return (gradient_row){op_of(op->node),
                          side,
                          operand_row(&op->in[0].map, dst, n, b, y),
                          operand_row(&op->in[1].map, dst, n, b, y),
                          tips__row(&op->out[0].diff, n, b, y),
                          tips__lane_mask(dst->c, b)};
}

/* Reads an input only where its data was kept. */
static inline vf gradient_at(const gradient_row *g, int x) {
    const vf dy = vf_load(g->dy + (ptrdiff_t)x * TIPS_BLOCK);
    if (g->op == TIPS_COMBINE_ADD) return dy;
    if (g->op == TIPS_COMBINE_SUB) return g->side == 0 ? dy : -dy;
    const vf left = operand_at(&g->left, x), right = operand_at(&g->right, x);
    if (g->op == TIPS_COMBINE_MUL) return tips__masked(dy * (g->side == 0 ? right : left), g->mask);
    if (g->op == TIPS_COMBINE_MAX) return (vf)((vi)dy & (g->side == 0 ? left >= right : ~(left >= right)));
    const vf share = dy / right;
    return tips__masked(g->side == 0 ? share : -(share * (left / right)), g->mask);
}

static void put_row(const tips_op *op, int side, int n, int b, int y) {
    const tips_slot *in = &op->in[side];
    const gradient_row g = gradient_row_at(op, side, n, b, y);
    float *to = tips__row(&in->diff, n, b, y);
    for (int x = 0; x < in->map.w; x++) tips__put(to + (ptrdiff_t)x * TIPS_BLOCK, gradient_at(&g, x), in->accumulate);
}

static void add_row(const gradient_row *g, int width, ptrdiff_t step, double *sums) {
    for (int x = 0; x < width; x++) {
        double *sum = sums + x * step;
        tips__store_doubles(sum, tips__load_doubles(sum) + vd_from(gradient_at(g, x)));
    }
}

/* Adds up all rows of the output that row y of block b was spread over. */
static void sum_rows(const tips_op *op, int side, int n, int b, int y, double *sums) {
    const tips_map *in = &op->in[side].map, *dst = &op->out[0].map;
    const spread s = spread_of(in, dst);
    const int first_block = s.c ? 0 : b, end_block = s.c ? dst->blocks : b + 1;
    const int first_row = s.h ? 0 : y, end_row = s.h ? dst->h : y + 1;
    memset(sums, 0, (size_t)in->w * sizeof(vd));
    for (int from_b = first_block; from_b < end_block; from_b++)
        for (int from_y = first_row; from_y < end_row; from_y++) {
            const gradient_row g = gradient_row_at(op, side, n, from_b, from_y);
            add_row(&g, dst->w, s.w ? 0 : TIPS_BLOCK, sums);
        }
}

static void put_sums(const tips_op *op, int side, int n, int b, int y, const double *sums) {
    const tips_slot *in = &op->in[side];
    const bool over_channels = spread_of(&in->map, &op->out[0].map).c;
    float *to = tips__row(&in->diff, n, b, y);
    for (ptrdiff_t at = 0; at < (ptrdiff_t)in->map.w * TIPS_BLOCK; at += TIPS_BLOCK) {
        vf total = vf_from(tips__load_doubles(sums + at));
        if (over_channels) total = (vf){(float)vd_sum(tips__load_doubles(sums + at))};
        tips__put(to + at, total, in->accumulate);
    }
}

static void backward_input(const tips_op *op, int side) {
    const tips_map *in = &op->in[side].map;
    const bool summed = is_spread(spread_of(in, &op->out[0].map));
    const size_t floats = 2 * scratch_doubles(op);
    TIPS_PARALLEL_FOR (i, in->n * in->blocks * in->h) {
        const int y = i % in->h, b = i / in->h % in->blocks, n = i / in->h / in->blocks;
        if (!summed) {
            put_row(op, side, n, b, y);
            continue;
        }
        double *sums = (double *)(void *)tips__thread_scratch(op, floats);
        sum_rows(op, side, n, b, y, sums);
        put_sums(op, side, n, b, y, sums);
    }
}

static tips_status backward(tips_op *op) {
    for (int side = 0; side < 2; side++)
        if (op->in[side].want_diff) backward_input(op, side);
    return TIPS_OK;
}

static double ref_at(const tips_ref_slot *in, int n, int c, int y, int x) {
    const int from_c = in->c == 1 ? 0 : c, from_y = in->h == 1 ? 0 : y, from_x = in->w == 1 ? 0 : x;
    return in->data[(((size_t)n * in->c + from_c) * in->h + from_y) * in->w + from_x];
}

static double ref_combined(tips_combine_op op, double left, double right) {
    const double results[] = {left + right, left - right, left * right, op == TIPS_COMBINE_DIV ? left / right : 0,
                              left >= right ? left : right};
    return results[op];
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *out = &op->out[0];
    double *to = out->data;
    for (int n = 0; n < out->n; n++)
        for (int c = 0; c < out->c; c++)
            for (int y = 0; y < out->h; y++)
                for (int x = 0; x < out->w; x++)
                    *to++ =
                        ref_combined(op_of(op->node), ref_at(&op->in[0], n, c, y, x), ref_at(&op->in[1], n, c, y, x));
    return TIPS_OK;
}

static const tips_option options[] = {
    {.name = "op", .type = TIPS_OPT_CHOICE, .offset = offsetof(tips_combine, op), .fallback = "add",
     .choices = op_names, .help = "what is done with a and b"},
    {.type = TIPS_OPT_END},
};

static tips_status emit(tips_emitter *to, const tips_node *node) {
    static const char *const operators[] = {"Add", "Sub", "Mul", "Div", "Max"};
    return tips__emit_same(to, node, operators[op_of(node)]);
}

const tips_layer TIPS_ROW(tips__layer_combine) = {
    .name = "combine",
    .brief = "a + b, a - b, a b, a / b or the larger one, with extents of 1 spread",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_combine),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
