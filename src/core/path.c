/* Joining paths. */
#include "core/path.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>

tips_status tips__path_join(const char *folder, const char *name, char out[TIPS_PATH_SIZE]) {
    const size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    if (snprintf(out, TIPS_PATH_SIZE, "%s%s%s", folder, slash, name) >= TIPS_PATH_SIZE)
        TIPS_FAIL(TIPS_INVALID, "the path %.60s... is too long", folder);
    return TIPS_OK;
}
