/* What L_undo compares in an operator, for those who look at it from outside: x, and psi(x). */
#ifndef TIPS_POOL_UNDO_VIEW_H
#define TIPS_POOL_UNDO_VIEW_H

#include "graph/builder.h"

typedef struct tips_undo_view {
    tips_value x;
    tips_value psi; /* TIPS_NO_VALUE: the node makes it by itself, see tips__undo_psi */
    int taps;       /* its parameter then, (c, 1, 3, 3) */
    tips_pad_mode padding;
    int most[2]; /* how far x may be shifted, down and to the right */
} tips_undo_view;

/* False if the node has no such loss. */
bool tips__undo_view(const tips_graph *graph, const tips_node *node, tips_undo_view *out);
/* psi of plain maps (n, c, h, w), with taps in plain order. */
void tips__undo_psi(const tips_undo_view *view, const float *taps, const float *x, const int dims[4], float *psi);

#endif
