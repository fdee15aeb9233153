/* One layer at several places: its parameters are there once, and its gradients are the sums over the places. */
#include "layer/layers.h"
#include "support/contract.h"
#include "support/gradient.h"

#include <string.h>

/* `places` convolutions of one name on maps of different sizes, which Winograd's kernels take, or do not. */
static trial several(int places, int channels) {
    static const char *const names[] = {"a", "b", "c"};
    trial t = trial_start(2);
    for (int i = 0; i < places; i++) {
        const tips_value x = trial_map(&t, channels, 6 + 2 * i, 5 + i);
        tips_conv2d conv = tips__same_conv(channels, 3, TIPS_PAD_CIRCULAR);
        conv.bias = true;
        tips__graph_place(t.graph, names[i]);
        trial_output(&t, tips__conv2d(t.graph, "conv", x, conv));
        tips__graph_place(t.graph, NULL);
    }
    trial_ready(&t, 21);
    return t;
}

static void test_names(void **state) {
    trial t = several(3, 4);
    (void)state;
    assert_int_equal(tips__graph_param_count(t.graph), 2);
    assert_string_equal(tips__graph_param(t.graph, 0)->name, "conv.weight");
    assert_string_equal(tips__graph_param(t.graph, 1)->name, "conv.bias");
    assert_string_equal(tips__graph_node(t.graph, 0)->name, "conv@a");
    assert_string_equal(tips__graph_node(t.graph, 2)->name, "conv@c");
    trial_free(&t);
}

static void test_gradients(void **state) {
    (void)state;
    for (int channels = 5; channels < 40; channels += 27) {
        trial t = several(3, channels);
        t.algorithm = channels > 24 ? TIPS_ALGORITHM_FAST : TIPS_ALGORITHM_EXACT;
        expect_forward(&t, true, 4e-5);
        expect_gradients(&t, (gradient_check){1.2e-4, 20, .inputs = true, .params = true});
        expect_same_for_plans(&t);
        expect_no_allocations(&t);
        trial_free(&t);
    }
}

/* Another shape under the same name is another parameter. */
static void test_other_shape(void **state) {
    trial t = trial_start(1);
    (void)state;
    tips__graph_place(t.graph, "a");
    trial_output(&t, tips__conv_same(t.graph, "conv", trial_map(&t, 3, 4, 4), 4, 3, TIPS_PAD_ZERO));
    tips__graph_place(t.graph, "b");
    trial_output(&t, tips__conv_same(t.graph, "conv", trial_map(&t, 3, 4, 4), 4, 1, TIPS_PAD_ZERO));
    tips__graph_place(t.graph, NULL);
    trial_ready(&t, 22);
    assert_int_equal(tips__graph_param_count(t.graph), 2);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_gradients),
                                       cmocka_unit_test(test_other_shape)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
