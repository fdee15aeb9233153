/* 3x3 convolutions, stride 1, by Winograd's F(4x4, 3x3): a quarter of the multiplications of the direct sum.
 *
 *   Y = A^T [ (G g G^T) . (B^T d B) ] A   for every 4x4 tile of the output and the 6x6 window d under it.
 *
 * Its rounding depends on where a pixel lies in its tile. Circular maps whose tiles begin at an origin that moves
 * along with the picture (winograd_origin.h) therefore have bits that follow every shift; tiles that begin at (0, 0)
 * serve training and fast inference. Maps may have any strides of whole blocks, and no halo is needed.
 * Maps, weights, bias and scratch are aligned to a block of floats, as tensor/vec.h loads them. */
#ifndef TIPS_ENGINE_WINOGRAD_H
#define TIPS_ENGINE_WINOGRAD_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/finish.h"

typedef struct tips_place {
    int y, x;
} tips_place;

typedef struct tips_winograd {
    int n, h, w; /* input and output have the same size: a border of one */
    int ic, oc;  /* padded to whole blocks */
    bool circular;
    const tips_place *origins; /* of each sample: where its tiles begin in a circular map; NULL: at (0, 0) */
} tips_winograd;

/* Bytes of scratch for one call with as many samples or fewer, for the present number of threads. Forward from packed
 * weights needs more. */
size_t tips__winograd_forward_scratch(const tips_winograd *shape);
size_t tips__winograd_packed_scratch(const tips_winograd *shape);
size_t tips__winograd_backward_scratch(const tips_winograd *shape); /* of data and weights alike */

/* Transforms weights, packed [oc/B][ic/B][3][3][B in][B out]; scale: of each output channel, or NULL. */
size_t tips__winograd_weight_floats(const tips_winograd *shape);
void tips__winograd_weights(const tips_winograd *shape, const float *weights, const float *scale, float *transformed);

void tips__winograd_forward(const tips_winograd *shape, const tips_map *src, const float *transformed,
                            const tips_finish *finish, const tips_map *dst, void *scratch);
/* The same, and the gradients, from packed weights, which change from step to step. */
void tips__winograd_packed_forward(const tips_winograd *shape, const tips_map *src, const float *weights,
                                   const tips_finish *finish, const tips_map *dst, void *scratch);
void tips__winograd_backward_data(const tips_winograd *shape, const tips_map *diff_dst, const float *weights,
                                  bool accumulate, const tips_map *diff_src, void *scratch);
void tips__winograd_backward_weights(const tips_winograd *shape, const tips_map *src, const tips_map *diff_dst,
                                     float *diff_weights, void *scratch);

#endif
