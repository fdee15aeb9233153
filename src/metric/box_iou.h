/* How much two boxes overlap. */
#ifndef TIPS_METRIC_BOX_IOU_H
#define TIPS_METRIC_BOX_IOU_H

#include <stdbool.h>

typedef struct tips_frame {
    double x, y, w, h;
} tips_frame;

#define TIPS_FRAME(box) ((tips_frame){(box)->x, (box)->y, (box)->w, (box)->h})

/* Intersection over union, or, if `of_first`, over the area of the first. */
static inline double tips__box_iou(tips_frame a, tips_frame b, bool of_first) {
    const double right = a.w + a.x < b.w + b.x ? a.w + a.x : b.w + b.x, left = a.x > b.x ? a.x : b.x;
    const double bottom = a.h + a.y < b.h + b.y ? a.h + a.y : b.h + b.y, top = a.y > b.y ? a.y : b.y;
    if (!(right > left) || !(bottom > top)) return 0;
    const double both = (right - left) * (bottom - top);
    return both / (of_first ? a.w * a.h : a.w * a.h + b.w * b.h - both);
}

#endif
