/* Pooling windows at the edges of what they do: numbers of windows, ties, NaN, and what is refused. */
#include "layer/layers.h"
#include "layer/window.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>

/* Sizes as PyTorch has them. */
static void counts(void **state) {
    (void)state;
    static const struct {
        int size, kernel, stride, dilation, before, after, floor, ceil;
    } cases[] = {
        {112, 3, 2, 1, 1, 1, 56, 57}, {112, 3, 2, 1, 0, 0, 55, 56}, {7, 2, 2, 1, 0, 0, 3, 4}, {8, 2, 2, 1, 0, 0, 4, 4},
        {5, 2, 3, 1, 1, 1, 2, 2},     {6, 3, 2, 2, 1, 1, 2, 3},     {1, 3, 2, 1, 1, 1, 1, 1}, {2, 3, 2, 1, 0, 0, 0, 1},
        {4, 1, 3, 1, 0, 0, 2, 2},     {4, 2, 4, 1, 1, 1, 2, 2},     {3, 2, 4, 1, 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_window w = {cases[i].size,   cases[i].kernel, cases[i].stride, cases[i].dilation,
                         cases[i].before, cases[i].after,  false,           TIPS_PAD_ZERO};
        test_case("size %d kernel %d stride %d dilation %d", w.size, w.kernel, w.stride, w.dilation);
        if (tips__window_count(&w) != cases[i].floor) fail_case("%d, not %d", tips__window_count(&w), cases[i].floor);
        w.ceil = true;
        if (tips__window_count(&w) != cases[i].ceil)
            fail_case("ceil: %d, not %d", tips__window_count(&w), cases[i].ceil);
    }
}

typedef struct pooled {
    trial t;
    results r;
} pooled;

/* One channel of 3x4, pooled in windows of 3x3 with stride 1 and a border of one, in training. */
static pooled pool_3x4(const float *x) {
    pooled p = {.t = trial_start(1)};
    const tips_max_pool config = {{3, 3}, {1, 1}, {1, 1}, {TIPS_PAD_ZERO, 1, 1, 1, 1}, false};
    const tips_value in = trial_map(&p.t, 1, 3, 4);
    trial_output(&p.t, tips__graph_add(p.t.graph, &tips__layer_max_pool, "pool", &config, &in, 1));
    trial_ready(&p.t, 3);
    for (int i = 0; i < 12; i++) {
        p.t.x[0][i] = x[i];
        p.t.dy[0][i] = (float)(1 << i);
    }
    const tips_net_options options = trial_options(&p.t, true);
    p.r = trial_run(&p.t, &options);
    return p;
}

static void pooled_free(pooled *p) {
    results_free(&p->t, &p->r);
    trial_free(&p->t);
}

/* All values equal: every window gives its gradient to its first pixel. */
static void first_of_equals(void **state) {
    (void)state;
    static const float same[12] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    float want[12] = {0};
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++) want[(y ? y - 1 : 0) * 4 + (x ? x - 1 : 0)] += (float)(1 << (y * 4 + x));
    pooled p = pool_3x4(same);
    expect_same_bits("gradient", p.r.dx[0], want, 12);
    pooled_free(&p);
}

static void keeps_nan(void **state) {
    (void)state;
    float x[12] = {5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    x[1 * 4 + 2] = NAN;
    pooled p = pool_3x4(x);
    for (int i = 0; i < 12; i++) {
        const bool near = i % 4 >= 1;
        if (isnan(p.r.y[0][i]) != near) fail_case("output %d is %g", i, p.r.y[0][i]);
    }
    assert_true(p.r.y[0][0] == 5 && p.r.y[0][8] == 1);
    pooled_free(&p);
}

/* Minus infinity is a value like others, and zeros of the border never win. */
static void lowest_values(void **state) {
    (void)state;
    float x[12];
    for (int i = 0; i < 12; i++) x[i] = i < 8 ? -INFINITY : -3;
    pooled p = pool_3x4(x);
    for (int i = 0; i < 12; i++) assert_true(p.r.y[0][i] == (i < 4 ? -INFINITY : -3));
    pooled_free(&p);
}

static tips_status status_of(const tips_layer *layer, const void *config) {
    trial t = trial_start(1);
    const tips_value x = trial_map(&t, 6, 4, 5);
    tips__graph_add(t.graph, layer, "layer", config, &x, 1);
    const tips_status status = tips__graph_status(t.graph);
    trial_free(&t);
    return status;
}

static void refusals(void **state) {
    (void)state;
    const tips_max_pool good = {{2, 2}, {2, 2}, {1, 1}, {TIPS_PAD_ZERO, 0, 0, 0, 0}, false};
    tips_max_pool pool = good;
    assert_int_equal(status_of(&tips__layer_max_pool, &pool), TIPS_OK);
    pool.stride[1] = 0;
    assert_int_equal(status_of(&tips__layer_max_pool, &pool), TIPS_RANGE);
    pool = good, pool.kernel[0] = 5;
    assert_int_equal(status_of(&tips__layer_max_pool, &pool), TIPS_SHAPE);
    pool = good, pool.padding.top = 2;
    assert_int_equal(status_of(&tips__layer_max_pool, &pool), TIPS_SHAPE);
    pool = good, pool.padding.left = -1;
    assert_int_equal(status_of(&tips__layer_max_pool, &pool), TIPS_RANGE);
    assert_int_equal(status_of(&tips__layer_slice, &(tips_slice){TIPS_AXIS_C, 4, 4, 1}), TIPS_SHAPE);
    assert_int_equal(status_of(&tips__layer_slice, &(tips_slice){TIPS_AXIS_C, 0, 4, 0}), TIPS_RANGE);
    assert_int_equal(status_of(&tips__layer_slice, &(tips_slice){3, 0, 4, 1}), TIPS_RANGE);
    assert_int_equal(status_of(&tips__layer_reshape, &(tips_reshape){6, 4, 4}), TIPS_SHAPE);
    assert_int_equal(status_of(&tips__layer_reshape, &(tips_reshape){-6, -4, 5}), TIPS_SHAPE);
    assert_int_equal(status_of(&tips__layer_shuffle, &(tips_shuffle){4}), TIPS_SHAPE);
    assert_int_equal(status_of(&tips__layer_shuffle, &(tips_shuffle){0}), TIPS_SHAPE);
    assert_int_equal(status_of(&tips__layer_pad_channels, &(tips_pad_channels){-1, 0, 0}), TIPS_RANGE);
    assert_int_equal(status_of(&tips__layer_resize, &(tips_resize){.scale_h = 0.1, .scale_w = 1}), TIPS_RANGE);
    assert_int_equal(status_of(&tips__layer_resize, &(tips_resize){.mode = 7, .scale_h = 1, .scale_w = 1}), TIPS_RANGE);
    assert_int_equal(status_of(&tips__layer_resize, &(tips_resize){.scale_h = INFINITY, .scale_w = 1}), TIPS_RANGE);
    assert_int_equal(status_of(&tips__layer_resize, &(tips_resize){.size = {-2, 3}}), TIPS_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),        cmocka_unit_test(first_of_equals), cmocka_unit_test(keeps_nan),
        cmocka_unit_test(lowest_values), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
