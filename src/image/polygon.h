/* Filling polygons. */
#ifndef TIPS_IMAGE_POLYGON_H
#define TIPS_IMAGE_POLYGON_H

#include "image/image_read.h"

/* Sets the pixels of a picture of one channel that a polygon covers, in the manner of Pillow: place (y, x) is the
 * middle of pixel (y, x), the outline belongs to it, and what two parts of the polygon cover is outside. `points` (n,
 * 2) are x and y, of any size; what is beyond the picture is cut off. Fewer than three points fill nothing. */
tips_status tips__polygon_fill(const double *points, int n, uint8_t value, tips_image *image) TIPS_MUST_CHECK;

#endif
