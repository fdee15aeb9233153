/* Answers that are masks: at the picture's size, with the shares of classes, written as files, compared along a
 * sequence. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "image/colours.h"

static tips_status begin(predictor *p) {
    TIPS_TRY(tips__predict_refuse_box_flags(p));
    p->result.kind = TIPS_PREDICTS_MASKS;
    TIPS_TRY(tips__predict_begin_sequence(p));
    return p->config->out ? tips__predict_make_folders(p, tips__predict_mask_folders) : TIPS_OK;
}

/* The largest first, the lower of equals; those that do not occur are left out. */
static tips_status take_shares(const predictor *p, const tips_image *mask, tips_prediction *out) {
    const int classes = p->model.info.config.classes;
    int64_t counts[TIPS_COLOURS] = {0}, answered = 0;
    int occur = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)mask->h * mask->w; i++) counts[mask->pixels[i]]++;
    for (int c = 0; c < classes; c++) answered += counts[c], occur += counts[c] > 0;
    const int top = p->config->top > 0 && p->config->top < occur ? p->config->top : occur;
    TIPS_TRY(tips__new_zero(&out->classes, (size_t)(top + 1) * sizeof *out->classes, "classes"));
    TIPS_TRY(tips__new_zero(&out->share, (size_t)(top + 1) * sizeof *out->share, "shares"));
    for (; out->n_classes < top; out->n_classes++) {
        int largest = 0;
        for (int c = 1; c < classes; c++)
            if (counts[c] > counts[largest]) largest = c;
        out->classes[out->n_classes] = largest;
        out->share[out->n_classes] = 100.0 * (double)counts[largest] / (double)answered;
        counts[largest] = 0;
    }
    return TIPS_OK;
}

static tips_status use_mask(predictor *p, predict_item *item, tips_image *mask, tips_prediction *out) {
    TIPS_TRY(take_shares(p, mask, out));
    if (p->config->out) TIPS_TRY(tips__predict_save_mask(p, item, mask, out));
    return p->in_sequence ? tips__predict_add_frame(p, item->name, mask) : TIPS_OK;
}

static tips_status take(predictor *p, int slot, const float *scores, tips_prediction *out) {
    predict_item *item = &p->items[slot];
    const int size[2] = {item->picture.h, item->picture.w};
    const tips_move move = item->entry < 0 ? tips__preprocess_move(&p->model.preprocess, size) : tips__move_none(size);
    tips_image mask;
    (void)scores;
    out->size[0] = size[0], out->size[1] = size[1];
    TIPS_TRY(tips__image_allocate(item->name, size[1], size[0], 1, &mask));
    tips__move_mask_back(&move, p->answers[slot].data, &mask);
    const tips_status status = use_mask(p, item, &mask, out);
    tips__image_free(&mask);
    return status;
}

static tips_status end(predictor *p) { return p->config->sequence ? tips__predict_end_flicker(p) : TIPS_OK; }

const predict_kind tips__predict_masks = {
    .flag = TIPS_TASK_MASK, .pictures = true, .begin = begin, .take = take, .end = end};
