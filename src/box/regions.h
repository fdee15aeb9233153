/* Regions: boxes that a detector looks at again, in whole numbers. They count in parts of a pixel, rounded where they
 * lie against the cell that they come from: moved by whole pixels, a region has the same numbers, moved. */
#ifndef TIPS_BOX_REGIONS_H
#define TIPS_BOX_REGIONS_H

#include <stdint.h>

#include "box/anchors.h"

enum { TIPS_PIXEL_PARTS = 65536 };

typedef struct tips_region {
    int32_t x1, y1, x2, y2; /* in parts of a pixel */
} tips_region;

tips_corners tips__region_corners(const tips_region *r);

/* A region as floats that hold it exactly, whole pixels and parts apart, and back; NULL and false: there is none. */
enum {
    TIPS_REGION_X,
    TIPS_REGION_Y,
    TIPS_REGION_X_PART,
    TIPS_REGION_Y_PART,
    TIPS_REGION_W,
    TIPS_REGION_H,
    TIPS_REGION_W_PART,
    TIPS_REGION_H_PART,
    TIPS_REGION_THERE,
    TIPS_REGION_NUMBERS
};
void tips__region_write(const tips_region *r, float numbers[TIPS_REGION_NUMBERS]);
bool tips__region_read(const float numbers[TIPS_REGION_NUMBERS], tips_region *out);

/* The box that a code makes of an anchor: `shape`, placed at the pixel `at` (down, right). On the plane it is cut off
 * at the picture, on a torus limited to once around, with its centre within. false if a side is below `least` pixels,
 * or nothing that can be counted. */
bool tips__region_decode(const tips_anchors *a, const int at[2], const tips_corners *shape, const double code[4],
                         double least, tips_region *out);

/* Where a region is looked at: `count` samples along one axis of a map whose cells are `stride` pixels, the first of
 * them at pixel `origin`. A sample lies between cell `low` and the next, `share` of the way. */
typedef struct tips_sample_at {
    int low;
    double share;
} tips_sample_at;
void tips__region_samples(int32_t from, int32_t to, int stride, int origin, int count, tips_sample_at *out);

/* Which level of a pyramid: the first up to twice `unit` pixels (the root of the area), the next up to four times. */
int tips__region_level(const tips_region *r, double unit, int levels);

/* Matches regions with truths: each with the one that it overlaps most, by `high` at least. Then draws (match_rule). */
void tips__regions_match(const tips_region *regions, int count, const tips_truth *truths, int n, tips_torus torus,
                         const tips_match_rule *rule, tips_rng rng, int32_t *out);

/* The best of many, without memory of its own. */
typedef struct tips_ranked {
    double score;
    int64_t order; /* the lower comes first where scores are equal */
    int place;
} tips_ranked;
typedef struct tips_ranking {
    tips_ranked *items; /* (most), a heap with the worst on top until it is sorted */
    int count, most;
} tips_ranking;
void tips__ranking_add(tips_ranking *r, tips_ranked item);
void tips__ranking_sort(tips_ranking *r); /* the best first; nothing is added any more */

#endif
