/* L_undo of maps at hand, and its floor: against sums over all shifts one by one, against what the operators report,
 * and where it is known. */
#include "support/trial.h"

#include "metric/undo_floor.h"
#include "pool/pool.h"
#include "pool/undo_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 3, C = 4, H = 9, W = 7, AREA = H * W, COUNT = N * C * AREA };

static void expect_near(const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) fail_case("%s is %.12g, not %.12g", what, got, want);
}

typedef struct room {
    float x[COUNT], psi[COUNT];
    tips_undo_maps maps;
} room;

static room *make(int down, int right, tips_pad_mode padding, uint64_t seed) {
    room *r = test_alloc(sizeof *r);
    draw_floats(r->x, COUNT, seed, true);
    draw_floats(r->psi, COUNT, seed + 1, true);
    r->maps = (tips_undo_maps){
        .x = r->x, .psi = r->psi, .n = N, .c = C, .h = H, .w = W, .most = {down, right}, .padding = padding};
    return r;
}

static tips_undo_figures measure(const room *r) {
    tips_undo_figures f;
    expect_ok(tips__undo_measure(&r->maps, (tips_rng){7, 8}, &f));
    return f;
}

/* The mean over all shifts of the square of `made` less x^t. */
static double expected_square(const room *r, const double *made) {
    const tips_undo_maps *m = &r->maps;
    double sum = 0;
    for (int dy = 0; dy <= m->most[0]; dy++)
        for (int dx = 0; dx <= m->most[1]; dx++)
            for (int i = 0; i < COUNT; i++) {
                const double moved =
                    tips__undo_shifted(m, r->x + i / AREA * AREA, (const int[]){dy, dx}, i % AREA / W, i % W);
                sum += pow(made[i] - moved, 2);
            }
    return sum / ((m->most[0] + 1.0) * (m->most[1] + 1)) / COUNT;
}

/* The mean of x^t over all shifts. */
static void blur(const room *r, double *out) {
    const tips_undo_maps *m = &r->maps;
    for (int i = 0; i < COUNT; i++) {
        out[i] = 0;
        for (int dy = 0; dy <= m->most[0]; dy++)
            for (int dx = 0; dx <= m->most[1]; dx++)
                out[i] += tips__undo_shifted(m, r->x + i / AREA * AREA, (const int[]){dy, dx}, i % AREA / W, i % W);
        out[i] /= (m->most[0] + 1.0) * (m->most[1] + 1);
    }
}

static void test_shift_by_shift(void **state) {
    static const int most[][2] = {{0, 0}, {1, 1}, {2, 1}, {0, 4}, {12, 3}};
    (void)state;
    for (int i = 0; i < 5; i++) {
        room *r = make(most[i][0], most[i][1], TIPS_PAD_CIRCULAR, 20 + (uint64_t)i);
        double made[COUNT], abs = 0;
        test_case("shifts up to %d, %d", most[i][0], most[i][1]);
        const tips_undo_figures f = measure(r);
        for (int k = 0; k < COUNT; k++) made[k] = r->psi[k];
        expect_near("square", f.square, expected_square(r, made), 1e-9);
        blur(r, made);
        expect_near("floor", f.floor, expected_square(r, made), 1e-9);
        assert_true(f.ridge >= f.floor && f.square >= f.floor);
        for (int k = 0; k < COUNT; k++) {
            int shift[2];
            tips__undo_draw(&r->maps, (tips_rng){7, 8}, k / (C * AREA), shift);
            assert_true(shift[0] >= 0 && shift[0] <= most[i][0] && shift[1] >= 0 && shift[1] <= most[i][1]);
            abs += fabs(r->psi[k] - tips__undo_shifted(&r->maps, r->x + k / AREA * AREA, shift, k % AREA / W, k % W));
        }
        expect_near("abs", f.abs, abs / COUNT, 1e-9);
        free(r);
    }
}

/* Up to one pixel, with zeros beyond the border for both, the blur is a 3x3 filter: the floor is reached. A channel of
 * zeros is no trouble. Farther, or with another border, it is not. */
static void test_ridge(void **state) {
    (void)state;
    room *near = make(1, 1, TIPS_PAD_ZERO, 40), *far = make(3, 3, TIPS_PAD_ZERO, 40),
         *ring = make(1, 1, TIPS_PAD_CIRCULAR, 40);
    const tips_undo_figures reached = measure(near), missed = measure(far), wrapped = measure(ring);
    expect_near("a filter of 2x2", reached.ridge, reached.floor, 1e-5 * reached.floor);
    assert_true(missed.ridge > 1.01 * missed.floor);
    assert_true(wrapped.ridge > 1.01 * wrapped.floor);
    for (int n = 0; n < N; n++) memset(near->x + (ptrdiff_t)n * C * AREA, 0, AREA * sizeof(float));
    const tips_undo_figures one_empty = measure(near);
    expect_near("with an empty channel", one_empty.ridge, one_empty.floor, 1e-5 * reached.floor);
    free(near);
    free(far);
    free(ring);
}

/* No 3x3 filter is better than the one that the regression finds. */
static void test_ridge_is_best(void **state) {
    room *r = make(3, 2, TIPS_PAD_ZERO, 60);
    const double ridge = measure(r).ridge;
    (void)state;
    for (int k = 0; k < 200; k++) {
        float taps[9];
        double made[COUNT];
        draw_floats(taps, 9, 100 + (uint64_t)k, false);
        for (int t = 0; t < 9; t++) taps[t] = taps[t] * 0.05f + (t % 3 < 2 && t < 6 ? 0.15f : 0.02f);
        for (int i = 0; i < COUNT; i++) {
            made[i] = 0;
            for (int t = 0; t < 9; t++) {
                const int y = i % AREA / W + t / 3 - 1, x = i % W + t % 3 - 1;
                if (y >= 0 && x >= 0 && y < H && x < W) made[i] += (double)taps[t] * r->x[i / AREA * AREA + y * W + x];
            }
        }
        assert_true(expected_square(r, made) > ridge);
    }
    free(r);
}

/* What an operator reports as L_undo, with the draws of its step. */
static void expect_operators_loss(const char *operator, tips_pad_mode padding) {
    trial t = trial_start(N);
    tips_pool_spec spec;
    tips_selection selection;
    tips_undo_view view;
    test_case("%s", operator);
    expect_ok(tips__pool_parse(operator, 0, &spec));
    const tips_value x = trial_map(&t, C, 12, 14);
    t.sparse = true;
    trial_output(&t, tips__pool_add(t.graph, "pool", &spec, (const int[]){2, 2}, padding, x, NULL, &selection));
    trial_ready(&t, 5);
    t.weights = (tips_loss_weights){1, 1, 1};
    tips_net_options options = trial_options(&t, true);
    options.keep_all = true;
    tips_net *net;
    expect_ok(tips__net_compile(t.graph, t.params, &options, &net));
    tips__net_set_weights(net, t.weights);
    expect_ok(tips__net_set_map(net, x, t.x[0]));
    expect_ok(tips__net_forward(net));
    int found = 0;
    for (int i = 0; i < tips__graph_node_count(t.graph); i++) {
        if (!tips__undo_view(t.graph, tips__graph_node(t.graph, i), &view)) continue;
        const int dims[4] = {N, C, 12, 14};
        const size_t count = trial_count(&t, view.x);
        float *psi = test_floats(count), *seen = test_floats(count), taps[9 * C];
        double sum = 0;
        expect_ok(tips__net_get_map(net, view.x, seen)); /* behind what comes before the operator */
        if (view.psi != TIPS_NO_VALUE) expect_ok(tips__net_get_map(net, view.psi, psi));
        else {
            tips__param_get(t.params, view.taps, taps);
            tips__undo_psi(&view, taps, seen, dims, psi);
        }
        const tips_undo_maps maps = {.x = seen,
                                     .psi = psi,
                                     .n = N,
                                     .c = C,
                                     .h = 12,
                                     .w = 14,
                                     .most = {view.most[0], view.most[1]},
                                     .padding = padding};
        const tips_rng rng = {options.seed, tips__op_stream("pool", 0)};
        for (int k = 0; k < (int)count; k++) {
            int shift[2];
            tips__undo_draw(&maps, rng, k / (C * 12 * 14), shift);
            sum += pow(psi[k] - tips__undo_shifted(&maps, seen + k / 168 * 168, shift, k % 168 / 14, k % 14), 2);
        }
        expect_near("L_undo", sum / (double)count, tips__net_losses(net).undo, 1e-5);
        assert_true(tips__net_losses(net).undo > 0.01);
        free(psi);
        free(seen);
        found++;
    }
    assert_int_equal(found, 1);
    tips__net_destroy(net);
    trial_free(&t);
}

static void test_operators(void **state) {
    (void)state;
    expect_operators_loss("tips", TIPS_PAD_CIRCULAR);
    expect_operators_loss("tips", TIPS_PAD_ZERO);
    expect_operators_loss("tips-official", TIPS_PAD_REFLECT);
    expect_operators_loss("tips-exact", TIPS_PAD_CIRCULAR);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shift_by_shift), cmocka_unit_test(test_ridge),
                                       cmocka_unit_test(test_ridge_is_best), cmocka_unit_test(test_operators)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
