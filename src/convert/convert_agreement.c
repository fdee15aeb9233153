/* The original and the converted network, asked the same. */
#include "convert/convert_agreement.h"

#include "convert/convert_pictures.h"
#include "core/fail.h"
#include "core/memory.h"
#include "metric/consistency.h"
#include "view/answerer.h"

enum { ORIGINAL, CONVERTED, BOTH };

typedef struct session {
    const tips_model *model[BOTH];
    tips_answerer *answerer[BOTH];
    tips_bytes answer[BOTH];
    tips_preprocess preprocess;
    float *input;
    tips_convert_pictures pictures;
    tips_agreement *agreements; /* (wanted) */
    int wanted, done;
} session;

static tips_status prepare(const tips_loaded_model *from, const tips_converted *to, const char *data, int limit,
                           session *s) {
    const tips_preprocess *p = &s->preprocess;
    s->preprocess = from->preprocess;
    s->model[ORIGINAL] = &from->model, s->model[CONVERTED] = &to->model;
    TIPS_TRY(tips__convert_pictures_open(data, &s->pictures));
    s->wanted = limit > 0 && limit < s->pictures.count ? limit : s->pictures.count;
    TIPS_TRY(tips__new(&s->agreements, (size_t)s->wanted * sizeof *s->agreements, "agreements"));
    TIPS_TRY(tips__new(&s->input, (size_t)p->channels * (size_t)p->height * (size_t)p->width * sizeof *s->input,
                       "a picture"));
    TIPS_TRY(tips__answerer_create(s->model[ORIGINAL], from->params, 1, TIPS_ALGORITHM_FAST, &s->answerer[ORIGINAL]));
    return tips__answerer_create(s->model[CONVERTED], to->params, 1, TIPS_ALGORITHM_FAST, &s->answerer[CONVERTED]);
}

static void finish(session *s) {
    for (int k = 0; k < BOTH; k++) {
        tips__answerer_destroy(s->answerer[k]);
        tips__bytes_clear(&s->answer[k]);
    }
    tips__convert_pictures_close(&s->pictures);
    tips__free(s->agreements);
    tips__free(s->input);
}

static tips_status ask(session *s) {
    const tips_assignment *a = &s->model[ORIGINAL]->assignment;
    const tips_task *task = a->spec.task;
    for (int k = 0; k < BOTH; k++) {
        tips_outputs outputs;
        TIPS_TRY(tips__answer_inputs(s->answerer[k], s->input, 1, &outputs));
        TIPS_TRY(task->answer(&s->model[k]->assignment, &outputs, 0, &s->answer[k]));
    }
    const tips_answer_at at[BOTH] = {{.answer = &s->answer[ORIGINAL]}, {.answer = &s->answer[CONVERTED]}};
    s->agreements[s->done++] = task->agree(a, at[ORIGINAL], at[CONVERTED], NULL);
    return TIPS_OK;
}

static tips_status show(session *s, int i) {
    tips_image picture;
    const tips_status status = tips__convert_pictures_read(&s->pictures, i, &picture);
    if (status == TIPS_IO || status == TIPS_FORMAT) return TIPS_OK; /* those that cannot be read are passed over */
    TIPS_TRY(status);
    const tips_status prepared = tips__preprocess(&s->preprocess, &picture, 0, 0, false, s->input);
    tips__image_free(&picture);
    return prepared == TIPS_OK ? ask(s) : prepared;
}

static tips_status compare(session *s, tips_convert_agreement *out) {
    const bool graded = (s->model[ORIGINAL]->assignment.spec.task->flags & TIPS_TASK_GRADED) != 0;
    tips_figure none;
    for (int i = 0; i < s->wanted; i++) TIPS_TRY(show(s, (int)((int64_t)i * s->pictures.count / s->wanted)));
    if (s->done == 0) TIPS_FAIL(TIPS_INVALID, "--data: not one of its pictures can be read");
    out->pictures = s->done;
    return tips__agreements(s->agreements, s->done, graded, &out->share, &none);
}

tips_status tips__convert_agree(const tips_loaded_model *from, const tips_converted *to, const char *data, int limit,
                                tips_convert_agreement *out) {
    tips_convert_agreement result = {0};
    session s = {.done = 0};
    tips_status status = prepare(from, to, data, limit, &s);
    if (status == TIPS_OK) status = compare(&s, &result);
    finish(&s);
    if (status == TIPS_OK) *out = result;
    return status;
}
