/* A walk through the bytes of a model before protobuf-c unpacks them: how deep messages nest, and what they will take.
 */
#include "onnx/onnx_parts.h"

#include "core/fail.h"

enum { DEEPEST = 24 };

typedef struct reader {
    const uint8_t *at, *end;
    size_t *memory;
} reader;

static tips_status varint(reader *r, uint64_t *out) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (r->at == r->end) TIPS_FAIL(TIPS_FORMAT, "it is truncated, or no ONNX file");
        const uint8_t byte = *r->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return TIPS_OK;
        }
    }
    TIPS_FAIL(TIPS_FORMAT, "it holds a number of more than ten bytes; is it an ONNX file?");
}

static tips_status skip(reader *r, uint64_t bytes) {
    if (bytes > (uint64_t)(r->end - r->at)) TIPS_FAIL(TIPS_FORMAT, "it is truncated, or no ONNX file");
    r->at += bytes;
    return TIPS_OK;
}

static tips_status scan_message(reader *r, const ProtobufCMessageDescriptor *type, int depth);

static tips_status scan_block(reader *r, const ProtobufCFieldDescriptor *field, int depth) {
    uint64_t length = 0;
    TIPS_TRY(varint(r, &length));
    reader inner = {r->at, r->at, r->memory};
    TIPS_TRY(skip(r, length));
    inner.end = r->at;
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE) return scan_message(&inner, field->descriptor, depth + 1);
    /* A packed number of one byte becomes one of up to eight; unknown fields and texts are copied. */
    const bool is_packed = field && field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_BYTES;
    *r->memory += (is_packed ? 8 : 1) * (size_t)length + 16;
    return TIPS_OK;
}

static tips_status scan_field(reader *r, const ProtobufCMessageDescriptor *type, int depth) {
    uint64_t key = 0, ignored;
    TIPS_TRY(varint(r, &key));
    if (key >> 3 == 0 || key >> 32) TIPS_FAIL(TIPS_FORMAT, "a field has no valid number; is it an ONNX file?");
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3));
    *r->memory += 40; /* protobuf-c's note of a field, and an element of a list */
    switch (key & 7) {
    case PROTOBUF_C_WIRE_TYPE_VARINT: return varint(r, &ignored);
    case PROTOBUF_C_WIRE_TYPE_64BIT: return skip(r, 8);
    case PROTOBUF_C_WIRE_TYPE_32BIT: return skip(r, 4);
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED: return scan_block(r, field, depth);
    default: TIPS_FAIL(TIPS_FORMAT, "a field is of an unknown kind; is it an ONNX file?");
    }
}

static tips_status scan_message(reader *r, const ProtobufCMessageDescriptor *type, int depth) {
    if (depth > DEEPEST) TIPS_FAIL(TIPS_FORMAT, "its messages nest more than %d levels deep", DEEPEST);
    *r->memory += type->sizeof_message + 16;
    while (r->at < r->end) TIPS_TRY(scan_field(r, type, depth));
    return TIPS_OK;
}

tips_status tips__onnx_scan(const uint8_t *data, size_t bytes, size_t *memory) {
    reader r = {data, data + bytes, memory};
    *memory = 0;
    return scan_message(&r, &onnx__model_proto__descriptor, 0);
}
