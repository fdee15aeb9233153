/* Register-tiled products. Every loop over sums is unrolled, so that they never leave the registers. */
#include "engine/winograd_gemm.h"

#include <stddef.h>

enum { B = TIPS_BLOCK };

#define EACH(i, count) _Pragma("GCC unroll 16") for (int i = 0; i < (count); i++)

#define PRODUCT(R, V)                                                                                      \
    static void product_##R##_##V(const float *v, const float *u, int blocks, bool fresh, float *m) {      \
        vf sum[R][V];                                                                                      \
        EACH(r, R) EACH(p, V) sum[r][p] = fresh ? (vf){0} : vf_load(m + r * WINO_PANEL + p * B);           \
        for (int b = 0; b < blocks; b++, v += (R) * B) {                                                   \
            _Pragma("GCC unroll 4") for (int i = 0; i < B; i++, u += (V) * B) {                            \
                vf right[V];                                                                               \
                EACH(p, V) right[p] = vf_load(u + p * B);                                                  \
                EACH(r, R) {                                                                               \
                    const vf left = vf_set(v[r * B + i]);                                                  \
                    EACH(p, V) sum[r][p] = vf_fma(left, right[p], sum[r][p]);                              \
                }                                                                                          \
            }                                                                                              \
        }                                                                                                  \
        EACH(r, R) EACH(p, V) vf_store(m + r * WINO_PANEL + p * B, sum[r][p]);                             \
    }

#define ROWS_3(M, V) M(1, V) M(2, V) M(3, V)
#define ROWS_6(M, V) ROWS_3(M, V) M(4, V) M(5, V) M(6, V)
#define ROWS_12(M, V) ROWS_6(M, V) M(7, V) M(8, V) M(9, V) M(10, V) M(11, V) M(12, V)
#if defined(__AVX512F__)
#define ROWS ROWS_12
#elif defined(__AVX2__) || defined(__aarch64__)
#define ROWS ROWS_6
#else
#define ROWS ROWS_3
#endif

ROWS(PRODUCT, 1)
ROWS(PRODUCT, 2)

typedef void (*product)(const float *v, const float *u, int blocks, bool fresh, float *m);
#define NAME(R, V) product_##R##_##V,

void tips__wino_product(const float *v, int rows, const float *u, int width, int blocks, bool fresh, float *m) {
    static const product products[2][WINO_ROWS] = {{ROWS(NAME, 1)}, {ROWS(NAME, 2)}};
    products[width == WINO_PANEL][rows - 1](v, u, blocks, fresh, m);
}

#define OUTER(V)                                                                                            \
    static void outer_##V(const float *v, const float *d, int tiles, ptrdiff_t d_block, ptrdiff_t row, bool fresh, \
                          float *du) {                                                                      \
        vf sum[WINO_OUTER_ROWS][V];                                                                         \
        EACH(r, WINO_OUTER_ROWS)                                                                            \
        EACH(p, V) sum[r][p] = fresh ? (vf){0} : vf_load(du + r * row + p * B);                   \
        _Pragma("GCC unroll 2") for (int k = 0; k < tiles; k++, v += B, d += B) {                           \
            vf right[V];                                                                                    \
            EACH(p, V) right[p] = vf_load(d + p * d_block);                                                 \
            EACH(r, WINO_OUTER_ROWS) {                                                                      \
                const vf left = vf_set(v[r]);                                                               \
                EACH(p, V) sum[r][p] = vf_fma(left, right[p], sum[r][p]);                                   \
            }                                                                                               \
        }                                                                                                   \
        EACH(r, WINO_OUTER_ROWS) EACH(p, V) vf_store(du + r * row + p * B, sum[r][p]);            \
    }

OUTER(1)
OUTER(2)
OUTER(3)

typedef void (*outer)(const float *v, const float *d, int tiles, ptrdiff_t d_block, ptrdiff_t row, bool fresh,
                      float *du);

/* Vectors of the next panel where `left` of them are left: never a lone one where two pairs will do. */
static int outer_panel(int left) { return left == 4 ? 2 : left < 3 ? left : 3; }

void tips__wino_outer(const float *v, const float *d, int tiles, int width, ptrdiff_t row, bool fresh, float *du) {
    static const outer outers[] = {NULL, outer_1, outer_2, outer_3};
    const ptrdiff_t d_block = (ptrdiff_t)tiles * B;
    for (int o = 0, vectors; o < width; o += vectors * B, d += vectors * d_block) {
        vectors = outer_panel((width - o) / B);
        for (int i = 0; i < B; i += WINO_OUTER_ROWS)
            outers[vectors](v + i, d, tiles, d_block, row, fresh, du + i * row + o);
    }
}
