/* One name after the other, as mkdir -p does. */
#include "core/make_folder.h"

#include "core/fail.h"
#include "core/path.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tips_status copy_path(const char *folder, char out[TIPS_PATH_SIZE]) {
    const size_t length = strlen(folder);
    if (length >= TIPS_PATH_SIZE) TIPS_FAIL(TIPS_INVALID, "the path %.60s... is too long", folder);
    memcpy(out, folder, length + 1);
    return TIPS_OK;
}

static tips_status check_there(const char *folder, const char *path, const struct stat *info) {
    if (!S_ISDIR(info->st_mode)) TIPS_FAIL(TIPS_IO, "%s: the folder cannot be made: %s is a file", folder, path);
    if (access(path, W_OK | X_OK) != 0)
        TIPS_FAIL(TIPS_IO, "%s: cannot be written to: %s: %s", folder, path, strerror(errno));
    return TIPS_OK;
}

/* Cuts the last name off; false if there was only one. */
static bool go_up(char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    while (length > 0 && path[length - 1] != '/') length--;
    while (length > 1 && path[length - 1] == '/') length--;
    path[length] = '\0';
    return length > 0;
}

tips_status tips__check_folder(const char *folder) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    TIPS_TRY(copy_path(folder, path));
    while (stat(path, &info) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            TIPS_FAIL(TIPS_IO, "%s: the folder cannot be made: %s", folder, strerror(errno));
        if (!go_up(path)) memcpy(path, ".", 2);
    }
    return check_there(folder, path, &info);
}

tips_status tips__make_folder(const char *folder) {
    char path[TIPS_PATH_SIZE];
    const size_t length = strlen(folder);
    TIPS_TRY(copy_path(folder, path));
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0') continue;
        path[i] = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            TIPS_FAIL(TIPS_IO, "%s: the folder cannot be made: %s", path, strerror(errno));
        path[i] = folder[i];
    }
    return TIPS_OK;
}
