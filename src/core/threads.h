/* The number of threads, and loops over planes in fixed chunks: which thread does what depends only on the
 * thread count, never on timing. */
#ifndef TIPS_CORE_THREADS_H
#define TIPS_CORE_THREADS_H

#include <omp.h>

#include "core/crew.h"

/* GCC's parallel loops in this file, and the questions who runs them, go to the crew instead of GCC's runtime. */
#if defined(__GNUC__) && !defined(__clang__)
__asm__(".set GOMP_parallel, tips__crew_parallel\n\t"
        ".set GOMP_barrier, tips__crew_barrier\n\t"
        ".set omp_get_thread_num, tips__crew_place\n\t"
        ".set omp_get_num_threads, tips__crew_size");
#endif

/* Threads the library uses: OMP_NUM_THREADS, or the cores that the process may run on and its control group leaves it,
 * unless set. The first call that says more than one makes OpenMP's threads wait politely. */
int tips__threads(void);
void tips__threads_set(int threads);
/* What a run does first with the number its options give: 0 leaves it as it is. */
void tips__threads_use(int threads);

#define TIPS_PRAGMA(text) _Pragma(#text)

/* for every (n, block) of a map: the body follows. */
#define TIPS_PARALLEL_PLANES(map, n, b)                                                                      \
    TIPS_PRAGMA(omp parallel for collapse(2) schedule(static) num_threads(tips__threads()))                  \
    for (int n = 0; n < (map)->n; n++)                                                                       \
        for (int b = 0; b < (map)->blocks; b++)

/* for i in 0..count-1, in fixed chunks: the body follows. */
#define TIPS_PARALLEL_FOR(i, count)                                                      \
    TIPS_PRAGMA(omp parallel for schedule(static) num_threads(tips__threads()))          \
    for (int i = 0; i < (count); i++)

#endif
