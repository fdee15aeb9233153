/* The public detector: boxes on pictures. */
#include <tips/detector.h>

#include "api/asked_parts.h"
#include "api/network_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/moved_objects.h"
#include "task/detect.h"

#include <math.h>

struct tips_detector {
    asked_model base;
    double shown;
};

static tips_status open(const char *path, const tips_detector_options *o, tips_detector *d) {
    const asked_options options = {o->height, o->width, o->kept, "detect", o->boxes};
    if (!(o->shown >= 0 && o->shown <= 1))
        TIPS_FAIL(TIPS_RANGE, "a least score of %g is out of range; it takes 0..1", o->shown);
    TIPS_TRY(tips__asked_open(path, &options, tips__task_expect_boxes, "a detector", &d->base));
    tips_detect_config *config = (void *)&d->base.model.model.assignment.spec.config;
    if (o->shown > 0) config->measure.shown = o->shown;
    d->shown = config->measure.shown;
    return TIPS_OK;
}

tips_status tips_detector_load(const char *path, const tips_detector_options *options, tips_detector **out) {
    static const tips_detector_options usual = {0};
    tips_detector *detector;
    if (!path || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", path ? "out" : "path");
    TIPS_TRY(tips__new_zero(&detector, sizeof *detector, "a detector"));
    const tips_status status = open(path, options ? options : &usual, detector);
    if (status == TIPS_OK) *out = detector;
    else tips_detector_destroy(detector);
    return status;
}

void tips_detector_destroy(tips_detector *detector) {
    if (!detector) return;
    tips__asked_close(&detector->base);
    tips__free(detector);
}

const char *tips_detector_arch(const tips_detector *d) { return d ? d->base.model.info.arch->name : ""; }
const char *tips_detector_pool(const tips_detector *d) { return d ? d->base.pool : ""; }
int tips_detector_channels(const tips_detector *d) { return d ? d->base.model.info.config.in_channels : 0; }
int tips_detector_height(const tips_detector *d) { return d ? d->base.model.info.config.size[0] : 0; }
int tips_detector_width(const tips_detector *d) { return d ? d->base.model.info.config.size[1] : 0; }
int tips_detector_classes(const tips_detector *d) { return d ? d->base.model.info.config.classes : 0; }
double tips_detector_shown(const tips_detector *d) { return d ? d->shown : 0; }
const char *tips_detector_name(const tips_detector *d, int i) { return d ? tips__asked_name(&d->base, i) : NULL; }

static void hand_over(const tips_detector *d, const tips_detection *found, int n, tips_found_box *boxes, int room,
                      int *count) {
    *count = 0;
    for (int i = 0; i < n && found[i].score >= d->shown; i++) {
        if (i < room)
            boxes[i] = (tips_found_box){found[i].x,
                                        found[i].y,
                                        found[i].w,
                                        found[i].h,
                                        found[i].score,
                                        found[i].label,
                                        tips__asked_name(&d->base, found[i].label)};
        *count = i + 1;
    }
}

static tips_status check_room(const tips_found_box *boxes, int room, const int *count) {
    TIPS_NEED(count, "count");
    if (room < 0) TIPS_FAIL(TIPS_RANGE, "room for %d boxes is out of range; it takes 0 and more", room);
    if (room > 0) TIPS_NEED(boxes, "boxes");
    return TIPS_OK;
}

static tips_status answer(const tips_detector *d, const tips_picture *picture, tips_found_box *boxes, int room,
                          int *count) {
    const asked_model *m = &d->base;
    tips_bytes found = {0};
    float *image;
    TIPS_TRY(tips__new(&image, m->elements * sizeof *image, "an image"));
    tips_status status = tips__asked_image(m, picture, image);
    if (status == TIPS_OK) status = tips__asked_answer(m, image, &found);
    if (status == TIPS_OK) {
        const int size[2] = {picture->height, picture->width};
        const tips_move move = tips__preprocess_move(&m->model.preprocess, size);
        tips_detection *list = (tips_detection *)(void *)found.data;
        hand_over(d, list, tips__detections_on_picture(&move, list, tips__detections_in(&found), list), boxes, room,
                  count);
    }
    tips__bytes_clear(&found);
    tips__free(image);
    return status;
}

tips_status tips_detector_answer(const tips_detector *d, const tips_picture *picture, tips_found_box *boxes, int room,
                                 int *count) {
    TIPS_NEED(d, "detector");
    TIPS_TRY(check_room(boxes, room, count));
    const tips_allocator *before = tips_use_allocator(d->base.allocator);
    const tips_status status = answer(d, picture, boxes, room, count);
    tips_use_allocator(before);
    return status;
}

tips_status tips_detector_prepare(const tips_detector *d, const tips_picture *picture, float *image) {
    TIPS_NEED(d, "detector");
    return tips__asked_prepare(&d->base, picture, image);
}

tips_status tips_detector_run(const tips_detector *d, const float *image, tips_found_box *boxes, int room, int *count) {
    tips_bytes found = {0};
    TIPS_NEED(d, "detector");
    TIPS_NEED(image, "image");
    TIPS_TRY(check_room(boxes, room, count));
    TIPS_TRY(tips__check_images(image, 1, d->base.elements));
    const tips_allocator *before = tips_use_allocator(d->base.allocator);
    const tips_status status = tips__asked_answer(&d->base, image, &found);
    if (status == TIPS_OK) hand_over(d, tips__detections(&found), tips__detections_in(&found), boxes, room, count);
    tips__bytes_clear(&found);
    tips_use_allocator(before);
    return status;
}

/* The things of all pictures as boxes of annotations, one behind the other. */
typedef struct truths {
    const tips_things *things;
    tips_box *boxes;
    int *first; /* (count) */
} truths;

static void boxes_of(const void *context, int i, tips_annotation *out) {
    const truths *t = context;
    out->boxes = t->boxes + t->first[i];
    out->n_boxes = t->things[i].count;
}

static tips_status check_thing(const tips_thing *t, int picture) {
    const bool fits = isfinite(t->left) && isfinite(t->top) && t->width > 0 && t->height > 0 && isfinite(t->width) &&
                      isfinite(t->height);
    if (!fits)
        TIPS_FAIL(TIPS_RANGE, "picture %d: a thing of %g x %g pixels at (%g, %g) is none", picture, t->width, t->height,
                  t->left, t->top);
    return TIPS_OK;
}

static tips_status count_things(const tips_things *things, int count, size_t *out) {
    *out = 0;
    for (int i = 0; i < count; i++) {
        if (things[i].count < 0) TIPS_FAIL(TIPS_RANGE, "picture %d has %d things", i, things[i].count);
        if (things[i].count > 0 && !things[i].things) TIPS_FAIL(TIPS_INVALID, "the things of picture %d are NULL", i);
        for (int k = 0; k < things[i].count; k++) TIPS_TRY(check_thing(&things[i].things[k], i));
        *out += (size_t)things[i].count;
    }
    return TIPS_OK;
}

static void take_things(const tips_things *things, int count, truths *out) {
    tips_box *to = out->boxes;
    for (int i = 0; i < count; i++) {
        out->first[i] = (int)(to - out->boxes);
        for (int k = 0; k < things[i].count; k++) {
            const tips_thing *t = &things[i].things[k];
            *to++ = (tips_box){.top = t->top,
                               .left = t->left,
                               .bottom = t->top + t->height,
                               .right = t->left + t->width,
                               .label = t->class_index,
                               .crowd = t->crowd,
                               .ignore = t->ignore};
        }
    }
}

static tips_flicker flicker_of(const tips_jitter *j) {
    return (tips_flicker){tips__jitter_edges(j), 100 * tips__jitter_scores(j), 100 * tips__jitter_vanishing(j)};
}

static tips_status measure(const tips_detector *d, const tips_picture *pictures, const truths *t, int count,
                           const tips_consistency_options *options, tips_box_consistency *out) {
    const asked_survey survey = {pictures, count, t ? boxes_of : NULL, t};
    asked_figures f;
    TIPS_TRY(tips__asked_survey(&d->base, &survey, options, &f));
    *out = (tips_box_consistency){.pictures = count,
                                  .ap = f.own[TIPS_DETECT_AP],
                                  .ap50 = f.own[TIPS_DETECT_AP50],
                                  .ap75 = f.own[TIPS_DETECT_AP75],
                                  .standard = f.consistency[TIPS_STANDARD],
                                  .standard_fidelity = f.fidelity[TIPS_STANDARD],
                                  .circular = f.consistency[TIPS_CIRCULAR],
                                  .circular_fidelity = f.fidelity[TIPS_CIRCULAR],
                                  .standard_flicker = flicker_of(&f.jitter[TIPS_STANDARD]),
                                  .circular_flicker = flicker_of(&f.jitter[TIPS_CIRCULAR])};
    return TIPS_OK;
}

static tips_status measure_with(const tips_detector *d, const tips_picture *pictures, const tips_things *things,
                                int count, const tips_consistency_options *options, tips_box_consistency *out) {
    truths t = {.things = things};
    size_t n;
    TIPS_TRY(count_things(things, count, &n));
    tips_status status = tips__new_zero(&t.boxes, n * sizeof *t.boxes, "what is there");
    if (status == TIPS_OK) status = tips__new_zero(&t.first, (size_t)count * sizeof *t.first, "what is there");
    if (status == TIPS_OK) {
        take_things(things, count, &t);
        status = measure(d, pictures, &t, count, options, out);
    }
    tips__free(t.boxes);
    tips__free(t.first);
    return status;
}

tips_status tips_detector_consistency(const tips_detector *d, const tips_picture *pictures, const tips_things *things,
                                      int count, const tips_consistency_options *options, tips_box_consistency *out) {
    TIPS_NEED(d, "detector");
    if (!pictures || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", pictures ? "out" : "pictures");
    if (!things || count < 1) return measure(d, pictures, NULL, count, options, out);
    return measure_with(d, pictures, things, count, options, out);
}
