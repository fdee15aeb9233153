/* The matrix products between the transforms. */
#ifndef TIPS_ENGINE_WINOGRAD_GEMM_H
#define TIPS_ENGINE_WINOGRAD_GEMM_H

#include <stdbool.h>

#include "tensor/vec.h"

enum { WINO_ROWS = 6, WINO_PANEL = 2 * TIPS_BLOCK };

static inline int wino_panel_width(int oc, int o) { return oc - o < WINO_PANEL ? oc - o : WINO_PANEL; }

/* m (rows x oc) = v (rows x ic) * u, u in panels [oc / panel][ic][panel]; rows is a multiple of WINO_ROWS. */
void tips__wino_product(const float *v, const float *u, float *m, int rows, int ic, int oc);

/* du (ic_count x oc, row stride oc) += v^T d over `rows` tiles, or = where it is fresh; v has row stride ic, d has oc.
 * ic_count % 4 == 0. */
void tips__wino_outer(const float *v, const float *d, float *du, int rows, int ic, int ic_count, int oc, bool fresh);

#endif
