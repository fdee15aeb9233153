/* Accuracy and consistency of a public classifier, as tips eval measures them with the protocol "tips". */
#include "api/classifier_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/accuracy.h"
#include "metric/consistency.h"
#include "shift/shift_protocol.h"

#include <stdio.h>

enum { BATCH = 32, MOST_PAIRS = 1000 };

/* The views of a picture in order: unshifted, then the pairs of either kind. */
typedef struct survey {
    const tips_classifier *classifier;
    tips_shift_plan plan;
    int pictures, views;
    int batch;              /* views run together */
    uint8_t *canvas;        /* (h, w, c) of the picture at hand */
    float *images;          /* (batch, c, h, w) */
    float *logits;          /* (batch, classes) */
    int *answers;           /* (pictures, views) */
    tips_pair_count *pairs; /* (pictures) */
    int64_t answered;       /* views so far */
    int waiting;            /* views in images */
} survey;

static tips_status allocate(survey *s) {
    const tips_classifier *c = s->classifier;
    const size_t batch = (size_t)s->batch, classes = (size_t)tips_classifier_classes(c);
    TIPS_TRY(tips__new(&s->canvas, c->elements, "a picture"));
    TIPS_TRY(tips__new(&s->images, batch * c->elements * sizeof *s->images, "the images"));
    TIPS_TRY(tips__new(&s->logits, batch * classes * sizeof *s->logits, "the logits"));
    TIPS_TRY(tips__new(&s->answers, (size_t)s->pictures * (size_t)s->views * sizeof *s->answers, "the answers"));
    return tips__new(&s->pairs, (size_t)s->pictures * sizeof *s->pairs, "the counts of pairs");
}

static void destroy(survey *s) {
    tips__free(s->canvas);
    tips__free(s->images);
    tips__free(s->logits);
    tips__free(s->answers);
    tips__free(s->pairs);
}

static tips_status run_waiting(survey *s) {
    const int classes = tips_classifier_classes(s->classifier), count = s->waiting;
    if (count == 0) return TIPS_OK;
    s->waiting = 0;
    TIPS_TRY(tips__classifier_forward(s->classifier, s->images, count, s->logits));
    for (int i = 0; i < count; i++) {
        const float *logits = s->logits + (ptrdiff_t)i * classes;
        if (!tips__scores_finite(logits, classes))
            TIPS_FAIL(TIPS_NUMERIC, "the logits of picture %d are not finite numbers", (int)(s->answered / s->views));
        s->answers[s->answered++] = tips__answer(logits, classes);
    }
    return TIPS_OK;
}

static tips_status add_view(survey *s, int picture, int view) {
    const tips_classifier *c = s->classifier;
    const int kind = view > s->plan.views ? TIPS_CIRCULAR : TIPS_STANDARD;
    int shift[2] = {0, 0};
    if (view > 0) tips__plan_shift(&s->plan, kind, picture, (view - 1) % s->plan.views, shift);
    tips__canvas_to_input(&c->model.preprocess, s->canvas, shift[0], shift[1], kind == TIPS_CIRCULAR,
                          s->images + (size_t)s->waiting++ * c->elements);
    return s->waiting == s->batch ? run_waiting(s) : TIPS_OK;
}

static tips_status add_picture(survey *s, const tips_picture *picture, int i) {
    char name[32];
    snprintf(name, sizeof name, "picture %d", i);
    const tips_status status = tips__classifier_canvas(s->classifier, picture, s->canvas);
    if (status != TIPS_OK) return tips__fail_within(status, name);
    for (int view = 0; view < s->views; view++) TIPS_TRY(add_view(s, i, view));
    return TIPS_OK;
}

static tips_status count_kind(survey *s, int kind, const int32_t *labels, tips_figure *consistency,
                              tips_figure *fidelity) {
    for (int i = 0; i < s->pictures; i++) {
        const tips_class_answers classes = {s->answers + (ptrdiff_t)i * s->views, labels ? (int)labels[i] : -1};
        const tips_answers answers = {tips__compare_classes, &classes};
        s->pairs[i] = tips__count_pairs(&answers, 1 + kind * s->plan.views, s->plan.views, false);
    }
    TIPS_TRY(tips__consistency(s->pairs, s->pictures, false, s->plan.seed, consistency, fidelity));
    if (!labels) *fidelity = tips__figure_none();
    return TIPS_OK;
}

static tips_status conclude(survey *s, const int32_t *labels, tips_consistency *out) {
    tips_consistency result = {.pictures = s->pictures, .accuracy = tips__figure_none()};
    int64_t right = 0;
    for (int i = 0; labels && i < s->pictures; i++) right += s->answers[(ptrdiff_t)i * s->views] == labels[i];
    if (labels) result.accuracy = tips__wilson(right, s->pictures);
    TIPS_TRY(count_kind(s, TIPS_STANDARD, labels, &result.standard, &result.standard_fidelity));
    TIPS_TRY(count_kind(s, TIPS_CIRCULAR, labels, &result.circular, &result.circular_fidelity));
    *out = result;
    return TIPS_OK;
}

static tips_status survey_all(survey *s, const tips_picture *pictures, const int32_t *labels, tips_consistency *out) {
    TIPS_TRY(allocate(s));
    for (int i = 0; i < s->pictures; i++) TIPS_TRY(add_picture(s, &pictures[i], i));
    TIPS_TRY(run_waiting(s));
    return conclude(s, labels, out);
}

static tips_status check(const tips_classifier *c, const int32_t *labels, int count,
                         const tips_consistency_options *o) {
    const int classes = tips_classifier_classes(c);
    if (count < 1) TIPS_FAIL(TIPS_RANGE, "%d pictures are too few; it takes at least one", count);
    if (o->pairs < 0 || o->pairs > MOST_PAIRS)
        TIPS_FAIL(TIPS_RANGE, "%d pairs are out of range; it takes 1..%d, and 0 for 1", o->pairs, MOST_PAIRS);
    if (o->seed < 0) TIPS_FAIL(TIPS_RANGE, "a seed of %d is out of range; it takes 0 and more", o->seed);
    for (int i = 0; labels && i < count; i++)
        if (labels[i] < 0 || labels[i] >= classes)
            TIPS_FAIL(TIPS_RANGE, "label %d of picture %d is not in 0..%d", (int)labels[i], i, classes - 1);
    return TIPS_OK;
}

tips_status tips_classifier_consistency(const tips_classifier *c, const tips_picture *pictures, const int32_t *labels,
                                        int count, const tips_consistency_options *options, tips_consistency *out) {
    static const tips_consistency_options defaults = {0};
    const tips_consistency_options *o = options ? options : &defaults;
    if (!pictures || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", pictures ? "out" : "pictures");
    TIPS_TRY(check(c, labels, count, o));
    survey s = {.classifier = c, .pictures = count};
    s.plan = tips__shift_plan(&tips__shift_protocols[0], c->model.info.config.size, o->pairs,
                              (uint64_t)(o->seed ? o->seed : 1));
    s.views = 1 + TIPS_SHIFT_KINDS * s.plan.views;
    s.batch = (int64_t)count * s.views < BATCH ? count * s.views : BATCH;
    const tips_allocator *before = tips_use_allocator(c->allocator);
    const tips_status status = survey_all(&s, pictures, labels, out);
    destroy(&s);
    tips_use_allocator(before);
    return status;
}
