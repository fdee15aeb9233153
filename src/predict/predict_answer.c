/* Answers in batches, and their stability under shifts. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/accuracy.h"
#include "shift/shift_protocol.h"

#include <math.h>
#include <string.h>

static int classes_of(const predictor *p) { return p->model.info.config.classes; }

/* The same bits as any pixel around a picture has. */
static tips_status make_black(predictor *p) {
    uint8_t *canvas;
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

tips_status tips__predictor_create(predictor *p) {
    const size_t n = (size_t)p->config->batch;
    TIPS_TRY(tips__open_model(p->config->model, &p->config->network, &p->config->input, &p->model));
    TIPS_TRY(tips__task_expect_logits(&p->model.info.task, "tips predict"));
    p->elements =
        (size_t)p->model.preprocess.channels * (size_t)p->model.preprocess.height * (size_t)p->model.preprocess.width;
    p->result.top = p->config->top < classes_of(p) ? p->config->top : classes_of(p);
    p->result.flip_rate = NAN;
    TIPS_TRY(copy_names(p));
    TIPS_TRY(tips__new_zero(&p->waiting, n * p->elements * sizeof *p->waiting, "inputs"));
    TIPS_TRY(tips__new(&p->black, p->elements * sizeof *p->black, "a black picture"));
    TIPS_TRY(make_black(p));
    return tips__answerer_create(&p->model.model, p->model.params, p->config->batch, TIPS_ALGORITHM_EXACT,
                                 &p->answerer);
}

void tips__predictor_destroy(predictor *p) {
    tips__answerer_destroy(p->answerer);
    tips__loaded_model_destroy(&p->model);
    tips__free(p->waiting);
    tips__free(p->black);
}

void tips__predict_shift(const tips_preprocess *p, const float *src, const float *black, int dy, int dx, float *dst) {
    for (int c = 0; c < p->channels; c++)
        for (int y = 0; y < p->height; y++)
            for (int x = 0; x < p->width; x++) {
                const ptrdiff_t at = ((ptrdiff_t)c * p->height + y) * p->width + x;
                const bool inside = y >= dy && x >= dx && y - dy < p->height && x - dx < p->width;
                dst[at] = inside ? src[at - (ptrdiff_t)dy * p->width - dx] : black[at];
            }
}

/* An input, and how many of its shifts keep the answer. */
typedef struct stability {
    const predictor *p;
    const tips_shift_range *range;
    const float *input;
    int answer, kept;
} stability;

/* Every shift of the range but (0, 0), which is its first. */
static void fill_shifted(void *context, int64_t i, float *input) {
    const stability *s = context;
    int shift[2];
    tips__range_shift(s->range, (int)i + 1, shift);
    tips__predict_shift(&s->p->model.preprocess, s->input, s->p->black, shift[0], shift[1], input);
}

static tips_status count_kept(void *context, int64_t i, const tips_outputs *outputs, int at) {
    stability *s = context;
    const int classes = classes_of(s->p);
    (void)i;
    s->kept += tips__answer(outputs->values[0] + (ptrdiff_t)at * classes, classes) == s->answer;
    return TIPS_OK;
}

static tips_status measure_stability(predictor *p, const float *input, int answer, double *out) {
    const tips_shift_plan plan = tips__shift_plan(&tips__shift_protocols[0], p->model.info.config.size, 0, 0);
    stability s = {p, &plan.range[TIPS_STANDARD], input, answer, 0};
    const int others = tips__range_cells(s.range) - 1;
    const tips_questions questions = {.count = others, .fill = fill_shifted, .take = count_kept, .context = &s};
    TIPS_TRY(tips__answer_all(p->answerer, &questions));
    p->result.shifts = others;
    *out = others > 0 ? 100.0 * s.kept / others : NAN;
    return TIPS_OK;
}

static tips_status answer_one(predictor *p, const float *scores, tips_prediction *out) {
    const int classes = classes_of(p), top = p->result.top;
    double *probability;
    if (!tips__scores_finite(scores, classes))
        TIPS_FAIL(TIPS_NUMERIC, "%s: the scores are not finite numbers", out->name);
    TIPS_TRY(tips__new(&out->classes, (size_t)top * sizeof *out->classes, "classes"));
    TIPS_TRY(tips__new(&out->probability, (size_t)top * sizeof *out->probability, "probabilities"));
    TIPS_TRY(tips__new(&probability, (size_t)classes * sizeof *probability, "probabilities"));
    tips__softmax(scores, classes, probability);
    tips__best(scores, classes, top, out->classes);
    for (int i = 0; i < top; i++) out->probability[i] = probability[out->classes[i]];
    tips__free(probability);
    return TIPS_OK;
}

tips_status tips__predictor_flush(predictor *p) {
    const int count = p->n_waiting, first = p->result.count - count;
    const size_t classes = (size_t)classes_of(p);
    tips_outputs outputs;
    if (count == 0) return TIPS_OK;
    p->n_waiting = 0;
    TIPS_TRY(tips__answer_inputs(p->answerer, p->waiting, count, &outputs));
    memcpy(p->result.scores + (size_t)first * classes, outputs.values[0], (size_t)count * classes * sizeof(float));
    for (int i = 0; i < count; i++) {
        tips_prediction *one = &p->result.predictions[first + i];
        TIPS_TRY(answer_one(p, p->result.scores + (size_t)(first + i) * classes, one));
        if (p->config->stability)
            TIPS_TRY(measure_stability(p, p->waiting + (size_t)i * p->elements, one->classes[0], &one->stability));
    }
    return TIPS_OK;
}

static tips_status grow(predictor *p) {
    const size_t old = (size_t)p->capacity, capacity = old ? 2 * old : 64, row = (size_t)classes_of(p) * sizeof(float);
    if (p->result.count < p->capacity) return TIPS_OK;
    tips_prediction *predictions =
        tips__grow(p->result.predictions, old * sizeof *predictions, capacity * sizeof *predictions);
    if (!predictions) TIPS_FAIL(TIPS_MEMORY, "out of memory for predictions");
    p->result.predictions = predictions;
    float *scores = tips__grow(p->result.scores, old * row, capacity * row);
    if (!scores) TIPS_FAIL(TIPS_MEMORY, "out of memory for scores");
    p->result.scores = scores;
    p->capacity = (int)capacity;
    return TIPS_OK;
}

tips_status tips__predictor_push(predictor *p, const char *name, const float *input) {
    TIPS_TRY(grow(p));
    tips_prediction one = {.name = tips__strdup(name), .stability = NAN};
    if (!one.name) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    memcpy(p->waiting + (size_t)p->n_waiting++ * p->elements, input, p->elements * sizeof *input);
    p->result.predictions[p->result.count++] = one;
    return p->n_waiting == p->config->batch ? tips__predictor_flush(p) : TIPS_OK;
}
