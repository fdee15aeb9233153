/* Pieces that several layers and operators emit: filters, phases, rolls. */
#ifndef TIPS_LAYER_EMIT_COMMON_H
#define TIPS_LAYER_EMIT_COMMON_H

#include "emit/emit.h"

enum { TIPS_EMIT_ROWS = 2, TIPS_EMIT_COLUMNS = 3 };

/* The binomial filter of a node's input 0, sampled at a stride. */
typedef struct tips_filter_emit {
    int size;
    double gain;
    tips_pad_mode mode;
    int stride[2];
} tips_filter_emit;
tips_operand tips__emit_filter(tips_emitter *to, const tips_node *node, const tips_filter_emit *filter);

/* P_k(x). */
tips_operand tips__emit_phase(tips_emitter *to, tips_operand x, const int stride[2], int k);
/* All of them, one after the other along an axis. */
tips_operand tips__emit_phases(tips_emitter *to, tips_operand x, const int stride[2], int axis);

/* Each sample of x rolled by its own phase, an index a*sw+b: up and to the left, T_{-(a,b)} x, or `down` and to the
 * right. */
tips_operand tips__emit_roll(tips_emitter *to, tips_operand x, tips_operand phase, const int stride[2], bool down);

/* The same for all samples: what was at `by` (or, if that is negative, at the end less -by) of an axis comes first. */
tips_operand tips__emit_rolled(tips_emitter *to, tips_operand x, int axis, int by);

/* Depthwise weights (c, 1, sh, sw): 1 at the top left, 0 elsewhere. */
tips_operand tips__emit_corner(tips_emitter *to, int c, const int stride[2]);

#endif
