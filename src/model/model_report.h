/* The use case behind `tips info`: what a file holds, and of which network. */
#ifndef TIPS_MODEL_MODEL_REPORT_H
#define TIPS_MODEL_MODEL_REPORT_H

#include "core/json_read.h"
#include "model/model_file.h"

typedef struct tips_model_report {
    tips_safetensors *file;     /* its metadata; NULL for ONNX */
    tips_loaded_model onnx;     /* owns the names of tensors then */
    tips_tensor_entry *tensors; /* (n_tensors) */
    int n_tensors;
    uint64_t bytes; /* of all tensors */
    bool is_model;  /* it says of which network: the rest is set */
    tips_model_info info;
    char pool[256];               /* the operator with the options that are not defaults */
    size_t trainable, statistics; /* numbers */
    int steps;                    /* layers, of a network that came from elsewhere; else 0 */
} tips_model_report;

/* `as` says how an ONNX file is to be read; all NULL: as it says itself. */
tips_status tips__model_report(const char *path, const tips_read_as *as, tips_model_report *out) TIPS_MUST_CHECK;
void tips__model_report_clear(tips_model_report *report);

/* Whether the file has a checksum, which it then agrees with. */
bool tips__model_is_verified(const tips_model_report *report);

/* One value of the training summary, or an object or array of it. */
tips_status tips__model_report_training(const tips_model_report *report, tips_json_visit visit,
                                        void *context) TIPS_MUST_CHECK;

#endif
