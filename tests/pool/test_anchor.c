/* With an anchor before it, a head may depend on positions and the network is still invariant under circular shifts,
 * bit by bit. Without one it is not. */
#include "layer/layers.h"
#include "support/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2, C = 5, H = 6, W = 7, CLASSES = 10 };

static tips_value features(trial *t) {
    const tips_value x = trial_map(t, 3, H, W);
    return tips__relu(t->graph, "relu", tips__conv_same(t->graph, "conv", x, C, 3, TIPS_PAD_CIRCULAR));
}

static tips_value head(trial *t, tips_value x) {
    const tips_reshape flat = {0};
    const tips_linear classes = {.out = CLASSES};
    x = tips__graph_add(t->graph, &tips__layer_reshape, "flat", &flat, &x, 1);
    return tips__graph_add(t->graph, &tips__layer_linear, "fc", &classes, &x, 1);
}

static trial network(bool anchored) {
    trial t = trial_start(N);
    tips_value x = features(&t);
    if (anchored) x = tips__graph_add(t.graph, &tips__layer_anchor, "anchor", NULL, &x, 1);
    trial_output(&t, head(&t, x));
    trial_ready(&t, 5);
    return t;
}

static void logits_of(tips_net *net, const trial *t, const float *x, float *out) {
    expect_ok(tips__net_set_map(net, t->in[0], x));
    expect_ok(tips__net_forward(net));
    expect_ok(tips__net_get_map(net, t->out[0], out));
}

/* Shifts of the input that change a bit of the logits. */
static int shifts_that_show(bool anchored) {
    trial t = network(anchored);
    tips_net_options options = trial_options(&t, false);
    options.algorithm = TIPS_ALGORITHM_EXACT;
    tips_net *net = trial_compile(&t, &options);
    float base[N * CLASSES], got[N * CLASSES], *moved = test_floats(trial_count(&t, t.in[0]));
    int count = 0;
    logits_of(net, &t, t.x[0], base);
    for (int uy = 0; uy < H; uy++)
        for (int ux = 0; ux < W; ux++) {
            roll_planes(t.x[0], N * 3, H, W, uy, ux, moved);
            logits_of(net, &t, moved, got);
            count += memcmp(got, base, sizeof base) != 0;
        }
    free(moved);
    tips__net_destroy(net);
    trial_free(&t);
    return count;
}

static void invariant_with_anchor(void **state) {
    (void)state;
    assert_int_equal(shifts_that_show(true), 0);
}

static void not_without(void **state) {
    (void)state;
    assert_int_equal(shifts_that_show(false), H * W - 1);
}

static const char *head_breaks(bool anchored) {
    trial t = network(anchored);
    const char *reason = NULL;
    for (int i = 0; i < tips__graph_node_count(t.graph); i++) {
        const tips_node *node = tips__graph_node(t.graph, i);
        if (node->layer == &tips__layer_reshape) reason = node->layer->breaks(t.graph, node);
    }
    trial_free(&t);
    return reason;
}

static void names_the_reason(void **state) {
    (void)state;
    assert_null(head_breaks(true));
    assert_string_equal(head_breaks(false), "position-dependent head");
}

/* Anchored by itself: all shifts of `map` (one sample, C x H x W) give the same bits. Returns the margin. */
static float expect_one_result(const float *map) {
    trial t = trial_start(1);
    const tips_value x = trial_map(&t, C, H, W);
    trial_output(&t, tips__graph_add(t.graph, &tips__layer_anchor, "anchor", NULL, &x, 1));
    trial_ready(&t, 7);
    tips_net_options options = trial_options(&t, false);
    options.keep_all = true;
    tips_net *net = trial_compile(&t, &options);
    float base[C * H * W], got[C * H * W], moved[C * H * W];
    logits_of(net, &t, map, base);
    const float margin = tips__net_margin(net, 0)[0];
    for (int uy = 0; uy < H; uy++)
        for (int ux = 0; ux < W; ux++) {
            roll_planes(map, C, H, W, uy, ux, moved);
            logits_of(net, &t, moved, got);
            test_case("shift %d,%d", uy, ux);
            expect_same_bits("anchored map", got, base, C * H * W);
            assert_memory_equal(&margin, tips__net_margin(net, 0), sizeof margin);
        }
    tips__net_destroy(net);
    trial_free(&t);
    return margin;
}

static void ties(void **state) {
    (void)state;
    float map[C * H * W] = {0};
    assert_true(expect_one_result(map) == 1); /* all zero: every roll is the same */
    for (int i = 0; i < C * H * W; i++) map[i] = i % W % 2 && i / W % 3 == 1 ? -1.5f : 0.25f;
    expect_one_result(map);
    for (int c = 0; c < C; c++)
        for (int i = 0; i < H * W; i++) map[c * H * W + i] = i / W % 3 == 1 ? 2 : 1; /* repeats itself */
    assert_true(expect_one_result(map) == 0.75f);
    memset(map, 0, sizeof map);
    map[3 * W + 2] = 2; /* equal norms, of different channels */
    map[H * W + 5 * W + 1] = -2;
    assert_true(expect_one_result(map) == 0);
    map[2 * H * W + 3 * W + 2] = 1;
    assert_true(fabsf(expect_one_result(map) - 0.2f) < 1e-6f);
}

/* Positions that differ in the sign of a zero only. */
static void signed_zeros(void **state) {
    (void)state;
    float map[C * H * W] = {0};
    for (int i = 0; i < H * W; i++) map[i] = 1;
    map[H * W + 2 * W + 3] = -0.0f;
    map[2 * H * W + 4 * W] = -0.0f;
    expect_one_result(map);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariant_with_anchor), cmocka_unit_test(not_without),
        cmocka_unit_test(names_the_reason),      cmocka_unit_test(ties),
        cmocka_unit_test(signed_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
