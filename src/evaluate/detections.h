/* tips eval --detections: the figures of somebody's detections, as COCO passes them on, against a set with boxes. */
#ifndef TIPS_EVALUATE_DETECTIONS_H
#define TIPS_EVALUATE_DETECTIONS_H

#include "core/json.h"
#include "evaluate/evaluate.h"

typedef struct tips_detections_result {
    char *file, *data;
    const char *format, *split;
    int images, objects;        /* pictures of the set, and what is there on them; crowds are counted too */
    int64_t detections;         /* of these pictures */
    int64_t other_categories;   /* detections that were left out, as pycocotools does: the set has no such category */
    int zero_ids;               /* annotations with the id 0, for which pycocotools never sees a match */
    tips_figures figures;       /* those that need no shifts */
    tips_class_result *classes; /* (n_classes): AP */
    int n_classes;
    double seconds;
} tips_detections_result;

/* Of `config` the data, the split, what to do with bad entries, the seed and the threads. `data` may be a file of
 * COCO's annotations: then its pictures need not be there, and boxes are taken to the last bit. */
tips_status tips__evaluate_detections(const tips_evaluate_config *config, const char *file,
                                      tips_detections_result *out) TIPS_MUST_CHECK;
/* Refuses an output that is one of the files that are read. */
tips_status tips__detections_keep_inputs(const tips_evaluate_config *config, const char *file,
                                         const char *output) TIPS_MUST_CHECK;
void tips__detections_free(tips_detections_result *result);

/* What a reader must know, sentence by sentence; false beyond the last. */
bool tips__detections_remark(const tips_detections_result *result, int i, char *out, size_t size);
void tips__detections_put(tips_json *json, const tips_detections_result *result);
tips_status tips__detections_save(const tips_detections_result *result, const char *path) TIPS_MUST_CHECK;

#endif
