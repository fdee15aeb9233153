/* CamVid as SegNet's tutorial has it: train/ and trainannot/, val/ and valannot/, test/ and testannot/. Masks hold the
 * numbers of 11 classes; 11 is what has none of them. */
#include "data/mask_files.h"
#include "data/mask_folders.h"

#include "core/fail.h"

#include <stdio.h>

enum { CLASSES = 11, UNLABELLED = 11 };

static const tips_mask_class classes[CLASSES] = {
    {"sky", {128, 128, 128}},         {"building", {128, 0, 0}},   {"pole", {192, 192, 128}},
    {"road", {128, 64, 128}},         {"pavement", {60, 40, 222}}, {"tree", {128, 128, 0}},
    {"sign symbol", {192, 128, 128}}, {"fence", {64, 64, 128}},    {"car", {64, 0, 128}},
    {"pedestrian", {64, 64, 0}},      {"bicyclist", {0, 128, 192}}};

static const char *const bases[] = {"", "CamVid/", NULL};

static const char *find_base(const char *path) {
    char folder[64];
    for (int i = 0; bases[i]; i++) {
        snprintf(folder, sizeof folder, "%strain", bases[i]);
        if (!tips__is_folder_in(path, folder)) continue;
        snprintf(folder, sizeof folder, "%strainannot", bases[i]);
        if (tips__is_folder_in(path, folder)) return bases[i];
    }
    return NULL;
}

static bool recognise(const char *path) { return find_base(path) != NULL; }

static tips_status add_split(tips_source *source, tips_split split, const char *base) {
    char pictures[64], masks[64];
    snprintf(pictures, sizeof pictures, "%s%s", base, tips__split_names[split]);
    snprintf(masks, sizeof masks, "%s%sannot", base, tips__split_names[split]);
    if (split != TIPS_SPLIT_TRAIN && !tips__is_folder_in(source->path, masks)) return TIPS_OK;
    return tips__mask_folders_add(source, split, pictures, masks);
}

static tips_status open_camvid(const char *path, tips_source *source) {
    const char *base = find_base(path);
    tips_mask_code *code;
    if (!base) TIPS_FAIL(TIPS_FORMAT, "%s: there are no folders train/ and trainannot/", path);
    source->no_background = true;
    TIPS_TRY(tips__mask_code_create(source, &code));
    TIPS_TRY(tips__mask_classes(source, classes, CLASSES));
    code->values[UNLABELLED] = TIPS_MASK_IGNORE;
    for (int s = 0; s < TIPS_SPLITS; s++) TIPS_TRY(add_split(source, (tips_split)s, base));
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_camvid = {
    .name = "camvid",
    .brief = "CamVid with 11 classes: train/ and trainannot/, val/ and valannot/, test/ and testannot/",
    .marks = TIPS_ANNOTATES_MASK,
    .recognise = recognise,
    .open = open_camvid,
    .read = tips__source_read_file,
    .annotate = tips__mask_file_annotate,
    .item_name = tips__source_file_name,
    .mark_name = tips__mask_file_name,
    .close = tips__mask_code_close,
};
