#include "support/onnx_make.h"

#ifdef TIPS_HAVE_ONNX

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 4096, MOST_ITEMS = 64 };

struct onnx_maker {
    void *blocks[MOST_BLOCKS];
    int n_blocks;
    Onnx__ModelProto *model;
    Onnx__NodeProto *last;
};

void *onnx_keep(onnx_maker *m, size_t bytes) {
    void *memory = calloc(1, bytes ? bytes : 1);
    if (!memory || m->n_blocks == MOST_BLOCKS) abort();
    return m->blocks[m->n_blocks++] = memory;
}

char *onnx_text(onnx_maker *m, const char *text) {
    char *copy = onnx_keep(m, strlen(text) + 1);
    memcpy(copy, text, strlen(text) + 1);
    return copy;
}

static void **list(onnx_maker *m) { return onnx_keep(m, MOST_ITEMS * sizeof(void *)); }

static Onnx__StringStringEntryProto *pair(onnx_maker *m, const char *key, const char *value) {
    Onnx__StringStringEntryProto *entry = onnx_keep(m, sizeof *entry);
    tips__onnx__string_string_entry_proto__init(entry);
    entry->key = onnx_text(m, key);
    entry->value = onnx_text(m, value);
    return entry;
}

static Onnx__ValueInfoProto *value_info(onnx_maker *m, const char *name) {
    Onnx__ValueInfoProto *info = onnx_keep(m, sizeof *info);
    tips__onnx__value_info_proto__init(info);
    info->name = onnx_text(m, name);
    return info;
}

void set_input(onnx_maker *m, const int64_t dims[4]) {
    Onnx__TypeProto *type = onnx_keep(m, sizeof *type);
    Onnx__TypeProto__Tensor *tensor = onnx_keep(m, sizeof *tensor);
    Onnx__TensorShapeProto *shape = onnx_keep(m, sizeof *shape);
    tips__onnx__type_proto__init(type);
    tips__onnx__type_proto__tensor__init(tensor);
    tips__onnx__tensor_shape_proto__init(shape);
    shape->dim = (Onnx__TensorShapeProto__Dimension **)list(m);
    for (int i = 0; i < 4; i++) {
        Onnx__TensorShapeProto__Dimension *dim = onnx_keep(m, sizeof *dim);
        tips__onnx__tensor_shape_proto__dimension__init(dim);
        dim->value_case = dims[i] ? ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE
                                  : ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        if (dims[i]) dim->dim_value = dims[i];
        else dim->dim_param = onnx_text(m, "open");
        shape->dim[shape->n_dim++] = dim;
    }
    tensor->shape = shape;
    tensor->has_elem_type = 1;
    tensor->elem_type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    onnx_graph(m)->input[0]->type = type;
}

onnx_maker *make_onnx(int opset) {
    onnx_maker *m = calloc(1, sizeof *m);
    if (!m) abort();
    Onnx__ModelProto *model = m->model = onnx_keep(m, sizeof *model);
    Onnx__GraphProto *graph = onnx_keep(m, sizeof *graph);
    Onnx__OperatorSetIdProto *set = onnx_keep(m, sizeof *set);
    tips__onnx__model_proto__init(model);
    tips__onnx__graph_proto__init(graph);
    tips__onnx__operator_set_id_proto__init(set);
    set->has_version = model->has_ir_version = 1;
    set->version = opset;
    model->ir_version = 7;
    model->opset_import = (Onnx__OperatorSetIdProto **)list(m);
    model->opset_import[model->n_opset_import++] = set;
    model->metadata_props = (Onnx__StringStringEntryProto **)list(m);
    model->graph = graph;
    graph->node = (Onnx__NodeProto **)list(m);
    graph->initializer = (Onnx__TensorProto **)list(m);
    graph->input = (Onnx__ValueInfoProto **)list(m);
    graph->output = (Onnx__ValueInfoProto **)list(m);
    graph->input[graph->n_input++] = value_info(m, "x");
    graph->output[graph->n_output++] = value_info(m, "y");
    set_input(m, (const int64_t[]){0, 3, 8, 8});
    return m;
}

void free_onnx(onnx_maker *m) {
    for (int i = 0; i < m->n_blocks; i++) free(m->blocks[i]);
    free(m);
}

Onnx__ModelProto *onnx_model(onnx_maker *m) { return m->model; }
Onnx__GraphProto *onnx_graph(onnx_maker *m) { return m->model->graph; }

static void split_names(onnx_maker *m, const char *names, size_t *count, char ***out) {
    *out = (char **)list(m);
    *count = 0;
    for (char *part = names[0] ? onnx_text(m, names) : NULL, *next; part; part = next) {
        next = strchr(part, ',');
        if (next) *next++ = '\0';
        (*out)[(*count)++] = part;
    }
}

Onnx__NodeProto *add_node(onnx_maker *m, const char *op, const char *in, const char *out) {
    Onnx__NodeProto *node = m->last = onnx_keep(m, sizeof *node);
    tips__onnx__node_proto__init(node);
    node->op_type = onnx_text(m, op);
    node->attribute = (Onnx__AttributeProto **)list(m);
    split_names(m, in, &node->n_input, &node->input);
    split_names(m, out, &node->n_output, &node->output);
    onnx_graph(m)->node[onnx_graph(m)->n_node++] = node;
    return node;
}

Onnx__AttributeProto *add_attribute(onnx_maker *m, const char *name, Onnx__AttributeProto__AttributeType type) {
    Onnx__AttributeProto *attribute = onnx_keep(m, sizeof *attribute);
    tips__onnx__attribute_proto__init(attribute);
    attribute->name = onnx_text(m, name);
    attribute->has_type = 1;
    attribute->type = type;
    m->last->attribute[m->last->n_attribute++] = attribute;
    return attribute;
}

void add_int(onnx_maker *m, const char *name, int64_t value) {
    Onnx__AttributeProto *a = add_attribute(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    a->has_i = 1;
    a->i = value;
}

void add_float(onnx_maker *m, const char *name, float value) {
    Onnx__AttributeProto *a = add_attribute(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    a->has_f = 1;
    a->f = value;
}

void add_text(onnx_maker *m, const char *name, const char *value) {
    Onnx__AttributeProto *a = add_attribute(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
    a->has_s = 1;
    a->s = (ProtobufCBinaryData){strlen(value), (uint8_t *)onnx_text(m, value)};
}

void add_ints(onnx_maker *m, const char *name, int count, const int64_t *values) {
    Onnx__AttributeProto *a = add_attribute(m, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    a->ints = onnx_keep(m, (size_t)count * sizeof *values);
    memcpy(a->ints, values, (size_t)count * sizeof *values);
    a->n_ints = (size_t)count;
}

static Onnx__TensorProto *add_tensor(onnx_maker *m, const char *name, int type, int n_dims, const int64_t *dims) {
    Onnx__TensorProto *t = onnx_keep(m, sizeof *t);
    tips__onnx__tensor_proto__init(t);
    t->name = onnx_text(m, name);
    t->has_data_type = 1;
    t->data_type = type;
    t->dims = onnx_keep(m, (size_t)n_dims * sizeof *dims);
    if (n_dims) memcpy(t->dims, dims, (size_t)n_dims * sizeof *dims);
    t->n_dims = (size_t)n_dims;
    onnx_graph(m)->initializer[onnx_graph(m)->n_initializer++] = t;
    return t;
}

Onnx__TensorProto *add_floats(onnx_maker *m, const char *name, int n_dims, const int64_t *dims, const float *data) {
    size_t elements = 1;
    for (int i = 0; i < n_dims; i++) elements *= (size_t)dims[i];
    float *numbers = onnx_keep(m, elements * sizeof *numbers);
    for (size_t i = 0; i < elements; i++) numbers[i] = data ? data[i] : 0.01f * (float)(i % 17) - 0.05f;
    Onnx__TensorProto *t = add_tensor(m, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, n_dims, dims);
    t->has_raw_data = 1;
    t->raw_data = (ProtobufCBinaryData){elements * sizeof *numbers, (uint8_t *)numbers};
    return t;
}

Onnx__TensorProto *add_numbers(onnx_maker *m, const char *name, int count, const int64_t *values) {
    const int64_t dims[] = {count};
    Onnx__TensorProto *t = add_tensor(m, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, dims);
    t->int64_data = onnx_keep(m, (size_t)count * sizeof *values);
    memcpy(t->int64_data, values, (size_t)count * sizeof *values);
    t->n_int64_data = (size_t)count;
    return t;
}

void add_metadata(onnx_maker *m, const char *key, const char *value) {
    m->model->metadata_props[m->model->n_metadata_props++] = pair(m, key, value);
}

void set_external(onnx_maker *m, Onnx__TensorProto *t, const char *location, const char *offset, const char *length) {
    t->has_raw_data = 0;
    t->raw_data = (ProtobufCBinaryData){0};
    t->has_data_location = 1;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->external_data = (Onnx__StringStringEntryProto **)list(m);
    t->external_data[t->n_external_data++] = pair(m, "location", location);
    if (offset) t->external_data[t->n_external_data++] = pair(m, "offset", offset);
    if (length) t->external_data[t->n_external_data++] = pair(m, "length", length);
}

void write_onnx(onnx_maker *m, const char *path) {
    const size_t bytes = tips__onnx__model_proto__get_packed_size(m->model);
    uint8_t *data = onnx_keep(m, bytes);
    tips__onnx__model_proto__pack(m->model, data);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) abort();
}

#else
typedef int onnx_make_is_empty; /* ISO C wants something */
#endif
