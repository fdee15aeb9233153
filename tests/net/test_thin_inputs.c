/* Pictures that come in with four floats a pixel instead of a block: for convolutions alone, in passes without
 * gradients by the input, and with the bits of the full layout. */
#include "layer/layers.h"
#include "net/net_parts.h"
#include "support/trial.h"

#include <math.h>
#include <stdlib.h>

typedef struct layout {
    int samples, channels, h, w, stride;
    tips_pad_mode mode;
    bool seen; /* the input is an output too: it cannot be thin */
} layout;

static tips_conv2d kernel(int out, int size, int stride, tips_pad_mode mode) {
    const int border = size / 2;
    return (tips_conv2d){.out = out, .kernel = {size, size}, .stride = {stride, stride}, .dilation = {1, 1},
                         .groups = 1, .bias = true, .padding = {mode, border, border, border, border}};
}

/* Two kernels that want other borders than the first, one of them none. */
static trial make(const layout *l) {
    trial t = trial_start(l->samples);
    const tips_value x = trial_map(&t, l->channels, l->h, l->w);
    const tips_value a = tips__conv2d(t.graph, "a", x, kernel(24, 3, l->stride, l->mode));
    const tips_value b = tips__conv2d(t.graph, "b", x, kernel(8, 5, l->stride, l->mode));
    trial_output(&t, tips__relu(t.graph, "end", a));
    trial_output(&t, b);
    trial_output(&t, tips__conv2d(t.graph, "c", x, kernel(5, 1, 1, TIPS_PAD_ZERO)));
    if (l->seen) trial_output(&t, x);
    trial_ready(&t, 7);
    return t;
}

static bool is_thin(const trial *t, tips_net_options options) {
    tips_net *net = trial_compile(t, &options);
    const bool thin = net->values[t->in[0]].map.lanes == TIPS_THIN;
    tips__net_destroy(net);
    return thin;
}

static void expect_layout(const trial *t, bool thin) {
    if (is_thin(t, trial_options(t, false)) != thin) fail_case("the input is%s thin", thin ? " not" : "");
}

static void expect_same_run(trial *thin, trial *full, bool training) {
    const tips_net_options options = trial_options(thin, training);
    results got = trial_run(thin, &options), want = trial_run(full, &options);
    expect_same_results(thin, &got, &want);
    results_free(thin, &got);
    results_free(full, &want);
    trial_free(thin);
    trial_free(full);
}

static void check(layout l) {
    test_case("%d channels on %dx%d, stride %d, %s border", l.channels, l.h, l.w, l.stride,
              tips_pad_mode_names[l.mode]);
    trial thin = make(&l);
    l.seen = true;
    trial full = make(&l);
    expect_layout(&thin, true);
    expect_layout(&full, false);
    expect_forward(&thin, false, 1e-5);
    expect_same_run(&thin, &full, false);
}

/* Gradients of the parameters, by convolutions that stage a thin source for the engine. */
static void check_training(layout l) {
    test_case("training, %d channels, stride %d, %s border", l.channels, l.stride, tips_pad_mode_names[l.mode]);
    trial thin = make(&l);
    l.seen = true;
    trial full = make(&l);
    thin.params_only = full.params_only = true;
    const tips_net_options options = trial_options(&thin, true);
    if (!is_thin(&thin, options) || is_thin(&full, options)) fail_case("another layout than expected");
    expect_same_run(&thin, &full, true);
}

static void test_training(void **state) {
    (void)state;
    for (int channels = 1; channels <= TIPS_THIN; channels++)
        for (int stride = 1; stride <= 2; stride++)
            check_training((layout){3, channels, 13, 18, stride, stride == 1 ? TIPS_PAD_ZERO : TIPS_PAD_CIRCULAR,
                                    false});
}

static void test_same_bits(void **state) {
    (void)state;
    for (int channels = 1; channels <= TIPS_THIN; channels++)
        for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REPLICATE; mode++)
            for (int stride = 1; stride <= 2; stride++)
                check((layout){3, channels, 14, 19, stride, (tips_pad_mode)mode, false});
}

/* Two samples at a time. */
static void test_slices(void **state) {
    (void)state;
    const layout l = {4, 3, 300, 300, 1, TIPS_PAD_CIRCULAR, false};
    trial t = make(&l);
    const tips_net_options options = trial_options(&t, false);
    tips_net *net = trial_compile(&t, &options);
    assert_int_equal(net->slices, 2);
    tips__net_destroy(net);
    trial_free(&t);
    check(l);
}

/* An input can be read again, and a value that is no number is found in it. */
static void test_reading(void **state) {
    (void)state;
    const layout l = {2, 3, 6, 5, 1, TIPS_PAD_ZERO, false};
    trial t = make(&l);
    const size_t count = trial_count(&t, t.in[0]);
    float *back = test_floats(count);
    const tips_net_options options = trial_options(&t, false);
    tips_net *net = trial_compile(&t, &options);
    tips__net_check(net, true);
    trial_step(&t, net, false);
    expect_ok(tips__net_get_map(net, t.in[0], back));
    assert_memory_equal(back, t.x[0], count * sizeof *back);
    for (int checks = 0; checks < 2; checks++) {
        tips__net_check(net, checks);
        t.x[0][count - 1] = NAN;
        expect_ok(tips__net_set_map(net, t.in[0], t.x[0]));
        assert_int_equal(tips__net_forward(net), TIPS_NUMERIC);
    }
    tips__net_destroy(net);
    free(back);
    trial_free(&t);
}

/* One reader that takes whole vectors is enough. */
static void expect_full(tips_value (*read)(trial *t, tips_value x), const char *what, int channels) {
    trial t = trial_start(2);
    test_case("an input for %s", what);
    const tips_value x = trial_map(&t, channels, 8, 6);
    trial_output(&t, tips__conv2d(t.graph, "a", x, kernel(8, 3, 1, TIPS_PAD_ZERO)));
    trial_output(&t, read(&t, x));
    trial_ready(&t, 2);
    expect_layout(&t, false);
    expect_forward(&t, false, 1e-5);
    trial_free(&t);
}

static tips_value rectified(trial *t, tips_value x) { return tips__relu(t->graph, "r", x); }

static tips_value by_channel(trial *t, tips_value x) {
    tips_conv2d config = kernel(3, 3, 1, TIPS_PAD_ZERO);
    config.groups = 3;
    return tips__conv2d(t->graph, "d", x, config);
}

static tips_value as_residual(trial *t, tips_value x) {
    return tips__add(t->graph, "sum", tips__conv2d(t->graph, "d", x, kernel(3, 3, 1, TIPS_PAD_ZERO)), x);
}

static tips_value convolved(trial *t, tips_value x) {
    return tips__conv2d(t->graph, "d", x, kernel(3, 3, 1, TIPS_PAD_ZERO));
}

static void test_readers(void **state) {
    (void)state;
    expect_full(rectified, "a ReLU", 3);
    expect_full(by_channel, "a depthwise convolution", 3);
    expect_full(as_residual, "an addition behind a convolution", 3);
    expect_full(convolved, "convolutions of five channels", 5);
}

/* Gradients by the input, and looks at all values, want the full layout. */
static void test_passes(void **state) {
    (void)state;
    const layout l = {2, 3, 9, 8, 1, TIPS_PAD_ZERO, false};
    trial t = make(&l);
    tips_net_options kept = trial_options(&t, false);
    kept.keep_all = true;
    assert_false(is_thin(&t, kept));
    assert_false(is_thin(&t, trial_options(&t, true)));
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_bits), cmocka_unit_test(test_training),
                                       cmocka_unit_test(test_slices),
                                       cmocka_unit_test(test_reading), cmocka_unit_test(test_readers),
                                       cmocka_unit_test(test_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
