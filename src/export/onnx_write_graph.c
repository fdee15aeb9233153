/* A record of basic operators as ONNX's messages. */
#include "export/onnx_write_parts.h"

#include "core/memory.h"

#include <string.h>

typedef struct block {
    struct block *before;
    _Alignas(16) unsigned char data[];
} block;

void *tips__onnx_pile_new(onnx_pile *pile, size_t bytes) {
    block *b = pile->failed ? NULL : tips__calloc(1, sizeof *b + bytes);
    if (!b) {
        pile->failed = true;
        return NULL;
    }
    b->before = pile->last;
    pile->last = b;
    return b->data;
}

char *tips__onnx_pile_text(onnx_pile *pile, const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = tips__onnx_pile_new(pile, bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

void tips__onnx_pile_free(onnx_pile *pile) {
    for (block *b = pile->last, *before; b; b = before) {
        before = b->before;
        tips__free(b);
    }
    pile->last = NULL;
}

static Onnx__AttributeProto *attribute_of(onnx_pile *pile, tips_attribute *a) {
    ONNX_NEW(pile, Onnx__AttributeProto, tips__onnx__attribute_proto__init, made);
    if (!made) return NULL;
    made->name = (char *)a->name;
    made->has_type = 1;
    switch (a->type) {
    case TIPS_ATTRIBUTE_INT:
        made->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
        made->has_i = 1, made->i = a->i;
        break;
    case TIPS_ATTRIBUTE_FLOAT:
        made->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT;
        made->has_f = 1, made->f = a->f;
        break;
    case TIPS_ATTRIBUTE_TEXT:
        made->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING;
        made->has_s = 1, made->s = (ProtobufCBinaryData){strlen(a->s), (uint8_t *)a->s};
        break;
    case TIPS_ATTRIBUTE_INTS:
        made->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
        made->n_ints = (size_t)a->n_ints, made->ints = a->ints;
        break;
    }
    return made;
}

static char **names_of(onnx_pile *pile, const tips_record *r, const tips_operand *operands, int first, int count) {
    char **names = tips__onnx_pile_new(pile, (size_t)(count ? count : 1) * sizeof *names);
    for (int i = 0; names && i < count; i++) {
        const tips_operand o = operands ? operands[i] : first + i;
        names[i] = o == TIPS_NO_OPERAND ? (char *)"" : r->tensors[o].name;
    }
    return names;
}

static Onnx__NodeProto *node_of(onnx_pile *pile, const tips_record *r, const tips_recorded_op *op) {
    ONNX_NEW(pile, Onnx__NodeProto, tips__onnx__node_proto__init, made);
    if (!made) return NULL;
    made->op_type = (char *)op->op;
    made->name = r->tensors[op->first_out].name;
    made->n_input = (size_t)op->n_in;
    made->input = names_of(pile, r, op->in, 0, op->n_in);
    made->n_output = (size_t)op->n_out;
    made->output = names_of(pile, r, NULL, op->first_out, op->n_out);
    made->attribute = tips__onnx_pile_new(pile, ((size_t)op->n_attributes + 1) * sizeof *made->attribute);
    if (!made->attribute) return NULL;
    for (int i = 0; i < op->n_attributes; i++) made->attribute[i] = attribute_of(pile, &op->attributes[i]);
    made->n_attribute = (size_t)op->n_attributes;
    return made;
}

static Onnx__TensorProto *tensor_of(onnx_pile *pile, tips_recorded_tensor *t) {
    ONNX_NEW(pile, Onnx__TensorProto, tips__onnx__tensor_proto__init, made);
    if (!made) return NULL;
    made->name = t->name;
    made->has_data_type = made->has_raw_data = 1;
    made->data_type = (int32_t)t->type;
    made->n_dims = (size_t)t->n_dims;
    made->dims = t->dims;
    made->raw_data = (ProtobufCBinaryData){t->bytes, t->data};
    return made;
}

static Onnx__TensorShapeProto *shape_of(onnx_pile *pile, const tips_extent *extents, int count) {
    ONNX_NEW(pile, Onnx__TensorShapeProto, tips__onnx__tensor_shape_proto__init, shape);
    if (!shape) return NULL;
    shape->dim = tips__onnx_pile_new(pile, (size_t)count * sizeof *shape->dim);
    for (int i = 0; shape->dim && i < count; i++) {
        ONNX_NEW(pile, Onnx__TensorShapeProto__Dimension, tips__onnx__tensor_shape_proto__dimension__init, dim);
        if (!dim) return NULL;
        dim->value_case = extents[i].name ? ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
                                          : ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        if (extents[i].name) dim->dim_param = (char *)extents[i].name;
        else dim->dim_value = extents[i].size;
        shape->dim[shape->n_dim++] = dim;
    }
    return shape;
}

static Onnx__ValueInfoProto *value_of(onnx_pile *pile, char *name, const char *text, tips_operand_type of,
                                      const tips_extent *extents, int count) {
    ONNX_NEW(pile, Onnx__ValueInfoProto, tips__onnx__value_info_proto__init, value);
    ONNX_NEW(pile, Onnx__TypeProto, tips__onnx__type_proto__init, type);
    ONNX_NEW(pile, Onnx__TypeProto__Tensor, tips__onnx__type_proto__tensor__init, tensor);
    if (!tensor) return NULL;
    tensor->has_elem_type = 1;
    tensor->elem_type = (int32_t)of;
    tensor->shape = shape_of(pile, extents, count);
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    value->name = name;
    value->type = type;
    value->doc_string = (char *)text;
    return value;
}

static void add_ends(onnx_pile *pile, const tips_record *r, Onnx__GraphProto *graph) {
    const tips_value_info *in = &r->input_info;
    const bool is_fixed = r->fixed_by;
    const tips_extent from[] = {
        {"N", 0}, {NULL, in->c}, {is_fixed ? NULL : "H", in->h}, {is_fixed ? NULL : "W", in->w}};
    graph->input = tips__onnx_pile_new(pile, sizeof *graph->input);
    graph->output = tips__onnx_pile_new(pile, (size_t)r->n_outputs * sizeof *graph->output);
    if (!graph->output) return;
    graph->input[graph->n_input++] =
        value_of(pile, r->tensors[r->input].name, "values between 0 and 1, minus tips.mean, divided by tips.std",
                 TIPS_OPERAND_FLOAT, from, 4);
    for (int i = 0; i < r->n_outputs; i++) {
        const tips_recorded_output *o = &r->outputs[i];
        graph->output[graph->n_output++] =
            value_of(pile, r->tensors[o->operand].name, o->text, o->type, o->dims, o->n_dims);
    }
}

static void add_nodes(onnx_pile *pile, const tips_record *r, Onnx__GraphProto *graph) {
    graph->node = tips__onnx_pile_new(pile, ((size_t)r->n_ops + 1) * sizeof *graph->node);
    for (int i = 0; i < r->n_ops && graph->node; i++)
        if (r->ops[i].used) graph->node[graph->n_node++] = node_of(pile, r, &r->ops[i]);
}

static void add_tensors(onnx_pile *pile, const tips_record *r, Onnx__GraphProto *graph) {
    graph->initializer = tips__onnx_pile_new(pile, ((size_t)r->n_tensors + 1) * sizeof *graph->initializer);
    for (int i = 0; i < r->n_tensors && graph->initializer; i++)
        if (r->tensors[i].used && r->tensors[i].data)
            graph->initializer[graph->n_initializer++] = tensor_of(pile, &r->tensors[i]);
}

Onnx__GraphProto *tips__onnx_graph(onnx_pile *pile, const tips_record *record) {
    ONNX_NEW(pile, Onnx__GraphProto, tips__onnx__graph_proto__init, graph);
    if (!graph) return NULL;
    add_ends(pile, record, graph);
    add_nodes(pile, record, graph);
    add_tensors(pile, record, graph);
    return pile->failed ? NULL : graph;
}
