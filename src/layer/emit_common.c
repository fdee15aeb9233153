/* Filters, phases and rolls in basic operators. None of them depends on height and width. */
#include "layer/emit_common.h"

#include "core/fail.h"
#include "core/memory.h"
#include "layer/layers.h"
#include "tensor/phase.h"

#include <string.h>

enum { MOST_TAPS = 7 };

/* The same kernel (kh, kw) for each of c channels. */
static tips_operand depthwise(tips_emitter *to, int c, int kh, int kw, const float *kernel) {
    const size_t each = (size_t)kh * (size_t)kw;
    float *all;
    const tips_status status = tips__new(&all, (size_t)c * each * sizeof *all, "the weights of a filter");
    tips__emit_fail(to, status);
    if (status != TIPS_OK) return TIPS_NO_OPERAND;
    for (int i = 0; i < c; i++) memcpy(all + (size_t)i * each, kernel, each * sizeof *all);
    const tips_operand made = tips__emit_floats(to, all, (const int64_t[]){c, 1, kh, kw}, 4);
    tips__free(all);
    return made;
}

static tips_operand binomial(tips_emitter *to, int c, int size, double gain) {
    double taps[MOST_TAPS] = {1};
    float kernel[MOST_TAPS * MOST_TAPS];
    for (int order = 1; order < size; order++)
        for (int t = order; t >= 0; t--) taps[t] = (taps[t] + (t > 0 ? taps[t - 1] : 0)) / 2;
    for (int i = 0; i < size * size; i++) kernel[i] = (float)(gain * taps[i / size] * taps[i % size]);
    return depthwise(to, c, size, size, kernel);
}

tips_operand tips__emit_filter(tips_emitter *to, const tips_node *node, const tips_filter_emit *f) {
    const int kernel[2] = {f->size, f->size}, dense[2] = {1, 1};
    const tips_value_info info = tips__emit_in_info(to, node, 0);
    tips_padding pad = tips__same_padding(f->mode, kernel, dense);
    tips_operand x = tips__emit_in(to, node, 0);
    if (pad.mode != TIPS_PAD_ZERO) {
        x = tips__emit_pad(to, node, x, info, &pad, 0);
        pad = (tips_padding){0};
    }
    return tips__emit_op(to, "Conv", TIPS_OPERANDS(x, binomial(to, info.c, f->size, f->gain)),
                         TIPS_WITH(TIPS_WITH_PAIR("kernel_shape", f->size, f->size),
                                   TIPS_WITH_PAIR("strides", f->stride[0], f->stride[1]),
                                   TIPS_WITH_FOUR("pads", pad.top, pad.left, pad.bottom, pad.right),
                                   TIPS_WITH_INT("group", info.c)));
}

tips_operand tips__emit_phase(tips_emitter *to, tips_operand x, const int stride[2], int k) {
    const int start[2] = {k / stride[1], k % stride[1]}, stop[2] = {INT_MAX, INT_MAX};
    return tips__emit_window(to, x, start, stop, stride);
}

static bool has_few_phases(tips_emitter *to, const int stride[2]) {
    if (stride[0] * stride[1] <= TIPS_MAX_PHASES) return true;
    tips__emit_fail(to,
                    tips__fail(TIPS_UNSUPPORTED, "a stride of %dx%d has too many phases to be exported; %d are allowed",
                               stride[0], stride[1], TIPS_MAX_PHASES));
    return false;
}

tips_operand tips__emit_phases(tips_emitter *to, tips_operand x, const int stride[2], int axis) {
    tips_operand phase[TIPS_MAX_PHASES];
    const int phases = stride[0] * stride[1];
    if (!has_few_phases(to, stride)) return TIPS_NO_OPERAND;
    for (int k = 0; k < phases; k++) phase[k] = tips__emit_phase(to, x, stride, k);
    return tips__emit_concat(to, phase, phases, axis);
}

tips_operand tips__emit_rolled(tips_emitter *to, tips_operand x, int axis, int by) {
    const tips_operand parts[] = {tips__emit_slice(to, x, axis, by, INT_MAX, 1),
                                  tips__emit_slice(to, x, axis, 0, by, 1)};
    return tips__emit_concat(to, parts, 2, axis);
}

/* Where a sample's shift along the axis is a, it takes x moved by a. */
static tips_operand roll_axis(tips_emitter *to, tips_operand x, tips_operand shift, int axis, int stride, bool down) {
    tips_operand y = x;
    for (int a = 1; a < stride; a++) {
        const tips_operand is_here = tips__emit_binary(to, "Equal", shift, tips__emit_int(to, a));
        y = tips__emit_op(to, "Where", TIPS_OPERANDS(is_here, tips__emit_rolled(to, x, axis, down ? -a : a), y), NULL);
    }
    return y;
}

tips_operand tips__emit_roll(tips_emitter *to, tips_operand x, tips_operand phase, const int stride[2], bool down) {
    const tips_operand step = tips__emit_int(to, stride[1]), row = tips__emit_binary(to, "Div", phase, step);
    const tips_operand column = tips__emit_binary(to, "Sub", phase, tips__emit_binary(to, "Mul", row, step));
    x = roll_axis(to, x, row, TIPS_EMIT_ROWS, stride[0], down);
    return roll_axis(to, x, column, TIPS_EMIT_COLUMNS, stride[1], down);
}

tips_operand tips__emit_corner(tips_emitter *to, int c, const int stride[2]) {
    float kernel[TIPS_MAX_PHASES] = {1};
    if (!has_few_phases(to, stride)) return TIPS_NO_OPERAND;
    return depthwise(to, c, stride[0], stride[1], kernel);
}
