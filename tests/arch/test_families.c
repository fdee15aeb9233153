/* The families beside ResNets: parameter counts as published, names as torchvision has them, where they downsample, and
 * what is refused. */
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
        int size, classes;
    } published[] = {{"mobilenet_v1", 4231976, 224, 1000},       {"mobilenet_v1", 3217226, 32, 10},
                     {"mobilenet_v2", 3504872, 224, 1000},       {"mobilenet_v3_large", 5483032, 224, 1000},
                     {"mobilenet_v3_small", 2542856, 224, 1000}, {"vgg11", 132863336, 224, 1000},
                     {"vgg13_bn", 133053736, 224, 1000},         {"vgg16", 138357544, 224, 1000},
                     {"vgg19", 143667240, 224, 1000},            {"vgg19_bn", 143678248, 224, 1000},
                     {"densenet121", 7978856, 224, 1000},        {"densenet169", 14149480, 224, 1000},
                     {"densenet201", 20013928, 224, 1000},       {"densenet_bc_250_24", 15324406, 32, 10},
                     {"efficientnet_b0", 5288548, 224, 1000},    {"efficientnet_b1", 7794184, 224, 1000},
                     {"efficientnet_b2", 9109994, 224, 1000},    {"efficientnet_b3", 12233232, 224, 1000},
                     {"efficientnet_b4", 19341616, 224, 1000},   {"efficientnet_b5", 30389784, 224, 1000},
                     {"efficientnet_b6", 43040704, 224, 1000},   {"efficientnet_b7", 66347960, 224, 1000},
                     {"efficientnet_b7", 63812570, 32, 10}};
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const tips_arch_config config = config_of("stride", published[i].size, published[i].classes);
        tips_model model = arch_model(published[i].name, &config, false);
        if (trainable_numbers(model.graph) != published[i].count)
            fail_msg("%s has %zu parameters, not %zu", published[i].name, trainable_numbers(model.graph),
                     published[i].count);
        tips__model_destroy(&model);
    }
}

/* Of the nodes that downsample, joined. */
static void downsampling(const char *arch, const char *pool, tips_stem stem, int down, char *out, size_t size) {
    tips_arch_config config = config_of(pool, 64, 10);
    config.stem = stem;
    config.down = down;
    config.head = TIPS_HEAD_GAP;
    tips_model model = arch_model(arch, &config, false);
    out[0] = '\0';
    for (int i = 0; i < tips__graph_node_count(model.graph); i++) {
        const tips_node *node = tips__graph_node(model.graph, i);
        int stride[2];
        if (node->layer->pools && node->layer->pools(node, stride))
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
        {"mobilenet_v1", TIPS_STEM_CIFAR, 0, "blocks.2.0.pool blocks.3.0.pool blocks.4.0.pool "},
        {"mobilenet_v1", TIPS_STEM_CIFAR, 2, "blocks.2.0.pool blocks.3.0.pool "},
        {"mobilenet_v1", TIPS_STEM_CIFAR, 4, "blocks.1.0.pool blocks.2.0.pool blocks.3.0.pool blocks.4.0.pool "},
        {"mobilenet_v1", TIPS_STEM_IMAGENET, 0,
         "pool blocks.1.0.pool blocks.2.0.pool blocks.3.0.pool blocks.4.0.pool "},
        {"mobilenet_v2", TIPS_STEM_IMAGENET, 0,
         "features.0.pool features.2.conv.1.pool features.4.conv.1.pool features.7.conv.1.pool "
         "features.14.conv.1.pool "},
        {"mobilenet_v2", TIPS_STEM_CIFAR, 0,
         "features.4.conv.1.pool features.7.conv.1.pool features.14.conv.1.pool "},
        {"mobilenet_v3_large", TIPS_STEM_CIFAR, 0,
         "features.4.block.1.pool features.7.block.1.pool features.13.block.1.pool "},
        {"mobilenet_v3_small", TIPS_STEM_IMAGENET, 0,
         "features.0.pool features.1.block.0.pool features.2.block.1.pool features.4.block.1.pool "
         "features.9.block.1.pool "},
        {"vgg11", TIPS_STEM_CIFAR, 0, "features.2.pool features.5.pool features.10.pool features.15.pool "},
        {"vgg11_bn", TIPS_STEM_CIFAR, 2, "features.3.pool features.7.pool "},
        {"vgg11_bn", TIPS_STEM_IMAGENET, 0,
         "features.3.pool features.7.pool features.14.pool features.21.pool features.28.pool "},
        {"densenet121", TIPS_STEM_CIFAR, 0,
         "features.transition1.pool features.transition2.pool features.transition3.pool "},
        {"densenet121", TIPS_STEM_CIFAR, 2, "features.transition1.pool features.transition2.pool "},
        {"densenet121", TIPS_STEM_IMAGENET, 0,
         "features.conv0.pool features.pool0.pool features.transition1.pool features.transition2.pool "
         "features.transition3.pool "},
        {"densenet_bc_40_12", TIPS_STEM_AUTO, 0, "features.transition1.pool features.transition2.pool "},
        {"densenet_bc_40_12", TIPS_STEM_AUTO, 3,
         "features.conv0.pool features.transition1.pool features.transition2.pool "},
        {"efficientnet_b0", TIPS_STEM_CIFAR, 0,
         "features.3.0.block.1.pool features.4.0.block.1.pool features.6.0.block.1.pool "},
        {"efficientnet_b0", TIPS_STEM_IMAGENET, 5,
         "features.0.pool features.2.0.block.1.pool features.3.0.block.1.pool features.4.0.block.1.pool "
         "features.6.0.block.1.pool "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char where[512];
        downsampling(cases[i].arch, "aps", cases[i].stem, cases[i].down, where, sizeof where);
        if (strcmp(where, cases[i].where) != 0) fail_msg("%s: %s, not %s", cases[i].arch, where, cases[i].where);
    }
}

static bool has_node(const tips_graph *graph, const char *name) {
    for (int i = 0; i < tips__graph_node_count(graph); i++)
        if (strcmp(tips__graph_node(graph, i)->name, name) == 0) return true;
    return false;
}

/* In the place of max pooling every operator but max stands behind the maximum, once; in the place of a mean, the plain
 * grid stands behind the mean. */
static void test_stand_ins(void **state) {
    static const struct {
        const char *arch, *pool, *node;
        bool there;
    } cases[] = {{"vgg11", "aps", "features.2.pool.max", true},
                 {"vgg11", "stride", "features.2.pool.max", true},
                 {"vgg11", "max", "features.2.pool.max", false},
                 {"vgg11", "tips-exact", "features.2.pool.max", true},
                 {"vgg11", "tips-exact", "features.2.pool.max.2", false},
                 {"densenet_bc_40_12", "stride", "features.transition1.pool.avg", true},
                 {"densenet_bc_40_12", "avg", "features.transition1.pool.avg", false},
                 {"densenet_bc_40_12", "aps", "features.transition1.pool.avg", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tips_arch_config config = config_of(cases[i].pool, 32, 10);
        tips_model model = arch_model(cases[i].arch, &config, false);
        if (has_node(model.graph, cases[i].node) != cases[i].there)
            fail_msg("%s with %s: %s is %s", cases[i].arch, cases[i].pool, cases[i].node,
                     cases[i].there ? "missing" : "there");
        tips__model_destroy(&model);
    }
}

/* Dropout and stochastic depth are in networks that train, as the family has them or as the config says. */
static void test_dropping(void **state) {
    tips_arch_config config = config_of("max", 32, 10);
    (void)state;
    config.dropout = config.drop_path = -1;
    tips_model model = arch_model("efficientnet_b0", &config, true);
    assert_true(has_node(model.graph, "classifier.0") && has_node(model.graph, "features.2.1.stochastic_depth"));
    tips__model_destroy(&model);
    model = arch_model("efficientnet_b0", &config, false);
    assert_false(has_node(model.graph, "classifier.0") || has_node(model.graph, "features.2.1.stochastic_depth"));
    tips__model_destroy(&model);
    config.dropout = config.drop_path = 0;
    model = arch_model("efficientnet_b0", &config, true);
    assert_false(has_node(model.graph, "classifier.0") || has_node(model.graph, "features.2.1.stochastic_depth"));
    tips__model_destroy(&model);
}

/* Factors: a quarter of the width is a sixteenth of the work, and depth counts blocks. */
static void test_factors(void **state) {
    tips_arch_config config = config_of("max", 32, 10);
    (void)state;
    config.width = 8;
    tips_model model = arch_model("mobilenet_v2", &config, false);
    assert_int_equal(tips__graph_param(model.graph, tips__param_find(model.graph, "features.4.conv.2.weight"))->dims[0],
                     8);
    assert_int_equal(tips__graph_param(model.graph, tips__param_find(model.graph, "features.18.0.weight"))->dims[0],
                     1280);
    tips__model_destroy(&model);
    config.depth = 0.5;
    model = arch_model("efficientnet_b0", &config, false);
    assert_true(has_node(model.graph, "features.6.1.block.1.0") && !has_node(model.graph, "features.6.2.block.1.0"));
    tips__model_destroy(&model);
}

static void refuse_for(const char *name, tips_arch_config config, bool training, const char *text) {
    const tips_arch *arch;
    tips_model model;
    assert_int_equal(tips__arch_find(name, &arch), TIPS_OK);
    const tips_status status = tips__model_create(arch, &config, NULL, training, &model);
    assert_true(status == TIPS_RANGE || status == TIPS_INVALID);
    if (!strstr(tips_last_error(), text)) fail_msg("'%s' does not say '%s'", tips_last_error(), text);
}

static void refuse(const char *name, tips_arch_config config, const char *text) {
    refuse_for(name, config, false, text);
}

/* What a family has no place for is refused in training, and nobody's business elsewhere. */
static void test_dropping_refused(void **state) {
    tips_arch_config config = config_of("max", 32, 10);
    (void)state;
    config.dropout = 0.3;
    refuse_for("resnet18", config, true, "resnet18 in this form has no dropout: --dropout 0.3");
    refuse_for("vgg11", config, true, "no dropout"); /* with the map's mean */
    config.dropout = -1;
    config.drop_path = 0.2;
    refuse_for("mobilenet_v2", config, true, "mobilenet_v2 has no stochastic depth: --drop-path 0.2");
    tips_model model = arch_model("mobilenet_v2", &config, false);
    tips__model_destroy(&model);
}

/* Every size that torchvision takes: the last map is averaged to 7x7, from windows that may overlap. */
static void test_vgg_sizes(void **state) {
    static const int sizes[][2] = {{64, 64}, {97, 130}, {160, 160}, {224, 224}, {256, 320}, {32, 32}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tips_arch_config config = config_of("max", 32, 10);
        config.width = 4;
        config.stem = TIPS_STEM_IMAGENET;
        config.head = TIPS_HEAD_OWN;
        memcpy(config.size, sizes[i], sizeof config.size);
        tips_model model = arch_model("vgg11", &config, false);
        const tips_value_info *out = tips__value(model.graph, model.ends.outputs[0]);
        if (out->c != 10 || out->h != 1) fail_msg("%dx%d: %d outputs", sizes[i][0], sizes[i][1], out->c);
        tips__model_destroy(&model);
    }
}

static void test_refusals(void **state) {
    tips_arch_config config = config_of("aps", 32, 10);
    (void)state;
    config.depth = 2;
    refuse("vgg11", config, "no multiplier of its depth");
    refuse("mobilenet_v2", config, "no multiplier of its depth");
    refuse("resnet18", config, "no multiplier of its depth");
    config.depth = 0;
    config.down = 1;
    refuse("mobilenet_v1", config, "takes 2..5 downsampling layers");
    config.down = 6;
    refuse("densenet121", config, "takes 2..4 downsampling layers");
    config = config_of("aps", 32, 10);
    config.stem = TIPS_STEM_IMAGENET;
    refuse("densenet_bc_40_12", config, "cifar stem only");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameter_counts), cmocka_unit_test(test_down),      cmocka_unit_test(test_stand_ins),
        cmocka_unit_test(test_dropping),         cmocka_unit_test(test_factors),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_dropping_refused), cmocka_unit_test(test_vgg_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
