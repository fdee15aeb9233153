/* Answers that are boxes: in pixels of the picture, drawn on it, compared under shifts and along a sequence. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/image_write.h"
#include "image/overlay.h"
#include "metric/moved_objects.h"
#include "task/detect.h"

static const char boxes[] = "boxes";
static const char *const folders[] = {boxes, NULL};

static tips_detect_measure *measure_of(predictor *p) {
    return &((tips_detect_config *)(void *)&p->model.model.assignment.spec.config)->measure;
}

static tips_status begin(predictor *p) {
    const tips_predict_config *c = p->config;
    if (c->keep_scores)
        TIPS_FAIL(TIPS_INVALID, "--logits is for models that answer with classes or masks; --detections FILE has the "
                                "scores of boxes");
    if (c->annotations && !c->detections)
        TIPS_FAIL(TIPS_INVALID, "--annotations has the ids for --detections, which is not asked for");
    p->result.kind = TIPS_PREDICTS_BOXES;
    if (c->shown > 0) measure_of(p)->shown = c->shown;
    p->result.shown = measure_of(p)->shown;
    TIPS_TRY(tips__predict_begin_sequence(p));
    return c->out ? tips__predict_make_folders(p, folders) : TIPS_OK;
}

static tips_status take_boxes(const predictor *p, const tips_move *move, const tips_bytes *answer,
                              tips_prediction *out) {
    const tips_detection *found = tips__detections(answer);
    const int n = tips__detections_in(answer), top = p->config->top > 0 ? p->config->top : n;
    TIPS_TRY(tips__new_zero(&out->boxes, (size_t)n * sizeof *out->boxes, "boxes"));
    out->n_boxes = tips__detections_on_picture(move, found, n, out->boxes);
    while (out->n_shown < out->n_boxes && out->n_shown < top && out->boxes[out->n_shown].score >= p->result.shown)
        out->n_shown++;
    return TIPS_OK;
}

static tips_status draw(predictor *p, predict_item *item, tips_prediction *out) {
    const char *stem;
    TIPS_TRY(tips__predict_stem(p, item, &stem));
    TIPS_TRY(tips__predict_name_file(p, boxes, stem, &out->drawing));
    TIPS_TRY(tips__image_in_colour(&item->picture));
    tips__detections_draw(out->boxes, out->n_shown, 0, p->model.info.class_names, &item->picture);
    return tips__image_write_png(out->drawing, &item->picture);
}

static tips_status take(predictor *p, int slot, const float *scores, tips_prediction *out) {
    predict_item *item = &p->items[slot];
    const int size[2] = {item->picture.h, item->picture.w};
    const tips_move move = item->entry < 0 ? tips__preprocess_move(&p->model.preprocess, size) : tips__move_none(size);
    (void)scores;
    out->size[0] = size[0], out->size[1] = size[1];
    TIPS_TRY(take_boxes(p, &move, &p->answers[slot], out));
    if (p->config->out) TIPS_TRY(draw(p, item, out));
    return p->in_sequence ? tips__predict_add_boxes(p, out) : TIPS_OK;
}

static tips_status end(predictor *p) {
    if (p->config->sequence) TIPS_TRY(tips__predict_end_jitter(p));
    return p->config->detections ? tips__predict_save_results(p) : TIPS_OK;
}

static void compare(const predictor *p, tips_answer_at still, tips_answer_at moved, tips_prediction *out) {
    const tips_jitter one = tips__detect_jitter(&p->model.model.assignment, still, moved);
    tips__jitter_add(&out->jitter, &one);
}

const predict_kind tips__predict_boxes = {
    .flag = TIPS_TASK_BOXES, .pictures = true, .begin = begin, .take = take, .end = end, .compare = compare};
