/* From a decoded picture to a network's input. */
#ifndef TIPS_IMAGE_PREPROCESS_H
#define TIPS_IMAGE_PREPROCESS_H

#include <stdbool.h>

#include "image/image_read.h"
#include "image/move.h"
#include "image/placement.h"

/* From a decoded picture to the network's input: resize (antialiased, Pillow's bilinear) so that it fits, crop the
 * centre, pad with black to height x width, [augment], normalise. */
typedef struct tips_preprocess {
    int height, width, channels; /* the network's input */
    int resize;               /* shorter side before the crop; 0: straight to the input's size, aspect kept by a crop */
    bool fit_inside;          /* smaller pictures are centred on black instead of enlarged (28 on 32) */
    tips_placement placement; /* if it fits pictures, in place of the two above */
    bool bgr;                 /* channels are blue, green, red */
    float mean[3], std[3];    /* of values in 0..1, in the order of the channels */
} tips_preprocess;

/* One picture as floats (channels, height, width), shifted by (dy, dx) on the canvas before normalising. */
tips_status tips__preprocess(const tips_preprocess *p, const tips_image *picture, int dy, int dx, bool circular,
                             float *out) TIPS_MUST_CHECK;
/* The canvas alone: bytes (height, width, channels), for callers that shift many times. */
tips_status tips__preprocess_canvas(const tips_preprocess *p, const tips_image *picture,
                                    uint8_t *canvas) TIPS_MUST_CHECK;
/* The same with the picture resized and placed as a move says, which need not be the one below. */
tips_status tips__preprocess_canvas_at(const tips_preprocess *p, const tips_image *picture, const tips_move *move,
                                       uint8_t *canvas) TIPS_MUST_CHECK;
/* Where the pixels of a picture of that height and width lie on the canvas. */
tips_move tips__preprocess_move(const tips_preprocess *p, const int picture[2]);
/* Makes all of a canvas what lies around pictures, black or zero once normalised. */
void tips__canvas_clear(const tips_preprocess *p, uint8_t *canvas);
void tips__canvas_to_input(const tips_preprocess *p, const uint8_t *canvas, int dy, int dx, bool circular, float *out);

#endif
