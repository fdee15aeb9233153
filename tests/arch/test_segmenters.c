/* Networks for segmentation: parameter counts and names of the implementations in use, sizes, what auto stands for, and
 * what is refused. */
#include "arch/arch.h"
#include "graph/params.h"
#include "layer/layers.h"
#include "support/arch_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static tips_arch_config config_of(const char *backbone, const char *pool, int height, int width) {
    tips_arch_config config = arch_config(pool, height, width, 2);
    assert_int_equal(tips__arch_find(backbone, &config.backbone), TIPS_OK);
    return config;
}

static tips_model create(const char *name, const tips_arch_config *config) { return arch_model(name, config, true); }

static void test_parameter_counts(void **state) {
    static const struct {
        const char *name, *backbone;
        int classes;
        size_t count;
    } published[] = {{"unet", "resnet18", 2, 14328354},
                     {"unet", "resnet34", 2, 24436514},
                     {"deeplabv3plus", "resnet18", 21, 16017845},
                     {"deeplabv3plus", "resnet101", 19, 58753459},
                     {"deeplabv3", "resnet101", 21, 58630997},
                     {"deeplabv3", "resnet50", 21, 39638869},
                     {"fcn", "resnet50", 21, 32957013}};
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        tips_arch_config config = config_of(published[i].backbone, "stride", 96, 96);
        config.classes = published[i].classes;
        tips_model model = create(published[i].name, &config);
        if (trainable_numbers(model.graph) != published[i].count)
            fail_msg("%s on %s has %zu parameters, not %zu", published[i].name, published[i].backbone,
                     trainable_numbers(model.graph), published[i].count);
        tips__model_destroy(&model);
    }
}

static bool has_param(const tips_graph *graph, const char *name) {
    for (int i = 0; i < tips__graph_param_count(graph); i++)
        if (strcmp(tips__graph_param(graph, i)->name, name) == 0) return true;
    return false;
}

/* Without a backbone: 64 wide for pictures with two classes, and 32 wide for one channel and one class. */
static void test_plain(void **state) {
    static const int widths[] = {0, 32}, channels[] = {3, 1}, classes[] = {2, 1};
    static const size_t counts[] = {31037698, 7762465};
    static const char *const names[] = {"inc.double_conv.0.weight",
                                        "inc.double_conv.4.running_var",
                                        "down1.maxpool_conv.1.double_conv.1.bias",
                                        "down4.maxpool_conv.1.double_conv.3.weight",
                                        "up1.up.weight",
                                        "up4.up.bias",
                                        "up1.conv.double_conv.0.weight",
                                        "outc.conv.bias"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        tips_arch_config config = arch_config("max", 64, 48, classes[i]);
        config.width = widths[i];
        config.in_channels = channels[i];
        tips_model model = create("unet-plain", &config);
        assert_int_equal(trainable_numbers(model.graph), counts[i]);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!has_param(model.graph, names[k])) fail_msg("unet_plain has no %s", names[k]);
        const int up = tips__param_find(model.graph, "up1.up.weight");
        assert_int_equal(tips__graph_param(model.graph, up)->dims[0], 2 * tips__graph_param(model.graph, up)->dims[1]);
        tips__model_destroy(&model);
    }
}

static void test_names(void **state) {
    static const struct {
        const char *network, *names[6];
    } wanted[] = {
        {"unet",
         {"encoder.layer4.1.bn2.running_var", "decoder.blocks.0.conv1.0.weight", "decoder.blocks.4.conv2.1.bias",
          "segmentation_head.0.weight", "segmentation_head.0.bias"}},
        {"deeplabv3plus",
         {"backbone.conv1.weight", "classifier.project.0.weight", "classifier.aspp.convs.3.0.weight",
          "classifier.aspp.convs.4.2.weight", "classifier.aspp.project.1.bias", "classifier.classifier.3.bias"}},
        {"deeplabv3",
         {"backbone.layer1.0.conv1.weight", "classifier.0.convs.0.0.weight", "classifier.0.convs.4.1.weight",
          "classifier.0.project.0.weight", "classifier.1.weight", "classifier.4.bias"}},
        {"fcn", {"backbone.bn1.weight", "classifier.0.weight", "classifier.1.running_mean", "classifier.4.weight"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const tips_arch_config config = config_of("resnet18", "stride", 128, 96);
        tips_model model = create(wanted[i].network, &config);
        for (int k = 0; k < 6 && wanted[i].names[k]; k++)
            if (!has_param(model.graph, wanted[i].names[k]))
                fail_msg("%s has no %s", wanted[i].network, wanted[i].names[k]);
        tips__model_destroy(&model);
    }
}

/* Logits have the size of the input, whether strides divide it or not, and training reaches every parameter. */
static void test_sizes(void **state) {
    static const char *const networks[] = {"unet", "deeplabv3plus", "deeplabv3", "fcn"};
    static const char *const pools[] = {"max", "aps", "lps", "tips-exact", "none"};
    static const char *const backbones[] = {"resnet18", "resnet50", "mobilenet_v2", "vgg11_bn", "densenet_bc_40_12"};
    static const int sizes[][2] = {{64, 64}, {48, 32}, {50, 75}, {72, 100}};
    (void)state;
    for (size_t i = 0; i < 4 * 5; i++)
        for (int up = TIPS_UP_AUTO; up <= TIPS_UP_PLAIN_TRANSPOSE; up++) {
            const int *size = sizes[(i + (size_t)up) % 4];
            const char *backbone = i % 4 == 0 ? backbones[i / 4] : "resnet18";
            tips_arch_config config = config_of(backbone, pools[i % 5], size[0], size[1]);
            config.width = 8;
            config.up = (tips_up)up;
            tips_model model = create(networks[i % 4], &config);
            const tips_value_info *logits = tips__value(model.graph, model.ends.outputs[0]);
            if (logits->c != 2 || logits->h != size[0] || logits->w != size[1])
                fail_msg("%s on %s, %dx%d: logits of %dx%dx%d", networks[i % 4], backbone, size[0], size[1], logits->c,
                         logits->h, logits->w);
            tips__model_destroy(&model);
        }
}

static tips_arch_config resolved(const char *name, tips_arch_config config) {
    const tips_arch *arch;
    assert_int_equal(tips__arch_find(name, &arch), TIPS_OK);
    if (tips__arch_resolve(arch, &config) != TIPS_OK) fail_msg("%s: %s", name, tips_last_error());
    const tips_arch_config once = config;
    assert_int_equal(tips__arch_resolve(arch, &config), TIPS_OK);
    assert_memory_equal(&once, &config, sizeof once);
    return config;
}

static void test_what_auto_stands_for(void **state) {
    (void)state;
    assert_int_equal(resolved("unet", config_of("resnet18", "max", 96, 96)).up, TIPS_UP_NEAREST);
    assert_int_equal(resolved("deeplabv3plus", config_of("resnet18", "blur", 96, 96)).up, TIPS_UP_BILINEAR);
    assert_int_equal(resolved("unet", config_of("resnet18", "tips-exact", 96, 96)).up, TIPS_UP_INSERT);
    assert_int_equal(resolved("fcn", config_of("resnet18", "lps", 96, 96)).up, TIPS_UP_INSERT);
    tips_arch_config none = config_of("resnet18", "max", 96, 96);
    none.backbone = NULL;
    assert_string_equal(resolved("unet", none).backbone->name, "resnet18");
}

static void expect_stride(const char *name, int size, int given, int stride, int atrous) {
    tips_arch_config config = config_of("resnet50", "max", size, size);
    config.output_stride = given;
    config = resolved(name, config);
    if (config.output_stride != stride || config.atrous != atrous)
        fail_msg("%s at %d, asked for %d: stride %d with %d atrous stages", name, size, given, config.output_stride,
                 config.atrous);
}

static void test_output_strides(void **state) {
    (void)state;
    expect_stride("deeplabv3plus", 128, 0, 16, 1);
    expect_stride("deeplabv3plus", 128, 8, 8, 2);
    expect_stride("deeplabv3plus", 128, 32, 32, 0);
    expect_stride("deeplabv3", 128, 0, 8, 2);
    expect_stride("fcn", 128, 16, 16, 1);
    expect_stride("deeplabv3plus", 64, 0, 8, 0); /* the cifar stem goes no deeper */
    expect_stride("deeplabv3plus", 64, 4, 4, 1);
}

/* The first block of an atrous stage keeps the dilation before it, the others have twice that. */
static void test_dilations(void **state) {
    static const struct {
        const char *node;
        int dilation;
    } wanted[] = {{"backbone.layer2.1.conv2", 1}, {"backbone.layer3.0.conv2", 1}, {"backbone.layer3.1.conv2", 2},
                  {"backbone.layer4.0.conv2", 2}, {"backbone.layer4.2.conv2", 4}, {"backbone.layer4.2.conv1", 1},
                  {"classifier.0.convs.1.0", 12}, {"classifier.0.convs.3.0", 36}};
    (void)state;
    const tips_arch_config config = config_of("resnet50", "stride", 128, 128);
    tips_model model = create("deeplabv3", &config);
    size_t seen = 0;
    for (int i = 0; i < tips__graph_node_count(model.graph); i++) {
        const tips_node *node = tips__graph_node(model.graph, i);
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
            if (node->layer != &tips__layer_conv2d || strcmp(node->name, wanted[k].node) != 0) continue;
            const tips_conv2d *conv = node->config;
            if (conv->dilation[0] != wanted[k].dilation || conv->stride[0] != 1)
                fail_msg("%s: dilation %d, stride %d", node->name, conv->dilation[0], conv->stride[0]);
            seen++;
        }
    }
    assert_int_equal(seen, sizeof wanted / sizeof *wanted);
    tips__model_destroy(&model);
}

static void expect_refusal(const char *name, const tips_arch_config *config, const char *text) {
    tips_model model;
    assert_int_not_equal(try_arch_model(name, config, true, &model), TIPS_OK);
    if (!strstr(tips_last_error(), text)) fail_msg("'%s' does not say '%s'", tips_last_error(), text);
}

static void test_refusals(void **state) {
    (void)state;
    tips_arch_config config = config_of("mobilenet_v2", "max", 128, 128);
    expect_refusal("deeplabv3plus", &config, "output stride of 32");
    config = config_of("resnet18", "max", 128, 128);
    config.output_stride = 12;
    expect_refusal("fcn", &config, "output stride of 32, 16 or 8, not 12");
    config.output_stride = 8;
    expect_refusal("unet", &config, "--down");
    config = config_of("vit_tiny", "max", 32, 32);
    expect_refusal("unet", &config, "vit_tiny cannot be the backbone");
    config = config_of("unet", "max", 32, 32);
    expect_refusal("unet", &config, "unet cannot be the backbone");
    config = config_of("resnet18", "max", 32, 32);
    config.classes = 300;
    expect_refusal("unet", &config, "at most 255");
    /* A backbone alone has no decoder, and a segmenter no classifier. */
    const tips_arch *arch;
    tips_task_spec task;
    tips_model model;
    config = config_of("resnet18", "max", 32, 32);
    assert_int_equal(tips__arch_find("unet", &arch), TIPS_OK);
    assert_int_not_equal(tips__model_create(arch, &config, NULL, false, &model), TIPS_OK);
    assert_non_null(strstr(tips_last_error(), "--task segment"));
    config.backbone = NULL;
    assert_int_equal(tips__arch_find("resnet18", &arch), TIPS_OK);
    assert_int_equal(tips__task_parse("segment", &task), TIPS_OK);
    assert_int_not_equal(tips__model_create(arch, &config, &task, false, &model), TIPS_OK);
    assert_non_null(strstr(tips_last_error(), "--arch unet --backbone resnet18"));
    config.backbone = arch;
    assert_int_not_equal(tips__model_create(arch, &config, NULL, false, &model), TIPS_OK);
    assert_non_null(strstr(tips_last_error(), "is a backbone itself"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameter_counts),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_what_auto_stands_for),
        cmocka_unit_test(test_output_strides),
        cmocka_unit_test(test_dilations),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
