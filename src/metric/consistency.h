/* Consistency, how much the answers to two shifted views of a picture agree, and fidelity, how much of that is right.
 * Where answers are the same or not: 1[f(x1) = f(x2)] and 1[y = f(x1) = f(x2)]. */
#ifndef TIPS_METRIC_CONSISTENCY_H
#define TIPS_METRIC_CONSISTENCY_H

#include <stdbool.h>

#include "metric/interval.h"

/* How much two answers to one picture agree with the shifts undone, and how much of that is right: 0..1 each. */
typedef struct tips_agreement {
    double agree, right;
} tips_agreement;

/* The answers to the views of one picture, by what each two of them have in common. */
typedef struct tips_answers {
    tips_agreement (*compare)(const void *context, int a, int b); /* answers number a and b */
    const void *context;
} tips_answers;

/* Answers that are classes: `compare` and its context. */
typedef struct tips_class_answers {
    const int *answers;
    int label; /* -1: not known */
} tips_class_answers;
tips_agreement tips__compare_classes(const void *class_answers, int a, int b);

/* What the pairs of one picture came to. */
typedef struct tips_pair_count {
    int pairs;
    double agree, right; /* summed over them */
} tips_pair_count;

/* Of answers first..first + views - 1. Pair i is views 2i and 2i+1, or, of a sequence, i and i+1. */
tips_pair_count tips__count_pairs(const tips_answers *answers, int first, int views, bool sequence);

/* Both figures over pictures: tips__proportion where every picture has one pair and answers agree or do not,
 * tips__clustered of more pairs, tips__part_of_all where answers agree more or less (`graded`). */
tips_status tips__consistency(const tips_pair_count *pictures, int count, bool graded,
                              tips_figure *consistency, tips_figure *fidelity) TIPS_MUST_CHECK;
/* The same where every picture has one agreement. */
tips_status tips__agreements(const tips_agreement *pictures, int count, bool graded,
                             tips_figure *consistency, tips_figure *fidelity) TIPS_MUST_CHECK;

#endif
