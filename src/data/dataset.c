/* An open dataset: a source with its splits arranged, read by index. */
#include "data/dataset.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_splits.h"
#include "data/datasets.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const char *const tips__split_names[] = {"train", "val", "test", NULL};
const char *const tips__val_set_names[] = {"own", "test", NULL};
const char *const tips__on_bad_names[] = {"stop", "skip", NULL};

struct tips_dataset {
    tips_source source;
    char *spec, *settings;
    bool val_is_test;
    atomic_int skipped;
    atomic_uchar *known_bad[TIPS_SPLITS]; /* (count): counted as skipped already */
};

static tips_status note_bad_room(tips_dataset *set) {
    for (int s = 0; s < TIPS_SPLITS && set->source.skip_bad; s++)
        TIPS_TRY(tips__new_zero(&set->known_bad[s], (size_t)set->source.splits[s].count, "marks of bad pictures"));
    return TIPS_OK;
}

/* What stands between the format's name and the path: "train=trainval" of "voc:train=trainval,VOC2012". */
static tips_status take_settings(tips_dataset *set) {
    const tips_source *source = &set->source;
    const size_t name = strlen(source->format->name) + 1;
    const size_t all = source->format->options ? (size_t)(source->path - set->spec) : 0; /* the path is within */
    set->settings = tips__strdup(all > name ? set->spec + name : "");
    if (!set->settings) TIPS_FAIL(TIPS_MEMORY, "out of memory for a dataset");
    if (all > name) set->settings[all - name - 1] = '\0';
    set->source.settings = set->settings;
    return TIPS_OK;
}

static tips_status open_source(const char *spec, const tips_dataset_options *options, tips_dataset *set) {
    tips_source *source = &set->source;
    const tips_dataset_format *format = NULL;
    set->spec = tips__strdup(spec);
    if (!set->spec) TIPS_FAIL(TIPS_MEMORY, "out of memory for a dataset");
    TIPS_TRY(tips__dataset_parse_spec(set->spec, &format, &source->path));
    source->format = format;
    source->skip_bad = options->skip_bad;
    source->whole = options->whole;
    source->annotates = TIPS_ANNOTATES_CLASS;
    tips__colours_voc(&source->colours);
    TIPS_TRY(take_settings(set));
    TIPS_TRY(format->open(source->path, source));
    source->classes_on_disk = source->classes.count;
    TIPS_TRY(tips__splits_arrange(options, source));
    atomic_init(&set->skipped, source->skipped);
    set->val_is_test = options->val_is_test;
    return note_bad_room(set);
}

tips_status tips__dataset_open(const char *spec, const tips_dataset_options *options, tips_dataset **out) {
    const tips_dataset_options none = {0};
    tips_dataset *set;
    if (!options) options = &none;
    TIPS_TRY(tips__splits_check(options));
    TIPS_TRY(tips__new_zero(&set, sizeof *set, "a dataset"));
    const tips_status status = open_source(spec && *spec ? spec : tips__dataset_default_spec(), options, set);
    if (status != TIPS_OK) tips__dataset_close(set);
    else *out = set;
    return status;
}

void tips__dataset_close(tips_dataset *set) {
    if (!set) return;
    tips__source_clear(&set->source);
    for (int s = 0; s < TIPS_SPLITS; s++) tips__free(set->known_bad[s]);
    tips__free(set->spec);
    tips__free(set->settings);
    tips__free(set);
}

const char *tips__dataset_format(const tips_dataset *set) { return set->source.format->name; }
/* Of the generator, which has no path, what was asked for. */
const char *tips__dataset_path(const tips_dataset *set) {
    return set->source.format->recognise ? set->source.path : set->spec;
}
int tips__dataset_classes(const tips_dataset *set) { return set->source.classes.count; }
int tips__dataset_count(const tips_dataset *set, tips_split split) { return set->source.splits[split].count; }
int tips__dataset_channels(const tips_dataset *set) { return set->source.channels; }
bool tips__dataset_is_whole(const tips_dataset *set) { return set->source.is_whole; }
bool tips__dataset_holds_out(const tips_dataset *set) { return set->source.holds_out; }
bool tips__dataset_val_is_test(const tips_dataset *set) { return set->val_is_test; }
int tips__dataset_skipped(const tips_dataset *set) { return atomic_load(&set->skipped); }
const tips_source *tips__dataset_source(const tips_dataset *set) { return &set->source; }

const char *tips__dataset_class_name(const tips_dataset *set, int label) {
    assert(label >= 0 && label < set->source.classes.count);
    return set->source.classes.rows[label];
}

char *const *tips__dataset_class_names(const tips_dataset *set) { return set->source.classes.rows; }

bool tips__dataset_size(const tips_dataset *set, int *height, int *width) {
    if (set->source.height == 0) return false;
    *height = set->source.height;
    *width = set->source.width;
    return true;
}

const tips_item *tips__dataset_item(const tips_dataset *set, tips_split split, int index) {
    assert(index >= 0 && index < set->source.splits[split].count);
    return &set->source.splits[split].rows[index];
}

bool tips__dataset_may_skip(const tips_dataset *set, tips_status status) {
    return set->source.skip_bad && (status == TIPS_FORMAT || status == TIPS_IO);
}

tips_status tips__dataset_judge(tips_dataset *set, tips_split split, int index, tips_status status) {
    if (tips__dataset_may_skip(set, status) && !atomic_exchange(&set->known_bad[split][index], 1))
        atomic_fetch_add(&set->skipped, 1);
    return status;
}

tips_status tips__dataset_find(const tips_dataset *set, tips_split split, int index, const tips_item **out) {
    if (index < 0 || index >= set->source.splits[split].count)
        TIPS_FAIL(TIPS_RANGE, "%s: there is no picture %d in %s; there are %d", set->source.path, index,
                  tips__split_names[split], set->source.splits[split].count);
    *out = &set->source.splits[split].rows[index];
    return TIPS_OK;
}

tips_status tips__dataset_read(tips_dataset *set, tips_split split, int index, tips_image *picture, int *label) {
    const tips_item *item;
    TIPS_TRY(tips__dataset_find(set, split, index, &item));
    const tips_status status = set->source.format->read(&set->source, item, picture);
    if (status == TIPS_OK) *label = item->label;
    return tips__dataset_judge(set, split, index, status);
}

int tips__dataset_bad_boxes(const tips_dataset *set) { return set->source.bad_boxes; }

int64_t tips__dataset_class_id(const tips_dataset *set, int label) {
    assert(label >= 0 && label < set->source.classes.count);
    return set->source.class_ids ? set->source.class_ids[label] : label + 1;
}

int64_t tips__dataset_picture_id(const tips_dataset *set, tips_split split, int index) {
    const tips_item *item = tips__dataset_item(set, split, index);
    return set->source.format->picture_id ? set->source.format->picture_id(&set->source, item) : index + 1;
}

void tips__dataset_item_name(const tips_dataset *set, tips_split split, int index, char *out, size_t size) {
    set->source.format->item_name(&set->source, tips__dataset_item(set, split, index), out, size);
}
