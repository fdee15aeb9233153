/* The innermost loops of direct convolutions: a tile of neighbouring pixels in one row, a few blocks of output
 * channels, all of them sums in registers. Which tile a pixel falls into changes nothing in its sum: bias, residual,
 * then one fused multiply-add after the other in the order of the weights. */
#ifndef TIPS_ENGINE_DIRECT_TILES_H
#define TIPS_ENGINE_DIRECT_TILES_H

#include <stdbool.h>
#include <stddef.h>

#include "tensor/vec.h"

/* Sums that fit into the registers, and how wide a tile is at most in pixels and in blocks of output channels. */
#if defined(__AVX512F__)
enum { TILE_SUMS = 28, TILE_PIXELS = 14, TILE_PANEL = 4 };
#elif defined(__AVX2__) || defined(__aarch64__)
enum { TILE_SUMS = 12, TILE_PIXELS = 8, TILE_PANEL = 3 };
#else
enum { TILE_SUMS = 6, TILE_PIXELS = 4, TILE_PANEL = 2 };
#endif

/* Pixels of a tile that is `panel` blocks of output channels wide. */
static inline int tile_pixels(int panel) {
    return TILE_SUMS / panel < TILE_PIXELS ? TILE_SUMS / panel : TILE_PIXELS;
}

/* One pass of a tile over some blocks of input channels. Distances are in floats. */
typedef struct direct_pass {
    int blocks, tail;   /* input blocks, and the channels of the last of them */
    int kh, kw;
    ptrdiff_t src_block, src_row, src_tap, src_pixel; /* to the next input block, kernel row, kernel column, pixel */
    ptrdiff_t panel;    /* from the weights of one output block to those of the next */
    ptrdiff_t dst_block, residual_block;
    bool first, clips;  /* first: starts from bias and residual, else from what is in dst */
    bool fetches;       /* the source of the next tile ahead of time */
    float low, high;    /* clips to these */
} direct_pass;

typedef void (*direct_tile)(const direct_pass *pass, const float *src, const float *weights, const float *bias,
                            const float *residual, float *dst);

/* The tile of `panel` blocks (1 to TILE_PANEL) and `pixels` pixels (1 to tile_pixels(panel)). */
direct_tile tips__direct_tile(int panel, int pixels);

#endif
