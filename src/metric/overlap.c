/* Counting overlaps, and what is made of them. */
#include "metric/overlap.h"

#include <math.h>

void tips__overlap_count(const uint8_t *answer, const uint8_t *truth, size_t pixels, int ignore,
                         tips_overlap *classes, int count) {
    for (size_t i = 0; i < pixels; i++) {
        if (truth[i] == ignore) continue;
        if (answer[i] == truth[i]) {
            classes[truth[i]].both++;
            continue;
        }
        if (truth[i] < count) classes[truth[i]].missed++;
        if (answer[i] < count) classes[answer[i]].answered++;
    }
}

void tips__overlap_add(tips_overlap *sum, const tips_overlap *classes, int count) {
    for (int c = 0; c < count; c++) {
        sum[c].both += classes[c].both;
        sum[c].answered += classes[c].answered;
        sum[c].missed += classes[c].missed;
    }
}

double tips__overlap_iou(const tips_overlap *one) {
    const int64_t all = one->both + one->answered + one->missed;
    return all ? 100 * (double)one->both / (double)all : NAN;
}

double tips__overlap_dice(const tips_overlap *one) {
    const int64_t all = 2 * one->both + one->answered + one->missed;
    return all ? 200 * (double)one->both / (double)all : NAN;
}

static double mean_of(double (*figure)(const tips_overlap *), const tips_overlap *classes, int first, int count) {
    double sum = 0;
    int seen = 0;
    for (int c = first; c < count; c++) {
        const double value = figure(&classes[c]);
        if (isnan(value)) continue;
        sum += value;
        seen++;
    }
    return seen ? sum / seen : NAN;
}

double tips__mean_iou(const tips_overlap *classes, int first, int count) {
    return mean_of(tips__overlap_iou, classes, first, count);
}

double tips__mean_dice(const tips_overlap *classes, int first, int count) {
    return mean_of(tips__overlap_dice, classes, first, count);
}

double tips__pixel_accuracy(const tips_overlap *classes, int count) {
    int64_t right = 0, all = 0;
    for (int c = 0; c < count; c++) right += classes[c].both, all += classes[c].both + classes[c].missed;
    return all ? 100 * (double)right / (double)all : NAN;
}
