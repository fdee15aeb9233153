/* Pictures as numbers: planes (c, h, w) of red, green and blue, or of grey, in 0..1. Whoever changes pictures before
 * the network sees them works on these. */
#ifndef TIPS_IMAGE_PLANES_H
#define TIPS_IMAGE_PLANES_H

#include "image/preprocess.h"

void tips__canvas_to_planes(const tips_preprocess *p, const uint8_t *canvas, float *planes);
/* As tips__canvas_to_input, with the same bits for the same picture. */
void tips__planes_to_input(const tips_preprocess *p, const float *planes, int dy, int dx, bool circular, float *out);
/* The plane that channel k of the input is made of. */
static inline int tips__plane_of(const tips_preprocess *p, int k) { return p->bgr ? p->channels - 1 - k : k; }

#endif
