/* Answers in batches. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

/* The same bits as any pixel around a picture has; zeros around arrays of more channels than pictures have. */
static tips_status make_black(predictor *p) {
    enum { PICTURE_CHANNELS = 3 };
    uint8_t *canvas;
    TIPS_TRY(tips__new_zero(&p->black, p->elements * sizeof *p->black, "a black picture"));
    if (p->model.preprocess.channels > PICTURE_CHANNELS) return TIPS_OK;
    TIPS_TRY(tips__new(&canvas, p->elements, "a black picture"));
    tips__canvas_clear(&p->model.preprocess, canvas);
    tips__canvas_to_input(&p->model.preprocess, canvas, 0, 0, false, p->black);
    tips__free(canvas);
    return TIPS_OK;
}

static tips_status copy_names(predictor *p) {
    const tips_model_info *info = &p->model.info;
    p->result.n_classes = info->config.classes;
    if (!info->class_names) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&p->result.class_names, (size_t)info->config.classes * sizeof(char *), "the classes"));
    for (int i = 0; i < info->config.classes; i++) {
        p->result.class_names[i] = tips__strdup(info->class_names[i] ? info->class_names[i] : "");
        if (!p->result.class_names[i]) TIPS_FAIL(TIPS_MEMORY, "out of memory for a class");
    }
    return TIPS_OK;
}

tips_status tips__predict_refuse_box_flags(const predictor *p) {
    const tips_predict_config *c = p->config;
    const char *flag = c->detections    ? "--detections"
                       : c->annotations ? "--annotations"
                       : c->shown > 0   ? "--shown"
                                        : NULL;
    if (flag)
        TIPS_FAIL(TIPS_INVALID, "%s is for models that answer with boxes; the task of this one is '%s'", flag,
                  p->task->name);
    return TIPS_OK;
}

static tips_status choose_kind(predictor *p) {
    static const predict_kind *const kinds[] = {&tips__predict_classes, &tips__predict_masks, &tips__predict_boxes};
    p->task = p->model.info.task.task;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !p->kind; i++)
        if (p->task->flags & kinds[i]->flag) p->kind = kinds[i];
    if (!p->kind)
        TIPS_FAIL(TIPS_UNSUPPORTED,
                  "tips predict answers with classes, masks and boxes; the task of this model is '%s'", p->task->name);
    return p->kind->begin(p);
}

static void measure(predictor *p) {
    const tips_preprocess *input = &p->model.preprocess;
    const tips_value_info *out = tips__value(p->model.model.graph, p->model.model.ends.outputs[0]);
    const int dims[3] = {out->c, out->h, out->w};
    p->elements = (size_t)input->channels * (size_t)input->height * (size_t)input->width;
    p->scores = (size_t)out->c * (size_t)out->h * (size_t)out->w;
    p->keeps_scores = p->config->keep_scores || p->kind == &tips__predict_classes;
    memcpy(p->result.score_dims, dims, sizeof dims);
}

tips_status tips__predictor_create(predictor *p) {
    const size_t n = (size_t)p->config->batch;
    TIPS_TRY(tips__open_model(p->config->model, &p->config->network, &p->config->input, &p->model));
    p->result.flip_rate = p->result.flicker = NAN;
    TIPS_TRY(choose_kind(p));
    measure(p);
    TIPS_TRY(copy_names(p));
    TIPS_TRY(tips__new_zero(&p->waiting, n * p->elements * sizeof *p->waiting, "inputs"));
    TIPS_TRY(tips__new_zero(&p->items, n * sizeof *p->items, "pictures"));
    TIPS_TRY(tips__new_zero(&p->answers, n * sizeof *p->answers, "answers"));
    TIPS_TRY(make_black(p));
    return tips__answerer_create(&p->model.model, p->model.params, p->config->batch, TIPS_ALGORITHM_EXACT,
                                 &p->answerer);
}

static void clear_item(predict_item *item) {
    tips__free((char *)item->path);
    tips__image_free(&item->picture);
    *item = (predict_item){0};
}

void tips__predictor_destroy(predictor *p) {
    for (int i = 0; i < p->config->batch; i++) {
        if (p->items) clear_item(&p->items[i]);
        if (p->answers) tips__bytes_clear(&p->answers[i]);
    }
    tips__answerer_destroy(p->answerer);
    tips__loaded_model_destroy(&p->model);
    tips__predict_flicker_clear(&p->flicker);
    tips__used_names_clear(&p->names);
    tips__free(p->items);
    tips__free(p->answers);
    tips__free(p->waiting);
    tips__free(p->black);
}

/* What outputs say lasts only until the next question is asked. */
static tips_status take_outputs(predictor *p, const tips_outputs *outputs, int first) {
    for (int i = 0; i < outputs->n; i++) {
        const float *scores = outputs->values[0] + (size_t)i * p->scores;
        tips_prediction *one = &p->result.predictions[first + i];
        if (!tips__outputs_finite(outputs, i))
            TIPS_FAIL(TIPS_NUMERIC, "%s: the scores are not finite numbers", one->name);
        if (p->keeps_scores)
            memcpy(p->result.scores + (size_t)(first + i) * p->scores, scores, p->scores * sizeof *scores);
        TIPS_TRY(p->task->answer(&p->model.model.assignment, outputs, i, &p->answers[i]));
        if (p->task->flags & TIPS_TASK_BOXES)
            tips__found_tally_add(&p->result.found, &p->model.model.assignment, &p->answers[i]);
        TIPS_TRY(p->kind->take(p, i, scores, one));
        clear_item(&p->items[i]);
    }
    return TIPS_OK;
}

tips_status tips__predictor_flush(predictor *p) {
    const int count = p->n_waiting, first = p->result.count - count;
    tips_outputs outputs;
    if (count == 0) return TIPS_OK;
    p->n_waiting = 0;
    TIPS_TRY(tips__answer_inputs(p->answerer, p->waiting, count, &outputs));
    TIPS_TRY(take_outputs(p, &outputs, first));
    for (int i = 0; i < count && p->config->stability; i++)
        TIPS_TRY(tips__predict_stability(p, p->waiting + (size_t)i * p->elements, &p->answers[i],
                                         &p->result.predictions[first + i]));
    return TIPS_OK;
}

static tips_status grow(predictor *p) {
    const size_t old = (size_t)p->capacity, capacity = old ? 2 * old : 64, row = p->scores * sizeof(float);
    if (p->result.count < p->capacity) return TIPS_OK;
    tips_prediction *predictions =
        tips__grow(p->result.predictions, old * sizeof *predictions, capacity * sizeof *predictions);
    if (!predictions) TIPS_FAIL(TIPS_MEMORY, "out of memory for predictions");
    p->result.predictions = predictions;
    if (p->keeps_scores) {
        float *scores = tips__grow(p->result.scores, old * row, capacity * row);
        if (!scores) TIPS_FAIL(TIPS_MEMORY, "out of memory for scores");
        p->result.scores = scores;
    }
    p->capacity = (int)capacity;
    return TIPS_OK;
}

static tips_status keep_item(predictor *p, predict_item *item) {
    tips_prediction one = {.name = tips__strdup(item->name), .stability = NAN};
    if (!one.name) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    p->result.predictions[p->result.count++] = one;
    item->name = one.name;
    item->path = tips__strdup(item->path);
    if (!item->path) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    return TIPS_OK;
}

tips_status tips__predictor_push(predictor *p, predict_item item, const float *input) {
    tips_status status = grow(p);
    if (status == TIPS_OK) status = keep_item(p, &item);
    if (status != TIPS_OK) {
        tips__image_free(&item.picture);
        return status;
    }
    p->items[p->n_waiting] = item;
    memcpy(p->waiting + (size_t)p->n_waiting++ * p->elements, input, p->elements * sizeof *input);
    return p->n_waiting == p->config->batch ? tips__predictor_flush(p) : TIPS_OK;
}
