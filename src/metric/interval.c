/* Figures without an interval, and the interval of a share of independent trials. */
#include "metric/interval.h"

#include <math.h>

static const double z95 = 1.959963984540054; /* the 97.5 % point of the normal distribution */

/* Fewer hits, or fewer misses: Wilson's interval holds rates near the end in 84 % only. */
enum { FEW = 10 };

tips_figure tips__figure_none(void) { return (tips_figure){NAN, NAN, NAN}; }

tips_figure tips__figure_plain(double value) { return (tips_figure){value, NAN, NAN}; }

/* How probable at most `hits` of n are at a rate. */
static double up_to(int hits, double n, double rate) {
    const double odds = rate / (1 - rate);
    double term = exp(n * log1p(-rate)), sum = term;
    for (int k = 1; k <= hits; k++) term *= (n - k + 1) / k * odds, sum += term;
    return sum;
}

/* The rate at which at most `hits` of n have that probability. */
static double rate_of(int hits, double n, double probability) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (up_to(hits, n, middle) > probability) low = middle;
        else high = middle;
    }
    return low;
}

/* Of up to FEW hits, as shares. */
static void few_hits(int hits, double n, double *low, double *high) {
    *low = hits == 0 ? 0 : rate_of(hits - 1, n, 0.975);
    *high = hits == n ? 1 : rate_of(hits, n, 0.025);
}

static void wilson(double p, double n, double *low, double *high) {
    const double z2 = z95 * z95, middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double half = z95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    *low = middle - half, *high = middle + half;
}

tips_figure tips__proportion(int64_t hits, int64_t trials) {
    if (trials <= 0) return tips__figure_none();
    const double n = (double)trials, p = (double)hits / n;
    double low, high;
    if (trials - hits < hits && trials - hits <= FEW) {
        few_hits((int)(trials - hits), n, &high, &low);
        low = 1 - low, high = 1 - high;
    } else if (hits <= FEW) few_hits((int)hits, n, &low, &high);
    else wilson(p, n, &low, &high);
    return (tips_figure){100 * p, 100 * low, 100 * high};
}
