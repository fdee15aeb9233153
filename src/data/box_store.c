/* Pictures and their boxes, in memory. */
#include "data/box_store.h"

#include "core/fail.h"
#include "core/memory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

tips_status tips__box_store_create(tips_source *source, const char *base, tips_box_store **out) {
    tips_box_store *store;
    if (strlen(base) >= sizeof store->base) TIPS_FAIL(TIPS_INVALID, "%.80s...: the path is too long", base);
    TIPS_TRY(tips__new_zero(&store, sizeof *store, "a store of boxes"));
    snprintf(store->base, sizeof store->base, "%s", base);
    source->own = store;
    source->annotates = TIPS_ANNOTATES_BOXES;
    *out = store;
    return TIPS_OK;
}

void tips__boxed_close(tips_source *source) {
    tips_box_store *store = source->own;
    if (!store) return;
    tips__free(store->pictures);
    tips__free(store->boxes);
    tips__free(store);
}

tips_status tips__bad_box(tips_source *source, tips_status status) {
    if (!source->skip_bad || status != TIPS_FORMAT) return status;
    source->bad_boxes++;
    return TIPS_OK;
}

tips_status tips__bad_picture(tips_source *source, tips_status status) {
    if (!source->skip_bad || (status != TIPS_FORMAT && status != TIPS_IO)) return status;
    source->skipped++;
    return TIPS_OK;
}

static tips_status full_path(const tips_box_store *store, const char *name, char out[TIPS_PATH_SIZE]) {
    if (*name != '/') return tips__path_join(store->base, name, out);
    if (snprintf(out, TIPS_PATH_SIZE, "%s", name) >= TIPS_PATH_SIZE)
        TIPS_FAIL(TIPS_INVALID, "%.80s...: the path is too long", name);
    return TIPS_OK;
}

static tips_status make_room(tips_box_store *store) {
    if (store->count < store->room) return TIPS_OK;
    if (store->room > INT_MAX / 2) TIPS_FAIL(TIPS_RANGE, "more than %d pictures", store->room);
    const int room = store->room ? 2 * store->room : FIRST_ROOM;
    tips_boxed_picture *rows =
        tips__grow(store->pictures, (size_t)store->count * sizeof *rows, (size_t)room * sizeof *rows);
    if (!rows) TIPS_FAIL(TIPS_MEMORY, "out of memory for %d pictures", room);
    store->pictures = rows;
    store->room = room;
    return TIPS_OK;
}

tips_status tips__box_store_add(tips_source *source, tips_split split, const char *name, const char *marks, int64_t id,
                                const int size[2], bool *added) {
    tips_box_store *store = source->own;
    tips_boxed_picture picture = {.id = id, .size = {size[0], size[1]}, .first = store->n_boxes};
    char path[TIPS_PATH_SIZE];
    *added = false;
    TIPS_TRY(full_path(store, name, path));
    if (!tips__is_file(path))
        return tips__bad_picture(source, tips__fail(TIPS_FORMAT, "%s: listed in %s, but not there", path, marks));
    TIPS_TRY(make_room(store));
    TIPS_TRY(tips__source_keep_text(source, name, &picture.name));
    TIPS_TRY(tips__source_keep_text(source, marks, &picture.marks));
    if (id < 0) picture.id = store->count + 1;
    store->pictures[store->count] = picture;
    TIPS_TRY(tips__source_add(source, split, (uint64_t)store->count, 0, name, source->splits[split].count));
    store->count++;
    *added = true;
    return TIPS_OK;
}

tips_status tips__box_store_put(tips_source *source, const tips_box *box) {
    tips_box_store *store = source->own;
    if (store->n_boxes == store->box_room) {
        const size_t room = store->box_room ? 2 * store->box_room : FIRST_ROOM;
        tips_box *boxes = tips__grow(store->boxes, store->n_boxes * sizeof *boxes, room * sizeof *boxes);
        if (!boxes) TIPS_FAIL(TIPS_MEMORY, "out of memory for %zu boxes", room);
        store->boxes = boxes;
        store->box_room = room;
    }
    store->boxes[store->n_boxes++] = *box;
    store->pictures[store->count - 1].n_boxes++;
    return TIPS_OK;
}

/* A name, and where its picture is in a split. */
typedef struct named_place {
    const char *name;
    int at;
} named_place;

static int compare(const void *a, const void *b) {
    const named_place *p = a, *q = b;
    const int order = strcmp(p->name, q->name);
    return order ? order : (p->at > q->at) - (p->at < q->at);
}

/* Of those with one name, all but the first get a label that says so. */
static tips_status mark_twins(tips_source *source, tips_items *items, named_place *places, const char *list) {
    const tips_box_store *store = source->own;
    for (int i = 0; i < items->count; i++)
        places[i] = (named_place){source->texts + store->pictures[items->rows[i].where].name, i};
    qsort(places, (size_t)items->count, sizeof *places, compare);
    for (int i = 1; i < items->count; i++) {
        if (strcmp(places[i - 1].name, places[i].name) != 0) continue;
        TIPS_TRY(
            tips__bad_picture(source, tips__fail(TIPS_FORMAT, "%s: lists the picture %s twice", list, places[i].name)));
        items->rows[places[i].at].label = -1;
    }
    return TIPS_OK;
}

tips_status tips__box_store_refuse_twins(tips_source *source, tips_split split, const char *list) {
    tips_items *items = &source->splits[split];
    named_place *places;
    int kept = 0;
    if (items->count < 2) return TIPS_OK;
    TIPS_TRY(tips__new(&places, (size_t)items->count * sizeof *places, "names of pictures"));
    const tips_status status = mark_twins(source, items, places, list);
    tips__free(places);
    TIPS_TRY(status);
    for (int i = 0; i < items->count; i++)
        if (items->rows[i].label >= 0) items->rows[kept++] = items->rows[i];
    items->count = kept;
    return TIPS_OK;
}

const char *tips__box_fault(const tips_box *box, const double size[2]) {
    if (!isfinite(box->top) || !isfinite(box->left) || !isfinite(box->bottom) || !isfinite(box->right))
        return "a number is not finite";
    if (!(box->area >= 0 && isfinite(box->area))) return "an area is 0 or more";
    if (!(box->bottom > box->top && box->right > box->left)) return "a box has a width and a height above 0";
    const bool is_before = box->bottom <= 0 || box->right <= 0;
    const bool is_behind = (size[0] > 0 && box->top >= size[0]) || (size[1] > 0 && box->left >= size[1]);
    return is_before || is_behind ? "the box lies outside of the picture" : NULL;
}

static const tips_boxed_picture *picture_of(const tips_source *source, const tips_item *item) {
    return &((const tips_box_store *)source->own)->pictures[item->where];
}

static const char *name_of(const tips_source *source, const tips_item *item) {
    return source->texts + picture_of(source, item)->name;
}

tips_status tips__boxed_read(const tips_source *source, const tips_item *item, tips_image *out) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(full_path(source->own, name_of(source, item), path));
    return tips__image_read(path, out);
}

static void say_name(const tips_box_store *store, const char *name, char *out, size_t size) {
    snprintf(out, size, "%s%s%s", *name == '/' ? "" : store->base, *name == '/' ? "" : "/", name);
}

void tips__boxed_name(const tips_source *source, const tips_item *item, char *out, size_t size) {
    say_name(source->own, name_of(source, item), out, size);
}

void tips__boxed_mark_name(const tips_source *source, const tips_item *item, char *out, size_t size) {
    say_name(source->own, source->texts + picture_of(source, item)->marks, out, size);
}

int64_t tips__boxed_id(const tips_source *source, const tips_item *item) { return picture_of(source, item)->id; }

static void scale(const int size[2], tips_box *box) {
    box->top *= size[0], box->bottom *= size[0];
    box->left *= size[1], box->right *= size[1];
    box->area *= (double)size[0] * size[1];
}

tips_status tips__boxed_annotate(const tips_source *source, const tips_item *item, unsigned wanted,
                                 tips_annotation *out) {
    const tips_box_store *store = source->own;
    const tips_boxed_picture *picture = picture_of(source, item);
    char path[TIPS_PATH_SIZE];
    (void)wanted; /* boxes are all there is */
    memcpy(out->size, picture->size, sizeof out->size);
    if (out->size[0] == 0) {
        TIPS_TRY(full_path(store, name_of(source, item), path));
        TIPS_TRY(tips__image_size(path, out->size));
    }
    TIPS_TRY(tips__new(&out->boxes, (size_t)picture->n_boxes * sizeof *out->boxes, "boxes"));
    memcpy(out->boxes, store->boxes + picture->first, (size_t)picture->n_boxes * sizeof *out->boxes);
    out->n_boxes = picture->n_boxes;
    for (int i = 0; i < out->n_boxes && store->is_relative; i++) scale(out->size, &out->boxes[i]);
    return TIPS_OK;
}
