/* Parameters that are set instead of drawn: every number arrives, what is not finite is found, and another graph with
 * the same ones takes them over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <tips/tips.h>

#include "core/memory.h"
#include "graph/params.h"
#include "layer/layers.h"

static tips_graph *graph_of(int size, int out) {
    tips_graph *graph;
    assert_int_equal(tips__graph_create(&graph), TIPS_OK);
    const tips_value x = tips__graph_input(graph, "x", 19, size, size);
    tips__graph_output(graph, tips__conv_same(graph, "conv", x, out, 3, TIPS_PAD_ZERO));
    assert_int_equal(tips__graph_status(graph), TIPS_OK);
    return graph;
}

static float *numbers(size_t count) {
    float *values;
    assert_int_equal(tips__new(&values, count * sizeof *values, "numbers"), TIPS_OK);
    for (size_t i = 0; i < count; i++) values[i] = (float)i;
    return values;
}

static tips_params *set_params(const tips_graph *graph) {
    tips_params *params;
    assert_int_equal(tips__params_create_unset(graph, &params), TIPS_OK);
    for (int i = 0; i < params->count; i++) {
        float *values = numbers(tips__param_elements(tips__graph_param(graph, i)));
        assert_int_equal(tips__param_take(params, i, values), TIPS_OK);
        tips__free(values);
    }
    return params;
}

static void expect_numbers(const tips_params *params) {
    for (int i = 0; i < params->count; i++) {
        const size_t count = tips__param_elements(tips__graph_param(params->graph, i));
        float *got = numbers(count), *expected = numbers(count);
        memset(got, 0, count * sizeof *got);
        tips__param_get(params, i, got);
        assert_memory_equal(got, expected, count * sizeof *got);
        tips__free(got);
        tips__free(expected);
    }
}

/* Outputs that fill no, one or several blocks of whatever size, to the last of them in part. */
static void test_what_is_set_is_there(void **state) {
    (void)state;
    for (int out = 1; out < 70; out += 4) {
        tips_graph *graph = graph_of(5, out);
        tips_params *params = set_params(graph);
        float sum = 0, expected = 0;
        for (size_t i = 0; i < params->total_floats; i++) sum += params->data_arena[i] != 0;
        for (int i = 0; i < params->count; i++)
            expected += (float)tips__param_elements(tips__graph_param(graph, i)) - 1; /* the first number is 0 */
        assert_float_equal(sum, expected, 0); /* and padding too */
        expect_numbers(params);
        tips__params_destroy(params);
        tips__graph_destroy(graph);
    }
}

static void test_what_is_not_finite_is_found(void **state) {
    (void)state;
    tips_graph *graph = graph_of(5, 64);
    tips_params *params = set_params(graph);
    const size_t count = tips__param_elements(tips__graph_param(graph, 0));
    const size_t places[] = {0, 4095, 4096, 8191, 9000, count - 1};
    assert_true(count > 9000);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char expected[64];
        float *values = numbers(count);
        values[places[i]] = i % 2 ? NAN : -INFINITY;
        assert_int_equal(tips__param_take(params, 0, values), TIPS_NUMERIC);
        snprintf(expected, sizeof expected, "number %zu of", places[i]);
        assert_non_null(strstr(tips_last_error(), expected));
        tips__free(values);
    }
    expect_numbers(params);
    tips__params_destroy(params);
    tips__graph_destroy(graph);
}

static void test_another_graph_takes_them_over(void **state) {
    (void)state;
    tips_graph *graph = graph_of(5, 20), *larger_map = graph_of(9, 20), *other = graph_of(5, 21);
    tips_params *params = set_params(graph);
    assert_false(tips__params_move(params, other));
    assert_true(params->graph == graph);
    assert_true(tips__params_move(params, larger_map));
    tips__graph_destroy(graph);
    expect_numbers(params);
    tips__params_destroy(params);
    tips__graph_destroy(larger_map);
    tips__graph_destroy(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_set_is_there),
        cmocka_unit_test(test_what_is_not_finite_is_found),
        cmocka_unit_test(test_another_graph_takes_them_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
