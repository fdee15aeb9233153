/* What JPEG makes of a picture. */
#ifndef TIPS_IMAGE_JPEG_BYTES_H
#define TIPS_IMAGE_JPEG_BYTES_H

#include "image/image_read.h"

/* Encoded with a quality of 1..100, colours at half the resolution, and decoded again, all in memory. `out` is freed by
 * tips__image_free. TIPS_UNSUPPORTED without libjpeg. */
tips_status tips__image_through_jpeg(const tips_image *image, int quality, tips_image *out) TIPS_MUST_CHECK;

#endif
