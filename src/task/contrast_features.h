/* Features of whole pictures as directions. */
#ifndef TIPS_TASK_CONTRAST_FEATURES_H
#define TIPS_TASK_CONTRAST_FEATURES_H

#include <math.h>
#include <stddef.h>

enum { TIPS_FEATURE_LANES = 16 };

/* Summed in lanes that follow from the place, so that it is quick and the same everywhere. */
static inline double tips__features_product(const float *a, const float *b, size_t count) {
    float lanes[TIPS_FEATURE_LANES] = {0};
    double sum = 0;
    size_t i = 0;
    for (; i + TIPS_FEATURE_LANES <= count; i += TIPS_FEATURE_LANES)
        for (size_t l = 0; l < TIPS_FEATURE_LANES; l++) lanes[l] += a[i + l] * b[i + l];
    for (; i < count; i++) sum += (double)a[i] * b[i];
    for (size_t l = 0; l < TIPS_FEATURE_LANES; l++) sum += lanes[l];
    return sum;
}

/* `from` at length 1; zeros stay zeros. */
static inline void tips__features_unit(const float *from, size_t count, float *to) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)from[i] * from[i];
    const double scale = sum > 0 ? 1 / sqrt(sum) : 0;
    for (size_t i = 0; i < count; i++) to[i] = (float)(from[i] * scale);
}

#endif
