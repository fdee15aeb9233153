/* The use case behind `tips info`: what a safetensors file holds, and of which network. */
#ifndef TIPS_RUN_MODEL_REPORT_H
#define TIPS_RUN_MODEL_REPORT_H

#include "core/json_read.h"
#include "exchange/model_file.h"

typedef struct tips_model_report {
    tips_safetensors *file; /* its tensors and metadata */
    uint64_t bytes;         /* of all tensors */
    bool is_model;          /* written by us: the rest is set */
    tips_model_info info;
    char pool[256];               /* the operator with the options that are not defaults */
    size_t trainable, statistics; /* numbers */
} tips_model_report;

tips_status tips__model_report(const char *path, tips_model_report *out) TIPS_MUST_CHECK;
void tips__model_report_clear(tips_model_report *report);

/* One value of the training summary, or an object or array of it. */
tips_status tips__model_report_training(const tips_model_report *report, tips_json_visit visit,
                                        void *context) TIPS_MUST_CHECK;

#endif
