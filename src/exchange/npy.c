/* Reading and writing .npy files. */
#include "exchange/npy.h"

#include "core/atomic_file.h"
#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(sizeof(float) == 4, "a float has 32 bits");
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "values are copied as they lie: this needs a little-endian machine"
#endif

static const unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
enum { MAX_HEADER = 65536, ALIGNMENT = 64, HEADER_SIZE = 512 };

/* Magic, version and the header's length; the file is left at the header's text. */
static tips_status read_preamble(const char *path, FILE *file, size_t *length, size_t *offset) {
    unsigned char bytes[12] = {0};
    if (fread(bytes, 1, 8, file) != 8 || memcmp(bytes, magic, sizeof magic) != 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: is no .npy file", path);
    const int version = bytes[6];
    if (version < 1 || version > 3 || bytes[7] != 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: .npy version %d.%d is not known", path, version, bytes[7]);
    const size_t width = version == 1 ? 2 : 4;
    if (fread(bytes + 8, 1, width, file) != width) TIPS_FAIL(TIPS_FORMAT, "%s: ends within its header", path);
    *length = 0;
    for (size_t i = 0; i < width; i++) *length |= (size_t)bytes[8 + i] << 8 * i;
    *offset = 8 + width;
    if (*length > MAX_HEADER) TIPS_FAIL(TIPS_FORMAT, "%s: a .npy header of %zu bytes is not plausible", path, *length);
    return TIPS_OK;
}

static tips_status read_header(const char *path, FILE *file, tips_npy *out, size_t *data_offset) {
    size_t length = 0, offset = 0;
    char *text;
    TIPS_TRY(read_preamble(path, file, &length, &offset));
    TIPS_TRY(tips__new(&text, length + 1, "a .npy header"));
    const bool whole = fread(text, 1, length, file) == length;
    const tips_status status = whole ? tips__npy_parse_header(path, text, length, out)
                                     : tips__fail(TIPS_FORMAT, "%s: ends within its header", path);
    tips__free(text);
    *data_offset = offset + length;
    return status;
}

/* Before memory is taken: the file has exactly the bytes that the shape needs. */
static tips_status check_size(const char *path, FILE *file, const tips_npy *array, size_t data_offset) {
    struct stat info;
    const uint64_t wanted = (uint64_t)data_offset + 4 * (uint64_t)array->elements;
    if (fstat(fileno(file), &info) != 0) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode)) TIPS_FAIL(TIPS_IO, "%s: is not a regular file", path);
    if ((uint64_t)info.st_size != wanted)
        TIPS_FAIL(TIPS_FORMAT, "%s: has %lld bytes where its shape needs %llu", path, (long long)info.st_size,
                  (unsigned long long)wanted);
    return TIPS_OK;
}

static tips_status read_all(const char *path, FILE *file, tips_npy *out) {
    tips_npy array;
    size_t data_offset;
    TIPS_TRY(read_header(path, file, &array, &data_offset));
    TIPS_TRY(check_size(path, file, &array, data_offset));
    TIPS_TRY(tips__new(&array.data, array.elements * sizeof(float), "a .npy array"));
    if (fread(array.data, sizeof(float), array.elements, file) != array.elements) {
        tips__free(array.data);
        TIPS_FAIL(TIPS_IO, "%s: could not be read", path);
    }
    *out = array;
    return TIPS_OK;
}

tips_status tips__npy_read(const char *path, tips_npy *out) {
    FILE *file = fopen(path, "rb");
    if (!file) TIPS_FAIL(TIPS_IO, "%s: %s", path, strerror(errno));
    const tips_status status = read_all(path, file, out);
    fclose(file);
    return status;
}

void tips__npy_free(tips_npy *array) {
    tips__free(array->data);
    *array = (tips_npy){0};
}

/* Version 1.0, padded with blanks so that the data begins at a multiple of 64. Returns its size. */
static size_t make_header(int n_dims, const int64_t *dims, unsigned char out[HEADER_SIZE]) {
    char text[HEADER_SIZE - 64];
    size_t at = (size_t)snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (int i = 0; i < n_dims; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%lld%s", (long long)dims[i],
                               i + 1 < n_dims ? ", "
                               : n_dims == 1  ? ","
                                              : "");
    at += (size_t)snprintf(text + at, sizeof text - at, "), }");
    const size_t total = (10 + at + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, length = total - 10;
    memcpy(out, magic, sizeof magic);
    out[6] = 1, out[7] = 0;
    out[8] = (unsigned char)(length & 255), out[9] = (unsigned char)(length >> 8);
    memset(out + 10, ' ', length);
    memcpy(out + 10, text, at);
    out[total - 1] = '\n';
    return total;
}

tips_status tips__npy_write(const char *path, int n_dims, const int64_t *dims, const float *data) {
    unsigned char header[HEADER_SIZE];
    tips_atomic_file *file;
    size_t elements = 1;
    if (n_dims < 0 || n_dims > TIPS_NPY_MAX_DIMS) TIPS_FAIL(TIPS_RANGE, "%s: %d dimensions", path, n_dims);
    for (int i = 0; i < n_dims; i++) elements *= (size_t)dims[i];
    const size_t header_size = make_header(n_dims, dims, header);
    TIPS_TRY(tips__atomic_open(path, &file));
    tips_status status = tips__atomic_write(file, header, header_size);
    if (status == TIPS_OK) status = tips__atomic_write(file, data, elements * sizeof *data);
    if (status == TIPS_OK) return tips__atomic_commit(file);
    tips__atomic_abandon(file);
    return status;
}
