/* Filling a source: pictures, class names. */
#include "data/dataset_format.h"

#include "core/fail.h"
#include "core/memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static tips_status append(tips_items *items, tips_item item) {
    if (items->count == items->room) {
        if (items->room > INT_MAX / 2) TIPS_FAIL(TIPS_RANGE, "more than %d pictures", items->room);
        const int room = items->room ? 2 * items->room : 1024;
        tips_item *rows = tips__grow(items->rows, (size_t)items->count * sizeof *rows, (size_t)room * sizeof *rows);
        if (!rows) TIPS_FAIL(TIPS_MEMORY, "out of memory for %d pictures", room);
        items->rows = rows;
        items->room = room;
    }
    items->rows[items->count++] = item;
    return TIPS_OK;
}

tips_status tips__source_add(tips_source *source, tips_split split, uint64_t where, int label, const char *file,
                             int number) {
    const bool is_known = label >= 0 && label < source->classes.count;
    if (!is_known && source->annotates & TIPS_ANNOTATES_CLASS) {
        if (!source->skip_bad)
            TIPS_FAIL(TIPS_FORMAT, "%s: label %d of picture %d is out of range; there are %d classes", file, label,
                      number, source->classes.count);
        source->skipped++;
        return TIPS_OK;
    }
    return append(&source->splits[split], (tips_item){.where = where, .label = label, .origin = (int32_t)split});
}

static tips_status count_classes(const tips_source *source, int *counts) {
    const tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    for (int i = 0; i < train->count; i++) counts[train->rows[i].label]++;
    for (int k = 0; k < source->classes.count; k++)
        if (counts[k] == 0)
            TIPS_FAIL(TIPS_FORMAT, "%s: class %d, '%s', has no training pictures", source->path, k,
                      source->classes.rows[k]);
    return TIPS_OK;
}

tips_status tips__source_check_classes(const tips_source *source) {
    int *counts;
    if (source->splits[TIPS_SPLIT_TRAIN].count == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: there are no training pictures", source->path);
    if (source->skip_bad || source->whole || !(source->annotates & TIPS_ANNOTATES_CLASS)) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&counts, (size_t)source->classes.count * sizeof *counts, "class counts"));
    const tips_status status = count_classes(source, counts);
    tips__free(counts);
    return status;
}

tips_status tips__source_class_file(tips_source *source, const char *folder, const char *file, bool *found) {
    char path[TIPS_PATH_SIZE];
    *found = false;
    TIPS_TRY(tips__path_join(folder, file, path));
    if (!tips__is_file(path)) return TIPS_OK;
    TIPS_TRY(tips__read_lines(path, &source->classes));
    if (source->classes.count == 0) TIPS_FAIL(TIPS_FORMAT, "%s: names no classes", path);
    *found = true;
    return TIPS_OK;
}

tips_status tips__source_number_classes(tips_source *source, int first, int count) {
    for (int k = 0; k < count; k++) {
        char name[16];
        snprintf(name, sizeof name, "%d", first + k);
        TIPS_TRY(tips__names_add(&source->classes, name));
    }
    return TIPS_OK;
}

void tips__source_clear(tips_source *source) {
    if (source->format && source->format->close) source->format->close(source);
    tips__names_clear(&source->classes);
    for (int s = 0; s < TIPS_SPLITS; s++) tips__free(source->splits[s].rows);
    tips__free(source->texts);
    tips__free(source->class_ids);
    *source = (tips_source){0};
}
