/* The clock and quantiles of repeated measurements. */
#include "core/timing.h"

#include <stdlib.h>
#include <time.h>

double tips__now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double tips__quantile(double *values, int count, double q) {
    qsort(values, (size_t)count, sizeof *values, by_size);
    const double at = q * (count - 1);
    const int below = (int)at;
    if (below + 1 >= count) return values[count - 1];
    return values[below] + (at - below) * (values[below + 1] - values[below]);
}
