/* Counting names by their endings. */
#include "data/folder_content.h"

#include "core/path.h"
#include "data/folders.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_LOOKED_INTO = 8, MOST_ENDINGS = 8 }; /* layouts of marks have few folders, sets of classes many */

static bool is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcasecmp(word, *words) == 0) return true;
    return false;
}

static const char *ending_of(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && dot != name && strlen(dot) < TIPS_ENDING_SIZE ? dot : "";
}

static void choose_ending(const tips_names *files, bool pictures, tips_folder_content *out) {
    const char *endings[MOST_ENDINGS];
    int counts[MOST_ENDINGS] = {0}, known = 0, best = -1;
    for (int i = 0; i < files->count; i++) {
        const char *ending = ending_of(files->rows[i]);
        int k = 0;
        if (tips__is_picture_name(files->rows[i]) != pictures) continue;
        while (k < known && strcasecmp(endings[k], ending) != 0) k++;
        if (k == MOST_ENDINGS) continue;
        if (k == known) endings[known++] = ending;
        if (++counts[k] > (best < 0 ? 0 : counts[best])) best = k;
    }
    snprintf(out->ending, sizeof out->ending, "%s", best < 0 ? "" : endings[best]);
}

static void count_files(const tips_names *files, tips_folder_content *out) {
    static const char *const marks[] = {".xml", ".json", ".txt", ".csv", NULL};
    *out = (tips_folder_content){.files = files->count};
    for (int i = 0; i < files->count; i++) {
        out->pictures += tips__is_picture_name(files->rows[i]);
        out->marks += is_one_of(ending_of(files->rows[i]), marks);
    }
    choose_ending(files, out->pictures == files->count, out);
}

bool tips__folder_content(const char *path, tips_folder_content *out) {
    tips_names files = {0};
    const bool is_read = tips__list_folder(path, &files, NULL) == TIPS_OK;
    count_files(&files, out);
    tips__names_clear(&files);
    return is_read;
}

bool tips__is_pictures_folder(const char *name) {
    static const char *const names[] = {"images",   "image",  "imgs", "img",    "jpegimages",
                                        "pictures", "photos", "jpg",  "frames", NULL};
    return is_one_of(name, names);
}

/* The folders of a path, summed up. */
typedef struct siblings {
    int pictures, named;      /* folders that hold pictures, and those of them that are called so */
    int most_pictures, marks; /* in one of these, and files about pictures in one that holds none */
} siblings;

static void add_folder(const char *path, const char *name, siblings *s) {
    char below[TIPS_PATH_SIZE];
    tips_folder_content c;
    if (tips__path_join(path, name, below) != TIPS_OK || !tips__folder_content(below, &c)) return;
    if (c.pictures > s->most_pictures) s->most_pictures = c.pictures;
    if (c.pictures == 0 && c.marks > s->marks) s->marks = c.marks;
    s->pictures += c.pictures > 0;
    s->named += c.pictures > 0 && tips__is_pictures_folder(name);
}

static siblings siblings_of(const char *path) {
    tips_names folders = {0};
    siblings s = {0};
    if (tips__list_folder(path, NULL, &folders) == TIPS_OK && folders.count <= MOST_LOOKED_INTO)
        for (int i = 0; i < folders.count; i++) add_folder(path, folders.rows[i], &s);
    tips__names_clear(&folders);
    return s;
}

/* A class that lacks its pictures may hold a file or two. */
bool tips__has_marks_beside(const char *path) {
    const siblings s = siblings_of(path);
    return s.pictures > 0 && s.marks > 0 && (s.named > 0 || 2 * s.marks >= s.most_pictures);
}

bool tips__has_pictures_alone(const char *path) {
    const siblings s = siblings_of(path);
    return s.pictures == 1 && s.named == 1;
}
