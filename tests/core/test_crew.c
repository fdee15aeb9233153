/* The crew: every place of a loop is run once, and every piece is taken once, whatever the sizes, pauses, nesting and
 * callers; barriers hold; a child process has a crew of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/crew.h"
#include "core/threads.h"

enum { MOST = 5 };

typedef struct loop {
    atomic_int runs[MOST];
    atomic_int size;
    atomic_int before; /* the barrier */
    atomic_int early;
} loop;

static void note(void *data) {
    loop *l = data;
    atomic_fetch_add(&l->runs[tips__crew_place()], 1);
    atomic_store(&l->size, tips__crew_size());
}

static void expect_each_once(loop *l, int size) {
    assert_int_equal(l->size, size);
    for (int i = 0; i < MOST; i++) assert_int_equal(l->runs[i], i < size);
}

/* Pauses longer than members spin, so that they sleep in some. */
static void test_sizes(void **state) {
    (void)state;
    for (int i = 0; i < 3000; i++) {
        loop l = {0};
        const int size = 1 + i % MOST;
        if (i % 500 == 7) usleep(20000);
        tips__crew_parallel(note, &l, (unsigned)size, 0);
        expect_each_once(&l, size);
    }
    assert_int_equal(tips__crew_place(), 0);
    assert_int_equal(tips__crew_size(), 1);
}

static void meet(void *data) {
    loop *l = data;
    for (int i = 1; i <= 50; i++) {
        atomic_fetch_add(&l->before, 1);
        if (i % 20 == tips__crew_place()) usleep(3000);
        tips__crew_barrier();
        if (atomic_load(&l->before) != i * tips__crew_size()) atomic_fetch_add(&l->early, 1);
        tips__crew_barrier();
    }
}

static void test_barriers(void **state) {
    (void)state;
    for (unsigned size = 1; size <= MOST; size++) {
        loop l = {0};
        tips__crew_parallel(meet, &l, size, 0);
        assert_int_equal(l.early, 0);
        assert_int_equal(l.before, 50 * size);
    }
}

static void nest(void *data) {
    loop inner = {0};
    tips__crew_parallel(note, &inner, 3, 0);
    if (inner.size != 1 || inner.runs[0] != 1) atomic_fetch_add(&((loop *)data)->early, 1);
    note(data);
}

static void test_nested(void **state) {
    (void)state;
    loop l = {0};
    tips__crew_parallel(nest, &l, 3, 0);
    expect_each_once(&l, 3);
    assert_int_equal(l.early, 0);
}

/* ---- loops in pieces ---- */

enum { NUMBERS = 97 };

typedef struct counted {
    atomic_int times[NUMBERS];
    atomic_int largest; /* piece */
    atomic_bool late;   /* the first place does nothing until all is done: it is kept from its core */
    long start, end, step, piece;
} counted;

static int seen(counted *c) {
    int sum = 0;
    for (int i = 0; i < NUMBERS; i++) sum += atomic_load(&c->times[i]);
    return sum;
}

static void count_piece(counted *c, long first, long last) {
    const int size = (int)((last - first + c->step - 1) / c->step);
    if (size > atomic_load(&c->largest)) atomic_store(&c->largest, size);
    for (long i = first; i < last; i += c->step) atomic_fetch_add(&c->times[i], 1);
}

static void count_started(void *data) {
    counted *c = data;
    long first, last;
    if (c->late && tips__crew_place() == 0 && tips__crew_size() > 1)
        for (int i = 0; i < 10000 && seen(c) < NUMBERS; i++) usleep(100);
    if (tips__crew_start(c->start, c->end, c->step, c->piece, &first, &last))
        do count_piece(c, first, last);
        while (tips__crew_next(&first, &last));
    tips__crew_loop_end();
}

static void count_opened(void *data) {
    long first, last;
    while (tips__crew_next(&first, &last)) count_piece(data, first, last);
    tips__crew_loop_end();
}

static void expect_counted(counted *c, bool alone) {
    for (long i = 0; i < NUMBERS; i++) {
        const bool is_in = i >= c->start && i < c->end && (i - c->start) % c->step == 0;
        if (c->times[i] != is_in) fail_msg("number %ld: %d times", i, c->times[i]);
    }
    if (!alone && c->largest > c->piece) fail_msg("a piece of %d instead of %ld", c->largest, c->piece);
}

static void test_pieces(void **state) {
    (void)state;
    for (int i = 0; i < 2000; i++) {
        counted started = {.start = i % 3, .end = i % 5 ? NUMBERS : i % 3, .step = 1 + i % 2, .piece = 1 + i % 40};
        counted opened = {.start = started.start, .end = started.end, .step = started.step, .piece = started.piece};
        const unsigned size = 1 + (unsigned)i % MOST;
        tips__crew_parallel(count_started, &started, size, 0);
        tips__crew_loop(count_opened, &opened, size, opened.start, opened.end, opened.step, opened.piece, 0);
        expect_counted(&started, size == 1);
        expect_counted(&opened, size == 1);
    }
}

static void test_pieces_of_a_late_one(void **state) {
    (void)state;
    for (unsigned size = 2; size <= MOST; size++) {
        counted c = {.end = NUMBERS, .step = 1, .piece = 5, .late = true};
        tips__crew_parallel(count_started, &c, size, 0);
        expect_counted(&c, false);
    }
}

/* A loop inside of a piece is run alone, and the one around it goes on where it was. */
static void nest_pieces(void *data) {
    counted *outer = data;
    long first, last;
    while (tips__crew_next(&first, &last)) {
        counted inner = {.end = NUMBERS, .step = 1, .piece = 3}, opened = inner;
        tips__crew_parallel(count_started, &inner, 3, 0);
        tips__crew_loop(count_opened, &opened, 3, 0, NUMBERS, 1, 3, 0);
        if (seen(&inner) == NUMBERS && seen(&opened) == NUMBERS) count_piece(outer, first, last);
    }
}

static void test_nested_pieces(void **state) {
    (void)state;
    for (unsigned size = 1; size <= MOST; size++) {
        counted c = {.end = NUMBERS, .step = 1, .piece = 2};
        tips__crew_loop(nest_pieces, &c, size, 0, NUMBERS, 1, 2, 0);
        expect_counted(&c, size == 1);
    }
}

/* As the library writes them. */
static void test_written_loops(void **state) {
    (void)state;
    const int before = tips__threads();
    for (int threads = 1; threads <= MOST; threads++)
        for (int count = 0; count < 200; count += 13) {
            atomic_int times[200] = {0};
            atomic_int planes[7][11] = {0};
            const struct {
                int n, blocks;
            } map = {count % 8, 11};
            tips__threads_set(threads);
            TIPS_PARALLEL_FOR(i, count) atomic_fetch_add(&times[i], 1);
            TIPS_PARALLEL_PLANES(&map, n, b) atomic_fetch_add(&planes[n][b], 1);
            for (int i = 0; i < 200; i++) assert_int_equal(times[i], i < count);
            for (int i = 0; i < 77; i++) assert_int_equal(planes[i / 11][i % 11], i / 11 < map.n);
        }
    tips__threads_set(before);
}

/* The calling thread's own idea of how many there are is no business of the others'. */
static void test_loops_after_another_number(void **state) {
    (void)state;
    const int before = tips__threads();
    tips__threads_set(MOST);
    tips__threads_set(0);
    for (int i = 0; i < 100; i++) {
        atomic_int times[200] = {0};
        TIPS_PARALLEL_FOR(k, 200) {
            usleep(1); /* so that no thread is done before the others begin */
            atomic_fetch_add(&times[k], 1);
        }
        for (int k = 0; k < 200; k++) assert_int_equal(times[k], 1);
    }
    tips__threads_set(before);
}

static void *call_often(void *failures) {
    for (int i = 0; i < 500; i++) {
        loop l = {0};
        const int size = 1 + i % 3;
        tips__crew_parallel(note, &l, (unsigned)size, 0);
        for (int p = 0; p < MOST; p++)
            if (l.runs[p] != (p < size)) atomic_fetch_add((atomic_int *)failures, 1);
    }
    return NULL;
}

static void test_callers(void **state) {
    (void)state;
    pthread_t callers[3];
    atomic_int failures = 0;
    for (int i = 0; i < 3; i++) assert_int_equal(pthread_create(&callers[i], NULL, call_often, &failures), 0);
    for (int i = 0; i < 3; i++) pthread_join(callers[i], NULL);
    assert_int_equal(failures, 0);
}

static void test_fork(void **state) {
    (void)state;
    loop l = {0};
    tips__crew_parallel(note, &l, 3, 0);
    const pid_t child = fork();
    if (child == 0) {
        loop own = {0};
        tips__crew_parallel(note, &own, 3, 0);
        _exit(own.runs[0] == 1 && own.runs[1] == 1 && own.runs[2] == 1 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* Loops as the compiler makes them arrive at the crew (GCC's only). */
static void test_loops(void **state) {
    (void)state;
    int places[7] = {0}, pieces[7] = {0};
    tips__threads_set(2);
#pragma omp parallel for schedule(static) num_threads(tips__threads())
    for (int i = 0; i < 7; i++) places[i] = 1 + omp_get_thread_num();
    TIPS_PARALLEL_FOR(i, 7) pieces[i] = 1 + omp_get_thread_num();
#ifndef __clang__
    assert_int_equal(tips__crew_place(), 0);
#endif
    for (int i = 0; i < 7; i++) assert_int_equal(places[i], i < 4 ? 1 : 2);
    for (int i = 0; i < 7; i++) assert_in_range(pieces[i], 1, 2);
    tips__threads_set(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_barriers), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_pieces), cmocka_unit_test(test_pieces_of_a_late_one),
        cmocka_unit_test(test_nested_pieces), cmocka_unit_test(test_written_loops),
        cmocka_unit_test(test_loops_after_another_number), cmocka_unit_test(test_callers),
        cmocka_unit_test(test_fork), cmocka_unit_test(test_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
