/* tips audit: requirements, and the flags that say how pictures become inputs, against inputs normalised here. */
#include "support/compare.h"

#include "core/memory.h"
#include "exchange/npy.h"
#include "audit/audit.h"
#include "predict/predict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 16, PLANE = SIDE * SIDE };

static tips_requirements parse(const char *text) {
    tips_requirements list = {.task = tips__tasks[0]->metrics};
    expect_ok(tips__requirements_add(&list, text));
    return list;
}

static void test_reading(void **state) {
    tips_requirements list = parse("circular_consistency>=95, accuracy > 7.5 %;exact ; msb<=1e1,top5==100,"
                                   "standard_worst_consistency<3,");
    static const char *const texts[] = {
        "circular_consistency >= 95",    "accuracy > 7.5", "exact", "msb <= 10", "top5 == 100",
        "standard_worst_consistency < 3"};
    (void)state;
    assert_int_equal(list.count, 6);
    for (int i = 0; i < list.count; i++) assert_string_equal(list.items[i].text, texts[i]);
    assert_true(tips__requirements_need(&list, TIPS_NEEDS_VERIFIER) && tips__requirements_need(&list, TIPS_NEEDS_MSB));
    assert_true(tips__requirements_need(&list, TIPS_NEEDS_HEATMAP));
    assert_false(tips__requirements_need(&list, TIPS_NEEDS_SEQUENCE));
    tips__free(list.items);
}

static void refuse(const char *text, tips_status status, const char *words) {
    tips_requirements list = {.task = tips__tasks[0]->metrics};
    assert_int_equal(tips__requirements_add(&list, text), status);
    if (!strstr(tips_last_error(), words)) fail_msg("'%s': %s", text, tips_last_error());
    tips__free(list.items);
}

static void test_refusals(void **state) {
    (void)state;
    refuse("circular_consistancy>=95", TIPS_UNKNOWN, "did you mean 'circular_consistency'?");
    refuse("zebra>1", TIPS_UNKNOWN, "unknown metric 'zebra'; accuracy, circular_consistency and exact are some");
    refuse("loss<=1", TIPS_UNKNOWN, "unknown metric 'loss'"); /* an evaluation does not measure it */
    refuse("accuracy", TIPS_INVALID, "needs >=");
    refuse("accuracy=5", TIPS_INVALID, "needs >=");
    refuse("accuracy>=", TIPS_INVALID, "needs a number");
    refuse("accuracy>=many", TIPS_INVALID, "needs a number");
    refuse("accuracy>=inf", TIPS_INVALID, "needs a number");
    refuse("exact>=1", TIPS_INVALID, "takes no number");
    refuse(">=5", TIPS_INVALID, "no name");
    refuse("", TIPS_INVALID, "empty");
    refuse("accuracy>=1,,top5>=1", TIPS_INVALID, "empty");
}

/* Percent, not shares: what cannot be meant is refused, and a sign says what is. */
static void test_percent(void **state) {
    (void)state;
    refuse("accuracy>=0.9", TIPS_INVALID,
           "accuracy is in percent, so write 90 or 90%; should it really be 0.9 percent");
    refuse("circular_consistency == 1", TIPS_INVALID, "write 100 or 100%");
    refuse("msb<=0.05", TIPS_INVALID, "write 5 or 5%");
    refuse("standard_flip_probability>0.5", TIPS_INVALID, "write 50 or 50%");
    refuse("accuracy>=101", TIPS_INVALID, "0 to 100; write 90 or 90%");
    refuse("accuracy>=101%", TIPS_INVALID, "0 to 100");
    refuse("accuracy>=95,top5>-1", TIPS_INVALID, "'top5>-1' cannot be meant");
    tips_requirements list = parse("accuracy>=90%,circular_flip_probability<=0.5%,top5>=0,msb<=100,accuracy>1.5");
    assert_int_equal(list.count, 5);
    assert_string_equal(list.items[0].text, "accuracy >= 90");
    assert_string_equal(list.items[1].text, "circular_flip_probability <= 0.5");
    tips__free(list.items);
}

static void check(const char *text, bool ok, const char *got) {
    tips_model_result model = {.figures = tips__figures_none(tips__tasks[0]->metrics)};
    model.figures.own[tips__metric_main(model.figures.task)].value = 95;
    model.figures.common[TIPS_METRIC_CIRCULAR_CONSISTENCY].value = 99.5;
    model.figures.common[TIPS_METRIC_CIRCULAR_PRODUCT].value = 94.5;
    model.figures.common[TIPS_METRIC_CIRCULAR_FLIPS].value = 0.5;
    const tips_verify_result verification = {.exact = false, .answer_changes = 0};
    tips_requirements list = parse(text);
    char shown[32];
    test_case("%s", text);
    if (tips__requirements_check(&list, &model, &verification, NULL) != ok) fail_case("is not %d", ok);
    tips__requirement_got(&list.items[0], shown, sizeof shown);
    if (strcmp(shown, got) != 0) fail_case("got %s, not %s", shown, got);
    tips__free(list.items);
}

static void test_checking(void **state) {
    (void)state;
    check("accuracy>=95", true, "95.00");
    check("accuracy>95", false, "95.00");
    check("accuracy<=95", true, "95.00");
    check("accuracy<95", false, "95.00");
    check("accuracy==95", true, "95.00");
    check("circular_consistency>=99.6", false, "99.50");
    check("circular_accuracy_x_consistency>=94.5", true, "94.50");
    check("circular_flip_probability<=0.5", true, "0.50");
    check("msb>=0", false, "not measured");
    check("exact", false, "no");
    check("invariant", true, "yes");
    check("accuracy>=95,exact", false, "95.00");
}

/* A picture, and the input that a network would be given by someone else's code. */
typedef struct sample {
    char picture[32], input[32], scores[32];
    uint8_t pixels[PLANE][3];
} sample;

static void make_sample(sample *s) {
    strcpy(s->picture, "/tmp/tips-audit-XXXXXX.ppm");
    strcpy(s->input, "/tmp/tips-audit-XXXXXX.npy");
    strcpy(s->scores, "/tmp/tips-audit-XXXXXX");
    const int file = mkstemps(s->picture, 4);
    assert_true(file >= 0 && close(mkstemps(s->input, 4)) == 0 && close(mkstemp(s->scores)) == 0);
    for (int i = 0; i < PLANE; i++)
        for (int c = 0; c < 3; c++) s->pixels[i][c] = (uint8_t)((i * (7 + 4 * c) + 60 * c) % 256);
    FILE *stream = fdopen(file, "wb");
    assert_non_null(stream);
    fprintf(stream, "P6\n%d %d\n255\n", SIDE, SIDE);
    assert_true(fwrite(s->pixels, sizeof s->pixels, 1, stream) == 1 && fclose(stream) == 0);
}

static void unlink_sample(const sample *s) {
    unlink(s->picture);
    unlink(s->input);
    unlink(s->scores);
}

static void predict(const sample *s, const char *file, const tips_input_options *input, tips_npy *scores) {
    char *files[] = {(char *)file};
    const tips_predict_config config = {.network = {.arch = "tiny",
                                                    .pool = "max",
                                                    .padding = TIPS_PAD_CIRCULAR,
                                                    .classes = 7,
                                                    .channels = 3,
                                                    .seed = 5,
                                                    .threads = 1},
                                        .input = *input,
                                        .files = files,
                                        .n_files = 1,
                                        .top = 1,
                                        .batch = 1};
    tips_predict_result r;
    expect_ok(tips__predict_run(&config, &r));
    expect_ok(tips__predict_save_scores(&r, s->scores));
    tips__predict_free(&r);
    expect_ok(tips__npy_read(s->scores, scores));
}

/* value = (scale * byte + offset - mean) / std, by hand. */
static void expect_input(const char *what, const tips_input_options *flags, double scale, double offset,
                         const double mean[3], const double std[3]) {
    const tips_input_options plain = {.size = {SIDE, SIDE}};
    tips_input_options given = *flags;
    tips_npy got, want;
    float x[3 * PLANE];
    sample s;
    given.size[0] = given.size[1] = SIDE;
    make_sample(&s);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < PLANE; i++) {
            const double byte = s.pixels[i][flags->bgr ? 2 - c : c];
            x[c * PLANE + i] = (float)((scale * byte + offset - mean[c]) / std[c]);
        }
    expect_ok(tips__npy_write(s.input, 4, (const int64_t[4]){1, 3, SIDE, SIDE}, x));
    predict(&s, s.picture, &given, &got);
    predict(&s, s.input, &plain, &want);
    expect_close_to_floats(what, got.data, want.data, 7, 1e-4);
    tips__npy_free(&got);
    tips__npy_free(&want);
    unlink_sample(&s);
}

static void test_inputs(void **state) {
    static const double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, half[3] = {0.5, 0.5, 0.5},
                        quarter[3] = {.25, .25, .25};
    static const double mean[3] = {0.1, 0.2, 0.3}, std[3] = {0.4, 0.5, 0.6}, caffe[3] = {104, 117, 123};
    const char *mean_text = "0.1,0.2,0.3", *std_text = "0.4,0.5,0.6";
    (void)state;
    expect_input("nothing", &(tips_input_options){0}, 1 / 255.0, 0, half, quarter);
    expect_input("mean and std", &(tips_input_options){.mean = mean_text, .std = std_text}, 1 / 255.0, 0, mean, std);
    expect_input("one number", &(tips_input_options){.mean = "0"}, 1 / 255.0, 0, zero, quarter);
    expect_input("0..1", &(tips_input_options){.range = TIPS_PIXELS_1}, 1 / 255.0, 0, zero, one);
    expect_input("-1..1", &(tips_input_options){.range = TIPS_PIXELS_SIGNED}, 2 / 255.0, -1, zero, one);
    expect_input("-1..1, mean, std",
                 &(tips_input_options){.range = TIPS_PIXELS_SIGNED, .mean = mean_text, .std = std_text}, 2 / 255.0, -1,
                 mean, std);
    expect_input("0..255, bgr", &(tips_input_options){.range = TIPS_PIXELS_255, .bgr = true, .mean = "104,117,123"}, 1,
                 0, caffe, one);
    expect_input("bgr", &(tips_input_options){.bgr = true, .mean = mean_text, .std = std_text}, 1 / 255.0, 0, mean,
                 std);
}

/* The model's own mean follows its colour. */
static void test_order(void **state) {
    tips_loaded_model model = {0};
    tips_model_info *info = &model.info;
    (void)state;
    tips__model_info_init(info);
    info->config.in_channels = 3;
    for (int i = 0; i < 3; i++) info->mean[i] = (float)i, info->std[i] = (float)(i + 1);
    expect_ok(tips__input_apply(&(tips_input_options){.bgr = true, .resize = 9}, &model));
    assert_true(info->bgr && info->mean[0] == 2 && info->mean[2] == 0 && info->std[0] == 3 && info->resize == 9);
    assert_true(model.preprocess.bgr && model.preprocess.mean[0] == 2 && model.preprocess.resize == 9);
    expect_ok(tips__input_apply(&(tips_input_options){0}, &model)); /* nothing said: nothing changes */
    assert_true(info->bgr && info->mean[0] == 2);
    expect_ok(tips__input_apply(&(tips_input_options){.bgr = true}, &model)); /* said again: no second turn */
    assert_true(info->bgr && info->mean[0] == 2);
    assert_int_equal(tips__input_apply(&(tips_input_options){.mean = "1,2"}, &model), TIPS_INVALID);
    assert_int_equal(tips__input_apply(&(tips_input_options){.mean = "1,2,3,4"}, &model), TIPS_INVALID);
    assert_int_equal(tips__input_apply(&(tips_input_options){.mean = "a"}, &model), TIPS_INVALID);
    assert_int_equal(tips__input_apply(&(tips_input_options){.std = "1,0,1"}, &model), TIPS_RANGE);
    info->config.in_channels = 1;
    assert_int_equal(tips__input_apply(&(tips_input_options){.bgr = true}, &model), TIPS_INVALID);
    tips__model_info_clear(info);
}

static void give(tips_input_options *in, const char *name, const char *value) {
    tips_option row;
    assert_true(tips__option_find(tips__input_rows, name, &row));
    expect_ok(tips__option_set(&row, in, value, name));
}

static void describe(const tips_input_options *in, tips_model_info *info) {
    tips__model_info_init(info);
    info->config.in_channels = 3;
    info->bgr = true;
    for (int i = 0; i < 3; i++) info->mean[i] = (float)i;
    info->placement = (tips_placement){
        .filter = TIPS_FILTER_PLAIN, .pad = TIPS_PAD_GREY, .place = TIPS_AT_CENTRE, .stretch = 1};
    expect_ok(tips__input_describe(in, info));
}

/* What is given counts over the model's own, although it is the default of its option; what is not does not. The flags
 * that say the same name it. */
static void test_given_defaults(void **state) {
    static const char *const flags[][2] = {
        {"pad", "black"}, {"place", "corner"}, {"filter", "smooth"}, {"stretch", "no"}, {"bgr", "false"}};
    tips_input_options in;
    tips_model_info info;
    tips_text text = {0};
    (void)state;
    expect_ok(tips__options_defaults(tips__input_rows, &in));
    describe(&in, &info);
    assert_true(info.placement.pad == TIPS_PAD_GREY && info.placement.place == TIPS_AT_CENTRE && info.bgr);
    assert_true(info.placement.filter == TIPS_FILTER_PLAIN && info.placement.stretch == 1 && info.mean[0] == 0);
    tips__model_info_clear(&info);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) give(&in, flags[i][0], flags[i][1]);
    describe(&in, &info);
    assert_true(info.placement.pad == TIPS_PAD_BLACK && info.placement.place == TIPS_AT_CORNER && !info.bgr);
    assert_true(info.placement.filter == TIPS_FILTER_SMOOTH && info.mean[0] == 2 && info.mean[2] == 0);
    assert_true(info.placement.stretch == 0 && info.placement.fit[0] == TIPS_FIT_INPUT);
    tips__model_info_clear(&info);
    tips__input_flags(&text, &in);
    assert_string_equal(text.data, " --no-bgr --filter smooth --pad black --place corner --stretch no");
    tips__text_clear(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_percent), cmocka_unit_test(test_checking),
        cmocka_unit_test(test_inputs),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_given_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
