/* Central differences of L on the oracle: along every coordinate that was drawn, and along all of them at once. */
#include "support/gradient.h"

#include "support/brief.h"

#include "core/rng.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 1e-6;
static const double KINK = 2e-5;  /* one-sided slopes that differ by more, relatively, are a kink */
static const double FLOOR = 3e-6; /* gradients that are zero in theory: rounding of values of about 1 */

typedef struct probe {
    const trial *t;
    tips_ref_net *ref;
    double base;       /* L without a step */
    int32_t **indices; /* per value: the phases without a step, NULL for maps */
    int left_out, taken;
} probe;

static double objective(const trial *t, tips_ref_net *ref) {
    double sum = tips__ref_losses(ref).total;
    for (int i = 0; i < t->n_out; i++) {
        if (!t->dy[i]) continue;
        const double *y = tips__ref_map(ref, t->out[i]);
        for (size_t j = 0; j < trial_count(t, t->out[i]); j++) sum += y[j] * t->dy[i][j];
    }
    return sum;
}

static void keep_indices(probe *p) {
    const int values = tips__graph_value_count(p->t->graph);
    p->indices = test_alloc((size_t)values * sizeof *p->indices);
    for (int v = 0; v < values; v++) {
        if (tips__value(p->t->graph, v)->kind != TIPS_INDEX) continue;
        const size_t bytes = trial_count(p->t, v) * sizeof(int32_t);
        p->indices[v] = test_alloc(bytes);
        memcpy(p->indices[v], tips__ref_index(p->ref, v), bytes);
    }
}

static bool same_choices(const probe *p) {
    for (int v = 0; v < tips__graph_value_count(p->t->graph); v++) {
        if (!p->indices[v]) continue;
        if (memcmp(p->indices[v], tips__ref_index(p->ref, v), trial_count(p->t, v) * sizeof(int32_t)) != 0)
            return false;
    }
    return true;
}

/* One tensor of the oracle: an input or a parameter, and the gradient the fast net found for it. */
typedef struct tensor {
    const char *name;
    double *data;
    const float *gradient;
    size_t count;
    double scale; /* the largest gradient */
} tensor;

/* Where to go: one coordinate, or all of them at once by +-1 each. */
typedef struct direction {
    size_t begin, end;
    tips_rng signs;
} direction;

static double sign(const direction *d, size_t i) {
    return d->end - d->begin == 1 || tips__rng_below(d->signs, i, 2) ? 1 : -1;
}

static void move(const tensor *x, const direction *d, double step) {
    for (size_t i = d->begin; i < d->end; i++) x->data[i] += step * sign(d, i);
}

/* L a step away; false if another phase is chosen there. */
static bool objective_at(const probe *p, const tensor *x, const direction *d, double step, double *out) {
    double *before = test_alloc(x->count * sizeof *before);
    memcpy(before, x->data, x->count * sizeof *before);
    move(x, d, step);
    expect_ok(tips__ref_forward(p->ref));
    *out = objective(p->t, p->ref);
    memcpy(x->data, before, x->count * sizeof *before);
    free(before);
    return same_choices(p);
}

/* The slope of L; false where L is not smooth. */
static bool slope(const probe *p, const tensor *x, const direction *d, double *out) {
    double above, below;
    if (!objective_at(p, x, d, STEP, &above) || !objective_at(p, x, d, -STEP, &below)) return false;
    const double right = (above - p->base) / STEP, left = (p->base - below) / STEP;
    *out = (above - below) / (2 * STEP);
    return fabs(right - left) <= KINK * fmax(x->scale, fabs(*out)) + FLOOR;
}

static double largest(const float *values, size_t count) {
    double top = 0;
    for (size_t i = 0; i < count; i++) top = test_larger(top, fabs(values[i]));
    return top;
}

static void check_direction(probe *p, const tensor *x, direction d, double tolerance) {
    double want, got = 0;
    p->taken++;
    if (!slope(p, x, &d, &want)) {
        p->left_out++;
        return;
    }
    for (size_t i = d.begin; i < d.end; i++) got += sign(&d, i) * x->gradient[i];
    const double spread = x->scale * sqrt((double)(d.end - d.begin));
    const double limit = tolerance * fmax(spread, fabs(want)) + FLOOR;
    if (!(fabs(got - want) <= limit))
        fail_case("gradient of %s[%zu..%zu] is %.9g, central difference %.9g (off by %.2g, allowed %.2g)", x->name,
                  d.begin, d.end - 1, got, want, fabs(got - want), limit);
}

static void check_tensor(probe *p, tensor x, gradient_check check) {
    const tips_rng rng = {p->t->seed, tips__rng_mix(x.count, 5)}, signs = {p->t->seed, tips__rng_mix(x.count, 6)};
    const size_t enough = (size_t)test_repeat(check.coordinates, 3), wanted = x.count < enough ? x.count : enough;
    x.scale = largest(x.gradient, x.count);
    check_direction(p, &x, (direction){0, x.count, signs}, check.tolerance);
    for (size_t i = 0; i < wanted; i++) {
        const size_t at = wanted == x.count ? i : tips__rng_below(rng, i, (uint32_t)x.count);
        check_direction(p, &x, (direction){at, at + 1, signs}, check.tolerance);
    }
}

static void check_inputs(probe *p, const results *r, gradient_check check) {
    for (int i = 0; i < p->t->n_in; i++) {
        char name[32];
        if (!r->dx[i]) continue;
        snprintf(name, sizeof name, "input %d", i);
        check_tensor(p, (tensor){name, tips__ref_map(p->ref, p->t->in[i]), r->dx[i], trial_count(p->t, p->t->in[i]), 0},
                     check);
    }
}

static void check_params(probe *p, const results *r, gradient_check check) {
    for (int i = 0; i < tips__graph_param_count(p->t->graph); i++) {
        const tips_param_spec *spec = tips__graph_param(p->t->graph, i);
        if (!r->dparam[i]) continue;
        check_tensor(p, (tensor){spec->name, tips__ref_param(p->ref, i), r->dparam[i], tips__param_elements(spec), 0},
                     check);
    }
}

void expect_gradients(const trial *t, gradient_check check) {
    probe p = {.t = t, .ref = trial_oracle(t, true)};
    p.base = objective(t, p.ref);
    keep_indices(&p);
    const tips_net_options options = trial_options(t, true);
    results r = trial_run(t, &options);
    const int threads = tips__threads();
    tips__threads_set(1); /* thousands of tiny runs: starting threads would cost more than they save */
    if (check.inputs) check_inputs(&p, &r, check);
    if (check.params) check_params(&p, &r, check);
    tips__threads_set(threads);
    if (3 * p.left_out > p.taken) fail_case("%d of %d coordinates are not smooth", p.left_out, p.taken);
    for (int v = 0; v < tips__graph_value_count(t->graph); v++) free(p.indices[v]);
    free(p.indices);
    results_free(t, &r);
    tips__ref_destroy(p.ref);
}
