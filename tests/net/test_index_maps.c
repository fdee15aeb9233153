/* Indices of any shape: set, made, read and kept, by the compiled net and by the oracle; what takes one number says so.
 */
#include "net/net_parts.h"

#include "layer/layers.h"
#include "pool/pool.h"
#include "support/contract.h"
#include "support/gradient.h"
#include "support/index_layers.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 9 };

static tips_value add2(tips_graph *g, const tips_layer *layer, const char *name, tips_value a, tips_value b) {
    return tips__graph_add(g, layer, name, NULL, (tips_value[]){a, b}, 2);
}

/* A map of numbers from outside, one that is made on the way, and one of the phases of a split map. */
static trial make_trial(void) {
    trial t = trial_start(3);
    const tips_value x = trial_map(&t, 5, 4, 6), given = trial_index_map(&t, LIMIT, 1, 4, 6);
    const tips_value scaled = add2(t.graph, &test_scale, "given", x, given);
    const tips_value conv = tips__conv_same(t.graph, "conv", scaled, 3, 3, TIPS_PAD_CIRCULAR);
    const tips_value made = tips__graph_add(t.graph, &test_argmax, "argmax", NULL, &conv, 1);
    const tips_value again = add2(t.graph, &test_scale, "made", tips__batch_norm(t.graph, "norm", conv), made);
    const tips_value split = tips__graph_add(t.graph, &tips__layer_polyphase, "split", &(tips_strided){{2, 2}}, &x, 1);
    const tips_value phases = tips__graph_add(t.graph, &test_argmax, "phases", NULL, &split, 1);
    trial_output(&t, again);
    trial_output(&t, made);
    trial_output(&t, add2(t.graph, &test_scale, "each", split, phases));
    trial_output(&t, phases);
    trial_ready(&t, 41);
    return t;
}

static void test_both_engines(void **state) {
    (void)state;
    trial t = make_trial();
    test_case("maps of whole numbers");
    assert_int_equal(trial_count(&t, t.in[1]), 3 * 4 * 6);
    assert_int_equal(trial_count(&t, t.out[1]), 3 * 4 * 6);
    assert_int_equal(trial_count(&t, t.out[3]), 3 * 4 * 2 * 3);
    expect_forward(&t, true, 1e-5);
    expect_forward(&t, false, 1e-5);
    expect_gradients(&t, (gradient_check){5e-5, 40, .inputs = true, .params = true});
    expect_same_for_threads(&t, true);
    expect_same_for_places(&t);
    expect_same_for_plans(&t);
    expect_no_allocations(&t);
    trial_free(&t);
}

/* Every number has a place of its own: the arena is filled before, and buffers that live at once lie apart. */
static void test_memory(void **state) {
    (void)state;
    trial t = make_trial();
    test_case("the memory of indices");
    const tips_net_options options = trial_options(&t, true);
    results want = trial_run(&t, &options);
    tips_net *net = trial_compile(&t, &options);
    memset(net->arena, 0xff, net->arena_bytes);
    trial_step(&t, net, true);
    results got = trial_results(&t, net, true);
    expect_same_results(&t, &got, &want);
    assert_memory_equal(tips__net_index(net, t.in[1]), t.index[1], trial_count(&t, t.in[1]) * sizeof(int32_t));
    for (int v = 0; v < tips__graph_value_count(t.graph); v++)
        if (net->values[v].index)
            assert_true(net->buffers[net->values[v].index_buffer].bytes >= trial_count(&t, v) * sizeof(int32_t));
    results_free(&t, &got);
    results_free(&t, &want);
    tips__net_destroy(net);
    trial_free(&t);
}

typedef tips_value wrong_graph(tips_graph *g, tips_value x, tips_value numbers);

static tips_value empty(tips_graph *g, tips_value x, tips_value numbers) {
    (void)x, (void)numbers;
    return tips__graph_index_input(g, "nothing", 1, 0, 4);
}

static tips_value label_map(tips_graph *g, tips_value x, tips_value numbers) {
    const tips_value logits = tips__graph_add(g, &tips__layer_global_avg, "mean", NULL, &x, 1);
    return tips__graph_add(g, &tips__layer_cross_entropy, "loss", &(tips_cross_entropy){0},
                           (tips_value[]){logits, numbers}, 2);
}

static tips_value phase_map(tips_graph *g, tips_value x, tips_value numbers) {
    return tips__graph_add(g, &tips__layer_unpool, "unpool", &(tips_strided){{2, 2}}, (tips_value[]){x, numbers}, 2);
}

static tips_value shared(tips_graph *g, tips_value x, tips_value phase, const char *pool) {
    const tips_selection selection = {phase, TIPS_NO_VALUE};
    tips_pool_spec spec;
    expect_ok(tips__pool_parse(pool, 0, &spec));
    return tips__pool_add(g, "pool", &spec, (const int[2]){2, 2}, TIPS_PAD_CIRCULAR, x, &selection, NULL);
}
static tips_value aps_map(tips_graph *g, tips_value x, tips_value numbers) { return shared(g, x, numbers, "aps"); }
static tips_value lps_map(tips_graph *g, tips_value x, tips_value numbers) { return shared(g, x, numbers, "lps"); }
static tips_value tips_map_(tips_graph *g, tips_value x, tips_value numbers) {
    return shared(g, x, numbers, "tips-exact");
}
static tips_value map_as_phase(tips_graph *g, tips_value x, tips_value numbers) {
    (void)numbers;
    return shared(g, x, x, "aps");
}

static void test_refusals(void **state) {
    static const struct {
        wrong_graph *build;
        const char *says;
    } cases[] = {{empty, "1x0x4"},           {label_map, "one number a map, not 1x4x6"},
                 {phase_map, "1x4x6"},       {aps_map, "one phase for each map"},
                 {lps_map, "one phase"},     {tips_map_, "one phase"},
                 {map_as_phase, "one phase"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_graph *g;
        test_case("refusal %zu", i);
        expect_ok(tips__graph_create(&g));
        const tips_value x = tips__graph_input(g, "x", 5, 4, 6), numbers = tips__graph_index_input(g, "n", 1, 4, 6);
        assert_int_equal(cases[i].build(g, x, numbers), TIPS_NO_VALUE);
        assert_int_equal(tips__graph_status(g), TIPS_SHAPE);
        if (!strstr(tips_last_error(), cases[i].says)) fail_case("'%s'", tips_last_error());
        tips__graph_destroy(g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_engines),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
