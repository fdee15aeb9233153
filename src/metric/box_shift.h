/* Boxes of a shifted view and the truth, brought into one frame: that of the picture, in its own pixels. */
#ifndef TIPS_METRIC_BOX_SHIFT_H
#define TIPS_METRIC_BOX_SHIFT_H

#include "image/move.h"
#include "metric/detection.h"

/* A view of a picture that lies on the input as the move says, shifted beside that, on a canvas of that size. */
typedef struct tips_box_view {
    const tips_move *move;
    int shift[2], size[2];
    bool circular;
} tips_box_view;

/* What of the objects on a picture a view shows: without what a standard shift pushed over the border of the canvas,
 * and to be ignored where less than half of the box is left. Not shifted, or circularly, they are as they were. */
void tips__objects_in_view(const tips_box_view *view, const tips_object *objects, int n, tips_object *out);

/* Detections in a view on the picture, cut off at its border and at that of what the view shows of it, in their order;
 * those without anything left are dropped. After a circular shift, centres are wrapped into the picture first. Returns
 * how many are left; without a shift they are those of tips__detections_on_picture. `out` (n) may be the same. */
int tips__detections_in_view(const tips_box_view *view, const tips_detection *found, int n, tips_detection *out);

#endif
