/* Images from files: PNG, JPEG, WebP and TIFF where the build has their libraries, BMP, GIF, binary PGM and PPM always.
 */
#ifndef TIPS_IMAGE_IMAGE_READ_H
#define TIPS_IMAGE_IMAGE_READ_H

#include <stddef.h>
#include <stdint.h>
#include <tips/status.h>

typedef struct tips_image {
    int h, w, c;     /* c is 1 or 3 */
    uint8_t *pixels; /* (h, w, c) */
} tips_image;

enum { TIPS_IMAGE_MAX_SIDE = 32768 };

typedef struct tips_colours tips_colours; /* image/colours.h */

/* The format is told by the first bytes, not by the name. */
tips_status tips__image_read(const char *path, tips_image *out) TIPS_MUST_CHECK;
/* A picture whose pixels are numbers: of a PNG file with a palette the numbers, and the palette; of a grey one the
 * values as they are stored, in however few bits. Files of other kinds are read as above. `palette` has no colours
 * where there is none. */
tips_status tips__image_read_indices(const char *path, tips_image *out, tips_colours *palette) TIPS_MUST_CHECK;
/* Height and width alone: of PNG and JPEG files without decoding them. */
tips_status tips__image_size(const char *path, int size[2]) TIPS_MUST_CHECK;
/* Allocates `pixels`, or says that the size is not one we take. */
tips_status tips__image_allocate(const char *path, long w, long h, int c, tips_image *out) TIPS_MUST_CHECK;
void tips__image_free(tips_image *image);

#endif
