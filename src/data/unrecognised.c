/* What a folder holds instead of a dataset: nothing, pictures without classes, files of other kinds, another folder. */
#include "data/unrecognised.h"

#include "data/folders.h"
#include "data/names.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 120 };

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

static void explain_folder(const char *path, const content *c, char out[TIPS_REASON_SIZE]) {
    char other[TIPS_PATH_SIZE];
    int pictures;
    const char *picture = first_picture(&c->files, &pictures);
    if (c->files.count + c->folders.count == 0) {
        snprintf(out, TIPS_REASON_SIZE, "the folder is empty");
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
