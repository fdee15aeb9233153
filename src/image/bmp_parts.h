/* A BMP file while it is read. */
#ifndef TIPS_IMAGE_BMP_PARTS_H
#define TIPS_IMAGE_BMP_PARTS_H

#include "image/image_parts.h"

typedef struct bmp {
    const char *path;
    const uint8_t *bytes;
    size_t size, pixels_at, header; /* header: bytes of the second one */
    long width, height;
    bool top_down;
    int bits;
    uint32_t compression, mask[3];
    tips_colours colours;
} bmp;

/* Run-length encoded pixels of 4 or 8 bits. */
tips_status tips__bmp_read_runs(const bmp *b, tips_image *image) TIPS_MUST_CHECK;

#endif
