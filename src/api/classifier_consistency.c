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
    int chunk;              /* pictures at hand at a time: their views fill whole batches */
    int first;              /* of those at hand */
    uint8_t *canvas;        /* (chunk, h, w, c) */
    int *answers;           /* (pictures, views) */
    tips_pair_count *pairs; /* (pictures) */
} survey;

static tips_status allocate(survey *s) {
    TIPS_TRY(tips__new(&s->canvas, (size_t)s->chunk * s->classifier->elements, "the pictures"));
    TIPS_TRY(tips__new(&s->answers, (size_t)s->pictures * (size_t)s->views * sizeof *s->answers, "the answers"));
    return tips__new(&s->pairs, (size_t)s->pictures * sizeof *s->pairs, "the counts of pairs");
}

static void destroy(survey *s) {
    tips__free(s->canvas);
    tips__free(s->answers);
    tips__free(s->pairs);
}

/* Question i is view i % views of picture i / views of those at hand. */
static void fill(void *context, int64_t i, float *input) {
    const survey *s = context;
    const int slot = (int)(i / s->views), view = (int)(i % s->views);
    const int kind = view > s->plan.views ? TIPS_CIRCULAR : TIPS_STANDARD;
    int shift[2] = {0, 0};
    if (view > 0) tips__plan_shift(&s->plan, kind, s->first + slot, (view - 1) % s->plan.views, shift);
    tips__canvas_to_input(&s->classifier->model.preprocess, s->canvas + (size_t)slot * s->classifier->elements,
                          shift[0], shift[1], kind == TIPS_CIRCULAR, input);
}

static tips_status take(void *context, int64_t i, const tips_outputs *outputs, int at) {
    survey *s = context;
    const float *logits = outputs->values[0] + (size_t)at * outputs->floats[0];
    if (!tips__outputs_finite(outputs, at))
        TIPS_FAIL(TIPS_NUMERIC, "the logits of picture %d are not finite numbers", s->first + (int)(i / s->views));
    s->answers[(ptrdiff_t)s->first * s->views + i] = tips__answer(logits, tips_classifier_classes(s->classifier));
    return TIPS_OK;
}

static tips_status take_picture(survey *s, const tips_picture *picture, int slot) {
    char name[32];
    const tips_status status =
        tips__classifier_canvas(s->classifier, picture, s->canvas + (size_t)slot * s->classifier->elements);
    if (status == TIPS_OK) return TIPS_OK;
    snprintf(name, sizeof name, "picture %d", s->first + slot);
    return tips__fail_within(status, name);
}

static tips_status answer_chunk(survey *s, const tips_picture *pictures, tips_answerer *answerer) {
    const int left = s->pictures - s->first, count = left < s->chunk ? left : s->chunk;
    const tips_questions questions = {.count = (int64_t)count * s->views, .fill = fill, .take = take, .context = s};
    for (int i = 0; i < count; i++) TIPS_TRY(take_picture(s, &pictures[s->first + i], i));
    return tips__answer_all(answerer, &questions);
}

static tips_status answer_all(survey *s, const tips_picture *pictures) {
    const int64_t views = (int64_t)s->pictures * s->views;
    classifier_net *net;
    TIPS_TRY(tips__classifier_take(s->classifier, views < BATCH ? (int)views : BATCH, &net));
    tips_status status = TIPS_OK;
    for (s->first = 0; s->first < s->pictures && status == TIPS_OK; s->first += s->chunk)
        status = answer_chunk(s, pictures, net->answerer);
    tips__classifier_give_back(s->classifier, net);
    return status;
}

static tips_status count_kind(survey *s, int kind, const int32_t *labels, tips_figure *consistency,
                              tips_figure *fidelity) {
    for (int i = 0; i < s->pictures; i++) {
        const tips_class_answers classes = {s->answers + (ptrdiff_t)i * s->views, labels ? (int)labels[i] : -1};
        const tips_answers answers = {tips__compare_classes, &classes};
        s->pairs[i] = tips__count_pairs(&answers, 1 + kind * s->plan.views, s->plan.views, false);
    }
    TIPS_TRY(tips__consistency(s->pairs, s->pictures, false, consistency, fidelity));
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
    TIPS_TRY(answer_all(s, pictures));
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
    TIPS_NEED(c, "classifier");
    if (!pictures || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", pictures ? "out" : "pictures");
    TIPS_TRY(check(c, labels, count, o));
    survey s = {.classifier = c, .pictures = count};
    s.plan = tips__shift_plan(&tips__shift_protocols[0], c->model.info.config.size, o->pairs,
                              (uint64_t)(o->seed ? o->seed : 1));
    s.views = 1 + TIPS_SHIFT_KINDS * s.plan.views;
    s.chunk = count < BATCH ? count : BATCH;
    const tips_allocator *before = tips_use_allocator(c->allocator);
    const tips_status status = survey_all(&s, pictures, labels, out);
    destroy(&s);
    tips_use_allocator(before);
    return status;
}
