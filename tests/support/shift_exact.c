/* Runs an operator on every circular shift of its input and compares T_m f(x) with f(T_u x).
 *
 * y[i] is made from x[s*i + a + k]. With x'[j] = x[j - u] and the phase a' of x', y'[i] = y[i + (a' - u - a)/s]: the
 * division must leave no rest, and y' is y moved by (u + a - a')/s. */
#include "support/shift_exact.h"

#include "support/brief.h"
#include "support/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shift_run {
    const pool_trial *p;
    const pool_setting *s;
    tips_net *net;
    results base;
    const int32_t *phases, *base_phases; /* (n), NULL if the operator chooses none */
} shift_run;

static void forward_shifted(const shift_run *run, int uy, int ux) {
    const trial *t = &run->p->t;
    for (int i = 0; i < t->n_in; i++) {
        const tips_value_info *x = tips__value(t->graph, t->in[i]);
        float *moved = test_floats(trial_count(t, t->in[i]));
        roll_planes(t->x[i], (size_t)t->n * (size_t)x->c, x->h, x->w, uy, ux, moved);
        expect_ok(tips__net_set_map(run->net, t->in[i], moved));
        free(moved);
    }
    expect_ok(tips__net_forward(run->net));
}

/* How far the grid of sample n moved along an axis, in its own cells. */
static int grid_move(const shift_run *run, int n, int axis, int u) {
    const int *stride = run->s->stride;
    const int now = run->phases[n], before = run->base_phases[n];
    const int a = axis ? now % stride[1] : now / stride[1], b = axis ? before % stride[1] : before / stride[1];
    const int distance = u + b - a;
    if (distance % stride[axis]) fail_case("shift %d along axis %d: phase %d became %d", u, axis, before, now);
    return distance / stride[axis];
}

static size_t sample_floats(const trial *t, int out) { return trial_count(t, t->out[out]) / (size_t)t->n; }

/* An output as large as the input moves with it; a smaller one moves by cells of its grid. */
static bool is_full_size(const shift_run *run, int out) {
    const tips_value_info *y = tips__value(run->p->t.graph, run->p->t.out[out]);
    return y->h == run->s->h && y->w == run->s->w;
}

static void expect_moved(const shift_run *run, int out, int n, const float *got, int uy, int ux) {
    const trial *t = &run->p->t;
    const tips_value_info *y = tips__value(t->graph, t->out[out]);
    const size_t count = sample_floats(t, out);
    const bool full = is_full_size(run, out);
    const int my = full ? uy : grid_move(run, n, 0, uy), mx = full ? ux : grid_move(run, n, 1, ux);
    float *want = test_floats(count);
    roll_planes(run->base.y[out] + (size_t)n * count, (size_t)y->c, y->h, y->w, my, mx, want);
    const size_t bits = differing_bits(got, want, count);
    if (bits) fail_case("output %d, sample %d: %zu bits differ for the shift %d, %d", out, n, bits, uy, ux);
    free(want);
}

static double distance(const float *a, const float *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum);
}

static double norm(const float *a, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (double)a[i] * a[i];
    return sqrt(sum);
}

/* The relative error of `got` against the nearest of all moves of the sample's base output. */
static double best_error(const shift_run *run, int out, int n, const float *got) {
    const trial *t = &run->p->t;
    const tips_value_info *y = tips__value(t->graph, t->out[out]);
    const size_t count = sample_floats(t, out);
    const float *base = run->base.y[out] + (size_t)n * count;
    float *moved = test_floats(count);
    double best = INFINITY;
    for (int my = 0; my < y->h; my++)
        for (int mx = 0; mx < y->w; mx++) {
            roll_planes(base, (size_t)y->c, y->h, y->w, my, mx, moved);
            best = fmin(best, distance(got, moved, count));
        }
    free(moved);
    return best / fmax(norm(base, count), 1e-30);
}

static bool is_weights(const pool_trial *p, int out) { return p->t.out[out] == p->selection.weights; }

/* The largest error of all outputs and samples under one shift; with phases every bit is checked instead. */
static double error_of_shift(const shift_run *run, int uy, int ux, bool exactly) {
    const trial *t = &run->p->t;
    double worst = 0;
    forward_shifted(run, uy, ux);
    for (int out = 0; out < t->n_out; out++) {
        if (!run->base.y[out] || is_weights(run->p, out)) continue;
        float *got = test_floats(trial_count(t, t->out[out]));
        expect_ok(tips__net_get_map(run->net, t->out[out], got));
        for (int n = 0; n < t->n; n++) {
            const float *mine = got + (size_t)n * sample_floats(t, out);
            if (exactly && (run->phases || is_full_size(run, out))) expect_moved(run, out, n, mine, uy, ux);
            else worst = fmax(worst, best_error(run, out, n, mine));
        }
        free(got);
    }
    return worst;
}

static double over_all_shifts(const pool_trial *p, const pool_setting *s, bool exactly) {
    const tips_net_options options = trial_options(&p->t, false);
    shift_run run = {.p = p, .s = s, .net = trial_compile(&p->t, &options)};
    trial_step(&p->t, run.net, false);
    run.base = trial_results(&p->t, run.net, false);
    for (int i = 0; i < p->t.n_out; i++)
        if (run.base.index[i]) run.base_phases = run.base.index[i];
    if (run.base_phases) run.phases = tips__net_index(run.net, p->selection.phase);
    double worst = 0;
    const int rows = test_repeat(s->h, s->stride[0] + 1), columns = test_repeat(s->w, s->stride[1] + 1);
    for (int uy = 0; uy < rows; uy++)
        for (int ux = 0; ux < columns; ux++) worst = fmax(worst, error_of_shift(&run, uy, ux, exactly));
    results_free(&p->t, &run.base);
    tips__net_destroy(run.net);
    return worst;
}

void expect_exact(const pool_trial *p, const pool_setting *s) {
    const double error = over_all_shifts(p, s, true);
    if (error > 0) fail_case("claims to be exact, but shifts change its output by %.2g", error);
}

double shift_error(const pool_trial *p, const pool_setting *s) { return over_all_shifts(p, s, false); }
