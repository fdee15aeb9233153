/* CVC-ClinicDB: Original/ and "Ground Truth"/, alone or in the folders PNG/ and TIF/ of its archive. Masks are black
 * and white with grey edges. The pictures are frames of 29 videos, and the files do not say of which. */
#include "data/mask_files.h"
#include "data/mask_folders.h"

#include "core/fail.h"

#include <stdio.h>

static const char *const bases[] = {"", "PNG/", "TIF/", "CVC-ClinicDB/", "CVC-ClinicDB/PNG/", NULL};

static const char *find_base(const char *path) {
    char folder[64];
    for (int i = 0; bases[i]; i++) {
        snprintf(folder, sizeof folder, "%sOriginal", bases[i]);
        if (!tips__is_folder_in(path, folder)) continue;
        snprintf(folder, sizeof folder, "%sGround Truth", bases[i]);
        if (tips__is_folder_in(path, folder)) return bases[i];
    }
    return NULL;
}

static bool recognise(const char *path) { return find_base(path) != NULL; }

static tips_status open_cvc(const char *path, tips_source *source) {
    const char *base = find_base(path);
    char pictures[64], masks[64];
    tips_mask_code *code;
    if (!base) TIPS_FAIL(TIPS_FORMAT, "%s: there are no folders 'Original' and 'Ground Truth'", path);
    snprintf(pictures, sizeof pictures, "%sOriginal", base);
    snprintf(masks, sizeof masks, "%sGround Truth", base);
    TIPS_TRY(tips__mask_code_create(source, &code));
    TIPS_TRY(tips__mask_binary(source, "polyp"));
    TIPS_TRY(tips__mask_folders_add(source, TIPS_SPLIT_TRAIN, pictures, masks));
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_cvc = {
    .name = "cvc",
    .brief = "CVC-ClinicDB: Original/ and 'Ground Truth'/, PNG or TIFF",
    .marks = TIPS_ANNOTATES_MASK,
    .recognise = recognise,
    .open = open_cvc,
    .read = tips__source_read_file,
    .annotate = tips__mask_file_annotate,
    .item_name = tips__source_file_name,
    .mark_name = tips__mask_file_name,
    .close = tips__mask_code_close,
};
