/* The channels of single pixels, for softmaxes and products. Sums are taken in double, block by block and then lane by
 * lane, so the bits of a pixel follow from the pixel alone. */
#ifndef TIPS_LAYER_PIXEL_H
#define TIPS_LAYER_PIXEL_H

#include "layer/layer_common.h"

#include <math.h>

/* The channels of one pixel, block by block. */
typedef struct tips_pixel {
    float *at;
    ptrdiff_t step; /* from block to block */
} tips_pixel;

static inline tips_pixel tips__pixel_of(const tips_map *map, int n, int y, int x) {
    return (tips_pixel){tips__row(map, n, 0, y) + (ptrdiff_t)x * TIPS_BLOCK, map->sb};
}

static inline vf tips__pixel_block(tips_pixel p, int b) { return vf_load(p.at + b * p.step); }

/* The sum over the channels of both. */
static inline double tips__pixel_product(tips_pixel a, tips_pixel b, int blocks) {
    vd sum = {0};
    for (int i = 0; i < blocks; i++) sum += vd_from(tips__pixel_block(a, i)) * vd_from(tips__pixel_block(b, i));
    return vd_sum(sum);
}

static inline float tips__pixel_largest(tips_pixel x, int channels) {
    vf top = vf_set(-INFINITY);
    for (int b = 0; b < tips__blocks(channels); b++)
        top = vf_max(vf_select(tips__lane_mask(channels, b), tips__pixel_block(x, b), vf_set(-INFINITY)), top);
    float largest = top[0];
    for (int l = 1; l < TIPS_BLOCK; l++) largest = top[l] > largest ? top[l] : largest;
    return largest;
}

/* Writes exp(x - largest) to y; returns the sum. */
static inline double tips__pixel_powers(tips_pixel x, tips_pixel y, int channels, float largest) {
    vd sum = {0};
    for (int b = 0; b < tips__blocks(channels); b++) {
        const vf power = tips__masked(vf_exp(tips__pixel_block(x, b) - largest), tips__lane_mask(channels, b));
        vf_store(y.at + b * y.step, power);
        sum += vd_from(power);
    }
    return vd_sum(sum);
}

static inline void tips__pixel_softmax(tips_pixel x, tips_pixel y, int channels) {
    const float sum = (float)tips__pixel_powers(x, y, channels, tips__pixel_largest(x, channels));
    for (int b = 0; b < tips__blocks(channels); b++) vf_store(y.at + b * y.step, tips__pixel_block(y, b) / sum);
}

static inline float tips__pixel_channel(tips_pixel x, int c) {
    return x.at[(ptrdiff_t)(c / TIPS_BLOCK) * x.step + c % TIPS_BLOCK];
}

#endif
