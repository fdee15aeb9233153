/* Files and folders that options name to be written: tried before the work whose results go there. */
#include "core/atomic_file.h"
#include "core/fail.h"
#include "core/make_folder.h"
#include "core/option.h"

static tips_status check(const tips_option *row, const char *path) {
    char flag[64];
    const tips_status status = row->output == TIPS_OUTPUT_FILE ? tips__atomic_try(path) : tips__check_folder(path);
    snprintf(flag, sizeof flag, "--%s", row->name);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, flag);
}

tips_status tips__options_check_outputs(const tips_option *table, const void *config) {
    for (tips_option_walk walk = tips__options_walk(table); tips__options_next(&walk);) {
        if (walk.row.output == TIPS_NO_OUTPUT) continue;
        const char *path = *(const char *const *)((const char *)config + walk.row.offset);
        if (path && *path) TIPS_TRY(check(&walk.row, path));
    }
    return TIPS_OK;
}
