/* ONNX files for tests, put together node by node. */
#ifndef TIPS_TESTS_ONNX_MAKE_H
#define TIPS_TESTS_ONNX_MAKE_H

#ifdef TIPS_HAVE_ONNX

#include <onnx.pb-c.h>

typedef struct onnx_maker onnx_maker;

/* A model of IR version 7 with an input "x" (n, 3, 8, 8) and an output "y". */
onnx_maker *make_onnx(int opset);
void free_onnx(onnx_maker *m);
Onnx__ModelProto *onnx_model(onnx_maker *m);
Onnx__GraphProto *onnx_graph(onnx_maker *m);

/* Names in lists are parted by commas; an empty one is an input that is left out. */
Onnx__NodeProto *add_node(onnx_maker *m, const char *op, const char *in, const char *out);
void add_int(onnx_maker *m, const char *name, int64_t value); /* attributes of the node added last */
void add_float(onnx_maker *m, const char *name, float value);
void add_text(onnx_maker *m, const char *name, const char *value);
void add_ints(onnx_maker *m, const char *name, int count, const int64_t *values);
Onnx__AttributeProto *add_attribute(onnx_maker *m, const char *name, Onnx__AttributeProto__AttributeType type);

/* Initialisers; floats count up in small steps where `data` is NULL. */
Onnx__TensorProto *add_floats(onnx_maker *m, const char *name, int n_dims, const int64_t *dims, const float *data);
Onnx__TensorProto *add_numbers(onnx_maker *m, const char *name, int count, const int64_t *values);
void add_metadata(onnx_maker *m, const char *key, const char *value);
void set_input(onnx_maker *m, const int64_t dims[4]); /* 0: open */

/* Memory that lasts as long as the maker, and a copy of a text in it. */
void *onnx_keep(onnx_maker *m, size_t bytes);
char *onnx_text(onnx_maker *m, const char *text);
void set_external(onnx_maker *m, Onnx__TensorProto *t, const char *location, const char *offset, const char *length);

void write_onnx(onnx_maker *m, const char *path);

#endif
#endif
