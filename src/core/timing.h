/* Seconds, and what to say about many of them. */
#ifndef TIPS_CORE_TIMING_H
#define TIPS_CORE_TIMING_H

/* Wall-clock seconds since some fixed moment. */
double tips__now(void);

/* The q-quantile (0..1) of count >= 1 values, linear between neighbours; 0.5 is the median. Sorts the values. */
double tips__quantile(double *values, int count, double q);

#endif
