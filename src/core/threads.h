/* The number of threads, and loops over planes whose pieces threads take as they get to them. What is computed in a
 * piece must not depend on who does it: a thread's number is good for finding its scratch, and for nothing else. */
#ifndef TIPS_CORE_THREADS_H
#define TIPS_CORE_THREADS_H

#include <omp.h>

#include "core/crew.h"

/* GCC's parallel loops in this file, and the questions who runs them, go to the crew instead of GCC's runtime. */
#if defined(__GNUC__) && !defined(__clang__)
__asm__(".set GOMP_parallel, tips__crew_parallel\n\t"
        ".set GOMP_barrier, tips__crew_barrier\n\t"
        ".set GOMP_parallel_loop_dynamic, tips__crew_loop\n\t"
        ".set GOMP_parallel_loop_nonmonotonic_dynamic, tips__crew_loop\n\t"
        ".set GOMP_loop_dynamic_start, tips__crew_start\n\t"
        ".set GOMP_loop_nonmonotonic_dynamic_start, tips__crew_start\n\t"
        ".set GOMP_loop_dynamic_next, tips__crew_next\n\t"
        ".set GOMP_loop_nonmonotonic_dynamic_next, tips__crew_next\n\t"
        ".set GOMP_loop_end_nowait, tips__crew_loop_end\n\t"
        ".set omp_get_thread_num, tips__crew_place\n\t"
        ".set omp_get_num_threads, tips__crew_size");
#endif

/* Threads the library uses: OMP_NUM_THREADS, or the cores that the process may run on and its control group leaves it,
 * unless set. The first call that says more than one makes OpenMP's threads wait politely. */
int tips__threads(void);
void tips__threads_set(int threads);
/* What a run does first with the number its options give: 0 leaves it as it is. */
void tips__threads_use(int threads);

/* So many numbers of a loop are given out at a time: few enough that the last piece is not waited for long, many enough
 * for neighbours to stay together. Each thread of the loop asks, and all must get one answer: tips__threads() may say
 * something else in each. */
static inline int tips__piece(int count) {
    enum { PIECES = 16 }; /* for each thread */
    const int piece = count / (PIECES * omp_get_num_threads());
    return piece > 1 ? piece : 1;
}

#define TIPS_PRAGMA(text) _Pragma(#text)

/* for every (n, block) of a map: the body follows. */
#define TIPS_PARALLEL_PLANES(map, n, b)                                                                      \
    TIPS_PRAGMA(omp parallel for collapse(2) num_threads(tips__threads())                                    \
                    schedule(dynamic, tips__piece((map)->n * (map)->blocks)))                                \
    for (int n = 0; n < (map)->n; n++)                                                                       \
        for (int b = 0; b < (map)->blocks; b++)

/* for i in 0..count-1: the body follows. */
#define TIPS_PARALLEL_FOR(i, count)                                                                          \
    TIPS_PRAGMA(omp parallel for num_threads(tips__threads())                                                \
                    schedule(dynamic, tips__piece(count)))                                                   \
    for (int i = 0; i < (count); i++)

#endif
