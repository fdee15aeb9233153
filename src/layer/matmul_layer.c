/* matmul: products of matrices, one for each row g of two maps: y[j, g, i] = sum over k of a[k, g, i] b[j, g, k], or
 * b[k, g, j] with `turned`. The channels of a are what is summed over, its columns and those of the result are tokens,
 * and rows are heads, windows or whatever runs beside. An input of one row serves all rows of the other. */
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"
#include "tensor/matmul.h"

static bool is_turned(const tips_node *node) { return ((const tips_matmul_config *)node->config)->turned; }

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 2));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    TIPS_TRY(tips__expect_map(graph, node, 1));
    const tips_value_info a = tips__in_info(graph, node, 0), b = tips__in_info(graph, node, 1);
    const int inner = is_turned(node) ? b.c : b.w, columns = is_turned(node) ? b.w : b.c;
    if (a.c != inner || (a.h != b.h && a.h != 1 && b.h != 1) || a.per_sample != b.per_sample)
        TIPS_FAIL(TIPS_SHAPE, "layer '%s': maps of %dx%dx%d and %dx%dx%d have no product%s", node->name, a.c, a.h, a.w,
                  b.c, b.h, b.w, is_turned(node) ? " with the second turned" : "");
    tips__node_out(graph, node, tips__map_info(columns, a.h > b.h ? a.h : b.h, a.w, a.per_sample));
    return TIPS_OK;
}

/* (m x k)(k x n), with rows padded to whole vectors where n and k are their length. */
typedef struct sizes {
    int m, n, k, groups;
    int wide_n, wide_k;
    bool turned, spread; /* spread: one row of an input meets all of the other */
} sizes;

static sizes sizes_of(const tips_op *op) {
    const tips_map *a = &op->in[0].map, *y = &op->out[0].map;
    sizes s = {.m = y->w, .n = y->c, .k = a->c, .groups = y->h, .turned = is_turned(op->node)};
    s.wide_n = tips__padded(s.n);
    s.wide_k = tips__padded(s.k);
    s.spread = a->h != op->in[1].map.h;
    return s;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* What a thread works with. */
typedef struct room {
    float *a;      /* (m, k) */
    float *b;      /* (k, n) */
    float *turned; /* (n, k) */
    float *y;      /* (m, n): the result, or its gradient */
    float *slopes; /* of a or b */
} room;

static size_t room_floats(const sizes *s, room *r, float *at) {
    const size_t a = (size_t)s->m * (size_t)s->wide_k, b = (size_t)s->k * (size_t)s->wide_n;
    const size_t turned = (size_t)s->n * (size_t)s->wide_k, y = (size_t)s->m * (size_t)s->wide_n;
    if (r) *r = (room){at, at + a, at + a + b, at + a + b + turned, at + a + b + turned + y};
    return a + b + turned + y + larger(a, larger(b, turned));
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    const sizes s = sizes_of(op);
    plan->forward_scratch = plan->backward_scratch = tips__thread_bytes(room_floats(&s, NULL, NULL));
    plan->keep_in = 3;
    return TIPS_OK;
}

/* Row y of a map as a matrix: a row for each pixel, its channels padded. */
static void gather(const tips_map *map, int n, int y, float *to) {
    for (int b = 0; b < map->blocks; b++) {
        const float *from = tips__row(map, n, b, y);
        for (int x = 0; x < map->w; x++)
            vf_store(to + ((ptrdiff_t)x * map->blocks + b) * TIPS_BLOCK, vf_load(from + (ptrdiff_t)x * TIPS_BLOCK));
    }
}

static void scatter(const float *from, const tips_map *map, int n, int y, bool accumulate) {
    for (int b = 0; b < map->blocks; b++) {
        float *to = tips__row(map, n, b, y);
        for (int x = 0; x < map->w; x++)
            tips__put(to + (ptrdiff_t)x * TIPS_BLOCK, vf_load(from + ((ptrdiff_t)x * map->blocks + b) * TIPS_BLOCK),
                      accumulate);
    }
}

static int row_of(const tips_map *map, int group) { return map->h == 1 ? 0 : group; }

/* The second factor as it is multiplied, and turned, which gradients need. */
static void gather_second(const tips_op *op, const sizes *s, int n, int group, bool both, const room *r) {
    const tips_map *b = &op->in[1].map;
    gather(b, n, row_of(b, group), s->turned ? r->turned : r->b);
    if (s->turned) tips__transpose(r->turned, s->n, s->k, s->wide_k, r->b, s->wide_n);
    else if (both) tips__transpose(r->b, s->k, s->n, s->wide_n, r->turned, s->wide_k);
}

static tips_status forward(tips_op *op) {
    const tips_map *a = &op->in[0].map, *dst = &op->out[0].map;
    const sizes s = sizes_of(op);
    const size_t floats = room_floats(&s, NULL, NULL);
    TIPS_PARALLEL_FOR (i, dst->n * s.groups) {
        const int n = i / s.groups, group = i % s.groups;
        room r;
        room_floats(&s, &r, tips__thread_scratch(op, floats));
        gather(a, n, row_of(a, group), r.a);
        gather_second(op, &s, n, group, false, &r);
        tips__matmul_alone(&(tips_matmul){.m = s.m, .n = s.wide_n, .k = s.k, .a = r.a, .a_row = s.wide_k, .a_col = 1,
                                          .b = r.b, .b_row = s.wide_n, .c = r.y, .c_row = s.wide_n});
        scatter(r.y, dst, n, group, false);
    }
    return TIPS_OK;
}

/* da = dy b^T. */
static void backward_first(const tips_op *op, const sizes *s, int n, int group, const room *r) {
    const tips_slot *in = &op->in[0];
    if (!in->want_diff) return;
    tips__matmul_alone(&(tips_matmul){.m = s->m, .n = s->wide_k, .k = s->n, .a = r->y, .a_row = s->wide_n, .a_col = 1,
                                      .b = r->turned, .b_row = s->wide_k, .c = r->slopes, .c_row = s->wide_k});
    const int row = row_of(&in->diff, group);
    scatter(r->slopes, &in->diff, n, row, in->accumulate || group > row);
}

/* db = a^T dy, or dy^T a where it is turned. */
static void backward_second(const tips_op *op, const sizes *s, int n, int group, const room *r) {
    const tips_slot *in = &op->in[1];
    if (!in->want_diff) return;
    tips_matmul job = {.m = s->k, .n = s->wide_n, .k = s->m, .a = r->a, .a_row = 1, .a_col = s->wide_k, .b = r->y,
                       .b_row = s->wide_n, .c = r->slopes, .c_row = s->wide_n};
    if (s->turned)
        job = (tips_matmul){.m = s->n, .n = s->wide_k, .k = s->m, .a = r->y, .a_row = 1, .a_col = s->wide_n, .b = r->a,
                            .b_row = s->wide_k, .c = r->slopes, .c_row = s->wide_k};
    tips__matmul_alone(&job);
    const int row = row_of(&in->diff, group);
    scatter(r->slopes, &in->diff, n, row, in->accumulate || group > row);
}

/* Where a row serves several, their gradients add up one after the other. */
static tips_status backward(tips_op *op) {
    const tips_map *a = &op->in[0].map, *diff_dst = &op->out[0].diff;
    const sizes s = sizes_of(op);
    const size_t floats = room_floats(&s, NULL, NULL);
    const int parts = s.spread ? 1 : s.groups, each = s.groups / parts;
    TIPS_PARALLEL_FOR (i, diff_dst->n * parts) {
        const int n = i / parts;
        room r;
        room_floats(&s, &r, tips__thread_scratch(op, floats));
        for (int group = i % parts * each; group < (i % parts + 1) * each; group++) {
            gather(a, n, row_of(a, group), r.a);
            gather_second(op, &s, n, group, true, &r);
            gather(diff_dst, n, group, r.y);
            backward_first(op, &s, n, group, &r);
            backward_second(op, &s, n, group, &r);
        }
    }
    return TIPS_OK;
}

static double ref_at(const tips_ref_slot *in, int n, int c, int y, int x) {
    return in->data[(((size_t)n * in->c + c) * in->h + (in->h == 1 ? 0 : y)) * in->w + x];
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *a = &op->in[0], *b = &op->in[1], *out = &op->out[0];
    double *to = out->data;
    for (int n = 0; n < out->n; n++)
        for (int c = 0; c < out->c; c++)
            for (int y = 0; y < out->h; y++)
                for (int x = 0; x < out->w; x++, to++) {
                    *to = 0;
                    for (int k = 0; k < a->c; k++)
                        *to += ref_at(a, n, k, y, x) *
                               (is_turned(op->node) ? ref_at(b, n, k, y, c) : ref_at(b, n, c, y, k));
                }
    return TIPS_OK;
}

static const char *breaks(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *b = tips__value(graph, node->in[1]);
    return b->h * b->w > 1 ? "token order" : NULL;
}

static double multiply_adds(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *a = tips__value(graph, node->in[0]), *y = tips__value(graph, node->out[0]);
    return (double)a->c * y->c * y->h * y->w * y->per_sample;
}

static const tips_option options[] = {
    {.name = "turned", .type = TIPS_OPT_BOOL, .offset = offsetof(tips_matmul_config, turned), .fallback = "false",
     .help = "the channels of the second map are summed over, and not its columns"},
    {.type = TIPS_OPT_END},
};

/* Matrices are the last two axes there: (n, g, i, k) of the first map, (n, g, k, j) of the second. */
static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_operand a = tips__emit_in(to, node, 0), b = tips__emit_in(to, node, 1);
    const tips_operand rows = tips__emit_op(to, "Transpose", &a, 1, TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 2, 3, 1)));
    const tips_operand columns =
        is_turned(node) ? tips__emit_op(to, "Transpose", &b, 1, TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 2, 1, 3)))
                        : tips__emit_op(to, "Transpose", &b, 1, TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 2, 3, 1)));
    const tips_operand y = tips__emit_binary(to, "MatMul", rows, columns);
    tips__emit_out(to, node, 0, tips__emit_op(to, "Transpose", &y, 1, TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 3, 1, 2))));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_matmul) = {
    .name = "matmul",
    .brief = "products of matrices, one for each row of two maps",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .options = options,
    .config_size = sizeof(tips_matmul_config),
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
    .breaks = breaks,
    .multiply_adds = multiply_adds,
};
