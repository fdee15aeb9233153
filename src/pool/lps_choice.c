/* lps: logits as order-independent means, Gumbel noise g = -log(-log u), softmax at a temperature. */
#include "core/threads.h"
#include "pool/lps.h"

enum { B = TIPS_BLOCK };

void tips__lps_logits(const tips_map *l, double *logit) {
    TIPS_PARALLEL_FOR(m, l->n) {
        double sum = 0;
        for (int b = 0; b < l->blocks; b++) sum += vd_sum(tips__plane_sum(l, m, b));
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
