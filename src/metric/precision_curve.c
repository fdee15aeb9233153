/* The curve is walked from its end, where the largest precision so far is the one that counts: two passes over the
 * marks, and no memory. */
#include "metric/average_precision.h"

#include <string.h>

enum { LANES = 16, COCO_RECALLS = 101, VOC07_RECALLS = 11 };

static const double spacing = 2.220446049250313e-16; /* 2^-52 */

static double coco_recall(int i) { return i == COCO_RECALLS - 1 ? 1 : i * (1.0 / (COCO_RECALLS - 1)); }
static double voc07_recall(int i) { return (double)i / (VOC07_RECALLS - 1); }

/* Adds `times`, or takes it away if that is below 0, in the lanes of the bits. */
static void count(uint16_t bits, int32_t times, int32_t lanes[LANES]) {
    for (int r = 0; r < LANES; r++) lanes[r] += (bits >> r & 1) * times;
}

/* One rule's way along the curve. */
typedef struct walk {
    double best; /* the largest precision so far */
    int recall;  /* the largest of the recalls that the way has not passed */
    double sum;  /* of the precision over those that it has */
    double area; /* below the precision, in hits */
} walk;

/* From `hits` down to `hits - times`. */
static void step(walk *w, double precision, int64_t hits, int64_t times, int64_t objects, double (*recall)(int)) {
    const double to = (double)hits / (double)objects;
    const double from = hits == times ? -1 : (double)(hits - times) / (double)objects;
    if (precision > w->best) w->best = precision;
    for (; w->recall >= 0 && recall(w->recall) > from; w->recall--)
        if (recall(w->recall) <= to) w->sum += w->best;
    w->area += w->best * (double)times;
}

tips_curve tips__precision_curve(const tips_mark *marks, int n, int64_t objects) {
    int32_t hits[LANES] = {0}, misses[LANES] = {0};
    walk walks[TIPS_RULES], voc07 = {.recall = VOC07_RECALLS - 1};
    tips_curve curve;
    for (int i = 0; i < n; i++) count(marks[i].hit, marks[i].times, hits), count(marks[i].miss, marks[i].times, misses);
    for (int r = 0; r < TIPS_RULES; r++) walks[r] = (walk){.recall = COCO_RECALLS - 1};
    for (int t = 0; t < TIPS_COCO_THRESHOLDS; t++) curve.recall[t] = (double)hits[t] / (double)objects;
    for (int i = n - 1; i >= 0; i--) {
        const int32_t times = marks[i].times;
        for (int r = 0; marks[i].hit && r < TIPS_RULES; r++) {
            if (!(marks[i].hit >> r & 1)) continue;
            const double of = (double)hits[r] + (double)misses[r];
            const double precision = (double)hits[r] / (r == TIPS_RULE_VOC ? of : of + spacing);
            step(&walks[r], precision, hits[r], times, objects, coco_recall);
            if (r == TIPS_RULE_VOC) step(&voc07, precision, hits[r], times, objects, voc07_recall);
        }
        count(marks[i].hit, -times, hits);
        count(marks[i].miss, -times, misses);
    }
    for (int t = 0; t < TIPS_COCO_THRESHOLDS; t++) curve.precision[t] = walks[t].sum / COCO_RECALLS;
    curve.voc = walks[TIPS_RULE_VOC].area / (double)objects;
    curve.voc07 = voc07.sum / VOC07_RECALLS;
    return curve;
}
