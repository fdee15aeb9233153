/* Files by zlib, which reads plain ones too, or by stdio in builds without it. */
#include "data/data_stream.h"

#include "core/fail.h"
#include "core/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 1 << 20, MOST_AT_ONCE = 1 << 28, MOST_PACKED = 1032 };

struct tips_stream {
    const char *path; /* borrowed: streams live within one call */
    void *handle;
};

#ifdef TIPS_HAVE_ZLIB
#include <zlib.h>

static void *open_handle(const char *path) { return gzopen(path, "rb"); }
static void close_handle(void *handle) { (void)gzclose(handle); }

static tips_status read_some(tips_stream *s, void *bytes, size_t size, size_t *got) {
    const int n = gzread(s->handle, bytes, (unsigned)size);
    int code = Z_OK;
    const char *text = gzerror(s->handle, &code);
    if (code == Z_BUF_ERROR) TIPS_FAIL(TIPS_FORMAT, "%s: the compressed data are cut short", s->path);
    if (n < 0 && code == Z_ERRNO) TIPS_FAIL(TIPS_IO, "%s: %s", s->path, strerror(errno));
    if (n < 0) TIPS_FAIL(TIPS_FORMAT, "%s: the compressed data are damaged (%s)", s->path, text);
    *got = (size_t)n;
    return TIPS_OK;
}

static tips_status check_start(tips_stream *s) {
    (void)s;
    return TIPS_OK;
}

#else

static void *open_handle(const char *path) { return fopen(path, "rb"); }
static void close_handle(void *handle) { fclose(handle); }

static tips_status read_some(tips_stream *s, void *bytes, size_t size, size_t *got) {
    *got = fread(bytes, 1, size, s->handle);
    if (ferror((FILE *)s->handle)) TIPS_FAIL(TIPS_IO, "%s: cannot be read", s->path);
    return TIPS_OK;
}

static tips_status check_start(tips_stream *s) {
    uint8_t start[2] = {0};
    const size_t got = fread(start, 1, sizeof start, s->handle);
    if (got == sizeof start && start[0] == 0x1f && start[1] == 0x8b)
        TIPS_FAIL(TIPS_UNSUPPORTED, "%s: this build reads no .gz (it lacks zlib); unpack it with gunzip", s->path);
    rewind(s->handle);
    return TIPS_OK;
}

#endif

tips_status tips__stream_open(const char *path, tips_stream **out) {
    tips_stream *stream;
    TIPS_TRY(tips__new_zero(&stream, sizeof *stream, "a file"));
    errno = 0;
    stream->path = path;
    stream->handle = open_handle(path);
    if (!stream->handle) {
        const int error = errno;
        tips__free(stream);
        TIPS_FAIL(error ? TIPS_IO : TIPS_MEMORY, "%s: %s", path, error ? strerror(error) : "out of memory");
    }
    const tips_status status = check_start(stream);
    if (status != TIPS_OK) tips__stream_close(stream);
    else *out = stream;
    return status;
}

void tips__stream_close(tips_stream *stream) {
    if (!stream) return;
    close_handle(stream->handle);
    tips__free(stream);
}

tips_status tips__stream_can_hold(const tips_stream *stream, uint64_t bytes) {
    struct stat info;
    if (stat(stream->path, &info) != 0 || !S_ISREG(info.st_mode)) return TIPS_OK;
    const uint64_t size = (uint64_t)info.st_size;
    if (bytes / MOST_PACKED <= size) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "%s: says that it holds %llu bytes, which a file of %llu cannot; it is cut short or damaged",
              stream->path, (unsigned long long)bytes, (unsigned long long)size);
}

tips_status tips__stream_read(tips_stream *stream, void *bytes, size_t size, size_t *got) {
    size_t done = 0;
    while (done < size) {
        size_t n = 0;
        const size_t left = size - done, wanted = left < MOST_AT_ONCE ? left : MOST_AT_ONCE;
        TIPS_TRY(read_some(stream, (uint8_t *)bytes + done, wanted, &n));
        if (n == 0) break;
        done += n;
    }
    *got = done;
    return TIPS_OK;
}

/* Reads until the end or `most` bytes. */
static tips_status gather(tips_stream *stream, size_t most, uint8_t **out, size_t *size) {
    size_t room = most < CHUNK ? most : CHUNK, done = 0, got = 0;
    uint8_t *bytes;
    TIPS_TRY(tips__new(&bytes, room, "the contents of a file"));
    tips_status status = tips__stream_read(stream, bytes, room, &got);
    for (done = got; status == TIPS_OK && done == room && room < most; done += got) {
        const size_t larger = most - room < room ? most : 2 * room;
        uint8_t *grown = tips__grow(bytes, done, larger);
        if (!grown) {
            status = tips__fail(TIPS_MEMORY, "%s: out of memory for %zu bytes", stream->path, larger);
            break;
        }
        bytes = grown;
        room = larger;
        status = tips__stream_read(stream, bytes + done, room - done, &got);
        if (status != TIPS_OK) break;
    }
    if (status != TIPS_OK) {
        tips__free(bytes);
        return status;
    }
    *out = bytes;
    *size = done;
    return TIPS_OK;
}

tips_status tips__stream_take(tips_stream *stream, size_t size, uint8_t **out) {
    uint8_t *bytes = NULL;
    size_t got = 0;
    TIPS_TRY(gather(stream, size, &bytes, &got));
    if (got < size) {
        tips__free(bytes);
        TIPS_FAIL(TIPS_FORMAT, "%s: cut short, %zu of %zu bytes after the header", stream->path, got, size);
    }
    *out = bytes;
    return TIPS_OK;
}

tips_status tips__stream_take_all(tips_stream *stream, size_t most, uint8_t **out, size_t *size) {
    uint8_t *bytes = NULL;
    size_t got = 0;
    TIPS_TRY(gather(stream, most, &bytes, &got));
    const tips_status status = got < most ? TIPS_OK : tips__stream_expect_end(stream);
    if (status != TIPS_OK) {
        tips__free(bytes);
        return status;
    }
    *out = bytes;
    *size = got;
    return TIPS_OK;
}

tips_status tips__stream_expect_end(tips_stream *stream) {
    uint8_t more;
    size_t got = 0;
    TIPS_TRY(tips__stream_read(stream, &more, 1, &got));
    if (got > 0) TIPS_FAIL(TIPS_FORMAT, "%s: longer than it should be", stream->path);
    return TIPS_OK;
}
