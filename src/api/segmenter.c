/* The public segmenter: a class for each pixel. */
#include <tips/segmenter.h>

#include "api/asked_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "task/segment.h"

struct tips_segmenter {
    asked_model base;
    tips_colours colours;
};

tips_status tips_segmenter_load(const char *path, const tips_segmenter_options *options, tips_segmenter **out) {
    const asked_options o =
        options ? (asked_options){options->height, options->width, options->kept, NULL, NULL} : (asked_options){0};
    tips_segmenter *segmenter;
    if (!path || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", path ? "out" : "path");
    TIPS_TRY(tips__new_zero(&segmenter, sizeof *segmenter, "a segmenter"));
    const tips_status status = tips__asked_open(path, &o, tips__task_expect_masks, "a segmenter", &segmenter->base);
    if (status != TIPS_OK) {
        tips_segmenter_destroy(segmenter);
        return status;
    }
    segmenter->colours = tips__model_colours(&segmenter->base.model.info);
    *out = segmenter;
    return TIPS_OK;
}

void tips_segmenter_destroy(tips_segmenter *segmenter) {
    if (!segmenter) return;
    tips__asked_close(&segmenter->base);
    tips__free(segmenter);
}

const char *tips_segmenter_arch(const tips_segmenter *s) { return s ? s->base.model.info.arch->name : ""; }
const char *tips_segmenter_pool(const tips_segmenter *s) { return s ? s->base.pool : ""; }
int tips_segmenter_channels(const tips_segmenter *s) { return s ? s->base.model.info.config.in_channels : 0; }
int tips_segmenter_height(const tips_segmenter *s) { return s ? s->base.model.info.config.size[0] : 0; }
int tips_segmenter_width(const tips_segmenter *s) { return s ? s->base.model.info.config.size[1] : 0; }
int tips_segmenter_classes(const tips_segmenter *s) { return s ? s->base.model.info.config.classes : 0; }
const char *tips_segmenter_name(const tips_segmenter *s, int i) { return s ? tips__asked_name(&s->base, i) : NULL; }

const uint8_t *tips_segmenter_colour(const tips_segmenter *s, int i) {
    return s && i >= 0 && i < TIPS_COLOURS ? s->colours.rgb[i] : NULL;
}

tips_status tips_segmenter_run(const tips_segmenter *s, const float *images, int n, float *logits) {
    TIPS_NEED(s, "segmenter");
    if (!images || !logits) TIPS_FAIL(TIPS_INVALID, "%s is NULL", images ? "logits" : "images");
    return tips__asked_run(&s->base, images, n, logits);
}

tips_status tips_segmenter_prepare(const tips_segmenter *s, const tips_picture *picture, float *image) {
    TIPS_NEED(s, "segmenter");
    return tips__asked_prepare(&s->base, picture, image);
}

static tips_status answer(const asked_model *m, const tips_picture *picture, uint8_t *out) {
    tips_bytes mask = {0};
    float *image;
    TIPS_TRY(tips__new(&image, m->elements * sizeof *image, "an image"));
    tips_status status = tips__asked_image(m, picture, image);
    if (status == TIPS_OK) status = tips__asked_answer(m, image, &mask);
    if (status == TIPS_OK) {
        const int size[2] = {picture->height, picture->width};
        const tips_move move = tips__preprocess_move(&m->model.preprocess, size);
        tips__move_mask_back(&move, mask.data, &(tips_image){size[0], size[1], 1, out});
    }
    tips__bytes_clear(&mask);
    tips__free(image);
    return status;
}

tips_status tips_segmenter_answer(const tips_segmenter *s, const tips_picture *picture, uint8_t *mask) {
    TIPS_NEED(s, "segmenter");
    TIPS_NEED(mask, "mask");
    const tips_allocator *before = tips_use_allocator(s->base.allocator);
    const tips_status status = answer(&s->base, picture, mask);
    tips_use_allocator(before);
    return status;
}

typedef struct truths {
    const tips_picture *pictures;
    const uint8_t *const *masks;
} truths;

static void mask_of(const void *context, int i, tips_annotation *out) {
    const truths *t = context;
    out->mask = (tips_image){t->pictures[i].height, t->pictures[i].width, 1, (uint8_t *)t->masks[i]};
}

tips_status tips_segmenter_consistency(const tips_segmenter *s, const tips_picture *pictures,
                                       const uint8_t *const *masks, int count, const tips_consistency_options *options,
                                       tips_mask_consistency *out) {
    const truths t = {pictures, masks};
    asked_figures f;
    TIPS_NEED(s, "segmenter");
    if (!pictures || !out) TIPS_FAIL(TIPS_INVALID, "%s is NULL", pictures ? "out" : "pictures");
    for (int i = 0; masks && i < count; i++)
        if (!masks[i]) TIPS_FAIL(TIPS_INVALID, "the mask of picture %d is NULL", i);
    const asked_survey survey = {pictures, count, masks ? mask_of : NULL, &t};
    TIPS_TRY(tips__asked_survey(&s->base, &survey, options, &f));
    *out = (tips_mask_consistency){.pictures = count,
                                   .miou = f.own[TIPS_SEGMENT_MIOU],
                                   .miou_foreground = f.own[TIPS_SEGMENT_MIOU_FG],
                                   .pixel_accuracy = f.own[TIPS_SEGMENT_PIXEL_ACCURACY],
                                   .standard = f.consistency[TIPS_STANDARD],
                                   .standard_fidelity = f.fidelity[TIPS_STANDARD],
                                   .circular = f.consistency[TIPS_CIRCULAR],
                                   .circular_fidelity = f.fidelity[TIPS_CIRCULAR]};
    return TIPS_OK;
}
