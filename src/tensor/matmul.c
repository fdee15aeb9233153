/* The small matrix product in register tiles, with the same chain of sums for an element in each. */
#include "tensor/matmul.h"

#include "core/threads.h"
#include "tensor/vec.h"

enum { ROWS = 4, PANEL = 8 * TIPS_BLOCK };

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
DEFINE_TILE(tile_1x8, 1, 8)
DEFINE_TILE(tile_1x2, 1, 2)
DEFINE_TILE(tile_1x1, 1, 1)

/* `count` columns from j on, whole vectors. A lone row takes many at a time: it waits for b, not for sums. */
static void run_row(const tips_matmul *job, int row, int j, int count) {
    for (; count >= 8 * TIPS_BLOCK; j += 8 * TIPS_BLOCK, count -= 8 * TIPS_BLOCK) tile_1x8(job, row, j);
    for (; count >= 2 * TIPS_BLOCK; j += 2 * TIPS_BLOCK, count -= 2 * TIPS_BLOCK) tile_1x2(job, row, j);
    if (count > 0) tile_1x1(job, row, j);
}

static void run_four_rows(const tips_matmul *job, int row, int j, int count) {
    for (; count >= 2 * TIPS_BLOCK; j += 2 * TIPS_BLOCK, count -= 2 * TIPS_BLOCK) tile_4x2(job, row, j);
    if (count > 0) tile_4x1(job, row, j);
}

/* Piece p: four rows, or what is left of them, and a panel of columns. */
static void run_piece(const tips_matmul *job, int panels, int p) {
    const int row = p / panels * ROWS, j = p % panels * PANEL;
    const int rows = job->m - row < ROWS ? job->m - row : ROWS, count = job->n - j < PANEL ? job->n - j : PANEL;
    if (rows == ROWS)
        run_four_rows(job, row, j, count);
    else
        for (int r = 0; r < rows; r++) run_row(job, row + r, j, count);
}

static int panels_of(const tips_matmul *job) { return (job->n + PANEL - 1) / PANEL; }
static int pieces_of(const tips_matmul *job) { return (job->m + ROWS - 1) / ROWS * panels_of(job); }

void tips__matmul_alone(const tips_matmul *job) {
    for (int p = 0; p < pieces_of(job); p++) run_piece(job, panels_of(job), p);
}

void tips__matmul(const tips_matmul *job) {
    if ((double)job->m * job->n * job->k < 30000) tips__matmul_alone(job);
    else
        TIPS_PARALLEL_FOR(p, pieces_of(job)) run_piece(job, panels_of(job), p);
}

void tips__transpose(const float *src, int rows, int cols, ptrdiff_t src_row, float *dst, ptrdiff_t dst_row) {
    for (int i = 0; i < cols; i++) {
        float *line = dst + i * dst_row;
        for (int r = 0; r < rows; r++) line[r] = src[r * src_row + i];
        for (ptrdiff_t r = rows; r < dst_row; r++) line[r] = 0;
    }
}
