/* Joined maps that lie in one buffer, and batches that go through the net in slices: the same numbers as the oracle's,
 * whatever the channels, borders, order and number of joins; and never in a pass that goes back. */
#include "layer/layers.h"
#include "net/net_parts.h"
#include "pool/pool.h"
#include "support/trial.h"

enum { SAMPLES = 3 };

static tips_value join(trial *t, const char *name, const tips_value *in, int count) {
    return tips__graph_add(t->graph, &tips__layer_concat, name, NULL, in, count);
}

static tips_value conv(trial *t, const char *name, tips_value x, int out, int kernel, tips_pad_mode mode) {
    return tips__conv_same(t->graph, name, x, out, kernel, mode);
}

static int parts(const tips_net *net) {
    int count = 0;
    for (int v = 0; v < net->graph->n_values; v++) count += net->values[v].root != v;
    return count;
}

/* Against the oracle; and how many values lie in another's buffer, where blocks have 8 or 16 channels. */
static void expect_parts(trial *t, int of_8, int of_16) {
    trial_ready(t, 9);
    expect_forward(t, false, 1e-5);
    const tips_net_options options = trial_options(t, false), training = trial_options(t, true);
    tips_net *net = trial_compile(t, &options), *back = trial_compile(t, &training);
    const int want = net->values[0].map.sh / net->values[0].map.w == 16 ? of_16 : of_8;
    if (parts(net) != want) fail_case("%d values are parts of others, not %d", parts(net), want);
    assert_int_equal(parts(back), 0);
    tips__net_destroy(net);
    tips__net_destroy(back);
    trial_free(t);
}

/* Each layer reads all maps before it. */
static void test_dense_block(void **state) {
    (void)state;
    for (int growth = 16; growth <= 24; growth += 4) {
        trial t = trial_start(SAMPLES);
        test_case("a dense block that grows by %d", growth);
        tips_value x = trial_map(&t, 16, 7, 9), maps[6] = {conv(&t, "first", x, 16, 1, TIPS_PAD_ZERO)};
        for (int i = 1; i < 6; i++) {
            static const char *const joins[] = {"", "j1", "j2", "j3", "j4", "j5"};
            static const char *const layers[] = {"", "l1", "l2", "l3", "l4", "l5"};
            x = i == 1 ? maps[0] : join(&t, joins[i], maps, i);
            maps[i] = conv(&t, layers[i], tips__relu(t.graph, joins[i] + 1, x), growth, 3, TIPS_PAD_ZERO);
        }
        trial_output(&t, tips__relu(t.graph, "end", join(&t, "last", maps, 6)));
        /* Six maps in the last join, and four joins that are views of it. */
        expect_parts(&t, growth == 20 ? 4 : 10, growth == 16 ? 10 : growth == 24 ? 4 : 3);
    }
}

/* Joins of joins, a map twice in one, inputs and outputs of the graph, a border around the join. */
static void test_odd_joins(void **state) {
    (void)state;
    trial t = trial_start(SAMPLES);
    test_case("joins of every kind");
    const tips_value x = trial_map(&t, 16, 6, 5);
    const tips_value a = conv(&t, "a", x, 16, 3, TIPS_PAD_CIRCULAR), b = conv(&t, "b", x, 32, 1, TIPS_PAD_ZERO);
    const tips_value inner = join(&t, "inner", (tips_value[]){a, b}, 2);
    const tips_value twice = join(&t, "twice", (tips_value[]){b, b, x}, 3);
    const tips_value both = join(&t, "both", (tips_value[]){twice, inner, a}, 3);
    trial_output(&t, conv(&t, "reader", inner, 7, 3, TIPS_PAD_CIRCULAR));
    trial_output(&t, conv(&t, "other", both, 9, 3, TIPS_PAD_ZERO));
    trial_output(&t, twice);
    trial_output(&t, a);
    expect_parts(&t, 1, 1); /* b, in both; the others are read from outside, or are there already */
}

/* Maps too large for the caches: two samples at a time, with joins, inputs, outputs and a choice for each sample. */
static void test_slices(void **state) {
    (void)state;
    trial t = trial_start(4);
    test_case("four samples in two slices");
    const tips_value x = trial_map(&t, 2, 330, 330), a = conv(&t, "a", x, 16, 3, TIPS_PAD_ZERO);
    const tips_value b = conv(&t, "b", a, 8, 1, TIPS_PAD_ZERO), both = join(&t, "both", (tips_value[]){a, b}, 2);
    tips_pool_spec spec;
    tips_selection choice;
    expect_ok(tips__pool_parse("aps", 0, &spec));
    const tips_value small =
        tips__pool_add(t.graph, "p", &spec, (int[]){10, 11}, TIPS_PAD_CIRCULAR, both, NULL, &choice);
    trial_output(&t, tips__relu(t.graph, "end", small));
    trial_output(&t, choice.phase);
    trial_output(&t, b);
    trial_ready(&t, 3);
    expect_forward(&t, false, 1e-5);
    const tips_net_options options = trial_options(&t, false), training = trial_options(&t, true);
    tips_net *net = trial_compile(&t, &options), *back = trial_compile(&t, &training);
    assert_int_equal(net->slices, 2);
    assert_int_equal(back->slices, 1);
    assert_true(tips__net_memory(net).arena < tips__net_memory(back).arena);
    tips__net_destroy(net);
    tips__net_destroy(back);
    trial_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dense_block), cmocka_unit_test(test_odd_joins),
                                       cmocka_unit_test(test_slices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
