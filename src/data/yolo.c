/* Boxes as YOLO has them: pictures in images/, a text file for each in labels/ (or beside it), both with or without
 * train/, val/ and test/ below or above them; or lists of pictures, train.txt, val.txt and test.txt. A data.yaml, or
 * another YAML file by its name, says where things are and names the classes; without it classes.txt or obj.names does.
 */
#include "data/box_store.h"
#include "data/yolo_labels.h"
#include "data/yolo_yaml.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "data/folders.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 8 };

static const char *const split_folders[TIPS_SPLITS][3] = {
    {"train", NULL, NULL}, {"val", "valid", "validation"}, {"test", NULL, NULL}};

static bool has_text(const char *path, const char *folder) {
    char full[TIPS_PATH_SIZE];
    tips_names files = {0}, folders = {0};
    bool found = false;
    if (tips__path_join(path, folder, full) != TIPS_OK || !tips__is_folder(full)) return false;
    if (tips__list_folder(full, &files, &folders) == TIPS_OK)
        for (int i = 0; i < files.count && !found; i++) found = tips__path_ends(files.rows[i], ".txt");
    tips__names_clear(&files);
    tips__names_clear(&folders);
    return found;
}

static bool is_yaml_name(const char *path) { return tips__path_ends(path, ".yaml") || tips__path_ends(path, ".yml"); }

/* A data.yaml alone could be anybody's: it comes with pictures, or with labels. */
static bool recognise(const char *path) {
    if (tips__is_file(path)) return is_yaml_name(path);
    if (tips__is_folder_in(path, "images") && (has_text(path, "labels") || has_text(path, "labels/train"))) return true;
    if (tips__is_folder_in(path, "train/images") && has_text(path, "train/labels")) return true;
    const bool has_yaml = tips__is_file_in(path, "data.yaml");
    if (has_yaml && (tips__is_folder_in(path, "images") || tips__is_folder_in(path, "train"))) return true;
    return tips__is_file_in(path, "train.txt") &&
           (has_yaml || tips__is_file_in(path, "obj.names") || tips__is_folder_in(path, "labels"));
}

typedef struct opening {
    tips_source *source;
    tips_box_store *store;
    int classes, most; /* known number of classes, or 0; largest number met */
    tips_split split;
} opening;

/* "labels/a/b.txt" of "images/a/b.jpg": the last folder of that name counts. Beside the picture where there is none. */
static void name_labels(const char *picture, char out[TIPS_PATH_SIZE]) {
    const char *last = NULL, *slash = strrchr(picture, '/'), *dot = strrchr(picture, '.');
    for (const char *at = picture; (at = strstr(at, "images/")); at++)
        if (at == picture || at[-1] == '/') last = at;
    const int stem = (int)((dot && (!slash || dot > slash) ? dot : picture + strlen(picture)) - picture);
    if (!last) snprintf(out, TIPS_PATH_SIZE, "%.*s.txt", stem, picture);
    else
        snprintf(out, TIPS_PATH_SIZE, "%.*slabels%.*s.txt", (int)(last - picture), picture,
                 stem - (int)(last - picture) - 6, last + 6);
}

static tips_status add_picture(opening *o, const char *name) {
    static const int unknown[2] = {0, 0};
    char labels[TIPS_PATH_SIZE], path[TIPS_PATH_SIZE];
    bool added;
    name_labels(name, labels);
    TIPS_TRY(tips__box_store_path(o->store, labels, path));
    TIPS_TRY(tips__box_store_add(o->source, o->split, name, labels, -1, unknown, &added));
    if (!added) return TIPS_OK;
    const tips_status status = tips__yolo_labels_read(o->source, path, o->classes, &o->most);
    if (status == TIPS_OK || !o->source->skip_bad || status == TIPS_MEMORY) return status;
    o->source->splits[o->split].count--; /* the whole file is no good */
    return tips__bad_picture(o->source, status);
}

static tips_status add_folder(opening *o, const char *folder, int depth) {
    char path[TIPS_PATH_SIZE], name[TIPS_PATH_SIZE];
    tips_names files = {0}, folders = {0};
    TIPS_TRY(tips__box_store_path(o->store, folder, path));
    tips_status status = tips__list_folder(path, &files, &folders);
    for (int i = 0; i < files.count && status == TIPS_OK; i++) {
        if (!tips__is_picture_name(files.rows[i])) {
            o->source->ignored += !tips__path_ends(files.rows[i], ".txt");
            continue;
        }
        status = tips__path_join(folder, files.rows[i], name);
        if (status == TIPS_OK) status = add_picture(o, name);
    }
    for (int i = 0; i < folders.count && status == TIPS_OK && depth < MOST_DEPTH; i++) {
        status = tips__path_join(folder, folders.rows[i], name);
        if (status == TIPS_OK) status = add_folder(o, name, depth + 1);
    }
    tips__names_clear(&files);
    tips__names_clear(&folders);
    return status;
}

/* A name in a list is relative to the folder, or to wherever its author was: what lies before the part that is there is
 * dropped. The name as it stands if no part is there. */
static const char *resolve(const opening *o, const char *name) {
    if (*name == '/' && tips__is_file(name)) return name;
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += strspn(at, "/");
        if (tips__is_file_in(o->store->base, at)) return at;
    }
    return name;
}

/* What others have put on this machine is no picture of the set, though a list may name it by its whole path. */
static tips_status refuse_outside(const opening *o, const char *list, const char *name) {
    char path[TIPS_PATH_SIZE], folder[TIPS_PATH_SIZE];
    TIPS_TRY(tips__box_store_path(o->store, name, path));
    if (!tips__leads_out(name) || !tips__is_file(path) || tips__lies_in(o->store->base, path)) return TIPS_OK;
    snprintf(folder, sizeof folder, "%s", list);
    folder[tips__base_name(folder) - folder] = '\0';
    if (*folder && tips__lies_in(folder, path)) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "%s: '%.160s' leads out of the folder of the set; pictures lie below it", list, name);
}

static tips_status add_line(opening *o, const char *list, const char *line) {
    const char *name = resolve(o, line);
    const tips_status status = refuse_outside(o, list, name);
    return status == TIPS_OK ? add_picture(o, name) : tips__bad_picture(o->source, status);
}

static tips_status add_list(opening *o, const char *list) {
    char path[TIPS_PATH_SIZE];
    tips_names lines = {0};
    TIPS_TRY(tips__box_store_path(o->store, list, path));
    tips_status status = tips__read_lines(path, &lines);
    for (int i = 0; i < lines.count && status == TIPS_OK; i++) status = add_line(o, path, lines.rows[i]);
    tips__names_clear(&lines);
    return status == TIPS_OK ? tips__box_store_refuse_twins(o->source, o->split, path) : status;
}

static tips_status add_place(opening *o, const char *place) {
    return tips__path_ends(place, ".txt") ? add_list(o, place) : add_folder(o, place, 0);
}

static bool is_there(const char *path) { return tips__is_folder(path) || tips__is_file(path); }

/* Where an entry of a data.yaml is: relative to its "path" or to itself, and some are written "../train/images". */
static bool find_entry(const opening *o, const tips_yolo_yaml *yaml, const char *entry, char out[TIPS_PATH_SIZE]) {
    char full[3 * TIPS_PATH_SIZE];
    const char *rest = entry;
    while (strncmp(rest, "../", 3) == 0 || strncmp(rest, "./", 2) == 0) rest = strchr(rest, '/') + 1;
    const char *const ways[][2] = {{yaml->path, entry}, {"", entry}, {yaml->path, rest}, {"", rest}};
    if (*entry == '/' && is_there(entry)) {
        snprintf(out, TIPS_PATH_SIZE, "%s", entry);
        return true;
    }
    for (int i = 0; i < 4; i++) {
        const bool is_absolute = *ways[i][0] == '/';
        const char *between = *ways[i][0] ? "/" : "";
        snprintf(full, sizeof full, "%s%s%s%s%s", is_absolute ? "" : o->store->base, is_absolute ? "" : "/", ways[i][0],
                 between, ways[i][1]);
        if (!is_there(full)) continue;
        snprintf(out, TIPS_PATH_SIZE, "%.*s%s%.*s", TIPS_PATH_SIZE / 2 - 2, ways[i][0], between, TIPS_PATH_SIZE / 2 - 2,
                 ways[i][1]);
        return true;
    }
    return false;
}

static tips_status add_entries(opening *o, const char *file, const tips_yolo_yaml *yaml) {
    for (int s = 0; s < TIPS_SPLITS; s++) {
        o->split = (tips_split)s;
        for (int i = 0; i < yaml->places[s].count; i++) {
            char place[TIPS_PATH_SIZE];
            if (find_entry(o, yaml, yaml->places[s].rows[i], place)) TIPS_TRY(add_place(o, place));
            else if (s != TIPS_SPLIT_TEST)
                TIPS_FAIL(TIPS_FORMAT, "%s: %s: %s is not there", file, tips__split_names[s], yaml->places[s].rows[i]);
        }
    }
    return TIPS_OK;
}

static tips_status take_names(opening *o, const tips_names *names) {
    for (int k = 0; k < names->count; k++) TIPS_TRY(tips__names_add(&o->source->classes, names->rows[k]));
    o->classes = names->count;
    return TIPS_OK;
}

static tips_status add_by_yaml(opening *o, const char *file) {
    tips_yolo_yaml yaml;
    tips_status status = tips__yolo_yaml_read(file, &yaml);
    if (status == TIPS_OK) status = take_names(o, &yaml.names);
    if (status == TIPS_OK) status = add_entries(o, file, &yaml);
    tips__yolo_yaml_clear(&yaml);
    return status;
}

/* images/train or train/images, a list, or all of images/ as training data. */
static tips_status add_split(opening *o, tips_split split) {
    char place[64];
    o->split = split;
    for (int i = 0; i < 3 && split_folders[split][i]; i++) {
        snprintf(place, sizeof place, "%s.txt", split_folders[split][i]);
        if (tips__is_file_in(o->store->base, place)) return add_list(o, place);
        snprintf(place, sizeof place, "images/%s", split_folders[split][i]);
        if (tips__is_folder_in(o->store->base, place)) return add_folder(o, place, 0);
        snprintf(place, sizeof place, "%s/images", split_folders[split][i]);
        if (tips__is_folder_in(o->store->base, place)) return add_folder(o, place, 0);
    }
    return split == TIPS_SPLIT_TRAIN ? add_folder(o, "images", 0) : TIPS_OK;
}

static tips_status add_by_folders(opening *o) {
    static const char *const files[] = {"classes.txt", "obj.names", "labels/classes.txt"};
    bool found = false;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && !found; i++)
        TIPS_TRY(tips__source_class_file(o->source, o->store->base, files[i], &found));
    o->classes = o->source->classes.count;
    for (int s = 0; s < TIPS_SPLITS; s++) TIPS_TRY(add_split(o, (tips_split)s));
    return TIPS_OK;
}

static tips_status fill(opening *o, const char *path) {
    char yaml[TIPS_PATH_SIZE];
    if (tips__is_file(path)) return add_by_yaml(o, path);
    TIPS_TRY(tips__path_join(path, "data.yaml", yaml));
    return tips__is_file(yaml) ? add_by_yaml(o, yaml) : add_by_folders(o);
}

static tips_status open_yolo(const char *path, tips_source *source) {
    char base[TIPS_PATH_SIZE];
    opening o = {.source = source, .most = -1};
    if (snprintf(base, sizeof base, "%s", path) >= TIPS_PATH_SIZE) TIPS_FAIL(TIPS_INVALID, "%.80s: too long", path);
    if (tips__is_file(path)) {
        char *slash = strrchr(base, '/');
        if (slash) slash[slash == base] = '\0';
        else snprintf(base, sizeof base, ".");
    }
    TIPS_TRY(tips__box_store_create(source, base, &o.store));
    o.store->is_relative = true;
    TIPS_TRY(fill(&o, path));
    if (o.classes == 0 && o.most < 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: there are no boxes in labels/ or beside the pictures, and no names of classes",
                  path);
    if (o.classes == 0) TIPS_TRY(tips__source_number_classes(source, 0, o.most + 1));
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_yolo = {
    .name = "yolo",
    .brief = "boxes as YOLO has them: images/, labels/NAME.txt, data.yaml or classes.txt, train.txt",
    .marks = TIPS_ANNOTATES_BOXES,
    .recognise = recognise,
    .open = open_yolo,
    .read = tips__boxed_read,
    .annotate = tips__boxed_annotate,
    .item_name = tips__boxed_name,
    .mark_name = tips__boxed_mark_name,
    .picture_id = tips__boxed_id,
    .close = tips__boxed_close,
};
