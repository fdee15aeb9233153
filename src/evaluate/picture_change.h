/* Something that is done to pictures before the network sees them: an attack, a corruption. Shifts come behind it. */
#ifndef TIPS_EVALUATE_PICTURE_CHANGE_H
#define TIPS_EVALUATE_PICTURE_CHANGE_H

#include "core/bytes.h"

/* Some of the pictures, in the size of the input. */
typedef struct tips_changed_pictures {
    int count;                 /* at most a batch */
    const int *index;          /* (count): in the split; random numbers come from it */
    const tips_bytes *targets; /* (count): the truth, as the task knows it */
    float *planes;             /* (count, c, h, w): see image/planes.h; changed in place */
} tips_changed_pictures;

typedef struct tips_picture_change {
    tips_status (*apply)(void *context, const tips_changed_pictures *pictures);
    void *context;
} tips_picture_change;

#endif
