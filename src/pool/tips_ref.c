/* The tips family in naive double precision, straight from the formulas: components are really rolled and cut out. */
#include "pool/tips_pool.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>

typedef struct ref_job {
    const tips_ref_op *op;
    const tips_family_config *config;
    int c, h, w, sh, sw, phases;
    const double *psi_weights, *mix, *mix_bias;
    double *psi, *logits, *tau; /* of one sample: (c, h, w), (c, phases), (c, phases) */
} ref_job;

static double pixel(const double *plane, int h, int w, int y, int x, tips_pad_mode mode) {
    const int sy = tips__pad_index(mode, y, h), sx = tips__pad_index(mode, x, w);
    return sy < 0 || sx < 0 ? 0 : plane[(ptrdiff_t)sy * w + sx];
}

static void compute_psi(const ref_job *j, const double *x, int n) {
    const ptrdiff_t area = (ptrdiff_t)j->h * j->w;
    for (int c = 0; c < j->c; c++)
        for (int y = 0; y < j->h; y++)
            for (int i = 0; i < j->w; i++) {
                const ptrdiff_t at = c * area + (ptrdiff_t)y * j->w + i;
                if (j->config->psi == PSI_FULL) {
                    j->psi[at] = j->op->in[tips__family_psi_slot(j->config)].data[(ptrdiff_t)n * j->c * area + at];
                    continue;
                }
                double sum = 0;
                for (int t = 0; t < 9; t++)
                    sum += j->psi_weights[c * 9 + t] *
                           pixel(x + c * area, j->h, j->w, y + t / 3 - 1, i + t % 3 - 1, j->config->common.padding);
                j->psi[at] = sum > 0 ? sum : 0;
            }
}

static double rolled(const ref_job *j, const double *map, int c, int y, int x, int ah, int aw) {
    return map[((ptrdiff_t)c * j->h + (y + ah) % j->h) * j->w + (x + aw) % j->w];
}

/* Mean of T_{-a} map over the cells of phase k, quadrant k, or all. */
static double mean_of(const ref_job *j, const double *map, int c, int k, int ah, int aw) {
    const int qh = j->h / j->sh, qw = j->w / j->sw;
    double sum = 0;
    for (int y = 0; y < qh; y++)
        for (int x = 0; x < qw; x++)
            switch ((tips_tau)j->config->tau) {
            case TAU_PHASE: sum += rolled(j, map, c, y * j->sh + k / j->sw, x * j->sw + k % j->sw, ah, aw); break;
            case TAU_QUADRANT: sum += rolled(j, map, c, k / j->sw * qh + y, k % j->sw * qw + x, ah, aw); break;
            case TAU_GAP:
                for (int p = 0; p < j->phases; p++)
                    sum += rolled(j, map, c, y * j->sh + p / j->sw, x * j->sw + p % j->sw, 0, 0) / j->phases;
                break;
            }
    return sum / ((double)qh * qw);
}

static void compute_logits(const ref_job *j, int ah, int aw) {
    for (int c = 0; c < j->c; c++)
        for (int k = 0; k < j->phases; k++) {
            double *logit = &j->logits[c * j->phases + k];
            switch ((tips_tau)j->config->tau) {
            case TAU_QUADRANT: *logit = j->mix[c] * mean_of(j, j->psi, c, k, ah, aw); break;
            case TAU_PHASE:
                *logit = 0;
                for (int i = 0; i < j->c; i++)
                    *logit += j->mix[(ptrdiff_t)c * j->c + i] * mean_of(j, j->psi, i, k, ah, aw);
                break;
            case TAU_GAP:
                *logit = j->mix_bias[c * j->phases + k];
                for (int i = 0; i < j->c; i++)
                    *logit += j->mix[((ptrdiff_t)c * j->phases + k) * j->c + i] * mean_of(j, j->psi, i, 0, 0, 0);
                break;
            }
        }
}

static double norm_of_phase(const ref_job *j, const double *x, int k) {
    double sum = 0;
    for (int c = 0; c < j->c; c++)
        for (int y = k / j->sw; y < j->h; y += j->sh)
            for (int i = k % j->sw; i < j->w; i += j->sw) {
                const double v = x[((ptrdiff_t)c * j->h + y) * j->w + i];
                sum += v * v;
            }
    return sum;
}

static int choose_anchor(const ref_job *j, const double *x, int n) {
    if (j->config->common.shared) return j->op->in[1].index[n];
    if (j->config->anchor == ANCHOR_NONE) return 0;
    if (j->config->anchor == ANCHOR_LOGITS) compute_logits(j, 0, 0);
    int best = 0;
    double best_score = -INFINITY, best_norm = -INFINITY;
    for (int k = 0; k < j->phases; k++) {
        const double norm = norm_of_phase(j, x, k);
        double score = 0;
        for (int c = 0; c < j->c; c++) score += j->logits[c * j->phases + k];
        if (j->config->anchor == ANCHOR_NORM) score = norm;
        if (score < best_score || (score == best_score && norm <= best_norm)) continue;
        best = k, best_score = score, best_norm = norm;
    }
    return best;
}

static double compute_tau(const ref_job *j) {
    double fm = 0;
    for (int c = 0; c < j->c; c++) {
        double top = -INFINITY, sum = 0, squares = 0;
        for (int k = 0; k < j->phases; k++) top = fmax(top, j->logits[c * j->phases + k]);
        for (int k = 0; k < j->phases; k++) sum += exp(j->logits[c * j->phases + k] - top);
        for (int k = 0; k < j->phases; k++) {
            j->tau[c * j->phases + k] = exp(j->logits[c * j->phases + k] - top) / sum;
            squares += j->tau[c * j->phases + k] * j->tau[c * j->phases + k];
        }
        fm += tips__fm_value(j->config->fm, j->phases, sqrt(squares));
    }
    return fm;
}

static void harden(const ref_job *j) {
    for (int c = 0; c < j->c; c++) {
        int best = 0;
        for (int k = 1; k < j->phases; k++)
            if (j->tau[c * j->phases + k] > j->tau[c * j->phases + best]) best = k;
        for (int k = 0; k < j->phases; k++) j->tau[c * j->phases + k] = k == best;
    }
}

static double undo_of(const ref_job *j, const double *x, int n) {
    const uint32_t rows = (uint32_t)tips__undo_most(j->h) + 1, cols = (uint32_t)tips__undo_most(j->w) + 1;
    const int32_t *fixed = j->config->fixed_shift;
    const int dy = fixed ? fixed[2 * n] : (int)tips__rng_below(j->op->rng, 2 * (uint64_t)n, rows);
    const int dx = fixed ? fixed[2 * n + 1] : (int)tips__rng_below(j->op->rng, 2 * (uint64_t)n + 1, cols);
    double sum = 0;
    for (int c = 0; c < j->c; c++)
        for (int y = 0; y < j->h; y++)
            for (int i = 0; i < j->w; i++) {
                const double *plane = x + (ptrdiff_t)c * j->h * j->w;
                const double moved = y < dy || i < dx ? 0 : plane[(ptrdiff_t)(y - dy) * j->w + i - dx];
                const double d = moved - j->psi[((ptrdiff_t)c * j->h + y) * j->w + i];
                sum += d * d;
            }
    return sum;
}

static double mean_square(const tips_ref_slot *x) {
    const size_t cells = (size_t)x->n * (size_t)x->c * (size_t)x->h * (size_t)x->w;
    double sum = 0;
    for (size_t i = 0; i < cells; i++) sum += x->data[i] * x->data[i];
    return sum / (double)cells;
}

static void run_sample(ref_job *j, tips_ref_op *op, int n) {
    const ptrdiff_t in = (ptrdiff_t)j->c * j->h * j->w, oh = j->h / j->sh, ow = j->w / j->sw;
    const double *x = op->in[0].data + n * in;
    compute_psi(j, x, n);
    const int anchor = choose_anchor(j, x, n), ah = anchor / j->sw, aw = anchor % j->sw;
    compute_logits(j, ah, aw);
    const double fm = compute_tau(j);
    if (op->pass.losses) {
        op->aux[TIPS_AUX_FM] += fm / ((double)op->in[0].n * j->c);
        if (!j->config->common.any_scale)
            op->aux[TIPS_AUX_UNDO] += undo_of(j, x, n) / ((double)op->in[0].n * (double)in);
    }
    if (j->config->hard) harden(j);
    for (int c = 0; c < j->c; c++)
        for (int y = 0; y < oh; y++)
            for (int i = 0; i < ow; i++) {
                double sum = 0;
                for (int k = 0; k < j->phases; k++)
                    sum += j->tau[c * j->phases + k] *
                           rolled(j, x, c, y * j->sh + k / j->sw, i * j->sw + k % j->sw, ah, aw);
                op->out[0].data[(((ptrdiff_t)n * j->c + c) * oh + y) * ow + i] = sum;
            }
    if (op->n_out > 1) op->out[1].index[n] = anchor;
}

tips_status tips__family_ref(tips_ref_op *op) {
    const tips_family_config *c = op->node->config;
    const int first = c->psi == PSI_FULL ? 0 : 1;
    ref_job j = {.op = op, .config = c, .c = op->in[0].c, .h = op->in[0].h, .w = op->in[0].w, .sh = c->common.stride[0],
                 .sw = c->common.stride[1], .phases = c->common.stride[0] * c->common.stride[1],
                 .psi_weights = op->param[0], .mix = op->param[first],
                 .mix_bias = c->tau == TAU_GAP ? op->param[first + 1] : NULL};
    const size_t cells = (size_t)j.c * (size_t)j.h * (size_t)j.w, taus = (size_t)j.c * (size_t)j.phases;
    double *room;
    TIPS_TRY(tips__new_zero(&room, (cells + 2 * taus) * sizeof *room, "the reference of tips"));
    j.psi = room, j.logits = room + cells, j.tau = j.logits + taus;
    for (int n = 0; n < op->in[0].n; n++) run_sample(&j, op, n);
    if (op->relative_undo) op->aux[TIPS_AUX_UNDO] *= tips__undo_scale(mean_square(&op->in[0]));
    tips__free(room);
    return TIPS_OK;
}
