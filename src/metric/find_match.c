/* Matching, class by class: the classes of a picture are runs of sorted lists. */
#include "metric/find_match.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/box_iou.h"

#include <stdlib.h>
#include <string.h>

typedef struct header {
    int32_t n_finds, n_classes;
} header;

static const double areas[TIPS_AREAS][2] = {{0, 1e10}, {0, 1024}, {1024, 9216}, {9216, 1e10}};

double tips__coco_threshold(int rule) {
    return rule == TIPS_COCO_THRESHOLDS - 1 ? 0.95 : 0.5 + rule * ((0.95 - 0.5) / (TIPS_COCO_THRESHOLDS - 1));
}

static bool is_beyond(double area, int range) { return area < areas[range][0] || area > areas[range][1]; }

/* An entry of a list in the order of classes. */
typedef struct sorted {
    int32_t label;
    int index; /* in the list as given */
    double score;
} sorted;

static int by_class_and_score(const void *a, const void *b) {
    const sorted *x = a, *y = b;
    if (x->label != y->label) return x->label < y->label ? -1 : 1;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* The room that matching takes. */
typedef struct room {
    sorted *detections, *objects;
    double *iou;           /* (detections, objects) of a class */
    int *order;            /* (objects) of a class: those that count come first */
    bool *ignored, *taken; /* the same */
} room;

/* One class of the picture. */
typedef struct class_lists {
    const tips_detection *detections;
    const tips_object *objects;
    const sorted *found, *there; /* (n_found), (n_there) */
    int n_found, n_there;
    const room *room;
    tips_find *finds; /* (n_found) */
} class_lists;

static const tips_detection *detection_at(const class_lists *c, int i) { return &c->detections[c->found[i].index]; }
static const tips_object *object_at(const class_lists *c, int i) { return &c->objects[c->there[i].index]; }
static double iou_at(const class_lists *c, int detection, int object) {
    return c->room->iou[(size_t)detection * (size_t)c->n_there + (size_t)object];
}
static bool counts(const tips_object *object) { return !object->crowd && !object->ignore; }

static void compare(const class_lists *c) {
    for (int i = 0; i < c->n_found; i++)
        for (int k = 0; k < c->n_there; k++) {
            const tips_object *object = object_at(c, k);
            c->room->iou[(size_t)i * (size_t)c->n_there + (size_t)k] =
                tips__box_iou(TIPS_FRAME(detection_at(c, i)), TIPS_FRAME(object), object->crowd);
        }
}

/* Returns how many objects count. */
static int order_objects(const class_lists *c, int range) {
    int count = 0, last = c->n_there;
    for (int k = 0; k < c->n_there; k++) {
        const tips_object *object = object_at(c, k);
        c->room->ignored[k] = !counts(object) || is_beyond(object->area, range);
        if (!c->room->ignored[k]) c->room->order[count++] = k;
    }
    for (int k = c->n_there - 1; k >= 0; k--)
        if (c->room->ignored[k]) c->room->order[--last] = k;
    return count;
}

/* The object that a detection takes, or -1. */
static int choose(const class_lists *c, int detection, double threshold) {
    const room *r = c->room;
    double best = threshold < 1 - 1e-10 ? threshold : 1 - 1e-10;
    int chosen = -1;
    for (int i = 0; i < c->n_there; i++) {
        const int k = r->order[i];
        if (r->taken[k] && !object_at(c, k)->crowd) continue;
        if (chosen >= 0 && !r->ignored[chosen] && r->ignored[k]) break;
        if (iou_at(c, detection, k) < best) continue;
        best = iou_at(c, detection, k);
        chosen = k;
    }
    return chosen;
}

static void match_coco(const class_lists *c, int range, int rule) {
    const uint16_t bit = (uint16_t)(1u << rule);
    memset(c->room->taken, 0, (size_t)c->n_there * sizeof *c->room->taken);
    for (int i = 0; i < c->n_found && i < TIPS_COCO_MOST; i++) {
        const tips_detection *d = detection_at(c, i);
        const int chosen = choose(c, i, tips__coco_threshold(rule));
        if (chosen >= 0) {
            c->room->taken[chosen] = true;
            if (!c->room->ignored[chosen]) c->finds[i].hit[range] |= bit;
        } else if (!is_beyond(d->w * d->h, range)) {
            c->finds[i].miss[range] |= bit;
        }
    }
}

static void match_voc(const class_lists *c) {
    const uint16_t bit = (uint16_t)(1u << TIPS_RULE_VOC);
    memset(c->room->taken, 0, (size_t)c->n_there * sizeof *c->room->taken);
    for (int i = 0; i < c->n_found; i++) {
        int best = -1;
        for (int k = 0; k < c->n_there; k++)
            if (best < 0 || iou_at(c, i, k) > iou_at(c, i, best)) best = k;
        const bool met = best >= 0 && iou_at(c, i, best) >= 0.5;
        if (met && !counts(object_at(c, best))) continue;
        if (met && !c->room->taken[best]) c->finds[i].hit[TIPS_AREA_ALL] |= bit, c->room->taken[best] = true;
        else c->finds[i].miss[TIPS_AREA_ALL] |= bit;
    }
}

static void match_class(const class_lists *c, tips_class_objects *objects) {
    compare(c);
    for (int i = 0; i < c->n_found; i++)
        c->finds[i] = (tips_find){.score = c->found[i].score, .label = c->found[i].label, .rank = i};
    for (int range = 0; range < TIPS_AREAS; range++) {
        objects->count[range] = order_objects(c, range);
        for (int rule = 0; rule < TIPS_COCO_THRESHOLDS; rule++) match_coco(c, range, rule);
    }
    match_voc(c);
}

static int run_length(const sorted *list, int n, int32_t label) {
    int count = 0;
    while (count < n && list[count].label == label) count++;
    return count;
}

/* Calls `visit` for each class, in order; returns how many there are. */
typedef void class_visit(void *context, int number, const sorted *found, int n_found, const sorted *there, int n_there);
static int visit_classes(const room *r, int n, int n_objects, class_visit *visit, void *context) {
    int classes = 0;
    for (int i = 0, k = 0; i < n || k < n_objects; classes++) {
        const bool has_found = i < n && (k == n_objects || r->detections[i].label <= r->objects[k].label);
        const int32_t label = has_found ? r->detections[i].label : r->objects[k].label;
        const int found = run_length(r->detections + i, n - i, label);
        const int there = run_length(r->objects + k, n_objects - k, label);
        visit(context, classes, r->detections + i, found, r->objects + k, there);
        i += found, k += there;
    }
    return classes;
}

static void measure(void *context, int number, const sorted *found, int n_found, const sorted *there, int n_there) {
    size_t *most = context;
    (void)number, (void)found, (void)there;
    if ((size_t)n_found * (size_t)n_there > *most) *most = (size_t)n_found * (size_t)n_there;
}

typedef struct matching {
    const tips_detection *detections;
    const tips_object *objects;
    const room *room;
    tips_find *finds;
    tips_class_objects *classes;
} matching;

static void match(void *context, int number, const sorted *found, int n_found, const sorted *there, int n_there) {
    const matching *m = context;
    const class_lists c = {.detections = m->detections,
                           .objects = m->objects,
                           .found = found,
                           .n_found = n_found,
                           .there = there,
                           .n_there = n_there,
                           .room = m->room,
                           .finds = m->finds + (found - m->room->detections)};
    m->classes[number].label = n_found ? found->label : there->label;
    match_class(&c, &m->classes[number]);
}

static tips_status match_in(const tips_detection *detections, int n, const tips_object *objects, int n_objects,
                            const room *r, int classes, size_t at, tips_bytes *out) {
    const size_t finds = at + sizeof(header), behind = finds + (size_t)n * sizeof(tips_find);
    TIPS_TRY(tips__bytes_resize(out, behind + (size_t)classes * sizeof(tips_class_objects)));
    *(header *)(void *)(out->data + at) = (header){n, classes};
    matching m = {detections, objects, r, (tips_find *)(void *)(out->data + finds),
                  (tips_class_objects *)(void *)(out->data + behind)};
    visit_classes(r, n, n_objects, match, &m);
    return TIPS_OK;
}

static tips_status with_iou(const tips_detection *detections, int n, const tips_object *objects, int n_objects, room *r,
                            size_t at, tips_bytes *out) {
    size_t most = 0;
    for (int i = 0; i < n; i++) r->detections[i] = (sorted){detections[i].label, i, detections[i].score};
    for (int k = 0; k < n_objects; k++) r->objects[k] = (sorted){objects[k].label, k, 0};
    qsort(r->detections, (size_t)n, sizeof *r->detections, by_class_and_score);
    qsort(r->objects, (size_t)n_objects, sizeof *r->objects, by_class_and_score);
    const int classes = visit_classes(r, n, n_objects, measure, &most);
    TIPS_TRY(tips__new(&r->iou, most * sizeof *r->iou, "the overlaps of a picture"));
    const tips_status status = match_in(detections, n, objects, n_objects, r, classes, at, out);
    tips__free(r->iou);
    return status;
}

/* All that depends on the lists' lengths is one piece of memory. */
tips_status tips__match_finds(const tips_detection *detections, int n, const tips_object *objects, int n_objects,
                              size_t at, tips_bytes *out) {
    const size_t found = (size_t)n, there = (size_t)n_objects;
    room r = {0};
    char *memory;
    TIPS_TRY(tips__new(
        &memory, (found + there) * sizeof(sorted) + there * (sizeof *r.order + sizeof *r.ignored + sizeof *r.taken),
        "the lists of a picture"));
    r.detections = (sorted *)(void *)memory;
    r.objects = r.detections + found;
    r.order = (int *)(void *)(r.objects + there);
    r.ignored = (bool *)(void *)(r.order + there);
    r.taken = r.ignored + there;
    const tips_status status = with_iou(detections, n, objects, n_objects, &r, at, out);
    tips__free(memory);
    return status;
}

tips_picture_finds tips__finds_in(const tips_bytes *bytes, size_t at) {
    const header *h = (const header *)(const void *)(bytes->data + at);
    const tips_find *finds = (const tips_find *)(const void *)(bytes->data + at + sizeof *h);
    return (tips_picture_finds){finds, h->n_finds, (const tips_class_objects *)(const void *)(finds + h->n_finds),
                                h->n_classes};
}
