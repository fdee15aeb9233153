/* Weights and metadata that do not fit a network: refused by name, or counted where that is allowed. */
#include "model/model_file.h"
#include "support/compare.h"
#include "support/run_model.h"
#include "support/temporary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const classes[] = {"a", "b", "c", "d", "e"};

static void expect_weights_refused(const char *path, const tips_model_info *info, const char *reason) {
    test_network n = make_network(info, 1);
    tips_weights_report report;
    if (tips__weights_load(path, n.params, TIPS_CLASSIFIER_TAKEN, &report) == TIPS_OK) fail_case("loaded");
    if (!strstr(tips_last_error(), reason)) fail_case("'%s' does not say '%s'", tips_last_error(), reason);
    if (!strstr(tips_last_error(), path)) fail_case("'%s' does not name the file", tips_last_error());
    destroy_network(&n);
}

static void test_weights_that_differ(void **state) {
    const char *path = path_in_temporary("weights.safetensors");
    const char *deep = path_in_temporary("deep.safetensors");
    tips_model_info info = make_info("resnet18", "tips-exact", 0, 32), other = info;
    tips_model_info deeper = make_info("resnet34", "max", 0, 32);
    test_network n = make_network(&info, 3), more = make_network(&deeper, 3);
    (void)state;
    expect_ok(tips__model_save(path, &info, n.params));
    expect_ok(tips__model_save(deep, &deeper, more.params));
    test_case("another width");
    other.config.width = 16;
    expect_weights_refused(path, &other, "'conv1.weight' has shape (8, 3, 3, 3), the network takes (16, 3, 3, 3)");
    test_case("another classifier");
    other = info;
    other.config.classes = 7;
    expect_weights_refused(path, &other, "'fc.weight' has shape (5, 64), the network takes (7, 64)");
    test_case("fewer layers");
    expect_weights_refused(deep, &info, "that the network does not: 'layer1.2.conv1.weight', 'layer1.2.bn1.weight', ");
    assert_non_null(strstr(tips_last_error(), "more"));
    test_case("more layers");
    expect_weights_refused(path, &deeper, "lacks tensors of the network: 'layer1.2.conv1.weight', ");
    destroy_network(&n);
    destroy_network(&more);
}

static void put(const test_network *n, const char *name, size_t index, float value) {
    const int id = tips__param_find(n->model.graph, name);
    float *values = test_floats(tips__param_elements(tips__graph_param(n->model.graph, id)));
    tips__param_get(n->params, id, values);
    values[index] = value;
    tips__param_set(n->params, id, values);
    free(values);
}

static void test_numbers_not_finite(void **state) {
    static const float values[] = {NAN, INFINITY, -INFINITY};
    const char *path = path_in_temporary("numbers.safetensors");
    tips_model_info info = make_info("tiny", "tips-exact", 0, 16);
    (void)state;
    for (int i = 0; i < 3; i++) {
        test_case("a value of %g", values[i]);
        test_network n = make_network(&info, 3);
        tips_loaded_model loaded;
        put(&n, "conv1.weight", 17, values[i]);
        expect_ok(tips__model_save(path, &info, n.params));
        assert_int_equal(tips__model_load(path, false, &loaded), TIPS_NUMERIC);
        expect_weights_refused(path, &info, "number 17 of 'conv1.weight' is ");
        destroy_network(&n);
    }
}

static void test_weights_reports(void **state) {
    const char *path = path_in_temporary("weights.safetensors");
    tips_model_info info = make_info("tiny", "tips-exact", 0, 16), other = make_info("tiny", "lps", 0, 16);
    test_network from = make_network(&info, 3), to = make_network(&other, 4);
    tips_weights_report report;
    float kept[5], now[5];
    (void)state;
    test_case("another operator, the classifier skipped");
    expect_ok(tips__model_save(path, &info, from.params));
    const int bias = tips__param_find(to.model.graph, "fc.bias");
    tips__param_get(to.params, bias, kept);
    expect_ok(tips__weights_load(path, to.params, TIPS_CLASSIFIER_SKIPPED, &report));
    tips__param_get(to.params, bias, now);
    expect_same_bits("fc.bias", now, kept, 5);
    assert_int_equal(report.loaded + report.missing, to.params->count);
    assert_int_equal(report.loaded + report.unused, from.params->count);
    assert_true(report.missing > 2 && report.unused > 2);
    const int conv = tips__param_find(to.model.graph, "conv1.weight");
    float a[8 * 27], b[8 * 27];
    tips__param_get(to.params, conv, a);
    tips__param_get(from.params, tips__param_find(from.model.graph, "conv1.weight"), b);
    expect_same_bits("conv1.weight", a, b, 8 * 27);
    destroy_network(&from);
    destroy_network(&to);
}

/* The saved file with one key of its metadata changed, or left out. */
static void save_with(const char *path, const char *original, const char *key, const char *value) {
    tips_safetensors *file;
    tips_safetensors_writer *w;
    expect_ok(tips__safetensors_open(original, &file));
    expect_ok(tips__safetensors_create(&w));
    float *data[256] = {NULL};
    for (int i = 0; i < tips__safetensors_metadata_count(file); i++) {
        const char *name, *text;
        tips__safetensors_metadata_at(file, i, &name, &text);
        if (strcmp(name, key) != 0) expect_ok(tips__safetensors_add_metadata(w, name, text));
    }
    if (value) expect_ok(tips__safetensors_add_metadata(w, key, value));
    for (int i = 0; i < tips__safetensors_count(file); i++) {
        const tips_tensor_entry *e = tips__safetensors_entry(file, i);
        data[i] = test_floats(tips__tensor_elements(e));
        expect_ok(tips__safetensors_read(file, i, data[i], tips__tensor_elements(e)));
        expect_ok(tips__safetensors_add_f32(w, e->name, e->n_dims, e->dims, data[i]));
    }
    expect_ok(tips__safetensors_write(w, path));
    for (int i = 0; i < tips__safetensors_count(file); i++) free(data[i]);
    tips__safetensors_destroy(w);
    tips__safetensors_close(file);
}

static void test_bad_metadata(void **state) {
    static const struct {
        const char *key, *value, *reason;
    } bad[] = {
        {"tips.arch", NULL, "--weights"},
        {"tips.arch", "resnet19", "did you mean"},
        {"tips.pool", NULL, "no tips.pool"},
        {"tips.pool", "tips:frob=1", "frob"},
        {"tips.pool", "nonsense", "nonsense"},
        {"tips.norm", "nonsense", "unknown norm 'nonsense'"},
        {"tips.norm", "batch:frob=1", "frob"},
        {"tips.lpf", "9", "tips.lpf"},
        {"tips.padding", "round", "tips.padding"},
        {"tips.stem", NULL, "no tips.stem"},
        {"tips.down", "5", "downsampling"},
        {"tips.width", "1024", "shape"},
        {"tips.width", "16", "the network takes (16, 3, 3, 3)"},
        {"tips.width", "-1", "tips.width"},
        {"tips.width", "99999999999", "tips.width"},
        {"tips.classes", "6", "tips.class_names has 5 names for 6 classes"},
        {"tips.classes", "100001", "tips.classes"},
        {"tips.size", "0x4", "tips.size"},
        {"tips.size", "1000000", "tips.size"},
        {"tips.size", "1x1", "too small"},
        {"tips.channels", "4", "shape"},
        {"tips.mean", NULL, "no tips.mean"},
        {"tips.mean", "1,2", "one number or three"},
        {"tips.mean", "1,2,3,4", "three"},
        {"tips.mean", "1,nan,3", "three"},
        {"tips.mean", "inf", "three"},
        {"tips.std", "1,0,1", "positive"},
        {"tips.std", "", "positive"},
        {"tips.class_names", "{}", "not an array of texts"},
        {"tips.class_names", "[1,2,3,4,5]", "not an array of texts"},
        {"tips.class_names", "[[\"a\"]]", "nested"},
        {"tips.class_names", "[\"a\"]", "1 names for 5"},
        {"tips.class_names", "[\"a\",\"a\",\"a\",\"a\",\"a\",\"a\"]", "more than 5"},
        {"tips.class_names", "nothing", "not valid JSON"},
        {"tips.class_colours", "", "no six digits for each of 5 classes"},
        {"tips.class_colours", "000000800000008000808000", "no six digits for each of 5 classes"},
        {"tips.class_colours", "00000080000000800080800000008x", "'00008x' is not a colour"},
        {"tips.training", "[]", "not a JSON object"},
        {"tips.training", "{", "not valid JSON"},
        {"tips.resize", "-1", "tips.resize"},
        {"tips.fit_inside", "maybe", "tips.fit_inside"},
        {"tips.bgr", "2", "tips.bgr"},
    };
    const char *path = path_in_temporary("good.safetensors"), *changed = path_in_temporary("bad.safetensors");
    tips_model_info info = make_info("tiny", "tips-exact", 0, 16);
    expect_ok(tips__model_info_set_classes(&info, classes, 5));
    test_network n = make_network(&info, 3);
    (void)state;
    expect_ok(tips__model_save(path, &info, n.params));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tips_loaded_model loaded;
        test_case("%s = %s", bad[i].key, bad[i].value ? bad[i].value : "(none)");
        save_with(changed, path, bad[i].key, bad[i].value);
        const tips_status status = tips__model_load(changed, false, &loaded);
        if (status != TIPS_FORMAT && status != TIPS_SHAPE) fail_case("status %s", tips_status_name(status));
        if (!strstr(tips_last_error(), bad[i].reason))
            fail_case("'%s' does not say '%s'", tips_last_error(), bad[i].reason);
        if (strncmp(tips_last_error(), changed, strlen(changed)) != 0)
            fail_case("'%s' names no file", tips_last_error());
    }
    tips__model_info_clear(&info);
    destroy_network(&n);
}

/* One channel cannot be blue, green, red. */
static void test_order_of_one_channel(void **state) {
    const char *path = path_in_temporary("grey.safetensors");
    tips_model_info info = make_info("tiny", "max", 0, 16);
    tips_loaded_model loaded;
    (void)state;
    info.config.in_channels = 1;
    info.bgr = true;
    test_network n = make_network(&info, 3);
    expect_ok(tips__model_save(path, &info, n.params));
    assert_int_equal(tips__model_load(path, false, &loaded), TIPS_FORMAT);
    if (!strstr(tips_last_error(), "tips.bgr: an input of 1 channels")) fail_msg("not said: %s", tips_last_error());
    destroy_network(&n);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_that_differ),  cmocka_unit_test(test_numbers_not_finite),
        cmocka_unit_test(test_weights_reports),      cmocka_unit_test(test_bad_metadata),
        cmocka_unit_test(test_order_of_one_channel),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
