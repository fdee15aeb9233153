/* Whole text files. */
#ifndef TIPS_CORE_TEXT_FILE_H
#define TIPS_CORE_TEXT_FILE_H

#include <stddef.h>
#include <tips/status.h>

/* All of a file, closed by a zero that does not count; freed by tips__free. */
tips_status tips__text_file_read(const char *path, char **out, size_t *length) TIPS_MUST_CHECK;

#endif
