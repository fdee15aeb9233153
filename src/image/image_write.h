/* Images into files. */
#ifndef TIPS_IMAGE_IMAGE_WRITE_H
#define TIPS_IMAGE_IMAGE_WRITE_H

#include "image/image_read.h"

/* As PNG; a file that is there is replaced only by a whole one. */
tips_status tips__image_write_png(const char *path, const tips_image *image) TIPS_MUST_CHECK;
/* The same in memory, freed by tips__free. TIPS_UNSUPPORTED without libpng. */
tips_status tips__image_encode_png(const tips_image *image, uint8_t **out, size_t *size) TIPS_MUST_CHECK;

#endif
