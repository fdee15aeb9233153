/* Boxes of a shifted view and the truth, brought into one frame. */
#ifndef TIPS_METRIC_BOX_SHIFT_H
#define TIPS_METRIC_BOX_SHIFT_H

#include "metric/detection.h"

/* What is there after a standard shift, in a view of that height and width: moved, cut off at the border, and to be
 * ignored where less than half of the box is left. */
void tips__objects_shift(const tips_object *objects, int n, const int shift[2], const int size[2], tips_object *out);

/* Detections in a circularly shifted view, put back: moved, their centres wrapped into the picture, then cut off at its
 * border. */
void tips__detections_unroll(const tips_detection *boxes, int n, const int shift[2], const int size[2],
                             tips_detection *out);

#endif
