/* Pictures to compare two networks on. */
#include "convert/convert_pictures.h"

#include "core/fail.h"
#include "data/folders.h"

static tips_status list_pictures(const char *folder, tips_convert_pictures *p) {
    tips_names files = {0}, folders = {0};
    tips_status status = tips__list_folder(folder, &files, &folders);
    for (int i = 0; i < files.count && status == TIPS_OK; i++)
        if (tips__is_picture_name(files.rows[i])) status = tips__names_add(&p->files, files.rows[i]);
    tips__names_clear(&files);
    tips__names_clear(&folders);
    p->folder = folder;
    p->count = p->files.count;
    return status;
}

static tips_status open_set(const char *data, tips_convert_pictures *p) {
    const tips_dataset_options options = {.whole = true, .skip_bad = true};
    TIPS_TRY(tips__dataset_open(data, &options, &p->set));
    p->split = tips__dataset_count(p->set, TIPS_SPLIT_TEST) > 0 ? TIPS_SPLIT_TEST : TIPS_SPLIT_VAL;
    p->count = tips__dataset_count(p->set, p->split);
    return TIPS_OK;
}

static tips_status open_pictures(const char *data, tips_convert_pictures *p) {
    if (tips__is_folder(data)) TIPS_TRY(list_pictures(data, p));
    if (p->count == 0) TIPS_TRY(open_set(data, p));
    if (p->count == 0) TIPS_FAIL(TIPS_INVALID, "--data %s: it has no pictures to compare the answers on", data);
    return TIPS_OK;
}

tips_status tips__convert_pictures_open(const char *data, tips_convert_pictures *out) {
    tips_convert_pictures pictures = {0};
    const tips_status status = open_pictures(data, &pictures);
    if (status == TIPS_OK) *out = pictures;
    else tips__convert_pictures_close(&pictures);
    return status;
}

void tips__convert_pictures_close(tips_convert_pictures *p) {
    tips__dataset_close(p->set);
    tips__names_clear(&p->files);
}

tips_status tips__convert_pictures_read(tips_convert_pictures *p, int i, tips_image *out) {
    char path[TIPS_PATH_SIZE];
    int label;
    if (p->set) return tips__dataset_read(p->set, p->split, i, out, &label);
    TIPS_TRY(tips__path_join(p->folder, p->files.rows[i], path));
    return tips__image_read(path, out);
}
