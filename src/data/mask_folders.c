/* Pictures and masks in two folders, matched by their names up to the last dot. */
#include "data/mask_folders.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/folders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 256, ENDING_SIZE = 16 };

/* A file of the folder of masks. */
typedef struct entry {
    char stem[NAME_SIZE];
    const char *file;
    bool is_used;
} entry;

typedef struct entries {
    entry *rows;
    int count;
} entries;

static void copy_stem(const char *file, char out[NAME_SIZE]) {
    const char *dot = strrchr(file, '.');
    snprintf(out, NAME_SIZE, "%.*s", (int)(dot ? dot - file : (ptrdiff_t)strlen(file)), file);
}

static int compare(const void *a, const void *b) { return strcmp(((const entry *)a)->stem, ((const entry *)b)->stem); }

static tips_status make_entries(const tips_names *files, entries *out) {
    TIPS_TRY(tips__new_zero(&out->rows, (size_t)files->count * sizeof *out->rows, "the names of masks"));
    for (int i = 0; i < files->count; i++) {
        if (!tips__is_picture_name(files->rows[i])) continue;
        entry *e = &out->rows[out->count++];
        copy_stem(files->rows[i], e->stem);
        e->file = files->rows[i];
    }
    if (out->count > 0) qsort(out->rows, (size_t)out->count, sizeof *out->rows, compare);
    return TIPS_OK;
}

static entry *find(const entries *masks, const char *file) {
    entry key = {.file = NULL};
    copy_stem(file, key.stem);
    return masks->count ? bsearch(&key, masks->rows, (size_t)masks->count, sizeof key, compare) : NULL;
}

/* Two folders while they are matched. */
typedef struct pairing {
    tips_source *source;
    tips_split split;
    const char *pictures, *masks;
    entries entries;
} pairing;

/* An error, or a bad picture that is counted. */
static tips_status complain(const pairing *p, const char *folder, const char *file, const char *what,
                            const char *other) {
    if (!p->source->skip_bad)
        TIPS_FAIL(TIPS_FORMAT, "%s/%s/%s: %s %s/%s", p->source->path, folder, file, what, p->source->path, other);
    p->source->skipped++;
    return TIPS_OK;
}

static tips_status add_picture(const pairing *p, const char *file) {
    char picture[TIPS_PATH_SIZE], mask[TIPS_PATH_SIZE];
    entry *found = find(&p->entries, file);
    if (!tips__is_picture_name(file)) {
        p->source->ignored++;
        return TIPS_OK;
    }
    if (!found) return complain(p, p->pictures, file, "there is no mask of this name in", p->masks);
    found->is_used = true;
    TIPS_TRY(tips__path_join(p->pictures, file, picture));
    TIPS_TRY(tips__path_join(p->masks, found->file, mask));
    return tips__source_add_marked(p->source, p->split, picture, mask);
}

static tips_status check_masks(const pairing *p) {
    const entries *e = &p->entries;
    for (int i = 1; i < e->count; i++)
        if (compare(&e->rows[i - 1], &e->rows[i]) == 0)
            TIPS_FAIL(TIPS_FORMAT, "%s/%s/%s: %s beside it is a mask of the same name; which is meant?",
                      p->source->path, p->masks, e->rows[i].file, e->rows[i - 1].file);
    return TIPS_OK;
}

static tips_status add_pictures(pairing *p, const tips_names *pictures, const tips_names *masks) {
    TIPS_TRY(make_entries(masks, &p->entries));
    TIPS_TRY(check_masks(p));
    for (int i = 0; i < pictures->count; i++) TIPS_TRY(add_picture(p, pictures->rows[i]));
    for (int i = 0; i < p->entries.count; i++)
        if (!p->entries.rows[i].is_used)
            TIPS_TRY(
                complain(p, p->masks, p->entries.rows[i].file, "there is no picture of this name in", p->pictures));
    if (p->source->splits[p->split].count == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s/%s: there are no pictures", p->source->path, p->pictures);
    return TIPS_OK;
}

static tips_status list(const tips_source *source, const char *folder, tips_names *out) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(source->path, folder, path));
    return tips__list_folder(path, out, NULL);
}

tips_status tips__mask_folders_add(tips_source *source, tips_split split, const char *pictures, const char *masks) {
    pairing p = {.source = source, .split = split, .pictures = pictures, .masks = masks};
    tips_names picture_files = {0}, mask_files = {0};
    tips_status status = list(source, pictures, &picture_files);
    if (status == TIPS_OK) status = list(source, masks, &mask_files);
    if (status == TIPS_OK) status = add_pictures(&p, &picture_files, &mask_files);
    tips__names_clear(&picture_files);
    tips__names_clear(&mask_files);
    tips__free(p.entries.rows);
    return status;
}

static tips_status add_split(tips_source *source, tips_split split, const char *name) {
    char pictures[64], masks[64];
    snprintf(pictures, sizeof pictures, "%s/images", name);
    snprintf(masks, sizeof masks, "%s/masks", name);
    return tips__mask_folders_add(source, split, pictures, masks);
}

tips_status tips__mask_folders_add_splits(tips_source *source) {
    if (!tips__is_folder_in(source->path, "train"))
        return tips__mask_folders_add(source, TIPS_SPLIT_TRAIN, "images", "masks");
    TIPS_TRY(add_split(source, TIPS_SPLIT_TRAIN, "train"));
    for (int i = 0; tips__val_folders[i]; i++) {
        if (!tips__is_folder_in(source->path, tips__val_folders[i])) continue;
        TIPS_TRY(add_split(source, TIPS_SPLIT_VAL, tips__val_folders[i]));
        break;
    }
    /* Test pictures without masks count as absent. */
    return tips__is_folder_in(source->path, "test/masks") ? add_split(source, TIPS_SPLIT_TEST, "test") : TIPS_OK;
}

static bool any_is_matched(const tips_names *pictures, const tips_names *masks, char ending[ENDING_SIZE]) {
    entries e = {0};
    const entry *found = NULL;
    const int count = make_entries(masks, &e) == TIPS_OK ? pictures->count : 0;
    for (int i = 0; i < count && !found; i++)
        if (tips__is_picture_name(pictures->rows[i])) found = find(&e, pictures->rows[i]);
    if (found) snprintf(ending, ENDING_SIZE, "%s", strrchr(found->file, '.'));
    tips__free(e.rows);
    return found != NULL;
}

static bool find_below(const char *path, const char *below, char ending[ENDING_SIZE]) {
    char pictures[TIPS_PATH_SIZE], masks[TIPS_PATH_SIZE];
    tips_names picture_files = {0}, mask_files = {0};
    if (snprintf(pictures, sizeof pictures, "%s%s/images", path, below) >= TIPS_PATH_SIZE) return false;
    snprintf(masks, sizeof masks, "%s%s/masks", path, below);
    const bool found = tips__is_folder(pictures) && tips__is_folder(masks) &&
                       tips__list_folder(pictures, &picture_files, NULL) == TIPS_OK &&
                       tips__list_folder(masks, &mask_files, NULL) == TIPS_OK &&
                       any_is_matched(&picture_files, &mask_files, ending);
    tips__names_clear(&picture_files);
    tips__names_clear(&mask_files);
    return found;
}

bool tips__mask_folders_find(const char *path, char ending[ENDING_SIZE]) {
    return find_below(path, "", ending) || find_below(path, "/train", ending);
}
