/* Basic operators whose form depends on the opset, and padding in terms of them. */
#include "emit/emit.h"

#include "core/fail.h"
#include "core/memory.h"
#include "tensor/pad.h"

enum { ROWS = 2, COLUMNS = 3, REDUCE_TAKES_AXES = 18, SUM_TAKES_AXES = 13, PAD_WRAPS = 19 };

tips_operand tips__emit_unary(tips_emitter *to, const char *op, tips_operand x) {
    return tips__emit_op(to, op, TIPS_OPERANDS(x), NULL);
}

tips_operand tips__emit_binary(tips_emitter *to, const char *op, tips_operand a, tips_operand b) {
    return tips__emit_op(to, op, TIPS_OPERANDS(a, b), NULL);
}

tips_operand tips__emit_cast(tips_emitter *to, tips_operand x, tips_operand_type type) {
    return tips__emit_op(to, "Cast", TIPS_OPERANDS(x), TIPS_WITH(TIPS_WITH_INT("to", type)));
}

tips_operand tips__emit_reshape(tips_emitter *to, tips_operand x, const int64_t *dims, int n_dims) {
    return tips__emit_binary(to, "Reshape", x, tips__emit_ints(to, dims, n_dims));
}

tips_operand tips__emit_concat(tips_emitter *to, const tips_operand *in, int n_in, int axis) {
    return tips__emit_op(to, "Concat", in, n_in, TIPS_WITH(TIPS_WITH_INT("axis", axis)));
}

static int64_t end_of(int stop) { return stop == INT_MAX ? INT64_MAX : stop; }

tips_operand tips__emit_slice(tips_emitter *to, tips_operand x, int axis, int start, int stop, int step) {
    const tips_operand in[] = {x, tips__emit_ints(to, (const int64_t[]){start}, 1),
                               tips__emit_ints(to, (const int64_t[]){end_of(stop)}, 1),
                               tips__emit_ints(to, (const int64_t[]){axis}, 1),
                               step == 1 ? TIPS_NO_OPERAND : tips__emit_ints(to, (const int64_t[]){step}, 1)};
    return tips__emit_op(to, "Slice", in, 5, NULL);
}

tips_operand tips__emit_window(tips_emitter *to, tips_operand x, const int start[2], const int stop[2],
                               const int step[2]) {
    const bool dense = step[0] == 1 && step[1] == 1;
    const tips_operand in[] = {x, tips__emit_ints(to, (const int64_t[]){start[0], start[1]}, 2),
                               tips__emit_ints(to, (const int64_t[]){end_of(stop[0]), end_of(stop[1])}, 2),
                               tips__emit_ints(to, (const int64_t[]){ROWS, COLUMNS}, 2),
                               dense ? TIPS_NO_OPERAND : tips__emit_ints(to, (const int64_t[]){step[0], step[1]}, 2)};
    return tips__emit_op(to, "Slice", in, 5, NULL);
}

tips_operand tips__emit_reduce(tips_emitter *to, const char *op, tips_operand x, const int *axes, int n_axes) {
    const bool is_sum = op[6] == 'S';
    tips_attribute with[] = {TIPS_WITH_INT("keepdims", 1), {.type = TIPS_ATTRIBUTE_INTS, .n_ints = n_axes}, {0}};
    for (int i = 0; i < n_axes; i++) with[1].ints[i] = axes[i];
    if (tips__emit_opset(to) >= (is_sum ? SUM_TAKES_AXES : REDUCE_TAKES_AXES))
        return tips__emit_op(to, op, TIPS_OPERANDS(x, tips__emit_ints(to, with[1].ints, n_axes)), with);
    with[1].name = "axes";
    return tips__emit_op(to, op, TIPS_OPERANDS(x), with);
}

tips_operand tips__emit_softmax(tips_emitter *to, const char *op, tips_operand x, int axis) {
    return tips__emit_op(to, op, TIPS_OPERANDS(x), TIPS_WITH(TIPS_WITH_INT("axis", axis)));
}

/* The operator Pad. */
static tips_operand pad_by_mode(tips_emitter *to, tips_operand x, const tips_padding *p, const char *mode,
                                double value) {
    const int64_t pads[] = {0, 0, p->top, p->left, 0, 0, p->bottom, p->right};
    const bool fills = mode[0] == 'c';
    return tips__emit_op(
        to, "Pad",
        TIPS_OPERANDS(x, tips__emit_ints(to, pads, 8), fills ? tips__emit_float(to, value) : TIPS_NO_OPERAND),
        TIPS_WITH(TIPS_WITH_TEXT("mode", mode)));
}

/* The end of the map before it and its beginning after it, whatever its size. */
static tips_operand wrap_axis(tips_emitter *to, tips_operand x, int axis, int before, int after) {
    tips_operand parts[3];
    int count = 0;
    if (before > 0) parts[count++] = tips__emit_slice(to, x, axis, -before, INT_MAX, 1);
    parts[count++] = x;
    if (after > 0) parts[count++] = tips__emit_slice(to, x, axis, 0, after, 1);
    return count == 1 ? x : tips__emit_concat(to, parts, count, axis);
}

/* Any border of a map of known size: rows or columns by their numbers. */
static tips_operand pick_axis(tips_emitter *to, tips_operand x, int axis, tips_pad_mode mode, int size, int before,
                              int after) {
    const int count = before + size + after;
    int64_t *from;
    if (before == 0 && after == 0) return x;
    const tips_status status = tips__new(&from, (size_t)count * sizeof *from, "the places of a border");
    if (status != TIPS_OK) {
        tips__emit_fail(to, status);
        return TIPS_NO_OPERAND;
    }
    for (int i = 0; i < count; i++) from[i] = tips__pad_index(mode, i - before, size);
    const tips_operand places = tips__emit_ints(to, from, count);
    tips__free(from);
    return tips__emit_op(to, "Gather", TIPS_OPERANDS(x, places), TIPS_WITH(TIPS_WITH_INT("axis", axis)));
}

static bool fits(int size, int before, int after, int spare) { return before <= size - spare && after <= size - spare; }

tips_operand tips__emit_pad(tips_emitter *to, const tips_node *node, tips_operand x, tips_value_info size,
                            const tips_padding *p, double value) {
    if (tips__pad_none(p)) return x;
    if (p->mode == TIPS_PAD_ZERO) return pad_by_mode(to, x, p, "constant", value);
    if (p->mode == TIPS_PAD_REPLICATE) return pad_by_mode(to, x, p, "edge", 0);
    const int spare = p->mode == TIPS_PAD_REFLECT ? 1 : 0;
    if (!fits(size.h, p->top, p->bottom, spare) || !fits(size.w, p->left, p->right, spare)) {
        tips__emit_fix_size(to, node, "its border is wider than its map");
        x = pick_axis(to, x, ROWS, p->mode, size.h, p->top, p->bottom);
        return pick_axis(to, x, COLUMNS, p->mode, size.w, p->left, p->right);
    }
    if (p->mode == TIPS_PAD_REFLECT) return pad_by_mode(to, x, p, "reflect", 0);
    if (tips__emit_opset(to) >= PAD_WRAPS) return pad_by_mode(to, x, p, "wrap", 0);
    return wrap_axis(to, wrap_axis(to, x, ROWS, p->top, p->bottom), COLUMNS, p->left, p->right);
}
