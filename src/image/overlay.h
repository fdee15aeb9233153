/* Masks over pictures. */
#ifndef TIPS_IMAGE_OVERLAY_H
#define TIPS_IMAGE_OVERLAY_H

#include "image/colours.h"

/* Blends the colours of a mask (h, w) half and half into a picture in colour of that size. Values below `first` (1
 * where 0 is background) and TIPS_MASK_IGNORE leave it as it is. */
void tips__overlay(const tips_colours *colours, const uint8_t *mask, int first, tips_image *picture);
/* Gives a grey picture three channels; one in colour stays as it is. */
tips_status tips__image_in_colour(tips_image *picture) TIPS_MUST_CHECK;

#endif
