/* group_norm, backward. With h = (x - mean) rstd and m(.) the mean over the group,
 *     dbeta = sum dy, dgamma = sum dy h, over positions and samples
 *     dx = rstd (gamma dy - m(gamma dy) - h m(gamma dy h)) */
#include "layer/channel_sums.h"
#include "layer/group_norm_run.h"

/* In scratch, (n, c padded) each. */
typedef struct group_sums {
    double *dy, *dy_h;    /* over the positions of a channel */
    float *offset, *slope; /* dx = gamma rstd dy - offset - slope (x - mean) */
} group_sums;

static group_sums sums_at(const tips_op *op) {
    const ptrdiff_t numbers = (ptrdiff_t)op->in[0].map.n * tips__padded(op->in[0].map.c);
    double *at = op->scratch;
    float *floats = (float *)(at + 2 * numbers);
    return (group_sums){at, at + numbers, floats, floats + numbers};
}

static void sum_plane(const tips_op *op, const group_saved *s, int n, int b, const group_sums *out) {
    const tips_map *x = &op->in[0].map, *dy = &op->out[0].diff;
    const ptrdiff_t at = tips__group_at(x, n, b);
    const vf mean = vf_load(s->mean + at);
    vd total = (vd){0}, total_product = (vd){0};
    for (int i = 0; i < x->h; i++) {
        const float *xr = tips__row(x, n, b, i), *dr = tips__row(dy, n, b, i);
        vf line = (vf){0}, product = (vf){0};
        for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK) {
            const vf d = vf_load(dr + j);
            line += d;
            product = vf_fma(d, vf_load(xr + j) - mean, product);
        }
        total += vd_from(line);
        total_product += vd_from(product);
    }
    tips__channel_sum_put(out->dy, x, n, b, total);
    tips__channel_sum_put(out->dy_h, x, n, b, total_product * vd_from(vf_load(s->rstd + at)));
}

static double gamma_of(const tips_op *op, int c) { return op->node->n_params > 0 ? op->param[GROUP_GAMMA][c] : 1; }

static void sample_coefficients(const tips_op *op, const group_saved *s, int n, const group_sums *k) {
    const tips_map *x = &op->in[0].map;
    const int count = x->c / ((const tips_group_norm *)op->node->config)->groups;
    const double elements = (double)count * x->h * x->w;
    const ptrdiff_t at = tips__group_at(x, n, 0);
    for (int first = 0; first < x->c; first += count) {
        double sum = 0, product = 0;
        for (int c = first; c < first + count; c++) {
            sum += gamma_of(op, c) * k->dy[at + c];
            product += gamma_of(op, c) * k->dy_h[at + c];
        }
        const double rstd = s->rstd[at + first];
        for (int c = first; c < first + count; c++) {
            k->offset[at + c] = (float)(rstd * sum / elements);
            k->slope[at + c] = (float)(rstd * rstd * product / elements);
        }
    }
    for (int c = x->c; c < tips__padded(x->c); c++) k->offset[at + c] = k->slope[at + c] = 0;
}

static void plane_gradient(const tips_op *op, const group_saved *s, int n, int b, const group_sums *k) {
    const tips_slot *in = &op->in[0];
    const tips_map *x = &in->map, *dy = &op->out[0].diff;
    const ptrdiff_t at = tips__group_at(x, n, b);
    const vf mean = vf_load(s->mean + at), scale = vf_load(s->rstd + at) * tips__group_gamma(op, b);
    const vf offset = vf_load(k->offset + at), slope = vf_load(k->slope + at);
    for (int i = 0; i < x->h; i++) {
        const float *xr = tips__row(x, n, b, i), *dr = tips__row(dy, n, b, i);
        float *dx = tips__row(&in->diff, n, b, i);
        for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK) {
            const vf own = vf_fma(slope, vf_load(xr + j) - mean, offset);
            tips__put(dx + j, vf_fma(scale, vf_load(dr + j), -own), in->accumulate);
        }
    }
}

static void add_total(const tips_op *op, int param, const double *sums) {
    const tips_map *x = &op->in[0].map;
    for (int b = 0; op->node->n_params > 0 && op->dparam[param] && b < x->blocks; b++)
        tips__put(op->dparam[param] + (ptrdiff_t)b * TIPS_BLOCK, vf_from(tips__channel_total(sums, x, b)), true);
}

tips_status tips__group_norm_backward(tips_op *op) {
    const group_saved s = tips__group_saved(op);
    const group_sums k = sums_at(op);
    const tips_map *x = &op->in[0].map;
    TIPS_PARALLEL_PLANES (x, n, b) sum_plane(op, &s, n, b, &k);
    add_total(op, GROUP_GAMMA, k.dy_h);
    add_total(op, GROUP_BETA, k.dy);
    if (!op->in[0].want_diff) return TIPS_OK;
    TIPS_PARALLEL_FOR (n, x->n) sample_coefficients(op, &s, n, &k);
    TIPS_PARALLEL_PLANES (x, n, b) plane_gradient(op, &s, n, b, &k);
    return TIPS_OK;
}
