/* The library's thread count. */
#include "core/threads.h"

static int chosen;

int tips__threads(void) { return chosen > 0 ? chosen : omp_get_max_threads(); }

void tips__threads_set(int threads) {
    chosen = threads;
    if (threads > 0) omp_set_num_threads(threads);
}

void tips__threads_use(int threads) {
    if (threads > 0) tips__threads_set(threads);
}
