/* The curve is walked from its end, where the largest precision so far is the one that counts: two passes over the
 * marks, and no memory. */
#include "metric/average_precision.h"

enum { COCO_RECALLS = 101, VOC07_RECALLS = 11 };

static const double spacing = 2.220446049250313e-16; /* 2^-52 */

static double coco_recall(int i) { return i == COCO_RECALLS - 1 ? 1 : i * (1.0 / (COCO_RECALLS - 1)); }
static double voc07_recall(int i) { return (double)i / (VOC07_RECALLS - 1); }

static const unsigned coco_rules = (1u << TIPS_COCO_THRESHOLDS) - 1, voc_rule = 1u << TIPS_RULE_VOC;

/* What came so far. Most detections are near nothing: they are misses by all of COCO's rules, and are counted once. */
typedef struct counts {
    int64_t hits[TIPS_RULES], misses[TIPS_RULES];
    int64_t all; /* misses by COCO's rules besides */
} counts;

static void count_bits(unsigned bits, int64_t times, int64_t *rules) {
    for (int r = 0; bits; r++, bits >>= 1)
        if (bits & 1) rules[r] += times;
}

/* `times` below 0 takes away. */
static void count(const tips_mark *mark, int64_t times, counts *c) {
    if (!mark->hit && (mark->miss & coco_rules) == coco_rules) {
        c->all += times;
        if (mark->miss & voc_rule) c->misses[TIPS_RULE_VOC] += times;
        return;
    }
    count_bits(mark->hit, times, c->hits);
    count_bits(mark->miss, times, c->misses);
}

static double precision_of(const counts *c, int rule) {
    const double hits = (double)c->hits[rule];
    if (rule == TIPS_RULE_VOC) return hits / (hits + (double)c->misses[rule]);
    return hits / (hits + (double)(c->misses[rule] + c->all) + spacing);
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

static int64_t times_of(const int32_t *times, const tips_mark *mark) { return times ? times[mark->picture] : 1; }

tips_curve tips__precision_curve(const tips_mark *marks, int n, const int32_t *times, int64_t objects) {
    walk walks[TIPS_RULES], voc07 = {.recall = VOC07_RECALLS - 1};
    counts c = {{0}, {0}, 0};
    tips_curve curve;
    for (int i = 0; i < n; i++) count(&marks[i], times_of(times, &marks[i]), &c);
    for (int r = 0; r < TIPS_RULES; r++) walks[r] = (walk){.recall = COCO_RECALLS - 1};
    for (int t = 0; t < TIPS_COCO_THRESHOLDS; t++) curve.recall[t] = (double)c.hits[t] / (double)objects;
    for (int i = n - 1; i >= 0; i--) {
        const int64_t often = times_of(times, &marks[i]);
        if (often == 0) continue;
        for (int r = 0; marks[i].hit >> r; r++) {
            if (!(marks[i].hit >> r & 1)) continue;
            const double precision = precision_of(&c, r);
            step(&walks[r], precision, c.hits[r], often, objects, coco_recall);
            if (r == TIPS_RULE_VOC) step(&voc07, precision, c.hits[r], often, objects, voc07_recall);
        }
        count(&marks[i], -often, &c);
    }
    for (int t = 0; t < TIPS_COCO_THRESHOLDS; t++) curve.precision[t] = walks[t].sum / COCO_RECALLS;
    curve.voc = walks[TIPS_RULE_VOC].area / (double)objects;
    curve.voc07 = voc07.sum / VOC07_RECALLS;
    return curve;
}
