/* Differences picture by picture. */
#include "metric/paired.h"

#include <math.h>

/* Nothing says how differences spread: fewer than one in `tail` pictures was not met, which may be off by all. */
static tips_figure all_alike(double value, int n) {
    const double tail = 1 - exp(log(0.025) / n);
    return (tips_figure){value, value - tail * (100 + value), value + tail * (100 - value)};
}

static double difference_at(const double *first, const double *second, int i) { return 100 * (second[i] - first[i]); }

static double mean_of(const double *first, const double *second, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += difference_at(first, second, i);
    return sum / n;
}

tips_paired tips__paired(const double *first, const double *second, int n) {
    tips_paired p = {.images = n, .difference = tips__figure_none()};
    tips_moments m = {0};
    if (n < 1) return p;
    const double mean = mean_of(first, second, n);
    for (int i = 0; i < n; i++) {
        const double d = difference_at(first, second, i);
        p.more += d > 0, p.less += d < 0;
        tips__moments_add(&m, d - mean);
    }
    p.difference = tips__figure_of_moments(mean, &m, n, n, TIPS_SCALE_DIFFERENCE);
    if (isnan(p.difference.low)) p.difference = all_alike(mean, n);
    p.difference.low = fmax(-100, p.difference.low), p.difference.high = fmin(100, p.difference.high);
    return p;
}
