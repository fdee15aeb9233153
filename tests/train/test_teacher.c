/* A teacher answers the pictures of its student whatever the normalisation and order of channels of both, and those it
 * cannot answer are refused. */
#include "train/train_parts.h"
#include "support/compare.h"
#include "support/run_model.h"
#include "support/temporary.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, PLANE = SIDE * (SIDE + 4), CLASSES = 5, BATCH = 2 };

/* Pixels of 0..1 as a model takes them. */
static void prepare(const tips_model_info *info, const float *pixels, float *out) {
    for (int p = 0; p < BATCH * 3; p++) {
        const int k = p % 3, source = info->bgr ? p - k + 2 - k : p;
        for (int i = 0; i < PLANE; i++)
            out[p * PLANE + i] = (pixels[source * PLANE + i] - info->mean[k]) / info->std[k];
    }
}

static void set_input(tips_model_info *info, const float mean[3], const float std[3], bool bgr) {
    memcpy(info->mean, mean, sizeof info->mean);
    memcpy(info->std, std, sizeof info->std);
    info->bgr = bgr;
}

static void expect_answer(const char *what, const tips_model_info *its, const tips_model_info *student) {
    const char *path = path_in_temporary("teacher.safetensors");
    float *pixels = test_floats(BATCH * 3 * PLANE), *x = test_floats(BATCH * 3 * PLANE), want[BATCH * CLASSES],
          got[BATCH * CLASSES];
    test_network n = make_network(its, 3);
    tips_train_config config = {.teacher = path};
    train_setup setup = {.config = &config, .info = *student, .batch = BATCH};
    teacher *t = NULL;
    test_case("%s", what);
    make_picture(pixels, BATCH * 3 * PLANE);
    prepare(its, pixels, x);
    expect_ok(run_model(&n.model, n.params, x, BATCH, want));
    expect_ok(tips__model_save(path, its, n.params));
    expect_ok(tips__teacher_open(&setup, &t));
    prepare(student, pixels, x);
    expect_ok(tips__teacher_answer(t, x, got));
    expect_close_to_floats(what, got, want, BATCH * CLASSES, 1e-4);
    tips__teacher_close(t);
    destroy_network(&n);
    free(pixels);
    free(x);
}

static void test_answers(void **state) {
    static const float mean[3] = {0.1f, 0.5f, 0.8f}, std[3] = {0.2f, 0.3f, 0.9f};
    static const float other_mean[3] = {0.4f, 0.3f, 0.2f}, other_std[3] = {1, 0.5f, 0.25f};
    tips_model_info its = make_info("tiny", "max", 0, SIDE), student = make_info("tiny", "tips-exact", 0, SIDE);
    (void)state;
    set_input(&its, mean, std, false);
    set_input(&student, mean, std, false);
    expect_answer("the same input", &its, &student);
    set_input(&student, other_mean, other_std, false);
    expect_answer("another normalisation", &its, &student);
    set_input(&student, other_mean, other_std, true);
    expect_answer("another order", &its, &student);
    set_input(&its, mean, std, true);
    expect_answer("both blue, green, red", &its, &student);
    set_input(&student, mean, std, false);
    expect_answer("red, green, blue from blue, green, red", &its, &student);
}

static void expect_refusal(tips_model_info student, tips_status status, const char *text) {
    tips_train_config config = {.teacher = path_in_temporary("teacher.safetensors")};
    train_setup setup = {.config = &config, .info = student, .batch = BATCH};
    teacher *t = NULL;
    assert_int_equal(tips__teacher_open(&setup, &t), status);
    assert_null(t);
    if (!strstr(tips_last_error(), text)) fail_msg("'%s' is not said: %s", text, tips_last_error());
    if (!strstr(tips_last_error(), "teacher.safetensors")) fail_msg("the file is not named: %s", tips_last_error());
}

static void test_refusals(void **state) {
    tips_model_info its = make_info("tiny", "max", 0, SIDE), student = its;
    test_network n = make_network(&its, 3);
    (void)state;
    expect_ok(tips__model_save(path_in_temporary("teacher.safetensors"), &its, n.params));
    student.config.classes = CLASSES + 2;
    expect_refusal(student, TIPS_SHAPE, "answers with 5 classes, the data have 7");
    student = its;
    student.config.in_channels = 1;
    expect_refusal(student, TIPS_SHAPE, "pictures of 3 channels, the network of 1");
    remove(path_in_temporary("teacher.safetensors"));
    expect_refusal(its, TIPS_IO, "teacher.safetensors");
    destroy_network(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers), cmocka_unit_test(test_refusals)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_temporary();
    return failed;
}
