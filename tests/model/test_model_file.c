/* Model files: saved and loaded they give the same bits, and torchvision's weights give torchvision's logits. */
#include "core/memory.h"
#include "model/model_parts.h"
#include "support/compare.h"
#include "support/run_model.h"
#include "support/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 2 };

static const char *const classes[] = {"cat", "dog \"quoted\"", "k\xc3\xa4se", "", "line\nbreak"};

static void run(const tips_model *model, tips_params *params, const tips_arch_config *c, float *logits) {
    const size_t elements = N * (size_t)c->in_channels * (size_t)c->size[0] * (size_t)c->size[1];
    float *images = test_floats(elements);
    make_picture(images, elements);
    expect_ok(run_model(model, params, images, N, logits));
    free(images);
}

static void expect_same_info(const tips_model_info *a, const tips_model_info *b) {
    char first[512], second[512];
    tips__pool_format(&a->config.pool, first, sizeof first);
    tips__pool_format(&b->config.pool, second, sizeof second);
    assert_string_equal(first, second);
    tips__norm_format(&a->config.norm, first, sizeof first);
    tips__norm_format(&b->config.norm, second, sizeof second);
    assert_string_equal(first, second);
    assert_ptr_equal(a->arch, b->arch);
    assert_int_equal(a->config.pool.lpf, b->config.pool.lpf);
    assert_true(a->config.padding == b->config.padding && a->config.stem == b->config.stem);
    assert_true(a->config.down == b->config.down && a->config.width == b->config.width);
    assert_true(a->config.size[0] == b->config.size[0] && a->config.size[1] == b->config.size[1]);
    assert_true(a->config.classes == b->config.classes && a->config.in_channels == b->config.in_channels);
    assert_true(a->resize == b->resize && a->fit_inside == b->fit_inside && a->bgr == b->bgr);
    assert_memory_equal(&a->placement, &b->placement, sizeof a->placement);
    assert_memory_equal(a->mean, b->mean, sizeof a->mean);
    assert_memory_equal(a->std, b->std, sizeof a->std);
    assert_string_equal(a->dataset, b->dataset);
    assert_string_equal(a->training, b->training);
    assert_int_equal(!a->class_names, !b->class_names);
    for (int i = 0; a->class_names && i < a->config.classes; i++)
        assert_string_equal(a->class_names[i], b->class_names[i]);
    assert_int_equal(a->class_colours.count, b->class_colours.count);
    assert_memory_equal(a->class_colours.rgb, b->class_colours.rgb, sizeof a->class_colours.rgb);
}

static void expect_same_after_loading(const tips_model_info *info) {
    const char *path = path_in_temporary("model.safetensors");
    tips_loaded_model loaded;
    float before[N * 5], after[N * 5];
    test_network n = make_network(info, 7);
    run(&n.model, n.params, &info->config, before);
    expect_ok(tips__model_save(path, info, n.params));
    expect_ok(tips__model_load(path, true, &loaded));
    assert_true(loaded.model.ends.loss != TIPS_NO_VALUE);
    expect_same_info(&loaded.info, info);
    tips__loaded_model_destroy(&loaded);
    expect_ok(tips__model_load(path, false, &loaded));
    run(&loaded.model, loaded.params, &loaded.info.config, after);
    expect_same_bits("logits", after, before, N * 5);
    tips__loaded_model_destroy(&loaded);
    destroy_network(&n);
}

static void test_every_operator(void **state) {
    (void)state;
    for (int i = 0; tips__pools[i]; i++) {
        tips_model_info info = make_info("tiny", tips__pools[i]->layer.name, i % 3 ? 0 : 3, 16);
        test_case("tiny with %s", tips__pools[i]->layer.name);
        expect_same_after_loading(&info);
    }
}

/* As files were written before operators had the option `before`. */
static const char *find_old(const void *file, const char *key) {
    if (strcmp(key, "tips.pool") == 0) return "tips-exact:psi=depthwise,tau=phase,anchor=logits,select=soft,fm=band";
    return tips__safetensors_metadata(file, key);
}

static void test_older_files(void **state) {
    (void)state;
    const char *path = path_in_temporary("older.safetensors");
    tips_model_info info = make_info("tiny", "tips-exact:before=max", 0, 16), old;
    test_network n = make_network(&info, 7);
    tips_safetensors *file;
    char pool[256];
    expect_ok(tips__model_save(path, &info, n.params));
    expect_ok(tips__safetensors_open(path, &file));
    assert_non_null(strstr(tips__safetensors_metadata(file, "tips.pool"), "before=max"));
    expect_ok(tips__model_info_read_from(&(tips_metadata_source){find_old, file}, &old));
    tips__pool_format_all(&old.config.pool, pool, sizeof pool);
    assert_non_null(strstr(pool, "before=none"));
    tips__model_info_clear(&old);
    tips__safetensors_close(file);
    destroy_network(&n);
}

static void test_architectures(void **state) {
    static const struct {
        const char *arch, *pool;
        int size;
    } networks[] = {
        {"resnet18", "tips:psi=depthwise,anchor=norm", 32}, {"resnet18", "aps:p=inf", 96}, {"resnet50", "lps", 32}};
    (void)state;
    for (size_t i = 0; i < sizeof networks / sizeof networks[0]; i++) {
        tips_model_info info = make_info(networks[i].arch, networks[i].pool, 0, networks[i].size);
        test_case("%s with %s", networks[i].arch, networks[i].pool);
        expect_same_after_loading(&info);
    }
}

static void expect_norm_in_file(const tips_model_info *info, const char *text) {
    const char *path = path_in_temporary("model.safetensors");
    tips_safetensors *file;
    test_network n = make_network(info, 7);
    expect_ok(tips__model_save(path, info, n.params));
    expect_ok(tips__safetensors_open(path, &file));
    const char *found = tips__safetensors_metadata(file, "tips.norm");
    assert_string_equal(found ? found : "nothing", text);
    tips__safetensors_close(file);
    destroy_network(&n);
}

/* Plain batch norm goes without saying: files are what they were before there was a choice. */
static void test_norms(void **state) {
    (void)state;
    tips_model_info info = make_info("tiny", "aps", 0, 16);
    test_case("plain batch norm");
    expect_norm_in_file(&info, "nothing");
    expect_ok(tips__norm_parse("batch:eps=1e-5,momentum=0.1", &info.config.norm));
    expect_norm_in_file(&info, "nothing");
    expect_same_after_loading(&info);
    test_case("batch norm with options");
    expect_ok(tips__norm_parse("batch:eps=0.5", &info.config.norm));
    expect_norm_in_file(&info, "batch:momentum=0.1,eps=0.5,frozen=false");
    expect_same_after_loading(&info);
}

static void test_everything_said(void **state) {
    tips_model_info info = make_info("tiny", "tips-exact", 5, 16);
    (void)state;
    test_case("all metadata");
    info.mean[0] = 0.485f, info.mean[1] = -0.1f, info.mean[2] = 1.0f / 3;
    info.std[0] = 0.229f, info.std[1] = 1e-7f, info.std[2] = 255;
    info.resize = 256;
    info.fit_inside = info.bgr = true;
    info.placement = (tips_placement){
        .fit = {800, 1333}, .filter = TIPS_FILTER_PLAIN, .pad = TIPS_PAD_MEAN, .letterbox = TIPS_LETTERBOX_YOLOX};
    snprintf(info.dataset, sizeof info.dataset, "shapes:seed=3");
    snprintf(info.training, sizeof info.training, "{\"epochs\":5,\"accuracy\":{\"val\":88.5}}");
    tips__colours_voc(&info.class_colours);
    memcpy(info.class_colours.rgb[2], (uint8_t[]){1, 171, 255}, 3);
    expect_ok(tips__model_info_set_classes(&info, classes, 5));
    expect_same_after_loading(&info);
    tips__model_info_clear(&info);
}

/* Every number of the golden file is one of a network of torchvision's own blocks. */
static void expect_golden(int h, int w) {
    char path[512], key[64];
    const char *source = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/golden/torchvision_resnet18.safetensors", source ? source : ".");
    tips_model_info info = make_info("resnet18", "stride", 0, 64);
    info.config = (tips_arch_config){.in_channels = 3,
                                     .size = {h, w},
                                     .classes = 10,
                                     .width = 4,
                                     .stem = TIPS_STEM_IMAGENET,
                                     .padding = TIPS_PAD_ZERO,
                                     .pool = info.config.pool};
    test_network n = make_network(&info, 1);
    tips_weights_report report;
    expect_ok(tips__weights_load(path, n.params, TIPS_CLASSIFIER_TAKEN, &report));
    assert_true(report.loaded == n.params->count && report.missing == 0 && report.unused == 0);
    float logits[N * 10], want[10];
    run(&n.model, n.params, &info.config, logits);
    tips_safetensors *file;
    expect_ok(tips__safetensors_open(path, &file));
    snprintf(key, sizeof key, "golden.logits_%dx%d", h, w);
    const char *text = tips__safetensors_metadata(file, key);
    assert_non_null(text);
    for (int i = 0; i < 10; i++) {
        char *end;
        want[i] = strtof(text, &end);
        text = *end == ',' ? end + 1 : end;
    }
    expect_close_to_floats("torchvision's logits", logits, want, 10, 1e-5);
    tips__safetensors_close(file);
    destroy_network(&n);
}

static void test_torchvision(void **state) {
    (void)state;
    test_case("torchvision, 64x64");
    expect_golden(64, 64);
    test_case("torchvision, 48x80");
    expect_golden(48, 80);
}

static void test_out_of_memory(void **state) {
    const char *path = path_in_temporary("memory.safetensors");
    tips_model_info info = make_info("tiny", "tips-exact", 0, 16);
    expect_ok(tips__model_info_set_classes(&info, classes, 5));
    test_network n = make_network(&info, 3);
    int failures = 0;
    (void)state;
    test_case("out of memory");
    for (uint64_t i = 1, done = 0; done < 2; i++) {
        tips_loaded_model loaded;
        const char *what = done ? "loading" : "saving";
        tips__alloc_fail_at(i);
        const tips_status status =
            done ? tips__model_load(path, false, &loaded) : tips__model_save(path, &info, n.params);
        tips__alloc_fail_at(0);
        if (status != TIPS_OK && status != TIPS_MEMORY) fail_case("%s: %s", what, tips_last_error());
        failures += status != TIPS_OK;
        if (status != TIPS_OK) continue;
        if (done++) tips__loaded_model_destroy(&loaded);
        i = 0;
    }
    assert_true(failures > 100);
    tips__model_info_clear(&info);
    destroy_network(&n);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_older_files),     cmocka_unit_test(test_every_operator),
        cmocka_unit_test(test_architectures),   cmocka_unit_test(test_norms),
        cmocka_unit_test(test_everything_said), cmocka_unit_test(test_torchvision),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
