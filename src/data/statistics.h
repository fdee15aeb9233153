/* What the pictures of a dataset are like: mean and deviation of each channel, and their sizes. */
#ifndef TIPS_DATA_STATISTICS_H
#define TIPS_DATA_STATISTICS_H

#include "data/dataset.h"
#include "image/colours.h"

typedef struct tips_statistics {
    int read;                     /* pictures looked at */
    double mean[3], deviation[3]; /* over all their pixels, of values in 0..1; grey ones count in every channel */
    int min_size[2], max_size[2]; /* height, width: the least and the largest of each */
    double mean_size[2];
    /* With masks: pixels of each value, and pictures in which it occurs. */
    uint64_t mask_pixels[TIPS_COLOURS];
    int mask_pictures[TIPS_COLOURS];
} tips_statistics;

/* Over `limit` pictures of a split, drawn by seed; 0 takes all. `marks`, TIPS_ANNOTATES_MASK or _BOXES: theirs are
 * read too, and masks counted. Sums are of whole
 * numbers: the result does not depend on the threads. Bad pictures are left out where the dataset skips them. */
tips_status tips__dataset_statistics(tips_dataset *set, tips_split split, unsigned marks, int limit, uint64_t seed,
                                     tips_statistics *out) TIPS_MUST_CHECK;

#endif
