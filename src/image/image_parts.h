/* For the readers of one format each. */
#ifndef TIPS_IMAGE_IMAGE_PARTS_H
#define TIPS_IMAGE_IMAGE_PARTS_H

#include "image/colours.h"
#include "image/image_read.h"

/* The readers of image_read's table. */
tips_status tips__image_read_png(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_jpeg(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_pnm(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_bmp(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_gif(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_webp(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
tips_status tips__image_read_tiff(const char *path, const uint8_t *bytes, size_t size, tips_image *out) TIPS_MUST_CHECK;
/* A PNG file as tips__image_read_indices gives it. */
tips_status tips__image_read_png_indices(const char *path, const uint8_t *bytes, size_t size, tips_image *out,
                                         tips_colours *palette) TIPS_MUST_CHECK;

/* Whether the size is one we take. */
tips_status tips__image_check(const char *path, long w, long h) TIPS_MUST_CHECK;
/* Before anything is allocated: whether a file of so many bytes can hold a picture of this size, where each holds so
 * many pixels at most. Small pictures are passed. */
tips_status tips__image_claim(const char *path, long w, long h, size_t bytes, int pixels_a_byte) TIPS_MUST_CHECK;

/* What the bytes of a file that is read by none of them are ("is a HEIC picture"), or NULL. */
const char *tips__image_kind(const uint8_t *bytes, size_t size);

#endif
