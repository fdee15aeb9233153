/* A folder of class folders (ImageNet, Imagenette, one's own): train/, val/ and test/ with a folder for each class, or
 * the class folders alone, which are all training data. Classes are numbered in the order of their folders' names. */
#include "data/folders.h"

#include "core/fail.h"
#include "data/folder_content.h"
#include "data/wordnet.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_DEPTH = 8, NAME_SIZE = 256 };

const char *const tips__val_folders[] = {"val", "valid", "validation", NULL};

bool tips__is_picture_name(const char *name) {
    static const char *const endings[] = {".png", ".jpg",  ".jpeg", ".webp", ".bmp", ".gif",
                                          ".tif", ".tiff", ".pgm",  ".ppm",  ".pnm", NULL};
    const char *dot = strrchr(name, '.');
    for (int i = 0; dot && endings[i]; i++)
        if (strcasecmp(dot, endings[i]) == 0) return true;
    return false;
}

tips_status tips__folders_classes(tips_source *source, const char *name) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(source->path, name, path));
    TIPS_TRY(tips__list_folder(path, NULL, &source->classes));
    if (source->classes.count == 0) TIPS_FAIL(TIPS_FORMAT, "%s: there are no class folders", path);
    return TIPS_OK;
}

/* One class while its folders are walked. */
typedef struct walk {
    tips_source *source;
    tips_split split;
    int label;
} walk;

static tips_status add_below(const walk *w, const char *name, int depth);

static tips_status add_entries(const walk *w, const char *name, int depth, const tips_names *files,
                               const tips_names *folders) {
    char below[TIPS_PATH_SIZE];
    for (int i = 0; i < files->count; i++) {
        if (!tips__is_picture_name(files->rows[i])) {
            w->source->ignored++;
            continue;
        }
        TIPS_TRY(tips__path_join(name, files->rows[i], below));
        TIPS_TRY(tips__source_add_file(w->source, w->split, below, w->label, false));
    }
    for (int i = 0; i < folders->count; i++) {
        TIPS_TRY(tips__path_join(name, folders->rows[i], below));
        TIPS_TRY(add_below(w, below, depth + 1));
    }
    return TIPS_OK;
}

static tips_status add_below(const walk *w, const char *name, int depth) {
    char path[TIPS_PATH_SIZE];
    tips_names files = {0}, folders = {0};
    TIPS_TRY(tips__path_join(w->source->path, name, path));
    if (depth > MOST_DEPTH) TIPS_FAIL(TIPS_FORMAT, "%s: folders within folders, more than %d deep", path, MOST_DEPTH);
    tips_status status = tips__list_folder(path, &files, &folders);
    if (status == TIPS_OK) status = add_entries(w, name, depth, &files, &folders);
    tips__names_clear(&files);
    tips__names_clear(&folders);
    return status;
}

static tips_status add_classes(tips_source *source, const char *name, tips_split split, const tips_names *folders,
                               int *known, char *unknown) {
    *known = 0;
    unknown[0] = '\0';
    for (int i = 0; i < folders->count; i++) {
        const walk w = {source, split, tips__names_find(&source->classes, folders->rows[i])};
        char below[TIPS_PATH_SIZE];
        if (w.label < 0) {
            if (!unknown[0]) snprintf(unknown, NAME_SIZE, "%s", folders->rows[i]);
            continue;
        }
        ++*known;
        if (*name) TIPS_TRY(tips__path_join(name, folders->rows[i], below));
        else snprintf(below, sizeof below, "%s", folders->rows[i]);
        TIPS_TRY(add_below(&w, below, 0));
    }
    return TIPS_OK;
}

tips_status tips__folders_add(tips_source *source, const char *name, tips_split split, int *known, char *unknown) {
    char path[TIPS_PATH_SIZE];
    tips_names folders = {0};
    TIPS_TRY(tips__path_join(source->path, name, path));
    tips_status status = tips__list_folder(path, NULL, &folders);
    if (status == TIPS_OK) status = add_classes(source, name, split, &folders, known, unknown);
    tips__names_clear(&folders);
    return status;
}

/* Test data without labels (none of its folders is a class) count as absent; elsewhere a folder must be a class. */
static tips_status add_other(tips_source *source, const char *name, tips_split split) {
    int known = 0;
    char unknown[NAME_SIZE];
    TIPS_TRY(tips__folders_add(source, name, split, &known, unknown));
    if (unknown[0] && (known > 0 || split == TIPS_SPLIT_VAL))
        TIPS_FAIL(TIPS_FORMAT, "%s/%s/%s: there is no such class among the training data", source->path, name, unknown);
    return TIPS_OK;
}

static tips_status add_splits(const char *path, tips_source *source) {
    int known;
    char unknown[NAME_SIZE];
    TIPS_TRY(tips__folders_classes(source, "train"));
    TIPS_TRY(tips__folders_add(source, "train", TIPS_SPLIT_TRAIN, &known, unknown));
    for (int i = 0; tips__val_folders[i]; i++) {
        if (!tips__is_folder_in(path, tips__val_folders[i])) continue;
        TIPS_TRY(add_other(source, tips__val_folders[i], TIPS_SPLIT_VAL));
        break;
    }
    return tips__is_folder_in(path, "test") ? add_other(source, "test", TIPS_SPLIT_TEST) : TIPS_OK;
}

static tips_status add_flat(tips_source *source) {
    int known;
    char unknown[NAME_SIZE];
    TIPS_TRY(tips__folders_classes(source, ""));
    return tips__folders_add(source, "", TIPS_SPLIT_TRAIN, &known, unknown);
}

const char *tips__class_folder(const char *name) {
    const int output = tips__wordnet_find(name);
    return output < 0 ? NULL : tips__wordnet_number(output);
}

/* Numbers of WordNet say little to a reader. */
static tips_status rename_classes(tips_source *source) {
    tips_names renamed = {0};
    tips_status status = TIPS_OK;
    for (int k = 0; k < source->classes.count && status == TIPS_OK; k++) {
        const char *folder = source->classes.rows[k];
        const int output = tips__wordnet_find(folder);
        const bool is_number = output >= 0 && strcmp(tips__wordnet_number(output), folder) == 0;
        status = tips__names_add(&renamed, is_number ? tips__wordnet_name(output) : folder);
    }
    tips_names *unused = status == TIPS_OK ? &source->classes : &renamed;
    tips__names_clear(unused);
    if (status == TIPS_OK) source->classes = renamed;
    return status;
}

static tips_status open_folders(const char *path, tips_source *source) {
    TIPS_TRY(tips__is_folder_in(path, "train") ? add_splits(path, source) : add_flat(source));
    TIPS_TRY(tips__source_check_classes(source));
    TIPS_TRY(rename_classes(source));
    return tips__source_probe(source);
}

static bool holds_pictures(const char *path, const char *name) {
    char full[TIPS_PATH_SIZE];
    tips_names files = {0}, folders = {0};
    bool found = false;
    if (snprintf(full, sizeof full, "%s/%s", path, name) >= TIPS_PATH_SIZE) return false;
    if (tips__list_folder(full, &files, &folders) == TIPS_OK) {
        for (int i = 0; i < files.count && !found; i++) found = tips__is_picture_name(files.rows[i]);
        for (int i = 0; i < folders.count && !found; i++) found = strcmp(folders.rows[i], "images") == 0;
    }
    tips__names_clear(&files);
    tips__names_clear(&folders);
    return found;
}

/* The folders of marks beside pictures are not classes. */
static bool are_no_classes(const char *path, bool has_train) {
    char train[TIPS_PATH_SIZE];
    if (!has_train) return tips__has_marks_beside(path) || tips__has_pictures_alone(path);
    return tips__path_join(path, "train", train) == TIPS_OK && tips__has_marks_beside(train);
}

static bool recognise(const char *path) {
    tips_names folders = {0};
    bool found = tips__is_folder_in(path, "train");
    if (are_no_classes(path, found)) return false;
    if (!found && tips__is_folder(path) && tips__list_folder(path, NULL, &folders) == TIPS_OK)
        for (int i = 0; i < folders.count && !found; i++) found = holds_pictures(path, folders.rows[i]);
    tips__names_clear(&folders);
    return found;
}

const tips_dataset_format tips__format_folders = {
    .name = "folders",
    .brief = "a folder of class folders, or train/, val/ and test/ with class folders: ImageNet, Imagenette, your own",
    .recognise = recognise,
    .open = open_folders,
    .read = tips__source_read_file,
    .item_name = tips__source_file_name,
};
