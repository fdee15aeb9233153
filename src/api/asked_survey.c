/* How right a public model is and how much its answers depend on shifts, as tips eval measures it with the protocol of
 * the task. */
#include "api/asked_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/pile.h"
#include "metric/consistency.h"

#include <stdio.h>

enum { BATCH = 32, MOST_PAIRS = 1000 };

/* The views of a picture in order: unshifted, then the pairs of either kind. */
typedef struct surveyor {
    const asked_model *m;
    const asked_survey *survey;
    const tips_task *task;
    tips_shift_plan plan;
    int views;
    int chunk;                                /* pictures at hand at a time */
    int first;                                /* of those at hand */
    uint8_t *canvas;                          /* (chunk, h, w, c) */
    tips_bytes *targets;                      /* (chunk) */
    tips_bytes answer;                        /* the one at hand */
    tips_pile answers;                        /* (chunk, views) */
    tips_pair_count *pairs[TIPS_SHIFT_KINDS]; /* (pictures) */
    tips_jitter jitter[TIPS_SHIFT_KINDS];     /* of boxes */
    tips_tally tally;
} surveyor;

static tips_status allocate(surveyor *s) {
    const size_t count = (size_t)s->survey->count;
    TIPS_TRY(tips__new(&s->canvas, (size_t)s->chunk * s->m->elements, "the pictures"));
    TIPS_TRY(tips__new_zero(&s->targets, (size_t)s->chunk * sizeof *s->targets, "what is right"));
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++)
        TIPS_TRY(tips__new(&s->pairs[kind], count * sizeof *s->pairs[kind], "the counts of pairs"));
    return TIPS_OK;
}

static void destroy(surveyor *s) {
    for (int i = 0; s->targets && i < s->chunk; i++) tips__bytes_clear(&s->targets[i]);
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) tips__free(s->pairs[kind]);
    tips__free(s->canvas);
    tips__free(s->targets);
    tips__bytes_clear(&s->answer);
    tips__pile_clear(&s->answers);
    tips__tally_clear(&s->tally);
}

typedef struct placed_view {
    int shift[2];
    bool circular;
} placed_view;

static placed_view view_of(const surveyor *s, int picture, int view) {
    placed_view v = {.circular = view > s->plan.views};
    if (view > 0)
        tips__plan_shift(&s->plan, v.circular ? TIPS_CIRCULAR : TIPS_STANDARD, picture, (view - 1) % s->plan.views,
                         v.shift);
    return v;
}

/* Question i is view i % views of picture i / views of those at hand. */
static void fill(void *context, int64_t i, float *input) {
    const surveyor *s = context;
    const int slot = (int)(i / s->views);
    const placed_view v = view_of(s, s->first + slot, (int)(i % s->views));
    tips__canvas_to_input(&s->m->model.preprocess, s->canvas + (size_t)slot * s->m->elements, v.shift[0], v.shift[1],
                          v.circular, input);
}

static tips_status take(void *context, int64_t i, const tips_outputs *outputs, int at) {
    surveyor *s = context;
    const int slot = (int)(i / s->views);
    if (!tips__outputs_finite(outputs, at))
        TIPS_FAIL(TIPS_NUMERIC, "the logits of picture %d are not finite numbers", s->first + slot);
    TIPS_TRY(s->task->answer(&s->m->model.model.assignment, outputs, at, &s->answer));
    TIPS_TRY(tips__pile_add(&s->answers, &s->answer));
    if (i % s->views || !s->survey->truth) return TIPS_OK;
    return tips__tally_add(&s->tally, outputs, at, &s->targets[slot]);
}

static tips_status take_truth(surveyor *s, int picture, int slot) {
    const tips_picture *p = &s->survey->pictures[picture];
    tips_annotation annotation = {.size = {p->height, p->width}};
    const tips_move move = tips__preprocess_move(&s->m->model.preprocess, annotation.size);
    s->survey->truth(s->survey->context, picture, &annotation);
    return s->task->target(&s->m->model.model.assignment, &annotation, &move, &s->targets[slot]);
}

static tips_status take_picture(surveyor *s, int slot) {
    const int picture = s->first + slot;
    char name[32];
    tips_status status =
        tips__asked_canvas(s->m, &s->survey->pictures[picture], s->canvas + (size_t)slot * s->m->elements);
    if (status == TIPS_OK && s->survey->truth) status = take_truth(s, picture, slot);
    if (status == TIPS_OK) return TIPS_OK;
    snprintf(name, sizeof name, "picture %d", picture);
    return tips__fail_within(status, name);
}

/* The answers to the views of one picture at hand. */
typedef struct picture_answers {
    const surveyor *s;
    int slot;
} picture_answers;

static tips_agreement compare(const void *context, int a, int b) {
    const picture_answers *p = context;
    const surveyor *s = p->s;
    const int views[2] = {a, b};
    tips_bytes answers[2];
    tips_answer_at at[2];
    for (int i = 0; i < 2; i++) {
        const placed_view v = view_of(s, s->first + p->slot, views[i]);
        answers[i] = tips__pile_at(&s->answers, p->slot * s->views + views[i]);
        at[i] = (tips_answer_at){&answers[i], {v.shift[0], v.shift[1]}, v.circular};
    }
    return s->task->agree(&s->m->model.model.assignment, at[0], at[1], s->survey->truth ? &s->targets[p->slot] : NULL);
}

/* Of a picture at hand, as it is and in each view that is shifted. */
static void add_jitter(surveyor *s, int slot) {
    const tips_assignment *a = &s->m->model.model.assignment;
    const tips_bytes still = tips__pile_at(&s->answers, slot * s->views);
    for (int view = 1; view < s->views; view++) {
        const placed_view v = view_of(s, s->first + slot, view);
        const tips_bytes moved = tips__pile_at(&s->answers, slot * s->views + view);
        if (v.shift[0] == 0 && v.shift[1] == 0) continue;
        const tips_jitter one = tips__detect_jitter(a, (tips_answer_at){&still, {0, 0}, v.circular},
                                                    (tips_answer_at){&moved, {v.shift[0], v.shift[1]}, v.circular});
        tips__jitter_add(&s->jitter[v.circular ? TIPS_CIRCULAR : TIPS_STANDARD], &one);
    }
}

static tips_status survey_chunk(surveyor *s, tips_answerer *answerer) {
    const int left = s->survey->count - s->first, count = left < s->chunk ? left : s->chunk;
    const tips_questions questions = {.count = (int64_t)count * s->views, .fill = fill, .take = take, .context = s};
    tips__pile_empty(&s->answers);
    for (int i = 0; i < count; i++) TIPS_TRY(take_picture(s, i));
    TIPS_TRY(tips__answer_all(answerer, &questions));
    for (int i = 0; i < count && s->task->flags & TIPS_TASK_BOXES; i++) add_jitter(s, i);
    for (int i = 0; i < count; i++)
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
            const picture_answers picture = {s, i};
            s->pairs[kind][s->first + i] =
                tips__count_pairs(&(tips_answers){compare, &picture}, 1 + kind * s->plan.views, s->plan.views, false);
        }
    return TIPS_OK;
}

static tips_status survey_all(surveyor *s) {
    const int64_t views = (int64_t)s->survey->count * s->views;
    asked_net *net;
    TIPS_TRY(tips__asked_take(s->m, views < BATCH ? (int)views : BATCH, &net));
    tips_status status = TIPS_OK;
    for (s->first = 0; s->first < s->survey->count && status == TIPS_OK; s->first += s->chunk)
        status = survey_chunk(s, net->answerer);
    tips__asked_give_back(s->m, net);
    return status;
}

static tips_status conclude(surveyor *s, asked_figures *out) {
    asked_figures figures = {0};
    TIPS_TRY(tips__tally_figures(&s->tally, figures.own));
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        TIPS_TRY(tips__consistency(s->pairs[kind], s->survey->count, s->task->flags & TIPS_TASK_GRADED,
                                   &figures.consistency[kind], &figures.fidelity[kind]));
        if (!s->survey->truth) figures.fidelity[kind] = tips__figure_none();
        figures.jitter[kind] = s->jitter[kind];
    }
    *out = figures;
    return TIPS_OK;
}

static tips_status run(surveyor *s, asked_figures *out) {
    TIPS_TRY(allocate(s));
    TIPS_TRY(survey_all(s));
    return conclude(s, out);
}

static tips_status check(int count, const tips_consistency_options *o) {
    if (count < 1) TIPS_FAIL(TIPS_RANGE, "%d pictures are too few; it takes at least one", count);
    if (o->pairs < 0 || o->pairs > MOST_PAIRS)
        TIPS_FAIL(TIPS_RANGE, "%d pairs are out of range; it takes 1..%d, and 0 for 1", o->pairs, MOST_PAIRS);
    if (o->seed < 0) TIPS_FAIL(TIPS_RANGE, "a seed of %d is out of range; it takes 0 and more", o->seed);
    return TIPS_OK;
}

/* Answers of whole pictures are small; of masks no more are kept than fill a batch. */
static int chunk_of(const surveyor *s) {
    const int most = s->task->flags & TIPS_TASK_GRADED ? 1 + (BATCH - 1) / s->views : BATCH;
    return s->survey->count < most ? s->survey->count : most;
}

tips_status tips__asked_survey(const asked_model *m, const asked_survey *survey,
                               const tips_consistency_options *options, asked_figures *out) {
    static const tips_consistency_options defaults = {0};
    const tips_consistency_options *o = options ? options : &defaults;
    TIPS_TRY(check(survey->count, o));
    surveyor s = {.m = m, .survey = survey, .task = m->model.info.task.task};
    s.plan = tips__shift_plan(tips__shift_protocol_usual(s.task->protocol), m->model.info.config.size, o->pairs,
                              (uint64_t)(o->seed ? o->seed : 1));
    s.views = 1 + TIPS_SHIFT_KINDS * s.plan.views;
    s.chunk = chunk_of(&s);
    s.tally = (tips_tally){.assignment = &m->model.model.assignment, .keep = true};
    const tips_allocator *before = tips_use_allocator(m->allocator);
    const tips_status status = run(&s, out);
    destroy(&s);
    tips_use_allocator(before);
    return status;
}
