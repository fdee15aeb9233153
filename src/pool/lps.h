/* The parts of lps: its config, the logits, the Gumbel-softmax and their gradients. */
#ifndef TIPS_POOL_LPS_H
#define TIPS_POOL_LPS_H

#include "pool/pool_parts.h"

typedef struct lps_config {
    tips_pool_common common;
    int width;
    double temperature;
    const float *fixed_noise; /* (n, sh*sw) instead of random draws, for tests; NULL: draw */
} lps_config;

/* logit[m] = mean over channels and positions of map m of l; order-independent within a plane. */
void tips__lps_logits(const tips_map *l, double *logit);
/* The Gumbel noise of phase k of sample n. */
double tips__lps_noise(const lps_config *config, tips_rng rng, int n, int k);
/* p = softmax(z / temperature); returns argmax z. */
int tips__lps_softmax(const double *z, int phases, double temperature, double *p);
/* dz from dp. */
void tips__lps_softmax_diff(const double *p, const double *dp, int phases, double temperature, double *dz);

/* The row of sample n of a (n, phases, 1, 1) map. */
void tips__lps_read(const tips_map *weights, int n, float *out);
void tips__lps_write(const tips_map *weights, int n, const double *values, bool accumulate);

/* Where the phase and the weights are: made by this op, or shared with it. */
static inline const int32_t *tips__lps_phase(const tips_op *op) {
    return tips__pool_common(op->node)->shared ? op->in[1].index : op->out[1].index;
}

static inline const tips_map *tips__lps_weights(const tips_op *op) {
    return tips__pool_common(op->node)->shared ? &op->in[2].map : &op->out[2].map;
}

/* y mixes all phases instead of taking one. */
static inline bool tips__lps_mixes(const tips_op *op) {
    return op->pass.sampling && (!tips__pool_common(op->node)->shared || op->n_in > 2);
}

tips_status tips__lps_plan(tips_op *op, tips_plan *out);
tips_status tips__lps_forward(tips_op *op);
tips_status tips__lps_backward(tips_op *op);

#endif
