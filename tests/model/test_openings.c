/* How often files are opened and read: a model once a command, the data once, whatever the command does with them. */
#include "support/compare.h"
#include "support/temporary.h"

#include "audit/audit.h"
#include "convert/convert_model.h"
#include "exchange/safetensors.h"
#include "export/export.h"
#include "model/model_init.h"
#include "model/model_report.h"
#include "onnx/onnx_file.h"
#include "predict/predict.h"

#include <stdio.h>
#include <stdlib.h>

static int onnx_files, safetensors_files, datasets;

tips_status __real_tips__onnx_open(const char *path, tips_onnx **out);
tips_status __wrap_tips__onnx_open(const char *path, tips_onnx **out);
tips_status __real_tips__safetensors_open(const char *path, tips_safetensors **out);
tips_status __wrap_tips__safetensors_open(const char *path, tips_safetensors **out);
tips_status __real_tips__dataset_open(const char *spec, const tips_dataset_options *options, tips_dataset **out);
tips_status __wrap_tips__dataset_open(const char *spec, const tips_dataset_options *options, tips_dataset **out);

tips_status __wrap_tips__onnx_open(const char *path, tips_onnx **out) {
    onnx_files++;
    return __real_tips__onnx_open(path, out);
}

tips_status __wrap_tips__safetensors_open(const char *path, tips_safetensors **out) {
    safetensors_files++;
    return __real_tips__safetensors_open(path, out);
}

tips_status __wrap_tips__dataset_open(const char *spec, const tips_dataset_options *options, tips_dataset **out) {
    datasets++;
    return __real_tips__dataset_open(spec, options, out);
}

static void expect_openings(const char *what, int models, int data) {
    if (onnx_files + safetensors_files != models || datasets != data)
        fail_msg("%s: the model is opened %d times, the data %d times", what, onnx_files + safetensors_files, datasets);
    onnx_files = safetensors_files = datasets = 0;
}

/* Three classes, any size of input. */
static const char *foreign_file(void) {
    static char path[512];
    const char *source = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/onnx/block13.onnx", source ? source : ".");
    return path;
}

static const char *own_file(void) {
    static char path[TEMPORARY_PATH];
    const tips_init_config config = {.model = {.arch = "tiny",
                                               .pool = "aps",
                                               .padding = TIPS_PAD_CIRCULAR,
                                               .size = {16, 16},
                                               .classes = 3,
                                               .channels = 3,
                                               .seed = 1},
                                     .out = path};
    tips_init_result result;
    snprintf(path, sizeof path, "%s", path_in_temporary("own.safetensors"));
    expect_ok(tips__model_init(&config, &result));
    expect_openings("init", 0, 0);
    return path;
}

static void audit(const char *model) {
    const char *page = path_in_temporary("page.html");
    const char *require[] = {"accuracy>=0;exact"};
    const tips_audit_config config = {.evaluate = {.models = model,
                                                   .network = {.seed = 1},
                                                   .input = {.size = {16, 16}},
                                                   .data = "shapes:size=16,train=20,test=6,classes=3",
                                                   .split = TIPS_SPLIT_TEST,
                                                   .msb = true,
                                                   .grid_images = 2,
                                                   .batch = 4},
                                      .shifts = "4",
                                      .require = require,
                                      .n_require = 1,
                                      .report = page};
    tips_audit_result result;
    expect_ok(tips__audit_run(&config, &result));
    expect_ok(tips__audit_save(&config, &result));
    assert_true(result.picture[0] != '\0');
    tips__audit_free(&result);
    expect_openings("audit", 1, 1);
}

static void verify(const char *model) {
    const tips_verify_config config = {.model = {.seed = 1},
                                       .input = {.size = {16, 16}},
                                       .shifts = "3",
                                       .data = "shapes:size=16,train=20,test=6,classes=3",
                                       .model_file = model};
    tips_verify_result result;
    expect_ok(tips__verify_run(&config, &result));
    tips__verify_free(&result);
    expect_openings("verify", 1, 1);
}

/* ImageNet's size brings a resize with it, which goes by what the file says of its own size. */
static void predict(const char *model, int size) {
    static const unsigned char pixels[] = "P6 2 2 255 abcdefghijkl";
    const char *picture = path_in_temporary("picture.ppm");
    char *files[] = {(char *)picture};
    const tips_predict_config config = {
        .model = model, .input = {.size = {size, size}}, .files = files, .n_files = 1, .top = 1, .batch = 1};
    tips_predict_result result;
    write_file(picture, pixels, sizeof pixels - 1);
    expect_ok(tips__predict_run(&config, &result));
    tips__predict_free(&result);
    expect_openings("predict", 1, 0);
}

static void export(const char *model, const char *out) {
    const tips_export_config config = {.model = model, .out = out, .opset = 17, .size = {32, 32}};
    tips_export_result result;
    expect_ok(tips__export_run(&config, &result));
    expect_openings("export", 1, 0);
}

static void convert(const char *model) {
    const tips_convert_config config = {.model = model,
                                        .out = path_in_temporary("converted.safetensors"),
                                        .pool = "aps",
                                        .padding = TIPS_PAD_CIRCULAR,
                                        .input = {.size = {16, 16}}};
    tips_convert_result result;
    expect_ok(tips__convert_model(&config, &result));
    tips__convert_result_free(&result);
    expect_openings("convert", 1, 0);
}

static void info(const char *model) {
    tips_model_report report;
    expect_ok(tips__model_report(model, &(tips_read_as){0}, &report));
    tips__model_report_clear(&report);
    expect_openings("info", 1, 0);
}

static void test_safetensors(void **state) {
    const char *model = own_file();
    (void)state;
    audit(model);
    verify(model);
    predict(model, 0);
    predict(model, 32);
    info(model);
    remove_temporary();
}

static void test_foreign_onnx(void **state) {
    const char *model = foreign_file();
    (void)state;
#ifndef TIPS_HAVE_ONNX
    skip();
#endif
    audit(model);
    verify(model);
    predict(model, 16);
    predict(model, 224);
    export(model, path_in_temporary("foreign.onnx"));
    convert(model);
    info(model);
    remove_temporary();
}

static void test_own_onnx(void **state) {
    char path[TEMPORARY_PATH];
    (void)state;
#ifndef TIPS_HAVE_ONNX
    skip();
#endif
    const char *original = own_file();
    snprintf(path, sizeof path, "%s", path_in_temporary("own.onnx"));
    export(original, path);
    audit(path);
    verify(path);
    predict(path, 16);
    info(path);
    remove_temporary();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_safetensors),
        cmocka_unit_test(test_foreign_onnx),
        cmocka_unit_test(test_own_onnx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
