/* How two models differ on the same pictures. What both find hard is left out of it, so that a difference shows where
 * the intervals of the two overlap. */
#ifndef TIPS_METRIC_PAIRED_H
#define TIPS_METRIC_PAIRED_H

#include "metric/interval.h"

typedef struct tips_paired {
    int images;
    int more, less;         /* pictures of which the second has more than the first, and less */
    tips_figure difference; /* of the means, the second less the first, in percent */
} tips_paired;

/* Of shares of pictures (n), 0..1: answers that are right, that agree under a shift, pixels that stay. Student's
 * interval of the differences; where all of them are equal, that of pictures that differ as far as can be. */
tips_paired tips__paired(const double *first, const double *second, int n);

#endif
