/* The matrix products between the transforms. */
#ifndef TIPS_ENGINE_WINOGRAD_GEMM_H
#define TIPS_ENGINE_WINOGRAD_GEMM_H

#include <stdbool.h>

#include "tensor/vec.h"

/* Rows of a product's tile, as many as the registers hold, and of the tiles for what is left. */
#if defined(__AVX512F__)
enum { WINO_ROWS = 12, WINO_REST = 4 };
#elif defined(__AVX2__) || defined(__aarch64__)
enum { WINO_ROWS = 6, WINO_REST = 3 };
#else
enum { WINO_ROWS = 3, WINO_REST = 3 };
#endif
enum { WINO_PANEL = 2 * TIPS_BLOCK };

static inline int wino_panel_width(int oc, int o) { return oc - o < WINO_PANEL ? oc - o : WINO_PANEL; }

/* m (rows x oc) = v (rows x ic) * u, u in panels [oc / panel][ic][panel]; rows is a multiple of WINO_REST. */
void tips__wino_product(const float *v, const float *u, float *m, int rows, int ic, int oc);

/* Vectors of the next panel of d where `left` of them are left: never a lone one where two pairs will do. */
static inline int wino_outer_panel(int left) { return left == 4 ? 2 : left < 3 ? left : 3; }

/* du (ic x oc, row after row) += v^T d over `rows` tiles, or = where it is fresh. v is [rows][ic], ic % 4 == 0; d lies
 * in panels [rows][panel] one after the other. */
void tips__wino_outer(const float *v, const float *d, float *du, int rows, int ic, int oc, bool fresh);

#endif
