/* MATLAB files of version 5: a header, then elements of type, size and data. An element is a variable, or a variable
 * compressed with zlib, whose checksum must be right: a damaged file must not become wrong labels. */
#include "data/mat_read.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/data_stream.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { HEADER = 128, MOST_FILE = 1 << 28, MOST_NAME = 64, MATRIX = 14, COMPRESSED = 15 };

/* Bytes of a file, or of what was compressed in it. */
typedef struct span {
    const char *path;
    const uint8_t *bytes;
    size_t size;
    bool swapped; /* big-endian */
} span;

typedef struct element {
    uint32_t type;
    span data;
} element;

static uint64_t number_at(const span *s, size_t at, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)s->bytes[at + (size_t)i] << 8 * (s->swapped ? size - 1 - i : i);
    return value;
}

static tips_status cut_short(const span *s) { TIPS_FAIL(TIPS_FORMAT, "%s: cut short, or damaged", s->path); }

/* The element at `*at`, which moves behind it. Up to four bytes may lie in the tag itself. */
static tips_status next_element(const span *s, size_t *at, element *out) {
    if (s->size - *at < 8) return cut_short(s);
    const uint32_t type = (uint32_t)number_at(s, *at, 4);
    const bool is_small = type >> 16 != 0;
    const size_t size = is_small ? type >> 16 : number_at(s, *at + 4, 4), start = *at + (is_small ? 4 : 8);
    if (size > s->size - start || (is_small && size > 4)) return cut_short(s);
    *out = (element){type & 0xffff, *s};
    out->data.bytes = s->bytes + start;
    out->data.size = size;
    const size_t padded = out->type == COMPRESSED || is_small ? size : (size + 7) / 8 * 8;
    *at = is_small ? *at + 8 : padded > s->size - start ? s->size : start + padded;
    return TIPS_OK;
}

/* The size of a number of this type and its value; 0 for types that are not numbers. */
static size_t number_size(uint32_t type) {
    static const uint8_t sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    return type < sizeof sizes ? sizes[type] : 0;
}

static double value_at(const element *e, size_t i) {
    const size_t size = number_size(e->type);
    const uint64_t bits = number_at(&e->data, i * size, (int)size);
    const uint32_t low = (uint32_t)bits;
    float single;
    double real;
    switch (e->type) {
    case 1: return (int8_t)bits;
    case 3: return (int16_t)bits;
    case 5: return (int32_t)bits;
    case 7: memcpy(&single, &low, sizeof single); return (double)single;
    case 9: memcpy(&real, &bits, sizeof real); return real;
    case 12: return (double)(int64_t)bits;
    default: return (double)bits;
    }
}

/* A variable: flags, dimensions, name, values. */
typedef struct variable {
    bool is_vector; /* of real numbers */
    char name[MOST_NAME];
    element values;
} variable;

static tips_status read_variable(const span *s, variable *out) {
    enum { COMPLEX = 0x800, FIRST_NUMBERS = 6, LAST_NUMBERS = 15 };
    size_t at = 0;
    element flags = {0}, dims = {0}, name = {0};
    *out = (variable){.is_vector = false};
    TIPS_TRY(next_element(s, &at, &flags));
    TIPS_TRY(next_element(s, &at, &dims));
    TIPS_TRY(next_element(s, &at, &name));
    if (flags.data.size < 4 || dims.data.size < 8) return cut_short(s);
    if (name.data.size >= sizeof out->name) return TIPS_OK; /* none of ours */
    memcpy(out->name, name.data.bytes, name.data.size);
    const uint64_t bits = number_at(&flags.data, 0, 4), class = bits & 0xff;
    const uint64_t rows = number_at(&dims.data, 0, 4), columns = number_at(&dims.data, 4, 4);
    if (class < FIRST_NUMBERS || class > LAST_NUMBERS || bits & COMPLEX || dims.data.size != 8) return TIPS_OK;
    TIPS_TRY(next_element(s, &at, &out->values));
    const size_t each = number_size(out->values.type);
    out->is_vector = each > 0 && (rows == 1 || columns == 1) && out->values.data.size == rows * columns * each;
    return TIPS_OK;
}

static tips_status convert(const char *path, const variable *v, int **out, int *count) {
    if (!v->is_vector || v->values.data.size == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: '%s' is not a vector of numbers", path, v->name);
    const size_t n = v->values.data.size / number_size(v->values.type);
    int *values;
    TIPS_TRY(tips__new(&values, n * sizeof *values, "a vector"));
    for (size_t i = 0; i < n; i++) {
        const double value = value_at(&v->values, i);
        if (!(value >= INT_MIN && value <= INT_MAX && value == floor(value))) {
            tips__free(values);
            TIPS_FAIL(TIPS_FORMAT, "%s: '%s' holds %g, which is not a whole number", path, v->name, value);
        }
        values[i] = (int)value;
    }
    *out = values;
    *count = (int)n;
    return TIPS_OK;
}

#ifdef TIPS_HAVE_ZLIB
#include <zlib.h>

enum { CHUNK = 1 << 16, MOST_UNPACKED = 1 << 28 };

/* Inflates until the stream ends or the room does. */
static tips_status fill(const span *packed, z_stream *z, uint8_t **bytes) {
    size_t room = 0;
    for (int code = Z_OK; code != Z_STREAM_END;) {
        const size_t larger = room ? 2 * room : CHUNK;
        uint8_t *grown = larger > MOST_UNPACKED ? NULL : tips__grow(*bytes, room, larger);
        if (!grown) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory for %zu bytes", packed->path, larger);
        *bytes = grown;
        z->next_out = grown + room;
        z->avail_out = (uInt)(larger - room);
        code = inflate(z, Z_NO_FLUSH);
        if (code != Z_STREAM_END && (code != Z_OK || z->avail_out > 0))
            TIPS_FAIL(TIPS_FORMAT, "%s: the compressed data are damaged", packed->path);
        room = larger;
    }
    return TIPS_OK;
}

/* `*bytes` is the caller's even on failure. */
static tips_status unpack(const span *packed, uint8_t **bytes, size_t *size) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)packed->bytes, .avail_in = (uInt)packed->size};
    if (inflateInit(&z) != Z_OK) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory", packed->path);
    const tips_status status = fill(packed, &z, bytes);
    *size = z.total_out;
    inflateEnd(&z);
    return status;
}

#else

static tips_status unpack(const span *packed, uint8_t **bytes, size_t *size) {
    (void)bytes, (void)size;
    TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no compressed MATLAB files (it lacks zlib)", packed->path);
}

#endif

static tips_status take_if_named(const element *e, const char *name, bool *found, int **out, int *count) {
    variable v;
    if (e->type != MATRIX || e->data.size == 0) return TIPS_OK;
    TIPS_TRY(read_variable(&e->data, &v));
    if (strcmp(v.name, name) != 0) return TIPS_OK;
    *found = true;
    return convert(e->data.path, &v, out, count);
}

static tips_status take_packed(const element *e, const char *name, bool *found, int **out, int *count) {
    uint8_t *bytes = NULL;
    span unpacked = e->data;
    element inner = {0};
    size_t at = 0;
    tips_status status = unpack(&e->data, &bytes, &unpacked.size);
    unpacked.bytes = bytes;
    if (status == TIPS_OK) status = next_element(&unpacked, &at, &inner);
    if (status == TIPS_OK) status = take_if_named(&inner, name, found, out, count);
    tips__free(bytes);
    return status;
}

static tips_status find(span *file, const char *name, int **out, int *count) {
    bool found = false;
    file->swapped = file->size >= HEADER && memcmp(file->bytes + HEADER - 4, "\1\0MI", 4) == 0;
    if (!file->swapped && (file->size < HEADER || memcmp(file->bytes + HEADER - 4, "\0\1IM", 4) != 0))
        TIPS_FAIL(TIPS_FORMAT, "%s: not a MATLAB file of version 5", file->path);
    for (size_t at = HEADER; at < file->size && !found;) {
        element e = {0};
        TIPS_TRY(next_element(file, &at, &e));
        if (e.type == COMPRESSED) TIPS_TRY(take_packed(&e, name, &found, out, count));
        else TIPS_TRY(take_if_named(&e, name, &found, out, count));
    }
    if (!found) TIPS_FAIL(TIPS_FORMAT, "%s: has no variable '%s'", file->path, name);
    return TIPS_OK;
}

tips_status tips__mat_read(const char *path, const char *name, int **out, int *count) {
    tips_stream *stream;
    uint8_t *bytes = NULL;
    span file = {.path = path};
    TIPS_TRY(tips__stream_open(path, &stream));
    tips_status status = tips__stream_take_all(stream, MOST_FILE, &bytes, &file.size);
    tips__stream_close(stream);
    file.bytes = bytes;
    if (status == TIPS_OK) status = find(&file, name, out, count);
    tips__free(bytes);
    return status;
}
