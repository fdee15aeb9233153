/* Constants from a file: every element type that a network needs, from typed lists, raw bytes or another file. */
#include "onnx/onnx_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "exchange/tensor_type.h"

#include <stdio.h>
#include <string.h>

enum {
    FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT,
    UINT8 = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8,
    INT8 = ONNX__TENSOR_PROTO__DATA_TYPE__INT8,
    UINT16 = ONNX__TENSOR_PROTO__DATA_TYPE__UINT16,
    INT16 = ONNX__TENSOR_PROTO__DATA_TYPE__INT16,
    INT32 = ONNX__TENSOR_PROTO__DATA_TYPE__INT32,
    INT64 = ONNX__TENSOR_PROTO__DATA_TYPE__INT64,
    BOOL = ONNX__TENSOR_PROTO__DATA_TYPE__BOOL,
    FLOAT16 = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16,
    DOUBLE = ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE,
    UINT32 = ONNX__TENSOR_PROTO__DATA_TYPE__UINT32,
    UINT64 = ONNX__TENSOR_PROTO__DATA_TYPE__UINT64,
    BFLOAT16 = ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16
};

/* In which list of the schema elements lie that are not raw. */
typedef enum typed_list { FLOATS, INT32S, INT64S, DOUBLES, UINT64S } typed_list;

typedef struct element_type {
    int type;
    const char *name;
    size_t bytes;
    bool is_float;
    typed_list list;
} element_type;

static const element_type element_types[] = {
    {FLOAT, "float", 4, true, FLOATS},       {UINT8, "uint8", 1, false, INT32S},
    {INT8, "int8", 1, false, INT32S},        {UINT16, "uint16", 2, false, INT32S},
    {INT16, "int16", 2, false, INT32S},      {INT32, "int32", 4, false, INT32S},
    {INT64, "int64", 8, false, INT64S},      {BOOL, "bool", 1, false, INT32S},
    {FLOAT16, "float16", 2, true, INT32S},   {DOUBLE, "double", 8, true, DOUBLES},
    {UINT32, "uint32", 4, false, UINT64S},   {UINT64, "uint64", 8, false, UINT64S},
    {BFLOAT16, "bfloat16", 2, true, INT32S},
};

static const element_type *find_type(int type) {
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
        if (element_types[i].type == type) return &element_types[i];
    return NULL;
}

bool tips__onnx_is_float(int type) { return find_type(type) && find_type(type)->is_float; }

const char *tips__onnx_type_name(int type) { return find_type(type) ? find_type(type)->name : "an unknown type"; }

tips_status tips__onnx_elements(const int64_t *dims, int n_dims, size_t *out) {
    const int64_t most = (int64_t)1 << 31;
    int64_t elements = 1;
    for (int i = 0; i < n_dims; i++) {
        if (dims[i] < 0) TIPS_FAIL(TIPS_FORMAT, "a dimension of %lld is negative", (long long)dims[i]);
        if (dims[i] > most || (elements && dims[i] > most / elements))
            TIPS_FAIL(TIPS_FORMAT, "its dimensions make more than 2^31 elements");
        elements *= dims[i];
    }
    *out = (size_t)elements;
    return TIPS_OK;
}

tips_status tips__onnx_tensor_create(int type, int n_dims, const int64_t *dims, onnx_tensor *out) {
    onnx_tensor t = {.type = type, .n_dims = n_dims};
    if (n_dims > TIPS_ONNX_MAX_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it has %d dimensions; at most %d are supported", n_dims, TIPS_ONNX_MAX_DIMS);
    if (!find_type(type)) TIPS_FAIL(TIPS_UNSUPPORTED, "its element type (number %d) is not supported", type);
    for (int i = 0; i < n_dims; i++) t.dims[i] = dims[i];
    TIPS_TRY(tips__onnx_elements(dims, n_dims, &t.elements));
    if (tips__onnx_is_float(type)) TIPS_TRY(tips__new(&t.floats, t.elements * sizeof *t.floats, "a tensor"));
    else TIPS_TRY(tips__new(&t.ints, t.elements * sizeof *t.ints, "a tensor"));
    *out = t;
    return TIPS_OK;
}

void tips__onnx_tensor_free(onnx_tensor *tensor) {
    if (!tensor->borrowed) tips__free(tensor->floats), tips__free(tensor->ints);
    *tensor = (onnx_tensor){0};
}

static uint64_t little_endian(const unsigned char *bytes, size_t count) {
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

static float float_from_bits(int type, uint64_t bits) {
    if (type == FLOAT16) return tips__half_to_float((uint16_t)bits);
    if (type == BFLOAT16) return tips__bfloat_to_float((uint16_t)bits);
    if (type == FLOAT) {
        const uint32_t word = (uint32_t)bits;
        float value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return (float)value;
}

static int64_t int_from_bits(int type, uint64_t bits) {
    switch (type) {
    case INT8: return (int8_t)bits;
    case INT16: return (int16_t)bits;
    case INT32: return (int32_t)bits;
    default: return (int64_t)bits;
    }
}

static void convert_raw(const element_type *type, const unsigned char *bytes, onnx_tensor *t) {
    for (size_t i = 0; i < t->elements; i++) {
        const uint64_t bits = little_endian(bytes + i * type->bytes, type->bytes);
        if (t->floats) t->floats[i] = float_from_bits(type->type, bits);
        else t->ints[i] = int_from_bits(type->type, bits);
    }
}

static size_t list_length(const Onnx__TensorProto *proto, typed_list list) {
    switch (list) {
    case FLOATS: return proto->n_float_data;
    case INT32S: return proto->n_int32_data;
    case INT64S: return proto->n_int64_data;
    case DOUBLES: return proto->n_double_data;
    default: return proto->n_uint64_data;
    }
}

static void convert_list(const Onnx__TensorProto *proto, const element_type *type, onnx_tensor *t) {
    for (size_t i = 0; i < t->elements; i++) {
        switch (type->list) {
        case FLOATS: t->floats[i] = proto->float_data[i]; break;
        case DOUBLES: t->floats[i] = (float)proto->double_data[i]; break;
        case INT64S: t->ints[i] = proto->int64_data[i]; break;
        case UINT64S: t->ints[i] = int_from_bits(type->type, proto->uint64_data[i]); break;
        case INT32S:
            if (t->floats) t->floats[i] = float_from_bits(type->type, (uint64_t)proto->int32_data[i]);
            else t->ints[i] = int_from_bits(type->type, (uint64_t)proto->int32_data[i]);
        }
    }
}

/* Floats that already lie as we want them stay where they are. */
static tips_status borrow_floats(void *data, onnx_tensor *out) {
    out->floats = data;
    out->borrowed = true;
    return TIPS_OK;
}

static tips_status read_external(const tips_onnx *file, const Onnx__TensorProto *proto, const element_type *type,
                                 onnx_tensor *t) {
    unsigned char *bytes;
    TIPS_TRY(tips__onnx_external(file, proto, t->elements * type->bytes, &bytes));
    const tips_status status = tips__onnx_tensor_create(t->type, t->n_dims, t->dims, t);
    if (status == TIPS_OK) convert_raw(type, bytes, t);
    tips__free(bytes);
    return status;
}

static tips_status read_inside(const tips_onnx *file, const Onnx__TensorProto *proto, const element_type *type,
                               onnx_tensor *t) {
    const ProtobufCBinaryData raw = tips__onnx_raw_data(file, proto);
    const size_t want = proto->has_raw_data ? t->elements * type->bytes : t->elements;
    const size_t have = proto->has_raw_data ? raw.len : list_length(proto, type->list);
    if (have != want)
        TIPS_FAIL(TIPS_FORMAT, "its shape takes %zu %s, but there are %zu", want,
                  proto->has_raw_data ? "bytes" : "elements", have);
    if (type->type == FLOAT && t->elements)
        return borrow_floats(proto->has_raw_data ? (void *)raw.data : (void *)proto->float_data, t);
    TIPS_TRY(tips__onnx_tensor_create(t->type, t->n_dims, t->dims, t));
    if (proto->has_raw_data) convert_raw(type, raw.data, t);
    else convert_list(proto, type, t);
    return TIPS_OK;
}

static tips_status read_tensor(const tips_onnx *file, const Onnx__TensorProto *proto, onnx_tensor *out) {
    const element_type *type = find_type(proto->data_type);
    onnx_tensor t = {.type = proto->data_type, .n_dims = (int)proto->n_dims};
    if (!type) TIPS_FAIL(TIPS_UNSUPPORTED, "its element type (number %d) is not supported", proto->data_type);
    if (proto->n_dims > TIPS_ONNX_MAX_DIMS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it has %zu dimensions; at most %d are supported", proto->n_dims,
                  TIPS_ONNX_MAX_DIMS);
    if (proto->segment) TIPS_FAIL(TIPS_UNSUPPORTED, "it is stored in segments");
    for (int i = 0; i < t.n_dims; i++) t.dims[i] = proto->dims[i];
    TIPS_TRY(tips__onnx_elements(t.dims, t.n_dims, &t.elements));
    const bool is_outside = proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    if (is_outside) TIPS_TRY(read_external(file, proto, type, &t));
    else TIPS_TRY(read_inside(file, proto, type, &t));
    *out = t;
    return TIPS_OK;
}

tips_status tips__onnx_tensor_read(const tips_onnx *file, const Onnx__TensorProto *proto, onnx_tensor *out) {
    const tips_status status = read_tensor(file, proto, out);
    if (status == TIPS_OK) return TIPS_OK;
    char where[ONNX_SHOWN + 16] = "a tensor";
    if (proto->name && proto->name[0]) snprintf(where, sizeof where, "tensor '%.*s'", ONNX_SHOWN, proto->name);
    return tips__fail_within(status, where);
}

static tips_status copy_floats(const onnx_tensor *t, tips_onnx_floats *out) {
    tips_onnx_floats result = {.n_dims = t->n_dims, .elements = t->elements};
    memcpy(result.dims, t->dims, sizeof result.dims);
    TIPS_TRY(tips__new(&result.data, t->elements * sizeof *result.data, "a tensor"));
    for (size_t i = 0; i < t->elements; i++) result.data[i] = t->floats ? t->floats[i] : (float)t->ints[i];
    *out = result;
    return TIPS_OK;
}

tips_status tips__onnx_initialiser(const tips_onnx *file, const char *name, tips_onnx_floats *out) {
    const int value = tips__onnx_find_value(file, name);
    if (value == ONNX_NONE || file->sources[value].origin != ONNX_INITIALISER)
        TIPS_FAIL(TIPS_UNKNOWN, "%s: it has no initialiser '%.*s'", file->path, ONNX_SHOWN, name);
    onnx_tensor tensor;
    const tips_status read =
        tips__onnx_tensor_read(file, file->model->graph->initializer[file->sources[value].index], &tensor);
    if (read != TIPS_OK) return tips__fail_within(read, file->path);
    const tips_status status = copy_floats(&tensor, out);
    tips__onnx_tensor_free(&tensor);
    return status;
}

static size_t elements_of(const Onnx__TensorProto *proto) {
    size_t elements;
    return tips__onnx_elements(proto->dims, (int)proto->n_dims, &elements) == TIPS_OK ? elements : 0;
}

const char *tips__onnx_stored_type(const tips_onnx *file) {
    enum { TYPES = sizeof element_types / sizeof *element_types };
    const Onnx__GraphProto *graph = file->model->graph;
    double numbers[TYPES] = {0};
    int most = 0; /* float32 */
    for (size_t i = 0; i < graph->n_initializer; i++) {
        const element_type *type = find_type(graph->initializer[i]->data_type);
        if (type && type->is_float) numbers[type - element_types] += (double)elements_of(graph->initializer[i]);
    }
    for (int i = 0; i < TYPES; i++)
        if (numbers[i] > numbers[most]) most = i;
    return most ? element_types[most].name : NULL;
}
