/* Graphs and compiled nets: errors that stick, fusion, the memory plan, replay, parameters, optimiser steps, and the
 * same bits from the same seed. */
#include "net/net_parts.h"

#include "arch/arch.h"
#include "core/threads.h"
#include "layer/layers.h"
#include "optimizer/optimizer.h"
#include "support/contract.h"
#include "support/gradient.h"
#include "task/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_status(tips_status got, tips_status want, const char *says) {
    if (got != want) fail_case("%s, not %s: %s", tips_status_name(got), tips_status_name(want), tips_last_error());
    if (!strstr(tips_last_error(), says)) fail_case("'%s' does not say '%s'", tips_last_error(), says);
}

/* --------------------------------------------------------------------------------------------------- build errors */

typedef tips_value wrong_graph(tips_graph *g, tips_value x);

static tips_value empty_input(tips_graph *g, tips_value x) {
    (void)x;
    return tips__graph_input(g, "nothing", 3, 0, 5);
}
static tips_value unknown_input(tips_graph *g, tips_value x) { return tips__relu(g, "lost", x + 7); }
static tips_value no_input(tips_graph *g, tips_value x) {
    (void)x;
    return tips__relu(g, "lost", TIPS_NO_VALUE);
}
static tips_value too_many_inputs(tips_graph *g, tips_value x) {
    const tips_value in[TIPS_MAX_IN + 1] = {x, x, x, x, x, x, x, x, x};
    return tips__graph_add(g, &tips__layer_concat, "wide", NULL, in, TIPS_MAX_IN + 1);
}
static tips_value different_shapes(tips_graph *g, tips_value x) {
    return tips__add(g, "sum", x, tips__conv_same(g, "conv", x, 7, 3, TIPS_PAD_ZERO));
}
static tips_value large_kernel(tips_graph *g, tips_value x) {
    return tips__conv2d(g, "conv", x, (tips_conv2d){.out = 4, .kernel = {7, 7}});
}
static tips_value uneven_groups(tips_graph *g, tips_value x) {
    return tips__conv2d(g, "conv", x, (tips_conv2d){.out = 4, .kernel = {1, 1}, .groups = 2});
}
static tips_value empty_kernel(tips_graph *g, tips_value x) {
    return tips__conv2d(g, "conv", x, (tips_conv2d){.out = 4, .kernel = {0, 3}});
}
static tips_value linear_on_map(tips_graph *g, tips_value x) {
    return tips__graph_add(g, &tips__layer_linear, "fc", &(tips_linear){.out = 3}, &x, 1);
}
static tips_value indivisible(tips_graph *g, tips_value x) {
    return tips__graph_add(g, &tips__layer_polyphase, "split", &(tips_strided){{2, 2}}, &x, 1);
}
static tips_value index_as_map(tips_graph *g, tips_value x) {
    (void)x;
    return tips__relu(g, "rectify", tips__graph_index_input(g, "label", 1, 1, 1));
}
static tips_value wide_filter(tips_graph *g, tips_value x) {
    return tips__graph_add(g, &tips__layer_lpf, "lpf", &(tips_lpf){.size = 8}, &x, 1);
}

static const struct {
    wrong_graph *build;
    tips_status status;
    const char *says;
} wrong_graphs[] = {
    {empty_input, TIPS_SHAPE, "3x0x5"},
    {unknown_input, TIPS_INVALID, "'lost'"},
    {no_input, TIPS_INVALID, "'lost'"},
    {too_many_inputs, TIPS_INVALID, "'wide'"},
    {different_shapes, TIPS_SHAPE, "7x5x6"},
    {large_kernel, TIPS_SHAPE, "7x7 kernel does not fit"},
    {uneven_groups, TIPS_SHAPE, "2 groups do not divide 3"},
    {empty_kernel, TIPS_RANGE, "start at 1"},
    {linear_on_map, TIPS_SHAPE, "5x6"},
    {indivisible, TIPS_SHAPE, "not divisible"},
    {index_as_map, TIPS_SHAPE, "must be a map"},
    {wide_filter, TIPS_RANGE, "2..7"},
};

/* The first error stays, whatever is added after it, and no net or oracle is made. */
static void expect_stuck(tips_graph *g, tips_value x, tips_status status, const char *says) {
    assert_int_equal(tips__relu(g, "later", x), TIPS_NO_VALUE);
    assert_int_equal(tips__graph_input(g, "later", 1, 1, 1), TIPS_NO_VALUE);
    tips__graph_output(g, x);
    expect_status(tips__graph_status(g), status, says);
    tips_params *params;
    tips_net *net = NULL;
    tips_ref_net *ref = NULL;
    expect_ok(tips__params_create(g, 1, &params));
    expect_status(tips__net_compile(g, params, &(tips_net_options){.n = 1}, &net), status, says);
    expect_status(tips__ref_create(g, params, 1, tips__pass_evaluation, 1, &ref), status, says);
    assert_null(net);
    assert_null(ref);
    tips__params_destroy(params);
}

static void test_build_errors(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong_graphs / sizeof *wrong_graphs; i++) {
        tips_graph *g;
        test_case("wrong graph %zu", i);
        expect_ok(tips__graph_create(&g));
        const tips_value x = tips__graph_input(g, "x", 3, 5, 6);
        assert_int_equal(wrong_graphs[i].build(g, x), TIPS_NO_VALUE);
        expect_status(tips__graph_status(g), wrong_graphs[i].status, wrong_graphs[i].says);
        expect_stuck(g, x, wrong_graphs[i].status, wrong_graphs[i].says);
        tips__graph_destroy(g);
    }
}

/* -------------------------------------------------------------------------------------------------- whole networks */

typedef struct network {
    const char *arch, *pool;
    tips_pad_mode padding;
    int lpf, width, h, w, n;
} network;

static const network networks[] = {
    {"tiny", "tips-exact", TIPS_PAD_CIRCULAR, 0, 8, 16, 12, 3},
    {"tiny", "lps", TIPS_PAD_CIRCULAR, 3, 8, 16, 16, 2},
    {"tiny", "tips", TIPS_PAD_ZERO, 0, 12, 9, 11, 2},
    {"tiny", "aps", TIPS_PAD_REFLECT, 0, 5, 12, 8, 2},
    {"tiny", "ddac", TIPS_PAD_REPLICATE, 0, 8, 8, 8, 2},
    {"resnet18", "max", TIPS_PAD_ZERO, 0, 8, 16, 16, 2},
    {"resnet18", "tips-exact", TIPS_PAD_CIRCULAR, 5, 24, 16, 16, 2},
    {"resnet50", "aps", TIPS_PAD_CIRCULAR, 0, 8, 16, 16, 2},
};
enum { NETWORKS = sizeof networks / sizeof *networks };

/* With the logits as output and a loss; in evaluation nothing else differs. */
static trial make_network(const network *m) {
    const tips_arch *arch;
    trial t = {.n = m->n, .weights = {0.65, 0.35, 1}};
    tips_arch_config config = {
        .in_channels = 3, .size = {m->h, m->w}, .classes = 10, .width = m->width, .padding = m->padding};
    tips_model model;
    test_case("%s with %s, %s", m->arch, m->pool, tips_pad_mode_names[m->padding]);
    expect_ok(tips__pool_parse(m->pool, m->lpf, &config.pool));
    expect_ok(tips__arch_find(m->arch, &arch));
    expect_ok(tips__model_create(arch, &config, NULL, true, &model));
    t.graph = model.graph;
    t.in[0] = model.ends.input;
    t.in[1] = model.ends.targets[0];
    t.limit[1] = 10;
    t.n_in = 2;
    t.out[0] = model.ends.outputs[0];
    t.n_out = 1;
    trial_ready(&t, 5);
    return t;
}

static void expect_near(const trial *t, const results *got, const results *want, double tolerance) {
    expect_close_to_floats("logits", got->y[0], want->y[0], trial_count(t, t->out[0]), tolerance);
    if (!got->dparam) return;
    expect_close_to_floats("input gradient", got->dx[0], want->dx[0], trial_count(t, t->in[0]), tolerance);
    for (int i = 0; i < tips__graph_param_count(t->graph); i++) {
        const tips_param_spec *spec = tips__graph_param(t->graph, i);
        if (got->dparam[i])
            expect_close_to_floats(spec->name, got->dparam[i], want->dparam[i], tips__param_elements(spec), tolerance);
    }
}

static void test_fusion(void **state) {
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        trial t = make_network(&networks[i]);
        tips_net_options options = trial_options(&t, false);
        results fused = trial_run(&t, &options);
        options.keep_all = true;
        results kept = trial_run(&t, &options);
        expect_near(&t, &fused, &kept, 1e-5);
        results_free(&t, &fused);
        results_free(&t, &kept);
        trial_free(&t);
    }
}

/* Training: fused norms and ReLUs compute the same, replayed values have the same bits. */
static void test_replay(void **state) {
    (void)state;
    int replays = 0;
    for (int i = 0; i < NETWORKS; i++) {
        trial t = make_network(&networks[i]), standing = t;
        standing.standing = true;
        expect_same_for_plans(&standing);
        expect_same_for_wishes(&standing);
        expect_same_for_plans(&t);
        tips_net_options options = trial_options(&t, true);
        tips_net *net = trial_compile(&t, &options);
        replays += tips__net_memory(net).replays;
        trial_step(&t, net, true);
        results planned = trial_results(&t, net, true);
        options.keep_all = true;
        results kept = trial_run(&t, &options);
        /* Gradients cancel on their way through the norms of many layers. */
        expect_near(&t, &planned, &kept, 1e-3);
        results_free(&t, &planned);
        results_free(&t, &kept);
        tips__net_destroy(net);
        trial_free(&t);
    }
    assert_true(replays > 0);
}

/* Every layer's values against the oracle, through a whole network. */
static void test_oracle(void **state) {
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        trial t = make_network(&networks[i]);
        for (int training = 0; training < 2; training++) expect_forward(&t, training, 1e-4);
        t.standing = true;
        expect_forward(&t, true, 1e-4);
        trial_free(&t);
    }
}

/* ----------------------------------------------------------------------------------------------------- memory plan */

static bool meet(const net_buffer *a, const net_buffer *b) {
    return a->begin <= b->end && b->begin <= a->end && a->offset < b->offset + b->bytes &&
           b->offset < a->offset + a->bytes;
}

static void expect_apart(const tips_net *net) {
    for (int i = 0; i < net->n_buffers; i++) {
        if (net->buffers[i].offset + net->buffers[i].bytes > net->arena_bytes)
            fail_case("buffer %d leaves the arena", i);
        for (int j = 0; j < i; j++)
            if (meet(&net->buffers[i], &net->buffers[j])) fail_case("buffers %d and %d share memory", j, i);
    }
}

/* Results must not depend on what lay in the arena before: it is filled with NaN. */
static void expect_clean_start(const trial *t, bool training) {
    const tips_net_options options = trial_options(t, training);
    results want = trial_run(t, &options);
    tips_net *net = trial_compile(t, &options);
    memset(net->arena, 0xff, net->arena_bytes);
    expect_apart(net);
    trial_step(t, net, training);
    results got = trial_results(t, net, training);
    expect_same_results(t, &got, &want);
    if (net->arena_bytes >= tips__net_memory(net).unplanned) fail_case("planning saves nothing");
    tips__net_destroy(net);
    results_free(t, &want);
    results_free(t, &got);
}

static void test_memory_plan(void **state) {
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        trial t = make_network(&networks[i]);
        expect_clean_start(&t, true);
        expect_clean_start(&t, false);
        expect_no_allocations(&t);
        t.standing = t.inputs_only = true;
        expect_clean_start(&t, true);
        expect_no_allocations(&t);
        trial_free(&t);
    }
}

/* ------------------------------------------------------------------------------------------------- a general graph */

/* Two inputs, a label, three outputs, two losses; values with several readers, a branch that leads nowhere. */
static trial make_dag(void) {
    trial t = trial_start(3);
    tips_selection selection;
    tips_pool_spec lps, max;
    expect_ok(tips__pool_parse("lps:width=3", 0, &lps));
    expect_ok(tips__pool_parse("max", 3, &max));
    const int stride[2] = {2, 2};
    const tips_value a = trial_map(&t, 5, 8, 6), b = trial_map(&t, 8, 8, 6), label = trial_index(&t, 7);
    const tips_value left = tips__relu(
        t.graph, "r", tips__batch_norm(t.graph, "n", tips__conv_same(t.graph, "l", a, 8, 3, TIPS_PAD_CIRCULAR)));
    const tips_value sum = tips__add(t.graph, "sum", left, b);
    const tips_value pooled = tips__pool_add(t.graph, "p", &lps, stride, TIPS_PAD_CIRCULAR, sum, NULL, &selection);
    const tips_value beside = tips__pool_add(t.graph, "s", &lps, stride, TIPS_PAD_CIRCULAR, left, &selection, NULL);
    const tips_value other = tips__pool_add(t.graph, "m", &max, stride, TIPS_PAD_REFLECT, sum, NULL, NULL);
    const tips_value joined =
        tips__graph_add(t.graph, &tips__layer_concat, "c", NULL, (tips_value[]){pooled, beside, other}, 3);
    const tips_value back = tips__graph_add(t.graph, &tips__layer_unpool, "u", &(tips_strided){{2, 2}},
                                            (tips_value[]){joined, selection.phase}, 2);
    const tips_value small = tips__conv_same(t.graph, "k", back, 5, 3, TIPS_PAD_ZERO);
    const tips_value vector = tips__graph_add(t.graph, &tips__layer_global_avg, "g", NULL, &joined, 1);
    const tips_value logits = tips__graph_add(t.graph, &tips__layer_linear, "fc", &(tips_linear){.out = 7}, &vector, 1);
    tips__conv_same(t.graph, "nowhere", sum, 4, 3, TIPS_PAD_CIRCULAR);
    tips__graph_loss(t.graph, tips__graph_add(t.graph, &tips__layer_mse, "e", NULL, (tips_value[]){small, a}, 2), 0.4);
    tips__graph_loss(t.graph,
                     tips__graph_add(t.graph, &tips__layer_cross_entropy, "x", &(tips_cross_entropy){0},
                                     (tips_value[]){logits, label}, 2),
                     1.5);
    trial_output(&t, small);
    trial_output(&t, logits);
    trial_output(&t, sum);
    trial_output(&t, selection.phase);
    trial_ready(&t, 21);
    return t;
}

static void test_dag(void **state) {
    (void)state;
    test_case("a graph with two inputs, two losses and a dead end");
    trial t = make_dag();
    expect_forward(&t, true, 1e-5);
    expect_forward(&t, false, 1e-5);
    expect_gradients(&t, (gradient_check){.tolerance = 5e-5, .coordinates = 40, .inputs = true, .params = true});
    expect_same_for_plans(&t);
    expect_same_for_threads(&t, true);
    expect_same_for_places(&t);
    expect_clean_start(&t, true);
    expect_clean_start(&t, false);
    trial_free(&t);
}

/* The shortcut alone is used: the main branch's choice still learns through the shared weights. */
static void test_unused_main_branch(void **state) {
    (void)state;
    test_case("lps of which only the shortcut is read");
    trial t = trial_start(2);
    tips_pool_spec lps;
    tips_selection selection;
    const int stride[2] = {2, 2};
    expect_ok(tips__pool_parse("lps:width=3", 0, &lps));
    const tips_value x = trial_map(&t, 5, 4, 6);
    tips__pool_add(t.graph, "main", &lps, stride, TIPS_PAD_CIRCULAR, x, NULL, &selection);
    trial_output(&t, tips__pool_add(t.graph, "beside", &lps, stride, TIPS_PAD_CIRCULAR, x, &selection, NULL));
    trial_ready(&t, 22);
    expect_forward(&t, true, 1e-5);
    expect_gradients(&t, (gradient_check){.tolerance = 5e-5, .coordinates = 20, .inputs = true, .params = true});
    trial_free(&t);
}

/* ----------------------------------------------------------------------------------------------------- wrong calls */

static void test_wrong_calls(void **state) {
    (void)state;
    trial t = make_dag();
    test_case("wrong calls");
    tips_net *net = NULL;
    tips_params *frozen;
    float *spare = test_floats(trial_count(&t, t.in[0]) * 8);
    expect_ok(tips__params_create(t.graph, 1, &frozen));
    expect_status(tips__net_compile(t.graph, t.params, &(tips_net_options){.n = 0}, &net), TIPS_RANGE,
                  "at least one sample");
    expect_status(tips__net_compile(t.graph, frozen, &(tips_net_options){.n = 1, .pass = tips__pass_training}, &net),
                  TIPS_INVALID, "gradients");
    assert_null(net);
    tips_net_options options = trial_options(&t, false);
    net = trial_compile(&t, &options);
    expect_status(tips__net_backward(net), TIPS_INVALID, "evaluation");
    expect_status(tips__net_set_map(net, t.in[2], spare), TIPS_INVALID, "not a map");
    expect_status(tips__net_set_index(net, t.in[0], t.index[2]), TIPS_INVALID, "not an index");
    expect_status(tips__net_get_map(net, 9999, spare), TIPS_INVALID, "not a map");
    expect_status(tips__net_set_output_gradient(net, t.out[0], spare), TIPS_INVALID, "no gradient");
    expect_status(tips__net_get_input_gradient(net, t.in[0], spare), TIPS_INVALID, "no gradient");
    /* The norm's output was fused away. */
    const tips_value norm = tips__graph_node(t.graph, 1)->out[0];
    expect_status(tips__net_get_map(net, norm, spare), TIPS_INVALID, "fused");
    tips__net_destroy(net);
    tips__params_destroy(frozen);
    free(spare);
    trial_free(&t);
}

static void test_wrong_label(void **state) {
    (void)state;
    trial t = make_dag();
    test_case("a label out of range");
    const tips_net_options options = trial_options(&t, true);
    tips_net *net = trial_compile(&t, &options);
    trial_step(&t, net, true);
    const int32_t labels[3] = {0, 7, 1};
    expect_ok(tips__net_set_index(net, t.in[2], labels));
    expect_status(tips__net_forward(net), TIPS_RANGE, "label 7 of sample 1 is not in 0..6");
    tips__net_destroy(net);
    trial_free(&t);
}

/* ------------------------------------------------------------------------------------------------------ parameters */

/* Every layout, with channels that do and do not fill blocks. */
static trial make_layouts(void) {
    static const int convs[][3] = {{5, 8, 1},  {8, 16, 1},  {16, 3, 1},  {6, 9, 3},  {16, 16, 2},
                                   {5, 10, 5}, {12, 12, 12}, {32, 48, 1}, {37, 41, 1}, {64, 96, 2}};
    trial t = trial_start(1);
    tips_value x = trial_map(&t, 5, 4, 4);
    for (size_t i = 0; i < sizeof convs / sizeof *convs; i++) {
        x = tips__conv_same(t.graph, "fit", x, convs[i][0], 1, TIPS_PAD_ZERO);
        x = tips__conv2d(t.graph, "conv", x,
                         (tips_conv2d){.out = convs[i][1],
                                       .kernel = {2, 3},
                                       .groups = convs[i][2],
                                       .bias = true,
                                       .padding = {TIPS_PAD_CIRCULAR, 1, 1, 0, 1}});
    }
    tips_pool_spec pool;
    const int stride[2] = {2, 2};
    expect_ok(tips__pool_parse("tips:psi=depthwise", 0, &pool));
    x = tips__pool_add(t.graph, "gap", &pool, stride, TIPS_PAD_CIRCULAR, tips__batch_norm(t.graph, "norm", x), NULL,
                       NULL);
    x = tips__graph_add(t.graph, &tips__layer_global_avg, "mean", NULL, &x, 1);
    trial_output(&t, tips__graph_add(t.graph, &tips__layer_linear, "fc", &(tips_linear){.out = 11}, &x, 1));
    trial_ready(&t, 23);
    return t;
}

static void test_round_trip(void **state) {
    (void)state;
    trial t = make_layouts();
    unsigned layouts = 0;
    for (int i = 0; i < t.params->count; i++) {
        const tips_param_spec *spec = tips__graph_param(t.graph, i);
        const size_t count = tips__param_elements(spec);
        float *set = test_floats(count), *got = test_floats(count), *stored = test_floats(t.params->floats[i]);
        test_case("parameter %s %d", spec->name, i);
        draw_floats(set, count, (uint64_t)i, false);
        const uint64_t version = t.params->version;
        tips__param_set(t.params, i, set);
        assert_true(t.params->version > version);
        tips__param_get(t.params, i, got);
        expect_same_bits("value", got, set, count);
        /* What is stored beyond the plain values is zero: all of it that is not zero comes from them. */
        size_t alive = 0, wanted = 0;
        memcpy(stored, t.params->data[i], t.params->floats[i] * sizeof(float));
        for (size_t k = 0; k < t.params->floats[i]; k++) alive += stored[k] != 0;
        for (size_t k = 0; k < count; k++) wanted += set[k] != 0;
        if (alive != wanted) fail_case("%zu stored numbers for %zu values", alive, wanted);
        layouts |= 1u << spec->layout;
        free(set);
        free(got);
        free(stored);
    }
    assert_int_equal(layouts, 1u << TIPS_VECTOR | 1u << TIPS_MATRIX | 1u << TIPS_CONV | 1u << TIPS_DEPTHWISE);
    trial_free(&t);
}

/* Values depend on the seed and the name alone. */
static void test_initialisation(void **state) {
    (void)state;
    trial t = make_dag();
    tips_params *first, *second, *other;
    expect_ok(tips__params_create(t.graph, 7, &first));
    expect_ok(tips__params_create(t.graph, 7, &second));
    expect_ok(tips__params_create(t.graph, 8, &other));
    test_case("initial parameters");
    assert_memory_equal(first->data_arena, second->data_arena, first->total_floats * sizeof(float));
    assert_memory_not_equal(first->data_arena, other->data_arena, first->total_floats * sizeof(float));
    assert_int_equal(tips__param_find(t.graph, "l.weight"), 0);
    assert_int_equal(tips__param_find(t.graph, "elephant"), -1);
    tips__params_destroy(first);
    tips__params_destroy(second);
    tips__params_destroy(other);
    trial_free(&t);
}

/* ---------------------------------------------------------------------------------------------------------- steps */

static const tips_optimizer_spec sgd = {.optimizer = &tips__optimizer_sgd};

typedef struct plain_state {
    double *w, *v;
} plain_state;

static void plain_step(const trial *t, int i, plain_state *s, const tips_learning *learning) {
    const tips_param_spec *spec = tips__graph_param(t->graph, i);
    const size_t count = tips__param_elements(spec);
    float *g = test_floats(count);
    tips__param_get_diff(t->params, i, g);
    for (size_t k = 0; k < count; k++) {
        s->v[k] = learning->momentum * s->v[k] + g[k] + (spec->decay ? learning->weight_decay : 0) * s->w[k];
        s->w[k] -= learning->lr * s->v[k];
    }
    free(g);
}

static plain_state plain_start(const trial *t, int i) {
    const size_t count = tips__param_elements(tips__graph_param(t->graph, i));
    plain_state s = {test_alloc(count * sizeof(double)), test_alloc(count * sizeof(double))};
    float *w = test_floats(count);
    tips__param_get(t->params, i, w);
    for (size_t k = 0; k < count; k++) s.w[k] = w[k];
    free(w);
    return s;
}

/* v = momentum v + g + decay w, w -= lr v, in double beside the fast one; lps's logit net does not decay. */
static void test_sgd(void **state) {
    (void)state;
    const tips_learning learning = {.lr = 0.05, .momentum = 0.9, .weight_decay = 0.1};
    trial t = make_dag();
    plain_state *plain = test_alloc((size_t)t.params->count * sizeof *plain);
    const tips_net_options options = trial_options(&t, true);
    tips_net *net = trial_compile(&t, &options);
    int frozen = 0;
    test_case("three steps");
    expect_ok(tips__optimizer_prepare(sgd.optimizer, t.params));
    for (int i = 0; i < t.params->count; i++) plain[i] = plain_start(&t, i);
    for (int step = 0; step < 3; step++) {
        trial_step(&t, net, true);
        for (int i = 0; i < t.params->count; i++)
            if (t.params->diff[i]) plain_step(&t, i, &plain[i], &learning);
        tips__optimizer_step(&sgd, t.params, &learning);
    }
    for (int i = 0; i < t.params->count; i++) {
        const tips_param_spec *spec = tips__graph_param(t.graph, i);
        float *got = test_floats(tips__param_elements(spec));
        tips__param_get(t.params, i, got);
        if (spec->trainable) expect_close(spec->name, got, plain[i].w, tips__param_elements(spec), 1e-6);
        frozen += spec->trainable && !spec->decay;
        free(got);
        free(plain[i].w);
        free(plain[i].v);
    }
    assert_int_equal(frozen, 4);
    free(plain);
    tips__net_destroy(net);
    trial_free(&t);
}

static void train_three_steps(const trial *t) {
    expect_ok(tips__optimizer_prepare(sgd.optimizer, t->params));
    const tips_net_options options = trial_options(t, true);
    tips_net *net = trial_compile(t, &options);
    for (int step = 0; step < 3; step++) {
        tips__net_set_step(net, (uint64_t)step);
        trial_step(t, net, true);
        tips__optimizer_step(&sgd, t->params,
                             &(tips_learning){.lr = 0.005, .momentum = 0.9, .weight_decay = 1e-4});
    }
    tips__net_destroy(net);
}

static void test_same_seed_same_bits(void **state) {
    (void)state;
    const int before = tips__threads();
    for (int i = 0; i < NETWORKS; i++)
        for (int threads = 1; threads <= 2; threads++) {
            tips__threads_set(threads);
            trial first = make_network(&networks[i]), second = make_network(&networks[i]);
            train_three_steps(&first);
            train_three_steps(&second);
            expect_same_bits("parameters", second.params->data_arena, first.params->data_arena,
                             first.params->total_floats);
            expect_same_bits("momentum", second.params->state_arena[0], first.params->state_arena[0],
                             first.params->total_floats);
            trial_free(&first);
            trial_free(&second);
        }
    tips__threads_set(before);
}

/* An evaluation net that has folded norms into convolutions sees every later change of the parameters. */
static void expect_as_fresh(const trial *t, tips_net *net) {
    const tips_net_options options = trial_options(t, false);
    trial_step(t, net, false);
    results got = trial_results(t, net, false), want = trial_run(t, &options);
    expect_same_results(t, &got, &want);
    results_free(t, &got);
    results_free(t, &want);
}

static void test_folding_follows(void **state) {
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        trial t = make_network(&networks[i]);
        const tips_net_options options = trial_options(&t, false);
        tips_net *net = trial_compile(&t, &options);
        expect_as_fresh(&t, net);
        results before = trial_results(&t, net, false);
        const tips_net_options training = trial_options(&t, true);
        results moved = trial_run(&t, &training); /* another net moves the running statistics */
        expect_as_fresh(&t, net);
        results_free(&t, &moved);
        train_three_steps(&t); /* and here the weights */
        expect_as_fresh(&t, net);
        results after = trial_results(&t, net, false);
        if (differing_bits(before.y[0], after.y[0], trial_count(&t, t.out[0])) == 0)
            fail_case("training changed nothing");
        const int variance = tips__param_find(t.graph, "bn1.running_var");
        float *values = test_floats(tips__param_elements(tips__graph_param(t.graph, variance)));
        for (size_t k = 0; k < tips__param_elements(tips__graph_param(t.graph, variance)); k++)
            values[k] = 2 + (float)k;
        tips__param_set(t.params, variance, values);
        expect_as_fresh(&t, net);
        free(values);
        results_free(&t, &before);
        results_free(&t, &after);
        tips__net_destroy(net);
        trial_free(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_build_errors),
        cmocka_unit_test(test_fusion),
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_oracle),
        cmocka_unit_test(test_memory_plan),
        cmocka_unit_test(test_dag),
        cmocka_unit_test(test_unused_main_branch),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_wrong_label),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_initialisation),
        cmocka_unit_test(test_sgd),
        cmocka_unit_test(test_same_seed_same_bits),
        cmocka_unit_test(test_folding_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
