/* Scores of polyphase components and the choice between them.
 *
 * Each lane of each block sums |P_k(x)|^p exactly on one grid for all phases, set by the plane's maximum; lanes and
 * blocks then add up in a fixed order. A circular shift permutes the phases and leaves every score's bits alone. */
#include "tensor/phase.h"

#include "tensor/exact_sum.h"

#include <assert.h>

static void add_plane_sums(const tips_map *x, int n, int block, const int stride[2], int p, double *score) {
    const int phases = stride[0] * stride[1];
    const vd bound = vd_from(tips__plane_largest(x, n, block));
    exact_sum sums[TIPS_MAX_PHASES];
    sums[0] = exact_sum_start(p == 2 ? bound * bound : bound, (double)x->h * x->w);
    for (int k = 1; k < phases; k++) sums[k] = sums[0];
    for (int i = 0; i < x->h; i++)
        for (int b = 0; b < stride[1]; b++)
            exact_sum_add_run(&sums[i % stride[0] * stride[1] + b],
                              tips__row(x, n, block, i) + (ptrdiff_t)b * TIPS_BLOCK, (ptrdiff_t)stride[1] * TIPS_BLOCK,
                              (x->w - b + stride[1] - 1) / stride[1], p == 2 ? EXACT_SQUARE : EXACT_ABSOLUTE);
    for (int k = 0; k < phases; k++) score[k] += vd_sum(sums[k].sum);
}

static double largest_lane(vf v) {
    double largest = 0;
    for (int l = 0; l < TIPS_BLOCK; l++) largest = v[l] > largest ? v[l] : largest;
    return largest;
}

static void raise_to_plane_max(const tips_map *x, int n, int block, const int stride[2], double *score) {
    vf largest[TIPS_MAX_PHASES];
    for (int k = 0; k < stride[0] * stride[1]; k++) largest[k] = (vf){0};
    for (int i = 0; i < x->h; i++) {
        const float *row = tips__row(x, n, block, i);
        for (int b = 0; b < stride[1]; b++) {
            vf *best = &largest[i % stride[0] * stride[1] + b];
            for (int j = b; j < x->w; j += stride[1])
                *best = vf_max(*best, vf_abs(vf_load(row + (ptrdiff_t)j * TIPS_BLOCK)));
        }
    }
    for (int k = 0; k < stride[0] * stride[1]; k++) score[k] = fmax(score[k], largest_lane(largest[k]));
}

void tips__phase_norms(const tips_map *x, int n, const int stride[2], int p, double *score) {
    assert(stride[0] * stride[1] <= TIPS_MAX_PHASES);
    for (int k = 0; k < stride[0] * stride[1]; k++) score[k] = 0;
    for (int block = 0; block < x->blocks; block++) {
        if (p == 0)
            raise_to_plane_max(x, n, block, stride, score);
        else
            add_plane_sums(x, n, block, stride, p, score);
    }
}

/* P_k(x) == P_m(x), element by element. */
static bool same_phase(const tips_map *x, int n, const int stride[2], int k, int m) {
    const int step = stride[1];
    for (int block = 0; block < x->blocks; block++) {
        for (int i = 0; i + stride[0] <= x->h; i += stride[0]) {
            const float *first = tips__row(x, n, block, i + k / step) + k % step * TIPS_BLOCK;
            const float *second = tips__row(x, n, block, i + m / step) + m % step * TIPS_BLOCK;
            vi differ = {0};
            for (int j = 0; j + step <= x->w; j += step)
                differ |= vf_load(first + (ptrdiff_t)j * TIPS_BLOCK) != vf_load(second + (ptrdiff_t)j * TIPS_BLOCK);
            for (int l = 0; l < TIPS_BLOCK; l++)
                if (differ[l]) return false;
        }
    }
    return true;
}

static double relative_distance(double best, double other) {
    const double distance = (best - other) / fmax(fabs(best), fabs(other));
    return distance > 0 ? distance : 0;
}

/* How clearly `best` beats phase k; `norm` decides where the scores tie, and identical phases do no harm. */
static double lead(const double *score, const double *norm, const tips_map *x, int n, const int stride[2], int best,
                   int k) {
    if (score[k] != score[best]) return relative_distance(score[best], score[k]);
    if (norm[k] != norm[best]) return relative_distance(norm[best], norm[k]);
    return same_phase(x, n, stride, best, k) ? 1 : 0;
}

int tips__phase_choose(const double *score, const tips_map *x, int n, const int stride[2], float *margin) {
    const int phases = stride[0] * stride[1];
    double norm[TIPS_MAX_PHASES] = {0};
    int best = 0, ties = 0;
    for (int k = 1; k < phases; k++)
        if (score[k] > score[best]) best = k;
    for (int k = 0; k < phases; k++) ties += score[k] == score[best];
    if (ties > 1) {
        tips__phase_norms(x, n, stride, 2, norm);
        for (int k = 0; k < phases; k++)
            if (score[k] == score[best] && norm[k] > norm[best]) best = k;
    }
    if (!margin) return best;
    double least = 1;
    for (int k = 0; k < phases; k++) {
        const double distance = k == best ? 1 : lead(score, norm, x, n, stride, best, k);
        if (distance < least) least = distance;
    }
    *margin = (float)least;
    return best;
}
