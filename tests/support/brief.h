/* TIPS_TEST_BRIEF=1: every case, every variant and every line as ever, but fewer repetitions of the same lines with
 * other numbers. Under the sanitizers each costs several times as much, and they look at memory, not at numbers. */
#ifndef TIPS_TESTS_BRIEF_H
#define TIPS_TESTS_BRIEF_H

#include <stdlib.h>

/* How many of `count` repetitions to run: all, or at most `enough`. */
static inline int test_repeat(int count, int enough) {
    const char *brief = getenv("TIPS_TEST_BRIEF");
    return brief && brief[0] == '1' && enough < count ? enough : count;
}

#endif
