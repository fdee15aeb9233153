/* Scores of polyphase components, summed in an order-independent way, and the choice between them. */
#ifndef TIPS_TENSOR_PHASE_H
#define TIPS_TENSOR_PHASE_H

#include "tensor/map.h"

enum { TIPS_MAX_STRIDE = 16, TIPS_MAX_PHASES = TIPS_MAX_STRIDE * TIPS_MAX_STRIDE };

/* score[k] = sum over channels and positions of |P_k(x)|^p for sample n (p = 1 or 2), or the largest |P_k(x)| where
 * p is 0 (infinity). Bit-identical for every circular shift of x, up to the permutation of k. */
void tips__phase_norms(const tips_map *x, int n, const int stride[2], int p, double *score);

/* argmax of score; ties go to the larger exact 2-norm of x's phases, then to the lowest index.
 * *margin, if not NULL, gets (best - second) / max(|best|, |second|), 0 for a tie between phases that differ;
 * a tie between identical phases is harmless and counts as 1. */
int tips__phase_choose(const double *score, const tips_map *x, int n, const int stride[2], float *margin);

#endif
