/* As many sums at a time as registers hold, one function for each number, for the compiler to unroll. */
#include "engine/few_sums.h"

typedef void (*some_sums)(const float *vectors, const float *numbers, ptrdiff_t step, int count, vd *totals);

#define SUMS(N)                                                                                               \
    static void sums_##N(const float *vectors, const float *numbers, ptrdiff_t step, int count, vd *totals) { \
        vf sum[N];                                                                                            \
        _Pragma("GCC unroll 24") for (int i = 0; i < (N); i++) sum[i] = (vf){0};                              \
        for (int x = 0; x < count; x++, vectors += TIPS_BLOCK, numbers += step) {                             \
            const vf vector = vf_load(vectors);                                                               \
            _Pragma("GCC unroll 24") for (int i = 0; i < (N); i++) sum[i] =                                   \
                vf_fma(vf_set(numbers[i]), vector, sum[i]);                                                   \
        }                                                                                                     \
        _Pragma("GCC unroll 24") for (int i = 0; i < (N); i++) totals[i] += vd_from(sum[i]);                  \
    }

#define UP_TO_6(M) M(1) M(2) M(3) M(4) M(5) M(6)
#define UP_TO_12(M) UP_TO_6(M) M(7) M(8) M(9) M(10) M(11) M(12)
#define UP_TO_24(M) UP_TO_12(M) M(13) M(14) M(15) M(16) M(17) M(18) M(19) M(20) M(21) M(22) M(23) M(24)
#define NAME(N) sums_##N,

#if defined(__AVX512F__)
#define EACH_NUMBER UP_TO_24
enum { MOST = 24 };
#elif defined(__AVX2__) || defined(__aarch64__)
#define EACH_NUMBER UP_TO_12
enum { MOST = 12 };
#else
#define EACH_NUMBER UP_TO_6
enum { MOST = 6 };
#endif

EACH_NUMBER(SUMS)

void tips__few_sums(const float *vectors, const float *numbers, ptrdiff_t step, int count, int sums, vd *totals) {
    static const some_sums numbered[MOST] = {EACH_NUMBER(NAME)};
    const int pieces = (sums + MOST - 1) / MOST;
    for (int i = 0; i < pieces; i++) {
        const int first = sums * i / pieces, end = sums * (i + 1) / pieces;
        numbered[end - first - 1](vectors, numbers + first, step, count, totals + first);
    }
}
