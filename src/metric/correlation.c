/* Pearson, Fisher, Spearman, and intervals over clusters. */
#include "metric/correlation.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const double rounding = 1e-12;        /* of sums of squares: what is left of equal values */
static const double z95 = 1.959963984540054; /* the 97.5 % point of the normal distribution */

/* Sums over pairs, with the means taken off beforehand: percentages that differ in their last digits keep them. */
typedef struct moments {
    double n, x, y, xx, yy, xy;
} moments;

static bool is_pair(double x, double y) { return isfinite(x) && isfinite(y); }

static void add(moments *m, double x, double y) {
    m->n++;
    m->x += x;
    m->y += y;
    m->xx += x * x;
    m->yy += y * y;
    m->xy += x * y;
}

static double ratio(const moments *m) {
    const double vx = m->xx - m->x * m->x / m->n, vy = m->yy - m->y * m->y / m->n;
    if (m->n < 2 || vx <= rounding * m->xx || vy <= rounding * m->yy) return NAN;
    return fmax(-1, fmin(1, (m->xy - m->x * m->y / m->n) / sqrt(vx * vy)));
}

typedef struct centre {
    double x, y;
    int n;
} centre;

static centre find_centre(const double *x, const double *y, int count) {
    centre c = {0};
    for (int i = 0; i < count; i++)
        if (is_pair(x[i], y[i])) c.x += x[i], c.y += y[i], c.n++;
    if (c.n > 0) c.x /= c.n, c.y /= c.n;
    return c;
}

/* Values that are all equal leave a mean that may be off by a rounding. */
static bool is_constant(const double *v, const double *x, const double *y, int count) {
    double first = NAN;
    for (int i = 0; i < count; i++) {
        if (!is_pair(x[i], y[i])) continue;
        if (isnan(first)) first = v[i];
        if (v[i] != first) return false;
    }
    return true;
}

double tips__pearson(const double *x, const double *y, int count) {
    const centre c = find_centre(x, y, count);
    moments m = {0};
    if (is_constant(x, x, y, count) || is_constant(y, x, y, count)) return NAN;
    for (int i = 0; i < count; i++)
        if (is_pair(x[i], y[i])) add(&m, x[i] - c.x, y[i] - c.y);
    return ratio(&m);
}

tips_figure tips__fisher(double r, int n) {
    if (n < 4 || isnan(r)) return tips__figure_plain(r);
    const double half = z95 / sqrt(n - 3.0), z = atanh(r);
    return (tips_figure){r, tanh(z - half), tanh(z + half)};
}

static int by_value(const void *a, const void *b) {
    const double x = **(const double *const *)a, y = **(const double *const *)b;
    return (x > y) - (x < y);
}

/* Ranks of the values from 1 on; equal ones share the mean of theirs. `order` is (count), for the work. */
static void rank(const double *values, int count, const double **order, double *ranks) {
    for (int i = 0; i < count; i++) order[i] = values + i;
    qsort(order, (size_t)count, sizeof *order, by_value);
    for (int first = 0, last; first < count; first = last) {
        for (last = first; last < count && *order[last] == *order[first]; last++) {
        }
        for (int i = first; i < last; i++) ranks[order[i] - values] = (first + 1 + last) / 2.0;
    }
}

tips_status tips__spearman(const double *x, const double *y, int count, double *out) {
    const size_t most = (size_t)count + 1;
    double *pairs; /* (4, most): x, y, and their ranks */
    const double **order;
    int n = 0;
    TIPS_TRY(tips__new(&pairs, 4 * most * sizeof *pairs, "ranks"));
    const tips_status status = tips__new(&order, most * sizeof *order, "ranks");
    if (status != TIPS_OK) {
        tips__free(pairs);
        return status;
    }
    for (int i = 0; i < count; i++)
        if (is_pair(x[i], y[i])) pairs[n] = x[i], pairs[most + (size_t)n++] = y[i];
    rank(pairs, n, order, pairs + 2 * most);
    rank(pairs + most, n, order, pairs + 3 * most);
    *out = tips__pearson(pairs + 2 * most, pairs + 3 * most, n);
    tips__free(order);
    tips__free(pairs);
    return TIPS_OK;
}

/* Of all clusters but one; of all if that is none of them. */
static double without(const moments *all, int clusters, int left_out) {
    moments m = {0};
    for (int i = 0; i < clusters; i++) {
        const moments *c = &all[i];
        if (i != left_out) m.n += c->n, m.x += c->x, m.y += c->y, m.xx += c->xx, m.yy += c->yy, m.xy += c->xy;
    }
    return ratio(&m);
}

/* Student's interval of atanh r by how much it moves without each cluster, in `off` (clusters). */
static tips_figure interval_over(const moments *all, int clusters, double r, double *off) {
    double sum = 0;
    if (clusters < TIPS_FEWEST_CLUSTERS) return tips__figure_plain(r);
    for (int i = 0; i < clusters; i++) sum += off[i] = atanh(without(all, clusters, i));
    for (int i = 0; i < clusters; i++) off[i] = (clusters - 1) * (sum / clusters - off[i]);
    const tips_figure f = tips__figure_of_spread(atanh(r), off, clusters, clusters, TIPS_SCALE_DIFFERENCE);
    return (tips_figure){r, tanh(f.low), tanh(f.high)};
}

/* What is left of a cluster without its means. */
static moments without_means(const moments *m) {
    const double vx = m->xx - m->x * m->x / m->n, vy = m->yy - m->y * m->y / m->n, xy = m->xy - m->x * m->y / m->n;
    const bool has_x = vx > rounding * m->xx, has_y = vy > rounding * m->yy;
    return (moments){.n = m->n, .xx = has_x ? vx : 0, .yy = has_y ? vy : 0, .xy = has_x && has_y ? xy : 0};
}

/* Those that have no pair are none. Both figures, the second of clusters that lose their means in place. */
static void measure_clusters(moments *all, int most, double *off, tips_correlation *out) {
    int used = 0;
    for (int i = 0; i < most; i++)
        if (all[i].n > 0) all[used++] = all[i];
    out->clusters = used;
    out->clustered = interval_over(all, used, out->fisher.value, off);
    for (int i = 0; i < used; i++) all[i] = without_means(&all[i]);
    out->within = interval_over(all, used, without(all, used, -1), off);
}

static tips_status correlate_clusters(const double *x, const double *y, const int *cluster, int count,
                                      tips_correlation *out) {
    const centre c = find_centre(x, y, count);
    moments *all;
    double *off;
    int most = 0;
    for (int i = 0; i < count; i++) most = cluster[i] >= most ? cluster[i] + 1 : most;
    TIPS_TRY(tips__new_zero(&all, ((size_t)most + 1) * sizeof *all, "clusters"));
    const tips_status status = tips__new(&off, ((size_t)most + 1) * sizeof *off, "clusters");
    if (status == TIPS_OK) {
        for (int i = 0; i < count; i++)
            if (is_pair(x[i], y[i])) add(&all[cluster[i]], x[i] - c.x, y[i] - c.y);
        measure_clusters(all, most, off, out);
        tips__free(off);
    }
    tips__free(all);
    return status;
}

tips_status tips__correlate(const double *x, const double *y, const int *cluster, int count, tips_correlation *out) {
    const double r = tips__pearson(x, y, count);
    tips_correlation c = {
        .n = find_centre(x, y, count).n, .clustered = tips__figure_plain(r), .within = tips__figure_none()};
    c.fisher = tips__fisher(r, c.n);
    TIPS_TRY(tips__spearman(x, y, count, &c.rho));
    if (!isnan(r)) TIPS_TRY(correlate_clusters(x, y, cluster, count, &c));
    *out = c;
    return TIPS_OK;
}
