/* Opening a safetensors file and reading its tensors. Only the header is kept in memory. */
#include "exchange/safetensors_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "exchange/tensor_type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LENGTH_BYTES = 8, MOST_HEADER = 100000000, CHUNK = 32768 };

tips_status tips__safetensors_read_at(const tips_safetensors *file, uint64_t at, void *out, size_t bytes) {
    unsigned char *to = out;
    while (bytes > 0) {
        const ssize_t got = pread(file->descriptor, to, bytes, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) TIPS_FAIL(TIPS_IO, "it cannot be read: %s", strerror(errno));
        if (got == 0) TIPS_FAIL(TIPS_IO, "it became shorter while it was read");
        to += got;
        at += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return TIPS_OK;
}

/* Not blocking: a pipe without a writer would hang. */
static tips_status open_regular(tips_safetensors *file, uint64_t *size) {
    struct stat info;
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->descriptor < 0 || fstat(file->descriptor, &info) != 0)
        TIPS_FAIL(TIPS_IO, "it cannot be opened: %s", strerror(errno));
    if (!S_ISREG(info.st_mode)) TIPS_FAIL(TIPS_IO, "it is not a regular file");
    *size = (uint64_t)info.st_size;
    return TIPS_OK;
}

static tips_status read_length(tips_safetensors *file, uint64_t size, size_t *out) {
    unsigned char bytes[LENGTH_BYTES];
    uint64_t length = 0;
    if (size < LENGTH_BYTES) TIPS_FAIL(TIPS_FORMAT, "it has %d bytes, too few for a safetensors file", (int)size);
    TIPS_TRY(tips__safetensors_read_at(file, 0, bytes, sizeof bytes));
    for (int i = LENGTH_BYTES - 1; i >= 0; i--) length = length << 8 | bytes[i];
    if (length > MOST_HEADER)
        TIPS_FAIL(TIPS_FORMAT, "a header of %llu bytes is more than the %d allowed; is it a safetensors file?",
                  (unsigned long long)length, MOST_HEADER);
    if (length > size - LENGTH_BYTES)
        TIPS_FAIL(TIPS_FORMAT,
                  "its header has %llu bytes, but only %llu follow: it is truncated, or no safetensors file",
                  (unsigned long long)length, (unsigned long long)(size - LENGTH_BYTES));
    *out = (size_t)length;
    return TIPS_OK;
}

static tips_status read_header(tips_safetensors *file) {
    uint64_t size = 0;
    size_t length = 0;
    char *header;
    TIPS_TRY(open_regular(file, &size));
    TIPS_TRY(read_length(file, size, &length));
    file->data_begin = LENGTH_BYTES + length;
    file->data_bytes = size - file->data_begin;
    TIPS_TRY(tips__new(&header, length, "a header"));
    tips_status status = tips__safetensors_read_at(file, LENGTH_BYTES, header, length);
    if (status == TIPS_OK) status = tips__safetensors_parse(file, header, length);
    if (status == TIPS_OK) status = tips__safetensors_arrange(file);
    if (status == TIPS_OK) status = tips__safetensors_verify(file, header, length);
    tips__free(header);
    return status;
}

tips_status tips__safetensors_open(const char *path, tips_safetensors **out) {
    tips_safetensors *file;
    TIPS_TRY(tips__new_zero(&file, sizeof *file, "a safetensors file"));
    file->descriptor = -1;
    file->path = tips__strdup(path);
    tips_status status = file->path ? read_header(file) : tips__fail(TIPS_MEMORY, "out of memory for a path");
    if (status == TIPS_OK) {
        *out = file;
        return TIPS_OK;
    }
    tips__safetensors_close(file);
    return tips__fail_within(status, path);
}

void tips__safetensors_close(tips_safetensors *file) {
    if (!file) return;
    if (file->descriptor >= 0) close(file->descriptor);
    tips__free(file->path);
    tips__free(file->entries);
    tips__free(file->by_name);
    tips__free(file->metadata);
    tips__free(file->texts);
    tips__free(file);
}

bool tips__safetensors_is_verified(const tips_safetensors *file) { return file->is_verified; }

int tips__safetensors_count(const tips_safetensors *file) { return file->count; }

const tips_tensor_entry *tips__safetensors_entry(const tips_safetensors *file, int i) { return &file->entries[i]; }

int tips__safetensors_metadata_count(const tips_safetensors *file) { return file->n_metadata; }

void tips__safetensors_metadata_at(const tips_safetensors *file, int i, const char **key, const char **value) {
    *key = file->metadata[i].key;
    *value = file->metadata[i].value;
}

size_t tips__tensor_elements(const tips_tensor_entry *entry) {
    size_t elements = 1;
    for (int i = 0; i < entry->n_dims; i++) elements *= (size_t)entry->dims[i];
    return elements;
}

/* Chunk by chunk through a small buffer. */
static tips_status convert(const tips_safetensors *file, const tips_tensor_type *type, uint64_t at, float *out,
                           size_t elements) {
    unsigned char bytes[CHUNK];
    const size_t width = (size_t)type->bits / 8, most = CHUNK / width;
    for (size_t done = 0, part; done < elements; done += part) {
        part = elements - done < most ? elements - done : most;
        TIPS_TRY(tips__safetensors_read_at(file, at + done * width, bytes, part * width));
        type->to_float(bytes, part, out + done);
    }
    return TIPS_OK;
}

tips_status tips__safetensors_read(const tips_safetensors *file, int i, float *out, size_t elements) {
    const tips_tensor_entry *e = &file->entries[i];
    const tips_tensor_type *type = tips__tensor_type_find(e->dtype, strlen(e->dtype));
    if (tips__tensor_elements(e) != elements)
        TIPS_FAIL(TIPS_SHAPE, "tensor '%.80s' has %zu elements, not %zu", e->name, tips__tensor_elements(e), elements);
    if (!type->to_float)
        TIPS_FAIL(TIPS_UNSUPPORTED, "tensor '%.80s': dtype %s cannot be read as numbers", e->name, e->dtype);
    if (strcmp(type->name, "F32") == 0)
        return tips__safetensors_read_at(file, file->data_begin + e->begin, out, elements * sizeof *out);
    return convert(file, type, file->data_begin + e->begin, out, elements);
}
