/* Detections as COCO passes them on: [{"image_id": 42, "category_id": 18, "bbox": [left, top, width, height],
 * "score": 0.236}, ...]. Read and written one by one, so files may have any length. */
#ifndef TIPS_METRIC_COCO_RESULTS_H
#define TIPS_METRIC_COCO_RESULTS_H

#include <stddef.h>
#include <tips/status.h>

#include "metric/detection.h"

typedef struct tips_coco_result {
    int64_t picture, category;
    double bbox[4]; /* left, top, width, height */
    double score;
} tips_coco_result;

/* `number` is that of the entry, from 1 on. A status other than TIPS_OK, with its text, ends the reading. */
typedef tips_status tips_take_result(void *context, const tips_coco_result *result, size_t number);
/* Other fields are passed over. An entry that lacks something or holds nonsense is an error that names file and entry.
 */
tips_status tips__coco_results_read(const char *path, tips_take_result *take, void *context) TIPS_MUST_CHECK;

typedef struct tips_results_writer tips_results_writer;

/* The file is replaced as a whole by commit. Numbers are written so that they read back to the same bits. */
tips_status tips__coco_results_open(const char *path, tips_results_writer **out) TIPS_MUST_CHECK;
tips_status tips__coco_results_add(tips_results_writer *writer, const tips_coco_result *result) TIPS_MUST_CHECK;
/* `writer` is gone afterwards. */
tips_status tips__coco_results_commit(tips_results_writer *writer) TIPS_MUST_CHECK;
void tips__coco_results_abandon(tips_results_writer *writer); /* takes NULL */

#endif
