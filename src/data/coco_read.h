/* What a file of COCO's "instances" form says, read in one pass: pictures, annotations and categories, as they stand
 * there. Segmentations are passed over; memory grows with the number of boxes, not with the length of the file. */
#ifndef TIPS_DATA_COCO_READ_H
#define TIPS_DATA_COCO_READ_H

#include "data/dataset_format.h"

typedef struct tips_coco_picture {
    int64_t id;
    uint64_t name; /* in the texts of the source */
    int size[2];   /* height and width; 0 if it does not say */
} tips_coco_picture;

typedef struct tips_coco_box {
    int64_t id; /* -1 if it has none */
    int64_t picture, category;
    double bbox[4]; /* left, top, width, height */
    double area;    /* 0 if it does not say */
    bool crowd;
    bool left_out; /* for who goes through them */
} tips_coco_box;

typedef struct tips_coco_category {
    int64_t id;
    uint64_t name; /* in the texts of the source */
} tips_coco_category;

typedef struct tips_coco {
    tips_coco_picture *pictures; /* (n_pictures) */
    tips_coco_box *boxes;        /* (n_boxes) */
    tips_coco_category *categories;
    size_t n_pictures, n_boxes, n_categories;
    size_t room[3];
} tips_coco;

/* An entry that lacks something or holds nonsense is an error that names file and entry, or is counted at the source.
 * Cleared by the caller, after a failure too. */
tips_status tips__coco_read(tips_source *source, const char *path, tips_coco *out) TIPS_MUST_CHECK;
void tips__coco_clear(tips_coco *coco);

#endif
