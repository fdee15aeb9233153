/* Describing a dataset: counts by class and split, statistics, a contact sheet. */
#include "data/data_info.h"

#include "core/fail.h"
#include "core/keep_input.h"
#include "core/memory.h"
#include "core/threads.h"
#include "data/contact_sheet.h"
#include "data/dataset_format.h"
#include "data/statistics.h"
#include "image/image_write.h"

#include <string.h>

enum { SHEET_ROWS = 20, SHEET_COLUMNS = 12, BOX_COLUMNS = 6 };

static tips_status keep(const char *text, char **out) {
    *out = tips__strdup(text);
    if (!*out) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    return TIPS_OK;
}

static tips_status describe(const tips_dataset *set, tips_data_info *info) {
    info->format = tips__dataset_format(set);
    info->channels = tips__dataset_channels(set);
    info->val_is_test = tips__dataset_val_is_test(set);
    TIPS_TRY(keep(tips__dataset_path(set), &info->path));
    info->has_classes = tips__dataset_annotates(set) & TIPS_ANNOTATES_CLASS;
    const int classes = tips__dataset_classes(set);
    TIPS_TRY(tips__new_zero(&info->rows, (size_t)classes * sizeof *info->rows, "classes"));
    info->classes = classes;
    for (int k = 0; k < classes; k++) TIPS_TRY(keep(tips__dataset_class_name(set, k), &info->rows[k].name));
    for (int s = 0; s < TIPS_SPLITS; s++) {
        info->counts[s] = tips__dataset_count(set, (tips_split)s);
        for (int i = 0; i < info->counts[s] && info->has_classes; i++)
            info->rows[tips__dataset_item(set, (tips_split)s, i)->label].counts[s]++;
    }
    const tips_item *first = info->counts[TIPS_SPLIT_VAL] ? tips__dataset_item(set, TIPS_SPLIT_VAL, 0) : NULL;
    info->val_is_own = first && first->origin == TIPS_SPLIT_VAL;
    return TIPS_OK;
}

static bool shows_masks(const tips_data_info_config *config, const tips_dataset *set) {
    const unsigned offered = tips__dataset_annotates(set);
    return offered & TIPS_ANNOTATES_MASK && (config->masks || !(offered & TIPS_ANNOTATES_CLASS));
}

static bool shows_boxes(const tips_data_info_config *config, const tips_dataset *set) {
    const unsigned offered = tips__dataset_annotates(set);
    return offered & TIPS_ANNOTATES_BOXES && (config->boxes || !(offered & TIPS_ANNOTATES_CLASS));
}

static unsigned marks_shown(const tips_data_info_config *config, const tips_dataset *set) {
    return (shows_masks(config, set) ? (unsigned)TIPS_ANNOTATES_MASK : 0) |
           (shows_boxes(config, set) ? (unsigned)TIPS_ANNOTATES_BOXES : 0);
}

static tips_status describe_masks(const tips_dataset *set, const tips_statistics *s, tips_data_info *info) {
    const int values = tips__dataset_mask_classes(set);
    uint64_t pixels = 0;
    TIPS_TRY(tips__new_zero(&info->masks, (size_t)(values + 1) * sizeof *info->masks, "classes of masks"));
    info->values = values;
    for (int i = 0; i < TIPS_COLOURS; i++) pixels += s->mask_pixels[i];
    for (int i = 0; i <= values; i++) {
        tips_data_value *v = &info->masks[i];
        const int value = i < values ? i : TIPS_MASK_IGNORE;
        TIPS_TRY(keep(tips__dataset_mask_class_name(set, value), &v->name));
        memcpy(v->rgb, tips__dataset_mask_colour(set, value), sizeof v->rgb);
        v->share = pixels ? (double)s->mask_pixels[value] / (double)pixels : 0;
        v->pictures = s->mask_pictures[value];
    }
    return TIPS_OK;
}

static tips_status measure(const tips_data_info_config *config, tips_dataset *set, tips_data_info *info) {
    tips_statistics s;
    const unsigned marks = marks_shown(config, set);
    TIPS_TRY(tips__dataset_statistics(set, TIPS_SPLIT_TRAIN, marks, config->limit, (uint64_t)config->seed, &s));
    if (marks & TIPS_ANNOTATES_MASK) TIPS_TRY(describe_masks(set, &s, info));
    if (marks & TIPS_ANNOTATES_BOXES) TIPS_TRY(tips__box_statistics(set, TIPS_SPLIT_TRAIN, &info->boxes));
    info->has_boxes = marks & TIPS_ANNOTATES_BOXES;
    info->read = s.read;
    memcpy(info->mean, s.mean, sizeof s.mean);
    memcpy(info->deviation, s.deviation, sizeof s.deviation);
    memcpy(info->min_size, s.min_size, sizeof s.min_size);
    memcpy(info->max_size, s.max_size, sizeof s.max_size);
    memcpy(info->mean_size, s.mean_size, sizeof s.mean_size);
    info->same_size = memcmp(s.min_size, s.max_size, sizeof s.min_size) == 0;
    return TIPS_OK;
}

/* For pictures that cannot be read: training would meet them after its first epoch. */
static tips_status try_validation(const tips_data_info_config *config, tips_dataset *set) {
    tips_statistics s;
    if (tips__dataset_count(set, TIPS_SPLIT_VAL) == 0) return TIPS_OK;
    return tips__dataset_statistics(set, TIPS_SPLIT_VAL, marks_shown(config, set), config->limit,
                                    (uint64_t)config->seed, &s);
}

static tips_status make_sheet(tips_dataset *set, tips_data_info *info) {
    if (info->has_boxes) return tips__box_sheet(set, TIPS_SPLIT_TRAIN, SHEET_ROWS, BOX_COLUMNS, &info->sheet);
    return info->values ? tips__mask_sheet(set, TIPS_SPLIT_TRAIN, SHEET_ROWS, SHEET_COLUMNS, &info->sheet)
                        : tips__contact_sheet(set, TIPS_SPLIT_TRAIN, SHEET_ROWS, SHEET_COLUMNS, &info->sheet);
}

static tips_status collect(const tips_data_info_config *config, tips_dataset *set, tips_data_info *info) {
    TIPS_TRY(describe(set, info));
    if (config->masks) TIPS_TRY(tips__dataset_require(set, TIPS_ANNOTATES_MASK));
    if (config->boxes) TIPS_TRY(tips__dataset_require(set, TIPS_ANNOTATES_BOXES));
    TIPS_TRY(measure(config, set, info));
    TIPS_TRY(try_validation(config, set));
    if (config->sheet) TIPS_TRY(make_sheet(set, info));
    info->skipped = tips__dataset_skipped(set);
    info->bad_boxes = tips__dataset_bad_boxes(set);
    info->ignored = tips__dataset_source(set)->ignored;
    return TIPS_OK;
}

tips_status tips__data_info(const tips_data_info_config *config, tips_data_info *out) {
    const tips_dataset_options options = {.train_limit = config->train_limit,
                                          .classes_limit = config->classes_limit,
                                          .val_split = config->val_split,
                                          .val_is_test = config->val_set == TIPS_VAL_TEST,
                                          .skip_bad = config->on_bad_image == TIPS_BAD_SKIP,
                                          .seed = (uint64_t)config->seed};
    tips_data_info info = {0};
    tips_dataset *set;
    TIPS_TRY(tips__keep_input(config->data, config->sheet_file));
    tips__threads_use(config->threads);
    TIPS_TRY(tips__dataset_open(config->data, &options, &set));
    const tips_status status = collect(config, set, &info);
    tips__dataset_close(set);
    if (status != TIPS_OK) tips__data_info_clear(&info);
    else *out = info;
    return status;
}

tips_status tips__data_info_save_sheet(const tips_data_info *info, const char *path) {
    return tips__image_write_png(path, &info->sheet);
}

void tips__data_info_clear(tips_data_info *info) {
    if (!info) return;
    for (int k = 0; k < info->classes; k++) tips__free(info->rows[k].name);
    for (int i = 0; info->masks && i <= info->values; i++) tips__free(info->masks[i].name);
    tips__free(info->rows);
    tips__free(info->masks);
    tips__box_statistics_clear(&info->boxes);
    tips__free(info->path);
    tips__image_free(&info->sheet);
    *info = (tips_data_info){0};
}
