/* A small matrix product for the parts that are too small or too order-sensitive for the engine library.
 * Every element is one chain of fused multiply-adds over k = 0..K-1, whatever its position and the threads. */
#ifndef TIPS_TENSOR_MATMUL_H
#define TIPS_TENSOR_MATMUL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tips_matmul {
    int m, n, k;           /* n counts floats and is a multiple of B */
    const float *a;        /* a(i, l) = a[i * a_row + l * a_col] */
    ptrdiff_t a_row, a_col;
    const float *b;        /* b(l, j) = b[l * b_row + j] */
    ptrdiff_t b_row;
    float *c;              /* c(i, j) = c[i * c_row + j] */
    ptrdiff_t c_row;
    bool accumulate;       /* c += instead of c = */
} tips_matmul;

void tips__matmul(const tips_matmul *job);
/* The same by the calling thread alone, for what runs in a parallel loop already. */
void tips__matmul_alone(const tips_matmul *job);

/* dst (cols x dst_row) = transpose of src (rows x src_row); columns of dst beyond `rows` are zeroed. */
void tips__transpose(const float *src, int rows, int cols, ptrdiff_t src_row, float *dst, ptrdiff_t dst_row);

#endif
