/* Scores of polyphase components and the choice between them, in basic operators. Sums run in double: their order
 * changes with a shift of the map, and only ties within rounding of double could notice. */
#ifndef TIPS_POOL_PHASE_EMIT_H
#define TIPS_POOL_PHASE_EMIT_H

#include "layer/emit_common.h"

/* (n, sh*sw, 1, 1) in double: the p-norms (p = 1 or 2, without the root; 0: the largest) of all phases of x. */
tips_operand tips__emit_phase_norms(tips_emitter *to, tips_operand x, const int stride[2], int p);
/* The same for each channel: (n, c, sh*sw, 1). */
tips_operand tips__emit_channel_norms(tips_emitter *to, tips_operand x, const int stride[2], int p);

/* argmax of scores along an axis; the first of several. */
tips_operand tips__emit_first_largest(tips_emitter *to, tips_operand scores, int axis);
/* argmax of scores (n, sh*sw, 1, 1); ties go to the larger 2-norm of x's phases, then to the lowest index. */
tips_operand tips__emit_choose(tips_emitter *to, tips_operand scores, tips_operand x, const int stride[2]);

/* y = P_k(x) with each sample's, or each channel's, own k. */
tips_operand tips__emit_pick(tips_emitter *to, tips_operand x, tips_operand phase, const int stride[2]);
/* 1 at each index, 0 elsewhere, as floats along a new last extent: index (..., 1) becomes (..., count). */
tips_operand tips__emit_one_hot(tips_emitter *to, tips_operand index, int count);

#endif
