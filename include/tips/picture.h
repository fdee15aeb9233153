/* Pictures in memory, for models that answer them. */
#ifndef TIPS_PICTURE_H
#define TIPS_PICTURE_H

#include <stddef.h>
#include <stdint.h>

/* A picture of 8-bit pixels, row by row: grey, or red, green and blue in turn. */
typedef struct tips_picture {
    const uint8_t *pixels;
    int height, width;
    int channels;        /* 1 or 3 */
    ptrdiff_t row_bytes; /* from one row to the next, negative for rows from below; 0: width * channels */
} tips_picture;

#endif
