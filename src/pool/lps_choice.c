/* lps: logits as order-independent means, Gumbel noise g = -log(-log u), softmax at a temperature. */
#include "core/threads.h"
#include "pool/lps.h"
#include "tensor/exact_sum.h"

enum { B = TIPS_BLOCK };

static double plane_sum(const tips_map *l, int m, int block) {
    vf bound = {0};
    for (int y = 0; y < l->h; y++) {
        const float *row = tips__row(l, m, block, y);
        for (int x = 0; x < l->w; x++) bound = vf_max(vf_abs(vf_load(row + (ptrdiff_t)x * B)), bound);
    }
    exact_sum sum = exact_sum_start(vd_from(bound), (double)l->h * l->w);
    for (int y = 0; y < l->h; y++) {
        const float *row = tips__row(l, m, block, y);
        for (int x = 0; x < l->w; x++) exact_sum_add(&sum, vd_from(vf_load(row + (ptrdiff_t)x * B)));
    }
    return vd_sum(sum.sum);
}

void tips__lps_logits(const tips_map *l, double *logit) {
    TIPS_PARALLEL_FOR(m, l->n) {
        double sum = 0;
        for (int b = 0; b < l->blocks; b++) sum += plane_sum(l, m, b);
        logit[m] = sum / ((double)l->c * l->h * l->w);
    }
}

double tips__lps_noise(const lps_config *config, tips_rng rng, int n, int k) {
    const uint64_t index = (uint64_t)n * (uint64_t)tips__pool_phases(&config->common) + (uint64_t)k;
    if (config->fixed_noise) return config->fixed_noise[index];
    return -log(-log(tips__rng_uniform(rng, index)));
}

int tips__lps_softmax(const double *z, int phases, double temperature, double *p) {
    int best = 0;
    double sum = 0;
    for (int k = 1; k < phases; k++)
        if (z[k] > z[best]) best = k;
    for (int k = 0; k < phases; k++) sum += p[k] = exp((z[k] - z[best]) / temperature);
    for (int k = 0; k < phases; k++) p[k] /= sum;
    return best;
}

void tips__lps_softmax_diff(const double *p, const double *dp, int phases, double temperature, double *dz) {
    double mean = 0;
    for (int k = 0; k < phases; k++) mean += p[k] * dp[k];
    for (int k = 0; k < phases; k++) dz[k] = p[k] * (dp[k] - mean) / temperature;
}

void tips__lps_read(const tips_map *weights, int n, float *out) {
    for (int k = 0; k < weights->c; k++) out[k] = tips__plane(weights, n, k / B)[k % B];
}

void tips__lps_write(const tips_map *weights, int n, const double *values, bool accumulate) {
    for (int k = 0; k < weights->blocks * B; k++) {
        float *to = tips__plane(weights, n, k / B) + k % B;
        const float value = k < weights->c ? (float)values[k] : 0;
        *to = accumulate ? *to + value : value;
    }
}
