/* AdamW against PyTorch: one parameter with gradients of all sizes, number by number after each step, and a network. */
#include "layer/layers.h"
#include "support/golden_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix of the case's shape, as the weight of a layer. */
static tips_params *make_params(const golden_record *init, tips_graph **graph) {
    tips_params *params;
    expect_ok(tips__graph_create(graph));
    const tips_value x = tips__graph_input(*graph, "x", init->dims[1], 1, 1);
    const tips_linear config = {.out = init->dims[0], .no_bias = true};
    tips__graph_output(*graph, tips__graph_add(*graph, &tips__layer_linear, "l", &config, &x, 1));
    expect_ok(tips__graph_status(*graph));
    expect_ok(tips__params_create(*graph, 1, &params));
    tips__param_set(params, 0, init->f32);
    return params;
}

/* Padding rests at zero. */
static void set_gradient(tips_params *params, const float *plain) {
    const tips_param_spec *spec = tips__graph_param(params->graph, 0);
    const int out = spec->dims[0], in = spec->dims[1];
    for (int o = 0; o < out; o++)
        for (int i = 0; i < in; i++) params->diff[0][i * tips__padded(out) + o] = plain[o * in + i];
}

/* The mean of gradients that cancel keeps their rounding: it is measured against the largest of them. */
static double largest_gradient(const golden *g, int step, size_t at, size_t count) {
    const float *gradients = golden_need(g, "gradients")->f32;
    double largest = 0;
    for (int i = 0; i <= step; i++)
        largest = test_larger(largest, fabs((double)gradients[(size_t)i * count + at]));
    return largest;
}

static void expect_near(const golden *g, const char *name, int step, const float *got, size_t count) {
    const float *want = golden_need(g, name)->f32 + (size_t)step * count;
    const bool is_mean = strcmp(name, "exp_avg") == 0;
    for (size_t i = 0; i < count; i++) {
        const double scale = is_mean ? largest_gradient(g, step, i, count) : fabs((double)want[i]);
        if (!(fabs((double)got[i] - want[i]) <= 1e-6 * scale + 1e-30))
            fail_case("%s[%zu] after step %d is %.9g, not %.9g", name, i, step + 1, (double)got[i], (double)want[i]);
    }
}

static void compare_state(const golden *g, const tips_params *params, int step, size_t count) {
    float *got = test_floats(count);
    tips__param_get(params, 0, got);
    expect_near(g, "w", step, got, count);
    for (int k = 0; k < 2; k++) {
        tips__param_get_state(params, k, 0, got);
        expect_near(g, params->state_name[k], step, got, count);
    }
    free(got);
}

static void expect_padding_at_zero(const tips_params *params) {
    const tips_param_spec *spec = tips__graph_param(params->graph, 0);
    const int padded = tips__padded(spec->dims[0]);
    for (int i = 0; i < spec->dims[1]; i++)
        for (int o = spec->dims[0]; o < padded; o++) assert_true(params->data[0][i * padded + o] == 0);
}

static void check_case(const golden *g) {
    const golden_record *init = golden_need(g, "init");
    const tips_optimizer_spec spec = golden_optimizer(g);
    tips_learning learning = golden_learning(g);
    tips_graph *graph;
    tips_params *params = make_params(init, &graph);
    expect_ok(tips__optimizer_prepare(spec.optimizer, params));
    for (int step = 0; step < golden_number(g, "steps", 0); step++) {
        set_gradient(params, golden_need(g, "gradients")->f32 + (size_t)step * init->count);
        learning.lr = golden_need(g, "rates")->f32[step];
        learning.step = (uint64_t)step;
        tips__optimizer_step(&spec, params, &learning);
        compare_state(g, params, step, init->count);
    }
    expect_padding_at_zero(params);
    tips__params_destroy(params);
    tips__graph_destroy(graph);
}

static void number_by_number(void **state) {
    (void)state;
    golden g = golden_open("adamw");
    int cases = 0;
    for (; golden_next(&g); cases++) {
        test_case("%s", g.text);
        check_case(&g);
    }
    assert_int_equal(cases, 4);
    golden_close(&g);
}

static void in_a_network(void **state) { (void)state, golden_steps("adamw_aps"); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_by_number),
        cmocka_unit_test(in_a_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
