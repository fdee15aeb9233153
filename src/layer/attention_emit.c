/* attention in basic operators: windows become an axis of their own, (n, windows, heads, tokens, channels). */
#include "layer/attention.h"
#include "layer/emit_common.h"

#include "core/memory.h"

#define PERM(...) \
    (const tips_attribute[]) { \
        {.name = "perm", .type = TIPS_ATTRIBUTE_INTS, .ints = {__VA_ARGS__}, \
         .n_ints = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))}, { 0 } \
    }

static tips_operand rolled(tips_emitter *to, tips_operand x, int down, int right) {
    if (down) x = tips__emit_rolled(to, x, TIPS_EMIT_ROWS, down);
    return right ? tips__emit_rolled(to, x, TIPS_EMIT_COLUMNS, right) : x;
}

/* (n, windows, 3, heads, tokens, d) */
static tips_operand split(tips_emitter *to, const tips_windows *of, tips_operand x, int heads, int d) {
    const int rows = of->h / of->high, columns = of->w / of->wide;
    x = tips__emit_reshape(to, x, (const int64_t[]){-1, 3, heads, d, rows, of->high, columns, of->wide}, 8);
    x = tips__emit_op(to, "Transpose", &x, 1, PERM(0, 4, 6, 1, 2, 5, 7, 3));
    return tips__emit_reshape(to, x, (const int64_t[]){-1, of->count, 3, heads, of->tokens, d}, 6);
}

static tips_operand join(tips_emitter *to, const tips_windows *of, tips_operand y, int heads, int d) {
    const int rows = of->h / of->high, columns = of->w / of->wide;
    y = tips__emit_reshape(to, y, (const int64_t[]){-1, rows, columns, heads, of->high, of->wide, d}, 7);
    y = tips__emit_op(to, "Transpose", &y, 1, PERM(0, 3, 6, 1, 4, 2, 5));
    return tips__emit_reshape(to, y, (const int64_t[]){-1, (int64_t)heads * d, of->h, of->w}, 4);
}

/* Queries, keys or values, (n, windows, heads, tokens, d). */
static tips_operand part(tips_emitter *to, const tips_windows *of, tips_operand x, int i, int heads, int d) {
    return tips__emit_reshape(to, tips__emit_slice(to, x, 2, i, i + 1, 1),
                              (const int64_t[]){-1, of->count, heads, of->tokens, d}, 5);
}

/* The table by query and key, (heads, tokens, tokens). */
static tips_operand bias(tips_emitter *to, const tips_node *node, const tips_windows *of, int heads) {
    const int pairs = of->tokens * of->tokens;
    int64_t *rows;
    const tips_status status = tips__new(&rows, (size_t)pairs * sizeof *rows, "the offsets of a window");
    tips__emit_fail(to, status);
    if (status != TIPS_OK) return TIPS_NO_OPERAND;
    for (int i = 0; i < pairs; i++) rows[i] = tips__window_offset(of, i / of->tokens, i % of->tokens);
    const tips_operand index = tips__emit_ints(to, rows, pairs);
    tips__free(rows);
    const tips_operand table = tips__emit_param(to, node, TIPS_ATTENTION_TABLE);
    tips_operand all = tips__emit_op(to, "Gather", TIPS_OPERANDS(table, index), TIPS_WITH(TIPS_WITH_INT("axis", 0)));
    all = tips__emit_op(to, "Transpose", &all, 1, PERM(1, 0));
    return tips__emit_reshape(to, all, (const int64_t[]){heads, of->tokens, of->tokens}, 3);
}

/* (windows, 1, tokens, tokens) */
static tips_operand mask(tips_emitter *to, const tips_windows *of) {
    const int tokens = of->tokens;
    float *all, *at;
    const tips_status status =
        tips__new(&all, (size_t)of->count * (size_t)tokens * (size_t)tokens * sizeof *all, "the mask of windows");
    tips__emit_fail(to, status);
    if (status != TIPS_OK) return TIPS_NO_OPERAND;
    at = all;
    for (int k = 0; k < of->count; k++)
        for (int i = 0; i < tokens; i++)
            for (int j = 0; j < tokens; j++)
                *at++ = tips__window_region(of, k, i) == tips__window_region(of, k, j) ? 0 : -TIPS_ATTENTION_MASK;
    const tips_operand made = tips__emit_floats(to, all, (const int64_t[]){of->count, 1, tokens, tokens}, 4);
    tips__free(all);
    return made;
}

tips_status tips__attention_emit(tips_emitter *to, const tips_node *node) {
    enum { LAST_AXIS = 4 };
    const tips_attention *config = node->config;
    const tips_value_info in = tips__emit_in_info(to, node, 0);
    const tips_windows of = tips__windows_of(config, in.h, in.w);
    const int heads = config->heads, d = in.c / 3 / heads;
    tips__emit_fix_size(to, node, "attention is written for a number of tokens");
    tips_operand x = rolled(to, tips__emit_in(to, node, 0), of.down, of.right);
    x = split(to, &of, x, heads, d);
    const tips_operand key = part(to, &of, x, 1, heads, d), value = part(to, &of, x, 2, heads, d);
    const tips_operand turned = tips__emit_op(to, "Transpose", &key, 1, PERM(0, 1, 2, 4, 3));
    const tips_operand scale = tips__emit_float(to, 1 / sqrt(d));
    const tips_operand query = tips__emit_binary(to, "Mul", part(to, &of, x, 0, heads, d), scale);
    tips_operand scores = tips__emit_binary(to, "MatMul", query, turned);
    if (config->bias) scores = tips__emit_binary(to, "Add", scores, bias(to, node, &of, heads));
    if (of.masked && (of.down || of.right)) scores = tips__emit_binary(to, "Add", scores, mask(to, &of));
    const tips_operand shares = tips__emit_softmax(to, "Softmax", scores, LAST_AXIS);
    x = join(to, &of, tips__emit_binary(to, "MatMul", shares, value), heads, d);
    tips__emit_out(to, node, 0, rolled(to, x, -of.down, -of.right));
    return TIPS_OK;
}
