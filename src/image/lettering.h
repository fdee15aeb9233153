/* Small capitals, digits and a few signs, for labels on pictures. */
#ifndef TIPS_IMAGE_LETTERING_H
#define TIPS_IMAGE_LETTERING_H

#include "image/image_read.h"

/* Height of a line with its ground, and width of a text on it, in pixels; `scale` is the size of a dot. */
int tips__lettering_height(int scale);
int tips__lettering_width(const char *text, int scale);

/* Writes on a ground of `rgb`, in black or white, whichever is easier to read; what lies beyond the picture, which is
 * in colour, is left out. A character without a shape is a block. */
void tips__lettering(tips_image *picture, const char *text, int top, int left, int scale, const uint8_t rgb[3]);

#endif
