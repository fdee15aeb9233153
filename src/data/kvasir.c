/* Kvasir-SEG and sets like it: images/ and masks/ of the same names, masks black and white and stored as JPEG, so that
 * their edges are grey. All of it, or below train/, validation/ and test/. */
#include "data/mask_files.h"
#include "data/mask_folders.h"
#include "data/mask_lossy.h"

#include "core/fail.h"

#include <string.h>
#include <strings.h>

static bool recognise(const char *path) {
    char ending[16];
    return tips__mask_folders_find(path, ending) &&
           (strcasecmp(ending, ".jpg") == 0 || strcasecmp(ending, ".jpeg") == 0);
}

enum { MOST_LOOKED_AT = 100 };

static tips_status look_at(const char *path, tips_mask_shades *shades) {
    tips_image image;
    TIPS_TRY(tips__image_read(path, &image));
    tips__mask_note_shades(&image, shades);
    tips__image_free(&image);
    return TIPS_OK;
}

/* Numbers of classes in JPEG would all be background. */
static tips_status check_shades(const tips_source *source) {
    const tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    const int count = train->count < MOST_LOOKED_AT ? train->count : MOST_LOOKED_AT;
    char path[TIPS_PATH_SIZE], lossy[TIPS_PATH_SIZE] = "";
    tips_mask_shades shades = {0};
    for (int i = 0; i < count; i++) {
        const tips_item *item = &train->rows[(int64_t)i * train->count / count];
        TIPS_TRY(tips__path_join(source->path, tips__source_marks(source, item), path));
        if (!tips__mask_is_lossy(path)) continue;
        memcpy(lossy, path, sizeof lossy);
        const tips_status status = look_at(path, &shades);
        if (status != TIPS_OK && !(source->skip_bad && (status == TIPS_FORMAT || status == TIPS_IO))) return status;
    }
    return !*lossy || tips__mask_is_black_and_white(&shades) ? TIPS_OK : tips__mask_refuse_lossy(lossy);
}

static tips_status open_kvasir(const char *path, tips_source *source) {
    tips_mask_code *code;
    (void)path;
    TIPS_TRY(tips__mask_code_create(source, &code));
    TIPS_TRY(tips__mask_binary(source, "polyp"));
    TIPS_TRY(tips__mask_folders_add_splits(source));
    TIPS_TRY(tips__source_check_classes(source));
    TIPS_TRY(check_shades(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_kvasir = {
    .name = "kvasir",
    .brief = "Kvasir-SEG: images/ and black and white masks/, with or without train/, validation/ and test/ above them",
    .marks = TIPS_ANNOTATES_MASK,
    .recognise = recognise,
    .open = open_kvasir,
    .read = tips__source_read_file,
    .annotate = tips__mask_file_annotate,
    .item_name = tips__source_file_name,
    .mark_name = tips__mask_file_name,
    .close = tips__mask_code_close,
};
