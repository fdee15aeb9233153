/* What is there and what was found, between a picture and a network's input. Boxes go the way that pixels went
 * (image/move.h), detections go back. */
#ifndef TIPS_METRIC_MOVED_OBJECTS_H
#define TIPS_METRIC_MOVED_OBJECTS_H

#include "image/move.h"
#include "metric/detection.h"

/* Boxes of a picture as objects on the input, in their order; `out` (n). Returns how many there are: what has left
 * altogether is dropped, and of what a border cut off, that with a smaller share of its box than `least` is to be
 * ignored. On a ring, an object that goes over an edge stays in one piece and reaches beyond the input. */
int tips__objects_on_input(const tips_move *move, double least, const tips_box *boxes, int n, tips_object *out);
/* The same on the picture itself, as they are: what reaches over a border is not cut, as COCO's tools do not. */
int tips__objects_on_picture(const tips_box *boxes, int n, tips_object *out);

/* Detections on the input as those of the picture, cut off at its borders, in their order; `out` (n) may be the same.
 * Those that lie beside the picture are dropped. Returns how many are left. */
int tips__detections_on_picture(const tips_move *move, const tips_detection *found, int n, tips_detection *out);

#endif
