/* Images into files. */
#ifndef TIPS_DATA_IMAGE_WRITE_H
#define TIPS_DATA_IMAGE_WRITE_H

#include "data/image_read.h"

/* As PNG; a file that is there is replaced only by a whole one. */
tips_status tips__image_write_png(const char *path, const tips_image *image) TIPS_MUST_CHECK;

#endif
