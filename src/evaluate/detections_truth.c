/* From a file of COCO's annotations, without its pictures; or from any set with boxes. */
#include "evaluate/detections_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/coco_read.h"
#include "evaluate/evaluate_parts.h"
#include "metric/moved_objects.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int by_picture(const void *a, const void *b) {
    const truth_picture *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

static int by_class(const void *a, const void *b) {
    const truth_class *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

const truth_picture *tips__truth_picture(const truth *t, int64_t id) {
    const truth_picture key = {.id = id};
    return t->n_pictures ? bsearch(&key, t->pictures, (size_t)t->n_pictures, sizeof key, by_picture) : NULL;
}

int tips__truth_label(const truth *t, int64_t category) {
    const truth_class key = {.id = category};
    const truth_class *found =
        t->n_classes ? bsearch(&key, t->classes, (size_t)t->n_classes, sizeof key, by_class) : NULL;
    return found ? found->label : -1;
}

static tips_status make_room(truth *t, int pictures, int classes) {
    TIPS_TRY(tips__new_zero(&t->pictures, (size_t)pictures * sizeof *t->pictures, "the pictures"));
    TIPS_TRY(tips__new_zero(&t->classes, (size_t)classes * sizeof *t->classes, "the classes"));
    TIPS_TRY(tips__new_zero(&t->names, (size_t)classes * sizeof *t->names, "the classes' names"));
    t->n_pictures = pictures;
    t->n_classes = classes;
    return TIPS_OK;
}

static tips_status add_class(truth *t, int label, int64_t id, const char *name) {
    t->classes[label] = (truth_class){id, label};
    t->names[label] = tips__strdup(name);
    if (!t->names[label]) TIPS_FAIL(TIPS_MEMORY, "out of memory for the classes' names");
    return TIPS_OK;
}

static tips_status room_for(truth *t, size_t more) {
    const size_t needed = t->n_objects + more;
    if (needed <= t->room) return TIPS_OK;
    const size_t room = needed > 2 * t->room ? needed : 2 * t->room;
    tips_object *objects = tips__grow(t->objects, t->n_objects * sizeof *objects, room * sizeof *objects);
    if (!objects) TIPS_FAIL(TIPS_MEMORY, "out of memory for %zu objects", room);
    t->objects = objects;
    t->room = room;
    return TIPS_OK;
}

/* COCO's files: what an entry says is taken as it stands. */

static tips_status refuse_twins(const char *path, const truth *t) {
    for (int i = 1; i < t->n_pictures; i++)
        if (t->pictures[i].id == t->pictures[i - 1].id)
            TIPS_FAIL(TIPS_FORMAT, "%s: two pictures have the id %lld", path, (long long)t->pictures[i].id);
    for (int i = 1; i < t->n_classes; i++)
        if (t->classes[i].id == t->classes[i - 1].id)
            TIPS_FAIL(TIPS_FORMAT, "%s: two categories have the id %lld", path, (long long)t->classes[i].id);
    return TIPS_OK;
}

static tips_object object_of(const tips_coco_box *b, int label) {
    const double area = b->area > 0 ? b->area : b->bbox[2] * b->bbox[3];
    return (tips_object){b->bbox[0], b->bbox[1], b->bbox[2], b->bbox[3], area, label, b->crowd, false};
}

static tips_status check_box(const char *path, const truth *t, const tips_coco_box *b) {
    if (!tips__truth_picture(t, b->picture))
        TIPS_FAIL(TIPS_FORMAT, "%s: annotation %lld is of a picture with the id %lld, and there is none", path,
                  (long long)b->id, (long long)b->picture);
    if (tips__truth_label(t, b->category) < 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: annotation %lld: its category_id %lld is none of the %d categories", path,
                  (long long)b->id, (long long)b->category, t->n_classes);
    if (!(b->bbox[2] >= 0 && b->bbox[3] >= 0))
        TIPS_FAIL(TIPS_FORMAT, "%s: annotation %lld: a box of %g x %g pixels", path, (long long)b->id, b->bbox[2],
                  b->bbox[3]);
    return TIPS_OK;
}

/* Counts the objects of pictures, lays them out, then puts them there. */
static tips_status place_boxes(const char *path, bool skips, const tips_coco *c, truth *t) {
    TIPS_TRY(room_for(t, c->n_boxes));
    for (size_t i = 0; i < c->n_boxes; i++) {
        const tips_status status = check_box(path, t, &c->boxes[i]);
        c->boxes[i].left_out = status != TIPS_OK;
        if (status != TIPS_OK && !skips) return status;
        if (status == TIPS_OK) ((truth_picture *)tips__truth_picture(t, c->boxes[i].picture))->count++;
    }
    for (int i = 0; i < t->n_pictures; i++) {
        t->pictures[i].first = t->n_objects;
        t->n_objects += (size_t)t->pictures[i].count;
        t->pictures[i].count = 0;
    }
    for (size_t i = 0; i < c->n_boxes; i++) {
        const tips_coco_box *b = &c->boxes[i];
        if (b->left_out) continue;
        truth_picture *picture = (truth_picture *)tips__truth_picture(t, b->picture);
        t->objects[picture->first + (size_t)picture->count++] = object_of(b, tips__truth_label(t, b->category));
        t->zero_ids += b->id == 0;
    }
    return TIPS_OK;
}

static tips_status take_coco(const char *path, const tips_source *source, const tips_coco *c, truth *t) {
    if (c->n_pictures > INT_MAX || c->n_categories > INT_MAX || c->n_boxes > INT_MAX)
        TIPS_FAIL(TIPS_RANGE, "%s: %zu pictures with %zu boxes are too many", path, c->n_pictures, c->n_boxes);
    TIPS_TRY(make_room(t, (int)c->n_pictures, (int)c->n_categories));
    for (size_t i = 0; i < c->n_pictures; i++) t->pictures[i].id = c->pictures[i].id;
    for (int i = 0; i < t->n_classes; i++)
        TIPS_TRY(add_class(t, i, c->categories[i].id, source->texts + c->categories[i].name));
    qsort(t->pictures, (size_t)t->n_pictures, sizeof *t->pictures, by_picture);
    qsort(t->classes, (size_t)t->n_classes, sizeof *t->classes, by_class);
    TIPS_TRY(refuse_twins(path, t));
    t->format = "coco";
    t->split = "all";
    return place_boxes(path, source->skip_bad, c, t);
}

static tips_status read_file(const char *path, bool skips, truth *t) {
    tips_source source = {.path = path, .skip_bad = skips};
    tips_coco coco;
    tips_status status = tips__coco_read(&source, path, &coco);
    if (status == TIPS_OK) status = take_coco(path, &source, &coco, t);
    tips__coco_clear(&coco);
    tips__source_clear(&source);
    return status;
}

/* Other sets. */

static tips_status add_picture(tips_dataset *set, tips_split split, int i, truth *t) {
    tips_annotation annotation;
    TIPS_TRY(tips__dataset_annotate(set, split, i, TIPS_ANNOTATES_BOXES, &annotation));
    const tips_status status = room_for(t, (size_t)annotation.n_boxes);
    if (status == TIPS_OK) {
        const int count = tips__objects_on_picture(annotation.boxes, annotation.n_boxes, t->objects + t->n_objects);
        t->pictures[i] = (truth_picture){tips__dataset_picture_id(set, split, i), t->n_objects, count};
        t->n_objects += (size_t)count;
    }
    tips__annotation_clear(&annotation);
    return status;
}

static tips_status take_set(const tips_evaluate_config *config, tips_dataset *set, truth *t) {
    tips_split split;
    TIPS_TRY(tips__dataset_require(set, TIPS_ANNOTATES_BOXES));
    TIPS_TRY(tips__eval_split(config, set, &split));
    TIPS_TRY(make_room(t, tips__dataset_count(set, split), tips__dataset_classes(set)));
    for (int i = 0; i < t->n_classes; i++)
        TIPS_TRY(add_class(t, i, tips__dataset_class_id(set, i), tips__dataset_class_name(set, i)));
    for (int i = 0; i < t->n_pictures; i++) TIPS_TRY(add_picture(set, split, i, t));
    qsort(t->pictures, (size_t)t->n_pictures, sizeof *t->pictures, by_picture);
    qsort(t->classes, (size_t)t->n_classes, sizeof *t->classes, by_class);
    t->format = tips__dataset_format(set);
    t->split = tips__dataset_is_whole(set) ? "all" : tips__split_names[split];
    return TIPS_OK;
}

static tips_status read_set(const tips_evaluate_config *config, truth *t) {
    tips_evaluate_config whole = *config;
    tips_dataset *set;
    whole.whole = true;
    TIPS_TRY(tips__evaluate_open_data(&whole, &set));
    const tips_status status = take_set(config, set, t);
    tips__dataset_close(set);
    return status;
}

/* "path.json" or "coco:path.json", as long as it is a file. */
static const char *annotations_in(const char *data) {
    static const char prefix[] = "coco:", suffix[] = ".json";
    struct stat info;
    if (strncmp(data, prefix, sizeof prefix - 1) == 0) data += sizeof prefix - 1;
    const size_t length = strlen(data), ending = sizeof suffix - 1;
    if (length < ending || strcmp(data + length - ending, suffix) != 0) return NULL;
    return stat(data, &info) == 0 && S_ISREG(info.st_mode) ? data : NULL;
}

tips_status tips__truth_read(const tips_evaluate_config *config, truth *out) {
    *out = (truth){0};
    if (!config->data || !*config->data) TIPS_FAIL(TIPS_INVALID, "name the annotations: --data SPEC, or their file");
    const char *file = annotations_in(config->data);
    if (file) return read_file(file, config->on_bad_image == TIPS_BAD_SKIP, out);
    return read_set(config, out);
}

void tips__truth_clear(truth *t) {
    for (int i = 0; t->names && i < t->n_classes; i++) tips__free(t->names[i]);
    tips__free(t->names);
    tips__free(t->classes);
    tips__free(t->pictures);
    tips__free(t->objects);
    *t = (truth){0};
}
