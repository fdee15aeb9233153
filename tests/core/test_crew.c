/* The crew: every place of a loop is run once, whatever the sizes, pauses, nesting and callers; barriers hold; a child
 * process has a crew of its own. */
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
    int places[7] = {0};
    tips__threads_set(2);
    TIPS_PARALLEL_FOR(i, 7) places[i] = 1 + omp_get_thread_num();
#ifndef __clang__
    assert_int_equal(tips__crew_place(), 0);
#endif
    for (int i = 0; i < 7; i++) assert_int_equal(places[i], i < 4 ? 1 : 2);
    tips__threads_set(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes), cmocka_unit_test(test_barriers), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_callers), cmocka_unit_test(test_fork), cmocka_unit_test(test_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
