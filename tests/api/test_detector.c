/* The public detector: boxes as tips predict finds them, on any thread; figures as tips eval measures them; models for
 * other tasks refused; memory that runs out. */
#include "support/compare.h"
#include "support/run_model.h"
#include "support/short_memory.h"
#include "support/temporary.h"

#include "evaluate/evaluate.h"
#include "predict/predict.h"
#include "task/detect.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tips/tips.h>

enum { H = 32, W = 64, C = 3, CLASSES = 5, PIXELS = C * H * W, TALL = 45, WIDE = 38, ROOM = 300 };

static const char *const names[CLASSES] = {"bee", "cat", "dog", "hen", "pig"};

/* Random weights are sure of nothing: a score of 0.01 is much. */
static const char *write_model(const char *pool) {
    const char *path = path_in_temporary("boxes.safetensors");
    tips_model_info info = make_info("retinanet", pool, 0, H);
    info.config.size[1] = W;
    expect_ok(tips__task_parse("detect:score=0.0105,shown=0.011", &info.task));
    for (int i = 0; i < 3; i++) info.mean[i] = 0.4f + 0.05f * (float)i, info.std[i] = 0.2f + 0.01f * (float)i;
    expect_ok(tips__model_info_set_classes(&info, names, CLASSES));
    test_network network = make_network(&info, 7);
    expect_ok(tips__model_save(path, &info, network.params));
    destroy_network(&network);
    tips__model_info_clear(&info);
    return path;
}

static tips_detector *load(const char *path) {
    tips_detector *detector = NULL;
    expect_ok(tips_detector_load(path, NULL, &detector));
    return detector;
}

static void fill_pixels(uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++) pixels[i] = (uint8_t)(i / 5 * 2654435761u >> 13 & 255);
}

/* Field by field: there may be gaps between them. */
static bool same_boxes(const tips_found_box *a, const tips_found_box *b, int count) {
    bool same = true;
    for (int i = 0; i < count; i++)
        same = same && a[i].left == b[i].left && a[i].top == b[i].top && a[i].width == b[i].width &&
               a[i].height == b[i].height && a[i].score == b[i].score && a[i].class_index == b[i].class_index &&
               a[i].name == b[i].name;
    return same;
}

static void test_facts(void **state) {
    const char *path = write_model("aps");
    tips_detector *d = load(path), *other = NULL;
    (void)state;
    assert_string_equal(tips_detector_arch(d), "retinanet");
    assert_string_equal(tips_detector_pool(d), "aps");
    assert_int_equal(tips_detector_channels(d), C);
    assert_int_equal(tips_detector_height(d), H);
    assert_int_equal(tips_detector_width(d), W);
    assert_int_equal(tips_detector_classes(d), CLASSES);
    assert_true(tips_detector_shown(d) == 0.011);
    for (int i = 0; i < CLASSES; i++) assert_string_equal(tips_detector_name(d, i), names[i]);
    assert_null(tips_detector_name(d, CLASSES));
    tips_detector_destroy(d);
    expect_ok(tips_detector_load(path, &(tips_detector_options){.height = 64, .shown = 0.4}, &other));
    assert_true(tips_detector_shown(other) == 0.4 && tips_detector_height(other) == 64 &&
                tips_detector_width(other) == 64);
    tips_detector_destroy(other);
    assert_int_equal(tips_detector_load(path, &(tips_detector_options){.shown = 2}, &other), TIPS_RANGE);
    assert_int_equal(tips_detector_load(path, &(tips_detector_options){.boxes = "yolox"}, &other), TIPS_INVALID);
    assert_non_null(strstr(tips_last_error(), "says itself what its outputs are"));
}

/* What tips predict finds; rows may be apart; room that is too small takes the best. */
static void test_answers(void **state) {
    enum { STEP = WIDE * 3 + 7, FEW = 3 };
    uint8_t pixels[TALL * WIDE * 3], apart[TALL * STEP];
    const char *model = write_model("max"), *file = path_in_temporary("picture.ppm");
    char *files[1] = {(char *)file}, ppm[64 + sizeof pixels];
    const tips_predict_config config = {.model = model, .files = files, .n_files = 1, .batch = 2};
    static tips_found_box got[ROOM], again[ROOM], few[FEW + 1];
    tips_predict_result result;
    int count = -1, same = -1;
    (void)state;
    fill_pixels(pixels, sizeof pixels);
    for (int y = 0; y < TALL; y++) memcpy(apart + y * STEP, pixels + y * WIDE * 3, WIDE * 3);
    const int start = snprintf(ppm, sizeof ppm, "P6\n%d %d\n255\n", WIDE, TALL);
    memcpy(ppm + start, pixels, sizeof pixels);
    write_file(file, ppm, (size_t)start + sizeof pixels);
    expect_ok(tips__predict_run(&config, &result));
    tips_detector *d = load(model);
    expect_ok(tips_detector_answer(d, &(tips_picture){pixels, TALL, WIDE, 3, 0}, got, ROOM, &count));
    const tips_prediction *want = &result.predictions[0];
    assert_true(count == want->n_shown && count > 10);
    for (int i = 0; i < count; i++) {
        const tips_detection *w = &want->boxes[i];
        assert_true(got[i].left == w->x && got[i].top == w->y && got[i].width == w->w && got[i].height == w->h);
        assert_true(got[i].score == w->score && got[i].class_index == w->label);
        assert_string_equal(got[i].name, names[w->label]);
    }
    expect_ok(tips_detector_answer(d, &(tips_picture){apart, TALL, WIDE, 3, STEP}, again, ROOM, &same));
    assert_true(same == count && same_boxes(again, got, count));
    few[FEW].score = 77;
    expect_ok(tips_detector_answer(d, &(tips_picture){pixels, TALL, WIDE, 3, 0}, few, FEW, &same));
    assert_true(same == count && few[FEW].score == 77);
    assert_true(same_boxes(few, got, FEW));
    expect_ok(tips_detector_answer(d, &(tips_picture){pixels, TALL, WIDE, 3, 0}, NULL, 0, &same));
    assert_int_equal(same, count);
    assert_int_equal(tips_detector_answer(d, &(tips_picture){pixels, TALL, WIDE, 3, 0}, few, -1, &same), TIPS_RANGE);
    tips__predict_free(&result);
    tips_detector_destroy(d);
}

/* An exact network on a ring: an image that goes round has its boxes going round. */
static void test_rolled(void **state) {
    enum { DOWN = 5, RIGHT = 11 };
    tips_detector *d = load(write_model("tips-exact"));
    float *image = test_floats(PIXELS), *rolled = test_floats(PIXELS);
    static tips_found_box here[ROOM], there[ROOM];
    int n = 0, m = 0;
    (void)state;
    make_picture(image, PIXELS);
    for (int i = 0; i < PIXELS; i++) {
        const int c = i / (H * W), y = i / W % H, x = i % W;
        rolled[(c * H + (y + DOWN) % H) * W + (x + RIGHT) % W] = image[i];
    }
    expect_ok(tips_detector_run(d, image, here, ROOM, &n));
    expect_ok(tips_detector_run(d, rolled, there, ROOM, &m));
    assert_true(n == m && n > 5);
    for (int i = 0; i < n; i++) {
        const double dx = remainder(there[i].left - here[i].left - RIGHT, W),
                     dy = remainder(there[i].top - here[i].top - DOWN, H);
        assert_true(there[i].score == here[i].score && there[i].class_index == here[i].class_index);
        assert_true(fabs(dx) < 1e-9 && fabs(dy) < 1e-9 && fabs(there[i].width - here[i].width) < 1e-9);
    }
    image[7] = NAN;
    assert_int_equal(tips_detector_run(d, image, here, ROOM, &n), TIPS_NUMERIC);
    tips_detector_destroy(d);
    free(image), free(rolled);
}

typedef struct job {
    const tips_detector *detector;
    const tips_picture *picture;
    const tips_found_box *want;
    int count, wrong;
} job;

static void *run_job(void *data) {
    job *j = data;
    tips_found_box got[ROOM];
    for (int i = 0; i < 3; i++) {
        int count;
        j->wrong += tips_detector_answer(j->detector, j->picture, got, ROOM, &count) != TIPS_OK || count != j->count ||
                    !same_boxes(got, j->want, count);
    }
    return NULL;
}

static void test_threads(void **state) {
    enum { THREADS = 3 };
    static uint8_t pixels[TALL * WIDE * 3];
    static tips_found_box want[ROOM];
    const tips_picture picture = {pixels, TALL, WIDE, 3, 0};
    tips_detector *d = load(write_model("max"));
    pthread_t threads[THREADS];
    job jobs[THREADS];
    int count;
    (void)state;
    fill_pixels(pixels, sizeof pixels);
    expect_ok(tips_detector_answer(d, &picture, want, ROOM, &count));
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (job){d, &picture, want, count, 0};
        assert_int_equal(pthread_create(&threads[t], NULL, run_job, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) assert_int_equal(jobs[t].wrong, 0);
    tips_detector_destroy(d);
}

static void take_things(const tips_annotation *from, tips_thing *to) {
    for (int i = 0; i < from->n_boxes; i++) {
        const tips_box *b = &from->boxes[i];
        to[i] = (tips_thing){b->left, b->top, b->right - b->left, b->bottom - b->top, b->label, b->crowd, b->ignore};
    }
}

static void test_consistency(void **state) {
    enum { COUNT = 3, PAIRS = 2, SEED = 3, MOST = 8 };
    const char *path = write_model("max");
    const tips_evaluate_config config = {.models = path,
                                         .network = {.seed = SEED},
                                         .data = "shapes:test=3,classes=5,objects=2,size=32x64",
                                         .split = TIPS_SPLIT_TEST,
                                         .protocol = tips__protocol_auto(),
                                         .pairs = PAIRS,
                                         .batch = 8};
    const tips_consistency_options options = {.pairs = PAIRS, .seed = SEED};
    tips_evaluate_result want;
    tips_box_consistency got, bare;
    tips_dataset *set;
    tips_image images[COUNT];
    tips_annotation truths[COUNT];
    tips_picture pictures[COUNT];
    static tips_thing room[COUNT][MOST];
    tips_things things[COUNT];
    (void)state;
    expect_ok(tips__dataset_open(config.data, &(tips_dataset_options){.seed = SEED}, &set));
    expect_ok(tips__evaluate_run(&config, &want));
    for (int i = 0; i < COUNT; i++) {
        expect_ok(tips__dataset_read_annotated(set, TIPS_SPLIT_TEST, i, TIPS_ANNOTATES_BOXES, &images[i], &truths[i]));
        pictures[i] = (tips_picture){images[i].pixels, images[i].h, images[i].w, images[i].c, 0};
        assert_true(truths[i].n_boxes > 0 && truths[i].n_boxes <= MOST);
        take_things(&truths[i], room[i]);
        things[i] = (tips_things){room[i], truths[i].n_boxes};
    }
    tips_detector *d = load(path);
    expect_ok(tips_detector_consistency(d, pictures, things, COUNT, &options, &got));
    const tips_figures *f = &want.models[0].figures;
    assert_int_equal(got.pictures, COUNT);
    assert_memory_equal(&got.ap, &f->own[TIPS_DETECT_AP], sizeof got.ap);
    assert_memory_equal(&got.ap50, &f->own[TIPS_DETECT_AP50], sizeof got.ap);
    assert_memory_equal(&got.ap75, &f->own[TIPS_DETECT_AP75], sizeof got.ap);
    assert_memory_equal(&got.standard, &f->common[TIPS_METRIC_STANDARD_CONSISTENCY], sizeof got.ap);
    assert_memory_equal(&got.standard_fidelity, &f->common[TIPS_METRIC_STANDARD_FIDELITY], sizeof got.ap);
    assert_memory_equal(&got.circular, &f->common[TIPS_METRIC_CIRCULAR_CONSISTENCY], sizeof got.ap);
    assert_memory_equal(&got.circular_fidelity, &f->common[TIPS_METRIC_CIRCULAR_FIDELITY], sizeof got.ap);
    assert_true(got.standard.value < 100 && got.standard.value > 0);
    assert_true(got.standard_flicker.box_jitter > 0 && got.standard_flicker.vanishing > 0 &&
                got.circular_flicker.score_jitter > 0);
    expect_ok(tips_detector_consistency(d, pictures, NULL, COUNT, &options, &bare));
    assert_memory_equal(&got.standard, &bare.standard, sizeof got.standard);
    assert_memory_equal(&got.circular_flicker, &bare.circular_flicker, sizeof got.circular_flicker);
    assert_true(isnan(bare.ap.value) && isnan(bare.circular_fidelity.value));
    assert_int_equal(tips_detector_consistency(d, pictures, things, 0, NULL, &got), TIPS_RANGE);
    room[2][0].class_index = CLASSES;
    assert_int_equal(tips_detector_consistency(d, pictures, things, COUNT, NULL, &got), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "picture 2: a box has class 5"));
    room[2][0].width = -1;
    assert_int_equal(tips_detector_consistency(d, pictures, things, COUNT, NULL, &got), TIPS_RANGE);
    tips_detector_destroy(d);
    d = load(write_model("tips-exact"));
    expect_ok(tips_detector_consistency(d, pictures, NULL, COUNT, &options, &got));
    assert_true(got.circular.value == 100 && got.circular_flicker.box_jitter < 1e-9);
    assert_true(got.circular_flicker.vanishing == 0 && got.circular_flicker.score_jitter == 0);
    tips_detector_destroy(d);
    for (int i = 0; i < COUNT; i++) tips__image_free(&images[i]), tips__annotation_clear(&truths[i]);
    tips__dataset_close(set);
    tips__evaluate_free(&want);
}

static void test_other_tasks(void **state) {
    const char *boxes = write_model("max"), *tiny = path_in_temporary("tiny.safetensors");
    tips_detector *d = NULL;
    tips_classifier *c = NULL;
    tips_segmenter *s = NULL;
    tips_network *network;
    (void)state;
    expect_ok(tips_network_create(&(tips_network_options){.arch = "tiny"}, &network));
    expect_ok(tips_network_save(network, tiny));
    tips_network_destroy(network);
    assert_int_equal(tips_detector_load(tiny, NULL, &d), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "a detector answers with boxes"));
    assert_int_equal(tips_classifier_load(boxes, NULL, &c), TIPS_UNSUPPORTED);
    assert_int_equal(tips_segmenter_load(boxes, NULL, &s), TIPS_UNSUPPORTED);
    assert_true(!d && !c && !s);
}

static tips_status use_all(const void *path) {
    static uint8_t pixels[TALL * WIDE * 3];
    static float image[PIXELS];
    static tips_found_box boxes[ROOM];
    const tips_picture picture = {pixels, TALL, WIDE, 3, 0};
    const tips_thing thing = {1, 1, 9, 9, 0, false, false};
    const tips_things things = {&thing, 1};
    tips_box_consistency consistency;
    tips_detector *d = NULL;
    int count;
    tips_status status = tips_detector_load(path, NULL, &d);
    if (status == TIPS_OK) status = tips_detector_prepare(d, &picture, image);
    if (status == TIPS_OK) status = tips_detector_run(d, image, boxes, ROOM, &count);
    if (status == TIPS_OK) status = tips_detector_consistency(d, &picture, &things, 1, NULL, &consistency);
    if (status == TIPS_OK) status = tips_detector_answer(d, &picture, boxes, ROOM, &count);
    tips_detector_destroy(d);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    expect_short_memory_said(use_all, write_model("max"), 2);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts),         cmocka_unit_test(test_answers),     cmocka_unit_test(test_rolled),
        cmocka_unit_test(test_threads),       cmocka_unit_test(test_consistency), cmocka_unit_test(test_other_tasks),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
