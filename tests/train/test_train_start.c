/* Weights that a run starts from: a classifier of another shape begins anew, and whatever else is wrong is named. */
#include "support/compare.h"
#include "support/run_model.h"
#include "support/temporary.h"
#include "train/train_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

/* Which tensors a file gets: all but `without` and, of `resized`, one row less. */
typedef struct change {
    const char *without, *resized;
} change;

static void fill(void *params, int id, float *out) { tips__param_get(params, id, out); }

static bool is_in(const char *name, const char *prefix) { return prefix && strncmp(name, prefix, strlen(prefix)) == 0; }

static void save_changed(const char *path, const tips_params *params, change c) {
    static const float some[MOST];
    tips_safetensors_writer *w;
    expect_ok(tips__safetensors_create(&w));
    for (int i = 0; i < params->count; i++) {
        const tips_param_spec *spec = tips__graph_param(params->graph, i);
        int64_t dims[4];
        for (int d = 0; d < spec->n_dims; d++) dims[d] = spec->dims[d];
        if (is_in(spec->name, c.without)) continue;
        if (is_in(spec->name, c.resized)) {
            dims[0]--;
            expect_ok(tips__safetensors_add_f32(w, spec->name, spec->n_dims, dims, some));
        } else {
            expect_ok(tips__safetensors_add_source(w, spec->name, spec->n_dims, dims, fill, (void *)params, i));
        }
    }
    expect_ok(tips__safetensors_write(w, path));
    tips__safetensors_destroy(w);
}

/* Builds the network of a run that starts from the file. */
static tips_status start(const char *path, tips_model_info *info, train_setup *s) {
    static tips_train_config config;
    config = (tips_train_config){.weights = path, .model = {.seed = 7}};
    *s = (train_setup){.config = &config, .info = *info};
    expect_ok(tips__optimizer_parse("sgd", &s->optimizer));
    return tips__train_build(s, true);
}

static void finish(train_setup *s) {
    tips__params_destroy(s->params);
    tips__model_destroy(&s->model);
}

static void expect_start(const char *what, const test_network *from, tips_model_info *info, change c, bool fresh) {
    const char *path = path_in_temporary("start.safetensors");
    float was[MOST] = {0}, is[MOST] = {0}, conv[2][8 * 27];
    train_setup s;
    test_case("%s", what);
    save_changed(path, from->params, c);
    expect_ok(start(path, info, &s));
    const int fc = tips__param_find(from->model.graph, "fc.weight"),
              first = tips__param_find(s.model.graph, "conv1.weight");
    const size_t elements = tips__param_elements(tips__graph_param(from->model.graph, fc));
    assert_in_range(elements, 1, MOST);
    tips__param_get(from->params, fc, was);
    tips__param_get(s.params, tips__param_find(s.model.graph, "fc.weight"), is);
    assert_int_equal(memcmp(was, is, elements * sizeof *was) != 0, fresh);
    tips__param_get(from->params, tips__param_find(from->model.graph, "conv1.weight"), conv[0]);
    tips__param_get(s.params, first, conv[1]);
    expect_same_bits("conv1.weight", conv[1], conv[0], 8 * 27);
    finish(&s);
}

static void expect_refusal(const char *what, const char *path, tips_model_info *info, const char *reason) {
    train_setup s;
    test_case("%s", what);
    if (start(path, info, &s) == TIPS_OK) fail_case("started");
    if (!strstr(tips_last_error(), reason)) fail_case("'%s' does not say '%s'", tips_last_error(), reason);
    finish(&s);
}

static void refuse_changed(const char *what, const test_network *from, tips_model_info *info, change c,
                           const char *reason) {
    const char *path = path_in_temporary("start.safetensors");
    save_changed(path, from->params, c);
    expect_refusal(what, path, info, reason);
}

static void test_classifiers(void **state) {
    tips_model_info info = make_info("tiny", "tips-exact", 0, 16);
    test_network from = make_network(&info, 3);
    (void)state;
    expect_start("the same", &from, &info, (change){0}, false);
    expect_start("of another shape", &from, &info, (change){.resized = "fc."}, true);
    expect_start("no classifier", &from, &info, (change){.without = "fc."}, true);
    expect_start("no weights of operators", &from, &info, (change){.without = "layer2.0.pool."}, false);
    destroy_network(&from);
}

static void test_refusals(void **state) {
    tips_model_info info = make_info("tiny", "max", 0, 16);
    test_network from = make_network(&info, 3);
    (void)state;
    refuse_changed("half a classifier", &from, &info, (change){.without = "fc.bias"},
                   "lacks tensors of the network: 'fc.bias'");
    refuse_changed("another tensor", &from, &info, (change){.resized = "conv1.weight"},
                   "'conv1.weight' has shape (7, 3, 3, 3), the network takes (8, 3, 3, 3)");
    refuse_changed("another tensor and another classifier", &from, &info,
                   (change){.resized = "conv1.weight", .without = "fc."}, "'conv1.weight' has shape");
    destroy_network(&from);
}

static void test_truncated(void **state) {
    const char *path = path_in_temporary("start.safetensors");
    tips_model_info info = make_info("tiny", "max", 0, 16);
    test_network from = make_network(&info, 3);
    size_t bytes;
    (void)state;
    save_changed(path, from.params, (change){0});
    unsigned char *whole = read_file(path, &bytes);
    write_file(path, whole, bytes - 100);
    expect_refusal("truncated", path, &info, "start.safetensors: ");
    free(whole);
    destroy_network(&from);
}

/* A copy of a network from elsewhere, or false where this build reads none. */
static bool copy_foreign(const char *path) {
    char name[512];
    size_t bytes;
    tips_model_info info;
    snprintf(name, sizeof name, "%s/tests/fuzz/corpus/onnx/block13.onnx", getenv("SOURCE_DIR"));
    unsigned char *data = read_file(name, &bytes);
    write_file(path, data, bytes);
    free(data);
    if (tips__model_info_load(path, &info) == TIPS_UNSUPPORTED) return false;
    tips__model_info_clear(&info);
    return true;
}

static void remove_run(const char *folder) {
    static const char *const names[] = {"best.safetensors", "last.safetensors", "checkpoint.safetensors", "config.json",
                                        "log.jsonl",        "curves.svg",       "curves.png"};
    char path[512];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    assert_int_equal(remove(folder), 0);
}

/* What was read with the options is not read again: the file is gone by then. */
static void test_read_once(void **state) {
    const char *path = path_in_temporary("once.onnx");
    tips_train_config given, config;
    tips_train_sources sources = {0};
    tips_train_result result;
    (void)state;
    if (!copy_foreign(path)) skip();
    expect_ok(tips__options_defaults(tips__train_rows, &given));
    given.init = path;
    config = given;
    expect_ok(tips__train_preset(&given, NULL, tips__train_rows, &config, &sources));
    remove(path);
    config.data = "shapes:size=16,train=20,test=5,classes=3";
    config.out = path_in_temporary("once");
    config.epochs = 1;
    config.batch = 4;
    expect_ok(tips__train_run_from(&config, tips__train_sources_start(&sources), NULL, &result));
    assert_string_equal(result.arch, "graph");
    tips__train_sources_clear(&sources);
    remove_run(config.out);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classifiers), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_truncated), cmocka_unit_test(test_read_once)};
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
