/* Downloading datasets: each file by the table of known sets, then unpacking where a format needs its files apart. */
#include "download/data_get.h"

#include "core/fail.h"
#include "core/folder_lock.h"
#include "data/archive_read.h"
#include "data/names.h"
#include "download/download.h"
#include "download/known_sets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tips__data_get_names(char *out, size_t size) { tips__known_set_names(out, size); }

/* What is being downloaded, for the progress of one file. */
typedef struct get_state {
    const tips_data_get_config *config;
    const char *file;
} get_state;

static void tell(void *context, int64_t done, int64_t total) {
    const get_state *s = context;
    s->config->progress(s->config->progress_context, s->file, done, total);
}

static tips_status make_folders(const char *path) {
    char part[TIPS_PATH_SIZE];
    if (snprintf(part, sizeof part, "%s", path) >= TIPS_PATH_SIZE)
        TIPS_FAIL(TIPS_RANGE, "%.80s...: the path is too long", path);
    for (char *at = part + 1;; at++) {
        if (*at != '/' && *at != '\0') continue;
        const char kept = *at;
        *at = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) TIPS_FAIL(TIPS_IO, "%s: %s", part, strerror(errno));
        *at = kept;
        if (!kept) return TIPS_OK;
    }
}

static tips_status get_file(const tips_data_get_config *config, const char *folder, tips_download *d, const char *file,
                            tips_data_get_result *r) {
    char path[TIPS_PATH_SIZE];
    tips_download_outcome outcome = TIPS_DOWNLOADED;
    get_state state = {config, file};
    TIPS_TRY(tips__path_join(folder, file, path));
    d->path = path;
    if (config->progress) d->progress = tell;
    d->progress_context = &state;
    TIPS_TRY(tips__download(d, &outcome));
    r->downloaded += outcome == TIPS_DOWNLOADED;
    r->resumed += outcome == TIPS_DOWNLOAD_RESUMED;
    r->present += outcome == TIPS_DOWNLOAD_PRESENT;
    return TIPS_OK;
}

static tips_status check_sum(const char *sum) {
    if (sum && (strlen(sum) != 64 || strspn(sum, "0123456789abcdef") != 64))
        TIPS_FAIL(TIPS_INVALID, "'%s' is not a SHA-256 of 64 hexadecimal digits (small letters)", sum);
    return TIPS_OK;
}

/* What arrives is added to a part: two processes would mix theirs. */
static tips_status get_file_alone(const tips_data_get_config *config, tips_download *d, const char *file,
                                  tips_data_get_result *r) {
    char name[300];
    tips_folder_lock *lock;
    snprintf(name, sizeof name, "%s.lock", file);
    TIPS_TRY(tips__folder_lock(config->out, name, &lock));
    const tips_status status = get_file(config, config->out, d, file, r);
    tips__folder_unlock(lock);
    return status;
}

static tips_status get_address(const tips_data_get_config *config, tips_data_get_result *r) {
    tips_download d = {.url = config->name, .sha256 = config->sha256};
    char file[256];
    const char *name = tips__base_name(config->name);
    const size_t length = strcspn(name, "?#");
    if (config->from) TIPS_FAIL(TIPS_INVALID, "--from is for known datasets, not for an address");
    if (length == 0 || length >= sizeof file || name[0] == '.')
        TIPS_FAIL(TIPS_INVALID, "%s: the address does not end in the name of a file", config->name);
    memcpy(file, name, length);
    file[length] = '\0';
    TIPS_TRY(check_sum(config->sha256));
    TIPS_TRY(make_folders(config->out));
    TIPS_TRY(get_file_alone(config, &d, file, r));
    return tips__path_join(config->out, file, r->path);
}

/* Unpacks beside its place first: a folder that is there is whole. */
static tips_status unpack(const tips_known_row *set, const char *folder, const char *archive, bool *unpacked) {
    char from[TIPS_PATH_SIZE], aside[TIPS_PATH_SIZE], made[TIPS_PATH_SIZE], place[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(folder, set->unpacked, place));
    if (tips__is_folder(place)) return TIPS_OK;
    TIPS_TRY(tips__path_join(folder, archive, from));
    TIPS_TRY(tips__path_join(folder, "unpacking.tmp", aside));
    TIPS_TRY(tips__path_join(aside, set->unpacked, made));
    TIPS_TRY(tips__archive_unpack(from, aside));
    if (rename(made, place) != 0) TIPS_FAIL(TIPS_IO, "%s: no folder '%s' came out of it", from, set->unpacked);
    (void)!rmdir(aside);
    *unpacked = true;
    return TIPS_OK;
}

static tips_status get_set(const tips_data_get_config *config, const tips_known_row *set, const char *folder,
                           tips_data_get_result *r) {
    const tips_known_row *file;
    for (file = set + 1; file->name && !file->address; file++) {
        char url[TIPS_PATH_SIZE];
        tips_download d = {.url = url, .sha256 = file->sha256, .bytes = file->bytes};
        TIPS_TRY(tips__path_join(config->from ? config->from : set->address, file->name, url));
        TIPS_TRY(get_file(config, folder, &d, file->name, r));
    }
    return set->unpacked ? unpack(set, folder, file[-1].name, &r->unpacked) : TIPS_OK;
}

static tips_status get_known(const tips_data_get_config *config, tips_data_get_result *r) {
    const tips_known_row *set = NULL;
    char folder[TIPS_PATH_SIZE];
    tips_folder_lock *lock;
    TIPS_TRY(tips__known_set_find(config->name, &set));
    if (config->sha256) TIPS_FAIL(TIPS_INVALID, "--sha256 is for an address; the sum of %s is known", set->name);
    TIPS_TRY(tips__path_join(config->out, set->name, folder));
    TIPS_TRY(make_folders(folder));
    TIPS_TRY(tips__folder_lock(folder, "get.lock", &lock));
    const tips_status status = get_set(config, set, folder, r);
    tips__folder_unlock(lock);
    TIPS_TRY(status);
    if (*set->use) return tips__path_join(folder, set->use, r->path);
    snprintf(r->path, sizeof r->path, "%s", folder);
    return TIPS_OK;
}

tips_status tips__data_get(const tips_data_get_config *config, tips_data_get_result *out) {
    tips_data_get_result r = {0};
    TIPS_TRY(strstr(config->name, "://") ? get_address(config, &r) : get_known(config, &r));
    *out = r;
    return TIPS_OK;
}
