/* Gradients that take over each other's places, and chains of blocks that are run again: graphs in which someone else
 * still needs what lies there, against the oracle's differences and, bit by bit, against a net that shares nothing. */
#include "layer/layers.h"
#include "net/net_parts.h"
#include "pool/pool.h"
#include "support/contract.h"
#include "support/gradient.h"

#include <string.h>

static tips_value conv(trial *t, const char *name, tips_value x, int out) {
    return tips__conv_same(t->graph, name, x, out, 3, TIPS_PAD_CIRCULAR);
}

static tips_value norm(trial *t, const char *name, tips_value x) { return tips__batch_norm(t->graph, name, x); }
static tips_value relu(trial *t, const char *name, tips_value x) { return tips__relu(t->graph, name, x); }

static tips_value sum(trial *t, const char *name, tips_value a, tips_value b) {
    return tips__add(t->graph, name, a, b);
}

static tips_value pool(trial *t, const char *name, const char *which, tips_value x) {
    tips_pool_spec spec;
    expect_ok(tips__pool_parse(which, 0, &spec));
    return tips__pool_add(t->graph, name, &spec, (int[]){2, 2}, TIPS_PAD_CIRCULAR, x, NULL, NULL);
}

/* What lies in dead places must not matter: the arena starts as NaN, and a second step finds what the first left. */
static void expect_same_from_dirt(const trial *t) {
    tips_net_options options = trial_options(t, true);
    options.no_replay = true;
    results want = trial_run(t, &options);
    options.no_replay = false;
    tips_net *net = trial_compile(t, &options);
    memset(net->arena, 0xff, net->arena_bytes);
    for (int step = 0; step < 2; step++) {
        trial_step(t, net, true);
        results got = trial_results(t, net, true);
        expect_same_results(t, &got, &want);
        results_free(t, &got);
    }
    results_free(t, &want);
    tips__net_destroy(net);
}

static int shared_gradients(const tips_net *net) {
    int shared = 0;
    for (int v = 0; v < net->graph->n_values; v++)
        for (int u = 0; u < v; u++)
            shared +=
                net->values[v].diff_buffer != NO_BUFFER && net->values[v].diff_buffer == net->values[u].diff_buffer;
    return shared;
}

/* `shared`: pairs of gradients in one place. */
static void expect_plan(const trial *t, int replays, int shared) {
    tips_net_options options = trial_options(t, true);
    tips_net *net = trial_compile(t, &options);
    if (net->n_replays != replays) fail_case("%d replays instead of %d", net->n_replays, replays);
    if (shared_gradients(net) != shared) fail_case("%d shared gradients, not %d", shared_gradients(net), shared);
    options.no_replay = true;
    tips_net *apart = trial_compile(t, &options);
    if (shared_gradients(apart) || apart->n_replays) fail_case("what shall be apart is not");
    if (net->arena_bytes > apart->arena_bytes) fail_case("sharing takes more memory");
    tips__net_destroy(net);
    tips__net_destroy(apart);
}

static void expect_right(trial *t, int replays, int shared) {
    trial_ready(t, 11);
    expect_forward(t, true, 1e-5);
    expect_gradients(t, (gradient_check){.tolerance = 1e-4, .coordinates = 40, .inputs = true, .params = true});
    expect_same_for_wishes(t);
    expect_same_from_dirt(t);
    expect_plan(t, replays, shared);
    t->standing = true;
    expect_same_from_dirt(t);
    trial_free(t);
}

static trial start(const char *name, tips_value *x) {
    trial t = trial_start(3);
    test_case("%s", name);
    *x = trial_map(&t, 11, 6, 8);
    return t;
}

/* The gradient of x has two parts from one norm, which is why it takes no residual along. */
static void test_norm_beside_itself(void **state) {
    (void)state;
    tips_value x;
    trial t = start("norm(x) + x", &x);
    x = conv(&t, "c", x, 11);
    trial_output(&t, relu(&t, "r", sum(&t, "s", norm(&t, "n", x), x)));
    expect_right(&t, 0, 1); /* sum, x */
}

static void test_twice_the_same(void **state) {
    (void)state;
    tips_value x;
    trial t = start("x + x", &x);
    x = conv(&t, "c", x, 9);
    trial_output(&t, sum(&t, "s", x, x));
    x = relu(&t, "r", x);
    trial_output(&t, relu(&t, "rr", sum(&t, "ss", x, x)));
    expect_right(&t, 0, 3); /* rr, r, c */
}

/* Others read what the functions read, before and after them; gradients with a border lie in other places. */
static void test_functions_with_readers(void **state) {
    (void)state;
    for (int kernel = 1; kernel <= 3; kernel += 2) {
        tips_value x;
        trial t = start("functions whose inputs others read", &x);
        const tips_value a = conv(&t, "a", x, 12), b = relu(&t, "b", a);
        const tips_value c = tips__graph_add(t.graph, &tips__layer_sigmoid, "c", NULL, &b, 1);
        const tips_value d = tips__graph_add(t.graph, &tips__layer_tanh, "d", NULL, &a, 1);
        const tips_value e = sum(&t, "e", c, d), f = sum(&t, "f", e, b);
        trial_output(&t, tips__conv_same(t.graph, "g", f, 5, kernel, TIPS_PAD_CIRCULAR));
        trial_output(&t, relu(&t, "h", f));
        trial_output(&t, e);
        trial_output(&t, a);
        expect_right(&t, 0, kernel == 1 ? 4 : 1); /* h, f, b; and e, d */
    }
}

/* Three blocks as ResNets have them: the last output is made again from the first one's input. */
static void test_chain(void **state) {
    (void)state;
    for (int read = 0; read < 2; read++) {
        tips_value x;
        trial t = start(read ? "blocks of which one is an output" : "blocks", &x);
        x = relu(&t, "stem.r", norm(&t, "stem.n", conv(&t, "stem.c", x, 26)));
        for (int i = 0; i < 3; i++) {
            const tips_value inner = relu(&t, "r1", norm(&t, "n1", conv(&t, "c1", x, 26)));
            x = relu(&t, "r2", sum(&t, "s", norm(&t, "n2", conv(&t, "c2", inner, 26)), x));
            if (read && i == 1) trial_output(&t, x);
        }
        trial_output(&t, pool(&t, "p", "max", x));
        /* Of every block r1, c1; of the chain one r2 after the other, stem.r, stem.c, or two pieces of it. */
        expect_right(&t, read ? 6 : 7, 3 + (read ? 1 + 6 : 10));
    }
}

/* A residual that nobody else keeps is not kept for a replay; one that a convolution reads is there anyway. */
static void test_residual_of_a_pool(void **state) {
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        tips_value x;
        trial t = start(kept ? "a residual that is kept" : "a residual that is not", &x);
        const tips_value p = pool(&t, "p", "avg", conv(&t, "a", x, 26));
        const tips_value main_branch = norm(&t, "n", conv(&t, "c", pool(&t, "q", "max", x), 26));
        trial_output(&t, conv(&t, "e", relu(&t, "r", sum(&t, "s", main_branch, p)), 26));
        if (kept) trial_output(&t, conv(&t, "d", p, 26));
        expect_right(&t, kept, 1); /* r with p, or with c where d has written p's before */
    }
}

static bool replays_stems(const trial *t) {
    const tips_net_options options = trial_options(t, true);
    tips_net *net = trial_compile(t, &options);
    const bool replays = net->replays_stems;
    tips__net_destroy(net);
    return replays;
}

/* The convolution of a picture is run again where much is kept behind it, and only there. */
static void test_stem(void **state) {
    (void)state;
    for (int blocks = 0; blocks <= 12; blocks += 12) {
        trial t = trial_start(3);
        test_case("a stem and %d blocks", blocks);
        tips_value x = trial_map(&t, 3, 16, 16);
        x = pool(&t, "p", "max", relu(&t, "r", norm(&t, "n", conv(&t, "c", x, 32))));
        for (int i = 0; i < blocks; i++)
            x = relu(&t, "r", norm(&t, "n", tips__conv_same(t.graph, "c", x, 32, 1, TIPS_PAD_CIRCULAR)));
        trial_output(&t, x);
        trial_ready(&t, 4);
        for (int params_only = 0; params_only < 2; params_only++) {
            t.params_only = params_only;
            if (replays_stems(&t) != (blocks > 0)) fail_case("the stem is%s run again", blocks ? " not" : "");
            expect_same_from_dirt(&t);
        }
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_norm_beside_itself), cmocka_unit_test(test_twice_the_same),
                                       cmocka_unit_test(test_functions_with_readers), cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_residual_of_a_pool), cmocka_unit_test(test_stem)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
