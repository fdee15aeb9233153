/* One crew for the process. Whoever opens a parallel loop is its first member; loops of several threads of the program
 * take turns.
 *
 * `call` is a count of loops and the size of the present one in one word: a member that is not part of a loop may
 * be late, and must not take a later loop's size for it. Members of a loop are waited for before the next. */
#include "core/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { MOST = 1024, SIZE_BITS = 16 };

/* A loop that is given out in pieces. */
typedef struct pieces {
    long start, end, size;
} pieces;

static struct {
    pthread_mutex_t turn;          /* of loops */
    pthread_mutex_t lock;          /* of what sleepers wait for */
    pthread_cond_t called, done, passed;
    _Atomic uint64_t call;
    atomic_int sleepers;           /* members that wait for a call */
    atomic_int working;            /* members besides the first that are not done */
    atomic_bool first_sleeps;
    void (*work)(void *data);
    void *data;
    pieces loop;                   /* that is opened together with its threads */
    atomic_long taken;             /* pieces of the present loop */
    int members;                   /* started, the first not counted */
    uint64_t call_at_start;        /* of those that are being started: the next is for them */
    atomic_int arrived, barriers;  /* at the present barrier, and how many there were */
    atomic_int barrier_sleepers;
    bool is_prepared;
} crew = {.turn = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .called = PTHREAD_COND_INITIALIZER,
          .done = PTHREAD_COND_INITIALIZER, .passed = PTHREAD_COND_INITIALIZER};

static _Thread_local int own_place, own_size = 1;
static _Thread_local bool is_working;
static _Thread_local pieces own_loop;
static _Thread_local bool has_taken_all; /* of a loop that it runs alone */

/* ---- waiting ---- */

static void breathe(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks before sleep: some tens of microseconds, longer than from one layer to the next, or what the user says to
 * OpenMP. */
static long read_looks(void) {
    enum { USUAL = 4000 };
    const char *count = getenv("GOMP_SPINCOUNT"), *policy = getenv("OMP_WAIT_POLICY");
    if (count && strtol(count, NULL, 10) > 0) return strtol(count, NULL, 10);
    if (policy && (policy[0] == 'p' || policy[0] == 'P')) return 1;
    if (policy && (policy[0] == 'a' || policy[0] == 'A')) return 1L << 30;
    return USUAL;
}

static long looks;

/* ---- members ---- */

static int size_of(uint64_t call) { return (int)(call & ((1u << SIZE_BITS) - 1)); }

static uint64_t next_call(uint64_t seen) {
    for (long i = 0; i < looks; i++) {
        const uint64_t call = atomic_load_explicit(&crew.call, memory_order_acquire);
        if (call != seen) return call;
        breathe();
    }
    pthread_mutex_lock(&crew.lock);
    atomic_fetch_add(&crew.sleepers, 1);
    while (atomic_load(&crew.call) == seen) pthread_cond_wait(&crew.called, &crew.lock);
    atomic_fetch_sub(&crew.sleepers, 1);
    pthread_mutex_unlock(&crew.lock);
    return atomic_load(&crew.call);
}

static void say_done(void) {
    if (atomic_fetch_sub(&crew.working, 1) != 1 || !atomic_load(&crew.first_sleeps)) return;
    pthread_mutex_lock(&crew.lock);
    pthread_cond_signal(&crew.done);
    pthread_mutex_unlock(&crew.lock);
}

static void *member(void *place) {
    own_place = (int)(intptr_t)place;
    is_working = true; /* whatever it does here is inside of a loop */
    uint64_t seen = crew.call_at_start;
    for (;;) {
        seen = next_call(seen);
        own_size = size_of(seen);
        if (own_place >= own_size) continue;
        own_loop = crew.loop;
        crew.work(crew.data);
        say_done();
    }
    return NULL;
}

static bool start(int place) {
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all); /* signals are for the program's own threads */
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    const bool is_started = pthread_create(&thread, NULL, member, (void *)(intptr_t)place) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started) pthread_detach(thread);
    return is_started;
}

/* In a child after fork there are no members. */
static void forget(void) {
    crew.members = 0;
    atomic_store(&crew.sleepers, 0);
    pthread_mutex_init(&crew.turn, NULL);
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.called, NULL);
}

static void prepare(void) {
    if (crew.is_prepared) return;
    crew.is_prepared = true;
    looks = read_looks();
    pthread_atfork(NULL, NULL, forget);
}

static int gather(int size) {
    prepare();
    if (size > MOST) size = MOST;
    crew.call_at_start = atomic_load(&crew.call);
    while (crew.members < size - 1 && start(crew.members + 1)) crew.members++;
    return crew.members + 1 < size ? crew.members + 1 : size;
}

/* ---- loops ---- */

static void call_members(int size) {
    const uint64_t count = (atomic_load(&crew.call) >> SIZE_BITS) + 1;
    atomic_store(&crew.working, size - 1);
    atomic_store(&crew.call, count << SIZE_BITS | (uint64_t)size);
    if (atomic_load(&crew.sleepers) == 0) return;
    pthread_mutex_lock(&crew.lock);
    pthread_cond_broadcast(&crew.called);
    pthread_mutex_unlock(&crew.lock);
}

static void wait_for_members(void) {
    for (long i = 0; i < looks; i++) {
        if (atomic_load_explicit(&crew.working, memory_order_acquire) == 0) return;
        breathe();
    }
    pthread_mutex_lock(&crew.lock);
    atomic_store(&crew.first_sleeps, true);
    while (atomic_load(&crew.working) > 0) pthread_cond_wait(&crew.done, &crew.lock);
    atomic_store(&crew.first_sleeps, false);
    pthread_mutex_unlock(&crew.lock);
}

static void work_at(int place, int size, const pieces *loop, void (*work)(void *data), void *data) {
    const int old_place = own_place, old_size = own_size;
    const bool was_working = is_working, had_taken_all = has_taken_all;
    const pieces old_loop = own_loop;
    own_place = place;
    own_size = size;
    own_loop = *loop;
    is_working = true;
    has_taken_all = false;
    work(data);
    own_place = old_place;
    own_size = old_size;
    own_loop = old_loop;
    is_working = was_working;
    has_taken_all = had_taken_all;
}

static void run(void (*work)(void *data), void *data, unsigned threads, const pieces *loop) {
    if (threads <= 1 || is_working) {
        work_at(0, 1, loop, work, data);
        return;
    }
    pthread_mutex_lock(&crew.turn);
    const int size = gather((int)threads);
    crew.work = work;
    crew.data = data;
    crew.loop = *loop;
    atomic_store(&crew.taken, 0);
    if (size > 1) call_members(size);
    work_at(0, size, loop, work, data);
    if (size > 1) wait_for_members();
    pthread_mutex_unlock(&crew.turn);
}

void tips__crew_parallel(void (*work)(void *data), void *data, unsigned threads, unsigned flags) {
    (void)flags;
    run(work, data, threads, &(pieces){0});
}

void tips__crew_loop(void (*work)(void *data), void *data, unsigned threads, long start, long end, long step,
                     long piece, unsigned flags) {
    (void)flags;
    run(work, data, threads, &(pieces){start, end, step * piece});
}

bool tips__crew_start(long start, long end, long step, long piece, long *first, long *last) {
    own_loop = (pieces){start, end, step * piece};
    return tips__crew_next(first, last);
}

static bool take_all(long *first, long *last) {
    if (has_taken_all || own_loop.start >= own_loop.end) return false;
    has_taken_all = true;
    *first = own_loop.start;
    *last = own_loop.end;
    return true;
}

bool tips__crew_next(long *first, long *last) {
    const pieces *l = &own_loop;
    if (own_size == 1) return take_all(first, last);
    const long piece = atomic_fetch_add_explicit(&crew.taken, 1, memory_order_relaxed);
    *first = l->start + piece * l->size;
    if (*first >= l->end) return false;
    *last = l->end - *first < l->size ? l->end : *first + l->size;
    return true;
}

void tips__crew_loop_end(void) {} /* whoever opened it waits */

int tips__crew_place(void) { return own_place; }
int tips__crew_size(void) { return own_size; }

static void pass_barrier(void) {
    atomic_store(&crew.arrived, 0);
    atomic_fetch_add(&crew.barriers, 1);
    if (atomic_load(&crew.barrier_sleepers) == 0) return;
    pthread_mutex_lock(&crew.lock);
    pthread_cond_broadcast(&crew.passed);
    pthread_mutex_unlock(&crew.lock);
}

void tips__crew_barrier(void) {
    if (own_size == 1) return;
    const int seen = atomic_load(&crew.barriers);
    if (atomic_fetch_add(&crew.arrived, 1) + 1 == own_size) {
        pass_barrier();
        return;
    }
    for (long i = 0; i < looks; i++) {
        if (atomic_load_explicit(&crew.barriers, memory_order_acquire) != seen) return;
        breathe();
    }
    pthread_mutex_lock(&crew.lock);
    atomic_fetch_add(&crew.barrier_sleepers, 1);
    while (atomic_load(&crew.barriers) == seen) pthread_cond_wait(&crew.passed, &crew.lock);
    atomic_fetch_sub(&crew.barrier_sleepers, 1);
    pthread_mutex_unlock(&crew.lock);
}
