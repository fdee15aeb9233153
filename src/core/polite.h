/* Threads that wait for each other without keeping cores from other programs. */
#ifndef TIPS_CORE_POLITE_H
#define TIPS_CORE_POLITE_H

/* Shortens how long idle threads of OpenMP spin before they sleep, unless the environment says how they shall wait
 * (OMP_WAIT_POLICY, GOMP_SPINCOUNT, KMP_BLOCKTIME). Cheap after the first call of a thread that is about to use
 * `threads` threads, more than one. See docs/decisions/0025-polite-threads.md. */
void tips__wait_politely(int threads);

#endif
