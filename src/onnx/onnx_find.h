/* Finding what exporters write as several nodes and a layer does as one: GELU, layer norm. The node where such a part
 * ends is imported as the whole, and the others are not needed. */
#ifndef TIPS_ONNX_ONNX_FIND_H
#define TIPS_ONNX_ONNX_FIND_H

#include "onnx/onnx_importer.h"

typedef struct onnx_finder {
    onnx_importer *im;
    int *users; /* (n_values): the one needed node that reads a value; ONNX_NONE if none or several do */
} onnx_finder;

bool tips__onnx_is_op(const onnx_node *node, const char *op);
const onnx_node *tips__onnx_maker(const onnx_finder *f, int value); /* NULL if no node makes it */
/* The node that alone reads the one output of another. */
const onnx_node *tips__onnx_next(const onnx_finder *f, const onnx_node *node);
/* The tensor of an initialiser or a Constant; NULL for others. */
const Onnx__TensorProto *tips__onnx_written(const onnx_finder *f, int value);
bool tips__onnx_read_number(const onnx_finder *f, int value, double *out); /* false if it is not one float */
bool tips__onnx_is_number(const onnx_finder *f, int value, double number);
/* The other factor of a product (or summand of a sum) with a number; ONNX_NONE if it is none. */
int tips__onnx_other_than(const onnx_finder *f, const onnx_node *node, const char *op, double number);

/* Mark the last nodes of what they find in im->wholes. */
void tips__onnx_find_gelu(const onnx_finder *f, const onnx_node *erf);
void tips__onnx_find_layer_norm(const onnx_finder *f, const onnx_node *root);

#endif
