/* The counts behind `tips bench` and `tips cost`, and that a step allocates nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "count_malloc.h"
#include "layer/layers.h"
#include "bench/bench_pools.h"
#include "bench/bench_step.h"
#include "bench/cost.h"
#include "bench/machine.h"
#include "core/name_list.h"
#include "core/timing.h"

static void expect_names(const char *list, const char *const *names) {
    char name[64];
    bool more = true;
    for (const char *rest = list; more;) {
        assert_int_equal(tips__name_list_next(&rest, name, sizeof name, &more), TIPS_OK);
        if (more) assert_string_equal(name, *names++);
    }
    assert_null(*names);
}

static void test_lists_split_between_operators(void **state) {
    (void)state;
    expect_names("", (const char *const[]){NULL});
    expect_names("max", (const char *const[]){"max", NULL});
    expect_names("max,tips:psi=full,fm=band,aps:p=inf,none",
                 (const char *const[]){"max", "tips:psi=full,fm=band", "aps:p=inf", "none", NULL});
    expect_names("tips,fm=band", (const char *const[]){"tips,fm=band", NULL});
    assert_int_equal(tips__name_list_count("max,tips:psi=full,fm=band,aps"), 3);
}

static void test_broken_lists_are_refused(void **state) {
    (void)state;
    const char *const broken[] = {",max", "max,", ",", "a-name-that-is-too-long"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char name[16];
        bool more;
        const char *rest = broken[i];
        assert_int_equal(tips__name_list_next(&rest, name, sizeof name, &more), TIPS_INVALID);
    }
}

static void test_quantiles(void **state) {
    (void)state;
    double one[] = {3}, many[] = {5, 1, 4, 2, 3};
    assert_float_equal(tips__quantile(one, 1, 0.9), 3, 0);
    assert_float_equal(tips__quantile(many, 5, 0.5), 3, 0);
    assert_float_equal(tips__quantile(many, 5, 0.0), 1, 0);
    assert_float_equal(tips__quantile(many, 5, 1.0), 5, 0);
    assert_float_equal(tips__quantile(many, 5, 0.1), 1.4, 1e-12);
}

static void test_border_of_a_convolution(void **state) {
    (void)state;
    tips_graph *graph;
    assert_int_equal(tips__graph_create(&graph), TIPS_OK);
    const tips_value x = tips__graph_input(graph, "x", 2, 4, 5);
    tips__conv_same(graph, "conv", x, 3, 3, TIPS_PAD_CIRCULAR);
    assert_int_equal(tips__graph_status(graph), TIPS_OK);
    /* Of 3 taps on an axis of n cells, 3n - 2 lie inside. */
    assert_float_equal(tips__graph_multiply_adds(graph), 6 * 9 * 20, 0);
    assert_float_equal(tips__border_multiply_adds(graph), 6 * (9 * 20 - 10 * 13), 0);
    assert_float_equal(tips__graph_activation_bytes(graph), 4 * (2 + 3) * 20, 0);
    tips__graph_destroy(graph);
}

static tips_model_options network(const char *arch, const char *pool) {
    return (tips_model_options){.arch = arch, .pool = pool, .padding = TIPS_PAD_CIRCULAR, .size = {32, 32},
                                .classes = 10, .channels = 3, .seed = 1};
}

static void test_published_parameter_counts(void **state) {
    (void)state;
    tips_cost_config config = {.model = network("resnet18,resnet34,resnet50,resnet101", "max"), .batch = 1};
    config.model.size[0] = config.model.size[1] = 224;
    config.model.classes = 1000;
    tips_cost_result result;
    assert_int_equal(tips__cost(&config, &result), TIPS_OK);
    const size_t expected[] = {11689512, 21797672, 25557032, 44549160};
    assert_int_equal(result.count, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(result.rows[i].parameters, expected[i]);
    tips__cost_clear(&result);
}

static void test_cost_of_operators(void **state) {
    (void)state;
    const tips_cost_config config = {.model = network("tiny", "max,tips:psi=depthwise,fm=band,none"), .batch = 2,
                                     .memory = true, .time = true};
    tips_cost_result r;
    assert_int_equal(tips__cost(&config, &r), TIPS_OK);
    assert_int_equal(r.count, 3);
    assert_string_equal(r.rows[1].pool, "tips:psi=depthwise,fm=band");
    assert_true(r.rows[0].added == 0 && r.rows[1].added > 0 && r.rows[2].added == 0);
    assert_true(r.rows[2].multiply_adds > r.rows[0].multiply_adds);
    for (int i = 0; i < r.count; i++)
        assert_true(r.rows[i].inference_arena > 0 && r.rows[i].training_arena > 0 && r.rows[i].seconds_per_image > 0);
    tips__cost_clear(&r);
}

/* The paper's max networks are these: their parameters agree to the digits it prints. */
static void test_paper_costs(void **state) {
    static const struct {
        const char *arch, *backbone;
        size_t parameters;
    } counted[] = {{"resnet34", NULL, 21282122},
                   {"resnet50", NULL, 23520842},
                   {"resnet101", NULL, 42520650},
                   {"densenet_bc_250_24", NULL, 15324406},
                   {"efficientnet_b7", NULL, 63812570},
                   {"unet", "resnet18", 7762465},
                   {"deeplabv3plus", "resnet101", 58630483}};
    (void)state;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        tips_cost_config config = {.model = network(counted[i].arch, "max,tips-exact"), .batch = 1};
        tips_cost_result r;
        config.model.size[0] = config.model.size[1] = 224;
        config.model.classes = counted[i].backbone ? 21 : 1000;
        config.model.backbone = counted[i].backbone;
        assert_int_equal(tips__cost(&config, &r), TIPS_OK);
        assert_int_equal(r.rows[0].paper_form, counted[i].parameters);
        assert_float_equal(r.rows[0].paper->parameters, 1e-6 * (double)counted[i].parameters, 0.2);
        assert_string_equal(r.rows[1].paper->pool, "tips");
        tips__cost_clear(&r);
    }
}

static void test_cost_of_everything(void **state) {
    (void)state;
    const tips_cost_config config = {.model = network("all", "max,none-such"), .batch = 1};
    tips_cost_config all = config;
    tips_cost_result r;
    assert_int_not_equal(tips__cost(&config, &r), TIPS_OK);
    all.model.pool = "max,aps";
    assert_int_equal(tips__cost(&all, &r), TIPS_OK);
    int archs = 0;
    while (tips__archs[archs]) archs++;
    assert_int_equal(r.count, 2 * archs);
    for (int i = 0; i < r.count; i++) {
        assert_string_equal(r.rows[i].arch, tips__archs[i / 2]->name);
        assert_true(r.rows[i].parameters > 0 && r.rows[i].multiply_adds > 0);
        if (r.rows[i].paper) assert_non_null(r.rows[i].paper_network);
    }
    tips__cost_clear(&r);
}

static tips_bench_step_config step_config(const char *pool, int mode) {
    return (tips_bench_step_config){.model = network("tiny", pool), .batch = 3, .mode = mode, .steps = 2, .warmup = 1,
                                    .layers = true, .replay = true,
                                    .malloc_count = cli_malloc_is_counted() ? cli_malloc_count : NULL};
}

static void test_steps_allocate_nothing(void **state) {
    (void)state;
    for (const tips_pool *const *pool = tips__pools; *pool; pool++) {
        for (int mode = 0; mode < 2; mode++) {
            const tips_bench_step_config config = step_config((*pool)->layer.name, mode);
            tips_bench_step_result r;
            assert_int_equal(tips__bench_step(&config, &r), TIPS_OK);
            assert_int_equal(r.allocations_second_step, 0);
            assert_true(r.images_per_second > 0 && r.images_per_second_low <= r.images_per_second_high);
            assert_true(r.gflops > 0 && r.peak_gflops > 0 && r.peak_resident_mb > 0 && r.arena_mb > 0);
            assert_true(r.n_layers > 5 && r.extra_multiply_adds > 0 && r.extra_multiply_adds < 0.5);
            tips__bench_step_clear(&r);
        }
    }
}

static void test_the_reference_engine_only_infers(void **state) {
    (void)state;
    tips_bench_step_config config = step_config("max", 1);
    config.engine = TIPS_ENGINE_REF;
    tips_bench_step_result r;
    assert_int_equal(tips__bench_step(&config, &r), TIPS_OK);
    tips__bench_step_clear(&r);
    config.mode = 0;
    assert_int_equal(tips__bench_step(&config, &r), TIPS_INVALID);
}

static void test_operators_alone(void **state) {
    (void)state;
    tips_bench_pools_config config = {.padding = TIPS_PAD_CIRCULAR, .batch = 2, .channels = 20, .size = {9, 8},
                                      .stride = {3, 2}, .steps = 2, .seed = 1};
    tips_bench_pools_result r;
    assert_int_equal(tips__bench_pools(&config, &r), TIPS_OK);
    assert_true(r.count > 8 && r.bandwidth_gbs > 0);
    for (int i = 0; i < r.count; i++) assert_true(r.pools[i].forward_gbs > 0 && r.pools[i].backward_gbs > 0);
    tips__bench_pools_clear(&r);
    config.pools = "max,none";
    assert_int_equal(tips__bench_pools(&config, &r), TIPS_INVALID);
    config.pools = "";
    assert_int_equal(tips__bench_pools(&config, &r), TIPS_INVALID);
}

static void test_allocations_are_counted(void **state) {
    (void)state;
    if (!cli_malloc_is_counted()) skip();
    const uint64_t before = cli_malloc_count();
    void *volatile memory = malloc(100);
    memory = realloc(memory, 200);
    free(memory);
    assert_true(cli_malloc_count() - before >= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_split_between_operators), cmocka_unit_test(test_broken_lists_are_refused),
        cmocka_unit_test(test_quantiles),                     cmocka_unit_test(test_border_of_a_convolution),
        cmocka_unit_test(test_published_parameter_counts),    cmocka_unit_test(test_cost_of_operators),
        cmocka_unit_test(test_paper_costs),                   cmocka_unit_test(test_cost_of_everything),
        cmocka_unit_test(test_steps_allocate_nothing),        cmocka_unit_test(test_the_reference_engine_only_infers),
        cmocka_unit_test(test_operators_alone),               cmocka_unit_test(test_allocations_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
