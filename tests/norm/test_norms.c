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

/* One step forward and backward from seeded weights; the logits. */
static void train_once(const tips_model *model, float logits[N * CLASSES]) {
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
    expect_ok(tips__net_forward(net));
    expect_ok(tips__net_backward(net));
    expect_ok(tips__net_get_map(net, model->ends.outputs[0], logits));
    tips__net_destroy(net);
    tips__params_destroy(params);
    free(images);
}

static void logits_with(const char *norm, float logits[N * CLASSES]) {
    tips_model model = make_model(norm, "aps");
    train_once(&model, logits);
    tips__model_destroy(&model);
}

static void check_row(const tips_norm *norm) {
    tips_norm_spec spec;
    tips_graph *graph;
    char text[TIPS_NORM_NOTE], again[TIPS_NORM_NOTE];
    float logits[N * CLASSES];
    test_case("%s", norm->name);
    assert_true(norm->brief && norm->options && norm->add);
    expect_ok(tips__norm_parse(norm->name, &spec));
    tips__norm_format(&spec, text, sizeof text);
    assert_string_equal(text, norm->name);
    tips__norm_format_all(&spec, text, sizeof text);
    expect_ok(tips__norm_parse(text, &spec));
    tips__norm_format_all(&spec, again, sizeof again);
    assert_string_equal(again, text);
    expect_ok(tips__graph_create(&graph));
    const tips_value x = tips__graph_input(graph, "x", 32, 5, 7), y = tips__norm_add(graph, "bn", &spec, x);
    expect_ok(tips__graph_status(graph));
    const tips_value_info *shape = tips__value(graph, y);
    assert_true(shape->c == 32 && shape->h == 5 && shape->w == 7);
    tips__graph_destroy(graph);
    logits_with(norm->name, logits);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
