/* What the machine can do at most, measured: the yardsticks of every benchmark. */
#ifndef TIPS_BENCH_MACHINE_H
#define TIPS_BENCH_MACHINE_H

#include <stddef.h>
#include <tips/status.h>

/* Billions of floating-point operations a second in fused multiply-adds on registers alone, with the vectors this
 * build uses and tips__threads() threads at once: the best short stretch of each, within 50 ms. Takes no memory. */
double tips__machine_peak_gflops(void);

/* Billions of bytes a second between memory and registers, counted as a program sees them (what a store reads
 * beforehand is not counted): the best of copy and triad over buffers beyond the caches. Takes some 100 ms, and a few
 * hundred megabytes while it runs, so read the peak resident memory before. */
tips_status tips__machine_bandwidth(double *gigabytes_per_second) TIPS_MUST_CHECK;

/* The most memory this process ever held, in MiB. */
double tips__machine_peak_resident_mb(void);

/* "AMD EPYC 7763", or "unknown". */
void tips__machine_cpu(char *out, size_t size);

#endif
