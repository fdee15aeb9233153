/* Paths of files. */
#ifndef TIPS_CORE_PATH_H
#define TIPS_CORE_PATH_H

#include <stdbool.h>
#include <tips/status.h>

enum { TIPS_PATH_SIZE = 4096 };

/* "folder/name", or a failure if that is too long. */
tips_status tips__path_join(const char *folder, const char *name, char out[TIPS_PATH_SIZE]) TIPS_MUST_CHECK;

/* Whether a path ends so (".onnx"), in small letters or capitals, and has something before it. */
bool tips__path_ends(const char *path, const char *ending);

/* Whether a name that a file gives, such as "../x", or "/x", leads out of the folder it is relative to. Links are not
 * looked at: whoever made the folder put them there. */
bool tips__leads_out(const char *name);

#endif
