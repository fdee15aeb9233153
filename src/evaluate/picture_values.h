/* What pictures came to one by one, so that models may be compared on the same pictures. */
#ifndef TIPS_EVALUATE_PICTURE_VALUES_H
#define TIPS_EVALUATE_PICTURE_VALUES_H

#include <stdbool.h>

#include "core/json.h"
#include "core/json_tree.h"
#include "metric/metric.h"
#include "metric/paired.h"

/* The task's answer being right, where that can be said; consistency and fidelity of both kinds of shifts. */
enum { TIPS_PICTURE_VALUES = 5 };

typedef struct tips_picture_values {
    int images;
    const char *names[TIPS_PICTURE_VALUES]; /* of metrics */
    double *of[TIPS_PICTURE_VALUES];        /* (images), shares 0..1; NULL where nothing was measured */
} tips_picture_values;

/* With room for all: the first name is that of the task's main metric. */
tips_status tips__picture_values_create(const tips_metric *task, int images, tips_picture_values *out) TIPS_MUST_CHECK;
void tips__picture_values_clear(tips_picture_values *v);
void tips__picture_values_drop(tips_picture_values *v, int row); /* nothing was measured */

/* "per_picture": a text of 0 and 1, or an array, for each name. */
void tips__picture_values_put(tips_json *json, const tips_picture_values *v);
/* From an evaluation that has it; no images where it has not. */
tips_status tips__picture_values_read(const tips_json_node *evaluation, const tips_metric *task,
                                      tips_picture_values *out) TIPS_MUST_CHECK;

/* Of one figure, `second` less `first`; false where they are not of the same pictures, by their number. */
bool tips__picture_values_differ(const tips_picture_values *first, const tips_picture_values *second, int row,
                                 tips_paired *out);
/* All of them by their names, into the open object. */
void tips__picture_values_put_differences(tips_json *json, const tips_picture_values *first,
                                          const tips_picture_values *second);

#endif
