/* The input of the verifier: for a picture the one that tips predict makes of it, to the last bit, whatever is said of
 * the input; and pictures and flags that make no sense are refused. */
#include "data/dataset.h"
#include "model/open_model.h"
#include "predict/predict.h"
#include "support/compare.h"
#include "support/run_model.h"
#include "support/temporary.h"
#include "verify/verify_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 16 };

static char *image_path(const char *name) {
    static char path[512];
    const char *source = getenv("SOURCE_DIR");
    snprintf(path, sizeof path, "%s/tests/images/%s", source ? source : ".", name);
    return path;
}

static tips_model_options network_of(int channels) {
    return (tips_model_options){.arch = "tiny",
                                .pool = "tips-exact",
                                .padding = TIPS_PAD_CIRCULAR,
                                .classes = 5,
                                .channels = channels,
                                .seed = 3};
}

/* The scores that tips predict gives a picture. */
static void predict(const tips_verify_config *c, float *scores) {
    char *file = image_path(c->image);
    const tips_predict_config config = {.model = c->model_file,
                                        .network = c->model,
                                        .input = c->input,
                                        .files = &file,
                                        .n_files = 1,
                                        .top = 1,
                                        .batch = 2};
    tips_predict_result result;
    expect_ok(tips__predict_run(&config, &result));
    assert_in_range(result.n_classes, 1, MOST_CLASSES);
    memcpy(scores, result.scores, (size_t)result.n_classes * sizeof *scores);
    tips__predict_free(&result);
}

/* `given->image` is a name in tests/images. */
static void expect_same_input(const char *what, const tips_verify_config *given) {
    float wanted[MOST_CLASSES] = {0}, scores[MOST_CLASSES] = {0};
    tips_verify_config config = *given;
    verify_subject s;
    test_case("%s", what);
    predict(given, wanted);
    config.image = image_path(given->image);
    expect_ok(tips__verify_subject_build(&config, &s));
    expect_ok(tips__verify_subject_fill(&config, &s));
    const tips_model model = {
        .graph = s.model.graph,
        .ends = {.input = s.model.ends.input, .outputs = {s.model.ends.outputs[0]}, .n_outputs = 1}};
    expect_ok(run_model(&model, s.params, s.image, 1, scores));
    expect_same_bits(what, scores, wanted, (size_t)s.info.config.classes);
    tips__verify_subject_destroy(&s);
}

static void test_random_network(void **state) {
    (void)state;
    tips_verify_config c = {.model = network_of(3), .image = "colour.ppm"};
    expect_same_input("a small picture as it is", &c);
    c.input = (tips_input_options){.size = {16, 24}, .resize = 30, .mean = "0.1,0.2,0.3", .std = "0.4", .bgr = true};
    expect_same_input("size, resize, mean, deviation, order", &c);
    c.input = (tips_input_options){.range = TIPS_PIXELS_255, .mean = "104,117,123"};
    c.image = "grey.pgm";
    expect_same_input("range, from grey", &c);
    c.model = network_of(1);
    c.input = (tips_input_options){.mean = "0.3"};
    c.image = "colour.ppm";
    expect_same_input("to grey", &c);
}

static void test_model_file(void **state) {
    const char *path = path_in_temporary("model.safetensors");
    tips_model_info info = make_info("tiny", "aps", 0, 16);
    const float mean[3] = {0.5f, 0.25f, 0.75f};
    (void)state;
    memcpy(info.mean, mean, sizeof mean);
    info.bgr = true;
    info.resize = 20;
    test_network n = make_network(&info, 5);
    expect_ok(tips__model_save(path, &info, n.params));
    tips_verify_config c = {.model = network_of(3), .model_file = path, .image = "colour.ppm"};
    expect_same_input("as the file says", &c);
    c.input = (tips_input_options){.size = {24, 24}, .resize = 25, .std = "0.5,0.6,0.7"};
    expect_same_input("with flags over it", &c);
    destroy_network(&n);
}

static void test_dataset(void **state) {
    const tips_verify_config config = {.model = network_of(3), .data = "shapes:size=20,test=9", .picture = 4};
    tips_dataset *set;
    tips_image picture;
    verify_subject s;
    int label;
    (void)state;
    expect_ok(tips__dataset_open(config.data, &(tips_dataset_options){.seed = 3}, &set));
    expect_ok(tips__dataset_read(set, TIPS_SPLIT_TEST, config.picture, &picture, &label));
    expect_ok(tips__verify_subject_build(&config, &s));
    expect_ok(tips__verify_subject_fill(&config, &s));
    float *wanted = test_floats(3 * 32 * 32);
    const tips_preprocess p = tips__model_preprocess(&s.info);
    expect_ok(tips__preprocess(&p, &picture, 0, 0, false, wanted));
    expect_same_bits("the picture", s.image, wanted, 3 * 32 * 32);
    free(wanted);
    tips__image_free(&picture);
    tips__dataset_close(set);
    tips__verify_subject_destroy(&s);
}

/* Flags on the input count for a natural-like one too. */
static void test_natural(void **state) {
    tips_verify_config plain = {.model = network_of(4)}, moved = plain;
    verify_subject a, b;
    (void)state;
    moved.input = (tips_input_options){.mean = "0", .std = "1"};
    expect_ok(tips__verify_subject_build(&plain, &a));
    expect_ok(tips__verify_subject_fill(&plain, &a));
    expect_ok(tips__verify_subject_build(&moved, &b));
    expect_ok(tips__verify_subject_fill(&moved, &b));
    for (int i = 0; i < 4 * 32 * 32; i++) assert_true(a.image[i] == (b.image[i] - 0.5f) / 0.25f);
    tips__verify_subject_destroy(&a);
    tips__verify_subject_destroy(&b);
}

static void expect_refused(const char *what, tips_verify_config config, const char *reason) {
    tips_verify_result result;
    test_case("%s", what);
    config.shifts = "1";
    assert_int_equal(tips__verify_run(&config, &result), TIPS_INVALID);
    if (!strstr(tips_last_error(), reason)) fail_case("'%s' does not say '%s'", tips_last_error(), reason);
}

static void test_refusals(void **state) {
    const char *image = image_path("colour.ppm");
    (void)state;
    expect_refused("channels of no picture", (tips_verify_config){.model = network_of(4), .image = image},
                   "--image: pictures have 1 or 3 channels, and the input 4; without it");
    expect_refused("data for them", (tips_verify_config){.model = network_of(2), .data = "shapes"}, "--data: pictures");
    expect_refused("the same alone", (tips_verify_config){.model = network_of(8), .image = image, .alone = true},
                   "the input 8");
    expect_refused("labels", (tips_verify_config){.model = network_of(3), .input = {.labels = "names.txt"}},
                   "--labels names classes");
    expect_refused("nothing to resize", (tips_verify_config){.model = network_of(3), .input = {.resize = 40}},
                   "--resize is of pictures");
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_network), cmocka_unit_test(test_model_file),
                                       cmocka_unit_test(test_dataset), cmocka_unit_test(test_natural),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
