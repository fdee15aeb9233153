/* Circular 3x3 convolutions in evaluation run by Winograd's algorithm on tiles that follow the picture: the same bits
 * under every shift, also for pictures that repeat themselves and whose residuals do not; near the oracle; and with
 * tiles that do not follow, as a control, other bits. */
#include "layer/layers.h"
#include "net/net.h"
#include "support/contract.h"
#include "support/trial.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 4, CHANNELS = 26, H = 10, W = 12 };

static tips_value conv(trial *t, const char *name, tips_value x) {
    return tips__conv2d(
        t->graph, name, x,
        (tips_conv2d){.out = CHANNELS,
                      .kernel = {3, 3},
                      .groups = 1,
                      .bias = true,
                      .padding = {.mode = TIPS_PAD_CIRCULAR, .top = 1, .left = 1, .bottom = 1, .right = 1}});
}

/* relu(norm(conv(x)) + r), then a convolution of that. */
static trial start(tips_algorithm algorithm) {
    trial t = trial_start(SAMPLES);
    t.algorithm = algorithm;
    const tips_value x = trial_map(&t, CHANNELS, H, W), r = trial_map(&t, CHANNELS, H, W);
    tips_value y = conv(&t, "first", x);
    y = tips__graph_add(t.graph, &tips__layer_batch_norm, "norm", &(tips_batch_norm){.eps = 1e-5}, &y, 1);
    y = tips__graph_add(t.graph, &tips__layer_add, "add", NULL, (tips_value[]){y, r}, 2);
    y = tips__graph_add(t.graph, &tips__layer_relu, "relu", NULL, &y, 1);
    trial_output(&t, y);
    trial_output(&t, conv(&t, "second", y));
    trial_ready(&t, 3);
    return t;
}

/* Samples 1 and 2 of the first input repeat themselves: a constant, and a pattern with periods of 5 and 3. */
static void repeat_some(const trial *t) {
    const size_t area = (size_t)H * W;
    for (int c = 0; c < CHANNELS; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                float *at = t->x[0] + (size_t)c * area + (size_t)(y * W + x);
                at[CHANNELS * area] = 0.1f * (float)(c + 1);
                at[2 * CHANNELS * area] = (float)(y % 5) * 0.37f + (float)((x % 3) * (c + 1)) * 0.11f;
            }
}

static void forward_shifted(const trial *t, tips_net *net, int uy, int ux, float **y) {
    for (int i = 0; i < t->n_in; i++) {
        float *moved = test_floats(trial_count(t, t->in[i]));
        roll_planes(t->x[i], (size_t)SAMPLES * CHANNELS, H, W, uy, ux, moved);
        expect_ok(tips__net_set_map(net, t->in[i], moved));
        free(moved);
    }
    expect_ok(tips__net_forward(net));
    for (int i = 0; i < t->n_out; i++) expect_ok(tips__net_get_map(net, t->out[i], y[i]));
}

static size_t bits_that_differ(const trial *t) {
    const size_t count = trial_count(t, t->out[0]);
    const tips_net_options options = trial_options(t, false);
    tips_net *net = trial_compile(t, &options);
    float *base[] = {test_floats(count), test_floats(count)}, *y[] = {test_floats(count), test_floats(count)};
    float *want = test_floats(count);
    size_t bits = 0;
    forward_shifted(t, net, 0, 0, base);
    for (int u = 1; u < H * W; u++) {
        forward_shifted(t, net, u / W, u % W, y);
        for (int i = 0; i < t->n_out; i++) {
            roll_planes(base[i], (size_t)SAMPLES * CHANNELS, H, W, u / W, u % W, want);
            bits += differing_bits(y[i], want, count);
        }
    }
    for (int i = 0; i < 2; i++) free(base[i]), free(y[i]);
    free(want);
    tips__net_destroy(net);
    return bits;
}

static void test_exact(void **state) {
    (void)state;
    const tips_algorithm algorithms[] = {TIPS_ALGORITHM_EXACT, TIPS_ALGORITHM_AUTO};
    for (int i = 0; i < 2; i++) {
        trial t = start(algorithms[i]);
        test_case("%s", i ? "auto" : "exact");
        expect_forward(&t, false, 1e-5);
        repeat_some(&t);
        expect_forward(&t, false, 1e-5);
        const size_t bits = bits_that_differ(&t);
        if (bits) fail_case("%zu bits differ", bits);
        trial_free(&t);
    }
}

static void test_control(void **state) {
    (void)state;
    trial t = start(TIPS_ALGORITHM_FAST);
    test_case("tiles that stay where they are");
    if (bits_that_differ(&t) == 0) fail_case("no bit differs");
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact), cmocka_unit_test(test_control)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
