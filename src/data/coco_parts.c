/* Finding the files of a COCO set: annotations/instances_NAME.json with the pictures in NAME/, images/NAME/ or images/;
 * or JSON files of that form beside their pictures, alone or in train/, valid/ and test/. */
#include "data/coco_parts.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>

enum { HEAD_SIZE = 4096, PROBES = 16 };

/* Whether a file begins like one of ours, by the keys that stand first in it. */
static bool looks_right(const char *path) {
    static const char *const keys[] = {"\"images\"", "\"annotations\"", "\"categories\"", "\"info\"", "\"licenses\""};
    char head[HEAD_SIZE + 1];
    FILE *file = tips__is_file(path) ? fopen(path, "rb") : NULL;
    if (!file) return false;
    const size_t length = fread(head, 1, HEAD_SIZE, file);
    fclose(file);
    head[length] = '\0';
    const char *at = head + strspn(head, "\xef\xbb\xbf \t\r\n");
    if (*at++ != '{') return false;
    at += strspn(at, " \t\r\n");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strncmp(at, keys[i], strlen(keys[i])) == 0) return true;
    return false;
}

static int split_of(const char *name) {
    static const char *const words[] = {"train", "val", "test"};
    for (int s = 0; s < TIPS_SPLITS; s++)
        if (strstr(name, words[s])) return s;
    return -1;
}

/* "instances_val2017.json" is of val2017, "train/_annotations.coco.json" of train, "boxes.json" of boxes. */
static void add_part(tips_coco_parts *p, const char *folder, const char *file) {
    tips_coco_part *row = &p->rows[p->count];
    const size_t prefix = strncmp(file, "instances_", 10) == 0 ? 10 : 0;
    if (p->count == TIPS_COCO_FILES) return;
    snprintf(row->folder, sizeof row->folder, "%s", folder);
    if (snprintf(row->file, sizeof row->file, "%s%s%s", folder, *folder ? "/" : "", file) >= TIPS_COCO_NAME) return;
    snprintf(row->name, sizeof row->name, "%.*s", (int)(strlen(file) - prefix - strlen(".json")), file + prefix);
    row->split = split_of(prefix || strcmp(folder, "annotations") == 0 || !*folder ? row->name : folder);
    p->count++;
}

/* Those called instances, if there are any: beside them lie captions and keypoints. */
static void look_into(tips_coco_parts *p, const char *folder) {
    char path[TIPS_PATH_SIZE], file[TIPS_PATH_SIZE];
    tips_names files = {0};
    if (tips__path_join(p->base, *folder ? folder : ".", path) == TIPS_OK && tips__is_folder(path) &&
        tips__list_folder(path, &files, NULL) == TIPS_OK) {
        bool has_instances = false;
        for (int i = 0; i < files.count; i++)
            has_instances = has_instances || strncmp(files.rows[i], "instances_", 10) == 0;
        for (int i = 0; i < files.count; i++)
            if (tips__path_ends(files.rows[i], ".json") &&
                (!has_instances || strncmp(files.rows[i], "instances_", 10) == 0) &&
                tips__path_join(path, files.rows[i], file) == TIPS_OK && looks_right(file))
                add_part(p, folder, files.rows[i]);
    }
    tips__names_clear(&files);
}

/* A file is taken with the folder it lies in, or that above "annotations". */
static void take_file(tips_coco_parts *p, const char *path) {
    char folder[TIPS_COCO_NAME] = "", *slash;
    snprintf(p->base, sizeof p->base, "%s", path);
    slash = strrchr(p->base, '/');
    if (slash) *slash = '\0';
    else snprintf(p->base, sizeof p->base, ".");
    const char *last = tips__base_name(p->base);
    if (slash && strcmp(last, "annotations") == 0) {
        snprintf(folder, sizeof folder, "%s", last);
        if (last == p->base) snprintf(p->base, sizeof p->base, ".");
        else p->base[last == p->base + 1 ? 1 : last - p->base - 1] = '\0';
    }
    add_part(p, folder, tips__base_name(path));
}

bool tips__coco_find(const char *path, tips_coco_parts *p) {
    static const char *const folders[] = {"annotations", "", "train", "valid", "val", "test"};
    *p = (tips_coco_parts){.count = 0};
    if (tips__is_file(path)) {
        if (!tips__path_ends(path, ".json") || !looks_right(path)) return false;
        take_file(p, path);
        return p->count == 1;
    }
    if (strlen(path) >= sizeof p->base) return false;
    snprintf(p->base, sizeof p->base, "%s", path);
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (p->count > 0 && i <= 2) break; /* one way or the other */
        look_into(p, folders[i]);
    }
    return p->count > 0;
}

static bool has_year(const tips_coco_part *row, int year) {
    char digits[16];
    const int length = snprintf(digits, sizeof digits, "%d", year);
    return year == 0 ||
           (strlen(row->name) >= (size_t)length && strcmp(row->name + strlen(row->name) - (size_t)length, digits) == 0);
}

tips_status tips__coco_choose(const char *path, int year, tips_coco_parts *p) {
    int kept = 0;
    for (int i = 0; i < p->count; i++)
        if (has_year(&p->rows[i], year)) p->rows[kept++] = p->rows[i];
    if (kept == 0) TIPS_FAIL(TIPS_INVALID, "%s: no file of annotations has a name that ends in %d", path, year);
    p->count = kept;
    if (kept == 1) p->rows[0].split = TIPS_SPLIT_TRAIN;
    for (int i = 0; i < kept; i++) {
        if (p->rows[i].split < 0)
            TIPS_FAIL(TIPS_FORMAT,
                      "%s/%s: the name says neither train nor val nor test, and there are other files of annotations; "
                      "give this one by its name: coco:%s/%s",
                      p->base, p->rows[i].file, p->base, p->rows[i].file);
        for (int k = 0; k < i; k++)
            if (p->rows[k].split == p->rows[i].split)
                TIPS_FAIL(TIPS_FORMAT,
                          "%s: %s and %s are both for %s; say which with coco:year=YEAR,%s, or give one file", path,
                          p->rows[k].file, p->rows[i].file, tips__split_names[p->rows[i].split], path);
    }
    return TIPS_OK;
}

/* The folders that pictures may be in, relative to the base; the last of the names may be a folder's. */
enum { PLACES = 6 };

static void list_places(const tips_coco_part *row, char out[PLACES][TIPS_COCO_PLACE]) {
    const bool is_beside = *row->folder && strcmp(row->folder, "annotations") != 0;
    snprintf(out[0], TIPS_COCO_PLACE, "%s", is_beside ? row->folder : row->name);
    snprintf(out[1], TIPS_COCO_PLACE, "images/%s", row->name);
    snprintf(out[2], TIPS_COCO_PLACE, "%s/images", row->name);
    snprintf(out[3], TIPS_COCO_PLACE, "images");
    snprintf(out[4], TIPS_COCO_PLACE, "data");
    snprintf(out[5], TIPS_COCO_PLACE, ".");
}

void tips__coco_find_place(const char *base, const tips_source *source, const tips_coco_part *row, const tips_coco *c,
                           char out[TIPS_COCO_PLACE]) {
    char places[PLACES][TIPS_COCO_PLACE], path[2 * TIPS_PATH_SIZE];
    const size_t probes = c->n_pictures < PROBES ? c->n_pictures : PROBES;
    list_places(row, places);
    for (int k = 0; k < PLACES; k++) {
        memcpy(out, places[k], TIPS_COCO_PLACE);
        for (size_t i = 0; i < probes; i++) {
            snprintf(path, sizeof path, "%s/%s/%s", base, out,
                     source->texts + c->pictures[i * c->n_pictures / probes].name);
            if (tips__is_file(path)) return;
        }
    }
}
