/* Boxes as COCO's results: which picture and which category has which id, and the file. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/coco_read.h"
#include "metric/coco_results.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS = 15 }; /* ids that a double holds, as readers of JSON have them */

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The id that COCO's file names have: "000000000139.jpg". */
static bool number_of(const char *name, int64_t *out) {
    const char *base = base_of(name);
    const size_t digits = strspn(base, "0123456789");
    *out = strtoll(base, NULL, 10);
    return digits > 0 && digits <= DIGITS && base[digits] == '.' && !strchr(base, '[');
}

static int by_value(const void *a, const void *b) {
    const int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

static bool are_different(int64_t *ids, int n) {
    qsort(ids, (size_t)n, sizeof *ids, by_value);
    for (int i = 1; i < n; i++)
        if (ids[i] == ids[i - 1]) return false;
    return true;
}

/* From the names, if all are numbers and no two the same; else in their order, from 1 on. */
static tips_status number_pictures(tips_predict_result *r) {
    int64_t *ids;
    bool named = r->count > 0;
    TIPS_TRY(tips__new(&ids, (size_t)r->count * sizeof *ids, "ids of pictures"));
    for (int i = 0; i < r->count && named; i++) {
        named = number_of(r->predictions[i].name, &ids[i]);
        r->predictions[i].id = ids[i];
    }
    named = named && are_different(ids, r->count);
    for (int i = 0; i < r->count && !named; i++) r->predictions[i].id = i + 1;
    tips__free(ids);
    return TIPS_OK;
}

/* What a file of annotations says. */
typedef struct known {
    const char *path;
    tips_source source;
    tips_coco coco;
} known;

typedef struct named_picture {
    const char *name;
    int64_t id;
} named_picture;

static int by_name(const void *a, const void *b) {
    return strcmp(((const named_picture *)a)->name, ((const named_picture *)b)->name);
}

static int by_category(const void *a, const void *b) {
    const tips_coco_category *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

static tips_status find_picture(const known *k, const named_picture *list, const char *path, int64_t *id) {
    const named_picture key = {.name = base_of(path)};
    const size_t n = k->coco.n_pictures;
    const named_picture *found = n ? bsearch(&key, list, n, sizeof key, by_name) : NULL;
    if (!found) TIPS_FAIL(TIPS_FORMAT, "%s: none of its %zu pictures is called %s", k->path, n, key.name);
    const bool twice =
        (found > list && by_name(found, found - 1) == 0) || (found + 1 < list + n && by_name(found, found + 1) == 0);
    if (twice) TIPS_FAIL(TIPS_FORMAT, "%s: several of its pictures are called %s", k->path, key.name);
    *id = found->id;
    return TIPS_OK;
}

static tips_status look_up_pictures(const known *k, tips_predict_result *r) {
    const size_t n = k->coco.n_pictures;
    named_picture *list;
    tips_status status = TIPS_OK;
    TIPS_TRY(tips__new(&list, n * sizeof *list, "names of pictures"));
    for (size_t i = 0; i < n; i++)
        list[i] = (named_picture){base_of(k->source.texts + k->coco.pictures[i].name), k->coco.pictures[i].id};
    if (n > 0) qsort(list, n, sizeof *list, by_name);
    for (int i = 0; i < r->count && status == TIPS_OK; i++)
        status = find_picture(k, list, r->predictions[i].name, &r->predictions[i].id);
    tips__free(list);
    return status;
}

static tips_status find_category(const known *k, const char *name, int64_t *id) {
    for (size_t i = 0; i < k->coco.n_categories; i++)
        if (strcmp(k->source.texts + k->coco.categories[i].name, name) == 0) {
            *id = k->coco.categories[i].id;
            return TIPS_OK;
        }
    TIPS_FAIL(TIPS_FORMAT,
              "%s: has no category '%s', which is a class of the model; --labels FILE names them otherwise", k->path,
              name);
}

/* By the names of classes, or, where the model has none, in the order of ids, which is that of sets in this form. */
static tips_status look_up_classes(const known *k, const tips_predict_result *r, int64_t *classes) {
    const size_t n = k->coco.n_categories;
    if (!r->class_names && n != (size_t)r->n_classes)
        TIPS_FAIL(TIPS_FORMAT,
                  "%s: has %zu categories, and the model %d classes without names; --labels FILE names them", k->path,
                  n, r->n_classes);
    if (n > 0) qsort(k->coco.categories, n, sizeof *k->coco.categories, by_category);
    for (int i = 0; i < r->n_classes; i++) {
        if (r->class_names) TIPS_TRY(find_category(k, r->class_names[i], &classes[i]));
        else classes[i] = k->coco.categories[i].id;
    }
    return TIPS_OK;
}

static tips_status look_up(const char *path, tips_predict_result *r, int64_t *classes) {
    known k = {.path = path, .source = {.path = path}};
    tips_status status = tips__coco_read(&k.source, path, &k.coco);
    if (status == TIPS_OK) status = look_up_pictures(&k, r);
    if (status == TIPS_OK) status = look_up_classes(&k, r, classes);
    tips__coco_clear(&k.coco);
    tips__source_clear(&k.source);
    return status;
}

static tips_status give_ids(const predictor *p, tips_predict_result *r, int64_t *classes) {
    if (p->config->annotations) return look_up(p->config->annotations, r, classes);
    for (int i = 0; i < r->n_classes; i++) classes[i] = i + 1;
    return number_pictures(r);
}

static tips_status write_all(const tips_predict_result *r, const int64_t *classes, tips_results_writer *writer) {
    for (int i = 0; i < r->count; i++)
        for (int b = 0; b < r->predictions[i].n_boxes; b++) {
            const tips_detection *d = &r->predictions[i].boxes[b];
            TIPS_TRY(tips__coco_results_add(
                writer,
                &(tips_coco_result){r->predictions[i].id, classes[d->label], {d->x, d->y, d->w, d->h}, d->score}));
        }
    return TIPS_OK;
}

static tips_status save(const char *path, const tips_predict_result *r, const int64_t *classes) {
    tips_results_writer *writer;
    TIPS_TRY(tips__coco_results_open(path, &writer));
    const tips_status status = write_all(r, classes, writer);
    if (status == TIPS_OK) return tips__coco_results_commit(writer);
    tips__coco_results_abandon(writer);
    return status;
}

tips_status tips__predict_save_results(predictor *p) {
    int64_t *classes;
    TIPS_TRY(tips__new(&classes, (size_t)p->result.n_classes * sizeof *classes, "ids of classes"));
    tips_status status = give_ids(p, &p->result, classes);
    p->result.has_ids = status == TIPS_OK;
    if (status == TIPS_OK) status = save(p->config->detections, &p->result, classes);
    tips__free(classes);
    return status;
}
