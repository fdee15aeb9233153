/* Single files out of an archive (tar, plain or compressed), without unpacking it. */
#ifndef TIPS_DATA_ARCHIVE_READ_H
#define TIPS_DATA_ARCHIVE_READ_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

typedef struct tips_archive_part {
    const char *name; /* without folders */
    uint8_t *bytes;   /* NULL while not found; the caller's to free, also after a failure */
    size_t size;
} tips_archive_part;

/* Fills the parts that the archive holds; an entry of more than `most` bytes is an error. */
tips_status tips__archive_read(const char *path, size_t most, tips_archive_part *parts, int count) TIPS_MUST_CHECK;

/* Unpacks all of an archive (tar or zip) below `folder`. Names that lead out of it are an error. */
tips_status tips__archive_unpack(const char *path, const char *folder) TIPS_MUST_CHECK;

#endif
