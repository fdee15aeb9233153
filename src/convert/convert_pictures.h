/* The pictures of a dataset or of a plain folder, without anything that may be known of them. */
#ifndef TIPS_CONVERT_CONVERT_PICTURES_H
#define TIPS_CONVERT_CONVERT_PICTURES_H

#include "data/dataset.h"
#include "data/names.h"

typedef struct tips_convert_pictures {
    tips_dataset *set; /* NULL: files of a folder */
    tips_split split;
    const char *folder;
    tips_names files;
    int count;
} tips_convert_pictures;

/* Of a set that is divided the test pictures, or else the validation pictures. */
tips_status tips__convert_pictures_open(const char *data, tips_convert_pictures *out) TIPS_MUST_CHECK;
void tips__convert_pictures_close(tips_convert_pictures *pictures);
tips_status tips__convert_pictures_read(tips_convert_pictures *pictures, int i, tips_image *out) TIPS_MUST_CHECK;

#endif
