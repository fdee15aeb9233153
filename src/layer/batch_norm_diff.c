/* batch_norm, backward, of what the compiler fused: dz is dy where the ReLU was open, and the residual's gradient.
 *     dbeta = sum dz, dgamma = sum dz (x - mean) / sqrt(var + eps), over the batch
 *     dx = scale dz with running statistics, which are constants; those of the batch take away their own share:
 *     dx = scale (dz - dbeta / count - (x - mean) / sqrt(var + eps) dgamma / count) */
#include "layer/batch_norm_run.h"

#include "core/threads.h"

/* dz; `x` is zero where nobody needs it, `out` is read only where a residual was added. */
static inline vf unrectified(const tips_op *op, vf dy, vf x, vf scale, vf shift, const float *out) {
    if (!op->relu) return dy;
    const vi alive = (out ? vf_load(out) : vf_fma(x, scale, shift)) > (vf){0};
    return (vf)((vi)dy & alive);
}

static void plane_gradient_sums(const tips_op *op, const norm_saved *s, int n, int b, vf *sum, vf *product) {
    const tips_map *x = &op->in[0].map, *dy = &op->out[0].diff, *out = &op->out[0].map;
    const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
    const vf scale = vf_load(s->scale + at), shift = vf_load(s->shift + at), mean = vf_load(s->mean + at);
    vd total = (vd){0}, total_product = (vd){0};
    for (int i = 0; i < x->h; i++) {
        const float *xr = tips__row(x, n, b, i), *dr = tips__row(dy, n, b, i);
        const float *yr = op->residual >= 0 ? tips__row(out, n, b, i) : NULL;
        vf line = (vf){0}, line_product = (vf){0};
        for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK) {
            const vf v = vf_load(xr + j);
            const vf d = unrectified(op, vf_load(dr + j), v, scale, shift, yr ? yr + j : NULL);
            line += d;
            line_product = vf_fma(d, v - mean, line_product);
        }
        total += vd_from(line);
        total_product += vd_from(line_product);
    }
    *sum = vf_from(total);
    *product = vf_from(total_product);
}

/* Sums over the batch, of one block: dbeta and dgamma. */
typedef struct norm_gradients {
    vd beta, gamma;
} norm_gradients;

static norm_gradients reduce_sums(const tips_op *op, const norm_saved *s, const vf *partial, int b) {
    const tips_map *x = &op->in[0].map;
    vd sum = (vd){0}, product = (vd){0};
    for (int n = 0; n < x->n; n++) {
        sum += vd_from(partial[2 * ((ptrdiff_t)n * x->blocks + b)]);
        product += vd_from(partial[2 * ((ptrdiff_t)n * x->blocks + b) + 1]);
    }
    return (norm_gradients){sum, product * vd_from(vf_load(s->rstd + (ptrdiff_t)b * TIPS_BLOCK))};
}

static void add_to(float *gradient, int b, vd sum) {
    if (!gradient) return;
    float *at = gradient + (ptrdiff_t)b * TIPS_BLOCK;
    vf_store(at, vf_load(at) + vf_from(sum));
}

typedef struct coefficients {
    vf gradient, offset, slope; /* dx = gradient * dz - slope * (x - mean) - offset */
} coefficients;

static coefficients coefficients_of(const tips_op *op, const norm_saved *s, int b, const norm_gradients *g) {
    const tips_map *x = &op->in[0].map;
    const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
    const vd rstd = vd_from(vf_load(s->rstd + at)), scale = vd_from(vf_load(s->scale + at));
    const double count = (double)x->n * x->h * x->w;
    if (!op->pass.batch_statistics) return (coefficients){.gradient = vf_from(scale)};
    return (coefficients){vf_from(scale), vf_from(scale * g->beta / count), vf_from(scale * rstd * g->gamma / count)};
}

static void plane_gradient(const tips_op *op, const norm_saved *s, int n, int b, const coefficients *k) {
    const tips_slot *in = &op->in[0], *res = op->residual >= 0 ? &op->in[op->residual] : NULL;
    const tips_map *x = &in->map, *dy = &op->out[0].diff;
    const ptrdiff_t at = (ptrdiff_t)b * TIPS_BLOCK;
    const vf scale = vf_load(s->scale + at), shift = vf_load(s->shift + at), mean = vf_load(s->mean + at);
    for (int i = 0; i < x->h; i++) {
        const float *xr = tips__norm_reads_input(op) ? tips__row(x, n, b, i) : NULL, *dr = tips__row(dy, n, b, i);
        const float *yr = res ? tips__row(&op->out[0].map, n, b, i) : NULL;
        float *dx = in->want_diff ? tips__row(&in->diff, n, b, i) : NULL;
        float *rr = res && res->want_diff ? tips__row(&res->diff, n, b, i) : NULL;
        for (ptrdiff_t j = 0; j < (ptrdiff_t)x->w * TIPS_BLOCK; j += TIPS_BLOCK) {
            const vf v = xr ? vf_load(xr + j) : (vf){0};
            const vf d = unrectified(op, vf_load(dr + j), v, scale, shift, yr ? yr + j : NULL);
            if (rr) vf_store(rr + j, res->accumulate ? vf_load(rr + j) + d : d);
            if (!dx) continue;
            const vf g = vf_fma(k->gradient, d, -vf_fma(k->slope, v - mean, k->offset));
            vf_store(dx + j, in->accumulate ? vf_load(dx + j) + g : g);
        }
    }
}

static void sum_planes(const tips_op *op, const norm_saved *s, vf *partial) {
    const tips_map *x = &op->in[0].map;
    TIPS_PARALLEL_PLANES (x, n, b) {
        vf *p = partial + 2 * ((ptrdiff_t)n * x->blocks + b);
        plane_gradient_sums(op, s, n, b, &p[0], &p[1]);
    }
}

tips_status tips__norm_backward(tips_op *op) {
    const norm_saved s = tips__norm_saved(op);
    const tips_map *x = &op->in[0].map;
    const bool sums = tips__norm_sums(op);
    if (sums) sum_planes(op, &s, op->scratch);
    TIPS_PARALLEL_FOR (b, x->blocks) {
        const norm_gradients g = sums ? reduce_sums(op, &s, op->scratch, b) : (norm_gradients){{0}, {0}};
        add_to(op->dparam[NORM_GAMMA], b, g.gamma);
        add_to(op->dparam[NORM_BETA], b, g.beta);
        const coefficients k = coefficients_of(op, &s, b, &g);
        for (int n = 0; n < x->n; n++) plane_gradient(op, &s, n, b, &k);
    }
    return TIPS_OK;
}
