/* What a folder holds instead of a dataset: nothing, pictures without classes, files of other kinds, another folder. */
#include "data/unrecognised.h"

#include "core/path.h"
#include "data/folder_content.h"
#include "data/folders.h"
#include "data/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SHOWN = 120, SEEN_SIZE = 360, MOST_SEEN = 6, MOST_FILES_SEEN = 2 };

typedef struct content {
    tips_names files, folders;
} content;

static bool look_into(const char *path, content *c) {
    *c = (content){0};
    return tips__list_folder(path, &c->files, &c->folders) == TIPS_OK;
}

static void forget(content *c) {
    tips__names_clear(&c->files);
    tips__names_clear(&c->folders);
}

static const char *first_picture(const tips_names *files, int *count) {
    const char *first = NULL;
    *count = 0;
    for (int i = 0; i < files->count; i++) {
        if (!tips__is_picture_name(files->rows[i])) continue;
        if (!first) first = files->rows[i];
        ++*count;
    }
    return first;
}

/* A folder below that would have been recognised. */
static const char *find_better(const char *path, const content *c, char out[TIPS_PATH_SIZE]) {
    for (int i = 0; i < c->folders.count; i++)
        if (tips__path_join(path, c->folders.rows[i], out) == TIPS_OK && tips__format_folders.recognise(out))
            return out;
    return NULL;
}

/* A file that lies where the pictures of a class should. */
static bool find_other(const char *path, const content *c, char out[TIPS_PATH_SIZE]) {
    for (int i = 0; i < c->folders.count; i++) {
        char folder[TIPS_PATH_SIZE];
        content below;
        if (tips__path_join(path, c->folders.rows[i], folder) != TIPS_OK) continue;
        const bool found = look_into(folder, &below) && below.files.count > 0 &&
                           tips__path_join(c->folders.rows[i], below.files.rows[0], out) == TIPS_OK;
        forget(&below);
        if (found) return true;
    }
    return false;
}

static void add_seen(const char *path, const char *name, char *out, size_t size) {
    const size_t length = strlen(out);
    char below[TIPS_PATH_SIZE];
    tips_folder_content f;
    if (tips__path_join(path, name, below) != TIPS_OK || !tips__folder_content(below, &f)) return;
    snprintf(out + length, size - length, "%s%.40s/ (", length ? ", " : "", name);
    const size_t behind = strlen(out);
    if (f.pictures > 0 && f.pictures == f.files) snprintf(out + behind, size - behind, "%d pictures)", f.pictures);
    else if (f.pictures > 0)
        snprintf(out + behind, size - behind, "%d pictures, %d other files, as %s)", f.pictures, f.files - f.pictures,
                 f.ending);
    else snprintf(out + behind, size - behind, f.files ? "%d files, as %s)" : "no files)", f.files, f.ending);
}

/* "images/ (164 pictures), annots/ (164 files, as .xml), README.md". */
static void list_seen(const char *path, const content *c, char out[SEEN_SIZE]) {
    out[0] = '\0';
    for (int i = 0; i < c->folders.count && i < MOST_SEEN; i++) add_seen(path, c->folders.rows[i], out, SEEN_SIZE);
    for (int i = 0; i < c->files.count && i < MOST_FILES_SEEN; i++) {
        const size_t length = strlen(out);
        snprintf(out + length, SEEN_SIZE - length, "%s%.40s", length ? ", " : "", c->files.rows[i]);
    }
    const size_t length = strlen(out);
    const int more = c->folders.count > MOST_SEEN ? c->folders.count - MOST_SEEN : 0;
    if (more > 0) snprintf(out + length, SEEN_SIZE - length, " and %d more folders", more);
}

/* How the format that is nearest wants it, by the endings of what lies beside or among pictures. */
static const struct {
    const char *ending, *wants;
} nearest[] = {
    {".xml",
     "voc-boxes, which wants images/ or JPEGImages/ beside annotations/, Annotations/ or annots/, with NAME.xml "
     "for a picture NAME, or both in one folder"},
    {".txt",
     "yolo, which wants images/ beside labels/, with NAME.txt for a picture NAME: a class and a box a line; names "
     "in data.yaml or classes.txt"},
    {".json",
     "coco, which wants a folder of pictures beside annotations/instances_NAME.json, or the JSON file itself as "
     "coco:FILE"},
    {".csv", "folders, which wants a folder for each class: tables are not read"},
};

static const char *nearest_of(const char *ending) {
    for (size_t i = 0; i < sizeof nearest / sizeof nearest[0]; i++)
        if (strcasecmp(nearest[i].ending, ending) == 0) return nearest[i].wants;
    return "masks, which wants images/ beside masks/, with one NAME.png for a picture NAME; boxes come in "
           "annotations/, "
           "labels/ or a COCO file";
}

/* The first folder without pictures, or else with other files too, says by its files what this is. */
static void find_marks(const char *path, const content *c, char ending[TIPS_ENDING_SIZE]) {
    ending[0] = '\0';
    for (int i = 0; i < c->folders.count && i < MOST_SEEN; i++) {
        char below[TIPS_PATH_SIZE];
        tips_folder_content f;
        if (tips__path_join(path, c->folders.rows[i], below) != TIPS_OK || !tips__folder_content(below, &f)) continue;
        if (f.marks == 0 || *ending) continue;
        snprintf(ending, TIPS_ENDING_SIZE, "%s", f.ending);
    }
    for (int i = 0; i < c->files.count && !*ending; i++)
        if (tips__path_ends(c->files.rows[i], ".json") || tips__path_ends(c->files.rows[i], ".csv"))
            snprintf(ending, TIPS_ENDING_SIZE, "%s", strrchr(c->files.rows[i], '.'));
}

/* Pictures with something about them, but not as any format has it. */
static bool explain_marks(const char *path, const content *c, char out[TIPS_REASON_SIZE]) {
    char seen[SEEN_SIZE], ending[TIPS_ENDING_SIZE], train[TIPS_PATH_SIZE];
    content below = {0};
    const bool has_train = tips__is_folder_in(path, "train") && tips__path_join(path, "train", train) == TIPS_OK &&
                           tips__has_marks_beside(train) && look_into(train, &below);
    if (!has_train && !tips__has_marks_beside(path) && !tips__has_pictures_alone(path)) return false;
    list_seen(has_train ? train : path, has_train ? &below : c, seen);
    find_marks(has_train ? train : path, has_train ? &below : c, ending);
    snprintf(out, TIPS_REASON_SIZE, "%sit holds %s; nearest is %s", has_train ? "in train/ " : "", seen,
             nearest_of(ending));
    forget(&below);
    return true;
}

static void explain_folder(const char *path, const content *c, char out[TIPS_REASON_SIZE]) {
    char other[TIPS_PATH_SIZE];
    int pictures;
    const char *picture = first_picture(&c->files, &pictures);
    if (c->files.count + c->folders.count == 0) {
        snprintf(out, TIPS_REASON_SIZE, "the folder is empty");
    } else if (explain_marks(path, c, out)) {
        return;
    } else if (picture) {
        snprintf(out, TIPS_REASON_SIZE,
                 "it holds %d pictures, but no folder for each class: move those of a class into one, as in "
                 "CLASS/%.*s; 'tips predict' takes single pictures",
                 pictures, SHOWN, picture);
    } else if (find_better(path, c, other)) {
        snprintf(out, TIPS_REASON_SIZE, "did you mean %.*s, which holds class folders?", 3 * SHOWN, other);
    } else if (find_other(path, c, other)) {
        snprintf(out, TIPS_REASON_SIZE,
                 "its folders hold no pictures by their names (%.*s, for instance); PNG, JPEG, WebP, TIFF, BMP, GIF, "
                 "PGM and "
                 "PPM are read",
                 SHOWN, other);
    } else if (c->files.count > 0) {
        snprintf(out, TIPS_REASON_SIZE, "it holds neither pictures nor class folders, but %.*s, for instance", SHOWN,
                 c->files.rows[0]);
    } else {
        snprintf(out, TIPS_REASON_SIZE, "there are no pictures in its folders (%.*s, for instance)", SHOWN,
                 c->folders.rows[0]);
    }
}

void tips__explain_unrecognised(const char *path, char out[TIPS_REASON_SIZE]) {
    content c;
    if (!tips__is_folder(path))
        snprintf(out, TIPS_REASON_SIZE, "%s",
                 tips__is_picture_name(path)
                     ? "it is one picture; a dataset is a folder with a folder for each class"
                     : "a dataset is a folder with a folder for each class, or files of a known set");
    else if (look_into(path, &c)) explain_folder(path, &c, out), forget(&c);
    else snprintf(out, TIPS_REASON_SIZE, "the folder cannot be read"), forget(&c);
}
