/* Pixels that change their class from one frame to the next, with the known motion of the scene undone. */
#include "predict/predict_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

static tips_status begin(predict_flicker *f, const tips_image *mask) {
    const size_t bytes = (size_t)mask->h * (size_t)mask->w * sizeof *f->changed;
    TIPS_TRY(tips__new_zero(&f->changed, bytes, "a map of flicker"));
    return tips__new_zero(&f->compared, bytes, "a map of flicker");
}

/* What lies at (y, x) was at (y - dy, x - dx) before. Pixels without an answer are not compared. */
static tips_predict_step compare(predict_flicker *f, const tips_image *mask, const int motion[2]) {
    const tips_image *last = &f->last;
    tips_predict_step step = {.motion = {motion[0], motion[1]}};
    int64_t changed = 0;
    for (int y = 0; y < mask->h; y++) {
        const int from_y = y - motion[0];
        if (from_y < 0 || from_y >= mask->h) continue;
        for (int x = 0; x < mask->w; x++) {
            const int from_x = x - motion[1];
            if (from_x < 0 || from_x >= mask->w) continue;
            const ptrdiff_t at = (ptrdiff_t)y * mask->w + x;
            const int before = last->pixels[(ptrdiff_t)from_y * mask->w + from_x], now = mask->pixels[at];
            if (before == TIPS_MASK_IGNORE || now == TIPS_MASK_IGNORE) continue;
            step.pixels++;
            changed += before != now;
            f->compared[at]++;
            f->changed[at] += before != now;
        }
    }
    step.changed = step.pixels > 0 ? 100.0 * (double)changed / (double)step.pixels : NAN;
    return step;
}

tips_status tips__predict_add_frame(predictor *p, const char *name, tips_image *mask) {
    predict_flicker *f = &p->flicker;
    int motion[2];
    if (!f->last.pixels) TIPS_TRY(begin(f, mask));
    else {
        const int last[2] = {f->last.h, f->last.w}, now[2] = {mask->h, mask->w};
        TIPS_TRY(tips__predict_next_step(p, name, last, now, motion));
        TIPS_TRY(tips__predict_add_step(p, compare(f, mask, motion)));
    }
    tips__image_free(&f->last);
    f->last = *mask;
    *mask = (tips_image){0};
    return TIPS_OK;
}

tips_status tips__predict_end_flicker(predictor *p) {
    tips_predict_result *r = &p->result;
    double sum = 0;
    int count = 0;
    TIPS_TRY(tips__motion_check(&p->flicker.motion, r->n_steps));
    for (int i = 0; i < r->n_steps; i++)
        if (!isnan(r->steps[i].changed)) sum += r->steps[i].changed, count++;
    if (count > 0) r->flicker = sum / count;
    return p->config->out && r->n_steps > 0 ? tips__predict_save_flicker(p, &r->flicker_map) : TIPS_OK;
}

void tips__predict_flicker_clear(predict_flicker *f) {
    tips__motion_clear(&f->motion);
    tips__image_free(&f->last);
    tips__free(f->changed);
    tips__free(f->compared);
}
