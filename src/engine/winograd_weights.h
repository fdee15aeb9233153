/* Weights as 36 points. Transformed ones lie panel by panel, [panel][point][input channel][width of the panel]. */
#ifndef TIPS_ENGINE_WINOGRAD_WEIGHTS_H
#define TIPS_ENGINE_WINOGRAD_WEIGHTS_H

#include "engine/winograd.h"
#include "engine/winograd_gemm.h"
#include "engine/winograd_transforms.h"

typedef struct wino_weights {
    const float *packed; /* [oc/B][ic/B][3][3][B in][B out] */
    int in_blocks;       /* ic/B of these */
    bool turned;         /* for the transposed convolution: inputs and outputs swapped, kernels by half a turn */
    const float *scale;  /* of each output channel, or NULL */
} wino_weights;

/* A product's panel that begins at output channel o. */
static inline ptrdiff_t wino_panel_at(int ic, int o) { return (ptrdiff_t)WINO_POINTS * ic * o; }

/* The weights between input blocks first to first + blocks - 1 and a panel of outputs, of a product with oc outputs:
 * u is [point][blocks * B][width], points `plane` apart. */
void tips__wino_transform(const wino_weights *w, int oc, int o, int first, int blocks, float *u, ptrdiff_t plane);
/* All of a product's weights, as tips__winograd_weights has them. */
void tips__wino_transform_all(const wino_weights *w, int ic, int oc, float *u);

#endif
