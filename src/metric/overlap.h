/* How far answers and truth overlap, class by class, and the figures of segmentation that follow: IoU, Dice, accuracy
 * of pixels. Counted over pixels; pixels whose truth is ignored do not count. */
#ifndef TIPS_METRIC_OVERLAP_H
#define TIPS_METRIC_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

#include "metric/interval.h"

/* Of one class: pixels that are it and were answered so, that were answered so only, and that are it only. */
typedef struct tips_overlap {
    int64_t both, answered, missed;
} tips_overlap;

/* Adds what one picture counts: `ignore` is the truth of pixels that do not. Classes (count). */
void tips__overlap_count(const uint8_t *answer, const uint8_t *truth, size_t pixels, int ignore,
                         tips_overlap *classes, int count);
void tips__overlap_add(tips_overlap *sum, const tips_overlap *classes, int count);

/* In percent; not a number for a class that neither was there nor was answered. */
double tips__overlap_iou(const tips_overlap *one);
double tips__overlap_dice(const tips_overlap *one);
/* Means over classes first..count-1 that have a number, and the share of pixels whose class is right. */
double tips__mean_iou(const tips_overlap *classes, int first, int count);
double tips__mean_dice(const tips_overlap *classes, int first, int count);
double tips__pixel_accuracy(const tips_overlap *classes, int count);

#endif
