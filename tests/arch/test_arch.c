/* Architectures: parameter names and counts as published, where the downsampling is, and what is refused. */
#include "arch/arch.h"
#include "graph/params.h"
#include "support/arch_models.h"
#include "task/model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static tips_arch_config config_of(const char *pool, int size, int classes) {
    return arch_config(pool, size, size, classes);
}

static void test_parameter_counts(void **state) {
    static const struct {
        const char *name;
        size_t count;
    } published[] = {{"resnet18", 11689512}, {"resnet34", 21797672}, {"resnet50", 25557032}, {"resnet101", 44549160}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const tips_arch_config config = config_of("max", 224, 1000);
        tips_model model = arch_model(published[i].name, &config, false);
        assert_int_equal(trainable_numbers(model.graph), published[i].count);
        tips__model_destroy(&model);
    }
}

static void test_parameter_names(void **state) {
    static const char *const names[] = {"conv1.weight",
                                        "bn1.running_mean",
                                        "layer1.0.conv1.weight",
                                        "layer2.0.downsample.0.weight",
                                        "layer2.0.downsample.1.bias",
                                        "layer4.1.bn2.weight",
                                        "fc.weight",
                                        "fc.bias"};
    (void)state;
    const tips_arch_config config = config_of("max", 32, 10);
    tips_model model = arch_model("resnet18", &config, false);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (tips__param_find(model.graph, names[i]) < 0) fail_msg("no parameter %s", names[i]);
    assert_int_equal(tips__param_find(model.graph, "layer1.0.downsample.0.weight"), -1);
    tips__model_destroy(&model);
}

/* The names of the nodes that downsample in the main branch, joined. */
static void downsampling(const char *arch, tips_stem stem, int down, char *out, size_t size) {
    tips_arch_config config = config_of("max", 64, 10);
    config.stem = stem;
    config.down = down;
    tips_model model = arch_model(arch, &config, false);
    out[0] = '\0';
    for (int i = 0; i < tips__graph_node_count(model.graph); i++) {
        const tips_node *node = tips__graph_node(model.graph, i);
        int stride[2];
        if (!node->layer->pools || !node->layer->pools(node, stride) || strstr(node->name, "downsample")) continue;
        snprintf(out + strlen(out), size - strlen(out), "%s ", node->name);
    }
    tips__model_destroy(&model);
}

static void test_down(void **state) {
    static const struct {
        const char *arch;
        tips_stem stem;
        int down;
        const char *where;
    } cases[] = {
        {"resnet18", TIPS_STEM_CIFAR, 2, "layer2.0.pool layer3.0.pool "},
        {"resnet18", TIPS_STEM_CIFAR, 0, "layer2.0.pool layer3.0.pool layer4.0.pool "},
        {"resnet18", TIPS_STEM_CIFAR, 4, "layer1.0.pool layer2.0.pool layer3.0.pool layer4.0.pool "},
        {"resnet50", TIPS_STEM_CIFAR, 5, "pool1 layer1.0.pool layer2.0.pool layer3.0.pool layer4.0.pool "},
        {"resnet50", TIPS_STEM_IMAGENET, 2, "layer2.0.pool layer3.0.pool "},
        {"resnet18", TIPS_STEM_IMAGENET, 3, "layer2.0.pool layer3.0.pool layer4.0.pool "},
        {"resnet18", TIPS_STEM_IMAGENET, 4, "pool2 layer2.0.pool layer3.0.pool layer4.0.pool "},
        {"resnet18", TIPS_STEM_IMAGENET, 0, "pool1 pool2 layer2.0.pool layer3.0.pool layer4.0.pool "},
        {"tiny", TIPS_STEM_AUTO, 1, "layer2.0.pool "},
        {"tiny", TIPS_STEM_AUTO, 0, "layer2.0.pool layer3.0.pool "},
        {"tiny", TIPS_STEM_AUTO, 3, "pool1 layer2.0.pool layer3.0.pool "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char where[512];
        downsampling(cases[i].arch, cases[i].stem, cases[i].down, where, sizeof where);
        assert_string_equal(where, cases[i].where);
    }
}

/* Steps come before every operator; behind the stem's maximum there is no second one. */
static void test_steps_before(void **state) {
    static const char *const all[] = {"pool1.max", "pool1.lpf3", "pool2.max", "pool2.lpf3", "layer2.0.pool.max",
                                      "layer2.0.downsample.pool.max", "layer4.0.pool.lpf3"};
    tips_arch_config config = config_of("aps:before=max+lpf3", 64, 10);
    config.stem = TIPS_STEM_IMAGENET;
    tips_model model = arch_model("resnet18", &config, false);
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bool found = false;
        for (int i = 0; i < tips__graph_node_count(model.graph); i++)
            found = found || strcmp(tips__graph_node(model.graph, i)->name, all[k]) == 0;
        if (found == (strcmp(all[k], "pool2.max") == 0)) fail_msg("%s is %s", all[k], found ? "there" : "missing");
    }
    tips__model_destroy(&model);
}

static void refuse(const char *name, tips_arch_config config, const char *text) {
    const tips_arch *arch;
    tips_model model;
    assert_int_equal(tips__arch_find(name, &arch), TIPS_OK);
    const tips_status status = tips__model_create(arch, &config, NULL, false, &model);
    assert_true(status == TIPS_RANGE || status == TIPS_INVALID);
    if (!strstr(tips_last_error(), text)) fail_msg("'%s' does not say '%s'", tips_last_error(), text);
}

static void test_refusals(void **state) {
    (void)state;
    const tips_arch *arch;
    tips_arch_config config = config_of("aps", 32, 10);
    assert_int_equal(tips__arch_find("resnet81", &arch), TIPS_UNKNOWN);
    assert_non_null(strstr(tips_last_error(), "did you mean 'resnet"));
    config.down = 1;
    refuse("resnet18", config, "takes 2..5 downsampling layers, not 1");
    config.down = 4;
    refuse("tiny", config, "takes 1..3 downsampling layers, not 4");
    config.down = 0;
    config.stem = TIPS_STEM_IMAGENET;
    refuse("tiny", config, "cifar stem only");
    refuse("resnet18", config_of("aps", 4, 10), "at least 5x5");
    refuse("resnet18", config_of("aps", 0, 10), "it takes 1..4096");
    refuse("resnet18", config_of("aps", 5000, 10), "it takes 1..4096");
    refuse("resnet18", config_of("aps", 32, 0), "classes of 0");
    config = config_of("aps", 32, 10);
    config.width = 2000;
    refuse("resnet18", config, "it takes 1..1024");
    config.width = 0;
    config.in_channels = 65;
    refuse("resnet18", config, "it takes 1..64");
}

static void test_training_graph(void **state) {
    (void)state;
    const tips_arch *arch;
    tips_model model;
    const tips_arch_config config = config_of("tips-exact", 16, 7);
    assert_int_equal(tips__arch_find("tiny", &arch), TIPS_OK);
    assert_int_equal(tips__model_create(arch, &config, NULL, true, &model), TIPS_OK);
    assert_int_equal(tips__value(model.graph, model.ends.outputs[0])->c, 7);
    assert_int_equal(tips__value(model.graph, model.ends.targets[0])->kind, TIPS_INDEX);
    assert_true(model.ends.loss != TIPS_NO_VALUE);
    tips__model_destroy(&model);
}

/* Strides of the levels, and that each has the map of its stride and the choice that leads to it. */
static void expect_levels(const char *name, const char *pool, int size, int down, const int *strides, int count) {
    tips_arch_config config = config_of(pool, size, 10);
    const tips_arch *arch;
    tips_graph *graph;
    tips_features f;
    config.down = down;
    assert_int_equal(tips__arch_find(name, &arch), TIPS_OK);
    assert_int_equal(tips__arch_resolve(arch, &config), TIPS_OK);
    assert_int_equal(tips__graph_create(&graph), TIPS_OK);
    arch->features(graph, arch, &config, tips__graph_input(graph, "x", 3, size, size), &f);
    assert_int_equal(tips__graph_status(graph), TIPS_OK);
    assert_int_equal(f.count, count);
    assert_int_equal(f.whole, TIPS_NO_VALUE);
    for (int i = 0; i < count; i++) {
        const tips_value_info *map = tips__value(graph, f.levels[i].map);
        const bool chooses = tips__pool_traits(&config.pool) & TIPS_POOL_CHOOSES;
        assert_int_equal(f.levels[i].stride[0], strides[i]);
        assert_int_equal(f.levels[i].stride[1], strides[i]);
        assert_int_equal(map->h, size / strides[i]);
        assert_int_equal(f.levels[i].selection.phase != TIPS_NO_VALUE, chooses && i > 0);
    }
    assert_int_equal(tips__features_last(&f), f.levels[count - 1].map);
    if (strides[1] == 2) assert_ptr_equal(tips__features_at(&f, 2), &f.levels[1]);
    assert_null(tips__features_at(&f, 3));
    tips__graph_destroy(graph);
}

static void test_features(void **state) {
    (void)state;
    expect_levels("resnet18", "aps", 32, 3, (const int[]){1, 2, 4, 8}, 4);
    expect_levels("resnet50", "tips-exact", 128, 5, (const int[]){1, 2, 4, 8, 16, 32}, 6);
    expect_levels("resnet34", "max", 64, 5, (const int[]){1, 2, 4, 8, 16, 32}, 6);
    expect_levels("resnet18", "lps", 128, 4, (const int[]){1, 2, 4, 8, 16}, 5);
    expect_levels("tiny", "aps", 32, 0, (const int[]){1, 2, 4}, 3);
    expect_levels("tiny", "none", 32, 0, (const int[]){1, 1, 1}, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),         cmocka_unit_test(test_steps_before),
        cmocka_unit_test(test_parameter_counts), cmocka_unit_test(test_parameter_names), cmocka_unit_test(test_down),
        cmocka_unit_test(test_refusals),         cmocka_unit_test(test_training_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
