/* The labels of Cityscapes. */
#ifndef TIPS_DATA_CITYSCAPES_H
#define TIPS_DATA_CITYSCAPES_H

#include "data/mask_files.h"

enum { TIPS_CITYSCAPES_CLASSES = 19 };

/* The value in the mask of a label by its name in the files of polygons: a class, TIPS_MASK_IGNORE, or
 * TIPS_MASK_NO_LABEL if there is no such label. */
int tips__cityscapes_value(const char *label);

/* The mask of a picture of this size from a file of polygons: drawn in their order at the size that the file gives, and
 * of that each pixel nearest to the middle of one of the picture's. Failures name the file. */
tips_status tips__cityscapes_polygons(const char *path, const int size[2], tips_image *out) TIPS_MUST_CHECK;

#endif
