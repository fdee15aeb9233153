/* Values that are not finite numbers: a pass without gradients reports them, even those that a fused function or a
 * maximum turns back into numbers, names the layer, and is none the worse for it. */
#include "support/compare.h"
#include "support/trial.h"

#include "layer/layers.h"
#include "pool/pool.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { C = 3, H = 6, W = 8, N = 3, CLASSES = 5, WIDTH = 16 };

static tips_value block(tips_graph *g, const char *conv, const char *norm, const char *relu, tips_value x) {
    x = tips__batch_norm(g, norm, tips__conv_same(g, conv, x, WIDTH, 3, TIPS_PAD_ZERO));
    return tips__graph_add(g, &tips__layer_relu, relu, NULL, &x, 1);
}

/* conv, norm and ReLU, twice, with an operator between; where norms are folded, all three are one op. */
static trial make(const char *pool) {
    trial t = trial_start(N);
    tips_pool_spec spec;
    expect_ok(tips__pool_parse(pool, 0, &spec));
    tips_value x = trial_map(&t, C, H, W);
    x = block(t.graph, "conv1", "norm1", "relu1", x);
    x = tips__pool_add(t.graph, "pool", &spec, (const int[2]){2, 2}, TIPS_PAD_ZERO, x, NULL, NULL);
    x = block(t.graph, "conv2", "norm2", "relu2", x);
    x = tips__graph_add(t.graph, &tips__layer_global_avg, "mean", NULL, &x, 1);
    trial_output(&t, tips__graph_add(t.graph, &tips__layer_linear, "fc", &(tips_linear){.out = CLASSES}, &x, 1));
    trial_ready(&t, 5);
    return t;
}

static void fill(const trial *t, int sample, float value) {
    for (int i = 0; i < C * H * W; i++) t->x[0][sample * C * H * W + i] = i % 2 ? value : -value;
}

static void set_param(const trial *t, const char *name, float value) {
    const int id = tips__param_find(t->graph, name);
    const size_t count = tips__param_elements(tips__graph_param(t->graph, id));
    float *values = test_floats(count);
    for (size_t i = 0; i < count; i++) values[i] = i % 2 ? value : -value;
    tips__param_set(t->params, id, values);
    free(values);
}

static tips_status run(const trial *t, tips_net *net, float *y) {
    expect_ok(tips__net_set_map(net, t->in[0], t->x[0]));
    const tips_status status = tips__net_forward(net);
    if (status == TIPS_OK) expect_ok(tips__net_get_map(net, t->out[0], y));
    return status;
}

static void expect_blame(tips_status status, const char *text) {
    if (status != TIPS_NUMERIC) fail_case("%s, not TIPS_NUMERIC", tips_status_name(status));
    if (!strstr(tips_last_error(), text)) fail_case("'%s' does not say '%s'", tips_last_error(), text);
}

static const char *const pools[] = {"max", "stride", "aps", "lps", "tips-exact", "ddac", "blur"};

static void check_inputs(const char *pool, float value) {
    float before[N * CLASSES], after[N * CLASSES];
    test_case("%s, inputs of %g", pool, value);
    trial t = make(pool);
    set_param(&t, "conv1.weight", 2.5f); /* partial sums of both signs overflow */
    const tips_net_options options = {.n = N, .algorithm = TIPS_ALGORITHM_EXACT};
    tips_net *net = trial_compile(&t, &options);
    expect_ok(run(&t, net, before));
    float *kept = test_floats(N * C * H * W);
    memcpy(kept, t.x[0], N * C * H * W * sizeof *kept);
    fill(&t, 1, value);
    expect_blame(run(&t, net, after), "input 2 of 3: layer 'conv1' (conv2d) gives a value that is not a finite number");
    memcpy(t.x[0], kept, N * C * H * W * sizeof *kept);
    expect_ok(run(&t, net, after));
    expect_same_bits("outputs after a failure", after, before, N * CLASSES);
    free(kept);
    tips__net_destroy(net);
    trial_free(&t);
}

static void test_inputs(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        check_inputs(pools[i], 3e38f);
        check_inputs(pools[i], -3.4e38f);
    }
}

static void check_param(const char *pool, const char *name, float value, const char *blame) {
    float y[N * CLASSES];
    test_case("%s, %s of %g", pool, name, value);
    trial t = make(pool);
    set_param(&t, name, value);
    for (int keep_all = 0; keep_all < 2; keep_all++) {
        const tips_net_options options = {.n = N, .algorithm = TIPS_ALGORITHM_EXACT, .keep_all = keep_all};
        tips_net *net = trial_compile(&t, &options);
        expect_blame(run(&t, net, y), blame);
        tips__net_destroy(net);
    }
    trial_free(&t);
}

static void test_params(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        check_param(pools[i], "conv1.weight", NAN, "layer 'conv1' (conv2d): conv1.weight holds a value");
        check_param(pools[i], "norm2.running_var", -4, "layer 'norm2' (batch_norm) gives a value");
        check_param(pools[i], "norm1.weight", INFINITY, "layer 'norm1' (batch_norm): norm1.weight holds a value");
        check_param(pools[i], "fc.bias", NAN, "layer 'fc' (linear): fc.bias holds a value");
        check_param(pools[i], "conv2.weight", 3e38f, "layer 'conv2' (conv2d) gives a value");
    }
}

/* The caller's own flag is neither taken for ours nor lost. */
static void test_callers_flag(void **state) {
    float y[N * CLASSES];
    (void)state;
    test_case("the flag of the caller");
    trial t = make("max");
    const tips_net_options options = {.n = N};
    tips_net *net = trial_compile(&t, &options);
    feraiseexcept(FE_INVALID);
    expect_ok(run(&t, net, y));
    assert_int_not_equal(fetestexcept(FE_INVALID), 0);
    feclearexcept(FE_INVALID);
    fill(&t, 0, 3e38f);
    set_param(&t, "conv1.weight", 2.5f);
    assert_int_equal(run(&t, net, y), TIPS_NUMERIC);
    assert_int_equal(fetestexcept(FE_INVALID), 0);
    tips__net_destroy(net);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_inputs), cmocka_unit_test(test_params),
                                       cmocka_unit_test(test_callers_flag)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
