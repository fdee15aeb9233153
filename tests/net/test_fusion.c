/* What a convolution takes along in evaluation: norm, residual, functions, gates and fixed grids, in one op; against
 * the oracle, and left alone where someone else reads the value in between or a backward pass follows. */
#include "layer/layers.h"
#include "net/net_parts.h"
#include "pool/pool.h"
#include "support/trial.h"

#include <string.h>

enum { SAMPLES = 8 };

static tips_value node(trial *t, const tips_layer *layer, const char *name, const void *config, tips_value x) {
    return tips__graph_add(t->graph, layer, name, config, &x, 1);
}

static tips_value conv(trial *t, const char *name, tips_value x, int out, int kernel, int groups) {
    const int border = kernel / 2;
    return tips__conv2d(t->graph, name, x,
                        (tips_conv2d){.out = out, .kernel = {kernel, kernel}, .groups = groups, .bias = true,
                                      .padding = {.mode = TIPS_PAD_ZERO, .top = border, .left = border,
                                                  .bottom = border, .right = border}});
}

static tips_value times(trial *t, const char *name, tips_value a, tips_value b) {
    return tips__graph_add(t->graph, &tips__layer_combine, name, &(tips_combine){.op = TIPS_COMBINE_MUL},
                           (tips_value[]){a, b}, 2);
}

static tips_value every_second(trial *t, const char *name, tips_value x) {
    tips_pool_spec spec;
    expect_ok(tips__pool_parse("stride", 0, &spec));
    return tips__pool_add(t->graph, name, &spec, (int[]){2, 3}, TIPS_PAD_ZERO, x, NULL, NULL);
}

static void expect_ops(const trial *t, bool training, int count) {
    const tips_net_options options = trial_options(t, training);
    tips_net *net = trial_compile(t, &options);
    if (net->n_ops != count) fail_case("%d ops instead of %d", net->n_ops, count);
    tips__net_destroy(net);
}

static void expect_fused(trial *t, tips_value y, int ops, int ops_training) {
    trial_output(t, y);
    trial_ready(t, 5);
    expect_forward(t, false, t->algorithm == TIPS_ALGORITHM_EXACT ? 2e-6 : 1e-4); /* Winograd's rounds more */
    expect_ops(t, false, ops);
    expect_ops(t, true, ops_training);
    trial_free(t);
}

static trial start(const char *name, int h, int w, tips_value *x) {
    trial t = trial_start(SAMPLES);
    test_case("%s", name);
    *x = trial_map(&t, 11, h, w);
    t.algorithm = TIPS_ALGORITHM_EXACT;
    return t;
}

/* Kernels of every kind: direct, Winograd's, depthwise. */
static tips_value any_conv(trial *t, tips_value x, int kind) {
    t->algorithm = kind == 1 ? TIPS_ALGORITHM_FAST : TIPS_ALGORITHM_EXACT;
    if (kind == 0) return conv(t, "c", x, 20, 1, 1);
    if (kind == 1) return conv(t, "c", conv(t, "wide", x, 26, 1, 1), 28, 3, 1);
    return conv(t, "c", x, 11, 5, 11);
}

static void test_functions(void **state) {
    (void)state;
    const tips_layer *const layers[] = {&tips__layer_relu, &tips__layer_clip, &tips__layer_leaky_relu,
                                        &tips__layer_sigmoid, &tips__layer_hard_swish, &tips__layer_tanh,
                                        &tips__layer_gelu, &tips__layer_silu};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        for (int kind = 0; kind < 3; kind++) {
            tips_value x;
            trial t = start(layers[i]->name, 13, 14, &x);
            const tips_clip clip = {.min = -2, .max = 6};
            const tips_leaky_relu leaky = {.alpha = 0.1};
            const void *config = layers[i] == &tips__layer_clip         ? (const void *)&clip
                                 : layers[i] == &tips__layer_leaky_relu ? (const void *)&leaky
                                                                        : NULL;
            x = node(&t, layers[i], "f", config, any_conv(&t, x, kind));
            expect_fused(&t, x, kind == 1 ? 2 : 1, kind == 1 ? 3 : 2);
        }
}

static void test_gate(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int turned = 0; turned < 2; turned++) {
            tips_value x;
            trial t = start("x sigmoid(x)", 12, 13, &x);
            x = any_conv(&t, x, kind);
            const tips_value gate = node(&t, &tips__layer_sigmoid, "s", NULL, x);
            expect_fused(&t, turned ? times(&t, "m", gate, x) : times(&t, "m", x, gate), kind == 1 ? 2 : 1,
                         kind == 1 ? 4 : 3);
        }
}

/* The gate of something else, and a gated value that is read once more, stay as they are. */
static void test_other_gates(void **state) {
    (void)state;
    tips_value x;
    trial t = start("the gate of another value", 6, 6, &x);
    const tips_value a = conv(&t, "a", x, 11, 1, 1), other = node(&t, &tips__layer_sigmoid, "s", NULL, x);
    expect_fused(&t, times(&t, "m", a, other), 3, 3);
    t = start("a gated value that is read once more", 6, 6, &x);
    const tips_value b = conv(&t, "b", x, 11, 1, 1), gate = node(&t, &tips__layer_sigmoid, "s", NULL, b);
    trial_output(&t, b);
    expect_fused(&t, times(&t, "m", b, gate), 3, 3);
}

static void test_residual(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        tips_value x;
        trial t = start("residual", 12, 13, &x);
        const tips_value c = any_conv(&t, x, kind);
        const tips_value shortcut = conv(&t, "shortcut", x, tips__value(t.graph, c)->c, 1, 1);
        x = node(&t, &tips__layer_hard_swish, "f", NULL, tips__add(t.graph, "a", shortcut, c));
        expect_fused(&t, x, kind == 1 ? 3 : 2, kind == 1 ? 5 : 4);
    }
}

static void test_grid(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        tips_value x;
        trial t = start("grid", 12, 15, &x);
        x = tips__relu(t.graph, "r", tips__batch_norm(t.graph, "n", any_conv(&t, x, kind)));
        expect_fused(&t, every_second(&t, "p", x), kind == 1 ? 2 : 1, kind == 1 ? 4 : 3);
    }
    tips_value x;
    trial t = start("a grid behind a residual", 12, 15, &x);
    const tips_value a = conv(&t, "a", x, 8, 3, 1), b = conv(&t, "b", x, 8, 3, 1);
    expect_fused(&t, every_second(&t, "p", tips__add(t.graph, "s", a, b)), 3, 4);
}

/* A 1x1 convolution with all it takes along, and the depthwise one behind it; both values in *between and *y. */
static void add_pair(trial *t, tips_value x, int kernel, tips_pad_mode mode, tips_value *between, tips_value *y) {
    const int border = kernel / 2;
    tips_value v = tips__batch_norm(t->graph, "n1", conv(t, "c1", x, 37, 1, 1));
    v = times(t, "m", v, node(t, &tips__layer_sigmoid, "s", NULL, v));
    *between = v;
    v = tips__conv2d(t->graph, "c2", v,
                     (tips_conv2d){.out = 37, .kernel = {kernel, kernel}, .groups = 37,
                                   .padding = {.mode = mode, .top = border, .left = border, .bottom = border,
                                               .right = border}});
    *y = node(t, &tips__layer_hard_swish, "f", NULL, tips__batch_norm(t->graph, "n2", v));
}

/* The same numbers where the map in between is there and where it is not. */
static void test_pair(void **state) {
    (void)state;
    for (int kernel = 1; kernel <= 5; kernel += 2)
        for (int mode = TIPS_PAD_ZERO; mode <= TIPS_PAD_REFLECT; mode++) {
            results got[2];
            for (int kept = 0; kept < 2; kept++) {
                tips_value x, between, y;
                trial t = start(kept ? "a pair, apart" : "a pair", 13, 12, &x);
                add_pair(&t, x, kernel, (tips_pad_mode)mode, &between, &y);
                trial_output(&t, y);
                if (kept) trial_output(&t, between);
                trial_ready(&t, 5);
                expect_forward(&t, false, 2e-6);
                expect_ops(&t, false, kept ? 2 : 1);
                expect_ops(&t, true, 7);
                const tips_net_options options = trial_options(&t, false);
                got[kept] = trial_run(&t, &options);
                if (kept) {
                    assert_memory_equal(got[0].y[0], got[1].y[0], trial_count(&t, y) * sizeof(float));
                    for (int i = 0; i < 2; i++) results_free(&t, &got[i]);
                }
                trial_free(&t);
            }
        }
}

/* With a residual and a grid behind it, and in front of it; and where someone else reads the value in between. */
static void test_pair_and_more(void **state) {
    (void)state;
    tips_value x, between, y;
    trial t = start("a pair and a residual", 12, 15, &x);
    y = conv(&t, "c2", conv(&t, "c1", x, 11, 1, 1), 11, 3, 11);
    expect_fused(&t, tips__add(t.graph, "a", x, y), 1, 3);
    t = start("a pair and a grid", 12, 15, &x);
    add_pair(&t, x, 3, TIPS_PAD_CIRCULAR, &between, &y);
    expect_fused(&t, every_second(&t, "p", y), 1, 8);
    t = start("a grid within a pair", 12, 15, &x);
    x = every_second(&t, "p", conv(&t, "c1", x, 20, 1, 1));
    expect_fused(&t, conv(&t, "c2", x, 20, 3, 20), 2, 3);
    t = start("a residual within a pair", 12, 15, &x);
    x = tips__add(t.graph, "a", conv(&t, "c1", x, 11, 1, 1), x);
    expect_fused(&t, conv(&t, "c2", x, 11, 3, 11), 2, 3);
    t = start("a pair that is read in between", 12, 15, &x);
    add_pair(&t, x, 3, TIPS_PAD_ZERO, &between, &y);
    expect_fused(&t, tips__add(t.graph, "a", between, y), 3, 8);
    t = start("no pair: a wider kernel, or not depthwise", 12, 15, &x);
    x = conv(&t, "c2", conv(&t, "c1", x, 20, 3, 1), 20, 3, 20);
    expect_fused(&t, conv(&t, "c4", conv(&t, "c3", x, 20, 1, 1), 20, 3, 1), 4, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions), cmocka_unit_test(test_gate),     cmocka_unit_test(test_other_gates),
        cmocka_unit_test(test_residual),  cmocka_unit_test(test_grid),     cmocka_unit_test(test_pair),
        cmocka_unit_test(test_pair_and_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
