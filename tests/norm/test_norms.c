/* What holds for every norm of the table, how they are written, and that architectures place the one they are given. */
#include "arch/arch.h"
#include "layer/layers.h"
#include "net/net.h"
#include "support/compare.h"
#include "task/model.h"

#include <stdlib.h>
#include <string.h>

enum { N = 2, SIZE = 16, CLASSES = 4, PIXELS = N * 3 * SIZE * SIZE };

static tips_model make_model(const char *norm, const char *pool) {
    tips_arch_config config = {
        .in_channels = 3, .size = {SIZE, SIZE}, .classes = CLASSES, .padding = TIPS_PAD_CIRCULAR};
    const tips_arch *arch;
    tips_model model;
    expect_ok(tips__arch_find("tiny", &arch));
    expect_ok(tips__pool_parse(pool, 0, &config.pool));
    if (norm) expect_ok(tips__norm_parse(norm, &config.norm));
    expect_ok(tips__model_create(arch, &config, NULL, true, &model));
    return model;
}

/* Forward and backward from seeded weights, as step `step`; the logits. */
static void train_once(const tips_model *model, uint64_t step, float logits[N * CLASSES]) {
    const tips_net_options options = {.n = N, .pass = tips__pass_training, .seed = 1};
    float *images = test_floats(PIXELS);
    const int32_t labels[N] = {0, 3};
    tips_params *params;
    tips_net *net;
    for (int i = 0; i < PIXELS; i++) images[i] = (float)(i * 7919 % 257) / 128 - 1;
    expect_ok(tips__params_create(model->graph, 1, &params));
    expect_ok(tips__params_for_training(params));
    expect_ok(tips__net_compile(model->graph, params, &options, &net));
    expect_ok(tips__net_set_map(net, model->ends.input, images));
    expect_ok(tips__net_set_index(net, model->ends.targets[0], labels));
    tips__net_set_step(net, step);
    expect_ok(tips__net_forward(net));
    expect_ok(tips__net_backward(net));
    expect_ok(tips__net_get_map(net, model->ends.outputs[0], logits));
    tips__net_destroy(net);
    tips__params_destroy(params);
    free(images);
}

static void step_logits(const char *norm, uint64_t step, float logits[N * CLASSES]) {
    tips_model model = make_model(norm, "aps");
    train_once(&model, step, logits);
    tips__model_destroy(&model);
}

static void logits_with(const char *norm, float logits[N * CLASSES]) { step_logits(norm, 0, logits); }

static void check_row(const tips_norm *norm) {
    tips_norm_spec spec;
    tips_graph *graph;
    char text[TIPS_NORM_NOTE], again[TIPS_NORM_NOTE];
    float logits[N * CLASSES], other[N * CLASSES];
    test_case("%s", norm->name);
    assert_true(norm->brief && norm->options && (norm->add || norm->wants_bias));
    expect_ok(tips__norm_parse(norm->name, &spec));
    tips__norm_format(&spec, text, sizeof text);
    assert_string_equal(text, norm->name);
    tips__norm_format_all(&spec, text, sizeof text);
    expect_ok(tips__norm_parse(text, &spec));
    tips__norm_format_all(&spec, again, sizeof again);
    assert_string_equal(again, text);
    expect_ok(tips__graph_create(&graph));
    const tips_conv2d conv = {.out = 12, .kernel = {3, 3}, .padding = {TIPS_PAD_ZERO, 1, 1, 1, 1}};
    const tips_value x = tips__graph_input(graph, "x", 32, 5, 7), y = tips__norm_add(graph, "bn", &spec, x),
                     z = tips__conv_norm(graph, "conv", "bn2", &spec, &conv, y);
    expect_ok(tips__graph_status(graph));
    const tips_value_info *shape = tips__value(graph, y), *convolved = tips__value(graph, z);
    assert_true(shape->c == 32 && shape->h == 5 && shape->w == 7);
    assert_true(convolved->c == 12 && convolved->h == 5 && convolved->w == 7);
    tips__graph_destroy(graph);
    logits_with(norm->name, logits);
    logits_with(norm->name, other);
    expect_same_bits("the logits of another run", other, logits, N * CLASSES);
}

static void test_rows(void **state) {
    (void)state;
    for (int i = 0; tips__norms[i]; i++) check_row(tips__norms[i]);
}

static void refuse(const char *text, const char *why) {
    tips_norm_spec spec = {.norm = NULL};
    test_case("%s", text);
    if (tips__norm_parse(text, &spec) == TIPS_OK) fail_case("was taken");
    if (!strstr(tips_last_error(), why)) fail_case("'%s' is not said: %s", why, tips_last_error());
    assert_null(spec.norm);
}

static void expect_text(const char *written, const char *text, bool plain) {
    tips_norm_spec spec = {.norm = NULL};
    char got[TIPS_NORM_NOTE], note[TIPS_NORM_NOTE];
    test_case("%s", written);
    if (*written) expect_ok(tips__norm_parse(written, &spec));
    tips__norm_format(&spec, got, sizeof got);
    assert_string_equal(got, text);
    assert_int_equal(tips__norm_is_plain(&spec), plain);
    assert_int_equal(tips__norm_note(&spec, note, sizeof note)[0] == '\0', plain);
}

static void test_names(void **state) {
    (void)state;
    expect_text("", "batch", true); /* a spec of zeros */
    expect_text("batch", "batch", true);
    expect_text("batch:eps=1e-5,momentum=0.1", "batch", true);
    expect_text("batch:eps=0.5", "batch:eps=0.5", false);
    expect_text("batch:0.01", "batch:momentum=0.01", false);
    expect_text("batch:0.01,eps=0.5", "batch:momentum=0.01,eps=0.5", false);
    refuse("bach", "unknown norm 'bach'; did you mean 'batch'? There are batch");
    refuse("elephant", "unknown norm 'elephant'; there are batch");
    refuse("batch:moment=1", "did you mean 'momentum'? It takes momentum, eps");
    refuse("batch:eps=2", "batch:eps: '2' is out of range");
    refuse("batch:momentum=0", "is out of range");
    expect_text("group:8", "group:groups=8", false);
    expect_text("group:32", "group", false);
    expect_text("instance:false", "instance:affine=false", false);
    expect_text("kernel:0.25", "kernel:dropout=0.25", false);
    refuse("group:0", "is out of range");
    refuse("kernel:1", "is out of range");
    refuse("none:eps=1", "none");
}

/* Every norm of the architecture has the options; that of the operator's own net is the operator's affair. */
static void test_architectures_place_it(void **state) {
    (void)state;
    tips_model model = make_model("batch:momentum=0.25,eps=0.5", "ddac");
    int with = 0, others = 0;
    for (int i = 0; i < tips__graph_node_count(model.graph); i++) {
        const tips_node *node = tips__graph_node(model.graph, i);
        if (node->layer != &tips__layer_batch_norm) continue;
        const tips_batch_norm *c = node->config;
        if (c->momentum == 0.25 && c->eps == 0.5) with++;
        else others++, assert_non_null(strstr(node->name, "pool"));
    }
    assert_int_equal(with, 9);
    assert_true(others > 0);
    tips__model_destroy(&model);
}

static int count_nodes(const tips_model *model, const tips_layer *layer) {
    int count = 0;
    for (int i = 0; i < tips__graph_node_count(model->graph); i++)
        count += tips__graph_node(model->graph, i)->layer == layer;
    return count;
}

static bool has_param(const tips_model *model, const char *name) {
    for (int i = 0; i < tips__graph_param_count(model->graph); i++)
        if (strcmp(tips__graph_param(model->graph, i)->name, name) == 0) return true;
    return false;
}

/* Nine convolutions, and what each norm makes of them. */
static void test_convolutions_follow(void **state) {
    (void)state;
    static const struct {
        const char *norm;
        int convs, kernel_convs, group_norms;
        bool bias, affine;
    } rows[] = {{"batch", 9, 0, 0, false, true},  {"layer", 9, 0, 9, false, true},
                {"group", 9, 0, 9, false, true},  {"instance:affine=false", 9, 0, 9, false, false},
                {"kernel", 0, 9, 0, true, false}, {"none", 9, 0, 0, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tips_model model = make_model(rows[i].norm, "aps");
        test_case("%s", rows[i].norm);
        assert_int_equal(count_nodes(&model, &tips__layer_conv2d), rows[i].convs);
        assert_int_equal(count_nodes(&model, &tips__layer_kernel_conv), rows[i].kernel_convs);
        assert_int_equal(count_nodes(&model, &tips__layer_group_norm), rows[i].group_norms);
        assert_int_equal(has_param(&model, "layer2.0.conv1.bias"), rows[i].bias);
        assert_int_equal(has_param(&model, "layer2.0.bn1.weight"), rows[i].affine);
        assert_true(has_param(&model, "layer2.0.conv1.weight"));
        tips__model_destroy(&model);
    }
}

/* The largest number of groups, up to the one that is asked for, that divides the channels. */
static void test_groups_divide(void **state) {
    (void)state;
    static const int rows[][3] = {{32, 64, 32}, {32, 8, 8}, {32, 24, 24}, {32, 40, 20},
                                  {32, 37, 1},  {5, 12, 4}, {1, 7, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tips_norm_spec spec;
        tips_graph *graph;
        char text[32];
        snprintf(text, sizeof text, "group:%d", rows[i][0]);
        test_case("%s of %d channels", text, rows[i][1]);
        expect_ok(tips__norm_parse(text, &spec));
        expect_ok(tips__graph_create(&graph));
        tips__norm_add(graph, "bn", &spec, tips__graph_input(graph, "x", rows[i][1], 3, 3));
        expect_ok(tips__graph_status(graph));
        assert_int_equal(((const tips_group_norm *)tips__graph_node(graph, 0)->config)->groups, rows[i][2]);
        tips__graph_destroy(graph);
    }
}

/* What kernel norm leaves out depends on seed and step, and on nothing else. */
static void test_kernel_draws(void **state) {
    (void)state;
    float first[N * CLASSES], second[N * CLASSES], again[N * CLASSES], whole[N * CLASSES], same[N * CLASSES];
    step_logits("kernel:dropout=0.3", 0, first);
    step_logits("kernel:dropout=0.3", 1, second);
    step_logits("kernel:dropout=0.3", 1, again);
    step_logits("kernel:dropout=0", 0, whole);
    step_logits("kernel:dropout=0", 1, same);
    assert_true(differing_bits(second, first, N * CLASSES) > 0);
    expect_same_bits("the second step of another net", again, second, N * CLASSES);
    assert_true(differing_bits(whole, first, N * CLASSES) > 0);
    expect_same_bits("nothing drawn", same, whole, N * CLASSES);
}

static void test_options_count(void **state) {
    (void)state;
    float zeros[N * CLASSES], named[N * CLASSES], other[N * CLASSES];
    logits_with(NULL, zeros);
    logits_with("batch", named);
    logits_with("batch:eps=0.5", other);
    expect_same_bits("logits", named, zeros, N * CLASSES);
    assert_true(differing_bits(other, zeros, N * CLASSES) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_architectures_place_it),
        cmocka_unit_test(test_options_count),
        cmocka_unit_test(test_convolutions_follow),
        cmocka_unit_test(test_groups_divide),
        cmocka_unit_test(test_kernel_draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
