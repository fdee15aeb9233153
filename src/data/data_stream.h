/* A file read from front to back, plain or compressed with gzip. */
#ifndef TIPS_DATA_DATA_STREAM_H
#define TIPS_DATA_DATA_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

typedef struct tips_stream tips_stream;

tips_status tips__stream_open(const char *path, tips_stream **out) TIPS_MUST_CHECK;
void tips__stream_close(tips_stream *stream);
/* Up to `size` bytes; fewer only at the end. */
tips_status tips__stream_read(tips_stream *stream, void *bytes, size_t size, size_t *got) TIPS_MUST_CHECK;
/* Exactly `size` bytes in new memory that grows as they come, so that a header that lies costs nothing. A file that
 * ends before is an error. */
tips_status tips__stream_take(tips_stream *stream, size_t size, uint8_t **out) TIPS_MUST_CHECK;
/* All that is left, at most `most` bytes. */
tips_status tips__stream_take_all(tips_stream *stream, size_t most, uint8_t **out, size_t *size) TIPS_MUST_CHECK;
/* An error if the file is too small for so many more bytes, though it were compressed as well as gzip can. */
tips_status tips__stream_can_hold(const tips_stream *stream, uint64_t bytes) TIPS_MUST_CHECK;
/* An error if anything is left. */
tips_status tips__stream_expect_end(tips_stream *stream) TIPS_MUST_CHECK;

#endif
