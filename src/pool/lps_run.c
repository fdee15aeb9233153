/* lps, forward: the logits decide, then y mixes the phases of x (sampling) or copies one of them. */
#include "core/threads.h"
#include "pool/gather.h"
#include "pool/lps.h"

tips_status tips__lps_plan(tips_op *op, tips_plan *out) {
    const tips_pool_common *common = tips__pool_common(op->node);
    const tips_map *x = &op->in[0].map;
    const size_t numbers = (size_t)x->n * (size_t)tips__pool_phases(common);
    if (!common->shared) out->forward_scratch = numbers * sizeof(double);
    out->backward_scratch = numbers * (size_t)x->blocks * sizeof(double);
    if (common->shared)
        out->keep_in = tips__lps_mixes(op) ? 1u | 1u << 2 : 1u << 1;
    else if (tips__lps_mixes(op))
        out->keep_in = 1u, out->keep_out = 1u << 2;
    else
        out->keep_out = 1u << 1;
    return TIPS_OK;
}

static void sample(tips_op *op, int n, const double *logit) {
    const lps_config *config = op->node->config;
    const int phases = tips__pool_phases(&config->common);
    double z[TIPS_MAX_PHASES], p[TIPS_MAX_PHASES];
    for (int k = 0; k < phases; k++) z[k] = logit[k] + tips__lps_noise(config, op->rng, n, k);
    op->out[1].index[n] = tips__lps_softmax(z, phases, config->temperature, p);
    tips__lps_write(&op->out[2].map, n, p, false);
}

static void choose(tips_op *op, int n, const double *logit) {
    double p[TIPS_MAX_PHASES] = {0};
    const int *stride = tips__pool_common(op->node)->stride;
    const int k = tips__phase_choose(logit, &op->in[0].map, n, stride, op->margin ? op->margin + n : NULL);
    p[k] = 1;
    op->out[1].index[n] = k;
    tips__lps_write(&op->out[2].map, n, p, false);
}

static void decide(tips_op *op) {
    const int phases = tips__pool_phases(tips__pool_common(op->node));
    double *logits = op->scratch;
    tips__lps_logits(&op->in[1].map, logits);
    TIPS_PARALLEL_FOR(n, op->in[0].map.n) {
        if (op->pass.sampling)
            sample(op, n, logits + (ptrdiff_t)n * phases);
        else
            choose(op, n, logits + (ptrdiff_t)n * phases);
    }
}

tips_status tips__lps_forward(tips_op *op) {
    const tips_pool_common *common = tips__pool_common(op->node);
    const tips_map *x = &op->in[0].map, *y = &op->out[0].map;
    if (!common->shared) decide(op);
    const bool mix = tips__lps_mixes(op);
    TIPS_PARALLEL_PLANES(y, n, b) {
        float weights[TIPS_MAX_PHASES];
        if (mix) {
            tips__lps_read(tips__lps_weights(op), n, weights);
            tips__mix_plane(y, x, n, b, common->stride, weights);
        } else {
            tips__gather_plane(y, x, n, b, common->stride, tips__lps_phase(op)[n]);
        }
    }
    return TIPS_OK;
}
