/* For the readers of one format each. */
#ifndef TIPS_IMAGE_IMAGE_PARTS_H
#define TIPS_IMAGE_IMAGE_PARTS_H

#include "image/image_read.h"

#include <stdbool.h>

enum { TIPS_COLOURS = 256 };

/* Colours by number: those of BMP and GIF. */
typedef struct tips_colours {
    uint8_t rgb[TIPS_COLOURS][3];
    int count;
} tips_colours;

/* 1 if all of them are grey, else 3. */
int tips__colours_channels(const tips_colours *colours);
/* Sets the pixel at (y, x) to colour `number`; false if there is no such colour. */
bool tips__colours_put(const tips_colours *colours, int number, int y, int x, tips_image *image);

/* The readers of image_read's table. */
tips_status tips__image_read_png(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_jpeg(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_pnm(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_bmp(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_gif(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_webp(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_tiff(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;

/* What the bytes of a file that is read by none of them are ("is a HEIC picture"), or NULL. */
const char *tips__image_kind(const uint8_t *bytes, size_t size);

#endif
