/* Transformers: numbers and names of parameters as published, how operators meet their patches, what is refused. */
#include "arch/arch.h"
#include "graph/params.h"
#include "layer/layers.h"
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
    } published[] = {{"vit_b_16", 86567656}, {"vit_l_16", 304326632}, {"swin_t", 28288354}, {"swin_s", 49606258},
                     {"swin_b", 87768224}};
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        const tips_arch_config config = config_of(i % 2 ? "max" : "stride", 224, 1000);
        tips_model model = arch_model(published[i].name, &config, false);
        size_t sum = 0;
        for (int p = 0; p < tips__graph_param_count(model.graph); p++)
            sum += tips__param_elements(tips__graph_param(model.graph, p));
        assert_int_equal(sum, published[i].count);
        tips__model_destroy(&model);
    }
}

static void expect_shape(const tips_model *model, const char *name, int n_dims, const int *dims) {
    const int id = tips__param_find(model->graph, name);
    if (id < 0) fail_msg("no parameter %s", name);
    const tips_param_spec *spec = tips__graph_param(model->graph, id);
    assert_int_equal(spec->n_dims, n_dims);
    for (int d = 0; d < n_dims; d++) assert_int_equal(spec->dims[d], dims[d]);
}

static void test_parameter_names(void **state) {
    (void)state;
    tips_arch_config config = config_of("aps", 32, 10);
    tips_model model = arch_model("vit_tiny", &config, false);
    expect_shape(&model, "class_token", 3, (const int[]){1, 1, 128});
    expect_shape(&model, "encoder.pos_embedding", 3, (const int[]){1, 65, 128});
    expect_shape(&model, "conv_proj.weight", 4, (const int[]){128, 3, 4, 4});
    expect_shape(&model, "encoder.layers.encoder_layer_5.self_attention.in_proj_weight", 2, (const int[]){384, 128});
    expect_shape(&model, "encoder.layers.encoder_layer_0.self_attention.in_proj_bias", 1, (const int[]){384});
    expect_shape(&model, "encoder.layers.encoder_layer_0.mlp.3.weight", 2, (const int[]){128, 512});
    expect_shape(&model, "heads.head.weight", 2, (const int[]){10, 128});
    tips__model_destroy(&model);
    model = arch_model("swin_tiny", &config, false);
    expect_shape(&model, "features.0.0.weight", 4, (const int[]){48, 3, 2, 2});
    expect_shape(&model, "features.0.2.weight", 1, (const int[]){48});
    expect_shape(&model, "features.1.1.attn.relative_position_bias_table", 2, (const int[]){49, 3});
    expect_shape(&model, "features.3.0.attn.qkv.weight", 2, (const int[]){288, 96});
    expect_shape(&model, "features.4.reduction.weight", 2, (const int[]){192, 384});
    expect_shape(&model, "features.4.norm.bias", 1, (const int[]){384});
    expect_shape(&model, "head.bias", 1, (const int[]){10});
    tips__model_destroy(&model);
}

static const tips_node *find_node(const tips_model *model, const char *name) {
    for (int i = 0; i < tips__graph_node_count(model->graph); i++)
        if (strcmp(tips__graph_node(model->graph, i)->name, name) == 0) return tips__graph_node(model->graph, i);
    return NULL;
}

static int step_of(const tips_model *model, const char *name) {
    const tips_node *node = find_node(model, name);
    assert_non_null(node);
    return ((const tips_conv2d *)node->config)->stride[0];
}

/* A fixed grid is the strided convolution itself, a chosen one is rolled to first, any other follows a dense one. */
static void test_patches(void **state) {
    static const struct {
        const char *pool;
        bool chosen, pooled, masked;
    } cases[] = {{"stride", false, false, true},  {"aps", true, true, false},
                 {"tips-exact", true, true, false}, {"max", false, true, true},
                 {"stride:before=max", false, true, true}, {"aps:choice=channel", false, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tips_arch_config config = config_of(cases[i].pool, 32, 10);
        tips_model model = arch_model("swin_tiny", &config, false);
        const tips_node *attention = find_node(&model, "features.1.1.attn");
        assert_int_equal(find_node(&model, "features.0.roll") != NULL, cases[i].chosen);
        assert_int_equal(find_node(&model, "features.2.roll") != NULL, cases[i].chosen);
        assert_int_equal(find_node(&model, "features.0.anchor") != NULL, cases[i].chosen);
        assert_int_equal(find_node(&model, "features.0.pool") != NULL, cases[i].pooled);
        assert_int_equal(step_of(&model, "features.0.0"), cases[i].pooled && !cases[i].chosen ? 1 : 2);
        assert_int_equal(((const tips_attention *)attention->config)->masked, cases[i].masked);
        assert_int_equal(((const tips_attention *)attention->config)->shift, 2);
        tips__model_destroy(&model);
    }
}

/* The probability of the node of that name to drop, 0 if there is none. */
static double drops(const tips_model *model, const char *name) {
    const tips_node *node = find_node(model, name);
    return node ? ((const tips_dropout *)node->config)->p : 0;
}

static void expect_near(double value, double wanted) { assert_true(value > wanted - 1e-9 && value < wanted + 1e-9); }

/* As torchvision has them: stochastic depth rises to its own at the last block of Swin, a vision transformer has none,
 * and neither has dropout unless asked. */
static void test_own_dropping(void **state) {
    tips_arch_config config = config_of("stride", 32, 10);
    (void)state;
    config.dropout = config.drop_path = -1;
    tips_model model = arch_model("swin_t", &config, true);
    expect_near(drops(&model, "features.1.0.attn.stochastic_depth"), 0);
    expect_near(drops(&model, "features.5.1.attn.stochastic_depth"), 0.2 * 5 / 11);
    expect_near(drops(&model, "features.7.1.mlp.stochastic_depth"), 0.2);
    expect_near(drops(&model, "features.7.1.mlp.4"), 0);
    tips__model_destroy(&model);
    model = arch_model("swin_t", &config, false);
    expect_near(drops(&model, "features.7.1.mlp.stochastic_depth"), 0);
    tips__model_destroy(&model);
    model = arch_model("vit_tiny", &config, true);
    assert_null(find_node(&model, "encoder.dropout"));
    expect_near(drops(&model, "encoder.layers.encoder_layer_5.mlp.stochastic_depth"), 0);
    tips__model_destroy(&model);
}

static void test_asked_dropping(void **state) {
    tips_arch_config config = config_of("tips-exact", 32, 10);
    (void)state;
    config.dropout = 0.1;
    config.drop_path = 0.5;
    tips_model model = arch_model("vit_tiny", &config, true);
    expect_near(drops(&model, "encoder.dropout"), 0.1);
    expect_near(drops(&model, "encoder.layers.encoder_layer_0.dropout"), 0.1);
    expect_near(drops(&model, "encoder.layers.encoder_layer_0.mlp.2"), 0.1);
    expect_near(drops(&model, "encoder.layers.encoder_layer_3.mlp.4"), 0.1);
    expect_near(drops(&model, "encoder.layers.encoder_layer_1.self_attention.stochastic_depth"), 0.1);
    expect_near(drops(&model, "encoder.layers.encoder_layer_5.mlp.stochastic_depth"), 0.5);
    tips__model_destroy(&model);
    model = arch_model("swin_tiny", &config, true);
    expect_near(drops(&model, "features.3.0.attn.dropout"), 0.1);
    expect_near(drops(&model, "features.5.1.attn.stochastic_depth"), 0.5);
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
    tips_arch_config config = config_of("aps", 32, 10);
    refuse("vit_tiny", config_of("aps", 30, 10), "patches of 4x4, which do not divide 30x30");
    refuse("swin_t", config_of("aps", 30, 10), "patches of 4x4, which do not divide 30x30");
    refuse("vit_b_16", config_of("none", 32, 10), "does not downsample");
    config.width = 40;
    refuse("vit_tiny", config, "heads of 32 channels");
    refuse("swin_tiny", config, "heads of 16 channels");
    config.width = 0;
    config.down = 2;
    refuse("vit_tiny", config, "downsamples once");
    refuse("swin_tiny", config, "has 3 downsampling layers");
    config.down = 0;
    config.stem = TIPS_STEM_IMAGENET;
    refuse("swin_tiny", config, "cifar stem only");
    config.stem = TIPS_STEM_AUTO;
    config.depth = 0.5;
    refuse("swin_tiny", config, "no multiplier of its depth");
    refuse("vit_tiny", config, "no multiplier of its depth");
    config.depth = 0;
    assert_int_equal(tips__norm_parse("batch:0.5", &config.norm), TIPS_OK);
    refuse("swin_tiny", config, "layer norms of its own");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parameter_counts), cmocka_unit_test(test_parameter_names),
                                       cmocka_unit_test(test_patches), cmocka_unit_test(test_own_dropping),
                                       cmocka_unit_test(test_asked_dropping), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
