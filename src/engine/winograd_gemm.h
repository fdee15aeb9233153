/* The matrix products between the transforms, one for each of the 36 points. */
#ifndef TIPS_ENGINE_WINOGRAD_GEMM_H
#define TIPS_ENGINE_WINOGRAD_GEMM_H

#include <stdbool.h>
#include <stddef.h>

#include "tensor/vec.h"

/* Tiles that one product takes at a time, as many as the registers hold; and input channels in an outer product. */
#if defined(__AVX512F__)
enum { WINO_ROWS = 12, WINO_OUTER_ROWS = 8 };
#elif defined(__AVX2__) || defined(__aarch64__)
enum { WINO_ROWS = 6, WINO_OUTER_ROWS = 4 };
#else
enum { WINO_ROWS = 3, WINO_OUTER_ROWS = 4 };
#endif
enum { WINO_PANEL = 2 * TIPS_BLOCK }; /* output channels of a panel */

static inline int wino_panel_width(int oc, int o) { return oc - o < WINO_PANEL ? oc - o : WINO_PANEL; }

/* m (rows x width, rows WINO_PANEL apart) = v u, or += where it is not fresh. v is [blocks][rows][B] for 1 to WINO_ROWS
 * rows, u is [blocks * B][width], a panel's. A sum runs through the channels one by one, whatever the rows. */
void tips__wino_product(const float *v, int rows, const float *u, int width, int blocks, bool fresh, float *m);

/* du (B x width, rows `row` floats apart) += v^T d over some tiles, or = where it is fresh. v is a block of input
 * channels, [tiles][B], d some of the output's, [width/B][tiles][B]. */
void tips__wino_outer(const float *v, const float *d, int tiles, int width, ptrdiff_t row, bool fresh, float *du);

#endif
