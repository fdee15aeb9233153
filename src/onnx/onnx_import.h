/* Networks from ONNX files, as blueprints with their weights. */
#ifndef TIPS_ONNX_ONNX_IMPORT_H
#define TIPS_ONNX_ONNX_IMPORT_H

#include "arch/blueprint.h"
#include "onnx/onnx_file.h"

typedef struct tips_imported_tensor {
    char *name; /* of a parameter of the built graph: "layer1.0.conv1.weight" */
    int n_dims, dims[4];
    size_t elements;
    const float *data; /* (dims) */
    float *own;        /* where data lies unless it is the file's */
} tips_imported_tensor;

typedef struct tips_imported {
    tips_blueprint *blueprint;
    int channels;
    int size[2];       /* of the input; 0: the file leaves it open */
    int built_size[2]; /* what shapes were worked out for */
    bool nhwc;         /* the file wants (n, h, w, c); the blueprint takes (n, c, h, w) as all do */
    char *input, *output;
    int other_outputs; /* outputs of the file besides the one that holds the logits */
    bool lone_channel; /* of each pixel one number, and nothing in the file says that it is a share or its logit */
    const char *stored; /* type of most of its numbers, where that is not float32; else NULL */
    char detector[256]; /* why its outputs look like those of a detector; "" where they do not */
    bool is_map;       /* logits are those of pixels: the blueprint's output has the input's size */
    tips_imported_tensor *tensors;
    int n_tensors, capacity;
    tips_onnx *file; /* for its metadata */
} tips_imported;

/* `size_hint` (height, width) stands in for sizes the file leaves open; NULL or 0: 224. */
tips_status tips__onnx_import(const char *path, const int size_hint[2], tips_imported *out) TIPS_MUST_CHECK;
/* The same from a file that is open already, which it takes over whatever the status. `output` names the output that
 * holds the logits; NULL: the first. */
tips_status tips__onnx_import_open(tips_onnx *file, const int size_hint[2], const char *output,
                                   tips_imported *out) TIPS_MUST_CHECK;
/* The same with all outputs: the blueprint then has a program that makes them, which does what layers cannot, since
 * sizes depend on numbers. */
tips_status tips__onnx_import_program(tips_onnx *file, const int size_hint[2], tips_imported *out) TIPS_MUST_CHECK;
void tips__imported_free(tips_imported *imported);

#endif
