/* Cityscapes: leftImg8bit/SPLIT/CITY/NAME_leftImg8bit.png, and in gtFine the labels of each. Of the 34 kinds of labels
 * 19 are classes, numbered as in its trainId, and the others are ignored. Test pictures have no labels and are left
 * out.
 *
 * Labels come as numbers of classes (_labelTrainIds.png), as numbers of kinds (_labelIds.png) or as polygons
 * (_polygons.json). Copies of the set at a smaller size may have numbers that were interpolated, which are then kinds
 * that are not there; polygons are not, and are preferred in pictures of another size than the cameras'. */
#include "data/cityscapes.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>

enum { KINDS = 34, HEIGHT = 1024, WIDTH = 2048 };

/* The kinds in the order of their numbers; those with a class have its number and colour. */
static const struct kind {
    const char *name;
    int class;
    uint8_t rgb[3];
} kinds[KINDS] = {
    {"unlabeled", -1, {0}},
    {"ego vehicle", -1, {0}},
    {"rectification border", -1, {0}},
    {"out of roi", -1, {0}},
    {"static", -1, {0}},
    {"dynamic", -1, {0}},
    {"ground", -1, {0}},
    {"road", 0, {128, 64, 128}},
    {"sidewalk", 1, {244, 35, 232}},
    {"parking", -1, {0}},
    {"rail track", -1, {0}},
    {"building", 2, {70, 70, 70}},
    {"wall", 3, {102, 102, 156}},
    {"fence", 4, {190, 153, 153}},
    {"guard rail", -1, {0}},
    {"bridge", -1, {0}},
    {"tunnel", -1, {0}},
    {"pole", 5, {153, 153, 153}},
    {"polegroup", -1, {0}},
    {"traffic light", 6, {250, 170, 30}},
    {"traffic sign", 7, {220, 220, 0}},
    {"vegetation", 8, {107, 142, 35}},
    {"terrain", 9, {152, 251, 152}},
    {"sky", 10, {70, 130, 180}},
    {"person", 11, {220, 20, 60}},
    {"rider", 12, {255, 0, 0}},
    {"car", 13, {0, 0, 142}},
    {"truck", 14, {0, 0, 70}},
    {"bus", 15, {0, 60, 100}},
    {"caravan", -1, {0}},
    {"trailer", -1, {0}},
    {"train", 16, {0, 80, 100}},
    {"motorcycle", 17, {0, 0, 230}},
    {"bicycle", 18, {119, 11, 32}},
};

enum { AUTO, TRAIN_IDS, IDS, POLYGONS };
static const char *const label_kinds[] = {"auto", "trainids", "ids", "polygons", NULL};
static const char *const label_endings[] = {NULL, "_gtFine_labelTrainIds.png", "_gtFine_labelIds.png",
                                            "_gtFine_polygons.json"};
static const char picture_ending[] = "_leftImg8bit.png";

typedef struct city_options {
    int labels;
} city_options;

static const tips_option options[] = {
    {.name = "labels",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(city_options, labels),
     .fallback = "auto",
     .choices = label_kinds,
     .help =
         "where labels come from: labelTrainIds.png, labelIds.png, polygons.json, or the first of them that is there, "
         "polygons first where the pictures were made smaller"},
    {.type = TIPS_OPT_END},
};

static int find_kind(const char *label, size_t length) {
    for (int i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, label, length) == 0) return i;
    return -1;
}

/* "persongroup" are persons that were not told apart. */
int tips__cityscapes_value(const char *label) {
    const size_t length = strlen(label), group = strlen("group");
    int i = find_kind(label, length);
    if (i < 0 && length > group && strcmp(label + length - group, "group") == 0) i = find_kind(label, length - group);
    if (i < 0) return strcmp(label, "license plate") == 0 ? TIPS_MASK_IGNORE : TIPS_MASK_NO_LABEL;
    return kinds[i].class >= 0 ? kinds[i].class : TIPS_MASK_IGNORE;
}

static bool recognise(const char *path) {
    return tips__is_folder_in(path, "leftImg8bit/train") && tips__is_folder_in(path, "gtFine/train");
}

static tips_status add_classes(tips_source *source) {
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i].class < 0) continue;
        const tips_mask_class class = {kinds[i].name, {kinds[i].rgb[0], kinds[i].rgb[1], kinds[i].rgb[2]}};
        memcpy(source->colours.rgb[source->classes.count], class.rgb, sizeof class.rgb);
        TIPS_TRY(tips__names_add(&source->classes, class.name));
    }
    return TIPS_OK;
}

static void set_code(tips_mask_code *code, int labels) {
    for (int i = 0; i < (labels == IDS ? KINDS : TIPS_CITYSCAPES_CLASSES); i++) {
        const int class = labels == IDS ? kinds[i].class : i;
        code->values[i] = (int16_t)(class < 0 ? TIPS_MASK_IGNORE : class);
    }
}

/* The part of a picture's name before its ending, with folders: "train/aachen/aachen_000000_000019". */
static bool take_stem(const char *name, char out[TIPS_PATH_SIZE]) {
    const size_t length = strlen(name), ending = sizeof picture_ending - 1;
    if (length <= ending || strcmp(name + length - ending, picture_ending) != 0) return false;
    snprintf(out, TIPS_PATH_SIZE, "%.*s", (int)(length - ending), name);
    return true;
}

typedef struct walk {
    tips_source *source;
    tips_split split;
    int labels;
} walk;

static tips_status add_picture(const walk *w, const char *city, const char *file) {
    char name[TIPS_PATH_SIZE], stem[TIPS_PATH_SIZE], picture[2 * TIPS_PATH_SIZE], labels[2 * TIPS_PATH_SIZE];
    if (!take_stem(file, name)) {
        w->source->ignored++;
        return TIPS_OK;
    }
    TIPS_TRY(tips__path_join(city, name, stem));
    snprintf(picture, sizeof picture, "leftImg8bit/%s%s", stem, picture_ending);
    snprintf(labels, sizeof labels, "gtFine/%s%s", stem, label_endings[w->labels]);
    return tips__source_add_marked(w->source, w->split, picture, labels);
}

static tips_status add_city(const walk *w, const char *city) {
    char folder[TIPS_PATH_SIZE], path[TIPS_PATH_SIZE];
    tips_names files = {0};
    TIPS_TRY(tips__path_join("leftImg8bit", city, folder));
    TIPS_TRY(tips__path_join(w->source->path, folder, path));
    tips_status status = tips__list_folder(path, &files, NULL);
    for (int i = 0; i < files.count && status == TIPS_OK; i++) status = add_picture(w, city, files.rows[i]);
    tips__names_clear(&files);
    return status;
}

static tips_status list_cities(const tips_source *source, tips_split split, tips_names *out) {
    char folder[64], path[TIPS_PATH_SIZE];
    snprintf(folder, sizeof folder, "leftImg8bit/%s", tips__split_names[split]);
    TIPS_TRY(tips__path_join(source->path, folder, path));
    return tips__list_folder(path, NULL, out);
}

static tips_status add_split(const walk *w) {
    char city[TIPS_PATH_SIZE];
    tips_names cities = {0};
    tips_status status = list_cities(w->source, w->split, &cities);
    for (int i = 0; i < cities.count && status == TIPS_OK; i++) {
        status = tips__path_join(tips__split_names[w->split], cities.rows[i], city);
        if (status == TIPS_OK) status = add_city(w, city);
    }
    tips__names_clear(&cities);
    if (status == TIPS_OK && w->source->splits[w->split].count == 0 && !w->source->skip_bad)
        TIPS_FAIL(TIPS_FORMAT, "%s/leftImg8bit/%s: there are no pictures CITY/*%s", w->source->path,
                  tips__split_names[w->split], picture_ending);
    return status;
}

/* The first training picture of a city: its name, and the stem of those of its labels. */
static tips_status find_first(const char *path, const char *city, bool *found, char picture[TIPS_PATH_SIZE],
                              char labels[TIPS_PATH_SIZE]) {
    char folder[TIPS_PATH_SIZE], stem[TIPS_PATH_SIZE];
    tips_names files = {0};
    TIPS_TRY(tips__path_join("leftImg8bit/train", city, stem));
    TIPS_TRY(tips__path_join(path, stem, folder));
    const tips_status status = tips__list_folder(folder, &files, NULL);
    for (int i = 0; i < files.count && !*found; i++) {
        if (!take_stem(files.rows[i], stem)) continue;
        *found = snprintf(picture, TIPS_PATH_SIZE, "leftImg8bit/train/%s/%s", city, files.rows[i]) < TIPS_PATH_SIZE &&
                 snprintf(labels, TIPS_PATH_SIZE, "gtFine/train/%s/%s", city, stem) < TIPS_PATH_SIZE;
    }
    tips__names_clear(&files);
    return status;
}

static bool has_labels(const tips_source *source, const char *stem, int labels) {
    char name[2 * TIPS_PATH_SIZE];
    snprintf(name, sizeof name, "%s%s", stem, label_endings[labels]);
    return tips__is_file_in(source->path, name);
}

/* A picture that cannot be read is told later. */
static tips_status check_size(const tips_source *source, const char *picture, bool *is_reduced) {
    char path[TIPS_PATH_SIZE];
    int size[2] = {HEIGHT, WIDTH};
    TIPS_TRY(tips__path_join(source->path, picture, path));
    const tips_status status = tips__image_size(path, size);
    *is_reduced = status == TIPS_OK && (size[0] != HEIGHT || size[1] != WIDTH);
    return status == TIPS_MEMORY ? status : TIPS_OK;
}

/* By the first picture. What is not there is told later, with its name. */
static tips_status choose_labels(const tips_source *source, int *out) {
    char picture[TIPS_PATH_SIZE], stem[TIPS_PATH_SIZE];
    tips_names cities = {0};
    bool found = false, is_reduced = false;
    tips_status status = list_cities(source, TIPS_SPLIT_TRAIN, &cities);
    for (int i = 0; i < cities.count && !found && status == TIPS_OK; i++)
        status = find_first(source->path, cities.rows[i], &found, picture, stem);
    tips__names_clear(&cities);
    TIPS_TRY(status);
    *out = IDS;
    if (!found) return TIPS_OK;
    TIPS_TRY(check_size(source, picture, &is_reduced));
    for (int labels = POLYGONS; labels >= TRAIN_IDS; labels--)
        if (has_labels(source, stem, labels)) *out = labels;
    if (is_reduced && has_labels(source, stem, POLYGONS)) *out = POLYGONS;
    return TIPS_OK;
}

static tips_status open_cityscapes(const char *path, tips_source *source) {
    city_options o;
    tips_mask_code *code;
    if (!recognise(path)) TIPS_FAIL(TIPS_FORMAT, "%s: there are no folders leftImg8bit/train and gtFine/train", path);
    TIPS_TRY(tips__options_defaults(options, &o));
    TIPS_TRY(tips__options_parse(options, &o, source->settings, "cityscapes"));
    source->no_background = true;
    TIPS_TRY(tips__mask_code_create(source, &code));
    TIPS_TRY(add_classes(source));
    if (o.labels == AUTO) TIPS_TRY(choose_labels(source, &o.labels));
    set_code(code, o.labels);
    TIPS_TRY(add_split(&(walk){source, TIPS_SPLIT_TRAIN, o.labels}));
    if (tips__is_folder_in(path, "leftImg8bit/val")) TIPS_TRY(add_split(&(walk){source, TIPS_SPLIT_VAL, o.labels}));
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

static tips_status annotate(const tips_source *source, const tips_item *item, unsigned wanted, tips_annotation *out) {
    char path[TIPS_PATH_SIZE];
    if (!tips__path_ends(tips__source_marks(source, item), ".json"))
        return tips__mask_file_annotate(source, item, wanted, out);
    TIPS_TRY(tips__path_join(source->path, source->texts + item->where, path));
    TIPS_TRY(tips__image_size(path, out->size));
    TIPS_TRY(tips__path_join(source->path, tips__source_marks(source, item), path));
    return tips__cityscapes_polygons(path, out->size, &out->mask);
}

const tips_dataset_format tips__format_cityscapes = {
    .name = "cityscapes",
    .brief = "Cityscapes with its 19 classes: leftImg8bit and gtFine, numbers or polygons",
    .marks = TIPS_ANNOTATES_MASK,
    .options = options,
    .recognise = recognise,
    .open = open_cityscapes,
    .read = tips__source_read_file,
    .annotate = annotate,
    .item_name = tips__source_file_name,
    .mark_name = tips__mask_file_name,
    .close = tips__mask_code_close,
};
