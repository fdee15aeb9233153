/* The figures of detectors: what a picture counts for, how much two answers agree, what shifts do to boxes and to the
 * average precision. For the row of a task whose answers are arrays of tips_detection in pixels of the network's input.
 *
 * Its targets are a tips_detect_truth and two arrays of tips_object: those on the input, which are learned, and those
 * on the picture. Average precision is COCO's, on the picture: with its boxes as they are annotated, its areas, and
 * detections cut off at its border. What is found in a view and what is written to a file come to the same. */
#ifndef TIPS_TASK_DETECT_SCORE_H
#define TIPS_TASK_DETECT_SCORE_H

#include "metric/box_jitter.h"
#include "task/task.h"

/* What counts as a box that is shown, and as the same box. The config of the task begins with this. */
typedef struct tips_detect_measure {
    double shown; /* the least score of a box that a person gets to see */
    double same;  /* the least IoU of two boxes that are one */
} tips_detect_measure;

/* Its rows, for a TIPS_OPT_GROUP of the task's options. */
extern const tips_option tips__detect_measure_rows[];

/* Those of standard shifts, in the order of those of circular ones. */
#define TIPS_DETECT_SHIFT_METRICS(kind)                                                                       \
    TIPS_DETECT_##kind##_DAP, TIPS_DETECT_##kind##_DAP50, TIPS_DETECT_##kind##_DAP_BOUND,                     \
        TIPS_DETECT_##kind##_AP_MEAN, TIPS_DETECT_##kind##_AP_BEST, TIPS_DETECT_##kind##_AP_WORST,            \
        TIPS_DETECT_##kind##_BOX_JITTER, TIPS_DETECT_##kind##_CENTRE_JITTER, TIPS_DETECT_##kind##_IOU_JITTER, \
        TIPS_DETECT_##kind##_SCORE_JITTER, TIPS_DETECT_##kind##_VANISHING

enum {
    TIPS_DETECT_AP,
    TIPS_DETECT_AP50,
    TIPS_DETECT_AP75,
    TIPS_DETECT_AP_SMALL,
    TIPS_DETECT_AP_MEDIUM,
    TIPS_DETECT_AP_LARGE,
    TIPS_DETECT_AR1,
    TIPS_DETECT_AR10,
    TIPS_DETECT_AR100,
    TIPS_DETECT_AR_SMALL,
    TIPS_DETECT_AR_MEDIUM,
    TIPS_DETECT_AR_LARGE,
    TIPS_DETECT_VOC_AP,
    TIPS_DETECT_VOC07_AP,
    TIPS_DETECT_SHIFT_METRICS(STANDARD),
    TIPS_DETECT_SHIFT_METRICS(CIRCULAR),
    TIPS_DETECT_METRICS
};
extern const tips_metric tips__detect_metrics[TIPS_DETECT_METRICS + 1];

typedef struct tips_detect_truth {
    tips_move move; /* of the picture onto the input */
    int32_t on_input, on_picture;
} tips_detect_truth;
_Static_assert(sizeof(tips_detect_truth) % 8 == 0, "objects begin behind it");

/* How many there are. */
static inline int tips__detections_in(const tips_bytes *answer) {
    return (int)(answer->count / sizeof(tips_detection));
}
static inline const tips_detect_truth *tips__detect_truth_in(const tips_bytes *target) {
    return (const tips_detect_truth *)(const void *)target->data;
}
static inline int tips__objects_in(const tips_bytes *target) { return tips__detect_truth_in(target)->on_input; }
static inline const tips_detection *tips__detections(const tips_bytes *answer) {
    return (const tips_detection *)(const void *)answer->data;
}
static inline const tips_object *tips__objects(const tips_bytes *target) {
    return (const tips_object *)(const void *)(tips__detect_truth_in(target) + 1);
}
/* Those on the picture. */
static inline const tips_object *tips__objects_annotated(const tips_bytes *target) {
    return tips__objects(target) + tips__objects_in(target);
}

/* Boxes of a picture, and how it came to lie on the input, as a target; objects of which less than `least` is left
 * there are to be ignored when they are learned. */
tips_status tips__detect_target(const tips_move *move, double least, const tips_box *boxes, int n,
                                tips_bytes *target) TIPS_MUST_CHECK;

/* For the row: .agree, .metrics (above), .score (by the row's own .answer), .figures, .class_metric "ap",
 * .class_figure, .shift_score, .shift_figures; .merge stays NULL, .flags has TIPS_TASK_GRADED. */
tips_agreement tips__detect_agree(const tips_assignment *a, tips_answer_at x, tips_answer_at y,
                                  const tips_bytes *target);
tips_status tips__detect_score(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                               tips_bytes *score) TIPS_MUST_CHECK;
tips_status tips__detect_figures(const tips_assignment *a, const tips_bytes *scores, int n,
                                 tips_figure *figures) TIPS_MUST_CHECK;
tips_status tips__detect_class_figure(const tips_assignment *a, const tips_bytes *scores, int n, int class_index,
                                      tips_figure *figure) TIPS_MUST_CHECK;
tips_status tips__detect_shift_score(const tips_assignment *a, tips_answer_at still, tips_answer_at moved,
                                     const tips_bytes *target, tips_bytes *score) TIPS_MUST_CHECK;
tips_status tips__detect_shift_figures(const tips_assignment *a, const tips_shift_scores *scores,
                                       tips_figure *figures) TIPS_MUST_CHECK;

/* What counts as shown and the same, and the boxes of a view. */
tips_jitter_rule tips__detect_rule(const tips_assignment *a);
tips_boxes_at tips__detect_boxes(tips_answer_at x);
/* What the same two views say of jitter alone, without any truth. */
tips_jitter tips__detect_jitter(const tips_assignment *a, tips_answer_at still, tips_answer_at moved);

#endif
