/* What the boxes of a dataset are like. */
#ifndef TIPS_DATA_BOX_STATISTICS_H
#define TIPS_DATA_BOX_STATISTICS_H

#include "data/dataset.h"

/* Sizes as COCO tells them apart: areas of up to 32x32 pixels, up to 96x96, and above. */
typedef enum tips_box_size { TIPS_BOX_SMALL, TIPS_BOX_MEDIUM, TIPS_BOX_LARGE, TIPS_BOX_SIZES } tips_box_size;
extern const char *const tips__box_size_names[]; /* "small", "medium", "large", NULL */

typedef struct tips_box_counts {
    int64_t boxes, crowds, ignored;
    int64_t sizes[TIPS_BOX_SIZES]; /* of all of them */
    int pictures;                  /* in which there are some */
} tips_box_counts;

typedef struct tips_box_statistics {
    int pictures, most; /* pictures looked at; most boxes in one */
    int64_t beyond;     /* boxes that reach over the border of their picture */
    tips_box_counts all;
    tips_box_counts *classes; /* (classes of the set) */
} tips_box_statistics;

/* Over all pictures of a split. Bad ones are left out where the dataset skips them. Cleared by the caller. */
tips_status tips__box_statistics(tips_dataset *set, tips_split split, tips_box_statistics *out) TIPS_MUST_CHECK;
void tips__box_statistics_clear(tips_box_statistics *s);

#endif
