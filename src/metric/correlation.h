/* How two figures of several models go together. Models that share a network and data are not independent of each
 * other: Fisher's interval, which takes them so, is too narrow then; the one beside it is over clusters. */
#ifndef TIPS_METRIC_CORRELATION_H
#define TIPS_METRIC_CORRELATION_H

#include "metric/interval.h"

typedef struct tips_correlation {
    int n;              /* pairs where both are numbers */
    tips_figure fisher; /* Pearson's r and tanh(atanh r -+ 1.96/sqrt(n - 3)) */
    int clusters;
    tips_figure clustered; /* the same r, and Student's interval of atanh r by leaving out clusters */
    tips_figure within;    /* r of what is left when every cluster's means are taken off, and its interval likewise */
    double rho;            /* Spearman's: Pearson's of the ranks, equal values sharing the mean of theirs */
} tips_correlation;

/* Of pairs (x, y), of which those with something that is not a number do not count. What cannot be said is not a
 * number: r of fewer than two pairs or of values that are all equal, an interval of fewer than four, one over fewer
 * than TIPS_FEWEST_CLUSTERS clusters. */
enum { TIPS_FEWEST_CLUSTERS = 5 };
double tips__pearson(const double *x, const double *y, int count);
tips_status tips__spearman(const double *x, const double *y, int count, double *out) TIPS_MUST_CHECK;
tips_figure tips__fisher(double r, int n);

/* cluster[i], from 0 on, is that of pair i. */
tips_status tips__correlate(const double *x, const double *y, const int *cluster, int count,
                            tips_correlation *out) TIPS_MUST_CHECK;

#endif
