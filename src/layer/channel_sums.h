/* Gradients of parameters that belong to channels: every plane gives one sum per lane, and the sums of all samples are
 * added in order, so that the result does not depend on the threads. */
#ifndef TIPS_LAYER_CHANNEL_SUMS_H
#define TIPS_LAYER_CHANNEL_SUMS_H

#include "layer/layer_common.h"

static inline size_t tips__channel_sums_bytes(const tips_map *map) {
    return (size_t)map->n * (size_t)map->blocks * sizeof(vd);
}

/* `sums`: (n, blocks, B). */
static inline void tips__channel_sum_put(double *sums, const tips_map *map, int n, int block, vd sum) {
    tips__store_doubles(sums + ((ptrdiff_t)n * map->blocks + block) * TIPS_BLOCK, sum);
}

static inline vd tips__channel_total(const double *sums, const tips_map *map, int block) {
    vd total = {0};
    for (int n = 0; n < map->n; n++)
        total += tips__load_doubles(sums + ((ptrdiff_t)n * map->blocks + block) * TIPS_BLOCK);
    return total;
}

#endif
