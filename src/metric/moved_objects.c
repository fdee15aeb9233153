/* Boxes to the input, detections back. */
#include "metric/moved_objects.h"

#include <math.h>

static tips_object object_of(const tips_box *box, bool ignore) {
    const double w = box->right - box->left, h = box->bottom - box->top;
    return (tips_object){.x = box->left,
                         .y = box->top,
                         .w = w,
                         .h = h,
                         .area = box->area > 0 ? box->area : w * h,
                         .label = box->label,
                         .crowd = box->crowd,
                         .ignore = box->ignore || ignore};
}

int tips__objects_on_input(const tips_move *move, double least, const tips_box *boxes, int n, tips_object *out) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        tips_box box;
        float share;
        tips__move_boxes(move, &boxes[i], 1, &box, &share);
        if (share <= 0) continue;
        out[kept++] = object_of(&box, (double)share < least);
    }
    return kept;
}

int tips__objects_on_picture(const tips_box *boxes, int n, tips_object *out) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (boxes[i].bottom > boxes[i].top && boxes[i].right > boxes[i].left) out[kept++] = object_of(&boxes[i], false);
    return kept;
}

static tips_span back(const tips_move *move, int axis, double low, double length) {
    const tips_span s = tips__move_span_back(move, axis, (tips_span){low, low + length});
    const double most = move->picture[axis];
    return (tips_span){fmin(fmax(s.low, 0), most), fmin(fmax(s.high, 0), most)};
}

int tips__detections_on_picture(const tips_move *move, const tips_detection *found, int n, tips_detection *out) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        tips_detection d = found[i];
        const tips_span rows = back(move, 0, d.y, d.h), columns = back(move, 1, d.x, d.w);
        d.y = rows.low, d.h = rows.high - rows.low;
        d.x = columns.low, d.w = columns.high - columns.low;
        if (d.w > 0 && d.h > 0) out[kept++] = d;
    }
    return kept;
}
