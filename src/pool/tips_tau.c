/* From the means of psi to the anchor and the mixing weights tau, and back. */
#include "pool/tips_pool.h"

#include "tensor/matmul.h"

#include <math.h>
#include <string.h>

double tips__fm_value(int form, int phases, double norm) {
    const double middle = 0.5 * (1 + 1 / sqrt(phases));
    switch ((tips_fm)form) {
    case FM_PAPER: return (1 - phases) * norm;
    case FM_CODE: return 1 - norm;
    case FM_SKEW: return norm - 1;
    case FM_UNIFORM: return 1 - phases * norm;
    case FM_BAND: return (norm - middle) * (norm - middle);
    case FM_OFF: break;
    }
    return 0;
}

double tips__fm_slope(int form, int phases, double norm) {
    const double middle = 0.5 * (1 + 1 / sqrt(phases));
    switch ((tips_fm)form) {
    case FM_PAPER: return 1 - phases;
    case FM_CODE: return -1;
    case FM_SKEW: return 1;
    case FM_UNIFORM: return -phases;
    case FM_BAND: return 2 * (norm - middle);
    case FM_OFF: break;
    }
    return 0;
}

void tips__family_norm_anchor(const tips_job *job) {
    const tips_family_config *c = job->config;
    for (int n = 0; n < job->x.n; n++) {
        if (c->common.shared) {
            job->anchor[n] = job->op->in[1].index[n];
        } else if (c->anchor == ANCHOR_NORM) {
            double score[TIPS_MAX_PHASES];
            tips__phase_norms(&job->x, n, job->stride, 2, score);
            job->anchor[n] =
                tips__phase_choose(score, &job->x, n, job->stride, job->op->margin ? &job->op->margin[n] : NULL);
        } else {
            job->anchor[n] = 0;
        }
    }
}

static int gap_width(const tips_job *job) { return tips__padded(job->x.c * job->phases); }

static size_t logit_floats(const tips_job *job) { return (size_t)job->x.n * (size_t)job->phases * (size_t)job->padded; }

size_t tips__tau_scratch_floats(const tips_job *job) {
    const size_t raw = job->config->tau == TAU_GAP ? (size_t)job->x.n * (size_t)gap_width(job) : 0;
    return logit_floats(job) + raw;
}

/* (n, c * phases + k) and (n, k, padded), there and back. */
static void from_gap_order(const tips_job *job, const float *raw, float *logits) {
    for (int n = 0; n < job->x.n; n++)
        for (int k = 0; k < job->phases; k++) {
            float *row = logits + ((ptrdiff_t)n * job->phases + k) * job->padded;
            for (int c = 0; c < job->padded; c++)
                row[c] = c < job->x.c ? raw[(ptrdiff_t)n * gap_width(job) + (ptrdiff_t)c * job->phases + k] : 0;
        }
}

static void to_gap_order(const tips_job *job, const float *logits, float *raw) {
    memset(raw, 0, (size_t)job->x.n * (size_t)gap_width(job) * sizeof *raw);
    for (int n = 0; n < job->x.n; n++)
        for (int k = 0; k < job->phases; k++)
            for (int c = 0; c < job->x.c; c++)
                raw[(ptrdiff_t)n * gap_width(job) + (ptrdiff_t)c * job->phases + k] =
                    logits[((ptrdiff_t)n * job->phases + k) * job->padded + c];
}

static void gap_logits(const tips_job *job, float *logits, float *raw) {
    const int width = gap_width(job);
    for (int n = 0; n < job->x.n; n++) memcpy(raw + (ptrdiff_t)n * width, job->mix_bias, (size_t)width * sizeof *raw);
    tips__matmul(&(tips_matmul){.m = job->x.n, .n = width, .k = job->x.c, .a = job->means,
                                .a_row = job->padded, .a_col = 1, .b = job->mix, .b_row = width, .c = raw,
                                .c_row = width, .accumulate = true});
    from_gap_order(job, raw, logits);
}

static void phase_logits(const tips_job *job, float *logits) {
    tips__matmul(&(tips_matmul){.m = job->x.n * job->phases, .n = job->padded, .k = job->x.c, .a = job->means,
                                .a_row = job->padded, .a_col = 1, .b = job->mix, .b_row = job->padded, .c = logits,
                                .c_row = job->padded});
}

static void quadrant_logits(const tips_job *job, float *logits) {
    for (ptrdiff_t row = 0; row < (ptrdiff_t)job->x.n * job->phases; row++)
        for (int c = 0; c < job->padded; c += TIPS_BLOCK)
            vf_store(logits + row * job->padded + c,
                     vf_load(job->means + row * job->padded + c) * vf_load(job->mix + c));
}

static void choose_by_logits(const tips_job *job, const float *logits) {
    for (int n = 0; n < job->x.n; n++) {
        double score[TIPS_MAX_PHASES] = {0};
        for (int k = 0; k < job->phases; k++)
            for (int c = 0; c < job->x.c; c++) score[k] += logits[((ptrdiff_t)n * job->phases + k) * job->padded + c];
        job->anchor[n] =
            tips__phase_choose(score, &job->x, n, job->stride, job->op->margin ? &job->op->margin[n] : NULL);
    }
}

/* Row of `logits` that belongs to anchored phase k: only phase logits are in natural order. */
static ptrdiff_t logit_row(const tips_job *job, int n, int k) {
    const bool natural = job->config->tau == TAU_PHASE;
    return (ptrdiff_t)n * job->phases + (natural ? tips__family_natural(job->stride, job->anchor[n], k) : k);
}

/* Softmax over the phases, summed in anchored order. */
static void softmax(const tips_job *job, int n, const float *logits) {
    float *tau = job->tau + (ptrdiff_t)n * job->phases * job->padded;
    for (int c = 0; c < job->padded; c += TIPS_BLOCK) {
        vf top = vf_load(logits + logit_row(job, n, 0) * job->padded + c);
        for (int k = 1; k < job->phases; k++)
            top = vf_max(vf_load(logits + logit_row(job, n, k) * job->padded + c), top);
        vf sum = (vf){0};
        for (int k = 0; k < job->phases; k++) {
            const vf e = vf_exp(vf_load(logits + logit_row(job, n, k) * job->padded + c) - top);
            vf_store(tau + (ptrdiff_t)k * job->padded + c, e);
            sum += e;
        }
        for (int k = 0; k < job->phases; k++)
            vf_store(tau + (ptrdiff_t)k * job->padded + c, vf_load(tau + (ptrdiff_t)k * job->padded + c) / sum);
    }
}

void tips__mixing_weights(const tips_job *job, float *scratch) {
    float *logits = scratch, *raw = scratch + logit_floats(job);
    switch ((tips_tau)job->config->tau) {
    case TAU_GAP: gap_logits(job, logits, raw); break;
    case TAU_QUADRANT: quadrant_logits(job, logits); break;
    case TAU_PHASE: phase_logits(job, logits); break;
    }
    if (job->config->anchor == ANCHOR_LOGITS && !job->config->common.shared) choose_by_logits(job, logits);
    for (int n = 0; n < job->x.n; n++) softmax(job, n, logits);
}

/* Adds L_FM's gradient to dtau, then goes through the softmax: dlogit_k = tau_k (dtau_k - sum_j tau_j dtau_j). */
static void softmax_backward(const tips_job *job, int n, float *dtau) {
    const double weight = job->op->aux_weight[TIPS_AUX_FM] / ((double)job->x.n * job->x.c);
    const float *tau = job->tau + (ptrdiff_t)n * job->phases * job->padded;
    float *d = dtau + (ptrdiff_t)n * job->phases * job->padded;
    for (int c = 0; c < job->x.c; c++) {
        double squares = 0, product = 0;
        for (int k = 0; k < job->phases; k++)
            squares += (double)tau[(ptrdiff_t)k * job->padded + c] * tau[(ptrdiff_t)k * job->padded + c];
        const double norm = sqrt(squares), slope = weight * tips__fm_slope(job->config->fm, job->phases, norm) / norm;
        for (int k = 0; k < job->phases; k++) {
            d[(ptrdiff_t)k * job->padded + c] += (float)(slope * tau[(ptrdiff_t)k * job->padded + c]);
            product += (double)tau[(ptrdiff_t)k * job->padded + c] * d[(ptrdiff_t)k * job->padded + c];
        }
        for (int k = 0; k < job->phases; k++)
            d[(ptrdiff_t)k * job->padded + c] =
                (float)(tau[(ptrdiff_t)k * job->padded + c] * (d[(ptrdiff_t)k * job->padded + c] - product));
    }
}

size_t tips__tau_backward_scratch_floats(const tips_job *job) {
    const size_t padded = (size_t)job->padded, width = (size_t)gap_width(job);
    return logit_floats(job) +
           (job->config->tau == TAU_GAP ? (size_t)job->x.n * width + width * padded : padded * padded);
}

/* dlogits (rows, width), of `rows` rows of means, become gradients of the means and, where wanted, of the matrix. */
static void matrix_backward(const tips_job *job, const float *dlogits, int rows, int width, int outs, float *dmeans,
                            float *transposed) {
    const int padded = job->padded;
    if (job->dmix)
        tips__matmul(&(tips_matmul){.m = job->x.c, .n = width, .k = rows, .a = job->means, .a_row = 1, .a_col = padded,
                                    .b = dlogits, .b_row = width, .c = job->dmix, .c_row = width, .accumulate = true});
    tips__transpose(job->mix, job->x.c, outs, width, transposed, padded);
    tips__matmul(&(tips_matmul){.m = rows, .n = padded, .k = outs, .a = dlogits, .a_row = width, .a_col = 1,
                                .b = transposed, .b_row = padded, .c = dmeans, .c_row = padded});
}

static void phase_backward(const tips_job *job, const float *dtau, float *dmeans, float *scratch) {
    float *dlogits = scratch, *transposed = scratch + logit_floats(job);
    const int padded = job->padded;
    for (int n = 0; n < job->x.n; n++)
        for (int k = 0; k < job->phases; k++)
            memcpy(dlogits + logit_row(job, n, k) * padded, dtau + ((ptrdiff_t)n * job->phases + k) * padded,
                   (size_t)padded * sizeof(float));
    matrix_backward(job, dlogits, job->x.n * job->phases, padded, job->x.c, dmeans, transposed);
}

static void gap_backward(const tips_job *job, const float *dtau, float *dmeans, float *scratch) {
    const int width = gap_width(job);
    float *raw = scratch + logit_floats(job), *transposed = raw + (ptrdiff_t)job->x.n * width;
    to_gap_order(job, dtau, raw);
    for (int n = 0; job->dmix_bias && n < job->x.n; n++)
        for (int i = 0; i < width; i += TIPS_BLOCK)
            vf_store(job->dmix_bias + i, vf_load(job->dmix_bias + i) + vf_load(raw + (ptrdiff_t)n * width + i));
    matrix_backward(job, raw, job->x.n, width, job->x.c * job->phases, dmeans, transposed);
}

static void quadrant_backward(const tips_job *job, const float *dtau, float *dmeans) {
    for (ptrdiff_t row = 0; row < (ptrdiff_t)job->x.n * job->phases; row++)
        for (int c = 0; c < job->padded; c += TIPS_BLOCK) {
            const vf d = vf_load(dtau + row * job->padded + c), mean = vf_load(job->means + row * job->padded + c);
            vf_store(dmeans + row * job->padded + c, d * vf_load(job->mix + c));
            if (job->dmix) vf_store(job->dmix + c, vf_fma(d, mean, vf_load(job->dmix + c)));
        }
}

void tips__mixing_weights_backward(const tips_job *job, float *dtau, float *dmeans, float *scratch) {
    for (int n = 0; n < job->x.n; n++) softmax_backward(job, n, dtau);
    switch ((tips_tau)job->config->tau) {
    case TAU_GAP: gap_backward(job, dtau, dmeans, scratch); break;
    case TAU_QUADRANT: quadrant_backward(job, dtau, dmeans); break;
    case TAU_PHASE: phase_backward(job, dtau, dmeans, scratch); break;
    }
}
