/* COCO's boxes. The files are found in coco_parts.c and read in coco_read.c; here pictures, annotations and categories
 * are put together. */
#include "data/box_store.h"
#include "data/coco_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 160 };

typedef struct coco_options {
    int year;
} coco_options;

static const tips_option options[] = {
    {.name = "year",
     .type = TIPS_OPT_INT,
     .offset = offsetof(coco_options, year),
     .fallback = "0",
     .min = 0,
     .max = 9999,
     .help = "of several files of a split, the one whose name ends in this year; 0 means that there is one"},
    {.type = TIPS_OPT_END},
};

static bool recognise(const char *path) {
    tips_coco_parts p;
    return tips__coco_find(path, &p);
}

static int compare_ids(const void *a, const void *b) {
    const tips_coco_picture *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

/* Of pictures with the same id, that which stands first in the file. */
static int by_picture_id(const void *a, const void *b) {
    const tips_coco_picture *p = a, *q = b;
    const int order = compare_ids(p, q);
    return order ? order : (p->name > q->name) - (p->name < q->name);
}

static int by_category_id(const void *a, const void *b) {
    const tips_coco_category *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

/* The classes are the categories in the order of their ids, the same in every file. */
static tips_status take_categories(tips_source *source, const char *file, tips_coco *c) {
    if (c->n_categories == 0) TIPS_FAIL(TIPS_FORMAT, "%s: has no categories", file);
    qsort(c->categories, c->n_categories, sizeof *c->categories, by_category_id);
    for (size_t i = 1; i < c->n_categories; i++)
        if (c->categories[i].id == c->categories[i - 1].id)
            TIPS_FAIL(TIPS_FORMAT, "%s: two categories have the id %lld", file, (long long)c->categories[i].id);
    const bool is_first = source->class_ids == NULL;
    if (is_first)
        TIPS_TRY(tips__new(&source->class_ids, c->n_categories * sizeof *source->class_ids, "ids of classes"));
    for (size_t i = 0; i < c->n_categories && is_first; i++) {
        source->class_ids[i] = c->categories[i].id;
        TIPS_TRY(tips__names_add(&source->classes, source->texts + c->categories[i].name));
    }
    bool is_same = (size_t)source->classes.count == c->n_categories;
    for (size_t i = 0; i < c->n_categories && is_same; i++)
        is_same = source->class_ids[i] == c->categories[i].id &&
                  strcmp(source->classes.rows[i], source->texts + c->categories[i].name) == 0;
    if (!is_same) TIPS_FAIL(TIPS_FORMAT, "%s: its categories are not those of the other files", file);
    return TIPS_OK;
}

static int class_of(const tips_source *source, int64_t category) {
    int low = 0, high = source->classes.count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (source->class_ids[middle] < category) low = middle + 1;
        else high = middle;
    }
    return low < source->classes.count && source->class_ids[low] == category ? low : -1;
}

/* Sorts the pictures by id, and leaves out those whose id is taken. */
static tips_status order_pictures(tips_source *source, const char *file, tips_coco *c) {
    size_t kept = 0;
    if (c->n_pictures > INT_MAX) TIPS_FAIL(TIPS_RANGE, "%s: %zu pictures are too many", file, c->n_pictures);
    if (c->n_pictures > 0) qsort(c->pictures, c->n_pictures, sizeof *c->pictures, by_picture_id);
    for (size_t i = 0; i < c->n_pictures; i++) {
        const tips_coco_picture *p = &c->pictures[i];
        if (kept > 0 && p->id == c->pictures[kept - 1].id)
            TIPS_TRY(tips__bad_picture(source,
                                       tips__fail(TIPS_FORMAT, "%s: the pictures %.*s and %.*s have the same id, %lld",
                                                  file, SHOWN, source->texts + c->pictures[kept - 1].name, SHOWN,
                                                  source->texts + p->name, (long long)p->id)));
        else c->pictures[kept++] = *p;
    }
    c->n_pictures = kept;
    return TIPS_OK;
}

/* An id, and where its annotation is. */
typedef struct id_place {
    int64_t id;
    size_t at;
} id_place;

static int by_id(const void *a, const void *b) {
    const id_place *p = a, *q = b;
    return p->id != q->id ? (p->id > q->id) - (p->id < q->id) : (p->at > q->at) - (p->at < q->at);
}

/* Annotations with an id that an earlier one has. */
static tips_status refuse_twins(tips_source *source, const char *file, tips_coco *c, id_place *places) {
    size_t count = 0;
    for (size_t i = 0; i < c->n_boxes; i++)
        if (c->boxes[i].id >= 0) places[count++] = (id_place){c->boxes[i].id, i};
    if (count > 0) qsort(places, count, sizeof *places, by_id);
    for (size_t i = 1; i < count; i++) {
        if (places[i].id != places[i - 1].id) continue;
        TIPS_TRY(tips__bad_box(
            source, tips__fail(TIPS_FORMAT, "%s: two annotations have the id %lld", file, (long long)places[i].id)));
        c->boxes[places[i].at].left_out = true;
    }
    return TIPS_OK;
}

static tips_box box_of(const tips_coco_box *b, int label) {
    return (tips_box){.top = b->bbox[1],
                      .left = b->bbox[0],
                      .bottom = b->bbox[1] + b->bbox[3],
                      .right = b->bbox[0] + b->bbox[2],
                      .label = label,
                      .crowd = b->crowd,
                      .area = b->area};
}

static tips_status check_box(const tips_source *source, const char *file, const tips_coco *c, const tips_coco_box *b,
                             const tips_coco_picture *picture) {
    const int label = class_of(source, b->category);
    if (!picture)
        TIPS_FAIL(TIPS_FORMAT, "%s: annotation %lld is of a picture with the id %lld, and there is none", file,
                  (long long)b->id, (long long)b->picture);
    if (label < 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: annotation %lld, of %.*s: its category_id %lld is none of the %zu categories", file,
                  (long long)b->id, SHOWN, source->texts + picture->name, (long long)b->category, c->n_categories);
    const tips_box box = box_of(b, label);
    const char *fault = tips__box_fault(&box, (double[]){picture->size[0], picture->size[1]});
    if (fault)
        TIPS_FAIL(TIPS_FORMAT, "%s: annotation %lld, of %.*s (%dx%d): bbox [%g, %g, %g, %g], area %g: %s", file,
                  (long long)b->id, SHOWN, source->texts + picture->name, picture->size[0], picture->size[1],
                  b->bbox[0], b->bbox[1], b->bbox[2], b->bbox[3], b->area, fault);
    return TIPS_OK;
}

/* Makes `picture` of every annotation that is kept the place of its picture, and counts those of each. */
static tips_status find_pictures(tips_source *source, const char *file, tips_coco *c, size_t *counts) {
    for (size_t i = 0; i < c->n_boxes; i++) {
        tips_coco_box *b = &c->boxes[i];
        if (b->left_out) continue;
        const tips_coco_picture key = {.id = b->picture};
        const tips_coco_picture *picture =
            c->n_pictures ? bsearch(&key, c->pictures, c->n_pictures, sizeof key, compare_ids) : NULL;
        const tips_status status = check_box(source, file, c, b, picture);
        b->left_out = status != TIPS_OK;
        if (b->left_out) TIPS_TRY(tips__bad_box(source, status));
        else counts[b->picture = picture - c->pictures]++;
    }
    return TIPS_OK;
}

/* A picture lies below the folder of its split, whoever wrote the file. */
static tips_status refuse_outside(tips_source *source, const char *file, const tips_coco_picture *p) {
    const char *name = source->texts + p->name;
    if (!tips__leads_out(name)) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT,
              "%s: the file_name '%.*s' of picture %lld leads out of the folder of pictures; names are "
              "relative and below it",
              file, SHOWN, name, (long long)p->id);
}

/* The annotations by picture, in their order: `order` (n_boxes); those of picture i begin at starts[i]. */
static void sort_boxes(const tips_coco *c, size_t *starts, size_t *order) {
    size_t sum = 0;
    for (size_t i = 0; i < c->n_pictures; i++) {
        const size_t count = starts[i];
        starts[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < c->n_boxes; i++)
        if (!c->boxes[i].left_out) order[starts[c->boxes[i].picture]++] = i;
}

static tips_status store_all(tips_source *source, tips_split split, const tips_coco_part *row, const tips_coco *c,
                             const size_t *ends, const size_t *order) {
    const tips_box_store *store = source->own;
    char place[TIPS_COCO_PLACE], name[2 * TIPS_PATH_SIZE];
    tips__coco_find_place(store->base, source, row, c, place);
    for (size_t i = 0; i < c->n_pictures; i++) {
        const tips_coco_picture *p = &c->pictures[i];
        bool added = false;
        TIPS_TRY(tips__bad_picture(source, refuse_outside(source, row->file, p)));
        if (tips__leads_out(source->texts + p->name)) continue;
        snprintf(name, sizeof name, "%s%s%s", strcmp(place, ".") == 0 ? "" : place, strcmp(place, ".") == 0 ? "" : "/",
                 source->texts + p->name);
        TIPS_TRY(tips__box_store_add(source, split, name, row->file, p->id, p->size, &added));
        for (size_t k = i ? ends[i - 1] : 0; k < ends[i] && added; k++) {
            const tips_coco_box *b = &c->boxes[order[k]];
            const tips_box box = box_of(b, class_of(source, b->category));
            TIPS_TRY(tips__box_store_put(source, &box));
        }
    }
    return tips__box_store_refuse_twins(source, split, row->file);
}

static tips_status join(tips_source *source, tips_split split, const tips_coco_part *row, const char *file,
                        tips_coco *c) {
    size_t *ends, *order = NULL;
    id_place *places = NULL;
    TIPS_TRY(take_categories(source, file, c));
    TIPS_TRY(order_pictures(source, file, c));
    TIPS_TRY(tips__new_zero(&ends, (c->n_pictures + 1) * sizeof *ends, "counts of boxes"));
    tips_status status = tips__new(&places, c->n_boxes * sizeof *places, "ids of annotations");
    if (status == TIPS_OK) status = refuse_twins(source, file, c, places);
    tips__free(places);
    if (status == TIPS_OK) status = find_pictures(source, file, c, ends);
    if (status == TIPS_OK) status = tips__new(&order, c->n_boxes * sizeof *order, "an order of boxes");
    if (status == TIPS_OK) {
        sort_boxes(c, ends, order);
        status = store_all(source, split, row, c, ends, order);
    }
    tips__free(order);
    tips__free(ends);
    return status;
}

static tips_status add_file(tips_source *source, const char *base, const tips_coco_part *row) {
    char file[TIPS_PATH_SIZE];
    tips_coco coco;
    TIPS_TRY(tips__path_join(base, row->file, file));
    tips_status status = tips__coco_read(source, file, &coco);
    if (status == TIPS_OK) status = join(source, (tips_split)row->split, row, file, &coco);
    tips__coco_clear(&coco);
    return status;
}

static tips_status open_coco(const char *path, tips_source *source) {
    tips_box_store *store;
    coco_options o;
    tips_coco_parts p;
    TIPS_TRY(tips__options_defaults(options, &o));
    TIPS_TRY(tips__options_parse(options, &o, source->settings, "coco"));
    const bool is_found = tips__coco_find(path, &p);
    if (p.lacks_memory) TIPS_FAIL(TIPS_MEMORY, "%s: out of memory for the names of files", path);
    if (!is_found)
        TIPS_FAIL(TIPS_FORMAT, "%s: there is no annotations/instances_NAME.json, nor another JSON file of that form",
                  path);
    TIPS_TRY(tips__coco_choose(path, o.year, &p));
    TIPS_TRY(tips__box_store_create(source, p.base, &store));
    for (int i = 0; i < p.count; i++) TIPS_TRY(add_file(source, p.base, &p.rows[i]));
    TIPS_TRY(tips__source_check_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_coco = {
    .name = "coco",
    .brief = "COCO with boxes: annotations/instances_NAME.json and NAME/, or a JSON file beside its pictures",
    .marks = TIPS_ANNOTATES_BOXES,
    .options = options,
    .recognise = recognise,
    .open = open_coco,
    .read = tips__boxed_read,
    .annotate = tips__boxed_annotate,
    .item_name = tips__boxed_name,
    .mark_name = tips__boxed_mark_name,
    .picture_id = tips__boxed_id,
    .close = tips__boxed_close,
};
