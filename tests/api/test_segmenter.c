/* The public segmenter: logits as the network's, masks as tips predict writes them, on any thread; figures as tips eval
 * measures them; models for other tasks refused; memory that runs out. */
#include "support/compare.h"
#include "support/run_model.h"
#include "support/short_memory.h"
#include "support/temporary.h"

#include "evaluate/evaluate.h"
#include "image/move.h"
#include "predict/predict.h"
#include "task/segment.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tips/tips.h>

enum { H = 32, W = 64, C = 3, CLASSES = 5, PIXELS = C * H * W, PLANE = H * W, TALL = 45, WIDE = 38, MOST = 3 };

static const char *const names[CLASSES] = {"background", "cat", "dog", "hen", "pig"};

static tips_model_info make_unet(const char *pool) {
    tips_model_info info = make_info("unet", pool, 0, H);
    info.config.size[1] = W;
    expect_ok(tips__task_parse("segment", &info.task));
    for (int i = 0; i < 3; i++) info.mean[i] = 0.4f + 0.05f * (float)i, info.std[i] = 0.2f + 0.01f * (float)i;
    expect_ok(tips__model_info_set_classes(&info, names, CLASSES));
    return info;
}

static test_network save(const char *path, const tips_model_info *info) {
    const test_network network = make_network(info, 7);
    expect_ok(tips__model_save(path, info, network.params));
    return network;
}

static const char *write_model(const char *pool) {
    const char *path = path_in_temporary("unet.safetensors");
    tips_model_info info = make_unet(pool);
    info.class_colours.count = TIPS_COLOURS;
    memset(info.class_colours.rgb[2], 77, 3);
    test_network network = save(path, &info);
    destroy_network(&network);
    tips__model_info_clear(&info);
    return path;
}

static tips_segmenter *load(const char *path) {
    tips_segmenter *segmenter = NULL;
    expect_ok(tips_segmenter_load(path, NULL, &segmenter));
    return segmenter;
}

static void fill_pixels(uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++) pixels[i] = (uint8_t)(i / 5 * 2654435761u >> 13 & 255);
}

static void test_bits(void **state) {
    static const char *const pools[] = {"max", "tips-exact"};
    const char *path = path_in_temporary("unet.safetensors");
    float *images = test_floats(MOST * PIXELS), *want = test_floats(MOST * CLASSES * PLANE),
          *got = test_floats(MOST * CLASSES * PLANE);
    (void)state;
    make_picture(images, MOST * PIXELS);
    for (int p = 0; p < 2; p++) {
        tips_model_info info = make_unet(pools[p]);
        test_case("%s", pools[p]);
        test_network network = save(path, &info);
        expect_ok(run_model(&network.model, network.params, images, MOST, want));
        tips_segmenter *s = load(path);
        for (int n = MOST; n > 0; n--) {
            expect_ok(tips_segmenter_run(s, images, n, got));
            expect_same_bits("logits", got, want, (size_t)n * CLASSES * PLANE);
        }
        tips_segmenter_destroy(s);
        destroy_network(&network);
        tips__model_info_clear(&info);
    }
    free(images), free(want), free(got);
}

static void test_facts(void **state) {
    tips_segmenter *s = load(write_model("aps"));
    (void)state;
    assert_string_equal(tips_segmenter_arch(s), "unet");
    assert_string_equal(tips_segmenter_pool(s), "aps");
    assert_int_equal(tips_segmenter_channels(s), C);
    assert_int_equal(tips_segmenter_height(s), H);
    assert_int_equal(tips_segmenter_width(s), W);
    assert_int_equal(tips_segmenter_classes(s), CLASSES);
    for (int i = 0; i < CLASSES; i++) assert_string_equal(tips_segmenter_name(s, i), names[i]);
    assert_null(tips_segmenter_name(s, CLASSES));
    assert_memory_equal(tips_segmenter_colour(s, 2), "MMM", 3);
    assert_null(tips_segmenter_colour(s, -1));
    assert_null(tips_segmenter_colour(s, 256));
    tips_segmenter_destroy(s);
}

/* Without colours of its own, Pascal VOC's. */
static void test_usual_colours(void **state) {
    const char *path = path_in_temporary("plain.safetensors");
    tips_model_info info = make_unet("max");
    (void)state;
    test_network network = save(path, &info);
    tips_segmenter *s = load(path);
    assert_memory_equal(tips_segmenter_colour(s, 1), "\x80\0\0", 3);
    assert_memory_equal(tips_segmenter_colour(s, 255), "\xe0\xe0\xc0", 3);
    tips_segmenter_destroy(s);
    destroy_network(&network);
    tips__model_info_clear(&info);
}

/* The mask that tips predict finds, from its scores and the move of the picture; rows may be apart. */
static void test_answers(void **state) {
    enum { STEP = WIDE * 3 + 7 };
    uint8_t pixels[TALL * WIDE * 3], apart[TALL * STEP], want[TALL * WIDE], got[TALL * WIDE], input[PLANE];
    const char *model = write_model("max"), *file = path_in_temporary("picture.ppm");
    char *files[1] = {(char *)file}, ppm[64 + sizeof pixels];
    const tips_predict_config config = {.model = model, .files = files, .n_files = 1, .keep_scores = true, .batch = 2};
    tips_predict_result result;
    int seen[256] = {0}, kinds = 0;
    (void)state;
    fill_pixels(pixels, sizeof pixels);
    for (int y = 0; y < TALL; y++) memcpy(apart + y * STEP, pixels + y * WIDE * 3, WIDE * 3);
    const int start = snprintf(ppm, sizeof ppm, "P6\n%d %d\n255\n", WIDE, TALL);
    memcpy(ppm + start, pixels, sizeof pixels);
    write_file(file, ppm, (size_t)start + sizeof pixels);
    expect_ok(tips__predict_run(&config, &result));
    tips__segment_classes(result.scores, CLASSES, PLANE, input);
    tips_segmenter *s = load(model);
    const tips_preprocess p = {.height = H, .width = W, .channels = C, .std = {1, 1, 1}};
    const tips_move move = tips__preprocess_move(&p, (const int[]){TALL, WIDE});
    tips__move_mask_back(&move, input, &(tips_image){TALL, WIDE, 1, want});
    expect_ok(tips_segmenter_answer(s, &(tips_picture){pixels, TALL, WIDE, 3, 0}, got));
    assert_memory_equal(got, want, sizeof got);
    memset(got, 9, sizeof got);
    expect_ok(tips_segmenter_answer(s, &(tips_picture){apart, TALL, WIDE, 3, STEP}, got));
    assert_memory_equal(got, want, sizeof got);
    for (size_t i = 0; i < sizeof got; i++) seen[got[i]] = 1;
    for (int i = 0; i < 256; i++) kinds += seen[i];
    assert_true(kinds > 2 && seen[255]); /* several classes, and what was cut off */
    tips__predict_free(&result);
    tips_segmenter_destroy(s);
}

typedef struct job {
    const tips_segmenter *segmenter;
    const tips_picture *picture;
    const uint8_t *want;
    int wrong;
} job;

static void *run_job(void *data) {
    job *j = data;
    uint8_t mask[TALL * WIDE];
    for (int i = 0; i < 4; i++)
        j->wrong +=
            tips_segmenter_answer(j->segmenter, j->picture, mask) != TIPS_OK || memcmp(mask, j->want, sizeof mask) != 0;
    return NULL;
}

static void test_threads(void **state) {
    enum { THREADS = 3 };
    static uint8_t pixels[TALL * WIDE * 3], want[TALL * WIDE];
    const tips_picture picture = {pixels, TALL, WIDE, 3, 0};
    tips_segmenter *s = load(write_model("tips-exact"));
    pthread_t threads[THREADS];
    job jobs[THREADS];
    (void)state;
    fill_pixels(pixels, sizeof pixels);
    expect_ok(tips_segmenter_answer(s, &picture, want));
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (job){s, &picture, want, 0};
        assert_int_equal(pthread_create(&threads[t], NULL, run_job, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) assert_int_equal(jobs[t].wrong, 0);
    tips_segmenter_destroy(s);
}

static void test_consistency(void **state) {
    enum { COUNT = 9, PAIRS = 2, SEED = 3, MASK_CLASSES = 4 };
    const char *path = path_in_temporary("shapes.safetensors");
    const tips_evaluate_config config = {.models = path,
                                         .network = {.seed = SEED},
                                         .data = "shapes:test=9,classes=3",
                                         .split = TIPS_SPLIT_TEST,
                                         .protocol = tips__protocol_auto(),
                                         .pairs = PAIRS,
                                         .batch = 8};
    const tips_consistency_options options = {.pairs = PAIRS, .seed = SEED};
    tips_evaluate_result want;
    tips_mask_consistency got, bare;
    tips_dataset *set;
    tips_image images[COUNT];
    tips_annotation truths[COUNT];
    tips_picture pictures[COUNT];
    const uint8_t *masks[COUNT];
    (void)state;
    expect_ok(tips__dataset_open(config.data, &(tips_dataset_options){.seed = SEED}, &set));
    assert_int_equal(tips__dataset_mask_classes(set), MASK_CLASSES);
    tips_model_info info = make_info("unet", "max", 0, H);
    info.config.size[1] = H, info.config.classes = MASK_CLASSES;
    expect_ok(tips__task_parse("segment", &info.task));
    test_network network = save(path, &info);
    destroy_network(&network);
    tips__model_info_clear(&info);
    expect_ok(tips__evaluate_run(&config, &want));
    assert_string_equal(want.protocol->name, "segment");
    for (int i = 0; i < COUNT; i++) {
        expect_ok(tips__dataset_read_annotated(set, TIPS_SPLIT_TEST, i, TIPS_ANNOTATES_MASK, &images[i], &truths[i]));
        pictures[i] = (tips_picture){images[i].pixels, images[i].h, images[i].w, images[i].c, 0};
        masks[i] = truths[i].mask.pixels;
    }
    tips_segmenter *s = load(path);
    expect_ok(tips_segmenter_consistency(s, pictures, masks, COUNT, &options, &got));
    const tips_figures *f = &want.models[0].figures;
    assert_int_equal(got.pictures, COUNT);
    assert_memory_equal(&got.miou, &f->own[TIPS_SEGMENT_MIOU], sizeof got.miou);
    assert_memory_equal(&got.miou_foreground, &f->own[TIPS_SEGMENT_MIOU_FG], sizeof got.miou);
    assert_memory_equal(&got.pixel_accuracy, &f->own[TIPS_SEGMENT_PIXEL_ACCURACY], sizeof got.miou);
    assert_memory_equal(&got.standard, &f->common[TIPS_METRIC_STANDARD_CONSISTENCY], sizeof got.miou);
    assert_memory_equal(&got.standard_fidelity, &f->common[TIPS_METRIC_STANDARD_FIDELITY], sizeof got.miou);
    assert_memory_equal(&got.circular, &f->common[TIPS_METRIC_CIRCULAR_CONSISTENCY], sizeof got.miou);
    assert_memory_equal(&got.circular_fidelity, &f->common[TIPS_METRIC_CIRCULAR_FIDELITY], sizeof got.miou);
    assert_true(got.standard.value < 100 && got.standard.value > 0);
    expect_ok(tips_segmenter_consistency(s, pictures, NULL, COUNT, &options, &bare));
    assert_memory_equal(&got.standard, &bare.standard, sizeof got.standard);
    assert_true(isnan(bare.miou.value) && isnan(bare.circular_fidelity.value));
    assert_int_equal(tips_segmenter_consistency(s, pictures, masks, 0, NULL, &got), TIPS_RANGE);
    truths[5].mask.pixels[0] = MASK_CLASSES;
    assert_int_equal(tips_segmenter_consistency(s, pictures, masks, COUNT, NULL, &got), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "picture 5: a mask has class 4"));
    tips_segmenter_destroy(s);
    for (int i = 0; i < COUNT; i++) tips__image_free(&images[i]), tips__annotation_clear(&truths[i]);
    tips__dataset_close(set);
    tips__evaluate_free(&want);
}

/* Each for its task, and networks of the plain interface neither run nor train what answers for pixels: their callers
 * have room for one number a class. */
static void test_other_tasks(void **state) {
    const char *unet = write_model("max"), *tiny = path_in_temporary("tiny.safetensors");
    const tips_network_options options = {.arch = "unet", .first_width = 8, .height = H, .classes = CLASSES};
    float images[C * H * H] = {0}, logits[CLASSES];
    tips_segmenter *s = NULL;
    tips_classifier *c = NULL;
    tips_network *network;
    tips_verdict verdict;
    (void)state;
    expect_ok(tips_network_create(&(tips_network_options){.arch = "tiny"}, &network));
    expect_ok(tips_network_save(network, tiny));
    tips_network_destroy(network);
    assert_int_equal(tips_segmenter_load(tiny, NULL, &s), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "a segmenter answers with a class for each pixel"));
    assert_int_equal(tips_classifier_load(unet, NULL, &c), TIPS_UNSUPPORTED);
    assert_true(!s && !c);
    expect_ok(tips_network_create(&options, &network));
    assert_int_equal(tips_network_run(network, images, 1, logits), TIPS_UNSUPPORTED);
    assert_int_equal(tips_network_train_step(network, images, &(int32_t){0}, 1, NULL, NULL), TIPS_UNSUPPORTED);
    expect_ok(tips_network_verify(network, NULL, 4, &verdict));
    assert_true(verdict.exact);
    tips_network_destroy(network);
}

static tips_status use_all(const void *path) {
    static uint8_t pixels[TALL * WIDE * 3], mask[TALL * WIDE];
    static const uint8_t *const masks[1] = {mask};
    static float images[PIXELS], logits[CLASSES * PLANE];
    const tips_picture picture = {pixels, TALL, WIDE, 3, 0};
    tips_mask_consistency consistency;
    tips_segmenter *s = NULL;
    memset(mask, 0, sizeof mask);
    tips_status status = tips_segmenter_load(path, NULL, &s);
    if (status == TIPS_OK) status = tips_segmenter_prepare(s, &picture, images);
    if (status == TIPS_OK) status = tips_segmenter_run(s, images, 1, logits);
    if (status == TIPS_OK) status = tips_segmenter_consistency(s, &picture, masks, 1, NULL, &consistency);
    if (status == TIPS_OK) status = tips_segmenter_answer(s, &picture, mask);
    tips_segmenter_destroy(s);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    expect_short_memory_said(use_all, write_model("max"), 16);
}

static int clean_up(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),        cmocka_unit_test(test_facts),         cmocka_unit_test(test_usual_colours),
        cmocka_unit_test(test_answers),     cmocka_unit_test(test_threads),       cmocka_unit_test(test_consistency),
        cmocka_unit_test(test_other_tasks), cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, clean_up);
}
