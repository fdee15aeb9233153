/* Bilinear resizing: antialiased, bit for bit as Pillow does it, or plain, as PyTorch's interpolate does it. */
#ifndef TIPS_IMAGE_RESIZE_H
#define TIPS_IMAGE_RESIZE_H

#include "image/image_read.h"

/* `out` is freed by tips__image_free. */
tips_status tips__resize(const tips_image *src, int height, int width, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__resize_plain(const tips_image *src, int height, int width, tips_image *out) TIPS_MUST_CHECK;

#endif
