/* Tiles of direct convolutions, one function for each size. */
#include "engine/direct_tiles.h"

enum { B = TIPS_BLOCK };

/* One input channel: its weights against each of the pixels. */
#define CHANNEL(V, P)                                                                                  \
    {                                                                                                  \
        vf right[V];                                                                                   \
        for (int v = 0; v < (V); v++) right[v] = vf_load(weights + v * pass->panel + (ptrdiff_t)i * B); \
        _Pragma("GCC unroll 16") for (int p = 0; p < (P); p++) {                                       \
            const vf left = vf_set(tap[p * pass->src_pixel + i]);                                      \
            for (int v = 0; v < (V); v++) sum[p][v] = vf_fma(left, right[v], sum[p][v]);               \
        }                                                                                              \
    }

#define START(V, P)                                                                                                   \
    for (int p = 0; p < (P); p++)                                                                                     \
        for (int v = 0; v < (V); v++) {                                                                               \
            if (!pass->first) {                                                                                       \
                sum[p][v] = vf_load(dst + v * pass->dst_block + (ptrdiff_t)p * B);                                    \
                continue;                                                                                             \
            }                                                                                                         \
            sum[p][v] = bias ? vf_load(bias + (ptrdiff_t)v * B) : (vf){0};                                            \
            if (residual) sum[p][v] += vf_load(residual + v * pass->residual_block + (ptrdiff_t)p * B);               \
        }

/* The pixels of the next tile, which a 1x1 kernel meets but once: too far apart for the processor to guess. */
#define FETCH_SOURCE(P)                                                                        \
    if (pass->fetches)                                                                         \
        _Pragma("GCC unroll 16") for (int p = 0; p < (P); p++)                                 \
            __builtin_prefetch(src + ((P) + p) * pass->src_pixel);

#define FETCH_RESIDUAL(V, P)                                                                                \
    if (residual && pass->first)                                                                            \
        for (int p = 0; p < (P); p++)                                                                       \
            for (int v = 0; v < (V); v++)                                                                   \
                __builtin_prefetch(residual + v * pass->residual_block + ((ptrdiff_t)(P) + p) * B);

#define TILE(V, P)                                                                                             \
    static void tile_##V##_##P(const direct_pass *pass, const float *src, const float *weights,                \
                               const float *bias, const float *residual, float *dst) {                         \
        vf sum[P][V];                                                                                          \
        START(V, P)                                                                                            \
        FETCH_RESIDUAL(V, P)                                                                                   \
        for (int b = 0; b < pass->blocks; b++, src += pass->src_block) {                                       \
            const int lanes = b == pass->blocks - 1 ? pass->tail : B;                                          \
            const float *row = src;                                                                            \
            FETCH_SOURCE(P)                                                                                    \
            for (int ky = 0; ky < pass->kh; ky++, row += pass->src_row) {                                      \
                const float *tap = row;                                                                        \
                for (int kx = 0; kx < pass->kw; kx++, tap += pass->src_tap, weights += B * B) {                \
                    if (lanes == B)                                                                            \
                        _Pragma("GCC unroll 4") for (int i = 0; i < B; i++) CHANNEL(V, P)                      \
                    else                                                                                       \
                        _Pragma("GCC unroll 1") for (int i = 0; i < lanes; i++) CHANNEL(V, P)                  \
                }                                                                                              \
            }                                                                                                  \
        }                                                                                                      \
        if (pass->clips) {                                                                                     \
            const vf low = vf_set(pass->low), high = vf_set(pass->high);                                       \
            for (int p = 0; p < (P); p++)                                                                      \
                for (int v = 0; v < (V); v++) sum[p][v] = vf_between(sum[p][v], low, high);                    \
        }                                                                                                      \
        for (int p = 0; p < (P); p++)                                                                          \
            for (int v = 0; v < (V); v++) vf_store(dst + v * pass->dst_block + (ptrdiff_t)p * B, sum[p][v]);   \
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
