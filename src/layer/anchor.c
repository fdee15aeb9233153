/* Rolls a map so that its strongest position comes first: y[i,j] = x[(p + i) mod h, (q + j) mod w], (p, q) the position
 * with the largest sum over channels of x^2. A shifted map is rolled back to the same one, bit by bit, so that what
 * follows may depend on positions.
 *
 * Squares of floats are exact in double, and every position adds its channels in the same order, so a shift permutes
 * the scores. Ties go to the position whose rolled map is the largest in lexicographic order (pixels in row-major
 * order, channels within); those that are left have equal rolled maps, and any will do. */
#include "core/memory.h"
#include "layer/layer_common.h"
#include "layer/layers.h"
#include "emit/emit.h"

static tips_status shape(tips_graph *graph, tips_node *node) {
    TIPS_TRY(tips__expect_inputs(node, 1));
    TIPS_TRY(tips__expect_map(graph, node, 0));
    tips__node_out(graph, node, tips__in_info(graph, node, 0));
    return TIPS_OK;
}

static size_t score_floats(const tips_op *op) {
    return ((size_t)op->in[0].map.h * (size_t)op->in[0].map.w * 2 + TIPS_BLOCK - 1) / TIPS_BLOCK * TIPS_BLOCK;
}

static tips_status plan(tips_op *op, tips_plan *plan) {
    plan->forward_scratch = tips__thread_bytes(score_floats(op));
    plan->workspace = (size_t)op->in[0].map.n * sizeof(int32_t);
    return TIPS_OK;
}

static double pixel_score(const tips_map *x, int n, int at) {
    const ptrdiff_t offset = at / x->w * x->sh + (ptrdiff_t)(at % x->w) * TIPS_BLOCK;
    vd squares = {0};
    for (int b = 0; b < x->blocks; b++) {
        const vd value = vd_from(vf_load(tips__plane(x, n, b) + offset));
        squares += value * value;
    }
    const double score = vd_sum(squares);
    return score >= 0 ? score : -1; /* NaN comes last */
}

/* Floats in an order that tells all bits apart: -0 is below 0. */
static int32_t ordered(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? bits ^ INT32_MAX : bits;
}

static int compare_pixels(const tips_map *x, int n, int a, int b) {
    for (int block = 0; block < x->blocks; block++) {
        const float *plane = tips__plane(x, n, block);
        const float *first = plane + a / x->w * x->sh + (ptrdiff_t)(a % x->w) * TIPS_BLOCK;
        const float *second = plane + b / x->w * x->sh + (ptrdiff_t)(b % x->w) * TIPS_BLOCK;
        for (int l = 0; l < TIPS_BLOCK; l++) {
            const int32_t one = ordered(first[l]), other = ordered(second[l]);
            if (one != other) return one > other ? 1 : -1;
        }
    }
    return 0;
}

/* The pixel that is `step` after `from`, both counted in row-major order, around the torus. */
static int moved(const tips_map *x, int from, int step) {
    const int y = (from / x->w + step / x->w) % x->h, column = (from % x->w + step % x->w) % x->w;
    return y * x->w + column;
}

static int compare_rolled(const tips_map *x, int n, int a, int b) {
    for (int step = 0; step < x->h * x->w; step++) {
        const int order = compare_pixels(x, n, moved(x, a, step), moved(x, b, step));
        if (order) return order;
    }
    return 0;
}

/* The step from b to a: moved(b, step) == a. */
static int step_between(const tips_map *x, int a, int b) {
    const int y = (a / x->w - b / x->w + x->h) % x->h, column = (a % x->w - b % x->w + x->w) % x->w;
    return y * x->w + column;
}

typedef struct choice {
    int at;
    bool contested; /* another position has the same score and another rolled map */
} choice;

static choice best_of_equals(const tips_map *x, int n, const double *score, int first) {
    const int area = x->h * x->w;
    choice best = {.at = first};
    int back = 0; /* where two rolled maps are equal, a map repeats itself; this leads one period back */
    for (int at = first + 1; at < area; at++) {
        if (score[at] != score[first] || (back && moved(x, at, back) < at && moved(x, at, back) >= first)) continue;
        const int order = compare_rolled(x, n, at, best.at);
        if (order > 0) best.at = at;
        if (order == 0) back = step_between(x, best.at, at);
        best.contested |= order != 0;
    }
    return best;
}

static float lead(const double *score, int area, const choice *best) {
    double second = -1;
    if (best->contested) return 0;
    for (int i = 0; i < area; i++)
        if (score[i] < score[best->at] && score[i] > second) second = score[i];
    return second < 0 ? 1 : (float)((score[best->at] - second) / score[best->at]);
}

static int choose(const tips_map *x, int n, double *score, float *margin) {
    const int area = x->h * x->w;
    int first = 0;
    for (int i = 0; i < area; i++) {
        score[i] = pixel_score(x, n, i);
        if (score[i] > score[first]) first = i;
    }
    const choice best = best_of_equals(x, n, score, first);
    if (margin) *margin = lead(score, area, &best);
    return best.at;
}

/* Rows of src from (top, left) on, around the torus, into dst. */
static void roll_plane(const tips_map *src, const tips_map *dst, int n, int b, int top, int left, bool accumulate) {
    for (int y = 0; y < dst->h; y++) {
        const float *from = tips__row(src, n, b, (y + top) % src->h);
        float *to = tips__row(dst, n, b, y);
        for (int x = 0; x < dst->w; x++) {
            const int column = x + left < src->w ? x + left : x + left - src->w;
            tips__put(to + (ptrdiff_t)x * TIPS_BLOCK, vf_load(from + (ptrdiff_t)column * TIPS_BLOCK), accumulate);
        }
    }
}

static tips_status forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const size_t floats = score_floats(op);
    int32_t *anchors = op->workspace;
    TIPS_PARALLEL_FOR (n, src->n) {
        float *margin = op->margin && n < op->n * TIPS_BLOCK ? op->margin + n : NULL;
        anchors[n] = choose(src, n, (double *)tips__thread_scratch(op, floats), margin);
    }
    TIPS_PARALLEL_PLANES (dst, n, b) roll_plane(src, dst, n, b, anchors[n] / src->w, anchors[n] % src->w, false);
    return TIPS_OK;
}

static tips_status backward(tips_op *op) {
    if (!op->in[0].want_diff) return TIPS_OK;
    const tips_map *diff_dst = &op->out[0].diff, *diff_src = &op->in[0].diff;
    const int32_t *anchors = op->workspace;
    TIPS_PARALLEL_PLANES (diff_src, n, b) {
        const int top = (diff_src->h - anchors[n] / diff_src->w) % diff_src->h;
        const int left = (diff_src->w - anchors[n] % diff_src->w) % diff_src->w;
        roll_plane(diff_dst, diff_src, n, b, top, left, op->in[0].accumulate);
    }
    return TIPS_OK;
}

static double ref_score(const tips_ref_slot *in, int n, int i) {
    const int area = in->h * in->w;
    double sum = 0;
    for (int c = 0; c < in->c; c++) {
        const double value = in->data[((size_t)n * in->c + c) * area + i];
        sum += value * value;
    }
    return sum;
}

/* The map of sample n from pixel `at` on: pixel i, channel c. */
static double ref_rolled(const tips_ref_slot *in, int n, int at, int i, int c) {
    const int y = (at / in->w + i / in->w) % in->h, x = (at % in->w + i % in->w) % in->w;
    return in->data[(((size_t)n * in->c + c) * in->h + y) * in->w + x];
}

static bool ref_beats(const tips_ref_slot *in, int n, int at, int best) {
    const double score = ref_score(in, n, at), other = ref_score(in, n, best);
    if (score != other) return score > other;
    for (int i = 0; i < in->h * in->w; i++)
        for (int c = 0; c < in->c; c++) {
            const double one = ref_rolled(in, n, at, i, c), two = ref_rolled(in, n, best, i, c);
            if (one != two) return one > two;
        }
    return false;
}

static tips_status ref(tips_ref_op *op) {
    const tips_ref_slot *in = &op->in[0];
    const int area = in->h * in->w;
    double *to = op->out[0].data;
    for (int n = 0; n < in->n; n++) {
        int best = 0;
        for (int i = 1; i < area; i++)
            if (ref_beats(in, n, i, best)) best = i;
        for (int c = 0; c < in->c; c++)
            for (int i = 0; i < area; i++) *to++ = ref_rolled(in, n, best, i, c);
    }
    return TIPS_OK;
}

/* Where the strongest position lies, (n, 1); the first of several. */
static tips_operand emit_strongest(tips_emitter *to, tips_operand x, int area) {
    const tips_operand wide = tips__emit_cast(to, x, TIPS_OPERAND_DOUBLE);
    const tips_operand sums =
        tips__emit_reduce(to, "ReduceSum", tips__emit_binary(to, "Mul", wide, wide), (const int[]){1}, 1);
    const tips_operand scores = tips__emit_reshape(to, sums, (const int64_t[]){-1, area}, 2);
    return tips__emit_op(to, "ArgMax", TIPS_OPERANDS(scores),
                         TIPS_WITH(TIPS_WITH_INT("axis", 1), TIPS_WITH_INT("keepdims", 1)));
}

/* first, first + 1, ... around a circle of `size`, (n, size). */
static tips_operand emit_around(tips_emitter *to, tips_operand first, int size, const int64_t *count_up) {
    const tips_operand places = tips__emit_binary(to, "Add", first, tips__emit_ints(to, count_up, size));
    return tips__emit_binary(to, "Mod", places, tips__emit_int(to, size));
}

/* The position that comes to each place of the rolled map, (n, 1, h*w). */
static tips_operand emit_places(tips_emitter *to, tips_operand strongest, int h, int w, const int64_t *count_up) {
    const tips_operand width = tips__emit_int(to, w), row = tips__emit_binary(to, "Div", strongest, width);
    const tips_operand column = tips__emit_binary(to, "Mod", strongest, width);
    const tips_operand starts = tips__emit_binary(to, "Mul", emit_around(to, row, h, count_up), width);
    const tips_operand rows = tips__emit_reshape(to, starts, (const int64_t[]){-1, h, 1}, 3);
    const tips_operand columns =
        tips__emit_reshape(to, emit_around(to, column, w, count_up), (const int64_t[]){-1, 1, w}, 3);
    return tips__emit_reshape(to, tips__emit_binary(to, "Add", rows, columns), (const int64_t[]){-1, 1, (int64_t)h * w},
                              3);
}

static tips_status emit(tips_emitter *to, const tips_node *node) {
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    const int area = in.h * in.w, most = in.h > in.w ? in.h : in.w;
    const tips_operand x = tips__emit_in(to, node, 0);
    int64_t *count_up;
    TIPS_TRY(tips__new(&count_up, (size_t)most * sizeof *count_up, "the places of an anchor"));
    for (int i = 0; i < most; i++) count_up[i] = i;
    tips__emit_fix_size(to, node, "it rolls a map of this size");
    const tips_operand places = emit_places(to, emit_strongest(to, x, area), in.h, in.w, count_up);
    tips__free(count_up);
    const tips_operand everywhere = tips__emit_ints(to, (const int64_t[]){1, in.c, area}, 3);
    const tips_operand from[] = {tips__emit_reshape(to, x, (const int64_t[]){-1, in.c, area}, 3),
                                 tips__emit_binary(to, "Expand", places, everywhere)};
    const tips_operand rolled = tips__emit_op(to, "GatherElements", from, 2, TIPS_WITH(TIPS_WITH_INT("axis", 2)));
    tips__emit_out(to, node, 0, tips__emit_reshape(to, rolled, (const int64_t[]){-1, in.c, in.h, in.w}, 4));
    return TIPS_OK;
}

const tips_layer TIPS_ROW(tips__layer_anchor) = {
    .name = "anchor",
    .brief = "a map rolled so that its strongest position comes first",
    .flags = TIPS_LAYER_STRIDED_OUT,
    .shape = shape,
    .plan = plan,
    .forward = forward,
    .backward = backward,
    .ref = ref,
    .emit = emit,
};
