/* Kinds of files by stat. */
#include "core/regular_file.h"

#include "core/fail.h"

#include <sys/stat.h>

static const char *kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

tips_status tips__check_regular(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        TIPS_FAIL(TIPS_IO, "%s: is %s, not a regular file", path, kind_of(info.st_mode));
    return TIPS_OK;
}
