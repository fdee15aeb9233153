/* One name after the other, as mkdir -p does. */
#include "core/make_folder.h"

#include "core/fail.h"
#include "core/path.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

tips_status tips__make_folder(const char *folder) {
    char path[TIPS_PATH_SIZE];
    const size_t length = strlen(folder);
    if (length >= sizeof path) TIPS_FAIL(TIPS_INVALID, "the path %.60s... is too long", folder);
    memcpy(path, folder, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            TIPS_FAIL(TIPS_IO, "%s: the folder cannot be made: %s", path, strerror(errno));
        path[i] = folder[i];
    }
    return TIPS_OK;
}
