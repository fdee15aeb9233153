/* What lies around a picture on a canvas of bytes.
 *
 * It is black, or zero once normalised. No byte is that: so the colour nearest to the mean stands for it, and a pixel
 * of a picture that has this very colour gives way by one level in its first channel. Being a colour, it goes along
 * when the canvas is turned, cropped and shifted. */
#ifndef TIPS_IMAGE_SURROUND_H
#define TIPS_IMAGE_SURROUND_H

#include "image/preprocess.h"

typedef struct tips_surround {
    bool is_zero; /* once normalised */
    uint8_t colour[3];
} tips_surround;

tips_surround tips__surround_of(const tips_preprocess *p);
/* Lets `count` pixels of a picture give way. */
void tips__surround_avoid(const tips_preprocess *p, const tips_surround *around, uint8_t *pixels, int count);
bool tips__surround_is(const tips_preprocess *p, const tips_surround *around, const uint8_t *pixel);

#endif
