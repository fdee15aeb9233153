/* Boxes as detectors have them: corners in pixels of the input, in double. On a torus, which a picture with circular
 * borders is, a box and itself moved by the height or the width are one. */
#ifndef TIPS_BOX_BOX_H
#define TIPS_BOX_BOX_H

#include <stdbool.h>

typedef struct tips_corners {
    double x1, y1, x2, y2;
} tips_corners;

/* Height and width of a torus; NULL stands for the plane. */
typedef const int *tips_torus;

double tips__corners_area(const tips_corners *b);
/* `b` moved by whole heights and widths so that its centre is nearest to that of `to`; on the plane `b` itself. */
tips_corners tips__corners_nearest(const tips_corners *b, const tips_corners *to, tips_torus torus);
/* `b` with its centre within the picture. */
tips_corners tips__corners_wrapped(const tips_corners *b, tips_torus torus);
tips_corners tips__corners_clipped(const tips_corners *b, const int size[2]);
/* Intersection over union, 0 where both are empty. */
double tips__corners_iou(const tips_corners *a, const tips_corners *b, tips_torus torus);

/* Where a box lies relative to another: shifts of the centre in sizes, logarithms of the sizes, each times a weight. */
typedef struct tips_box_weights {
    double centre, size;
} tips_box_weights;
void tips__box_encode(const tips_corners *from, const tips_corners *to, tips_box_weights weights, double code[4]);
/* The logarithms are limited to ln(1000 / 16). */
tips_corners tips__box_decode(const tips_corners *from, const double code[4], tips_box_weights weights);

/* A box that was found, on its way to an answer. */
typedef struct tips_candidate {
    tips_corners box;
    double score;
    int label, place; /* place: its number among all, which decides between equal scores */
} tips_candidate;

/* By falling score, then by rising place. */
void tips__candidates_sort(tips_candidate *candidates, int count);
/* Non-maximum suppression among boxes of one label, or of all if `apart` is false: drops those that overlap a better
 * one by more than `overlap`, and what goes beyond the best `most`. They come sorted, and stay so; returns how many. */
int tips__candidates_suppress(tips_candidate *candidates, int count, double overlap, bool apart, tips_torus torus,
                              int most);

#endif
