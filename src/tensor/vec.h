/* Whole-block vectors: one vector is TIPS_BLOCK channels of one pixel. Kernels have no scalar tails, so that
 * every element takes the same instructions wherever it lies.
 *
 * Loads and stores are aligned: an address is a multiple of a vector's size, as in memory from core/memory.h at whole
 * blocks. An array of floats on the stack is not, unless it says _Alignas(sizeof(vf)). */
#ifndef TIPS_TENSOR_VEC_H
#define TIPS_TENSOR_VEC_H

#include <math.h>
#include <stdint.h>

#if defined(__FMA__)
#include <immintrin.h>
#endif

#ifndef TIPS_BLOCK
#error "vectors are for kernels, whose rooms cmake/TipsLevels.cmake lists; elsewhere, ask tips__block() of core/level.h"
#endif

typedef float vf __attribute__((vector_size(4 * TIPS_BLOCK)));
typedef int32_t vi __attribute__((vector_size(4 * TIPS_BLOCK)));
typedef double vd __attribute__((vector_size(8 * TIPS_BLOCK)));
typedef int64_t vl __attribute__((vector_size(8 * TIPS_BLOCK)));

static inline vf vf_load(const float *p) { return *(const vf *)p; }
static inline void vf_store(float *p, vf v) { *(vf *)p = v; }
#if TIPS_BLOCK == 16
#define TIPS_EVERY_LANE(x) {x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}
#else
#define TIPS_EVERY_LANE(x) {x, x, x, x, x, x, x, x}
#endif
static inline vf vf_set(float x) { return (vf)TIPS_EVERY_LANE(x); }
static inline vd vd_set(double x) { return (vd)TIPS_EVERY_LANE(x); }
static inline vd vd_from(vf v) { return __builtin_convertvector(v, vd); }
static inline vf vf_from(vd v) { return __builtin_convertvector(v, vf); }

/* Lanes of a mask are all ones or all zeros. */
static inline vf vf_select(vi mask, vf yes, vf no) {
#if defined(__AVX512DQ__) && TIPS_BLOCK == 16
    return (vf)_mm512_mask_blend_ps(_mm512_movepi32_mask((__m512i)mask), (__m512)no, (__m512)yes);
#elif defined(__AVX2__) && TIPS_BLOCK == 8
    return (vf)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
    return (vf)((mask & (vi)yes) | (~mask & (vi)no));
#endif
}
/* The larger; b where one of them is not a number. */
static inline vf vf_max(vf a, vf b) {
#if defined(__AVX512F__) && TIPS_BLOCK == 16
    return (vf)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__) && TIPS_BLOCK == 8
    return (vf)_mm256_max_ps((__m256)a, (__m256)b);
#else
    return vf_select(a > b, a, b);
#endif
}
static inline vf vf_abs(vf a) { return (vf)((vi)a & 0x7fffffff); }
static inline vd vd_max(vd a, vd b) {
    vl mask = a > b;
    return (vd)((mask & (vl)a) | (~mask & (vl)b));
}
/* At least low, then at most high. NaN stays NaN: a broken value must not turn into a quiet number (x86's maximum and
 * minimum give their second operand where one is not a number). */
static inline vf vf_between(vf a, vf low, vf high) {
#if defined(__AVX512F__) && TIPS_BLOCK == 16
    return (vf)_mm512_min_ps((__m512)high, _mm512_max_ps((__m512)low, (__m512)a));
#elif defined(__AVX2__) && TIPS_BLOCK == 8
    return (vf)_mm256_min_ps((__m256)high, _mm256_max_ps((__m256)low, (__m256)a));
#else
    a = vf_select(a < low, low, a);
    return vf_select(a > high, high, a);
#endif
}
static inline vf vf_relu(vf a) { return vf_between(a, (vf){0}, vf_set(INFINITY)); }

/* a * b + c, fused wherever the build has fused multiply-add. */
static inline vf vf_fma(vf a, vf b, vf c) {
#if defined(__AVX512F__) && TIPS_BLOCK == 16
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__) && TIPS_BLOCK == 8
    return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__ARM_FEATURE_FMA)
    for (int i = 0; i < TIPS_BLOCK; i++) c[i] = __builtin_fmaf(a[i], b[i], c[i]); /* compilers make vectors of it */
    return c;
#else
    return a * b + c;
#endif
}

/* Sums the lanes in a fixed order. */
static inline float vf_sum(vf v) {
    float sum = 0;
    for (int i = 0; i < TIPS_BLOCK; i++) sum += v[i];
    return sum;
}
static inline double vd_sum(vd v) {
    double sum = 0;
    for (int i = 0; i < TIPS_BLOCK; i++) sum += v[i];
    return sum;
}

/* Row r of `to` is column r of the B x B floats at `from`: halves of pairs of rows are exchanged, then quarters, ... */
#if TIPS_BLOCK == 16
#define TIPS_SWAP_8(M) M(8, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
#define TIPS_SWAP_4(M) M(4, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define TIPS_SWAP_2(M) M(2, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define TIPS_SWAP_1(M) M(1, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define TIPS_SWAPS(M) TIPS_SWAP_8(M) TIPS_SWAP_4(M) TIPS_SWAP_2(M) TIPS_SWAP_1(M)
#else
#define TIPS_SWAPS(M) M(4, 0, 1, 2, 3, 8, 9, 10, 11) M(2, 0, 1, 8, 9, 4, 5, 12, 13) M(1, 0, 8, 2, 10, 4, 12, 6, 14)
#endif
static inline vf vf_swap(vf a, vf b, vi lanes) {
#if defined(__clang__)
    vf out;
    for (int i = 0; i < TIPS_BLOCK; i++) out[i] = lanes[i] < TIPS_BLOCK ? a[lanes[i]] : b[lanes[i] - TIPS_BLOCK];
    return out;
#else
    return __builtin_shuffle(a, b, lanes);
#endif
}
#define TIPS_SWAP(S, ...)                                                           \
    for (int r = 0; r < TIPS_BLOCK; r++) {                                          \
        if (r & (S)) continue;                                                      \
        const vf a = to[r], b = to[r + (S)];                                        \
        to[r] = vf_swap(a, b, (vi){__VA_ARGS__});                                   \
        to[r + (S)] = vf_swap(a, b, (vi){__VA_ARGS__} + (S));                       \
    }
static inline void vf_transpose(const float *from, vf to[TIPS_BLOCK]) {
    for (int r = 0; r < TIPS_BLOCK; r++) to[r] = vf_load(from + r * TIPS_BLOCK);
    TIPS_SWAPS(TIPS_SWAP)
}

/* exp to about 1 ulp, one path for all lanes: 2^n * p(r), |r| <= ln2/2. Arguments below -87 give 0. */
static inline vf vf_exp(vf x) {
    const vi tiny = x < -87.0f;
    x = vf_between(x, vf_set(-87.0f), vf_set(88.0f));
    vf n = x * 1.44269504088896341f;
    n = (n + 12582912.0f) - 12582912.0f;
    vf r = vf_fma(n, vf_set(-0.693359375f), x);
    r = vf_fma(n, vf_set(2.12194440e-4f), r);
    vf p = vf_set(1.9875691500e-4f);
    p = vf_fma(p, r, vf_set(1.3981999507e-3f));
    p = vf_fma(p, r, vf_set(8.3334519073e-3f));
    p = vf_fma(p, r, vf_set(4.1665795894e-2f));
    p = vf_fma(p, r, vf_set(1.6666665459e-1f));
    p = vf_fma(p, r, vf_set(5.0000001201e-1f));
    p = vf_fma(p, r * r, r) + 1.0f;
    const vi power = (__builtin_convertvector(n, vi) + 127) << 23;
    return vf_select(tiny, (vf){0}, p * (vf)power);
}

#endif
