/* Register-tiled products: WINO_ROWS x 2 vectors forward, 4 x 3 vectors for weight gradients. */
#include "engine/winograd_gemm.h"

#include <stddef.h>

#define PRODUCT_TILE(name, rows, vectors)                                                                    \
    static void name(const float *v, const float *u, float *m, int ic, int oc) {                             \
        vf sum[rows][vectors];                                                                               \
        for (int r = 0; r < (rows); r++)                                                                     \
            for (int p = 0; p < (vectors); p++) sum[r][p] = (vf){0};                                         \
        for (int k = 0; k < ic; k++) {                                                                       \
            vf right[vectors];                                                                               \
            for (int p = 0; p < (vectors); p++) right[p] = vf_load(u + ((ptrdiff_t)k * (vectors) + p) * TIPS_BLOCK); \
            for (int r = 0; r < (rows); r++) {                                                               \
                const vf left = vf_set(v[(ptrdiff_t)r * ic + k]);                                            \
                for (int p = 0; p < (vectors); p++) sum[r][p] = vf_fma(left, right[p], sum[r][p]);           \
            }                                                                                                \
        }                                                                                                    \
        for (int r = 0; r < (rows); r++)                                                                     \
            for (int p = 0; p < (vectors); p++) vf_store(m + (ptrdiff_t)r * oc + p * TIPS_BLOCK, sum[r][p]); \
    }

PRODUCT_TILE(product_2, WINO_ROWS, 2)
PRODUCT_TILE(product_1, WINO_ROWS, 1)
PRODUCT_TILE(rest_2, WINO_REST, 2)
PRODUCT_TILE(rest_1, WINO_REST, 1)

void tips__wino_product(const float *v, const float *u, float *m, int rows, int ic, int oc) {
    for (int o = 0; o < oc; o += WINO_PANEL) {
        const bool pair = wino_panel_width(oc, o) == WINO_PANEL;
        const float *panel = u + (ptrdiff_t)o * ic;
        int r = 0;
        for (; r + WINO_ROWS <= rows; r += WINO_ROWS)
            (pair ? product_2 : product_1)(v + (ptrdiff_t)r * ic, panel, m + (ptrdiff_t)r * oc + o, ic, oc);
        for (; r < rows; r += WINO_REST)
            (pair ? rest_2 : rest_1)(v + (ptrdiff_t)r * ic, panel, m + (ptrdiff_t)r * oc + o, ic, oc);
    }
}

#define OUTER_TILE(name, vectors)                                                                            \
    static void name(const float *v, const float *d, float *du, int rows, int ic, int oc, bool fresh) {      \
        vf sum[4][vectors];                                                                                  \
        for (int r = 0; r < 4; r++)                                                                          \
            for (int p = 0; p < (vectors); p++)                                                              \
                sum[r][p] = fresh ? (vf){0} : vf_load(du + (ptrdiff_t)r * oc + p * TIPS_BLOCK);              \
        for (int k = 0; k < rows; k++) {                                                                     \
            vf right[vectors];                                                                               \
            for (int p = 0; p < (vectors); p++) right[p] = vf_load(d + ((ptrdiff_t)k * (vectors) + p) * TIPS_BLOCK); \
            for (int r = 0; r < 4; r++) {                                                                    \
                const vf left = vf_set(v[(ptrdiff_t)k * ic + r]);                                            \
                for (int p = 0; p < (vectors); p++) sum[r][p] = vf_fma(left, right[p], sum[r][p]);           \
            }                                                                                                \
        }                                                                                                    \
        for (int r = 0; r < 4; r++)                                                                          \
            for (int p = 0; p < (vectors); p++) vf_store(du + (ptrdiff_t)r * oc + p * TIPS_BLOCK, sum[r][p]); \
    }

OUTER_TILE(outer_3, 3)
OUTER_TILE(outer_2, 2)
OUTER_TILE(outer_1, 1)

enum { DEPTH = 96 }; /* tiles per pass: the strips of v and d then stay in the first cache */

typedef void (*outer_tile)(const float *v, const float *d, float *du, int rows, int ic, int oc, bool fresh);

void tips__wino_outer(const float *v, const float *d, float *du, int rows, int ic, int oc, bool fresh) {
    static const outer_tile tiles[] = {NULL, outer_1, outer_2, outer_3};
    for (int o = 0, vectors; o < oc; o += vectors * TIPS_BLOCK, d += (ptrdiff_t)rows * vectors * TIPS_BLOCK) {
        vectors = wino_outer_panel((oc - o) / TIPS_BLOCK);
        for (int k = 0; k < rows; k += DEPTH) {
            const int depth = rows - k < DEPTH ? rows - k : DEPTH;
            for (int i = 0; i < ic; i += 4)
                tiles[vectors](v + (ptrdiff_t)k * ic + i, d + (ptrdiff_t)k * vectors * TIPS_BLOCK,
                               du + (ptrdiff_t)i * oc + o, depth, ic, oc, fresh && k == 0);
        }
    }
}
