/* How far a scene moves from frame to frame, as somebody knows it. */
#ifndef TIPS_PREDICT_MOTION_H
#define TIPS_PREDICT_MOTION_H

#include <stdbool.h>
#include <tips/status.h>

typedef struct tips_motion {
    int (*steps)[2]; /* (n_steps): down, right, in pixels of the frames; NULL: always `each` */
    int n_steps, capacity;
    int each[2];
    const char *from; /* the file, borrowed */
} tips_motion;

/* "DY,DX" for every step, or a text file with a line "DY,DX" for each frame but the first; parted by a comma, semicolon
 * or blanks, lines that are empty or begin with '#' left out. NULL: nothing moves. */
tips_status tips__motion_read(const char *text, tips_motion *out) TIPS_MUST_CHECK;
void tips__motion_clear(tips_motion *motion);

/* From frame `step` to the next; an error if the file has fewer lines. */
tips_status tips__motion_at(const tips_motion *motion, int step, int out[2]) TIPS_MUST_CHECK;
/* An error unless it is a motion of so many steps. */
tips_status tips__motion_check(const tips_motion *motion, int steps) TIPS_MUST_CHECK;

#endif
