/* What emitting a graph leaves behind: tensors and operators in the order they run, for those who write files. */
#ifndef TIPS_EMIT_EMIT_RECORD_H
#define TIPS_EMIT_EMIT_RECORD_H

#include "emit/emit.h"
#include "graph/params.h"

enum { TIPS_LOWEST_OPSET = 11, TIPS_DEFAULT_OPSET = 11, TIPS_HIGHEST_OPSET = 21, TIPS_MOST_DIMS = 5 };

typedef enum tips_tensor_kind {
    TIPS_TENSOR_COMPUTED,
    TIPS_TENSOR_INPUT,
    TIPS_TENSOR_PARAM,
    TIPS_TENSOR_CONSTANT
} tips_tensor_kind;

typedef struct tips_recorded_tensor {
    char *name;
    tips_tensor_kind kind;
    tips_operand_type type; /* of the input, parameters and constants; their shape and data: */
    int n_dims;
    int64_t dims[TIPS_MOST_DIMS];
    void *data;
    size_t bytes;
    bool used; /* reaches the output */
} tips_recorded_tensor;

typedef struct tips_recorded_op {
    const char *op; /* "Conv" */
    int n_in, n_out, n_attributes;
    tips_operand *in, first_out;
    tips_attribute *attributes;
    bool used;
} tips_recorded_op;

/* An output of the file: the name is that of its tensor. */
typedef struct tips_recorded_output {
    tips_operand operand;
    tips_operand_type type;
    int n_dims;
    tips_extent dims[TIPS_MOST_DIMS];
    const char *text; /* what it is */
} tips_recorded_output;

enum { TIPS_MOST_RECORDED = 40 };

typedef struct tips_record {
    tips_recorded_tensor *tensors;
    tips_recorded_op *ops;
    int n_tensors, n_ops;
    tips_operand input;
    tips_value_info input_info;
    tips_recorded_output outputs[TIPS_MOST_RECORDED]; /* (n_outputs) */
    int n_outputs;
    const char *fixed_by; /* node that fixes height and width, NULL: they are free; and why */
    const char *fixed_why;
    int opset, folded; /* norms that went into convolutions */
} tips_record;

/* What follows all outputs of a graph: finish emits it, and says by tips__emit_output what the file puts out. */
typedef struct tips_emit_end {
    tips_status (*finish)(tips_emitter *to, const void *context);
    const void *context;
} tips_emit_end;

typedef struct tips_emit_options {
    int opset;                /* 0: TIPS_DEFAULT_OPSET */
    bool keep_bn;             /* a norm after a convolution stays a norm */
    const tips_emit_end *end; /* NULL: the first output of the graph, called "logits" */
} tips_emit_options;

/* Everything that leads to the outputs. The record borrows names from the graph. */
tips_status tips__emit_graph(const tips_params *params, const tips_emit_options *options,
                             tips_emitter **out) TIPS_MUST_CHECK;
const tips_record *tips__emit_record(const tips_emitter *emitter);
void tips__emit_destroy(tips_emitter *emitter);

#endif
