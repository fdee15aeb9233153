/* What happens to a convolution's sums on their way to memory, in this order: bias, residual, function. */
#ifndef TIPS_ENGINE_FINISH_H
#define TIPS_ENGINE_FINISH_H

#include <stdbool.h>

#include "tensor/map.h"

/* y = f(y) for one row of block `block`: `floats` of them, whole vectors. Lanes without a channel stay zero. */
typedef void (*tips_row_function)(float *row, int floats, int block, const void *with);

typedef struct tips_finish {
    const float *bias;        /* (oc) or NULL */
    const tips_map *residual; /* added, or NULL; may be the destination itself */
    bool clips;               /* to low..high */
    float low, high;
    tips_row_function function; /* instead of that, or NULL */
    const void *with;           /* handed to it */
} tips_finish;

#endif
