/* What a pass does, one thing at a time: gradients of a network as it stands, losses or none, statistics of the batch
 * without a backward pass, and frozen norms. */
#include "net/net_parts.h"

#include "layer/layers.h"
#include "pool/pool.h"
#include "support/contract.h"
#include "support/gradient.h"

#include <stdlib.h>
#include <string.h>

static void expect_status(tips_status got, tips_status want, const char *says) {
    if (got != want) fail_case("%s, not %s: %s", tips_status_name(got), tips_status_name(want), tips_last_error());
    if (!strstr(tips_last_error(), says)) fail_case("'%s' does not say '%s'", tips_last_error(), says);
}

enum { CLASSES = 7, SAMPLES = 3 };

typedef struct subject {
    trial t;
    tips_value x, label, logits;
} subject;

static tips_value add_linear(tips_graph *g, const char *name, tips_value x) {
    x = tips__graph_add(g, &tips__layer_global_avg, "mean", NULL, &x, 1);
    return tips__graph_add(g, &tips__layer_linear, name, &(tips_linear){.out = CLASSES}, &x, 1);
}

static tips_value add_cross_entropy(tips_graph *g, tips_value logits, tips_value label) {
    return tips__graph_add(g, &tips__layer_cross_entropy, "loss", &(tips_cross_entropy){0},
                           (tips_value[]){logits, label}, 2);
}

static tips_value conv_norm(tips_graph *g, const char *conv, const char *norm, tips_value x) {
    return tips__batch_norm(g, norm, tips__conv_same(g, conv, x, 5, 3, TIPS_PAD_CIRCULAR));
}

/* norm - ReLU, an operator, norm - add - ReLU, a norm alone: every way in which a norm is fused. */
static tips_value add_body(tips_graph *g, const char *pool, tips_value x) {
    tips_pool_spec spec;
    const int stride[2] = {2, 2};
    expect_ok(tips__pool_parse(pool, 0, &spec));
    x = tips__relu(g, "r1", conv_norm(g, "c1", "n1", x));
    x = tips__pool_add(g, "pool", &spec, stride, TIPS_PAD_CIRCULAR, x, NULL, NULL);
    x = tips__relu(g, "r2", tips__add(g, "sum", conv_norm(g, "c2", "n2", x), x));
    return conv_norm(g, "c3", "n3", x);
}

/* The running statistics are drawn, so they are not those of the batch. */
static subject make_subject(const char *pool, bool output) {
    subject s = {.t = trial_start(SAMPLES)};
    test_case("a network with %s", pool);
    s.x = trial_map(&s.t, 3, 8, 6);
    s.label = trial_index(&s.t, CLASSES);
    s.logits = add_linear(s.t.graph, "fc", add_body(s.t.graph, pool, s.x));
    tips__graph_loss(s.t.graph, add_cross_entropy(s.t.graph, s.logits, s.label), 1.5);
    if (output) trial_output(&s.t, s.logits);
    trial_ready(&s.t, 31);
    return s;
}

/* ------------------------------------------------------------------------------- gradients of a network as it stands
 */

static const char *const pools[] = {"max",           "aps",
                                    "lps",           "tips",
                                    "tips-official", "tips-exact",
                                    "ddac",          "tips-exact:anchor=norm",
                                    "blur",          "tips:tau=quadrant"};

/* Of the loss alone, with nothing set at an output: what an attack reads. */
static void expect_input_gradient(const subject *s, const results *want) {
    const tips_net_options options = {.n = SAMPLES, .pass = tips__pass_input_gradients, .seed = s->t.seed};
    tips_params *params; /* without room for gradients */
    tips_net *net;
    float *got = test_floats(trial_count(&s->t, s->x));
    expect_ok(tips__params_create(s->t.graph, 1, &params));
    memcpy(params->data_arena, s->t.params->data_arena, params->total_floats * sizeof(float));
    expect_ok(tips__net_compile(s->t.graph, params, &options, &net));
    for (int step = 0; step < 2; step++) {
        expect_ok(tips__net_set_map(net, s->x, s->t.x[0]));
        expect_ok(tips__net_set_index(net, s->label, s->t.index[1]));
        expect_ok(tips__net_forward(net));
        expect_ok(tips__net_backward(net));
        expect_ok(tips__net_get_input_gradient(net, s->x, got));
        expect_same_bits("input gradient", got, want->dx[0], trial_count(&s->t, s->x));
    }
    assert_memory_equal(params->data_arena, s->t.params->data_arena, params->total_floats * sizeof(float));
    tips__net_destroy(net);
    tips__params_destroy(params);
    free(got);
}

static void test_gradients(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        subject s = make_subject(pools[i], false);
        s.t.standing = true;
        expect_forward(&s.t, true, 1e-5);
        expect_gradients(&s.t, (gradient_check){5e-5, 40, .inputs = true, .params = true});
        expect_same_for_wishes(&s.t);
        expect_same_for_plans(&s.t);
        expect_no_allocations(&s.t);
        const tips_net_options options = trial_options(&s.t, true);
        results want = trial_run(&s.t, &options);
        expect_input_gradient(&s, &want);
        results_free(&s.t, &want);
        trial_free(&s.t);
    }
}

/* From the outputs, without losses and their inputs. */
static void test_gradients_of_outputs(void **state) {
    (void)state;
    subject s = make_subject("tips-exact", true);
    test_case("gradients from the outputs alone");
    s.t.lossless = true;
    s.t.weights = (tips_loss_weights){1, 0.3, 0.7};
    for (int standing = 0; standing < 2; standing++) {
        s.t.standing = standing;
        expect_forward(&s.t, true, 1e-5);
        expect_gradients(&s.t, (gradient_check){5e-5, 20, .inputs = true, .params = true});
    }
    trial_free(&s.t);
}

/* The mode matters: with the statistics of the batch the gradient is another. */
static void test_statistics_matter(void **state) {
    (void)state;
    subject s = make_subject("aps", false), standing = s;
    standing.t.standing = true;
    const tips_net_options fixed = trial_options(&standing.t, true), moving = trial_options(&s.t, true);
    results a = trial_run(&standing.t, &fixed), b = trial_run(&s.t, &moving);
    if (differing_bits(a.dx[0], b.dx[0], trial_count(&s.t, s.x)) == 0) fail_case("the statistics do not matter");
    results_free(&s.t, &a);
    results_free(&s.t, &b);
    trial_free(&s.t);
}

/* A net with a backward pass sees every later change of the parameters. */
static void test_gradients_follow(void **state) {
    (void)state;
    subject s = make_subject("tips-exact", true);
    s.t.standing = true;
    const tips_net_options options = trial_options(&s.t, true);
    tips_net *net = trial_compile(&s.t, &options);
    trial_step(&s.t, net, true);
    const int variance = tips__param_find(s.t.graph, "n2.running_var");
    tips__param_set(s.t.params, variance, (const float[]){2, 3, 4, 5, 6});
    trial_step(&s.t, net, true);
    results got = trial_results(&s.t, net, true), want = trial_run(&s.t, &options);
    expect_same_results(&s.t, &got, &want);
    results_free(&s.t, &got);
    results_free(&s.t, &want);
    tips__net_destroy(net);
    trial_free(&s.t);
}

/* ------------------------------------------------------------------------------------------------- losses, or none */

static int ops_of(const tips_net *net, const char *layer) {
    int count = 0;
    for (int i = 0; i < net->n_ops; i++) count += strcmp(net->ops[i].op.node->layer->name, layer) == 0;
    return count;
}

/* Beside the network: a second head that only a loss reads, a teacher, and a convolution that nobody reads. */
static void add_losses(subject *s) {
    tips_graph *g = s->t.graph;
    const tips_value teacher = tips__graph_input(g, "teacher", CLASSES, 1, 1);
    const tips_value features = tips__graph_node(g, 2)->out[0];
    const tips_value head = add_linear(g, "head", conv_norm(g, "c4", "n4", features));
    tips__graph_loss(g, add_cross_entropy(g, head, s->label), 0.3);
    tips__graph_loss(
        g,
        tips__graph_add(g, &tips__layer_distill, "teaching", &(tips_distill){4}, (tips_value[]){s->logits, teacher}, 2),
        0.5);
    tips__conv_same(g, "nowhere", features, 4, 3, TIPS_PAD_CIRCULAR);
    expect_ok(tips__graph_status(g));
}

static tips_net *compile_poisoned(const subject *s, tips_pass pass) {
    const tips_net_options options = {.n = SAMPLES, .pass = pass, .seed = 1};
    tips_net *net = trial_compile(&s->t, &options);
    memset(net->arena, 0xff, net->arena_bytes); /* a label that is not set is none, a teacher's logits are NaN */
    expect_ok(tips__net_set_map(net, s->x, s->t.x[0]));
    return net;
}

/* What leads to losses alone is not run, and what only it reads need not be set. */
static void test_no_losses(void **state) {
    (void)state;
    subject s = {.t = trial_start(SAMPLES)};
    s.x = trial_map(&s.t, 3, 8, 6);
    s.label = trial_index(&s.t, CLASSES);
    s.logits = add_linear(s.t.graph, "fc", add_body(s.t.graph, "tips-exact", s.x));
    add_losses(&s);
    trial_output(&s.t, s.logits);
    trial_ready(&s.t, 32);
    test_case("a pass without losses");
    float got[SAMPLES * CLASSES], want[SAMPLES * CLASSES];
    tips_net *net = compile_poisoned(&s, tips__pass_evaluation);
    expect_ok(tips__net_forward(net));
    expect_ok(tips__net_get_map(net, s.logits, got));
    assert_int_equal(ops_of(net, "distill") + ops_of(net, "cross_entropy"), 0);
    assert_int_equal(ops_of(net, "linear"), 1);
    assert_int_equal(ops_of(net, "conv2d"), 4); /* three of the network, and the one that nobody reads */
    assert_true(tips__net_losses(net).total == 0);
    tips__net_destroy(net);
    net = compile_poisoned(&s, (tips_pass){.losses = true});
    expect_status(tips__net_forward(net), TIPS_RANGE, "label");
    expect_ok(tips__net_set_index(net, s.label, s.t.index[1]));
    expect_ok(tips__net_forward(net)); /* the teacher's logits are not a number, and neither is the loss */
    expect_ok(tips__net_get_map(net, s.logits, want));
    assert_true(tips__net_losses(net).total != tips__net_losses(net).total);
    expect_same_bits("logits", got, want, SAMPLES * CLASSES);
    tips__net_destroy(net);
    trial_free(&s.t);
}

/* The oracle leaves out the same. */
static void test_no_losses_in_the_oracle(void **state) {
    (void)state;
    subject s = make_subject("tips-exact", true);
    for (int losses = 0; losses < 2; losses++) {
        tips_ref_net *ref;
        test_case("the oracle, losses %d", losses);
        s.t.weights = (tips_loss_weights){1, 0.5, 0.5};
        expect_ok(tips__ref_create(s.t.graph, s.t.params, SAMPLES, (tips_pass){.losses = losses}, 1, &ref));
        tips__ref_set_weights(ref, s.t.weights);
        expect_ok(tips__ref_forward(ref));
        const tips_losses l = tips__ref_losses(ref);
        assert_int_equal(l.task != 0, losses);
        assert_int_equal(l.undo != 0, losses);
        assert_int_equal(l.total != 0, losses);
        tips__ref_destroy(ref);
    }
    trial_free(&s.t);
}

/* A loss that is an output is wanted in any pass. */
static void test_loss_as_output(void **state) {
    (void)state;
    subject s = {.t = trial_start(SAMPLES)};
    test_case("a loss that is an output");
    const tips_value a = trial_map(&s.t, 3, 2, 2), b = trial_map(&s.t, 3, 2, 2);
    const tips_value loss = tips__graph_add(s.t.graph, &tips__layer_mse, "e", NULL, (tips_value[]){a, b}, 2);
    tips__graph_loss(s.t.graph, loss, 1);
    trial_output(&s.t, loss);
    trial_ready(&s.t, 33);
    expect_forward(&s.t, false, 1e-6);
    trial_free(&s.t);
}

/* The losses of a network as it stands, without a backward pass: norms are folded, and nothing moves. */
static void test_losses_without_backward(void **state) {
    (void)state;
    subject s = make_subject("tips-exact", true);
    const tips_net_options options = {.n = SAMPLES, .pass = {.losses = true}, .seed = s.t.seed};
    tips_net *net = trial_compile(&s.t, &options);
    s.t.standing = true;
    tips_ref_net *ref = trial_oracle(&s.t, true);
    const uint64_t version = s.t.params->version;
    assert_int_equal(ops_of(net, "batch_norm"), 0);
    trial_step(&s.t, net, false);
    expect_number("the loss", tips__net_losses(net).total, tips__ref_losses(ref).total, 1e-5);
    expect_status(tips__net_backward(net), TIPS_INVALID, "no backward pass");
    assert_int_equal(s.t.params->version, version);
    tips__net_destroy(net);
    tips__ref_destroy(ref);
    trial_free(&s.t);
}

/* ---------------------------------------------------------------------------------------------------- statistics */

static float *read_all(const trial *t) {
    float *copy = test_floats(t->params->total_floats);
    memcpy(copy, t->params->data_arena, t->params->total_floats * sizeof(float));
    return copy;
}

/* Forward alone moves the running statistics as a step of training does, and folds no norm. */
static void test_statistics_without_backward(void **state) {
    (void)state;
    subject s = make_subject("lps", true);
    float *start = read_all(&s.t);
    const tips_net_options forward = {
        .n = SAMPLES, .pass = {.batch_statistics = true, .sampling = true}, .seed = s.t.seed};
    tips_net *net = trial_compile(&s.t, &forward);
    trial_step(&s.t, net, false);
    results got = trial_results(&s.t, net, false);
    float *moved = read_all(&s.t);
    memcpy(s.t.params->data_arena, start, s.t.params->total_floats * sizeof(float));
    const tips_net_options training = trial_options(&s.t, true);
    results want = trial_run(&s.t, &training);
    expect_same_results(&s.t, &got, &want);
    expect_same_bits("parameters", moved, s.t.params->data_arena, s.t.params->total_floats);
    if (differing_bits(moved, start, s.t.params->total_floats) == 0) fail_case("the statistics did not move");
    free(start);
    free(moved);
    results_free(&s.t, &got);
    results_free(&s.t, &want);
    tips__net_destroy(net);
    trial_free(&s.t);
}

static void freeze(const trial *t, const char *prefix) {
    for (int i = 0; i < t->params->count; i++)
        if (strncmp(tips__graph_param(t->graph, i)->name, prefix, strlen(prefix)) == 0)
            expect_ok(tips__params_freeze(t->params, i));
}

/* A frozen norm among others uses its running statistics in training and leaves them alone; the oracle agrees. */
static void test_frozen_norm(void **state) {
    (void)state;
    subject s = make_subject("tips-exact", true);
    test_case("a frozen norm");
    freeze(&s.t, "n2.running");
    const int mean = tips__param_find(s.t.graph, "n2.running_mean"),
              free_mean = tips__param_find(s.t.graph, "n1.running_mean");
    float *start = read_all(&s.t);
    const float *at = s.t.params->data[mean], *free_at = s.t.params->data[free_mean];
    expect_forward(&s.t, true, 1e-5);
    expect_gradients(&s.t, (gradient_check){5e-5, 40, .inputs = true, .params = true});
    expect_same_for_plans(&s.t);
    expect_same_bits("frozen mean", at, start + (at - s.t.params->data_arena), s.t.params->floats[mean]);
    if (differing_bits(free_at, start + (free_at - s.t.params->data_arena), s.t.params->floats[free_mean]) == 0)
        fail_case("the other norm's statistics did not move");
    free(start);
    trial_free(&s.t);
}

/* Parameters that are frozen get no gradient, and the others' keep their bits. */
static void test_frozen_params(void **state) {
    (void)state;
    static const char *const frozen[] = {"c", "n2.weight", "n2.bias", "pool.psi", "pool.mix", "fc.weight", "fc.bias"};
    for (size_t k = 0; k < sizeof frozen / sizeof *frozen; k++) {
        subject s = make_subject(k % 2 ? "tips" : "tips-exact", true);
        test_case("%s frozen", frozen[k]);
        const tips_net_options options = trial_options(&s.t, true);
        results want = trial_run(&s.t, &options);
        freeze(&s.t, frozen[k]);
        memset(s.t.params->diff_arena, 0, s.t.params->total_floats * sizeof(float));
        results got = trial_run(&s.t, &options);
        for (int i = 0; i < s.t.params->count; i++) {
            const size_t count = tips__param_elements(tips__graph_param(s.t.graph, i));
            if (!got.dparam[i] || !tips__param_is_frozen(s.t.params, i)) continue;
            for (size_t j = 0; j < count; j++) assert_true(got.dparam[i][j] == 0);
            memcpy(got.dparam[i], want.dparam[i], count * sizeof(float));
        }
        expect_same_results(&s.t, &got, &want);
        results_free(&s.t, &got);
        results_free(&s.t, &want);
        trial_free(&s.t);
    }
}

/* ----------------------------------------------------------------------------------------------------- wrong calls */

static void test_wrong_calls(void **state) {
    (void)state;
    subject s = make_subject("aps", true);
    float *spare = test_floats(trial_count(&s.t, s.x));
    const tips_net_options training = {.n = SAMPLES, .pass = tips__pass_training};
    tips_net *net = trial_compile(&s.t, &training);
    trial_step(&(trial){.n_in = s.t.n_in, .in = {s.x, s.label}, .x = {s.t.x[0]}, .index = {NULL, s.t.index[1]}}, net,
               true);
    expect_status(tips__net_get_input_gradient(net, s.x, spare), TIPS_INVALID, "no gradient");
    expect_status(tips__net_get_input_gradient(net, s.logits, spare), TIPS_INVALID, "not an input");
    expect_status(tips__net_set_output_gradient(net, s.logits, spare), TIPS_INVALID, "no gradient from outside");
    tips__net_destroy(net);
    free(spare);
    trial_free(&s.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients),
        cmocka_unit_test(test_gradients_of_outputs),
        cmocka_unit_test(test_statistics_matter),
        cmocka_unit_test(test_gradients_follow),
        cmocka_unit_test(test_no_losses),
        cmocka_unit_test(test_no_losses_in_the_oracle),
        cmocka_unit_test(test_loss_as_output),
        cmocka_unit_test(test_losses_without_backward),
        cmocka_unit_test(test_statistics_without_backward),
        cmocka_unit_test(test_frozen_norm),
        cmocka_unit_test(test_frozen_params),
        cmocka_unit_test(test_wrong_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
