/* Joining paths. */
#include "core/path.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

tips_status tips__path_join(const char *folder, const char *name, char out[TIPS_PATH_SIZE]) {
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    if (snprintf(out, TIPS_PATH_SIZE, "%s%s%s", folder, slash, name) >= TIPS_PATH_SIZE)
        TIPS_FAIL(TIPS_INVALID, "the path %.60s... is too long", folder);
    return TIPS_OK;
}

bool tips__path_ends(const char *path, const char *ending) {
    const size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

bool tips__leads_out(const char *name) {
    if (*name == '/') return true;
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    return false;
}
