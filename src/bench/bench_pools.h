/* The use case behind `tips bench pools`: every operator alone, against the bandwidth of the memory. */
#ifndef TIPS_BENCH_BENCH_POOLS_H
#define TIPS_BENCH_BENCH_POOLS_H

#include "pool/pool.h"

typedef struct tips_bench_pools_config {
    const char *pools; /* "max,tips:psi=full,fm=band"; NULL: every operator of the table that does something */
    int lpf;           /* 0 or 2..7 */
    int padding;       /* tips_pad_mode */
    int batch, channels, size[2], stride[2];
    int steps;
    int threads;       /* 0: all cores */
    int seed;
} tips_bench_pools_config;

/* Bytes are the least any program must move: forward reads x and writes y; backward reads dy and x and writes dx.
 * Times are medians; both passes are a training step's, losses included. */
typedef struct tips_bench_pool {
    char name[160];
    size_t parameters;
    double multiply_adds; /* per sample, forward */
    double forward_ms, backward_ms;
    double forward_gbs, backward_gbs;     /* 1e9 bytes a second */
    double forward_share, backward_share; /* of the memory bandwidth; above 1 where caches hold the maps */
} tips_bench_pool;

typedef struct tips_bench_pools_result {
    double bandwidth_gbs;
    int threads, count;
    tips_bench_pool *pools;
} tips_bench_pools_result;

tips_status tips__bench_pools(const tips_bench_pools_config *config, tips_bench_pools_result *out) TIPS_MUST_CHECK;
void tips__bench_pools_clear(tips_bench_pools_result *result);

#endif
