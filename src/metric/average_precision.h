/* Average precision and recall of a set of pictures: COCO's twelve figures, equal to pycocotools', and VOC's two.
 *
 * Detections of a class over all pictures in the order of their scores, equal ones in the order of the pictures. With n
 * objects, recall is hits / n, precision hits / (hits + misses + 2^-52); the precision at a recall is the largest from
 * there on. COCO's AP is its mean over the recalls 0, 0.01, ..., 1, the classes that have objects, and, but for AP50
 * and AP75, the thresholds; AR is the recall in the end. VOC's AP is the area below the precision, that of 2007 the
 * mean over the recalls 0, 0.1, ..., 1. */
#ifndef TIPS_METRIC_AVERAGE_PRECISION_H
#define TIPS_METRIC_AVERAGE_PRECISION_H

#include "metric/find_match.h"
#include "metric/interval.h"

enum {
    TIPS_AP,
    TIPS_AP50,
    TIPS_AP75,
    TIPS_AP_SMALL,
    TIPS_AP_MEDIUM,
    TIPS_AP_LARGE,
    TIPS_AR1,
    TIPS_AR10,
    TIPS_AR100,
    TIPS_AR_SMALL,
    TIPS_AR_MEDIUM,
    TIPS_AR_LARGE,
    TIPS_AP_VOC,
    TIPS_AP_VOC07,
    TIPS_AP_FIGURES
};

/* One class by one range of areas: what its detections came to, from the largest score on. */
typedef struct tips_mark {
    uint16_t hit, miss;
    int32_t picture;
} tips_mark;

typedef struct tips_curve {
    double precision[TIPS_COCO_THRESHOLDS]; /* mean over recalls */
    double recall[TIPS_COCO_THRESHOLDS];    /* in the end */
    double voc, voc07;
} tips_curve;

/* Picture i is in the set times[i] times, or once if that is NULL; `objects` > 0. */
tips_curve tips__precision_curve(const tips_mark *marks, int n, const int32_t *times, int64_t objects);

/* All detections of a set in order, so that any drawing of its pictures can be summed up. */
typedef struct tips_ap_index tips_ap_index;

/* `pictures` (images) are not needed later. */
tips_status tips__ap_index_create(const tips_picture_finds *pictures, int images, tips_ap_index **out) TIPS_MUST_CHECK;
void tips__ap_index_destroy(tips_ap_index *index);

/* Of pictures `drawn` (n), each as often as it is named; NULL: each once. In 0..1, not a number where no class has
 * objects. May be called in several threads at once, as many as tips__threads() said when the index was made. */
void tips__ap_figures(const tips_ap_index *index, const int *drawn, int n, double figures[TIPS_AP_FIGURES]);
/* AP and AP50 alone. */
void tips__ap_pair(const tips_ap_index *index, const int *drawn, int n, double *ap, double *ap50);
/* AP of one class. */
double tips__ap_of_class(const tips_ap_index *index, const int *drawn, int n, int32_t label);

/* The same in percent with intervals over pictures. */
tips_status tips__ap_intervals(const tips_ap_index *index, tips_figure figures[TIPS_AP_FIGURES]) TIPS_MUST_CHECK;
tips_status tips__ap_class_interval(const tips_ap_index *index, int32_t label, tips_figure *figure) TIPS_MUST_CHECK;

#endif
