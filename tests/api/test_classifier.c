/* The public classifier: bits as the network's, on any thread and in any batch; answers as tips predict gives them;
 * consistency as tips eval measures it; wrong files and arguments refused; memory from the caller, all of it returned.
 */
#include "support/compare.h"
#include "support/run_model.h"
#include "support/temporary.h"

#include "arch/blueprint.h"
#include "core/memory.h"
#include "core/threads.h"
#include "emit/emit_record.h"
#include "evaluate/evaluate.h"
#include "export/onnx_write.h"
#include "layer/layers.h"
#include "metric/accuracy.h"
#include "model/open_model.h"
#include "predict/predict.h"
#include "task/classify.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tips/tips.h>
#include <unistd.h>

enum { H = 16, W = 20, C = 3, CLASSES = 5, PIXELS = C * H * W, MOST = 6, TALL = 24, WIDE = 31 };

static const char *const names[CLASSES] = {"cat", "dog", "cow", "hen", "pig"};

/* A model file with names and a normalisation of its own; the network stays for comparison. */
static test_network make_model(const char *path, const char *pool, tips_model_info *info) {
    *info = make_info("tiny", pool, 0, H);
    for (int i = 0; i < 3; i++) info->mean[i] = 0.4f + 0.05f * (float)i, info->std[i] = 0.2f + 0.01f * (float)i;
    info->resize = 18;
    expect_ok(tips__model_info_set_classes(info, names, CLASSES));
    const test_network network = make_network(info, 7);
    expect_ok(tips__model_save(path, info, network.params));
    return network;
}

static const char *write_model(const char *pool) {
    const char *path = path_in_temporary("model.safetensors");
    tips_model_info info;
    test_network network = make_model(path, pool, &info);
    destroy_network(&network);
    tips__model_info_clear(&info);
    return path;
}

static tips_classifier *load(const char *path) {
    tips_classifier *classifier = NULL;
    expect_ok(tips_classifier_load(path, NULL, &classifier));
    return classifier;
}

static void fill_pixels(uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++) pixels[i] = (uint8_t)(i * 2654435761u >> 13 & 255);
}

static void test_bits(void **state) {
    static const char *const pools[] = {"max", "aps", "tips-exact"};
    float images[MOST * PIXELS], want[MOST * CLASSES], got[MOST * CLASSES];
    const char *path = path_in_temporary("model.safetensors");
    (void)state;
    make_picture(images, MOST * PIXELS);
    for (int p = 0; p < 3; p++) {
        tips_model_info info;
        tips_network *loaded;
        test_case("%s", pools[p]);
        test_network network = make_model(path, pools[p], &info);
        expect_ok(run_model(&network.model, network.params, images, MOST, want));
        tips_classifier *classifier = load(path);
        for (int n = MOST; n > 0; n--) {
            expect_ok(tips_classifier_run(classifier, images, n, got));
            expect_same_bits("logits", got, want, (size_t)n * CLASSES);
        }
        expect_ok(tips_network_load(path, &loaded));
        expect_ok(tips_network_run(loaded, images, MOST, got));
        expect_same_bits("logits of the network", got, want, MOST * CLASSES);
        tips_network_destroy(loaded);
        tips_classifier_destroy(classifier);
        destroy_network(&network);
        tips__model_info_clear(&info);
    }
}

static void test_facts(void **state) {
    tips_classifier *c = load(write_model("aps"));
    (void)state;
    assert_string_equal(tips_classifier_arch(c), "tiny");
    assert_string_equal(tips_classifier_pool(c), "aps");
    assert_int_equal(tips_classifier_channels(c), C);
    assert_int_equal(tips_classifier_height(c), H);
    assert_int_equal(tips_classifier_width(c), W);
    assert_int_equal(tips_classifier_classes(c), CLASSES);
    for (int i = 0; i < CLASSES; i++) assert_string_equal(tips_classifier_name(c, i), names[i]);
    assert_null(tips_classifier_name(c, -1));
    assert_null(tips_classifier_name(c, CLASSES));
    tips_classifier_destroy(c);
    tips_classifier_destroy(NULL);
}

static void write_ppm(const char *path, const uint8_t *pixels) {
    char file[64 + TALL * WIDE * 3];
    const int start = snprintf(file, sizeof file, "P6\n%d %d\n255\n", WIDE, TALL);
    memcpy(file + start, pixels, TALL * WIDE * 3);
    write_file(path, file, (size_t)start + TALL * WIDE * 3);
}

static tips_prediction predict(const char *model, const char *file, tips_predict_result *result) {
    char *files[1] = {(char *)file};
    const tips_predict_config config = {.model = model, .files = files, .n_files = 1, .top = CLASSES, .batch = 2};
    expect_ok(tips__predict_run(&config, result));
    return result->predictions[0];
}

static void expect_same_answer(const tips_answer *a, const tips_answer *b) {
    assert_int_equal(a->index, b->index);
    assert_true(a->probability == b->probability);
    assert_ptr_equal(a->name, b->name);
}

/* Rows may be apart, and upside down in memory. */
static void expect_answer(const tips_classifier *c, const tips_picture *picture, const tips_prediction *want) {
    double probabilities[CLASSES], sum = 0;
    tips_answer answer, again;
    expect_ok(tips_classifier_answer(c, picture, &answer));
    expect_ok(tips_classifier_probabilities(c, picture, &again, probabilities));
    assert_int_equal(answer.index, want->classes[0]);
    assert_true(answer.probability == want->probability[0]);
    assert_string_equal(answer.name, names[answer.index]);
    expect_same_answer(&answer, &again);
    for (int i = 0; i < CLASSES; i++) {
        assert_true(probabilities[want->classes[i]] == want->probability[i]);
        sum += probabilities[i];
    }
    expect_number("the sum", sum, 1, 1e-12);
}

static void test_answers(void **state) {
    enum { STEP = WIDE * 3 + 11 };
    uint8_t pixels[TALL * WIDE * 3], apart[TALL * STEP], below[TALL * STEP];
    const char *model = write_model("tips-exact"), *file = path_in_temporary("picture.ppm");
    tips_predict_result result;
    float image[PIXELS], logits[CLASSES];
    (void)state;
    test_case("answers");
    fill_pixels(pixels, sizeof pixels);
    fill_pixels(apart, sizeof apart);
    fill_pixels(below, sizeof below);
    for (int y = 0; y < TALL; y++) {
        memcpy(apart + y * STEP, pixels + y * WIDE * 3, WIDE * 3);
        memcpy(below + (TALL - 1 - y) * STEP, pixels + y * WIDE * 3, WIDE * 3);
    }
    write_ppm(file, pixels);
    const tips_prediction want = predict(model, file, &result);
    tips_classifier *c = load(model);
    const tips_picture picture = {.pixels = pixels, .height = TALL, .width = WIDE, .channels = 3};
    tips_picture other = picture;
    expect_answer(c, &picture, &want);
    other.pixels = apart, other.row_bytes = STEP;
    expect_answer(c, &other, &want);
    other.pixels = below + (TALL - 1) * STEP, other.row_bytes = -STEP;
    expect_answer(c, &other, &want);
    expect_ok(tips_classifier_prepare(c, &picture, image));
    expect_ok(tips_classifier_run(c, image, 1, logits));
    assert_int_equal(tips__answer(logits, CLASSES), want.classes[0]);
    tips__predict_free(&result);
    tips_classifier_destroy(c);
}

static void test_grey(void **state) {
    uint8_t grey[TALL * WIDE], colour[TALL * WIDE * 3];
    tips_classifier *c = load(write_model("max"));
    tips_answer a, b;
    (void)state;
    fill_pixels(grey, sizeof grey);
    for (int i = 0; i < TALL * WIDE * 3; i++) colour[i] = grey[i / 3];
    expect_ok(tips_classifier_answer(c, &(tips_picture){grey, TALL, WIDE, 1, 0}, &a));
    expect_ok(tips_classifier_answer(c, &(tips_picture){colour, TALL, WIDE, 3, 0}, &b));
    expect_same_answer(&a, &b);
    tips_classifier_destroy(c);
}

/* Another input size: the same weights there, and pictures resized in proportion. */
static void test_size(void **state) {
    enum { TALLER = 32, WIDER = 40, MORE = C * TALLER * WIDER };
    float images[MORE], want[CLASSES], got[CLASSES];
    const char *path = path_in_temporary("model.safetensors");
    const tips_classifier_options options = {.height = TALLER, .width = WIDER};
    tips_model_info info;
    tips_model larger;
    tips_classifier *c;
    (void)state;
    test_case("another size");
    test_network network = make_model(path, "aps", &info);
    info.config.size[0] = TALLER, info.config.size[1] = WIDER;
    expect_ok(tips__model_create(info.arch, &info.config, &info.task, false, &larger));
    make_picture(images, MORE);
    expect_ok(run_model(&larger, network.params, images, 1, want));
    expect_ok(tips_classifier_load(path, &options, &c));
    assert_int_equal(tips_classifier_height(c), TALLER);
    assert_int_equal(tips_classifier_width(c), WIDER);
    expect_ok(tips_classifier_run(c, images, 1, got));
    expect_same_bits("logits", got, want, CLASSES);
    uint8_t pixels[2 * TALL * 2 * WIDE * 3];
    tips_image picture = {.h = 2 * TALL, .w = 2 * WIDE, .c = 3, .pixels = pixels};
    fill_pixels(pixels, sizeof pixels);
    info.resize = 36;
    const tips_preprocess p = tips__model_preprocess(&info);
    expect_ok(tips__preprocess(&p, &picture, 0, 0, false, images));
    float *image = test_floats(MORE);
    expect_ok(tips_classifier_prepare(c, &(tips_picture){pixels, 2 * TALL, 2 * WIDE, 3, 0}, image));
    expect_same_bits("the image", image, images, MORE);
    free(image);
    tips_classifier_destroy(c);
    tips__model_destroy(&larger);
    destroy_network(&network);
    tips__model_info_clear(&info);
}

/* A network that ends in a softmax: run gives what goes into it. */
static void write_softmax(const char *path) {
    tips_blueprint *b;
    int step;
    tips_model_info info = make_info("tiny", "stride", 0, H);
    info.arch = &tips__arch_graph;
    expect_ok(tips__blueprint_create(C, &b));
    expect_ok(tips__blueprint_add(b, &tips__layer_global_avg, "gap", NULL, (int[]){TIPS_BLUEPRINT_INPUT}, 1, &step));
    expect_ok(tips__blueprint_add(b, &tips__layer_linear, "fc", &(tips_linear){.out = CLASSES}, &step, 1, &step));
    expect_ok(tips__blueprint_add(b, &tips__layer_softmax, "end", NULL, &step, 1, &step));
    b->output = step;
    b->classes = CLASSES;
    info.config.blueprint = b;
    test_network network = make_network(&info, 3);
    expect_ok(tips__model_save(path, &info, network.params));
    destroy_network(&network);
    tips__model_info_clear(&info);
}

static void test_softmax(void **state) {
    const char *path = path_in_temporary("softmax.safetensors");
    float images[PIXELS], logits[CLASSES], again[CLASSES], after[CLASSES], probabilities[CLASSES];
    double wide[CLASSES];
    tips_loaded_model model;
    tips_network *network;
    (void)state;
    test_case("softmax");
    write_softmax(path);
    make_picture(images, PIXELS);
    expect_ok(tips__model_load(path, false, &model));
    expect_ok(run_model(&model.model, model.params, images, 1, probabilities));
    tips__loaded_model_destroy(&model);
    tips_classifier *c = load(path);
    assert_string_equal(tips_classifier_arch(c), "graph");
    expect_ok(tips_classifier_run(c, images, 1, logits));
    tips__softmax(logits, CLASSES, wide);
    expect_close("the softmax of the logits", probabilities, wide, CLASSES, 1e-6);
    tips_classifier_destroy(c);
    /* A network of it trains, and is itself again after saving. */
    expect_ok(tips_network_load(path, &network));
    expect_ok(tips_network_run(network, images, 1, again));
    expect_same_bits("logits", again, logits, CLASSES);
    expect_ok(tips_network_train_step(network, images, &(int32_t){1}, 1, NULL, NULL));
    expect_ok(tips_network_run(network, images, 1, after));
    assert_true(after[1] - after[0] > again[1] - again[0]);
    expect_ok(tips_network_save(network, path));
    tips_network_destroy(network);
    c = load(path);
    expect_ok(tips_classifier_run(c, images, 1, again));
    expect_same_bits("logits after saving", again, after, CLASSES);
    tips_classifier_destroy(c);
}

static void test_onnx(void **state) {
    const char *model = path_in_temporary("model.safetensors"), *path = path_in_temporary("model.onnx");
    float images[2 * PIXELS], want[2 * CLASSES], got[2 * CLASSES];
    tips_model_info info;
    tips_onnx_summary summary;
    (void)state;
    test_case("ONNX");
    test_network network = make_model(model, "tips-exact", &info);
    make_picture(images, 2 * PIXELS);
    expect_ok(run_model(&network.model, network.params, images, 2, want));
    const tips_emit_options options = {.opset = TIPS_DEFAULT_OPSET};
    const tips_status status = tips__onnx_save(path, &info, network.params, &options, &summary);
    destroy_network(&network);
    tips__model_info_clear(&info);
    if (status == TIPS_UNSUPPORTED) skip();
    expect_ok(status);
    tips_classifier *c = load(path);
    expect_ok(tips_classifier_run(c, images, 2, got));
    expect_close_to_floats("logits", got, want, 2 * CLASSES, 1e-4);
    assert_string_equal(tips_classifier_name(c, 3), "hen");
    tips_classifier_destroy(c);
}

static void test_network_files(void **state) {
    const char *path = path_in_temporary("trained.safetensors");
    const tips_network_options options = {.arch = "tiny", .height = H, .width = W, .classes = CLASSES, .seed = 5};
    float images[2 * PIXELS], want[2 * CLASSES], got[2 * CLASSES];
    const int32_t labels[2] = {1, 3};
    tips_network *network, *again;
    (void)state;
    test_case("saving and loading");
    make_picture(images, 2 * PIXELS);
    expect_ok(tips_network_create(&options, &network));
    for (int i = 0; i < 3; i++) expect_ok(tips_network_train_step(network, images, labels, 2, NULL, NULL));
    expect_ok(tips_network_run(network, images, 2, want));
    expect_ok(tips_network_save(network, path));
    expect_ok(tips_network_load(path, &again));
    assert_string_equal(tips_network_arch(again), "tiny");
    assert_string_equal(tips_network_pool(again), tips_network_pool(network));
    expect_ok(tips_network_run(again, images, 2, got));
    expect_same_bits("logits", got, want, 2 * CLASSES);
    expect_ok(tips_network_train_step(again, images, labels, 2, NULL, NULL));
    tips_network_destroy(network);
    assert_int_equal(tips_network_save(again, path_in_temporary("no/such/folder.safetensors")), TIPS_IO);
    assert_int_equal(tips_network_save(again, NULL), TIPS_INVALID);
    tips_network_destroy(again);
    assert_int_equal(tips_network_load(NULL, &again), TIPS_INVALID);
    assert_int_equal(tips_network_load(path, NULL), TIPS_INVALID);
    assert_int_equal(tips_network_load(path_in_temporary("none.safetensors"), &again), TIPS_IO);
}

/* The name says the format: what ends in .onnx is ONNX, or fails where this build has none. */
static void test_network_onnx(void **state) {
    const char *path = path_in_temporary("network.onnx");
    const tips_network_options options = {.arch = "tiny", .height = H, .width = W, .classes = CLASSES, .seed = 5};
    tips_network *network, *again;
    size_t bytes;
    (void)state;
    expect_ok(tips_network_create(&options, &network));
    const tips_status status = tips_network_save(network, path);
    tips_network_destroy(network);
    if (status == TIPS_UNSUPPORTED) skip();
    expect_ok(status);
    unsigned char *data = read_file(path, &bytes);
    assert_int_equal(data[0], 0x08); /* the first field of an ONNX model; a .safetensors file has its length there */
    assert_int_not_equal(data[8], '{');
    free(data);
    expect_ok(tips_network_load(path, &again));
    assert_string_equal(tips_network_arch(again), "tiny");
    tips_network_destroy(again);
}

/* A thread that runs batches of many sizes and compares with what one thread alone got. */
typedef struct job {
    const tips_classifier *classifier;
    const float *images, *want;
    const tips_picture *picture;
    tips_answer answer;
    int first, rounds, wrong;
} job;

static void *run_job(void *data) {
    job *j = data;
    float got[MOST * CLASSES];
    tips_answer answer;
    for (int i = 0; i < j->rounds; i++) {
        const int n = 1 + (j->first + i * 5) % MOST, from = MOST - n;
        const size_t bytes = (size_t)n * CLASSES * sizeof *got;
        if (tips_classifier_run(j->classifier, j->images + from * PIXELS, n, got) != TIPS_OK) j->wrong++;
        else j->wrong += memcmp(got, j->want + from * CLASSES, bytes) != 0;
        if (tips_classifier_answer(j->classifier, j->picture, &answer) != TIPS_OK) j->wrong++;
        else j->wrong += answer.index != j->answer.index || answer.probability != j->answer.probability;
    }
    return NULL;
}

static void run_together(const tips_classifier *c, int rounds) {
    enum { THREADS = 4 };
    static float images[MOST * PIXELS], want[MOST * CLASSES];
    static uint8_t pixels[TALL * WIDE * 3];
    const tips_picture picture = {pixels, TALL, WIDE, 3, 0};
    tips_answer answer;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    make_picture(images, MOST * PIXELS);
    fill_pixels(pixels, sizeof pixels);
    for (int i = 0; i < MOST; i++) expect_ok(tips_classifier_run(c, images + i * PIXELS, 1, want + i * CLASSES));
    expect_ok(tips_classifier_answer(c, &picture, &answer));
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = (job){c, images, want, &picture, answer, t, rounds, 0};
        assert_int_equal(pthread_create(&threads[t], NULL, run_job, &jobs[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) assert_int_equal(jobs[t].wrong, 0);
}

static void test_threads(void **state) {
    const char *path = write_model("tips-exact");
    (void)state;
    for (int kept = 0; kept < 3; kept++) {
        tips_classifier *c;
        test_case("four threads, %d kept", kept);
        expect_ok(tips_classifier_load(path, &(tips_classifier_options){.kept = kept}, &c));
        run_together(c, 12);
        tips_classifier_destroy(c);
    }
}

/* A batch size that was just used costs nothing; one beyond those that are kept does. */
static void test_kept(void **state) {
    float images[2 * PIXELS], logits[2 * CLASSES];
    tips_classifier *c;
    (void)state;
    make_picture(images, 2 * PIXELS);
    expect_ok(tips_classifier_load(write_model("aps"), &(tips_classifier_options){.kept = 1}, &c));
    expect_ok(tips_classifier_run(c, images, 2, logits));
    uint64_t before = tips__alloc_count();
    expect_ok(tips_classifier_run(c, images, 2, logits));
    assert_int_equal(tips__alloc_count(), before);
    expect_ok(tips_classifier_run(c, images, 1, logits));
    before = tips__alloc_count();
    expect_ok(tips_classifier_run(c, images, 2, logits));
    assert_true(tips__alloc_count() > before);
    tips_classifier_destroy(c);
}

static void test_consistency(void **state) {
    enum { COUNT = 30, PAIRS = 3, SEED = 3 };
    const char *path = path_in_temporary("shapes.safetensors");
    const tips_evaluate_config config = {.models = path,
                                         .network = {.seed = SEED},
                                         .data = "shapes:test=30",
                                         .split = TIPS_SPLIT_TEST,
                                         .pairs = PAIRS,
                                         .batch = 8};
    tips_evaluate_result want;
    tips_consistency got, bare;
    tips_dataset *set;
    tips_image images[COUNT];
    tips_picture pictures[COUNT];
    int32_t labels[COUNT];
    (void)state;
    test_case("consistency");
    expect_ok(tips__dataset_open(config.data, &(tips_dataset_options){.seed = SEED}, &set));
    tips_model_info info = make_info("tiny", "max", 0, 28);
    info.config.classes = tips__dataset_classes(set);
    info.config.in_channels = tips__dataset_channels(set);
    test_network network = make_network(&info, 2);
    expect_ok(tips__model_save(path, &info, network.params));
    destroy_network(&network);
    tips__model_info_clear(&info);
    expect_ok(tips__evaluate_run(&config, &want));
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TEST), COUNT);
    for (int i = 0; i < COUNT; i++) {
        int label;
        expect_ok(tips__dataset_read(set, TIPS_SPLIT_TEST, i, &images[i], &label));
        pictures[i] = (tips_picture){images[i].pixels, images[i].h, images[i].w, images[i].c, 0};
        labels[i] = label;
    }
    tips_classifier *c = load(path);
    const tips_consistency_options options = {.pairs = PAIRS, .seed = SEED};
    expect_ok(tips_classifier_consistency(c, pictures, labels, COUNT, &options, &got));
    const tips_figures *f = &want.models[0].figures;
    assert_int_equal(got.pictures, COUNT);
    assert_memory_equal(&got.accuracy, &f->own[TIPS_CLASSIFY_ACCURACY], sizeof got.accuracy);
    assert_memory_equal(&got.standard, &f->common[TIPS_METRIC_STANDARD_CONSISTENCY], sizeof got.standard);
    assert_memory_equal(&got.standard_fidelity, &f->common[TIPS_METRIC_STANDARD_FIDELITY], sizeof got.standard);
    assert_memory_equal(&got.circular, &f->common[TIPS_METRIC_CIRCULAR_CONSISTENCY], sizeof got.circular);
    assert_memory_equal(&got.circular_fidelity, &f->common[TIPS_METRIC_CIRCULAR_FIDELITY], sizeof got.circular);
    expect_ok(tips_classifier_consistency(c, pictures, NULL, COUNT, &options, &bare));
    assert_memory_equal(&got.standard, &bare.standard, sizeof got.standard);
    assert_true(isnan(bare.accuracy.value) && isnan(bare.circular_fidelity.value));
    expect_ok(tips_classifier_consistency(c, pictures, labels, COUNT, NULL, &got));
    assert_int_equal(tips_classifier_consistency(c, pictures, labels, 0, NULL, &got), TIPS_RANGE);
    labels[7] = 1000;
    assert_int_equal(tips_classifier_consistency(c, pictures, labels, COUNT, NULL, &got), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "picture 7"));
    pictures[4].height = 0;
    assert_int_equal(tips_classifier_consistency(c, pictures, NULL, COUNT, NULL, &got), TIPS_RANGE);
    assert_non_null(strstr(tips_last_error(), "picture 4"));
    tips_classifier_destroy(c);
    for (int i = 0; i < COUNT; i++) tips__image_free(&images[i]);
    tips__dataset_close(set);
    tips__evaluate_free(&want);
}

static void expect_refused(const char *path, tips_status status) {
    tips_classifier *c = NULL;
    test_case("%s", path);
    const tips_status got = tips_classifier_load(path, NULL, &c);
    if (got != status) fail_case("%s: %s", tips_status_name(got), tips_last_error());
    if (!strstr(tips_last_error(), path)) fail_case("the message is '%s'", tips_last_error());
    assert_null(c);
}

static void test_wrong_files(void **state) {
    const char *model = write_model("aps");
    size_t bytes;
    (void)state;
    unsigned char *whole = read_file(model, &bytes);
    expect_refused(path_in_temporary("none.safetensors"), TIPS_IO);
    const char *path = path_in_temporary("empty.safetensors");
    write_file(path, "", 0);
    expect_refused(path, TIPS_FORMAT);
    path = path_in_temporary("cut.safetensors");
    write_file(path, whole, bytes - 100);
    expect_refused(path, TIPS_FORMAT);
    path = path_in_temporary("text.safetensors");
    write_file(path, "this is not a model at all", 26);
    expect_refused(path, TIPS_FORMAT);
    free(whole);
}

static void expect_options(const char *path, tips_classifier_options options, tips_status status) {
    tips_classifier *c = NULL;
    assert_int_equal(tips_classifier_load(path, &options, &c), status);
    assert_null(c);
}

static void expect_picture(const tips_classifier *c, tips_picture picture, tips_status status) {
    tips_answer answer;
    assert_int_equal(tips_classifier_answer(c, &picture, &answer), status);
}

static void test_wrong_calls(void **state) {
    const char *path = write_model("aps");
    float images[PIXELS], logits[CLASSES];
    const uint8_t pixels[12] = {0};
    tips_answer answer;
    tips_classifier *c = NULL;
    (void)state;
    test_case("wrong calls");
    assert_int_equal(tips_classifier_load(NULL, NULL, &c), TIPS_INVALID);
    assert_int_equal(tips_classifier_load(path, NULL, NULL), TIPS_INVALID);
    expect_options(path, (tips_classifier_options){.height = -1}, TIPS_RANGE);
    expect_options(path, (tips_classifier_options){.height = 5000}, TIPS_RANGE);
    expect_options(path, (tips_classifier_options){.height = 1}, TIPS_RANGE);
    expect_options(path, (tips_classifier_options){.width = 16}, TIPS_INVALID);
    expect_options(path, (tips_classifier_options){.kept = -1}, TIPS_RANGE);
    c = load(path);
    make_picture(images, PIXELS);
    assert_int_equal(tips_classifier_run(c, NULL, 1, logits), TIPS_INVALID);
    assert_int_equal(tips_classifier_run(c, images, 1, NULL), TIPS_INVALID);
    assert_int_equal(tips_classifier_run(c, images, 0, logits), TIPS_RANGE);
    assert_int_equal(tips_classifier_run(c, images, INT32_MAX, logits), TIPS_RANGE);
    images[9] = NAN;
    assert_int_equal(tips_classifier_run(c, images, 1, logits), TIPS_NUMERIC);
    assert_int_equal(tips_classifier_answer(c, NULL, &answer), TIPS_INVALID);
    assert_int_equal(tips_classifier_answer(c, &(tips_picture){pixels, 2, 2, 3, 0}, NULL), TIPS_INVALID);
    expect_picture(c, (tips_picture){NULL, 2, 2, 3, 0}, TIPS_INVALID);
    expect_picture(c, (tips_picture){pixels, 2, 2, 2, 0}, TIPS_INVALID);
    expect_picture(c, (tips_picture){pixels, 0, 2, 3, 0}, TIPS_RANGE);
    expect_picture(c, (tips_picture){pixels, 2, 40000, 3, 0}, TIPS_RANGE);
    expect_picture(c, (tips_picture){pixels, 2, 2, 3, 5}, TIPS_RANGE);
    expect_picture(c, (tips_picture){pixels, 2, 2, 3, 0}, TIPS_OK);
    tips_classifier_destroy(c);
}

/* Everything once. */
static tips_status use_all(const char *path, float *logits) {
    static uint8_t pixels[TALL * WIDE * 3];
    const tips_picture picture = {pixels, TALL, WIDE, 3, 0};
    const tips_classifier_options options = {.height = 24, .width = 28};
    float images[3 * 24 * 28];
    tips_consistency consistency;
    tips_answer answer;
    tips_classifier *c = NULL;
    fill_pixels(pixels, sizeof pixels);
    tips_status status = tips_classifier_load(path, &options, &c);
    if (status == TIPS_OK) status = tips_classifier_prepare(c, &picture, images);
    if (status == TIPS_OK) status = tips_classifier_run(c, images, 1, logits);
    if (status == TIPS_OK) status = tips_classifier_answer(c, &picture, &answer);
    if (status == TIPS_OK)
        status =
            tips_classifier_consistency(c, &picture, NULL, 1, &(tips_consistency_options){.pairs = 2}, &consistency);
    tips_classifier_destroy(c);
    return status;
}

static void fail_each(const char *path) {
    float want[CLASSES], got[CLASSES];
    tips_status status = TIPS_MEMORY;
    int failures = 0;
    expect_ok(use_all(path, want));
    for (uint64_t n = 1; status != TIPS_OK; n++) {
        test_case("%s: allocation %d fails", path, (int)n);
        tips__alloc_fail_at(n);
        status = use_all(path, got);
        tips__alloc_fail_at(0);
        if (status != TIPS_OK && status != TIPS_MEMORY)
            fail_case("%s: %s", tips_status_name(status), tips_last_error());
        failures += status != TIPS_OK;
    }
    expect_same_bits("logits", got, want, CLASSES);
    assert_true(failures > 50);
}

static void test_out_of_memory(void **state) {
    const char *softmax = path_in_temporary("softmax.safetensors");
    (void)state;
    fail_each(write_model("tips-exact"));
    write_softmax(softmax);
    fail_each(softmax);
}

/* An allocator that knows its own: what comes back must carry its mark. Results are at odd addresses on purpose. */
typedef struct counting {
    tips_allocator allocator;
    _Atomic int64_t given, alive, strange;
} counting;

enum { MARK = 0x5ca1ab1e, LEAD = 24 };

static void *count_allocate(void *context, size_t bytes) {
    counting *c = context;
    const uint32_t mark = MARK;
    unsigned char *memory = malloc(LEAD + bytes);
    if (!memory) return NULL;
    memcpy(memory, &c, sizeof c);
    memcpy(memory + sizeof c, &mark, sizeof mark);
    c->given++;
    c->alive++;
    return memory + LEAD;
}

static void count_release(void *context, void *data) {
    counting *c = context, *owner;
    unsigned char *memory = (unsigned char *)data - LEAD;
    uint32_t mark;
    memcpy(&owner, memory, sizeof owner);
    memcpy(&mark, memory + sizeof owner, sizeof mark);
    if (owner != c || mark != MARK) {
        c->strange++;
        return;
    }
    c->alive--;
    memset(memory, 0, LEAD);
    free(memory);
}

static counting make_counting(void) {
    return (counting){.allocator = {.allocate = count_allocate, .release = count_release}};
}

static void test_alignment(void **state) {
    static counting c;
    (void)state;
    c = make_counting();
    c.allocator.context = &c;
    assert_null(tips_use_allocator(&c.allocator));
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        unsigned char *memory = tips__alloc(bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % TIPS_ALIGN, 0);
        memset(memory, 1, bytes);
        unsigned char *longer = tips__grow(memory, bytes, 2 * bytes + 1);
        assert_non_null(longer);
        assert_int_equal((uintptr_t)longer % TIPS_ALIGN, 0);
        tips__free(longer);
    }
    assert_ptr_equal(tips_use_allocator(NULL), &c.allocator);
    tips__free(NULL);
    assert_int_equal(c.alive, 0);
    assert_int_equal(c.strange, 0);
}

/* While it is in use, all of the library's allocations go there, those of other threads too. */
static void test_allocator(void **state) {
    static counting c;
    float logits[CLASSES], want[CLASSES];
    const char *path = write_model("tips-exact");
    (void)state;
    test_case("the caller's allocator");
    expect_ok(use_all(path, want));
    c = make_counting();
    c.allocator.context = &c;
    const uint64_t before = tips__alloc_count();
    tips_use_allocator(&c.allocator);
    expect_ok(use_all(path, logits));
    tips_use_allocator(NULL);
    assert_int_equal(c.given, tips__alloc_count() - before);
    assert_int_equal(c.alive, 0);
    assert_int_equal(c.strange, 0);
    expect_same_bits("logits", logits, want, CLASSES);
}

/* Four threads without an allocator of their own: what they make for the classifier is from the classifier's. */
static void test_allocator_of_classifier(void **state) {
    static counting c;
    const char *path = write_model("aps");
    tips_classifier *classifier;
    (void)state;
    test_case("the classifier's allocator");
    c = make_counting();
    c.allocator.context = &c;
    const uint64_t before = tips__alloc_count();
    tips_use_allocator(&c.allocator);
    expect_ok(tips_classifier_load(path, NULL, &classifier));
    tips_use_allocator(NULL);
    run_together(classifier, 6);
    assert_int_equal(c.given, tips__alloc_count() - before);
    assert_true(c.alive > 0);
    tips_classifier_destroy(classifier);
    assert_int_equal(c.alive, 0);
    assert_int_equal(c.strange, 0);
}

/* tips eval decodes on several threads; training and verifying allocate too. */
static void test_allocator_elsewhere(void **state) {
    static counting c;
    const tips_network_options options = {.arch = "tiny", .height = H, .width = W, .classes = CLASSES};
    const tips_evaluate_config config = {.network = {.arch = "tiny", .pool = "aps", .size = {16, 16}, .seed = 3},
                                         .data = "shapes:test=30",
                                         .split = TIPS_SPLIT_TEST,
                                         .batch = 8};
    float images[PIXELS];
    tips_evaluate_result result;
    tips_network *network;
    tips_verdict verdict;
    (void)state;
    test_case("the caller's allocator elsewhere");
    make_picture(images, PIXELS);
    c = make_counting();
    c.allocator.context = &c;
    const uint64_t before = tips__alloc_count();
    tips_use_allocator(&c.allocator);
    expect_ok(tips__evaluate_run(&config, &result));
    tips__evaluate_free(&result);
    expect_ok(tips_network_create(&options, &network));
    expect_ok(tips_network_train_step(network, images, &(int32_t){1}, 1, NULL, NULL));
    expect_ok(tips_network_verify(network, NULL, 3, &verdict));
    tips_network_destroy(network);
    tips_use_allocator(NULL);
    assert_int_equal(c.given, tips__alloc_count() - before);
    assert_int_equal(c.alive, 0);
    assert_int_equal(c.strange, 0);
}

static int tear_down(void **state) {
    (void)state;
    remove_temporary();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_grey),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_onnx),
        cmocka_unit_test(test_network_files),
        cmocka_unit_test(test_network_onnx),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_consistency),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_allocator),
        cmocka_unit_test(test_allocator_of_classifier),
        cmocka_unit_test(test_allocator_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
