/* Translation invariant polyphase sampling, the parts that its files share.
 *
 *   psi(x) = ReLU(conv3x3(x));  tau = softmax over phases of logits made from means of psi;
 *   y = T_{-a} x for an anchor a;  output = sum_k tau_k P_k(y).
 *
 * Phases are numbered "naturally" (k of x) or "anchored" (k of y): anchored (kh, kw) is natural
 * ((kh + ah) mod sh, (kw + aw) mod sw). psi(y) is taken as T_{-a} psi(x), which circular padding makes an identity. */
#ifndef TIPS_POOL_TIPS_POOL_H
#define TIPS_POOL_TIPS_POOL_H

#include "pool/pool.h"
#include "tensor/pad.h"
#include "tensor/phase.h"

typedef enum tips_psi { PSI_FULL, PSI_DEPTHWISE } tips_psi;
typedef enum tips_tau { TAU_GAP, TAU_QUADRANT, TAU_PHASE } tips_tau;
typedef enum tips_anchor_rule { ANCHOR_NONE, ANCHOR_NORM, ANCHOR_LOGITS } tips_anchor_rule;
typedef enum tips_fm { FM_PAPER, FM_CODE, FM_SKEW, FM_UNIFORM, FM_BAND, FM_OFF } tips_fm;

typedef struct tips_family_config {
    tips_pool_common common;
    int psi, tau, anchor;
    int hard; /* select: 0 soft, 1 hard */
    int fm;
    double start; /* scale of the mixing weights as they are drawn */
    const int32_t *fixed_shift; /* tests: (n, 2) shifts of L_undo instead of random ones */
} tips_family_config;

/* Everything about one op that the passes need, gathered once per call. */
typedef struct tips_job {
    tips_op *op;
    const tips_family_config *config;
    const int *stride;
    int phases, bins; /* bins: means per sample and channel: 1 for gap, else phases */
    int padded;       /* channels, up to a multiple of the block */
    tips_map x, psi;  /* psi.data is NULL when psi is depthwise: it is computed on the fly */
    bool undo;        /* L_undo is wanted in this step */
    bool relative;    /* as a share of the mean square of x */
    /* Workspace */
    float *means;     /* (n, bins, padded) */
    float *tau;       /* (n, phases, padded), anchored order */
    int32_t *anchor;  /* (n) */
    int32_t *shift;   /* (n, 2): dy, dx of L_undo */
    float *undo_scale; /* (1): what L_undo is multiplied by */
    /* Parameters and their gradients */
    const float *psi_weights, *mix, *mix_bias;
    float *dpsi_weights, *dmix, *dmix_bias;
} tips_job;

/* How far L_undo may shift a map of that height or width. */
static inline int tips__undo_most(int size) { return (size + 9) / 10; }

tips_job tips__family_job(tips_op *op);
static inline int tips__family_psi_slot(const tips_family_config *c) { return 1 + (c->common.shared ? 1 : 0); }

/* Natural index of anchored phase k. */
static inline int tips__family_natural(const int stride[2], int anchor, int k) {
    const int a = (k / stride[1] + anchor / stride[1]) % stride[0],
              b = (k % stride[1] + anchor % stride[1]) % stride[1];
    return a * stride[1] + b;
}

#ifdef TIPS_BLOCK
/* psi of one plane, row by row; see tips_psi.c. */
typedef struct tips_psi_plane {
    const tips_job *job;
    int n, block;
    const float *padded; /* depthwise: x with a border of one */
    float *row;          /* depthwise: room for one row */
    vf bound;            /* no |psi| is larger */
} tips_psi_plane;

tips_psi_plane tips__psi_open(const tips_job *job, int n, int block, float *scratch);
const float *tips__psi_row(const tips_psi_plane *plane, int y);
/* x shifted by L_undo's shift, zero-filled: pixel (y, x). */
static inline vf tips__shifted_pixel(const float *row, int x, int dx) {
    return row && x >= dx ? vf_load(row + (ptrdiff_t)(x - dx) * TIPS_BLOCK) : (vf){0};
}
#endif
size_t tips__psi_scratch_floats(const tips_job *job); /* per thread */
/* The row of x that lies at row y of x^t, NULL for zeros. */
const float *tips__shifted_row(const tips_job *job, int n, int block, int y);

/* What L_undo is multiplied by where it is a share: a constant, as x^t is. Maps next to zero are not blown up. */
static inline double tips__undo_scale(double mean_square) { return 1 / (mean_square > 1e-6 ? mean_square : 1e-6); }

/* Means of psi into job->means, and the planes' shares of L_undo, and of the square of x, into undo (2, n, blocks)
 * where wanted. */
void tips__family_means(const tips_job *job, float *scratch, double *undo);

/* Which cells of row y belong to which bin: every bin's cells are `count` of them from `start` in steps. */
typedef struct tips_run {
    int bin, start, step, count;
} tips_run;
int tips__family_runs(const tips_job *job, int n, int y, tips_run *runs);

/* The choice of anchor and the mixing weights. */
void tips__family_norm_anchor(const tips_job *job); /* needs no means: anchors none, norm and shared ones */
size_t tips__tau_scratch_floats(const tips_job *job);
void tips__mixing_weights(const tips_job *job, float *scratch);
/* dtau (n, phases, padded), anchored, becomes gradients of the means (n, bins, padded) in dmeans and of mix in
 * job->dmix. */
void tips__mixing_weights_backward(const tips_job *job, float *dtau, float *dmeans, float *scratch);
size_t tips__tau_backward_scratch_floats(const tips_job *job);

/* L_FM of one tau: value and derivative by the norm. */
double tips__fm_value(int form, int phases, double norm);
double tips__fm_slope(int form, int phases, double norm);

tips_status tips__family_plan(tips_op *op, tips_plan *plan);
tips_status tips__family_forward(tips_op *op);
tips_status tips__family_backward(tips_op *op);
tips_status tips__family_ref(tips_ref_op *op);
tips_status tips__family_emit(tips_emitter *to, const tips_node *node);

#endif
