/* lps, backward: P_k(dx) = p_k dy; dp_k = sum dy P_k(x) plus what arrives from those who share p; then through the
 * softmax to the logits, dL = dl_k / (number of cells) everywhere. */
#include "layer/layer_common.h"
#include "pool/gather.h"
#include "pool/lps.h"

#include <string.h>

static void diff_x(const tips_op *op) {
    const int *stride = tips__pool_common(op->node)->stride;
    const tips_slot *in = &op->in[0];
    const tips_map *dy = &op->out[0].diff;
    const bool mix = tips__lps_mixes(op);
    if (!dy->data) { /* nobody reads y, only the choice is shared */
        if (!in->accumulate) tips__map_zero(&in->diff);
        return;
    }
    TIPS_PARALLEL_PLANES(dy, n, b) {
        float weights[TIPS_MAX_PHASES];
        if (mix) {
            tips__lps_read(tips__lps_weights(op), n, weights);
            tips__mix_diff_plane(&in->diff, dy, n, b, stride, weights, in->accumulate);
        } else {
            tips__scatter_plane(&in->diff, dy, n, b, stride, tips__lps_phase(op)[n], in->accumulate);
        }
    }
}

/* Every plane's share of dp, then the shares of sample n in the order of the blocks. */
static void diff_shares(const tips_op *op) {
    const tips_pool_common *common = tips__pool_common(op->node);
    const tips_map *x = &op->in[0].map, *dy = &op->out[0].diff;
    const int phases = tips__pool_phases(common);
    if (!dy->data) {
        memset(op->scratch, 0, (size_t)x->n * (size_t)x->blocks * (size_t)phases * sizeof(double));
        return;
    }
    TIPS_PARALLEL_PLANES(x, n, b)
        tips__mix_dweights_plane(x, dy, n, b, common->stride,
                                 (double *)op->scratch + ((ptrdiff_t)n * x->blocks + b) * phases);
}

static void sum_shares(const tips_op *op, int n, double *dp) {
    const int phases = tips__pool_phases(tips__pool_common(op->node)), blocks = op->in[0].map.blocks;
    const double *share = (const double *)op->scratch + (ptrdiff_t)n * blocks * phases;
    for (int k = 0; k < phases; k++) dp[k] = 0;
    for (int i = 0; i < blocks * phases; i++) dp[i % phases] += share[i];
}

static void diff_weights(const tips_op *op) {
    const tips_slot *in = &op->in[2];
    if (tips__lps_mixes(op)) diff_shares(op);
    for (int n = 0; n < in->diff.n; n++) {
        double dp[TIPS_MAX_PHASES] = {0};
        if (tips__lps_mixes(op)) sum_shares(op, n, dp);
        tips__lps_write(&in->diff, n, dp, in->accumulate);
    }
}

/* Puts the same value into every cell of the c channels of map m. */
static void fill(const tips_slot *slot, int m, float value) {
    const tips_map *to = &slot->diff;
    for (int b = 0; b < to->blocks; b++) {
        vf lanes = {0};
        for (int l = 0; l < tips__lanes(to->c, b); l++) lanes[l] = value;
        for (int y = 0; y < to->h; y++) {
            float *row = tips__row(to, m, b, y);
            for (ptrdiff_t x = 0; x < (ptrdiff_t)to->w * TIPS_BLOCK; x += TIPS_BLOCK)
                tips__put(row + x, lanes, slot->accumulate);
        }
    }
}

static void diff_logits_of(const tips_op *op, int n, double *dz) {
    const lps_config *config = op->node->config;
    const int phases = tips__pool_phases(&config->common);
    double p[TIPS_MAX_PHASES], dp[TIPS_MAX_PHASES];
    float row[TIPS_MAX_PHASES], arrived[TIPS_MAX_PHASES] = {0};
    sum_shares(op, n, dp);
    tips__lps_read(&op->out[2].map, n, row);
    if (op->out[2].diff.data) tips__lps_read(&op->out[2].diff, n, arrived);
    for (int k = 0; k < phases; k++) {
        p[k] = row[k];
        dp[k] += arrived[k];
    }
    tips__lps_softmax_diff(p, dp, phases, config->temperature, dz);
}

static void diff_logits(const tips_op *op) {
    const tips_slot *l = &op->in[1];
    const int phases = tips__pool_phases(tips__pool_common(op->node));
    const double cells = (double)l->map.c * l->map.h * l->map.w;
    if (tips__lps_mixes(op)) diff_shares(op);
    TIPS_PARALLEL_FOR(n, op->in[0].map.n) {
        double dz[TIPS_MAX_PHASES] = {0};
        if (tips__lps_mixes(op)) diff_logits_of(op, n, dz);
        for (int k = 0; k < phases; k++) fill(l, n * phases + k, (float)(dz[k] / cells));
    }
}

tips_status tips__lps_backward(tips_op *op) {
    const bool shared = tips__pool_common(op->node)->shared;
    if (op->in[0].want_diff) diff_x(op);
    if (shared && op->n_in > 2 && op->in[2].want_diff) diff_weights(op);
    if (!shared && op->in[1].want_diff) diff_logits(op);
    return TIPS_OK;
}
