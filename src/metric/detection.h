/* What a detector answers, and what is true: boxes as COCO has them, in double, so that figures agree with others' to
 * the last digits. Left, top, width and height are in pixels; pixel (y, x) covers [y, y + 1) x [x, x + 1). */
#ifndef TIPS_METRIC_DETECTION_H
#define TIPS_METRIC_DETECTION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tips_detection {
    double x, y, w, h;
    double score; /* 0..1 */
    int32_t label;
} tips_detection;

/* Something that is there. */
typedef struct tips_object {
    double x, y, w, h;
    double area; /* of its mask where that is known, else of the box */
    int32_t label;
    bool crowd;  /* around several that were not told apart: finds within it count neither for nor against */
    bool ignore; /* likewise, without being a crowd: cut off by a border, or marked as difficult */
} tips_object;

#endif
