/* Pascal VOC 2012, segmentation: JPEGImages, SegmentationClass, ImageSets/Segmentation/train.txt and val.txt. Masks are
 * numbers with VOC's palette, 255 along the edges of things. The larger training set that others annotated (SBD) comes
 * as trainaug.txt with masks in SegmentationClassAug. */
#include "data/mask_files.h"
#include "data/mask_lists.h"

#include "core/fail.h"

#include <stdio.h>

enum { CLASSES = 20 };

static const char *const names[CLASSES] = {
    "aeroplane",   "bicycle", "bird",  "boat",      "bottle", "bus",         "car",   "cat",  "chair", "cow",
    "diningtable", "dog",     "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor"};

enum { TRAIN, TRAINVAL, TRAINAUG };
static const char *const lists[] = {"train", "trainval", "trainaug", NULL};

typedef struct voc_options {
    int train;
} voc_options;

static const tips_option options[] = {
    {.name = "train",
     .type = TIPS_OPT_CHOICE,
     .offset = offsetof(voc_options, train),
     .fallback = "train",
     .choices = lists,
     .help = "list of training pictures; of trainval, validation data are held out; trainaug has the masks of "
             "SegmentationClassAug (SBD)"},
    {.type = TIPS_OPT_END},
};

/* The folder itself, or those above it as the archive unpacks. */
static const char *const bases[] = {"", "VOC2012/", "VOCdevkit/VOC2012/", NULL};

static const char *find_base(const char *path) {
    char folder[64];
    for (int i = 0; bases[i]; i++) {
        snprintf(folder, sizeof folder, "%sImageSets/Segmentation", bases[i]);
        if (!tips__is_folder_in(path, folder)) continue;
        snprintf(folder, sizeof folder, "%sJPEGImages", bases[i]);
        if (tips__is_folder_in(path, folder)) return bases[i];
    }
    return NULL;
}

static bool recognise(const char *path) { return find_base(path) != NULL; }

static tips_status add_list(tips_source *source, tips_split split, const char *base, const char *name) {
    char file[64], pictures[64], masks[64];
    const bool is_larger = name == lists[TRAINAUG];
    snprintf(file, sizeof file, "%sImageSets/Segmentation/%s.txt", base, name);
    snprintf(pictures, sizeof pictures, "%sJPEGImages", base);
    snprintf(masks, sizeof masks, "%sSegmentationClass%s", base, is_larger ? "Aug" : "");
    if (is_larger && !(tips__is_file_in(source->path, file) && tips__is_folder_in(source->path, masks)))
        TIPS_FAIL(TIPS_IO, "%s: train=trainaug needs %s and the folder %s, which are no part of VOC itself",
                  source->path, file, masks);
    return tips__mask_list_add(
        source, split,
        &(tips_mask_list){
            .file = file, .pictures = pictures, .picture_ending = ".jpg", .masks = masks, .mask_ending = ".png"});
}

static tips_status add_classes(tips_source *source) {
    tips_mask_code *code;
    TIPS_TRY(tips__mask_code_create(source, &code));
    for (int k = 0; k < CLASSES; k++) TIPS_TRY(tips__names_add(&source->classes, names[k]));
    for (int k = 0; k <= CLASSES; k++) code->values[k] = (int16_t)k;
    code->has_colours = true;
    return TIPS_OK;
}

static tips_status open_voc(const char *path, tips_source *source) {
    const char *base = find_base(path);
    voc_options o;
    if (!base) TIPS_FAIL(TIPS_FORMAT, "%s: there are no JPEGImages and ImageSets/Segmentation", path);
    TIPS_TRY(tips__options_defaults(options, &o));
    TIPS_TRY(tips__options_parse(options, &o, source->settings, "voc"));
    TIPS_TRY(add_classes(source));
    TIPS_TRY(add_list(source, TIPS_SPLIT_TRAIN, base, lists[o.train]));
    if (o.train != TRAINVAL) TIPS_TRY(add_list(source, TIPS_SPLIT_VAL, base, "val"));
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_voc = {
    .name = "voc",
    .brief = "Pascal VOC 2012 with masks: JPEGImages, SegmentationClass, ImageSets/Segmentation",
    .marks = TIPS_ANNOTATES_MASK,
    .options = options,
    .recognise = recognise,
    .open = open_voc,
    .read = tips__source_read_file,
    .annotate = tips__mask_file_annotate,
    .item_name = tips__source_file_name,
    .mark_name = tips__mask_file_name,
    .close = tips__mask_code_close,
};
