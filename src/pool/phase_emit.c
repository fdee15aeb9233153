/* Scores of phases and the choice between them, in basic operators. */
#include "pool/phase_emit.h"

#include "tensor/phase.h"

/* The terms of a norm, in double. */
static tips_operand terms_of(tips_emitter *to, tips_operand x, int p) {
    x = tips__emit_cast(to, x, TIPS_OPERAND_DOUBLE);
    return p == 2 ? tips__emit_binary(to, "Mul", x, x) : tips__emit_unary(to, "Abs", x);
}

static tips_operand norms(tips_emitter *to, tips_operand x, const int stride[2], int p, const int *axes, int n_axes,
                          int join) {
    tips_operand norm[TIPS_MAX_PHASES];
    const int phases = stride[0] * stride[1];
    const char *op = p == 0 ? "ReduceMax" : "ReduceSum";
    const tips_operand terms = terms_of(to, x, p);
    for (int k = 0; k < phases; k++)
        norm[k] = tips__emit_reduce(to, op, tips__emit_phase(to, terms, stride, k), axes, n_axes);
    return tips__emit_concat(to, norm, phases, join);
}

tips_operand tips__emit_phase_norms(tips_emitter *to, tips_operand x, const int stride[2], int p) {
    return norms(to, x, stride, p, (const int[]){1, 2, 3}, 3, 1);
}

tips_operand tips__emit_channel_norms(tips_emitter *to, tips_operand x, const int stride[2], int p) {
    return norms(to, x, stride, p, (const int[]){2, 3}, 2, 2);
}

tips_operand tips__emit_first_largest(tips_emitter *to, tips_operand scores, int axis) {
    return tips__emit_op(to, "ArgMax", TIPS_OPERANDS(scores),
                         TIPS_WITH(TIPS_WITH_INT("axis", axis), TIPS_WITH_INT("keepdims", 1)));
}

tips_operand tips__emit_choose(tips_emitter *to, tips_operand scores, tips_operand x, const int stride[2]) {
    const tips_operand top = tips__emit_reduce(to, "ReduceMax", scores, (const int[]){1}, 1);
    const tips_operand is_top = tips__emit_binary(to, "Equal", scores, top);
    const tips_operand norm = tips__emit_phase_norms(to, x, stride, 2);
    const tips_operand in[] = {is_top, norm, tips__emit_double(to, -1)};
    return tips__emit_first_largest(to, tips__emit_op(to, "Where", in, 3, NULL), 1);
}

tips_operand tips__emit_pick(tips_emitter *to, tips_operand x, tips_operand phase, const int stride[2]) {
    tips_operand y = tips__emit_phase(to, x, stride, 0);
    for (int k = 1; k < stride[0] * stride[1]; k++) {
        const tips_operand is_here = tips__emit_binary(to, "Equal", phase, tips__emit_int(to, k));
        y = tips__emit_op(to, "Where", TIPS_OPERANDS(is_here, tips__emit_phase(to, x, stride, k), y), NULL);
    }
    return y;
}

tips_operand tips__emit_one_hot(tips_emitter *to, tips_operand index, int count) {
    int64_t all[TIPS_MAX_PHASES];
    for (int k = 0; k < count; k++) all[k] = k;
    return tips__emit_cast(to, tips__emit_binary(to, "Equal", index, tips__emit_ints(to, all, count)),
                           TIPS_OPERAND_FLOAT);
}
