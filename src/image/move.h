/* Where the pixels of a picture went on their way to a network's input, so that marks can follow them.
 *
 * The way, as the preprocessing and the loader go it: the picture is resized; put on a canvas of the input's size,
 * cropped or on black; turned left to right; moved by a random crop, black where nothing was; shifted, with what leaves
 * on one side gone, or, if circular, back on the other. What has left the canvas does not come back.
 *
 * Places are continuous, as in mark.h: a resize by s takes y to s y, a turn takes x to width - x. */
#ifndef TIPS_IMAGE_MOVE_H
#define TIPS_IMAGE_MOVE_H

#include "image/image_read.h"
#include "image/mark.h"

typedef struct tips_move {
    int picture[2], resized[2], input[2]; /* heights and widths; the input's are the canvas's */
    int offset[2];                        /* where the resized picture begins on the canvas; below 0 it is cropped */
    bool flip;
    double scale[2], origin[2]; /* where boxes go otherwise than pixels do: scale x + origin; scale 0: they do not */
    int crop[2];  /* down and to the right */
    int shift[2]; /* the same */
    bool circular;
} tips_move;

/* The move of a picture that is its own input. */
tips_move tips__move_none(const int size[2]);

/* What the resize multiplies lengths along an axis by: 0 is down, 1 to the right. */
double tips__move_scale(const tips_move *move, int axis);

/* A place (y, x) of the picture on the input: false if it is not there, where `input` then says how far out it would
 * be. */
bool tips__move_point(const tips_move *move, const double picture[2], double input[2]);

/* The row (axis 0) or column (1) of the picture nearest to the middle of that of the input; -1 where nothing of the
 * picture lies. */
int tips__move_source(const tips_move *move, int axis, int at);

/* A mask of the picture's size and one channel on the input, by nearest neighbour as Pillow has it (and PyTorch calls
 * it nearest-exact: the pixel under the middle); TIPS_MASK_IGNORE where nothing of the picture lies. `out` (height,
 * width) of the input. */
void tips__move_mask(const tips_move *move, const tips_image *mask, uint8_t *out);

/* What lies along one axis. */
typedef struct tips_span {
    double low, high;
} tips_span;

/* Rows (axis 0) or columns (1) of the picture on the input, cut off where the canvas was. `share`: how much of the
 * length is left. */
tips_span tips__move_span(const tips_move *move, int axis, tips_span picture, double *share);
/* The way back: rows or columns of the input on the picture, not cut. On a ring it is the place whose middle lies on
 * the canvas. */
tips_span tips__move_span_back(const tips_move *move, int axis, tips_span input);
/* The other way: the row (axis 0) or column (1) of the input that a row or column of the picture lies on; -1 where it
 * has left. */
int tips__move_target(const tips_move *move, int axis, int at);
/* A mask (height, width) of the input on the picture, by nearest neighbour; TIPS_MASK_IGNORE where the picture was cut
 * off. `out` has the picture's size and one channel. */
void tips__move_mask_back(const tips_move *move, const uint8_t *mask, tips_image *out);

/* Boxes on the input, each cut off where the canvas was. `share` (n), which may be NULL: how much of the area is left,
 * 0 where nothing is. A box that a circular shift pushes over an edge stays in one piece: its top and left are within
 * the input, its bottom or right is beyond, and it goes on from the other side. The area of a mask grows and shrinks
 * with its box. */
void tips__move_boxes(const tips_move *move, const tips_box *boxes, int n, tips_box *out, float *share);

#endif
