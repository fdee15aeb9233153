/* Answers that are classes: the best ones with their probabilities, and flips along a sequence. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "metric/accuracy.h"

static tips_status begin(predictor *p) {
    const char *flag = p->config->out ? "--out" : p->config->motion ? "--motion" : NULL;
    if (flag)
        TIPS_FAIL(TIPS_INVALID, "%s is for models that answer with masks or boxes; the task of this one is '%s'", flag,
                  p->task->name);
    return tips__predict_refuse_box_flags(p);
}

static tips_status take(predictor *p, int slot, const float *scores, tips_prediction *out) {
    const int classes = p->model.info.config.classes, asked = p->config->top > 0 ? p->config->top : 1;
    const int top = asked < classes ? asked : classes;
    double *probability;
    (void)slot;
    TIPS_TRY(tips__new(&out->classes, (size_t)top * sizeof *out->classes, "classes"));
    TIPS_TRY(tips__new(&out->probability, (size_t)top * sizeof *out->probability, "probabilities"));
    TIPS_TRY(tips__new(&probability, (size_t)classes * sizeof *probability, "probabilities"));
    tips__softmax(scores, classes, probability);
    tips__best(scores, classes, top, out->classes);
    for (int i = 0; i < top; i++) out->probability[i] = probability[out->classes[i]];
    out->n_classes = top;
    tips__free(probability);
    return TIPS_OK;
}

static tips_status end(predictor *p) {
    tips_predict_result *r = &p->result;
    for (int i = r->count - r->frames + 1; i < r->count; i++)
        r->flips += r->predictions[i].classes[0] != r->predictions[i - 1].classes[0];
    if (r->frames > 1) r->flip_rate = 100.0 * r->flips / (r->frames - 1);
    return TIPS_OK;
}

const predict_kind tips__predict_classes = {.flag = TIPS_TASK_LOGITS, .begin = begin, .take = take, .end = end};
