/* Where a COCO set keeps its files. */
#ifndef TIPS_DATA_COCO_PARTS_H
#define TIPS_DATA_COCO_PARTS_H

#include "data/coco_read.h"

enum { TIPS_COCO_FILES = 16, TIPS_COCO_NAME = 256, TIPS_COCO_PLACE = TIPS_COCO_NAME + 16 };

/* A file of annotations. */
typedef struct tips_coco_part {
    char file[TIPS_COCO_NAME];   /* relative to the base */
    char folder[TIPS_COCO_NAME]; /* that it lies in; "" is the base */
    char name[TIPS_COCO_NAME];   /* of its pictures: "val2017" */
    int split;                   /* tips_split, or -1 where the name does not say */
} tips_coco_part;

typedef struct tips_coco_parts {
    char base[TIPS_PATH_SIZE];
    tips_coco_part rows[TIPS_COCO_FILES];
    int count;
} tips_coco_parts;

/* Whether there are files of COCO's form in a folder, or a path is such a file. */
bool tips__coco_find(const char *path, tips_coco_parts *out);
/* Leaves one file a split, those of `year` if it is not 0. A file alone is training data, whatever it is called. */
tips_status tips__coco_choose(const char *path, int year, tips_coco_parts *parts) TIPS_MUST_CHECK;
/* The folder of its pictures, relative to the base: the first of the usual ones that has one of some of them, and "."
 * where none has. */
void tips__coco_find_place(const char *base, const tips_source *source, const tips_coco_part *part, const tips_coco *c,
                           char out[TIPS_COCO_PLACE]);

#endif
