/* Masks in files that do not keep numbers, JPEG above all: black and white survives, numbers of classes do not. */
#ifndef TIPS_DATA_MASK_LOSSY_H
#define TIPS_DATA_MASK_LOSSY_H

#include "data/dataset_format.h"

/* Whether a file is a JPEG or a lossy WebP, by its first bytes; false if it cannot be read. */
bool tips__mask_is_lossy(const char *path);
/* An error that says why, and the remedy. */
tips_status tips__mask_refuse_lossy(const char *path) TIPS_MUST_CHECK;

/* What such masks look like: all zero at the start. */
typedef struct tips_mask_shades {
    int64_t pixels, ends; /* all, and those that are all but black or white */
    int brightest;
} tips_mask_shades;
/* Brightness of pixel `i` as Pillow computes it. */
int tips__mask_brightness(const tips_image *image, ptrdiff_t i);
void tips__mask_note_shades(const tips_image *image, tips_mask_shades *shades);
/* Black and white, with soft edges; or all black. */
bool tips__mask_is_black_and_white(const tips_mask_shades *shades);

#endif
