/* Differences picture by picture. */
#include "metric/paired.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

/* Nothing says how differences spread: fewer than one in `tail` pictures was not met, which may be off by all. */
static tips_figure all_alike(double value, int n) {
    const double tail = 1 - exp(log(0.025) / n);
    return (tips_figure){value, value - tail * (100 + value), value + tail * (100 - value)};
}

tips_status tips__paired(const double *first, const double *second, int n, tips_paired *out) {
    tips_paired p = {.images = n, .difference = tips__figure_none()};
    double *differences;
    TIPS_TRY(tips__new(&differences, ((size_t)n + 1) * sizeof *differences, "the differences of pictures"));
    for (int i = 0; i < n; i++) {
        differences[i] = 100 * (second[i] - first[i]);
        p.more += differences[i] > 0;
        p.less += differences[i] < 0;
    }
    const tips_status status = tips__mean_figure(differences, n, TIPS_SCALE_DIFFERENCE, &p.difference);
    tips__free(differences);
    if (status != TIPS_OK) return status;
    if (isnan(p.difference.low) && n > 0) p.difference = all_alike(p.difference.value, n);
    p.difference.low = fmax(-100, p.difference.low), p.difference.high = fmin(100, p.difference.high);
    *out = p;
    return TIPS_OK;
}
