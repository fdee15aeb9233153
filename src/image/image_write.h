/* Images into files. */
#ifndef TIPS_IMAGE_IMAGE_WRITE_H
#define TIPS_IMAGE_IMAGE_WRITE_H

#include "image/colours.h"

/* As PNG; a file that is there is replaced only by a whole one. */
tips_status tips__image_write_png(const char *path, const tips_image *image) TIPS_MUST_CHECK;
/* One channel of numbers as PNG with 8 bits a pixel and all colours of the palette, which has 256. */
tips_status tips__image_write_palette_png(const char *path, const tips_image *numbers,
                                          const tips_colours *palette) TIPS_MUST_CHECK;
/* The first in memory, freed by tips__free. TIPS_UNSUPPORTED without libpng. */
tips_status tips__image_encode_png(const tips_image *image, uint8_t **out, size_t *size) TIPS_MUST_CHECK;

#endif
