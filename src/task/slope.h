/* How a cross-entropy changes with its logits. */
#ifndef TIPS_TASK_SLOPE_H
#define TIPS_TASK_SLOPE_H

#include <math.h>
#include <stddef.h>

/* softmax - [c = label], of logits that lie `step` apart. In single precision, as attacks elsewhere have it: where a
 * network is certain to more digits than a float has, the slope of its answer is 0. Finding it in more digits would
 * make attacks stronger than those that published figures are of. */
static inline void tips__cross_entropy_slope(const float *logits, size_t step, int classes, int label, float *slopes) {
    float most = logits[0];
    double sum = 0;
    for (int c = 1; c < classes; c++) most = fmaxf(most, logits[(size_t)c * step]);
    for (int c = 0; c < classes; c++) sum += (double)expf(logits[(size_t)c * step] - most);
    const float lse = logf((float)sum);
    for (int c = 0; c < classes; c++)
        slopes[(size_t)c * step] = expf(logits[(size_t)c * step] - most - lse) - (float)(c == label);
}

#endif
