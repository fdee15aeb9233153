/* A walk through the bytes of a model before protobuf-c unpacks them: how deep messages nest, and what they will take;
 * then once more, to copy all but the bytes of large tensors, which protobuf-c would copy for us to copy again.
 *
 * In place of those stands a note of where they lie. A note has ONNX_NOTE bytes; tensors that really have so many are
 * replaced by a note as well, so that none can be taken for one. Messages get shorter thereby, but their lengths keep
 * as many bytes as they had: a number may have more bytes than it needs. */
#include "onnx/onnx_parts.h"

#include "core/fail.h"

#include <string.h>

enum { DEEPEST = 24, RAW_DATA = 9, LEAST_NOTED = 4096, LENGTH_BITS = 7 };

typedef struct reader {
    uint8_t *at, *end;
    uint8_t *start; /* of the file */
    onnx_slim *slim;
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

/* Without a buffer it is only counted what would be written. */
static void put(onnx_slim *slim, const void *bytes, size_t count) {
    if (slim->data) memcpy(slim->data + slim->bytes, bytes, count);
    slim->bytes += count;
}

/* A length in as many bytes as the one at `was`, which is no smaller. */
static void put_length(const onnx_slim *slim, size_t at, const uint8_t *was, uint64_t length) {
    if (!slim->data) return;
    for (const uint8_t *byte = was;; byte++, length >>= LENGTH_BITS) {
        slim->data[at++] = (uint8_t)(*byte & 0x80) | (uint8_t)(length & 0x7f);
        if (*byte < 0x80) return;
    }
}

static tips_status scan_message(reader *r, const ProtobufCMessageDescriptor *type, int depth);

/* A block as protobuf lays it out: the key from `key` on, the length from `length_at` on, the content. */
typedef struct block {
    const uint8_t *key, *length_at;
    uint8_t *content;
    size_t length;
} block;

static tips_status slim_message(const reader *r, const ProtobufCMessageDescriptor *type, const block *b, int depth) {
    reader inner = {b->content, b->content + b->length, r->start, r->slim};
    const size_t before = r->slim->bytes, header = (size_t)(b->content - b->key);
    put(r->slim, b->key, header);
    TIPS_TRY(scan_message(&inner, type, depth + 1));
    put_length(r->slim, before + (size_t)(b->length_at - b->key), b->length_at, r->slim->bytes - before - header);
    return TIPS_OK;
}

/* Numbers of four bytes are moved to where such numbers may lie, by at most three bytes: over their own length, which
 * nobody reads any more. */
static size_t settle(const reader *r, const block *b) {
    const size_t at = (size_t)(b->content - r->start), aligned = at / sizeof(float) * sizeof(float);
    if (b->length < LEAST_NOTED || b->length % sizeof(float) || at == aligned) return at;
    if (r->slim->data) memmove(r->start + aligned, b->content, b->length);
    return aligned;
}

static void slim_tensor(const reader *r, const block *b) {
    const size_t before = r->slim->bytes;
    put(r->slim, b->key, (size_t)(b->content - b->key));
    put_length(r->slim, before + (size_t)(b->length_at - b->key), b->length_at, ONNX_NOTE);
    const uint64_t place[2] = {settle(r, b), b->length};
    unsigned char note[ONNX_NOTE] = {0};
    memcpy(note, place, sizeof place);
    put(r->slim, note, sizeof note);
    r->slim->memory += ONNX_NOTE + 16;
}

static bool is_noted(const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field, size_t length) {
    return type == &tips__onnx__tensor_proto__descriptor && field && field->id == RAW_DATA &&
           (length >= LEAST_NOTED || length == ONNX_NOTE);
}

static tips_status scan_block(reader *r, const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *field,
                              const uint8_t *key, int depth) {
    uint64_t length = 0;
    block b = {.key = key, .length_at = r->at};
    TIPS_TRY(varint(r, &length));
    b.content = r->at;
    b.length = (size_t)length;
    TIPS_TRY(skip(r, length));
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE) return slim_message(r, field->descriptor, &b, depth);
    if (is_noted(type, field, b.length)) {
        slim_tensor(r, &b);
        return TIPS_OK;
    }
    /* A packed number of one byte becomes one of up to eight; unknown fields and texts are copied. */
    const bool is_packed = field && field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_BYTES;
    r->slim->memory += (is_packed ? 8 : 1) * b.length + 16;
    put(r->slim, key, (size_t)(r->at - key));
    return TIPS_OK;
}

static tips_status scan_number(reader *r, unsigned kind) {
    uint64_t ignored;
    switch (kind) {
    case PROTOBUF_C_WIRE_TYPE_VARINT: return varint(r, &ignored);
    case PROTOBUF_C_WIRE_TYPE_64BIT: return skip(r, 8);
    case PROTOBUF_C_WIRE_TYPE_32BIT: return skip(r, 4);
    default: TIPS_FAIL(TIPS_FORMAT, "a field is of an unknown kind; is it an ONNX file?");
    }
}

static tips_status scan_field(reader *r, const ProtobufCMessageDescriptor *type, int depth) {
    const uint8_t *start = r->at;
    uint64_t key = 0;
    TIPS_TRY(varint(r, &key));
    if (key >> 3 == 0 || key >> 32) TIPS_FAIL(TIPS_FORMAT, "a field has no valid number; is it an ONNX file?");
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, (unsigned)(key >> 3));
    r->slim->memory += 40; /* protobuf-c's note of a field, and an element of a list */
    if ((key & 7) == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) return scan_block(r, type, field, start, depth);
    TIPS_TRY(scan_number(r, (unsigned)(key & 7)));
    put(r->slim, start, (size_t)(r->at - start));
    return TIPS_OK;
}

static tips_status scan_message(reader *r, const ProtobufCMessageDescriptor *type, int depth) {
    if (depth > DEEPEST) TIPS_FAIL(TIPS_FORMAT, "its messages nest more than %d levels deep", DEEPEST);
    r->slim->memory += type->sizeof_message + 16;
    while (r->at < r->end) TIPS_TRY(scan_field(r, type, depth));
    return TIPS_OK;
}

tips_status tips__onnx_scan(uint8_t *data, size_t bytes, onnx_slim *slim) {
    reader r = {data, data + bytes, data, slim};
    slim->bytes = slim->memory = 0;
    return scan_message(&r, &tips__onnx__model_proto__descriptor, 0);
}

ProtobufCBinaryData tips__onnx_raw_data(const tips_onnx *file, const Onnx__TensorProto *proto) {
    uint64_t place[2];
    if (proto->raw_data.len != ONNX_NOTE) return proto->raw_data;
    memcpy(place, proto->raw_data.data, sizeof place);
    if (place[0] > file->bytes || place[1] > file->bytes - place[0]) return proto->raw_data; /* no note of ours */
    return (ProtobufCBinaryData){(size_t)place[1], file->data + place[0]};
}
