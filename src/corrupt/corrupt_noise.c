/* Noise: every channel of every pixel for itself. */
#include "corrupt/corrupt_parts.h"

#include <math.h>

tips_status tips__corrupt_gaussian_noise(const tips_corrupt_job *job, double *planes) {
    static const double sigmas[][TIPS_SEVERITIES] = {{.08, .12, .18, .26, .38}, {.04, .06, .08, .09, .10}};
    const double sigma = sigmas[job->scale][job->severity - 1];
    tips_draws draws = tips__draws_for(job, __func__);
    for (size_t i = 0; i < tips__planes_size(job); i++) planes[i] += sigma * tips__draw_normal(&draws);
    return TIPS_OK;
}

/* By inversion: how many terms of the distribution a uniform number covers. */
static int poisson(tips_draws *draws, double mean) {
    const double u = tips__draw_uniform(draws, 0, 1);
    const int most = (int)(mean + 40 * sqrt(mean) + 40);
    double term = exp(-mean), sum = term;
    int k = 0;
    while (sum < u && k < most) sum += term *= mean / ++k;
    return k;
}

tips_status tips__corrupt_shot_noise(const tips_corrupt_job *job, double *planes) {
    static const double photons[][TIPS_SEVERITIES] = {{60, 25, 12, 5, 3}, {500, 250, 100, 75, 50}};
    const double count = photons[job->scale][job->severity - 1];
    tips_draws draws = tips__draws_for(job, __func__);
    for (size_t i = 0; i < tips__planes_size(job); i++) planes[i] = poisson(&draws, planes[i] * count) / count;
    return TIPS_OK;
}

tips_status tips__corrupt_impulse_noise(const tips_corrupt_job *job, double *planes) {
    static const double shares[][TIPS_SEVERITIES] = {{.03, .06, .09, .17, .27}, {.01, .02, .03, .05, .07}};
    const double share = shares[job->scale][job->severity - 1];
    tips_draws draws = tips__draws_for(job, __func__);
    for (size_t i = 0; i < tips__planes_size(job); i++) {
        const double u = tips__draw_uniform(&draws, 0, 1);
        if (u < share) planes[i] = u < share / 2; /* salt or pepper */
    }
    return TIPS_OK;
}

tips_status tips__corrupt_speckle_noise(const tips_corrupt_job *job, double *planes) {
    static const double sigmas[][TIPS_SEVERITIES] = {{.15, .2, .35, .45, .6}, {.06, .1, .12, .16, .2}};
    const double sigma = sigmas[job->scale][job->severity - 1];
    tips_draws draws = tips__draws_for(job, __func__);
    for (size_t i = 0; i < tips__planes_size(job); i++) planes[i] += planes[i] * sigma * tips__draw_normal(&draws);
    return TIPS_OK;
}
