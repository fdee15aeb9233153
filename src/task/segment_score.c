/* The figures of segmentation, with intervals over pictures. */
#include "task/segment.h"
#include "task/slope.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

const tips_metric tips__segment_metrics[TIPS_SEGMENT_METRICS + 1] = {
    [TIPS_SEGMENT_MIOU] = {.name = "miou",
                           .kind = TIPS_SHIFT_KINDS,
                           .unit = "%",
                           .better = TIPS_HIGHER,
                           .heading = "mIoU",
                           .column = "mIoU",
                           .title = "mIoU",
                           .label = "mean IoU over classes",
                           .help = "intersection over union of answer and truth, mean over classes, background "
                                   "among them",
                           .where = TIPS_IN_TRAINING | TIPS_IN_VALIDATION},
    [TIPS_SEGMENT_MIOU_FG] = {.name = "miou_fg",
                              .kind = TIPS_SHIFT_KINDS,
                              .unit = "%",
                              .better = TIPS_HIGHER,
                              .title = "IoU, foreground",
                              .label = "mean IoU without class 0",
                              .help = "intersection over union, mean over classes but the first, the background",
                              .where = TIPS_IN_VALIDATION},
    [TIPS_SEGMENT_PIXEL_ACCURACY] = {.name = "pixel_accuracy",
                                     .kind = TIPS_SHIFT_KINDS,
                                     .unit = "%",
                                     .better = TIPS_HIGHER,
                                     .heading = "pixels",
                                     .column = "pixel accuracy",
                                     .title = "pixel accuracy",
                                     .label = "pixels with the right class",
                                     .help = "share of labelled pixels whose class is right",
                                     .where = TIPS_IN_VALIDATION},
    [TIPS_SEGMENT_DICE] = {.name = "dice",
                           .kind = TIPS_SHIFT_KINDS,
                           .unit = "%",
                           .better = TIPS_HIGHER,
                           .label = "mean Dice without class 0",
                           .help = "twice the intersection over the sum of answer and truth, mean over classes but "
                                   "the first"},
    [TIPS_SEGMENT_LOSS] = {.name = "loss",
                           .kind = TIPS_SHIFT_KINDS,
                           .need = TIPS_NEEDS_TRAINING,
                           .unit = "",
                           .better = TIPS_LOWER,
                           .axis = "cross-entropy",
                           .help = "cross-entropy of the validation data's pixels after each epoch",
                           .where = TIPS_IN_VALIDATION},
};

void tips__segment_classes(const float *logits, int classes, size_t pixels, uint8_t *out) {
    memset(out, 0, pixels);
    for (size_t p = 0; p < pixels; p++) {
        float best = logits[p];
        for (int c = 1; c < classes; c++) {
            const float value = logits[(size_t)c * pixels + p];
            if (value > best) best = value, out[p] = (uint8_t)c;
        }
    }
}

static double pixel_loss(const float *logits, int classes, size_t pixels, size_t p, int label) {
    double most = logits[p], sum = 0;
    for (int c = 1; c < classes; c++) most = fmax(most, logits[(size_t)c * pixels + p]);
    for (int c = 0; c < classes; c++) sum += exp(logits[(size_t)c * pixels + p] - most);
    return most + log(sum) - logits[(size_t)label * pixels + p];
}

static tips_segment_score *score_in(const tips_bytes *bytes) { return (tips_segment_score *)(void *)bytes->data; }

/* Room behind the overlaps for the answer, given back at the end. */
tips_status tips__segment_score(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                                tips_bytes *out) {
    const size_t pixels = (size_t)a->size[0] * (size_t)a->size[1];
    const size_t bytes = sizeof(tips_segment_score) + (size_t)a->classes * sizeof(tips_overlap);
    const float *logits = outputs->values[0] + (size_t)i * outputs->floats[0];
    TIPS_TRY(tips__bytes_resize(out, bytes + pixels));
    tips_segment_score *score = score_in(out);
    memset(score, 0, bytes);
    tips__segment_classes(logits, a->classes, pixels, out->data + bytes);
    tips__overlap_count(out->data + bytes, target->data, pixels, TIPS_MASK_IGNORE, score->classes, a->classes);
    for (size_t p = 0; p < pixels; p++) {
        if (target->data[p] == TIPS_MASK_IGNORE) continue;
        score->loss += pixel_loss(logits, a->classes, pixels, p, target->data[p]);
        score->pixels++;
    }
    return tips__bytes_resize(out, bytes);
}

double tips__segment_slope(const tips_assignment *a, const tips_outputs *outputs, int i, const tips_bytes *target,
                           float *const *slopes) {
    const size_t pixels = (size_t)a->size[0] * (size_t)a->size[1];
    const float *logits = outputs->values[0] + (size_t)i * outputs->floats[0];
    double total = 0;
    memset(slopes[0], 0, outputs->floats[0] * sizeof *slopes[0]);
    for (size_t p = 0; p < pixels; p++) {
        const int label = target->data[p];
        if (label == TIPS_MASK_IGNORE) continue;
        tips__cross_entropy_slope(logits + p, pixels, a->classes, label, slopes[0] + p);
        total += pixel_loss(logits, a->classes, pixels, p, label);
    }
    return total;
}

void tips__segment_merge(tips_bytes *sum, const tips_bytes *one) {
    tips_segment_score *to = score_in(sum);
    const tips_segment_score *from = score_in(one);
    to->loss += from->loss;
    to->pixels += from->pixels;
    tips__overlap_add(to->classes, from->classes, (int)((one->count - sizeof *from) / sizeof *from->classes));
}

typedef double class_figure(const tips_overlap *classes, int count);

static double mean_iou(const tips_overlap *classes, int count) { return tips__mean_iou(classes, 0, count); }
static double mean_iou_of_things(const tips_overlap *classes, int count) { return tips__mean_iou(classes, 1, count); }
static double mean_dice_of_things(const tips_overlap *classes, int count) { return tips__mean_dice(classes, 1, count); }

typedef struct pictures {
    const tips_bytes *scores;
    int classes;
    class_figure *figure;
} pictures;

static double figure_of(const void *context, const int *drawn, int images) {
    const pictures *p = context;
    tips_overlap sum[TIPS_SEGMENT_MOST_CLASSES] = {0};
    for (int i = 0; i < images; i++) tips__overlap_add(sum, score_in(&p->scores[drawn[i]])->classes, p->classes);
    return p->figure(sum, p->classes);
}

tips_status tips__segment_figures(const tips_assignment *a, const tips_bytes *scores, int n, tips_figure *out) {
    static class_figure *const figures[] = {[TIPS_SEGMENT_MIOU] = mean_iou,
                                            [TIPS_SEGMENT_MIOU_FG] = mean_iou_of_things,
                                            [TIPS_SEGMENT_PIXEL_ACCURACY] = tips__pixel_accuracy,
                                            [TIPS_SEGMENT_DICE] = mean_dice_of_things};
    double loss = 0, pixels = 0;
    for (size_t m = 0; m < sizeof figures / sizeof *figures; m++)
        TIPS_TRY(tips__jackknife(figure_of, &(pictures){scores, a->classes, figures[m]}, TIPS_SCALE_SHARE, n, &out[m]));
    for (int i = 0; i < n; i++) loss += score_in(&scores[i])->loss, pixels += (double)score_in(&scores[i])->pixels;
    out[TIPS_SEGMENT_LOSS] = pixels > 0 ? tips__figure_plain(loss / pixels) : tips__figure_none();
    return TIPS_OK;
}

typedef struct one_class {
    const tips_bytes *scores;
    int number;
} one_class;

static double iou_of(const void *context, const int *drawn, int images) {
    const one_class *c = context;
    tips_overlap sum = {0};
    for (int i = 0; i < images; i++) tips__overlap_add(&sum, &score_in(&c->scores[drawn[i]])->classes[c->number], 1);
    return tips__overlap_iou(&sum);
}

tips_status tips__segment_class_figure(const tips_assignment *a, const tips_bytes *scores, int n, int class_index,
                                       tips_figure *out) {
    (void)a;
    return tips__jackknife(iou_of, &(one_class){scores, class_index}, TIPS_SCALE_SHARE, n, out);
}
