/* The small matrix product: 4 x 2-vector register tiles, remainders with the same chain per element. */
#include "tensor/matmul.h"

#include "core/threads.h"
#include "tensor/vec.h"

enum { ROWS = 4, VECTORS = 2 };

#define DEFINE_TILE(name, rows, vectors)                                                               \
    static void name(const tips_matmul *job, int i0, int j0) {                                         \
        vf sum[rows][vectors];                                                                         \
        for (int r = 0; r < (rows); r++)                                                               \
            for (int v = 0; v < (vectors); v++)                                                        \
                sum[r][v] = job->accumulate ? vf_load(job->c + (i0 + r) * job->c_row + j0 + v * TIPS_BLOCK) : (vf){0}; \
        for (int l = 0; l < job->k; l++) {                                                             \
            const float *a = job->a + i0 * job->a_row + l * job->a_col;                                \
            const float *b = job->b + l * job->b_row + j0;                                             \
            for (int v = 0; v < (vectors); v++) {                                                      \
                const vf right = vf_load(b + v * TIPS_BLOCK);                                          \
                for (int r = 0; r < (rows); r++) sum[r][v] = vf_fma(vf_set(a[r * job->a_row]), right, sum[r][v]); \
            }                                                                                          \
        }                                                                                              \
        for (int r = 0; r < (rows); r++)                                                               \
            for (int v = 0; v < (vectors); v++)                                                        \
                vf_store(job->c + (i0 + r) * job->c_row + j0 + v * TIPS_BLOCK, sum[r][v]);             \
    }

DEFINE_TILE(tile_4x2, 4, 2)
DEFINE_TILE(tile_4x1, 4, 1)
DEFINE_TILE(tile_1x2, 1, 2)
DEFINE_TILE(tile_1x1, 1, 1)

static void strip(const tips_matmul *job, int i0) {
    const int rows = job->m - i0 < ROWS ? job->m - i0 : ROWS;
    int j = 0;
    for (; j + VECTORS * TIPS_BLOCK <= job->n; j += VECTORS * TIPS_BLOCK) {
        if (rows == ROWS)
            tile_4x2(job, i0, j);
        else
            for (int r = 0; r < rows; r++) tile_1x2(job, i0 + r, j);
    }
    if (j == job->n) return;
    if (rows == ROWS)
        tile_4x1(job, i0, j);
    else
        for (int r = 0; r < rows; r++) tile_1x1(job, i0 + r, j);
}

void tips__matmul(const tips_matmul *job) {
    const int strips = (job->m + ROWS - 1) / ROWS;
    if ((double)job->m * job->n * job->k < 30000) {
        for (int s = 0; s < strips; s++) strip(job, s * ROWS);
        return;
    }
    TIPS_PARALLEL_FOR(s, strips) strip(job, s * ROWS);
}

void tips__transpose(const float *src, int rows, int cols, ptrdiff_t src_row, float *dst, ptrdiff_t dst_row) {
    for (int i = 0; i < cols; i++) {
        float *line = dst + i * dst_row;
        for (int r = 0; r < rows; r++) line[r] = src[r * src_row + i];
        for (ptrdiff_t r = rows; r < dst_row; r++) line[r] = 0;
    }
}
