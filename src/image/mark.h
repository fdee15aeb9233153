/* What is marked on a picture: boxes around things, and a mask that gives every pixel its class.
 *
 * Places are continuous: pixel (y, x) covers [y, y + 1) x [x, x + 1), and its centre is (y + 0.5, x + 0.5). */
#ifndef TIPS_IMAGE_MARK_H
#define TIPS_IMAGE_MARK_H

#include <stdbool.h>
#include <stdint.h>

/* The value of a mask where nothing is known, or nothing is to be learned. */
enum { TIPS_MASK_IGNORE = 255 };

typedef struct tips_box {
    double top, left, bottom, right; /* edges: one pixel (y, x) is y, x, y + 1, x + 1 */
    int32_t label;
    bool crowd;  /* around several things that were not told apart */
    bool ignore; /* not to be learned, nor to be found: marked as difficult */
    double area; /* of the mask, in pixels; 0: of the box */
} tips_box;

#endif
