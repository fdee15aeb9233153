/* Tiles of direct convolutions, one function for each size.
 *
 * Every loop over a tile is written for the compiler to unroll at once, with no choice inside, so that sums live in
 * registers from the first to the last. Channels are not unrolled: a tile has enough arithmetic to hide a jump. */
#include "engine/direct_tiles.h"

enum { B = TIPS_BLOCK };

#define EACH(i, count) _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)

/* One input channel: its weights against each of the pixels. */
#define CHANNEL(V, P)                                                                                                 \
    {                                                                                                                 \
        vf right[V];                                                                                                  \
        EACH (v, V) right[v] = vf_load(weights + v * panel);                                                          \
        EACH (p, P) {                                                                                                 \
            const vf left = vf_set(*(channel + p * pixel));                                                           \
            EACH (v, V) sum[p][v] = vf_fma(left, right[v], sum[p][v]);                                                \
        }                                                                                                             \
    }

#define START(V, P)                                                                                                   \
    if (pass->first) {                                                                                                \
        EACH (v, V) {                                                                                                 \
            const vf start = bias ? vf_load(bias + (ptrdiff_t)v * B) : (vf){0};                                       \
            EACH (p, P) sum[p][v] = start;                                                                            \
        }                                                                                                             \
        if (residual)                                                                                                 \
            EACH (v, V) EACH (p, P)                                                                                   \
                sum[p][v] += vf_load(residual + v * pass->residual_block + (ptrdiff_t)p * B);                         \
    } else {                                                                                                          \
        EACH (v, V) EACH (p, P) sum[p][v] = vf_load(dst + v * pass->dst_block + (ptrdiff_t)p * B);                    \
    }

/* The pixels of the next tile, which a 1x1 kernel meets but once: too far apart for the processor to guess. */
#define FETCH_SOURCE(P)                                                                                               \
    if (pass->fetches) EACH (p, P) __builtin_prefetch(src + ((P) + p) * pixel);

#define FETCH_RESIDUAL(V, P)                                                                                          \
    if (residual && pass->first)                                                                                      \
        EACH (v, V) EACH (p, P)                                                                                       \
            __builtin_prefetch(residual + v * pass->residual_block + ((ptrdiff_t)(P) + p) * B);

#define FINISH(V, P)                                                                                                  \
    if (pass->clips) {                                                                                                \
        const vf low = vf_set(pass->low), high = vf_set(pass->high);                                                  \
        EACH (p, P) EACH (v, V) sum[p][v] = vf_between(sum[p][v], low, high);                                         \
    }                                                                                                                 \
    EACH (v, V) EACH (p, P) vf_store(dst + v * pass->dst_block + (ptrdiff_t)p * B, sum[p][v]);

#define TILE(V, P)                                                                                                    \
    static void tile_##V##_##P(const direct_pass *pass, const float *src, const float *weights,                       \
                               const float *bias, const float *residual, float *dst) {                                \
        const ptrdiff_t pixel = pass->src_pixel, panel = pass->panel;                                                 \
        vf sum[P][V];                                                                                                 \
        START(V, P)                                                                                                   \
        FETCH_RESIDUAL(V, P)                                                                                          \
        for (int b = 0; b < pass->blocks; b++, src += pass->src_block) {                                              \
            const int lanes = b == pass->blocks - 1 ? pass->tail : B;                                                 \
            const float *row = src;                                                                                   \
            FETCH_SOURCE(P)                                                                                           \
            for (int ky = 0; ky < pass->kh; ky++, row += pass->src_row) {                                             \
                const float *tap = row;                                                                               \
                for (int kx = 0; kx < pass->kw; kx++, tap += pass->src_tap) {                                         \
                    const float *channel = tap, *const end = tap + lanes;                                             \
                    do {                                                                                              \
                        CHANNEL(V, P)                                                                                 \
                        weights += B;                                                                                 \
                    } while (++channel < end);                                                                        \
                    weights += (ptrdiff_t)(B - lanes) * B;                                                            \
                }                                                                                                     \
            }                                                                                                         \
        }                                                                                                             \
        FINISH(V, P)                                                                                                  \
    }

#define TILES_4(M, V) M(V, 1) M(V, 2) M(V, 3) M(V, 4)
#define TILES_6(M, V) TILES_4(M, V) M(V, 5) M(V, 6)
#define TILES_8(M, V) TILES_6(M, V) M(V, 7) M(V, 8)
#define TILES_9(M, V) TILES_8(M, V) M(V, 9)
#define TILES_14(M, V) TILES_9(M, V) M(V, 10) M(V, 11) M(V, 12) M(V, 13) M(V, 14)
#define NAME(V, P) tile_##V##_##P,

#if defined(__AVX512F__)
#define PANEL_1(M) TILES_14(M, 1)
#define PANEL_2(M) TILES_14(M, 2)
#define PANEL_3(M) TILES_9(M, 3)
#define PANEL_4(M) TILES_6(M, 4) M(4, 7)
#elif defined(__AVX2__) || defined(__aarch64__)
#define PANEL_1(M) TILES_8(M, 1)
#define PANEL_2(M) TILES_6(M, 2)
#define PANEL_3(M) TILES_4(M, 3)
#define PANEL_4(M)
#else
#define PANEL_1(M) TILES_4(M, 1)
#define PANEL_2(M) M(2, 1) M(2, 2) M(2, 3)
#define PANEL_3(M)
#define PANEL_4(M)
#endif

PANEL_1(TILE)
PANEL_2(TILE)
PANEL_3(TILE)
PANEL_4(TILE)

direct_tile tips__direct_tile(int panel, int pixels) {
    static const direct_tile tiles[4][TILE_PIXELS] = {
        {PANEL_1(NAME)}, {PANEL_2(NAME)}, {PANEL_3(NAME) 0}, {PANEL_4(NAME) 0}};
    return tiles[panel - 1][pixels - 1];
}
