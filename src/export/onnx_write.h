/* Writing a model as an ONNX file: the network in evaluation, in basic operators, with our metadata. */
#ifndef TIPS_EXPORT_ONNX_WRITE_H
#define TIPS_EXPORT_ONNX_WRITE_H

#include "emit/emit_record.h"
#include "model/model_file.h"

typedef struct tips_onnx_summary {
    int opset, nodes, tensors; /* tensors: parameters of the network that are in the file, and their numbers: */
    size_t parameters;
    int folded;     /* norms */
    bool free_size; /* height and width may change; if not: */
    char fixed_by[TIPS_MODEL_TEXT], fixed_why[TIPS_MODEL_TEXT];
    size_t bytes; /* of the file */
} tips_onnx_summary;

/* `info` must be what made the graph of `params`. An old file is replaced once the new one is complete. */
tips_status tips__onnx_save(const char *path, const tips_model_info *info, const tips_params *params,
                            const tips_emit_options *options, tips_onnx_summary *out) TIPS_MUST_CHECK;

#endif
