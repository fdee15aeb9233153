/* What the files of the ONNX reader share: the unpacked file, its graph by numbers, constants, attributes. */
#ifndef TIPS_ONNX_ONNX_PARTS_H
#define TIPS_ONNX_ONNX_PARTS_H

#include <onnx.pb-c.h>
#include <stdbool.h>

#include "onnx/onnx_file.h"

/* Longer names are cut in messages. */
enum { ONNX_SHOWN = 80, ONNX_NONE = -1 };

/* Where a value comes from: values are numbered in the order of their names. */
typedef enum onnx_origin { ONNX_INPUT, ONNX_INITIALISER, ONNX_MADE } onnx_origin;
typedef struct onnx_source {
    const char *name;
    onnx_origin origin;
    int index; /* of the graph's input, initialiser or node */
} onnx_source;

typedef struct onnx_node {
    const Onnx__NodeProto *proto;
    int n_in, n_out;
    int n_read;    /* n_in, and behind them what graphs inside read of this one */
    int *in, *out; /* values; ONNX_NONE where a name is empty */
} onnx_node;

struct tips_onnx {
    char *path;
    size_t bytes; /* of the file */
    uint8_t *data; /* (bytes); what large tensors lie in */
    Onnx__ModelProto *model;
    size_t unpacked, most_unpacked; /* bytes taken by the schema's messages, and how many are allowed */
    bool is_out_of_memory;          /* while unpacking */
    int opset;                      /* version of the default domain */
    onnx_source *sources;           /* (n_values), by name */
    int n_values;
    onnx_node *nodes; /* (n_nodes), each after those it reads */
    int n_nodes;
    int *links; /* what in and out of nodes point into */
};

/* A model without the bytes of its large tensors. */
typedef struct onnx_slim {
    uint8_t *data; /* (bytes), or NULL: they are counted only */
    size_t bytes;
    size_t memory; /* that the messages will take */
} onnx_slim;
enum { ONNX_NOTE = 17 }; /* bytes of what stands for a large tensor: two numbers and one to be of no other's length */

/* Refuses bytes that are no such message: lengths that lead outside, nesting beyond what a model has. protobuf-c itself
 * recurses without a limit. Fills slim; with slim->data, tensors may be moved in `data`. */
tips_status tips__onnx_scan(uint8_t *data, size_t bytes, onnx_slim *slim) TIPS_MUST_CHECK;
/* The bytes of a tensor: its own, or in the file. Those of large tensors of four-byte numbers are aligned for them. */
ProtobufCBinaryData tips__onnx_raw_data(const tips_onnx *file, const Onnx__TensorProto *proto);
/* Numbers all values, and puts the nodes in order; refuses names that are taken or unknown, and cycles. */
tips_status tips__onnx_link(tips_onnx *file) TIPS_MUST_CHECK;
/* Calls `use` for each name that the nodes and outputs of a graph inside of a node read, however deep. */
typedef tips_status (*onnx_name_fn)(void *context, const char *name);
tips_status tips__onnx_inner_names(const Onnx__NodeProto *node, onnx_name_fn use, void *context) TIPS_MUST_CHECK;
int tips__onnx_find_value(const tips_onnx *file, const char *name); /* ONNX_NONE if absent */

/* Constants: floating-point types as floats, all others as whole numbers. */
typedef struct onnx_tensor {
    int type; /* ONNX's number of the element type */
    int n_dims;
    int64_t dims[TIPS_ONNX_MAX_DIMS];
    size_t elements;
    float *floats; /* (dims), or NULL: then */
    int64_t *ints; /* (dims) */
    bool borrowed; /* belongs to the unpacked file */
} onnx_tensor;

bool tips__onnx_is_float(int type);
const char *tips__onnx_type_name(int type);
/* The product of dims; refuses negative ones, and products beyond what memory holds. */
tips_status tips__onnx_elements(const int64_t *dims, int n_dims, size_t *out) TIPS_MUST_CHECK;
/* With memory for its elements, not filled. */
tips_status tips__onnx_tensor_create(int type, int n_dims, const int64_t *dims, onnx_tensor *out) TIPS_MUST_CHECK;
void tips__onnx_tensor_free(onnx_tensor *tensor);
tips_status tips__onnx_tensor_read(const tips_onnx *file, const Onnx__TensorProto *proto,
                                   onnx_tensor *out) TIPS_MUST_CHECK;
/* The bytes of a tensor that lies in another file, of exactly `bytes` bytes; freed by tips__free. */
tips_status tips__onnx_external(const tips_onnx *file, const Onnx__TensorProto *proto, size_t bytes,
                                unsigned char **out) TIPS_MUST_CHECK;

/* Attributes by name; the type must be the one asked for. What is absent keeps *out as it was. */
const Onnx__AttributeProto *tips__onnx_attribute(const Onnx__NodeProto *node, const char *name);
tips_status tips__onnx_int(const Onnx__NodeProto *node, const char *name, int64_t *out) TIPS_MUST_CHECK;
tips_status tips__onnx_float(const Onnx__NodeProto *node, const char *name, double *out) TIPS_MUST_CHECK;
/* The same, refusing infinite ones; the one above refuses what is no number. */
tips_status tips__onnx_finite(const Onnx__NodeProto *node, const char *name, double *out) TIPS_MUST_CHECK;
/* What a norm adds to the variance, never 0; negative ones are refused. */
tips_status tips__onnx_epsilon(const Onnx__NodeProto *node, double *out) TIPS_MUST_CHECK;
/* `out` must hold `size` bytes; longer texts are refused. */
tips_status tips__onnx_text(const Onnx__NodeProto *node, const char *name, char *out, size_t size) TIPS_MUST_CHECK;
/* At most `most` numbers; *count is 0 where the attribute is absent. */
tips_status tips__onnx_ints(const Onnx__NodeProto *node, const char *name, int most, int64_t *out,
                            int *count) TIPS_MUST_CHECK;

#endif
