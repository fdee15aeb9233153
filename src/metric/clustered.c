/* The interval of a share over pictures with several trials each, which are alike: Agresti and Coull's for as many
 * independent trials as the pictures are worth.
 *
 * How alike they are shows in the pictures' shares y: r = var(y) / (p (1 - p)) is 1 where the trials of a picture
 * always agree, so that a picture is worth one trial, and 1/m where m of them are independent. Near 0 and 1 few
 * pictures are off the rest, and those that are so in all of their trials may not have been met yet: half a picture of
 * that kind is put into the variance, and where nothing differs at all a picture is one trial. Decision 23 has the
 * coverage. */
#include "metric/interval.h"

#include <math.h>

static const double z95 = 1.959963984540054; /* the 97.5 % point of the normal distribution */

static const double unmet = 0.5; /* pictures */

/* Pictures by their number of trials: w_i = trials_i * scale, whose sum is `worth`. */
typedef struct cluster_sums {
    double worth; /* pictures, were they of equal weight */
    double scale;
    double share; /* p */
} cluster_sums;

static cluster_sums sum_up(const double *hits, const double *trials, int images) {
    double sum = 0, of = 0, square = 0;
    for (int i = 0; i < images; i++) sum += hits[i], of += trials[i], square += trials[i] * trials[i];
    if (of <= 0) return (cluster_sums){0};
    return (cluster_sums){.worth = of * of / square, .scale = of / square, .share = sum / of};
}

/* How alike the trials of a picture are: r, from 0 to about 1. */
static double likeness(const double *hits, const double *trials, int images, const cluster_sums *c) {
    const double p = c->share, farthest = fmax(p, 1 - p), most = p * (1 - p) * (c->worth - 1);
    double spread = 0;
    for (int i = 0; i < images; i++) {
        const double off = (hits[i] - trials[i] * p) * c->scale;
        spread += off * off;
    }
    if (most <= 0) return 1;
    return fmax(spread / most, fmin(1, (spread + unmet * farthest * farthest) / most));
}

/* Student's 97.5 % point, nearly: few pictures do not know their spread well. */
static double student(double freedom) { return z95 + z95 * (z95 * z95 + 1) / (4 * freedom); }

tips_figure tips__clustered(const double *hits, const double *trials, int images) {
    const cluster_sums c = sum_up(hits, trials, images);
    if (c.worth <= 0) return tips__figure_none();
    const double n = c.worth / likeness(hits, trials, images, &c), z2 = z95 * z95, p = c.share;
    const double middle = (p * n + z2 / 2) / (n + z2);
    const double half = student(c.worth + 3) * sqrt(middle * (1 - middle) / (n + z2));
    return (tips_figure){100 * p, 100 * fmin(p, fmax(0, middle - half)), 100 * fmax(p, fmin(1, middle + half))};
}
