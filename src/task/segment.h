/* Segmentation's own parts: what a picture counts for, and the figures of several. */
#ifndef TIPS_TASK_SEGMENT_H
#define TIPS_TASK_SEGMENT_H

#include "metric/overlap.h"
#include "task/task.h"

enum {
    TIPS_SEGMENT_MIOU,
    TIPS_SEGMENT_MIOU_FG,
    TIPS_SEGMENT_PIXEL_ACCURACY,
    TIPS_SEGMENT_DICE,
    TIPS_SEGMENT_LOSS,
    TIPS_SEGMENT_METRICS
};
extern const tips_metric tips__segment_metrics[TIPS_SEGMENT_METRICS + 1];

/* Masks have numbers below TIPS_MASK_IGNORE. */
enum { TIPS_SEGMENT_MOST_CLASSES = 255 };

/* Of one picture. */
typedef struct tips_segment_score {
    double loss;            /* cross-entropy summed over labelled pixels */
    int64_t pixels;         /* labelled */
    tips_overlap classes[]; /* of the network */
} tips_segment_score;

tips_status tips__segment_score(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                                tips_bytes *score) TIPS_MUST_CHECK;
tips_status tips__segment_figures(const tips_assignment *a, const tips_bytes *scores, int n,
                                  tips_figure *figures) TIPS_MUST_CHECK;

/* Of the cross-entropy summed over labelled pixels; the others' slopes are 0. */
double tips__segment_slope(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                           float *const *slopes);

void tips__segment_merge(tips_bytes *sum, const tips_bytes *score);
/* The IoU of one class. */
tips_status tips__segment_class_figure(const tips_assignment *a, const tips_bytes *scores, int n, int class_index,
                                       tips_figure *figure) TIPS_MUST_CHECK;

/* The class of every pixel: the largest of the logits (classes, pixels), the first of equal ones. */
void tips__segment_classes(const float *logits, int classes, size_t pixels, uint8_t *out);

#endif
