/* Oxford-IIIT Pet: images/ (original/ in a copy of smaller ones), annotations/trimaps, and the lists trainval.txt and
 * test.txt beside the trimaps' folder. A trimap is 1 on the pet, 2 on the background, and 3 along the edge between. */
#include "data/mask_files.h"
#include "data/mask_folders.h"
#include "data/mask_lists.h"

#include "core/fail.h"

enum { PET = 1, BACKGROUND = 2, EDGE = 3 };

static const char *find_pictures(const char *path) {
    static const char *const folders[] = {"images", "original", NULL};
    for (int i = 0; folders[i]; i++)
        if (tips__is_folder_in(path, folders[i])) return folders[i];
    return NULL;
}

static bool recognise(const char *path) {
    return tips__is_folder_in(path, "annotations/trimaps") && find_pictures(path);
}

/* Without lists all of it is training data. */
static tips_status add_splits(tips_source *source, const char *pictures) {
    tips_mask_list list = {.file = "annotations/trainval.txt",
                           .pictures = pictures,
                           .picture_ending = ".jpg",
                           .masks = "annotations/trimaps",
                           .mask_ending = ".png"};
    if (!tips__is_file_in(source->path, list.file))
        return tips__mask_folders_add(source, TIPS_SPLIT_TRAIN, pictures, list.masks);
    TIPS_TRY(tips__mask_list_add(source, TIPS_SPLIT_TRAIN, &list));
    list.file = "annotations/test.txt";
    return tips__is_file_in(source->path, list.file) ? tips__mask_list_add(source, TIPS_SPLIT_TEST, &list) : TIPS_OK;
}

static tips_status open_pets(const char *path, tips_source *source) {
    const char *pictures = find_pictures(path);
    tips_mask_code *code;
    if (!pictures) TIPS_FAIL(TIPS_FORMAT, "%s: there is no folder images/", path);
    TIPS_TRY(tips__mask_code_create(source, &code));
    TIPS_TRY(tips__names_add(&source->classes, "pet"));
    code->values[PET] = 1;
    code->values[BACKGROUND] = 0;
    code->values[EDGE] = TIPS_MASK_IGNORE;
    code->values[TIPS_MASK_IGNORE] = TIPS_MASK_NO_LABEL;
    TIPS_TRY(add_splits(source, pictures));
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_pets = {
    .name = "pets",
    .brief = "Oxford-IIIT Pet with its trimaps: images/, annotations/trimaps, trainval.txt, test.txt",
    .marks = TIPS_ANNOTATES_MASK,
    .recognise = recognise,
    .open = open_pets,
    .read = tips__source_read_file,
    .annotate = tips__mask_file_annotate,
    .item_name = tips__source_file_name,
    .mark_name = tips__mask_file_name,
    .close = tips__mask_code_close,
};
