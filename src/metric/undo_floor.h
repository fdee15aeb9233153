/* How near psi(x) comes to x^t, the map x shifted by a random draw that psi does not see, and how near it can come.
 *
 * Given x, x^t is one of (R + 1)(S + 1) maps with equal chance; with M their mean and V their variance, pixel by pixel,
 * the expected square is V + (M - psi)^2. So no psi gets below the mean of V, and the best one is M: a blur. */
#ifndef TIPS_METRIC_UNDO_FLOOR_H
#define TIPS_METRIC_UNDO_FLOOR_H

#include <tips/padding.h>
#include <tips/status.h>

#include "core/rng.h"

typedef struct tips_undo_maps {
    const float *x, *psi; /* (n, c, h, w) */
    int n, c, h, w;
    int most[2];           /* R and S: the largest shifts down and to the right */
    tips_pad_mode padding; /* what psi sees beyond the border */
} tips_undo_maps;

typedef struct tips_undo_figures {
    double abs;    /* mean |psi - x^t|, with one draw a picture */
    double square; /* mean (psi - x^t)^2, expected over all draws: L_undo */
    double floor;  /* what no psi gets below */
    double
        ridge; /* what the best 3x3 filter of a channel by itself reaches, without a ReLU, found by ridge regression */
} tips_undo_figures;

tips_status tips__undo_measure(const tips_undo_maps *maps, tips_rng rng, tips_undo_figures *out) TIPS_MUST_CHECK;
/* The shift of picture n. */
void tips__undo_draw(const tips_undo_maps *maps, tips_rng rng, int n, int shift[2]);
/* x^t at a pixel of a plane (h, w). */
float tips__undo_shifted(const tips_undo_maps *maps, const float *plane, const int shift[2], int y, int x);

#endif
