/* What is there: the truth that detections are held against. */
#ifndef TIPS_EVALUATE_DETECTIONS_PARTS_H
#define TIPS_EVALUATE_DETECTIONS_PARTS_H

#include "evaluate/detections.h"
#include "metric/detection.h"

typedef struct truth_picture {
    int64_t id;
    size_t first; /* of its objects */
    int count;
} truth_picture;

typedef struct truth_class {
    int64_t id;
    int label;
} truth_class;

typedef struct truth {
    truth_picture *pictures; /* (n_pictures), by id */
    int n_pictures;
    tips_object *objects; /* (n_objects), by picture, then as given */
    size_t n_objects, room;
    truth_class *classes; /* (n_classes), by id */
    char **names;         /* (n_classes), by label */
    int n_classes;
    int zero_ids;
    const char *format, *split;
} truth;

/* Cleared by the caller, after a failure too. */
tips_status tips__truth_read(const tips_evaluate_config *config, truth *out) TIPS_MUST_CHECK;
void tips__truth_clear(truth *t);
/* NULL or -1 where there is none. */
const truth_picture *tips__truth_picture(const truth *t, int64_t id);
int tips__truth_label(const truth *t, int64_t category);

#endif
