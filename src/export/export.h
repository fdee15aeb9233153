/* The use case behind `tips export`: a model as an ONNX file. */
#ifndef TIPS_EXPORT_EXPORT_H
#define TIPS_EXPORT_EXPORT_H

#include "export/onnx_write.h"
#include "model/input_origin.h"

typedef struct tips_export_config {
    const char *model; /* file */
    const char *out;
    int opset;
    bool keep_bn;
    int size[2]; /* height, width of the input; 0: the model's */
} tips_export_config;

typedef struct tips_export_result {
    tips_onnx_summary file;
    int channels, size[2], classes;
    tips_input_facts input;
    bool boxes;     /* it puts out boxes, and heads, instead of logits */
    bool map;       /* logits are one number a class and pixel; else one a class */
    int map_size[2];
    int divisor[2]; /* of height and width: the product of the strides */
} tips_export_result;

tips_status tips__export_run(const tips_export_config *config, tips_export_result *out) TIPS_MUST_CHECK;

#endif
