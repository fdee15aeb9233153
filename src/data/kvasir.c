/* Kvasir-SEG and sets like it: images/ and masks/ of the same names, masks black and white and stored as JPEG, so that
 * their edges are grey. All of it, or below train/, validation/ and test/. */
#include "data/mask_files.h"
#include "data/mask_folders.h"

#include "core/fail.h"

#include <strings.h>

static bool recognise(const char *path) {
    char ending[16];
    return tips__mask_folders_find(path, ending) &&
           (strcasecmp(ending, ".jpg") == 0 || strcasecmp(ending, ".jpeg") == 0);
}

static tips_status open_kvasir(const char *path, tips_source *source) {
    tips_mask_code *code;
    (void)path;
    TIPS_TRY(tips__mask_code_create(source, &code));
    TIPS_TRY(tips__mask_binary(source, "polyp"));
    TIPS_TRY(tips__mask_folders_add_splits(source));
    TIPS_TRY(tips__source_check_classes(source));
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
