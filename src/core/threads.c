/* The library's thread count. */
#include "core/threads.h"

#include "core/cores.h"
#include "core/polite.h"

#include <stdatomic.h>
#include <stdlib.h>

static int chosen;

/* Of the control group, looked up once; 0: none, or the user has said how many threads there shall be. */
static int group_limit(void) {
    enum { UNKNOWN = -1 };
    static atomic_int known = UNKNOWN;
    int limit = atomic_load_explicit(&known, memory_order_relaxed);
    if (limit != UNKNOWN) return limit;
    limit = getenv("OMP_NUM_THREADS") ? 0 : tips__cores_of_group("/proc/self/cgroup", "/sys/fs/cgroup");
    atomic_store(&known, limit);
    return limit;
}

/* OpenMP counts the cores the process may run on, but not how much of them; a number that the program has set stays. */
static int usual(void) {
    const int limit = group_limit();
    if (limit > 0 && omp_get_max_threads() > limit && omp_get_max_threads() == omp_get_num_procs())
        omp_set_num_threads(limit);
    return omp_get_max_threads();
}

int tips__threads(void) {
    const int threads = chosen > 0 ? chosen : usual();
#ifdef __clang__
    tips__wait_politely(threads); /* GCC's loops are the crew's */
#endif
    return threads;
}

void tips__threads_set(int threads) {
    chosen = threads;
    if (threads > 0) omp_set_num_threads(threads);
}

void tips__threads_use(int threads) {
    if (threads > 0) tips__threads_set(threads);
}
