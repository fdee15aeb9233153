/* Every norm keeps a network exact under circular shifts, bit by bit: with every kernel that claims to be, under every
 * shift. Norms of a sample do so alone with fast kernels and in training too; sums in the order of positions do not. */
#include "arch/arch.h"
#include "net/net.h"
#include "norm/norm.h"
#include "support/compare.h"
#include "support/contract.h"
#include "task/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 16, CLASSES = 4, PLANE = SIZE * SIZE, PIXELS = 3 * PLANE };

static const char *const texts[] = {"batch",    "layer",  "group",       "group:3", "instance", "instance:affine=false",
                                    "kernel",   "none",   "group:eps=1", "layer:affine=false"};
enum { TEXTS = sizeof texts / sizeof *texts };

static tips_model make_model(const char *norm, const char *pool) {
    /* Wide enough for Winograd's algorithm in the last stage. */
    tips_arch_config config = {
        .in_channels = 3, .size = {SIZE, SIZE}, .classes = CLASSES, .padding = TIPS_PAD_CIRCULAR, .width = 12};
    const tips_arch *arch;
    tips_model model;
    expect_ok(tips__arch_find("tiny", &arch));
    expect_ok(tips__pool_parse(pool, 0, &config.pool));
    expect_ok(tips__norm_parse(norm, &config.norm));
    expect_ok(tips__model_create(arch, &config, NULL, false, &model));
    return model;
}

/* Shifts under which some bit of the logits differs. */
static int broken_shifts(const char *norm, const char *pool, tips_algorithm algorithm) {
    tips_model model = make_model(norm, pool);
    const tips_net_options options = {.n = 1, .seed = 1, .algorithm = algorithm};
    float *image = test_floats(PIXELS), *moved = test_floats(PIXELS), base[CLASSES], logits[CLASSES];
    tips_params *params;
    tips_net *net;
    int broken = 0;
    draw_floats(image, PIXELS, 5, false);
    expect_ok(tips__params_create(model.graph, 1, &params));
    expect_ok(tips__net_compile(model.graph, params, &options, &net));
    for (int u = 0; u < PLANE; u++) {
        roll_planes(image, 3, SIZE, SIZE, u / SIZE, u % SIZE, moved);
        expect_ok(tips__net_set_map(net, model.ends.input, moved));
        expect_ok(tips__net_forward(net));
        expect_ok(tips__net_get_map(net, model.ends.outputs[0], u ? logits : base));
        broken += u && differing_bits(logits, base, CLASSES) > 0;
    }
    tips__net_destroy(net);
    tips__params_destroy(params);
    tips__model_destroy(&model);
    free(image);
    free(moved);
    return broken;
}

static void test_networks(void **state) {
    (void)state;
    for (int i = 0; i < TEXTS; i++) {
        test_case("%s", texts[i]);
        assert_int_equal(broken_shifts(texts[i], "tips-exact", TIPS_ALGORITHM_AUTO), 0);
        assert_int_equal(broken_shifts(texts[i], "tips-exact", TIPS_ALGORITHM_EXACT), 0);
        assert_true(broken_shifts(texts[i], "max", TIPS_ALGORITHM_EXACT) > 0);
    }
}

/* ---- a norm alone ---- */

enum { CHANNELS = 20, MAP = CHANNELS * PLANE };

static trial norm_alone(const char *norm, tips_algorithm algorithm) {
    tips_norm_spec spec;
    trial t = trial_start(1);
    t.algorithm = algorithm;
    expect_ok(tips__norm_parse(norm, &spec));
    trial_output(&t, tips__norm_add(t.graph, "norm", &spec, trial_map(&t, CHANNELS, SIZE, SIZE)));
    trial_ready(&t, 3);
    for (int i = 0; i < MAP; i++) t.x[0][i] = 3 + 0.25f * t.x[0][i]; /* a mean that rounding shows in */
    return t;
}

static void expect_alone_exact(const char *norm, tips_algorithm algorithm, bool training) {
    trial t = norm_alone(norm, algorithm);
    const tips_net_options options = trial_options(&t, training);
    tips_net *net = trial_compile(&t, &options);
    float *moved = test_floats(MAP), *base = test_floats(MAP), *got = test_floats(MAP), *want = test_floats(MAP);
    test_case("%s alone, algorithm %d%s", norm, algorithm, training ? ", training" : "");
    for (int u = 0; u < PLANE; u++) {
        roll_planes(t.x[0], CHANNELS, SIZE, SIZE, u / SIZE, u % SIZE, moved);
        expect_ok(tips__net_set_map(net, t.in[0], moved));
        expect_ok(tips__net_forward(net));
        expect_ok(tips__net_get_map(net, t.out[0], u ? got : base));
        if (!u) continue;
        roll_planes(base, CHANNELS, SIZE, SIZE, u / SIZE, u % SIZE, want);
        expect_same_bits("a shifted map", got, want, MAP);
    }
    free(moved), free(base), free(got), free(want);
    tips__net_destroy(net);
    trial_free(&t);
}

static void test_alone(void **state) {
    (void)state;
    static const char *const norms[] = {"layer", "group:5", "group:4", "instance"};
    for (int i = 0; i < 4; i++)
        for (int algorithm = TIPS_ALGORITHM_AUTO; algorithm <= TIPS_ALGORITHM_FAST; algorithm++) {
            expect_alone_exact(norms[i], (tips_algorithm)algorithm, false);
            expect_alone_exact(norms[i], (tips_algorithm)algorithm, true);
        }
}

/* The statistics of the same map, summed position after position in single precision. */
static void plain_statistics(const float *x, float out[2]) {
    float sum = 0, squares = 0;
    for (int i = 0; i < MAP; i++) sum += x[i];
    for (int i = 0; i < MAP; i++) squares += (x[i] - sum / MAP) * (x[i] - sum / MAP);
    out[0] = sum / MAP;
    out[1] = squares / MAP;
}

static void test_plain_sums_break(void **state) {
    (void)state;
    trial t = norm_alone("layer", TIPS_ALGORITHM_AUTO);
    float *moved = test_floats(MAP), base[2], other[2];
    int broken = 0;
    plain_statistics(t.x[0], base);
    for (int u = 1; u < PLANE; u++) {
        roll_planes(t.x[0], CHANNELS, SIZE, SIZE, u / SIZE, u % SIZE, moved);
        plain_statistics(moved, other);
        broken += differing_bits(other, base, 2) > 0;
    }
    assert_true(broken > PLANE / 2);
    free(moved);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_plain_sums_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
