/* Threads wait politely, unless the user or a limit says otherwise. Each case is a process of its own, for it is done
 * once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/polite.h"
#include "core/threads.h"

static const char *const variables[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"};

#ifdef __clang__

extern int kmp_get_blocktime(void) __attribute__((weak));

static int tasks(void) { return 0; }

static bool is_polite(int threads, int before) {
    (void)threads, (void)before;
    return kmp_get_blocktime && kmp_get_blocktime() == 1;
}

static bool can_tell(void) { return kmp_get_blocktime != NULL; }

#else

static int tasks(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    if (!folder) return 0;
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Two threads more than the team; they come by and by. `before`: the first of the team, and those of an emulator. */
static bool is_polite(int threads, int before) {
    const int polite = before + threads + 1;
    for (int i = 0; i < 100 && tasks() < polite; i++) usleep(10000);
    return tasks() == polite;
}

static bool can_tell(void) { return tasks() > 0; }

#endif

/* 0: impolite, 1: polite. `threads` 0: as many as there are cores. */
static int run_case(void (*prepare)(void), int threads) {
    prepare();
    const int before = tasks();
    const int cores = omp_get_num_procs() > 1 ? omp_get_num_procs() : 2;
    tips__threads_set(threads ? threads : cores);
    tips__wait_politely(tips__threads());
    return is_polite(threads ? threads : cores, before);
}

static int politeness(void (*prepare)(void), int threads) {
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(run_case(prepare, threads));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void say_nothing(void) {}
static void set_policy(void) { setenv("OMP_WAIT_POLICY", "active", 1); }
static void set_spin_count(void) { setenv("GOMP_SPINCOUNT", "5000", 1); }
static void set_block_time(void) { setenv("KMP_BLOCKTIME", "100", 1); }

static void test_threads_are_polite(void **state) {
    (void)state;
    if (!can_tell()) skip();
    assert_int_equal(politeness(say_nothing, 0), 1);
}

static void test_the_users_word_counts(void **state) {
    (void)state;
    if (!can_tell()) skip();
    assert_int_equal(politeness(set_policy, 0), 0);
    assert_int_equal(politeness(set_spin_count, 0), 0);
    assert_int_equal(politeness(set_block_time, 0), 0);
}

#ifndef __clang__
enum { NO_LIMITS = 4 }; /* emulators take limits and forget them */

static void limit_memory(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
    limit.rlim_cur = (rlim_t)1 << 46; /* more than there is, but a limit */
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) _exit(NO_LIMITS);
}
#endif

/* No threads to spare under a limit, and none needed for one. */
static void test_no_threads_are_wasted(void **state) {
    (void)state;
#ifdef __clang__
    skip();
#else
    if (!can_tell()) skip();
    const int under_limit = politeness(limit_memory, 0);
    if (under_limit != NO_LIMITS) assert_int_equal(under_limit, 0);
    assert_int_equal(politeness(say_nothing, 1), 0);
#endif
}

int main(void) {
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) unsetenv(variables[i]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_are_polite),
        cmocka_unit_test(test_the_users_word_counts),
        cmocka_unit_test(test_no_threads_are_wasted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
