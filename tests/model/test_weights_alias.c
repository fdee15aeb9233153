/* Names of other libraries: translated, loaded, and refused where a file has a tensor under two of them. */
#include "exchange/safetensors.h"
#include "model/weights_alias.h"
#include "support/compare.h"
#include "support/run_model.h"
#include "support/temporary.h"

#include <stdlib.h>
#include <string.h>

static void expect_name(const char *theirs, const char *ours) {
    char out[TIPS_ALIAS_SIZE];
    assert_string_equal(tips__weights_our_name(theirs, out), ours);
}

static void test_names(void **state) {
    (void)state;
    expect_name("cls_token", "class_token");
    expect_name("blocks.11.attn.qkv.bias", "encoder.layers.encoder_layer_11.self_attention.in_proj_bias");
    expect_name("blocks.0.mlp.fc2.weight", "encoder.layers.encoder_layer_0.mlp.3.weight");
    expect_name("encoder.layers.encoder_layer_2.mlp.linear_1.bias", "encoder.layers.encoder_layer_2.mlp.0.bias");
    expect_name("head.weight", "heads.head.weight");
    expect_name("backbone.fpn.inner_blocks.2.bias", "backbone.fpn.inner_blocks.2.0.bias");
    expect_name("head.regression_head.conv.6.weight", "head.regression_head.conv.3.0.weight");
    expect_name("head.classification_head.conv.2.bias", "head.classification_head.conv.1.0.bias");
}

static void test_names_left_alone(void **state) {
    static const char *const names[] = {
        "conv1.weight",         "cls_token.weight", "blocks..norm1.weight", "blocks.1", "header.weight", "",
        "blocks.x.norm1.weight", "backbone.fpn.layer_blocks.2.0.bias"};
    char tail[TIPS_ALIAS_SIZE + 8] = "norm.";
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) expect_name(names[i], names[i]);
    memset(tail + 5, 'w', sizeof tail - 6);
    expect_name(tail, tail);
}

static tips_model_info narrow_vit(void) {
    tips_model_info info;
    tips__model_info_init(&info);
    expect_ok(tips__arch_find("vit_tiny", &info.arch));
    info.config = (tips_arch_config){.in_channels = 3, .size = {16, 16}, .classes = 5, .width = 32};
    expect_ok(tips__pool_parse("stride", 0, &info.config.pool));
    expect_ok(tips__arch_resolve(info.arch, &info.config));
    return info;
}

static void fill(void *params, int id, float *out) { tips__param_get(params, id, out); }

static void add_param(tips_safetensors_writer *w, const test_network *n, int id, const char *name) {
    const tips_param_spec *spec = tips__graph_param(n->model.graph, id);
    int64_t dims[4];
    for (int d = 0; d < spec->n_dims; d++) dims[d] = spec->dims[d];
    expect_ok(tips__safetensors_add_source(w, name, spec->n_dims, dims, fill, n->params, id));
}

/* The network's tensors, the classifier's under timm's names, and one more than once if asked. */
static void write_weights(const char *path, const test_network *n, bool twice) {
    tips_safetensors_writer *w;
    expect_ok(tips__safetensors_create(&w));
    for (int i = 0; i < n->params->count; i++) {
        const char *name = tips__graph_param(n->model.graph, i)->name;
        const bool is_head = strncmp(name, "heads.head.", 11) == 0;
        add_param(w, n, i, is_head ? name + strlen("heads.") : name);
        if (twice && strcmp(name, "class_token") == 0) add_param(w, n, i, "cls_token");
    }
    expect_ok(tips__safetensors_write(w, path));
    tips__safetensors_destroy(w);
}

static void test_loading(void **state) {
    const char *path = path_in_temporary("weights.safetensors");
    const tips_model_info info = narrow_vit();
    test_network from = make_network(&info, 3), to = make_network(&info, 4);
    tips_weights_report report;
    float sent[5 * 32], got[5 * 32];
    (void)state;
    write_weights(path, &from, false);
    expect_ok(tips__weights_load(path, to.params, TIPS_CLASSIFIER_SKIPPED, &report));
    assert_int_equal(report.missing, 2);
    assert_int_equal(report.unused, 2);
    expect_ok(tips__weights_load(path, to.params, TIPS_CLASSIFIER_TAKEN, &report));
    assert_int_equal(report.loaded, to.params->count);
    const int head = tips__param_find(to.model.graph, "heads.head.weight");
    tips__param_get(from.params, head, sent);
    tips__param_get(to.params, head, got);
    expect_same_bits("the classifier", got, sent, 5 * 32);
    write_weights(path, &from, true);
    assert_int_equal(tips__weights_load(path, to.params, TIPS_CLASSIFIER_TAKEN, &report), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "that the network does not: 'cls_token'"));
    destroy_network(&from);
    destroy_network(&to);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_names_left_alone),
                                       cmocka_unit_test(test_loading)};
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
