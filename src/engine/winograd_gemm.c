/* Register-tiled products: 6 x 2 vectors forward, 4 x 2 vectors for weight gradients. */
#include "engine/winograd_gemm.h"

#include <stddef.h>

#define PRODUCT_TILE(name, vectors)                                                                          \
    static void name(const float *v, const float *u, float *m, int ic, int oc) {                             \
        vf sum[WINO_ROWS][vectors];                                                                          \
        for (int r = 0; r < WINO_ROWS; r++)                                                                  \
            for (int p = 0; p < (vectors); p++) sum[r][p] = (vf){0};                                         \
        for (int k = 0; k < ic; k++) {                                                                       \
            vf right[vectors];                                                                               \
            for (int p = 0; p < (vectors); p++) right[p] = vf_load(u + ((ptrdiff_t)k * (vectors) + p) * TIPS_BLOCK); \
            for (int r = 0; r < WINO_ROWS; r++) {                                                            \
                const vf left = vf_set(v[(ptrdiff_t)r * ic + k]);                                            \
                for (int p = 0; p < (vectors); p++) sum[r][p] = vf_fma(left, right[p], sum[r][p]);           \
            }                                                                                                \
        }                                                                                                    \
        for (int r = 0; r < WINO_ROWS; r++)                                                                  \
            for (int p = 0; p < (vectors); p++) vf_store(m + (ptrdiff_t)r * oc + p * TIPS_BLOCK, sum[r][p]); \
    }

PRODUCT_TILE(product_2, 2)
PRODUCT_TILE(product_1, 1)

void tips__wino_product(const float *v, const float *u, float *m, int rows, int ic, int oc) {
    for (int o = 0; o < oc; o += WINO_PANEL) {
        const float *panel = u + (ptrdiff_t)o * ic;
        for (int r = 0; r < rows; r += WINO_ROWS) {
            if (wino_panel_width(oc, o) == WINO_PANEL)
                product_2(v + (ptrdiff_t)r * ic, panel, m + (ptrdiff_t)r * oc + o, ic, oc);
            else
                product_1(v + (ptrdiff_t)r * ic, panel, m + (ptrdiff_t)r * oc + o, ic, oc);
        }
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
            for (int p = 0; p < (vectors); p++) right[p] = vf_load(d + (ptrdiff_t)k * oc + p * TIPS_BLOCK);  \
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

static void outer_columns(const float *v, const float *d, float *du, int rows, int ic, int ic_count, int oc,
                          int vectors, bool fresh) {
    for (int i = 0; i < ic_count; i += 4) {
        float *row = du + (ptrdiff_t)i * oc;
        if (vectors == 3)
            outer_3(v + i, d, row, rows, ic, oc, fresh);
        else if (vectors == 2)
            outer_2(v + i, d, row, rows, ic, oc, fresh);
        else
            outer_1(v + i, d, row, rows, ic, oc, fresh);
    }
}

void tips__wino_outer(const float *v, const float *d, float *du, int rows, int ic, int ic_count, int oc, bool fresh) {
    for (int k = 0; k < rows; k += DEPTH) {
        const int depth = rows - k < DEPTH ? rows - k : DEPTH;
        for (int o = 0, vectors; o < oc; o += vectors * TIPS_BLOCK) {
            const int left = (oc - o) / TIPS_BLOCK;
            vectors = left == 4 ? 2 : left < 3 ? left : 3; /* never a lone vector where two pairs will do */
            outer_columns(v + (ptrdiff_t)k * ic, d + (ptrdiff_t)k * oc + o, du + o, depth, ic, ic_count, oc, vectors,
                          fresh && k == 0);
        }
    }
}
