/* attention, the kernels. One head of one window is gathered into small dense matrices in a thread's scratch, and the
 * rest is matrix products. Shares are not kept for the backward pass: they are computed again from queries and keys.
 *
 * Matrices of tokens by channels have rows of d padded to whole vectors, those of tokens by tokens rows of padded
 * tokens, with zeros beyond. */
#include "layer/attention.h"
#include "layer/layer_common.h"
#include "tensor/matmul.h"

typedef struct sizes {
    tips_windows of;
    int heads, d;
    int wide_d, wide_t;    /* d and tokens, padded */
    size_t narrow, square; /* floats of a matrix of tokens by channels, and by tokens */
    bool whole;            /* heads are whole blocks of channels */
} sizes;

static sizes sizes_of(const tips_op *op) {
    const tips_attention *config = op->node->config;
    const tips_map *out = &op->out[0].map;
    sizes s = {.of = tips__windows_of(config, out->h, out->w), .heads = config->heads, .d = out->c / config->heads};
    s.wide_d = tips__padded(s.d);
    s.wide_t = tips__padded(s.of.tokens);
    s.narrow = (size_t)s.wide_t * (size_t)s.wide_d;
    s.square = (size_t)s.of.tokens * (size_t)s.wide_t;
    s.whole = s.d % TIPS_BLOCK == 0;
    return s;
}

/* What a thread works with; the second part in the backward pass only. */
typedef struct room {
    float *query, *key, *value, *turned, *shares, *result;
    int32_t *places; /* (tokens, 2): rows and columns of the window's tokens */
    float *arriving, *slopes, *sums;
} room;

static size_t forward_floats(const sizes *s) { return 5 * s->narrow + s->square + 2 * (size_t)s->wide_t; }
static size_t backward_floats(const sizes *s) { return forward_floats(s) + s->narrow + 2 * s->square; }

static room room_at(const sizes *s, float *at) {
    room r = {.query = at, .key = at + s->narrow, .value = at + 2 * s->narrow, .turned = at + 3 * s->narrow,
              .result = at + 4 * s->narrow};
    float *places = at + 5 * s->narrow; /* as many bytes */
    r.places = (int32_t *)places;
    r.shares = places + 2 * (size_t)s->wide_t;
    r.slopes = r.shares + s->square;
    r.sums = r.slopes + s->square;
    r.arriving = r.sums + s->square;
    return r;
}

static size_t bias_floats(const tips_op *op, const sizes *s) {
    return ((const tips_attention *)op->node->config)->bias ? (size_t)s->heads * s->square : 0;
}

static size_t table_floats(const sizes *s) { return (size_t)tips__padded(tips__window_offsets(&s->of)); }

tips_status tips__attention_plan(tips_op *op, tips_plan *plan) {
    const sizes s = sizes_of(op);
    const size_t bias = bias_floats(op, &s);
    plan->forward_scratch = bias * sizeof(float) + tips__thread_bytes(forward_floats(&s));
    plan->keep_in = 1;
    plan->backward_scratch = bias * sizeof(float) + tips__thread_bytes(backward_floats(&s));
    if (bias) plan->backward_scratch += (size_t)op->out[0].map.n * s.heads * table_floats(&s) * sizeof(float);
    return TIPS_OK;
}

/* Where channel c of a map's token lies. */
static inline float *place(const tips_map *map, int n, int c, const int32_t at[2]) {
    return tips__row(map, n, c / TIPS_BLOCK, at[0]) + (ptrdiff_t)at[1] * TIPS_BLOCK + c % TIPS_BLOCK;
}

/* The d channels from c on of a window's tokens. With `tall`, [d/B][tokens padded][B] instead of [tokens][d padded], as
 * a transposition wants them. */
static void gather(const sizes *s, const room *r, const tips_map *map, int n, int c, bool tall, float *to) {
    const ptrdiff_t row = tall ? TIPS_BLOCK : s->wide_d, column = tall ? (ptrdiff_t)s->wide_t * TIPS_BLOCK : TIPS_BLOCK;
    if (!s->whole || s->of.tokens < s->wide_t) memset(to, 0, s->narrow * sizeof *to);
    for (int t = 0; t < s->of.tokens; t++) {
        const int32_t *at = r->places + 2 * (ptrdiff_t)t;
        if (s->whole)
            for (int b = 0; b < s->d / TIPS_BLOCK; b++)
                vf_store(to + t * row + b * column, vf_load(place(map, n, c + b * TIPS_BLOCK, at)));
        else
            for (int i = 0; i < s->d; i++)
                to[t * row + i / TIPS_BLOCK * column + i % TIPS_BLOCK] = *place(map, n, c + i, at);
    }
}

static void scatter(const sizes *s, const room *r, float factor, const tips_map *map, int n, int c, bool accumulate) {
    const float *from = r->result;
    for (int t = 0; t < s->of.tokens; t++, from += s->wide_d) {
        const int32_t *at = r->places + 2 * (ptrdiff_t)t;
        if (s->whole)
            for (int b = 0; b < s->d; b += TIPS_BLOCK)
                tips__put(place(map, n, c + b, at), vf_load(from + b) * factor, accumulate);
        else
            for (int i = 0; i < s->d; i++) {
                float *to = place(map, n, c + i, at);
                *to = from[i] * factor + (accumulate ? *to : 0);
            }
    }
}

/* Channels of the last block that do not exist stay zero. */
static void clear_lanes(const sizes *s, const room *r, const tips_map *map, int n) {
    if (map->c % TIPS_BLOCK == 0) return;
    for (int t = 0; t < s->of.tokens; t++) {
        float *last = place(map, n, (map->blocks - 1) * TIPS_BLOCK, r->places + 2 * (ptrdiff_t)t);
        for (int l = map->c % TIPS_BLOCK; l < TIPS_BLOCK; l++) last[l] = 0;
    }
}

/* (d padded, tokens padded), of what `gather` made tall. */
static void turn(const sizes *s, const float *tall, float *turned) {
    for (int b = 0; b < s->wide_d / TIPS_BLOCK; b++)
        for (int t = 0; t < s->wide_t; t += TIPS_BLOCK) {
            vf rows[TIPS_BLOCK];
            vf_transpose(tall + ((ptrdiff_t)b * s->wide_t + t) * TIPS_BLOCK, rows);
            for (int r = 0; r < TIPS_BLOCK; r++)
                vf_store(turned + (ptrdiff_t)(b * TIPS_BLOCK + r) * s->wide_t + t, rows[r]);
        }
}

/* tokens x tokens: a b^T with b turned already. */
static void multiply_turned(const sizes *s, const float *a, const float *turned, float *out) {
    tips__matmul_alone(&(tips_matmul){.m = s->of.tokens, .n = s->wide_t, .k = s->d, .a = a, .a_row = s->wide_d,
                                      .a_col = 1, .b = turned, .b_row = s->wide_t, .c = out, .c_row = s->wide_t});
}

/* tokens x channels: a b, or a^T b. */
static void multiply(const sizes *s, const float *a, bool transposed, const float *b, float *out) {
    tips__matmul_alone(&(tips_matmul){.m = s->of.tokens, .n = s->wide_d, .k = s->of.tokens, .a = a,
                                      .a_row = transposed ? 1 : s->wide_t, .a_col = transposed ? s->wide_t : 1,
                                      .b = b, .b_row = s->wide_d, .c = out, .c_row = s->wide_d});
}

/* The table by query and key for each head, so that a window adds whole rows. */
static void spread_bias(const tips_op *op, const sizes *s, float *bias) {
    const int tokens = s->of.tokens;
    if (!bias_floats(op, s)) return;
    TIPS_PARALLEL_FOR (i, s->heads * tokens) {
        const float *table = op->param[TIPS_ATTENTION_TABLE] + (size_t)(i / tokens) * table_floats(s);
        float *row = bias + (size_t)i * s->wide_t;
        for (int j = 0; j < tokens; j++) row[j] = table[tips__window_offset(&s->of, i % tokens, j)];
        for (int j = tokens; j < s->wide_t; j++) row[j] = 0;
    }
}

static float largest_of(const float *row, const sizes *s) {
    vf top = vf_set(-INFINITY);
    for (int j = 0; j < s->wide_t; j += TIPS_BLOCK)
        top = vf_max(vf_select(tips__lane_mask(s->of.tokens, j / TIPS_BLOCK), vf_load(row + j), vf_set(-INFINITY)),
                     top);
    float largest = top[0];
    for (int l = 1; l < TIPS_BLOCK; l++) largest = top[l] > largest ? top[l] : largest;
    return largest;
}

static void softmax_row(const sizes *s, float *row) {
    const float largest = largest_of(row, s);
    vd sum = {0};
    for (int j = 0; j < s->wide_t; j += TIPS_BLOCK) {
        const vi mask = tips__lane_mask(s->of.tokens, j / TIPS_BLOCK);
        const vf power = tips__masked(vf_exp(vf_load(row + j) - largest), mask);
        vf_store(row + j, power);
        sum += vd_from(power);
    }
    const float share = (float)(1 / vd_sum(sum));
    for (int j = 0; j < s->wide_t; j += TIPS_BLOCK) vf_store(row + j, vf_load(row + j) * share);
}

static void mask_row(const sizes *s, int window, int i, float *row) {
    const int region = tips__window_region(&s->of, window, i);
    for (int j = 0; j < s->of.tokens; j++)
        if (tips__window_region(&s->of, window, j) != region) row[j] -= TIPS_ATTENTION_MASK;
}

/* Whether a window has tokens of several regions. */
static bool is_torn(const tips_windows *of, int window) {
    return of->masked && tips__window_region(of, window, 0) != tips__window_region(of, window, of->tokens - 1);
}

/* Finds the window's tokens, gathers queries, divided by sqrt(d), and keys, and fills in who takes how much of whom. */
static void find_shares(const tips_op *op, const sizes *s, int n, int head, int window, const float *bias, room *r) {
    const tips_map *src = &op->in[0].map;
    const float scale = (float)(1 / sqrt(s->d));
    const int c = s->heads * s->d, first = head * s->d;
    for (int t = 0; t < s->of.tokens; t++) tips__window_place(&s->of, window, t, r->places + 2 * (ptrdiff_t)t);
    gather(s, r, src, n, first, false, r->query);
    for (size_t i = 0; i < s->narrow; i += TIPS_BLOCK) vf_store(r->query + i, vf_load(r->query + i) * scale);
    gather(s, r, src, n, c + first, true, r->key);
    turn(s, r->key, r->turned);
    multiply_turned(s, r->query, r->turned, r->shares);
    const bool torn = is_torn(&s->of, window);
    for (int i = 0; i < s->of.tokens; i++) {
        float *row = r->shares + (size_t)i * s->wide_t;
        for (int j = 0; bias && j < s->wide_t; j += TIPS_BLOCK)
            vf_store(row + j, vf_load(row + j) + vf_load(bias + (size_t)i * s->wide_t + j));
        if (torn) mask_row(s, window, i, row);
        softmax_row(s, row);
    }
}

static const float *bias_of(const sizes *s, const float *bias, int head) {
    return bias ? bias + (size_t)head * s->square : NULL;
}

tips_status tips__attention_forward(tips_op *op) {
    const tips_map *src = &op->in[0].map, *dst = &op->out[0].map;
    const sizes s = sizes_of(op);
    const size_t spread = bias_floats(op, &s);
    float *bias = spread ? op->scratch : NULL, *rooms = (float *)op->scratch + spread;
    spread_bias(op, &s, bias);
    TIPS_PARALLEL_FOR (i, dst->n * s.heads * s.of.count) {
        const int n = i / (s.heads * s.of.count), head = i / s.of.count % s.heads, window = i % s.of.count;
        room r = room_at(&s, rooms + (size_t)omp_get_thread_num() * forward_floats(&s));
        find_shares(op, &s, n, head, window, bias_of(&s, bias, head), &r);
        gather(&s, &r, src, n, (2 * s.heads + head) * s.d, false, r.value);
        multiply(&s, r.shares, false, r.value, r.result);
        scatter(&s, &r, 1, dst, n, head * s.d, false);
        if (head == 0) clear_lanes(&s, &r, dst, n);
    }
    return TIPS_OK;
}

/* From the gradients of the shares to those of what the softmax was taken of. */
static void softmax_slopes(const sizes *s, const float *shares, float *slopes) {
    for (int i = 0; i < s->of.tokens; i++, shares += s->wide_t, slopes += s->wide_t) {
        vd sum = {0};
        for (int j = 0; j < s->wide_t; j += TIPS_BLOCK) sum += vd_from(vf_load(shares + j) * vf_load(slopes + j));
        const float mean = (float)vd_sum(sum);
        for (int j = 0; j < s->wide_t; j += TIPS_BLOCK)
            vf_store(slopes + j, vf_load(shares + j) * (vf_load(slopes + j) - mean));
    }
}

static void backward_window(const tips_op *op, const sizes *s, int n, int head, int window, const float *bias,
                            room *r) {
    const tips_map *src = &op->in[0].map, *diff_src = &op->in[0].diff, *diff_dst = &op->out[0].diff;
    const int c = s->heads * s->d, first = head * s->d;
    const bool accumulate = op->in[0].accumulate, wants = op->in[0].want_diff;
    find_shares(op, s, n, head, window, bias, r);
    gather(s, r, diff_dst, n, first, false, r->arriving);
    gather(s, r, src, n, 2 * c + first, true, r->value);
    turn(s, r->value, r->turned);
    multiply_turned(s, r->arriving, r->turned, r->slopes);
    softmax_slopes(s, r->shares, r->slopes);
    for (size_t i = 0; bias && i < s->square; i += TIPS_BLOCK)
        vf_store(r->sums + i, vf_load(r->sums + i) + vf_load(r->slopes + i));
    if (!wants) return;
    multiply(s, r->shares, true, r->arriving, r->result);
    scatter(s, r, 1, diff_src, n, 2 * c + first, accumulate);
    multiply(s, r->slopes, true, r->query, r->result);
    scatter(s, r, 1, diff_src, n, c + first, accumulate);
    gather(s, r, src, n, c + first, false, r->key);
    multiply(s, r->slopes, false, r->key, r->result);
    scatter(s, r, (float)(1 / sqrt(s->d)), diff_src, n, first, accumulate);
    if (head == 0) clear_lanes(s, r, diff_src, n);
}

/* The gradient of one head's table from one sample. */
static void collect_table(const sizes *s, const float *sums, float *table) {
    const int tokens = s->of.tokens;
    memset(table, 0, table_floats(s) * sizeof *table);
    for (int i = 0; i < tokens; i++)
        for (int j = 0; j < tokens; j++)
            table[tips__window_offset(&s->of, i, j)] += sums[(size_t)i * s->wide_t + j];
}

/* Samples one after the other, so that the sum does not depend on the threads. */
static void add_tables(const tips_op *op, const sizes *s, const float *tables) {
    const size_t all = (size_t)s->heads * table_floats(s);
    for (int n = 0; n < op->out[0].map.n; n++)
        for (size_t i = 0; i < all; i += TIPS_BLOCK)
            tips__put(op->dparam[TIPS_ATTENTION_TABLE] + i, vf_load(tables + (size_t)n * all + i), true);
}

tips_status tips__attention_backward(tips_op *op) {
    const tips_map *dst = &op->out[0].map;
    const sizes s = sizes_of(op);
    const size_t spread = bias_floats(op, &s), each = backward_floats(&s);
    float *bias = spread ? op->scratch : NULL, *rooms = (float *)op->scratch + spread;
    float *tables = rooms + (size_t)tips__threads() * each; /* (n, heads, offsets padded) */
    spread_bias(op, &s, bias);
    TIPS_PARALLEL_FOR (i, dst->n * s.heads) {
        const int n = i / s.heads, head = i % s.heads;
        room r = room_at(&s, rooms + (size_t)omp_get_thread_num() * each);
        if (bias) memset(r.sums, 0, s.square * sizeof *r.sums);
        for (int window = 0; window < s.of.count; window++)
            backward_window(op, &s, n, head, window, bias_of(&s, bias, head), &r);
        if (bias) collect_table(&s, r.sums, tables + (size_t)i * table_floats(&s));
    }
    if (bias && op->dparam[TIPS_ATTENTION_TABLE]) add_tables(op, &s, tables);
    return TIPS_OK;
}
