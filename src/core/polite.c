/* Waiting politely: LLVM's runtime is told so; GCC's has to be led to it, as it reads its environment before anyone
 * could change it. It spins for milliseconds as long as it believes to have a core for each of its threads, and for
 * microseconds else: so an idle team of its own, asleep for good, makes it believe that it has not. */
#include "core/polite.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_said(void) {
    static const char *const names[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) return true;
    return false;
}

#ifdef __clang__

extern void kmp_set_blocktime(int milliseconds) __attribute__((weak));

/* Of the teams of this thread alone. */
static void shorten(int threads) {
    static _Thread_local bool is_done;
    (void)threads;
    if (is_done) return;
    is_done = true;
    if (kmp_set_blocktime && !is_said()) kmp_set_blocktime(1);
}

#else

/* Counts, for compilers leave out what does nothing. */
static void form_team(int threads) {
    static atomic_int members;
#pragma omp parallel num_threads(threads)
    atomic_fetch_add_explicit(&members, 1, memory_order_relaxed);
}

static void *end_at_once(void *unused) { return unused; }

/* The team has one more thread than this one, and the count of threads that of the runtime's. */
static void *sleep_for_good(void *unused) {
    form_team(2);
    for (;;) pause();
    return unused;
}

/* Signals are for the program's own threads. */
static bool start(void *(*run)(void *), pthread_t *out) {
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    const bool is_started = pthread_create(out, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

/* The runtime ends the program if it cannot start a thread; so whether that works is tried first. The stack of the
 * thread that tried is kept by the C library for the next. */
static bool can_start_another(void) {
    pthread_t trial;
    return start(end_at_once, &trial) && pthread_join(trial, NULL) == 0;
}

static bool has_room(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

static void start_idle_team(void) {
    pthread_t idle;
    if (can_start_another() && start(sleep_for_good, &idle)) pthread_detach(idle);
}

/* Only where the program's own threads take all cores: with some left, spinning is in nobody's way. Those threads come
 * first, so that they have what there is. */
static void shorten(int threads) {
    static atomic_bool is_done;
    if (atomic_load_explicit(&is_done, memory_order_relaxed) || omp_in_parallel()) return;
    if (atomic_exchange(&is_done, true)) return;
    if (is_said() || !has_room() || threads < omp_get_num_procs()) return;
    form_team(threads);
    start_idle_team();
}

#endif

void tips__wait_politely(int threads) {
    if (threads > 1) shorten(threads);
}
