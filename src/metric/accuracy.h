/* Answers from class scores: the largest, and where the right class ranks. */
#ifndef TIPS_METRIC_ACCURACY_H
#define TIPS_METRIC_ACCURACY_H

#include <stdbool.h>

/* The class with the largest score; the lowest of equals. */
int tips__answer(const float *scores, int classes);
/* Classes that come before `label`: those with a larger score, and lower ones with the same. Right within the first
 * k where it is below k. */
int tips__rank(const float *scores, int classes, int label);
/* The k best classes, best first; k <= classes. */
void tips__best(const float *scores, int classes, int k, int *out);
/* Probabilities of all classes. */
void tips__softmax(const float *scores, int classes, double *out);
bool tips__scores_finite(const float *scores, int classes);

#endif
