/* The bytes of a GIF file, and the packed pixels in them. */
#ifndef TIPS_IMAGE_GIF_PARTS_H
#define TIPS_IMAGE_GIF_PARTS_H

#include "image/image_parts.h"

typedef struct gif_bytes {
    const char *path;
    const uint8_t *at;
    size_t left;
} gif_bytes;

/* The next `count` bytes, or NULL if there are not as many. */
const uint8_t *tips__gif_take(gif_bytes *in, size_t count);
/* The numbers of `count` pixels, which begin with the width of the first code. */
tips_status tips__gif_unpack(gif_bytes *in, uint8_t *out, size_t count) TIPS_MUST_CHECK;

#endif
