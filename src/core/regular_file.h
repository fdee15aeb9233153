/* Telling files that can be read as a whole from what only looks like one. */
#ifndef TIPS_CORE_REGULAR_FILE_H
#define TIPS_CORE_REGULAR_FILE_H

#include <tips/status.h>

/* Fails, naming what it is, for a folder, pipe, device or socket. Opens nothing: a pipe without a writer would hang.
 * What is not there is left to who opens it. */
tips_status tips__check_regular(const char *path) TIPS_MUST_CHECK;

#endif
