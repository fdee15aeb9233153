/* Tensors that lie in a file beside the model: inside its folder, and nowhere else. */
#include "onnx/onnx_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_PATH = 1024 };

typedef struct place {
    const char *location;
    uint64_t offset, length;
    bool has_length;
} place;

static tips_status parse_number(const char *text, uint64_t *out) {
    uint64_t value = 0;
    if (!text[0]) TIPS_FAIL(TIPS_FORMAT, "its place in another file is not a number");
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > (UINT64_MAX >> 2) / 10)
            TIPS_FAIL(TIPS_FORMAT, "its place in another file is not a whole number");
        value = value * 10 + (uint64_t)(*text - '0');
    }
    *out = value;
    return TIPS_OK;
}

static tips_status parse_place(const Onnx__TensorProto *proto, place *out) {
    *out = (place){0};
    for (size_t i = 0; i < proto->n_external_data; i++) {
        const Onnx__StringStringEntryProto *entry = proto->external_data[i];
        if (!entry->key || !entry->value) continue;
        if (strcmp(entry->key, "location") == 0) out->location = entry->value;
        if (strcmp(entry->key, "offset") == 0) TIPS_TRY(parse_number(entry->value, &out->offset));
        if (strcmp(entry->key, "length") == 0) {
            TIPS_TRY(parse_number(entry->value, &out->length));
            out->has_length = true;
        }
    }
    if (!out->location || !out->location[0]) TIPS_FAIL(TIPS_FORMAT, "it lies in another file that is not named");
    return TIPS_OK;
}

static tips_status open_folder(const char *path, int *out) {
    char folder[LONGEST_PATH * 4];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 2;
    if (length >= sizeof folder) TIPS_FAIL(TIPS_IO, "the path of the model is too long");
    memcpy(folder, slash ? path : "./", length);
    folder[length] = '\0';
    *out = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*out < 0) TIPS_FAIL(TIPS_IO, "the folder of the model cannot be opened: %s", strerror(errno));
    return TIPS_OK;
}

/* One part of the path at a time, none of them a link: nothing leads out of the folder. Takes over `folder`. */
static tips_status open_inside(int folder, char *location, int *out) {
    for (char *part = location, *next; part; part = next) {
        next = strchr(part, '/');
        if (next) *next++ = '\0';
        const bool is_here = !part[0] || strcmp(part, ".") == 0;
        if (is_here && next) continue;
        const bool is_up = is_here || strcmp(part, "..") == 0;
        const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (next ? O_DIRECTORY : 0);
        const int inner = is_up ? -1 : openat(folder, part, flags);
        const int reason = errno;
        close(folder);
        if (is_up) TIPS_FAIL(TIPS_FORMAT, "the file of its data lies outside of the model's folder");
        if (inner < 0 && (reason == ELOOP || reason == ENOTDIR))
            TIPS_FAIL(TIPS_FORMAT, "the file of its data is reached through a link, which is not followed");
        if (inner < 0) TIPS_FAIL(TIPS_IO, "the file of its data cannot be opened: %s", strerror(reason));
        folder = inner;
    }
    *out = folder;
    return TIPS_OK;
}

static tips_status open_data(const tips_onnx *file, const char *location, int *out) {
    char path[LONGEST_PATH];
    int folder = -1;
    if (location[0] == '/')
        TIPS_FAIL(TIPS_FORMAT, "the file of its data has an absolute path; a relative one is needed");
    if (strlen(location) >= sizeof path) TIPS_FAIL(TIPS_FORMAT, "the path of its data is too long");
    memcpy(path, location, strlen(location) + 1);
    TIPS_TRY(open_folder(file->path, &folder));
    return open_inside(folder, path, out);
}

static tips_status read_bytes(int descriptor, uint64_t at, unsigned char *to, size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = pread(descriptor, to, bytes, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) TIPS_FAIL(TIPS_IO, "the file of its data cannot be read: %s", strerror(errno));
        if (got == 0) TIPS_FAIL(TIPS_IO, "the file of its data became shorter while it was read");
        to += got;
        at += (uint64_t)got;
        bytes -= (size_t)got;
    }
    return TIPS_OK;
}

static tips_status read_place(int descriptor, const place *p, size_t bytes, unsigned char **out) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) TIPS_FAIL(TIPS_IO, "the file of its data cannot be read: %s", strerror(errno));
    if (!S_ISREG(info.st_mode)) TIPS_FAIL(TIPS_IO, "the file of its data is not a regular file");
    const uint64_t size = (uint64_t)info.st_size;
    if (p->offset > size || bytes > size - p->offset)
        TIPS_FAIL(TIPS_FORMAT, "its %zu bytes from %llu on do not lie within the %llu of the file of its data", bytes,
                  (unsigned long long)p->offset, (unsigned long long)size);
    TIPS_TRY(tips__new(out, bytes, "a tensor"));
    const tips_status status = read_bytes(descriptor, p->offset, *out, bytes);
    if (status != TIPS_OK) tips__free(*out);
    return status;
}

tips_status tips__onnx_external(const tips_onnx *file, const Onnx__TensorProto *proto, size_t bytes,
                                unsigned char **out) {
    place p;
    int descriptor = -1;
    TIPS_TRY(parse_place(proto, &p));
    if (p.has_length && p.length != bytes)
        TIPS_FAIL(TIPS_FORMAT, "its shape takes %zu bytes, but %llu lie in the other file", bytes,
                  (unsigned long long)p.length);
    TIPS_TRY(open_data(file, p.location, &descriptor));
    const tips_status status = read_place(descriptor, &p, bytes, out);
    close(descriptor);
    return status;
}
