/* ddac in basic operators: the softmax at the pixels of P_0, then one product for each tap. */
#include "layer/emit_common.h"
#include "pool/ddac.h"

#include "core/fail.h"
#include "core/memory.h"

/* Softmax over the channels (or each group's taps), which Softmax wants last. */
static tips_operand weights_of(tips_emitter *to, tips_operand logits, const ddac_shape *s) {
    const bool grouped = s->segment != s->channels;
    tips_operand w =
        tips__emit_op(to, "Transpose", TIPS_OPERANDS(logits), TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 2, 3, 1)));
    if (grouped) w = tips__emit_reshape(to, w, (const int64_t[]){0, 0, 0, s->groups, s->taps}, 5);
    w = tips__emit_softmax(to, "Softmax", w, grouped ? 4 : 3);
    if (grouped) w = tips__emit_reshape(to, w, (const int64_t[]){0, 0, 0, s->channels}, 4);
    return tips__emit_op(to, "Transpose", TIPS_OPERANDS(w), TIPS_WITH(TIPS_WITH_FOUR("perm", 0, 3, 1, 2)));
}

/* Tap t's weight for each of c channels: those of its group. `places` has room for c numbers. */
static tips_operand tap_weights(tips_emitter *to, tips_operand w, const ddac_shape *s, int c, int t, int64_t *places) {
    for (int i = 0; i < c; i++) places[i] = (int64_t)(i / s->per_group) * s->taps + t;
    return tips__emit_op(to, "Gather", TIPS_OPERANDS(w, tips__emit_ints(to, places, c)),
                         TIPS_WITH(TIPS_WITH_INT("axis", 1)));
}

/* Every s-th pixel of the padded map from (row, column) of the window on, as many as P_0 has. */
static tips_operand tap_pixels(tips_emitter *to, tips_operand padded, const ddac_shape *s, int t) {
    const int start[2] = {t / s->kernel, t % s->kernel};
    int stop[2];
    for (int i = 0; i < 2; i++) stop[i] = start[i] == s->kernel - 1 ? INT_MAX : start[i] - (s->kernel - 1);
    return tips__emit_window(to, padded, start, stop, s->stride);
}

static tips_operand mix(tips_emitter *to, tips_operand padded, tips_operand w, const ddac_shape *s, int c,
                        int64_t *places) {
    tips_operand sum = TIPS_NO_OPERAND;
    for (int t = 0; t < s->taps; t++) {
        const tips_operand weight = tap_weights(to, w, s, c, t, places);
        const tips_operand part = tips__emit_binary(to, "Mul", weight, tap_pixels(to, padded, s, t));
        sum = t == 0 ? part : tips__emit_binary(to, "Add", sum, part);
    }
    return sum;
}

tips_status tips__ddac_emit(tips_emitter *to, const tips_node *node) {
    const tips_value_info info = tips__emit_in_info(to, node, 0);
    const ddac_shape s = tips__ddac_shape(node->config, info.c, info.h, info.w);
    int64_t *places;
    TIPS_TRY(tips__new(&places, (size_t)info.c * sizeof *places, "the groups of channels"));
    const tips_operand padded = tips__emit_pad(to, node, tips__emit_in(to, node, 0), info, &s.padding, 0);
    const tips_operand logits = tips__emit_phase(to, tips__emit_in(to, node, 1), s.stride, 0);
    tips__emit_out(to, node, 0, mix(to, padded, weights_of(to, logits, &s), &s, info.c, places));
    tips__free(places);
    return TIPS_OK;
}
