/* Writing a file so that a reader, a crash or a full disk never meets half of it: everything goes to a temporary file
 * in the same folder, which is synced and then renamed over the old one. Until commit the old file stays as it is. */
#ifndef TIPS_CORE_ATOMIC_FILE_H
#define TIPS_CORE_ATOMIC_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <tips/status.h>

typedef struct tips_atomic_file tips_atomic_file;

/* A link is followed; what is not a regular file, or may not be written, is refused. The temporary file of a writer
 * that was killed is used again, not piled up. */
tips_status tips__atomic_open(const char *path, tips_atomic_file **out) TIPS_MUST_CHECK;
/* For fprintf and the like; errors of the stream show at commit. */
FILE *tips__atomic_stream(tips_atomic_file *file);
tips_status tips__atomic_write(tips_atomic_file *file, const void *data, size_t bytes) TIPS_MUST_CHECK;
/* Over what was written at `place` before. */
tips_status tips__atomic_write_at(tips_atomic_file *file, long place, const void *data, size_t bytes) TIPS_MUST_CHECK;
/* Puts the new file in the old one's place. `file` is gone afterwards, and on failure so is the temporary. */
tips_status tips__atomic_commit(tips_atomic_file *file) TIPS_MUST_CHECK;
/* Removes the temporary; takes NULL. */
void tips__atomic_abandon(tips_atomic_file *file);

/* Whether `path` could be written now; makes a temporary and removes it, and touches nothing else. */
tips_status tips__atomic_try(const char *path) TIPS_MUST_CHECK;
/* All at once. */
tips_status tips__atomic_save(const char *path, const void *data, size_t bytes) TIPS_MUST_CHECK;

#endif
