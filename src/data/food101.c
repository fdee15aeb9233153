/* Food-101's own layout: images/CLASS/NUMBER.jpg, with the splits listed in meta/train.txt and meta/test.txt. */
#include "data/folders.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>

static bool recognise(const char *path) {
    return tips__is_file_in(path, "meta/train.txt") && tips__is_file_in(path, "meta/test.txt");
}

/* "apple_pie/1005649": the picture images/apple_pie/1005649.jpg of class apple_pie. */
static tips_status add_line(tips_source *source, tips_split split, const char *line) {
    char wanted[256], name[TIPS_PATH_SIZE];
    const size_t length = strcspn(line, "/");
    if (line[length] != '/' || length >= sizeof wanted || strstr(line, ".."))
        TIPS_FAIL(TIPS_FORMAT, "%s/meta/%s.txt: '%.80s' is not CLASS/NUMBER", source->path, tips__split_names[split],
                  line);
    memcpy(wanted, line, length);
    wanted[length] = '\0';
    const int label = tips__names_find(&source->classes, wanted);
    if (label < 0 && !source->skip_bad)
        TIPS_FAIL(TIPS_FORMAT, "%s/meta/%s.txt: '%s' is not one of the %d classes", source->path,
                  tips__split_names[split], wanted, source->classes.count);
    snprintf(name, sizeof name, "images/%s.jpg", line);
    return tips__source_add_file(source, split, name, label, true);
}

static tips_status add_list(tips_source *source, tips_split split, const char *file) {
    char path[TIPS_PATH_SIZE];
    tips_names lines = {0};
    TIPS_TRY(tips__path_join(source->path, file, path));
    tips_status status = tips__read_lines(path, &lines);
    for (int i = 0; i < lines.count && status == TIPS_OK; i++) status = add_line(source, split, lines.rows[i]);
    tips__names_clear(&lines);
    return status;
}

static bool are_sorted(const tips_names *names) {
    for (int i = 1; i < names->count; i++)
        if (strcmp(names->rows[i - 1], names->rows[i]) > 0) return false;
    return true;
}

/* Names for people, in the order of the classes, if they are as many. */
static tips_status rename_classes(tips_source *source) {
    char path[TIPS_PATH_SIZE];
    tips_names labels = {0};
    TIPS_TRY(tips__path_join(source->path, "meta/labels.txt", path));
    if (!tips__is_file(path)) return TIPS_OK;
    const tips_status status = tips__read_lines(path, &labels);
    if (status != TIPS_OK || labels.count != source->classes.count) {
        tips__names_clear(&labels);
        return status;
    }
    tips__names_clear(&source->classes);
    source->classes = labels;
    return TIPS_OK;
}

static tips_status open_food(const char *path, tips_source *source) {
    bool found = false;
    TIPS_TRY(tips__source_class_file(source, path, "meta/classes.txt", &found));
    if (!found) TIPS_TRY(tips__folders_classes(source, "images"));
    const bool keeps_order = are_sorted(&source->classes); /* else labels.txt is in another order than the classes */
    tips__names_sort(&source->classes);
    TIPS_TRY(add_list(source, TIPS_SPLIT_TRAIN, "meta/train.txt"));
    TIPS_TRY(add_list(source, TIPS_SPLIT_TEST, "meta/test.txt"));
    TIPS_TRY(tips__source_check_classes(source));
    if (keeps_order) TIPS_TRY(rename_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_food101 = {
    .name = "food101",
    .brief = "Food-101 with its meta lists",
    .recognise = recognise,
    .open = open_food,
    .read = tips__source_read_file,
    .item_name = tips__source_file_name,
};
