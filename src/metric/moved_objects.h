/* What is there and what was found, between a picture and a network's input. Boxes go the way that pixels went
 * (image/move.h), detections go back. */
#ifndef TIPS_METRIC_MOVED_OBJECTS_H
#define TIPS_METRIC_MOVED_OBJECTS_H

#include "image/move.h"
#include "metric/detection.h"

/* What becomes of things that a border cut off, by the share of their box that is left. What has left altogether is
 * dropped in any case. */
typedef struct tips_cut_rules {
    double drop_below;   /* not there any more */
    double ignore_below; /* there, but neither to be found nor not to be found */
} tips_cut_rules;

/* Half of a thing may be taken for the thing; in training, less than a quarter teaches nothing. */
static const tips_cut_rules tips__cut_in_training = {.drop_below = 0.25};
static const tips_cut_rules tips__cut_in_evaluation = {.ignore_below = 0.5};

/* Boxes of a picture as objects on the input, in their order; `out` (n). Returns how many there are. On a ring, an
 * object that goes over an edge stays in one piece and reaches beyond the input. */
int tips__objects_on_input(const tips_move *move, const tips_cut_rules *rules, const tips_box *boxes, int n,
                           tips_object *out);
/* The same on the picture itself. */
int tips__objects_on_picture(const int picture[2], const tips_box *boxes, int n, tips_object *out);

/* Detections on the input as those of the picture, cut off at its borders, in their order; `out` (n) may be the same.
 * Those that lie beside the picture are dropped. Returns how many are left. */
int tips__detections_on_picture(const tips_move *move, const tips_detection *found, int n, tips_detection *out);

#endif
