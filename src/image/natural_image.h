/* Random images with the statistics that matter here: a spectrum that falls off, colours that go together, edges. */
#ifndef TIPS_IMAGE_NATURAL_IMAGE_H
#define TIPS_IMAGE_NATURAL_IMAGE_H

#include <stdint.h>

/* Writes c planes of h x w values in 0..1: a pure function of seed and size, never constant. */
void tips__natural_image(uint64_t seed, int c, int h, int w, float *chw);

#endif
