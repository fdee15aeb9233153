/* Student's interval of a figure by its pictures' influences, and of what is a ratio or a mean over pictures. */
#include "metric/interval.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdbool.h>

static const double nothing = 1e-12; /* of a spread, for its value: what rounding leaves */

void tips__moments_add(tips_moments *m, double off) {
    const double square = off * off;
    m->square += square, m->fourth += square * square, m->farthest = fmax(m->farthest, square);
}

/* Half of the interval where it is symmetric and the figure is not bent. */
static double half_of(const tips_moments *m, int n) {
    const double freedom = fmin(n - 1, 3 * m->square * m->square / m->fourth - 1);
    return tips__student(freedom) * sqrt((m->square + m->farthest) / (n - 1) / n);
}

/* Nothing differs, which says little of pictures that were not met: as if each were right or wrong as a whole. */
static tips_figure alike_share(double value, double alike) {
    const double p = value / 100, tail = exp(log(0.025) / alike), z2 = 3.841458820694124, n = alike;
    const double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    const double half = sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n))) / (1 + z2 / n);
    return (tips_figure){value,
                         100 * (p <= 0   ? 0
                                : p >= 1 ? tail
                                         : middle - half),
                         100 * (p >= 1   ? 1
                                : p <= 0 ? 1 - tail
                                         : middle + half)};
}

static tips_figure share_around(double value, double half) {
    const double p = value / 100, at = log(p / (1 - p)), by = half / 100 / (p * (1 - p));
    return (tips_figure){value, 100 / (1 + exp(by - at)), 100 / (1 + exp(-by - at))};
}

tips_figure tips__figure_of_moments(double value, const tips_moments *m, int n, double alike, tips_scale scale) {
    const bool spread = n > 1 && m->square > nothing * nothing * value * value && isfinite(m->square);
    const bool inside = value > 0 && (scale == TIPS_SCALE_AMOUNT || value < 100);
    if (isnan(value)) return tips__figure_none();
    if (scale == TIPS_SCALE_SHARE && (!spread || !inside)) return alike_share(value, alike);
    if (!spread || (scale == TIPS_SCALE_AMOUNT && !inside)) return tips__figure_plain(value);
    const double half = half_of(m, n);
    if (scale == TIPS_SCALE_SHARE) return share_around(value, half);
    if (scale == TIPS_SCALE_DIFFERENCE) return (tips_figure){value, value - half, value + half};
    return (tips_figure){value, value * exp(-half / value), value * exp(half / value)};
}

tips_figure tips__figure_of_spread(double value, const double *off, int n, double alike, tips_scale scale) {
    tips_moments m = {0};
    for (int i = 0; i < n; i++) tips__moments_add(&m, off[i]);
    return tips__figure_of_moments(value, &m, n, alike, scale);
}

/* A picture with most of the whole moves the share most. */
static void leave_out(const double *parts, const double *wholes, int images, double sum, double of, double *off) {
    for (int i = 0; i < images; i++) {
        const double left = of - wholes[i];
        off[i] = left > 0 ? 100 * (images - 1) * (parts[i] - wholes[i] * sum / of) / left : 0;
    }
}

tips_status tips__part_of_all(const double *parts, const double *wholes, int images, tips_figure *out) {
    double sum = 0, of = 0, square = 0, *off;
    *out = tips__figure_none();
    for (int i = 0; i < images; i++) sum += parts[i], of += wholes[i], square += wholes[i] * wholes[i];
    if (of <= 0) return TIPS_OK;
    TIPS_TRY(tips__new(&off, (size_t)images * sizeof *off, "the spread of pictures"));
    leave_out(parts, wholes, images, sum, of, off);
    *out = tips__figure_of_spread(100 * sum / of, off, images, of * of / square, TIPS_SCALE_SHARE);
    tips__free(off);
    return TIPS_OK;
}

tips_status tips__mean_figure(const double *values, int n, tips_scale scale, tips_figure *out) {
    double sum = 0, *off;
    *out = tips__figure_none();
    if (n < 1) return TIPS_OK;
    TIPS_TRY(tips__new(&off, (size_t)n * sizeof *off, "the spread of pictures"));
    for (int i = 0; i < n; i++) sum += values[i];
    for (int i = 0; i < n; i++) off[i] = values[i] - sum / n;
    *out = tips__figure_of_spread(sum / n, off, n, n, scale);
    tips__free(off);
    return TIPS_OK;
}
