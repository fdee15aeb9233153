/* The JSON header, read event by event:
 *     {"__metadata__": {"key": "value", ...}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
 */
#include "exchange/safetensors_parts.h"

#include "core/fail.h"
#include "core/json_read.h"
#include "core/memory.h"
#include "exchange/tensor_type.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { DEPTH = 3, SHOWN = 80 };
enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4, ALL_FIELDS = 7 };

typedef struct header_reader {
    tips_safetensors *file;
    bool in_metadata, has_metadata;
    tips_tensor_entry entry;      /* the one being read */
    const tips_tensor_type *type; /* its */
    unsigned seen, field;         /* fields that were read, and the one whose value follows */
    int n_offsets;
    const char *key; /* of the metadata */
} header_reader;

static bool is_key(const tips_json_event *e, const char *text) {
    return e->length == strlen(text) && memcmp(e->text, text, e->length) == 0;
}

/* A terminated copy; there is room for all texts of the header. */
static const char *keep(tips_safetensors *file, const tips_json_event *e) {
    char *copy = file->texts + file->texts_used;
    memcpy(copy, e->text, e->length);
    copy[e->length] = '\0';
    file->texts_used += e->length + 1;
    return copy;
}

/* Names are shown in messages and on terminals. */
static tips_status check_plain(const tips_json_event *e, const char *what) {
    for (size_t i = 0; i < e->length; i++) {
        const unsigned char c = (unsigned char)e->text[i];
        if (c < 0x20 || c == 0x7f) TIPS_FAIL(TIPS_FORMAT, "%s holds a control character", what);
    }
    return TIPS_OK;
}

static tips_status grow(void *array, int count, int *capacity, size_t item, const char *what) {
    void *items;
    if (count < *capacity) return TIPS_OK;
    const int larger = *capacity ? 2 * *capacity : 64;
    memcpy(&items, array, sizeof items); /* a pointer to any kind of item */
    void *memory = tips__grow(items, (size_t)count * item, (size_t)larger * item);
    if (!memory) TIPS_FAIL(TIPS_MEMORY, "out of memory for %s", what);
    memcpy(array, &memory, sizeof memory);
    *capacity = larger;
    return TIPS_OK;
}

static tips_status begin_entry(header_reader *r, const tips_json_event *e) {
    TIPS_TRY(check_plain(e, "the name of a tensor"));
    r->in_metadata = is_key(e, "__metadata__");
    if (r->in_metadata && r->has_metadata) TIPS_FAIL(TIPS_FORMAT, "__metadata__ occurs twice");
    r->has_metadata = r->has_metadata || r->in_metadata;
    r->entry = (tips_tensor_entry){.name = keep(r->file, e)};
    r->seen = r->field = 0;
    r->n_offsets = 0;
    return TIPS_OK;
}

/* Multiplies unless the product has no place in 63 bits. */
static bool multiply(uint64_t *value, uint64_t factor) {
    if (factor && *value > (uint64_t)INT64_MAX / factor) return false;
    *value *= factor;
    return true;
}

static tips_status check_bytes(const tips_tensor_entry *e, const tips_tensor_type *type) {
    uint64_t bits = (uint64_t)type->bits;
    bool fits = true, is_empty = false;
    for (int i = 0; i < e->n_dims; i++) is_empty = is_empty || e->dims[i] == 0;
    for (int i = 0; i < e->n_dims && !is_empty; i++) fits = fits && multiply(&bits, (uint64_t)e->dims[i]);
    if (!fits) TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s': its shape has too many elements", SHOWN, e->name);
    if (is_empty) bits = 0;
    if (bits % 8) TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s': its elements do not fill whole bytes", SHOWN, e->name);
    if (e->begin > e->end) TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s': it ends before it begins", SHOWN, e->name);
    if (e->end - e->begin != bits / 8)
        TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s': its shape takes %llu bytes, its data_offsets say %llu", SHOWN, e->name,
                  (unsigned long long)(bits / 8), (unsigned long long)(e->end - e->begin));
    return TIPS_OK;
}

static tips_status end_entry(header_reader *r) {
    tips_safetensors *file = r->file;
    if (r->in_metadata) return TIPS_OK;
    if (r->seen != ALL_FIELDS)
        TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' has no %s", SHOWN, r->entry.name,
                  !(r->seen & DTYPE)   ? "dtype"
                  : !(r->seen & SHAPE) ? "shape"
                                       : "data_offsets");
    TIPS_TRY(check_bytes(&r->entry, r->type));
    if (r->entry.end > file->data_bytes)
        TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' ends at byte %llu of the data, but there are only %llu", SHOWN,
                  r->entry.name, (unsigned long long)r->entry.end, (unsigned long long)file->data_bytes);
    TIPS_TRY(grow(&file->entries, file->count, &file->capacity, sizeof *file->entries, "a list of tensors"));
    file->entries[file->count++] = r->entry;
    return TIPS_OK;
}

static tips_status begin_field(header_reader *r, const tips_json_event *e) {
    if (r->in_metadata) {
        TIPS_TRY(check_plain(e, "a key of __metadata__"));
        r->key = keep(r->file, e);
        return TIPS_OK;
    }
    r->field = is_key(e, "dtype") ? DTYPE : is_key(e, "shape") ? SHAPE : is_key(e, "data_offsets") ? OFFSETS : 0;
    if (!r->field) TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' has an unknown field", SHOWN, r->entry.name);
    if (r->seen & r->field) TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' has a field twice", SHOWN, r->entry.name);
    r->seen |= r->field;
    return TIPS_OK;
}

static tips_status take_metadata(header_reader *r, const tips_json_event *e) {
    tips_safetensors *file = r->file;
    if (e->kind != TIPS_JSON_TEXT) TIPS_FAIL(TIPS_FORMAT, "__metadata__: '%.*s' is not a text", SHOWN, r->key);
    TIPS_TRY(grow(&file->metadata, file->n_metadata, &file->metadata_capacity, sizeof *file->metadata, "metadata"));
    file->metadata[file->n_metadata++] = (safetensors_pair){r->key, keep(file, e)};
    return TIPS_OK;
}

static tips_status take_dtype(header_reader *r, const tips_json_event *e) {
    const int length = e->length < SHOWN ? (int)e->length : SHOWN;
    TIPS_TRY(check_plain(e, "a dtype"));
    r->type = tips__tensor_type_find(e->text, e->length);
    if (!r->type)
        TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' has the unknown dtype '%.*s'", SHOWN, r->entry.name, length, e->text);
    memcpy(r->entry.dtype, r->type->name, strlen(r->type->name) + 1);
    return TIPS_OK;
}

static tips_status take_field(header_reader *r, const tips_json_event *e) {
    if (r->in_metadata) return take_metadata(r, e);
    if (r->field == DTYPE && e->kind == TIPS_JSON_TEXT) return take_dtype(r, e);
    if (r->field != DTYPE && e->kind == TIPS_JSON_ARRAY) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s': its %s", SHOWN, r->entry.name,
              r->field == DTYPE   ? "dtype is not a text"
              : r->field == SHAPE ? "shape is not an array"
                                  : "data_offsets are not an array");
}

static tips_status take_number(header_reader *r, const tips_json_event *e) {
    tips_tensor_entry *entry = &r->entry;
    const char *what = r->field == SHAPE ? "shape" : "data_offsets";
    long long number;
    if (!tips__json_whole(e, &number))
        TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s': its %s must hold whole numbers from 0 to 2^63-1", SHOWN, entry->name,
                  what);
    if (r->field == SHAPE) {
        if (entry->n_dims == TIPS_TENSOR_MAX_DIMS)
            TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' has more than %d dimensions", SHOWN, entry->name,
                      TIPS_TENSOR_MAX_DIMS);
        entry->dims[entry->n_dims++] = number;
        return TIPS_OK;
    }
    if (r->n_offsets == 2) TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' has more than two data_offsets", SHOWN, entry->name);
    *(r->n_offsets++ ? &entry->end : &entry->begin) = (uint64_t)number;
    return TIPS_OK;
}

static tips_status end_array(const header_reader *r) {
    if (r->field == OFFSETS && r->n_offsets != 2)
        TIPS_FAIL(TIPS_FORMAT, "tensor '%.*s' has not got two data_offsets", SHOWN, r->entry.name);
    return TIPS_OK;
}

static tips_status visit(void *context, const tips_json_event *e) {
    header_reader *r = context;
    const bool is_object = e->kind == TIPS_JSON_OBJECT;
    if (e->depth == 0) {
        if (is_object || e->kind == TIPS_JSON_OBJECT_END) return TIPS_OK;
        TIPS_FAIL(TIPS_FORMAT, "the header is not a JSON object");
    }
    if (e->depth == 1) {
        if (e->kind == TIPS_JSON_KEY) return begin_entry(r, e);
        if (e->kind == TIPS_JSON_OBJECT_END) return end_entry(r);
        if (!is_object) TIPS_FAIL(TIPS_FORMAT, "'%.*s' is not a JSON object", SHOWN, r->entry.name);
        return TIPS_OK;
    }
    if (e->depth == 2) {
        if (e->kind == TIPS_JSON_KEY) return begin_field(r, e);
        return e->kind == TIPS_JSON_ARRAY_END ? end_array(r) : take_field(r, e);
    }
    return take_number(r, e);
}

tips_status tips__safetensors_parse(tips_safetensors *file, const char *header, size_t length) {
    header_reader r = {.file = file};
    if (length == 0 || header[0] != '{') TIPS_FAIL(TIPS_FORMAT, "the header does not begin with '{'");
    TIPS_TRY(tips__new(&file->texts, length, "the texts of a header"));
    file->texts_size = length;
    return tips__json_read(header, length, DEPTH, visit, &r);
}
