/* Paths of files. */
#ifndef TIPS_CORE_PATH_H
#define TIPS_CORE_PATH_H

#include <tips/status.h>

enum { TIPS_PATH_SIZE = 4096 };

/* "folder/name", or a failure if that is too long. */
tips_status tips__path_join(const char *folder, const char *name, char out[TIPS_PATH_SIZE]) TIPS_MUST_CHECK;

#endif
