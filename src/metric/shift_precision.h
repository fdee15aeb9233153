/* What shifts do to the average precision of a set.
 *
 * dAP is the best minus the worst AP of those with one shift for all pictures. The bound lets every picture have its
 * own: from the best (the worst) common shift on, picture after picture takes the shift that moves the AP of the set
 * most, until none moves it any more. */
#ifndef TIPS_METRIC_SHIFT_PRECISION_H
#define TIPS_METRIC_SHIFT_PRECISION_H

#include "metric/average_precision.h"

/* In percent. The interval of a difference is that of the difference between the two shifts, best and worst of the
 * whole set, over pictures; the mean and the bound have none. */
typedef struct tips_shift_precision {
    tips_figure dap, dap50, bound, mean, best, worst;
} tips_shift_precision;

/* `finds` (images, shifts). */
tips_status tips__shift_precision(const tips_picture_finds *finds, int images, int shifts,
                                  tips_shift_precision *out) TIPS_MUST_CHECK;

/* The bound of one side in 0..1, from shift `start` for all pictures on: the largest AP, or the smallest. */
tips_status tips__ap_bound(const tips_picture_finds *finds, int images, int shifts, int start, bool largest,
                           double *out) TIPS_MUST_CHECK;

#endif
