/* Oxford's 102 flowers: jpg/image_NNNNN.jpg, labels in imagelabels.mat, the three splits in setid.mat; all count from
 * one. A classes.txt beside them may name the classes. */
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/mat_read.h"

#include <stdio.h>

enum { CLASSES = 102 };

static bool recognise(const char *path) {
    return tips__is_file_in(path, "imagelabels.mat") && tips__is_file_in(path, "setid.mat");
}

/* Of the set while it is read. */
typedef struct flowers {
    char labels_path[TIPS_PATH_SIZE], splits_path[TIPS_PATH_SIZE];
    int *labels; /* (count): of picture i + 1 */
    int count;
} flowers;

static tips_status add_pictures(tips_source *source, const flowers *f, tips_split split, const int *ids, int count) {
    for (int i = 0; i < count; i++) {
        char name[64];
        if (ids[i] < 1 || ids[i] > f->count)
            TIPS_FAIL(TIPS_FORMAT, "%s: picture %d is out of range; there are %d labels", f->splits_path, ids[i],
                      f->count);
        const int label = f->labels[ids[i] - 1] - 1;
        if ((label < 0 || label >= source->classes.count) && !source->skip_bad)
            TIPS_FAIL(TIPS_FORMAT, "%s: label %d of picture %d is out of range; there are %d classes", f->labels_path,
                      label + 1, ids[i], source->classes.count);
        snprintf(name, sizeof name, "jpg/image_%05d.jpg", ids[i]);
        TIPS_TRY(tips__source_add_file(source, split, name, label, true));
    }
    return TIPS_OK;
}

static tips_status add_split(tips_source *source, const flowers *f, tips_split split, const char *variable) {
    int *ids = NULL, count = 0;
    TIPS_TRY(tips__mat_read(f->splits_path, variable, &ids, &count));
    const tips_status status = add_pictures(source, f, split, ids, count);
    tips__free(ids);
    return status;
}

static tips_status add_splits(tips_source *source, flowers *f) {
    TIPS_TRY(tips__mat_read(f->labels_path, "labels", &f->labels, &f->count));
    TIPS_TRY(add_split(source, f, TIPS_SPLIT_TRAIN, "trnid"));
    TIPS_TRY(add_split(source, f, TIPS_SPLIT_VAL, "valid"));
    return add_split(source, f, TIPS_SPLIT_TEST, "tstid");
}

static tips_status open_flowers(const char *path, tips_source *source) {
    flowers f = {.labels = NULL};
    bool found = false;
    TIPS_TRY(tips__path_join(path, "imagelabels.mat", f.labels_path));
    TIPS_TRY(tips__path_join(path, "setid.mat", f.splits_path));
    TIPS_TRY(tips__source_class_file(source, path, "classes.txt", &found));
    if (!found) TIPS_TRY(tips__source_number_classes(source, 1, CLASSES));
    const tips_status status = add_splits(source, &f);
    tips__free(f.labels);
    TIPS_TRY(status);
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_oxford102 = {
    .name = "oxford102",
    .brief = "Oxford's 102 flowers with imagelabels.mat and setid.mat",
    .recognise = recognise,
    .open = open_flowers,
    .read = tips__source_read_file,
    .item_name = tips__source_file_name,
};
