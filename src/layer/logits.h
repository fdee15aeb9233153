/* Logits of a sample, for losses: in double, whatever is made of them. */
#ifndef TIPS_LAYER_LOGITS_H
#define TIPS_LAYER_LOGITS_H

#include "layer/layer_common.h"

/* Logit c of sample n, divided by a temperature. */
static inline double tips__logit(const tips_map *logits, int n, int c, double temperature) {
    return tips__plane(logits, n, c / TIPS_BLOCK)[c % TIPS_BLOCK] / temperature;
}

/* log sum_c exp(logit c / temperature). */
static inline double tips__log_sum_exp(const tips_map *logits, int n, double temperature) {
    double largest = -INFINITY, sum = 0;
    for (int c = 0; c < logits->c; c++) largest = fmax(largest, tips__logit(logits, n, c, temperature));
    for (int c = 0; c < logits->c; c++) sum += exp(tips__logit(logits, n, c, temperature) - largest);
    return largest + log(sum);
}

#endif
