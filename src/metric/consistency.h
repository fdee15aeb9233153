/* Consistency 1[f(x1) = f(x2)] and fidelity 1[y = f(x1) = f(x2)] of answers to two shifted views of a picture. */
#ifndef TIPS_METRIC_CONSISTENCY_H
#define TIPS_METRIC_CONSISTENCY_H

#include <stdbool.h>

#include "metric/interval.h"

/* What the pairs of one picture came to. */
typedef struct tips_pair_count {
    int pairs;
    int agree; /* both answers are the same */
    int right; /* and that of the label */
} tips_pair_count;

/* Answers to the views of one picture. Pair i is views 2i and 2i+1, or, of a sequence, i and i+1. */
tips_pair_count tips__count_pairs(const int *answers, int views, bool sequence, int label);

/* Both figures over pictures: Wilson's interval where every picture has one pair, else a bootstrap over pictures. */
tips_status tips__consistency(const tips_pair_count *pictures, int count, uint64_t seed, tips_figure *consistency,
                              tips_figure *fidelity) TIPS_MUST_CHECK;

#endif
