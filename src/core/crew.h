/* The threads that run parallel loops, where GCC compiles them: in place of its runtime's, whose threads spin for
 * milliseconds. Ours spin for a moment, then sleep. threads.h sees to it that loops get here. */
#ifndef TIPS_CORE_CREW_H
#define TIPS_CORE_CREW_H

#include <stdbool.h>

/* What GCC makes of `#pragma omp parallel`: runs work(data) at places 0 to size - 1, on the calling thread and others.
 * The size is `threads`, less if so many cannot be started, and 1 inside of another parallel loop. */
void tips__crew_parallel(void (*work)(void *data), void *data, unsigned threads, unsigned flags);
/* What GCC makes of `schedule(dynamic, piece)`: each thread of a loop over numbers that grow by `step` asks for one
 * piece after the other until there is none, so that one that others keep from its core leaves its work to those that
 * run. A parallel region has one such loop: opened together with it, or by `start`, which gives the first piece. */
void tips__crew_loop(void (*work)(void *data), void *data, unsigned threads, long start, long end, long step,
                     long piece, unsigned flags);
bool tips__crew_start(long start, long end, long step, long piece, long *first, long *last);
bool tips__crew_next(long *first, long *last);
void tips__crew_loop_end(void);
/* Where the calling thread stands, and among how many. */
int tips__crew_place(void);
int tips__crew_size(void);
/* Waits for all others of the crew. */
void tips__crew_barrier(void);

#endif
