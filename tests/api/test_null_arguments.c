/* NULL for whatever a public function needs: TIPS_INVALID with the argument's name, or the neutral value the header
 * promises. Every function that a public header declares has a row in the table. */
#include "support/compare.h"
#include "support/temporary.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tips/tips.h>

enum { SIDE = 8, PIXELS = 3 * SIDE * SIDE, CLASSES = 4, MOST_TEXT = 1 << 20 };

static tips_network *network;
static tips_classifier *classifier;
static tips_segmenter *segmenter;
static tips_detector *detector;
static float images[PIXELS], logits[CLASSES];
static uint8_t pixels[PIXELS];
static const tips_picture picture = {.pixels = pixels, .height = SIDE, .width = SIDE, .channels = 3};

static void expect_named(tips_status status, const char *argument) {
    if (status != TIPS_INVALID) fail_case("%s is NULL: %s", argument, tips_status_name(status));
    if (!strstr(tips_last_error(), argument)) fail_case("'%s' does not name '%s'", tips_last_error(), argument);
}

static void network_create(void) { expect_named(tips_network_create(NULL, NULL), "out"); }
static void network_destroy(void) { tips_network_destroy(NULL); }

static void network_load(void) {
    tips_network *out;
    expect_named(tips_network_load(NULL, &out), "path");
    expect_named(tips_network_load("model", NULL), "out");
}

static void network_save(void) {
    expect_named(tips_network_save(NULL, "model"), "network");
    expect_named(tips_network_save(network, NULL), "path");
}

static void network_arch(void) { assert_string_equal(tips_network_arch(NULL), ""); }
static void network_pool(void) { assert_string_equal(tips_network_pool(NULL), ""); }
static void network_channels(void) { assert_int_equal(tips_network_channels(NULL), 0); }
static void network_height(void) { assert_int_equal(tips_network_height(NULL), 0); }
static void network_width(void) { assert_int_equal(tips_network_width(NULL), 0); }
static void network_classes(void) { assert_int_equal(tips_network_classes(NULL), 0); }
static void network_parameters(void) { assert_int_equal(tips_network_parameters(NULL), 0); }

static void network_run(void) {
    expect_named(tips_network_run(NULL, images, 1, logits), "network");
    expect_named(tips_network_run(network, NULL, 1, logits), "images");
    expect_named(tips_network_run(network, images, 1, NULL), "logits");
}

static void network_phase(void) {
    int32_t phase;
    expect_named(tips_network_phase(NULL, "pool", &phase), "network");
    expect_named(tips_network_phase(network, NULL, &phase), "layer");
    expect_named(tips_network_phase(network, "pool", NULL), "phases");
}

static void network_settle(void) { expect_named(tips_network_settle(NULL), "network"); }

static void network_tensor(void) {
    tips_tensor_info info;
    assert_false(tips_network_tensor(NULL, 0, &info));
    assert_false(tips_network_tensor(network, 0, NULL));
}

static void network_get(void) {
    expect_named(tips_network_get(NULL, "fc.bias", logits, CLASSES), "network");
    expect_named(tips_network_get(network, NULL, logits, CLASSES), "name");
    expect_named(tips_network_get(network, "fc.bias", NULL, CLASSES), "values");
}

static void network_set(void) {
    expect_named(tips_network_set(NULL, "fc.bias", logits, CLASSES), "network");
    expect_named(tips_network_set(network, NULL, logits, CLASSES), "name");
    expect_named(tips_network_set(network, "fc.bias", NULL, CLASSES), "values");
}

static void train_defaults(void) { assert_true(tips_train_defaults().lr > 0); }

static void network_train_step(void) {
    const int32_t label = 0;
    expect_named(tips_network_train_step(NULL, images, &label, 1, NULL, NULL), "network");
    expect_named(tips_network_train_step(network, NULL, &label, 1, NULL, NULL), "images");
    expect_named(tips_network_train_step(network, images, NULL, 1, NULL, NULL), "labels");
}

static void network_verify(void) {
    tips_verdict verdict;
    expect_named(tips_network_verify(NULL, images, 1, &verdict), "network");
    expect_named(tips_network_verify(network, images, 1, NULL), "out");
}

static void classifier_load(void) {
    tips_classifier *out;
    expect_named(tips_classifier_load(NULL, NULL, &out), "path");
    expect_named(tips_classifier_load("model", NULL, NULL), "out");
}

static void classifier_destroy(void) { tips_classifier_destroy(NULL); }
static void classifier_arch(void) { assert_string_equal(tips_classifier_arch(NULL), ""); }
static void classifier_pool(void) { assert_string_equal(tips_classifier_pool(NULL), ""); }
static void classifier_channels(void) { assert_int_equal(tips_classifier_channels(NULL), 0); }
static void classifier_height(void) { assert_int_equal(tips_classifier_height(NULL), 0); }
static void classifier_width(void) { assert_int_equal(tips_classifier_width(NULL), 0); }
static void classifier_classes(void) { assert_int_equal(tips_classifier_classes(NULL), 0); }
static void classifier_name(void) { assert_null(tips_classifier_name(NULL, 0)); }

static void classifier_run(void) {
    expect_named(tips_classifier_run(NULL, images, 1, logits), "classifier");
    expect_named(tips_classifier_run(classifier, NULL, 1, logits), "images");
    expect_named(tips_classifier_run(classifier, images, 1, NULL), "logits");
}

static void classifier_answer(void) {
    tips_answer answer;
    const tips_picture empty = {.height = SIDE, .width = SIDE, .channels = 3};
    expect_named(tips_classifier_answer(NULL, &picture, &answer), "classifier");
    expect_named(tips_classifier_answer(classifier, NULL, &answer), "picture");
    expect_named(tips_classifier_answer(classifier, &empty, &answer), "pixels");
    expect_named(tips_classifier_answer(classifier, &picture, NULL), "out");
}

static void classifier_probabilities(void) {
    tips_answer answer;
    double probabilities[CLASSES];
    expect_named(tips_classifier_probabilities(NULL, &picture, &answer, probabilities), "classifier");
    expect_named(tips_classifier_probabilities(classifier, NULL, &answer, probabilities), "picture");
    expect_named(tips_classifier_probabilities(classifier, &picture, NULL, probabilities), "out");
    expect_ok(tips_classifier_probabilities(classifier, &picture, &answer, NULL));
}

static void classifier_prepare(void) {
    expect_named(tips_classifier_prepare(NULL, &picture, images), "classifier");
    expect_named(tips_classifier_prepare(classifier, NULL, images), "picture");
    expect_named(tips_classifier_prepare(classifier, &picture, NULL), "image");
}

static void classifier_consistency(void) {
    tips_consistency out;
    const tips_picture empty = {.height = SIDE, .width = SIDE, .channels = 3};
    expect_named(tips_classifier_consistency(NULL, &picture, NULL, 1, NULL, &out), "classifier");
    expect_named(tips_classifier_consistency(classifier, NULL, NULL, 1, NULL, &out), "pictures");
    expect_named(tips_classifier_consistency(classifier, &empty, NULL, 1, NULL, &out), "pixels");
    expect_named(tips_classifier_consistency(classifier, &picture, NULL, 1, NULL, NULL), "out");
}

static void segmenter_load(void) {
    tips_segmenter *out;
    expect_named(tips_segmenter_load(NULL, NULL, &out), "path");
    expect_named(tips_segmenter_load("model", NULL, NULL), "out");
}

static void segmenter_destroy(void) { tips_segmenter_destroy(NULL); }
static void segmenter_arch(void) { assert_string_equal(tips_segmenter_arch(NULL), ""); }
static void segmenter_pool(void) { assert_string_equal(tips_segmenter_pool(NULL), ""); }
static void segmenter_channels(void) { assert_int_equal(tips_segmenter_channels(NULL), 0); }
static void segmenter_height(void) { assert_int_equal(tips_segmenter_height(NULL), 0); }
static void segmenter_width(void) { assert_int_equal(tips_segmenter_width(NULL), 0); }
static void segmenter_classes(void) { assert_int_equal(tips_segmenter_classes(NULL), 0); }
static void segmenter_name(void) { assert_null(tips_segmenter_name(NULL, 0)); }
static void segmenter_colour(void) { assert_null(tips_segmenter_colour(NULL, 0)); }

static void segmenter_run(void) {
    expect_named(tips_segmenter_run(NULL, images, 1, logits), "segmenter");
    expect_named(tips_segmenter_run(segmenter, NULL, 1, logits), "images");
    expect_named(tips_segmenter_run(segmenter, images, 1, NULL), "logits");
}

static void segmenter_answer(void) {
    uint8_t mask[SIDE * SIDE];
    const tips_picture empty = {.height = SIDE, .width = SIDE, .channels = 3};
    expect_named(tips_segmenter_answer(NULL, &picture, mask), "segmenter");
    expect_named(tips_segmenter_answer(segmenter, NULL, mask), "picture");
    expect_named(tips_segmenter_answer(segmenter, &empty, mask), "pixels");
    expect_named(tips_segmenter_answer(segmenter, &picture, NULL), "mask");
}

static void segmenter_prepare(void) {
    expect_named(tips_segmenter_prepare(NULL, &picture, images), "segmenter");
    expect_named(tips_segmenter_prepare(segmenter, NULL, images), "picture");
    expect_named(tips_segmenter_prepare(segmenter, &picture, NULL), "image");
}

static void segmenter_consistency(void) {
    tips_mask_consistency out;
    const uint8_t *const no_mask[1] = {NULL};
    const tips_picture empty = {.height = SIDE, .width = SIDE, .channels = 3};
    expect_named(tips_segmenter_consistency(NULL, &picture, NULL, 1, NULL, &out), "segmenter");
    expect_named(tips_segmenter_consistency(segmenter, NULL, NULL, 1, NULL, &out), "pictures");
    expect_named(tips_segmenter_consistency(segmenter, &empty, NULL, 1, NULL, &out), "pixels");
    expect_named(tips_segmenter_consistency(segmenter, &picture, no_mask, 1, NULL, &out), "mask");
    expect_named(tips_segmenter_consistency(segmenter, &picture, NULL, 1, NULL, NULL), "out");
}

static void detector_load(void) {
    tips_detector *out;
    expect_named(tips_detector_load(NULL, NULL, &out), "path");
    expect_named(tips_detector_load("model", NULL, NULL), "out");
}

static void detector_destroy(void) { tips_detector_destroy(NULL); }
static void detector_arch(void) { assert_string_equal(tips_detector_arch(NULL), ""); }
static void detector_pool(void) { assert_string_equal(tips_detector_pool(NULL), ""); }
static void detector_channels(void) { assert_int_equal(tips_detector_channels(NULL), 0); }
static void detector_height(void) { assert_int_equal(tips_detector_height(NULL), 0); }
static void detector_width(void) { assert_int_equal(tips_detector_width(NULL), 0); }
static void detector_classes(void) { assert_int_equal(tips_detector_classes(NULL), 0); }
static void detector_shown(void) { assert_true(tips_detector_shown(NULL) == 0); }
static void detector_name(void) { assert_null(tips_detector_name(NULL, 0)); }

static void detector_answer(void) {
    tips_found_box boxes[1];
    int count;
    const tips_picture empty = {.height = SIDE, .width = SIDE, .channels = 3};
    expect_named(tips_detector_answer(NULL, &picture, boxes, 1, &count), "detector");
    expect_named(tips_detector_answer(detector, NULL, boxes, 1, &count), "picture");
    expect_named(tips_detector_answer(detector, &empty, boxes, 1, &count), "pixels");
    expect_named(tips_detector_answer(detector, &picture, NULL, 1, &count), "boxes");
    expect_named(tips_detector_answer(detector, &picture, boxes, 1, NULL), "count");
}

static void detector_prepare(void) {
    expect_named(tips_detector_prepare(NULL, &picture, images), "detector");
    expect_named(tips_detector_prepare(detector, NULL, images), "picture");
    expect_named(tips_detector_prepare(detector, &picture, NULL), "image");
}

static void detector_run(void) {
    tips_found_box boxes[1];
    int count;
    expect_named(tips_detector_run(NULL, images, boxes, 1, &count), "detector");
    expect_named(tips_detector_run(detector, NULL, boxes, 1, &count), "image");
    expect_named(tips_detector_run(detector, images, NULL, 1, &count), "boxes");
    expect_named(tips_detector_run(detector, images, boxes, 1, NULL), "count");
}

static void detector_consistency(void) {
    tips_box_consistency out;
    const tips_things no_things[1] = {{NULL, 1}};
    const tips_picture empty = {.height = SIDE, .width = SIDE, .channels = 3};
    expect_named(tips_detector_consistency(NULL, &picture, NULL, 1, NULL, &out), "detector");
    expect_named(tips_detector_consistency(detector, NULL, NULL, 1, NULL, &out), "pictures");
    expect_named(tips_detector_consistency(detector, &empty, NULL, 1, NULL, &out), "pixels");
    expect_named(tips_detector_consistency(detector, &picture, no_things, 1, NULL, &out), "things");
    expect_named(tips_detector_consistency(detector, &picture, NULL, 1, NULL, NULL), "out");
}

static void catalog_pool(void) { assert_false(tips_catalog_pool(0, NULL)); }
static void catalog_arch(void) { assert_false(tips_catalog_arch(0, NULL)); }

static void catalog_option(void) {
    tips_option_info option;
    assert_false(tips_catalog_option(NULL, 0, &option));
    assert_false(tips_catalog_option("aps", 0, NULL));
}

static void *no_memory(void *context, size_t bytes) {
    (void)context, (void)bytes;
    return NULL;
}

static void no_release(void *context, void *memory) { (void)context, (void)memory; }

static void use_allocator(void) {
    static const tips_allocator empty = {0}, taking = {.allocate = no_memory}, giving = {.release = no_release};
    const tips_allocator *const broken[] = {&empty, &taking, &giving};
    for (int i = 0; i < 3; i++) {
        tips_network *out = NULL;
        const tips_allocator *before = tips_use_allocator(broken[i]);
        const tips_status status = tips_network_create(NULL, &out);
        tips_use_allocator(before);
        expect_named(status, "allocator");
        assert_null(out);
    }
    assert_null(tips_use_allocator(NULL));
}

static void status_name(void) { assert_string_equal(tips_status_name((tips_status)1000), "TIPS_?"); }
static void status_message(void) { assert_string_equal(tips_status_message((tips_status)1000), "an unknown status"); }
static void last_error(void) { assert_non_null(tips_last_error()); }
static void version(void) { assert_non_null(tips_version()); }
static void build_info(void) { assert_non_null(tips_build_info()); }
static void engine_info(void) { tips_engine_info(NULL, 0); }

#define ROW(name) \
    { "tips_" #name, name }
static const struct {
    const char *name;
    void (*check)(void);
} table[] = {ROW(network_create),      ROW(network_destroy),
             ROW(network_load),        ROW(network_save),
             ROW(network_arch),        ROW(network_pool),
             ROW(network_channels),    ROW(network_height),
             ROW(network_width),       ROW(network_classes),
             ROW(network_parameters),  ROW(network_run),
             ROW(network_phase),       ROW(network_settle),
             ROW(network_tensor),      ROW(network_get),
             ROW(network_set),         ROW(train_defaults),
             ROW(network_train_step),  ROW(network_verify),
             ROW(classifier_load),     ROW(classifier_destroy),
             ROW(classifier_arch),     ROW(classifier_pool),
             ROW(classifier_channels), ROW(classifier_height),
             ROW(classifier_width),    ROW(classifier_classes),
             ROW(classifier_name),     ROW(classifier_run),
             ROW(classifier_answer),   ROW(classifier_probabilities),
             ROW(classifier_prepare),  ROW(classifier_consistency),
             ROW(detector_load),       ROW(detector_destroy),
             ROW(detector_arch),       ROW(detector_pool),
             ROW(detector_channels),   ROW(detector_height),
             ROW(detector_width),      ROW(detector_classes),
             ROW(detector_shown),      ROW(detector_name),
             ROW(detector_answer),     ROW(detector_prepare),
             ROW(detector_run),        ROW(detector_consistency),
             ROW(segmenter_load),      ROW(segmenter_destroy),
             ROW(segmenter_arch),      ROW(segmenter_pool),
             ROW(segmenter_channels),  ROW(segmenter_height),
             ROW(segmenter_width),     ROW(segmenter_classes),
             ROW(segmenter_name),      ROW(segmenter_colour),
             ROW(segmenter_run),       ROW(segmenter_answer),
             ROW(segmenter_prepare),   ROW(segmenter_consistency),
             ROW(catalog_pool),        ROW(catalog_arch),
             ROW(catalog_option),      ROW(use_allocator),
             ROW(status_name),         ROW(status_message),
             ROW(last_error),          ROW(version),
             ROW(build_info),          ROW(engine_info)};
enum { ROWS = sizeof table / sizeof *table };

static void test_table(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        test_case("%s", table[i].name);
        table[i].check();
    }
}

/* --------------------------------------------------------------------------------------- what the headers declare */

static void blank_comments(char *text) {
    for (char *at = strstr(text, "/*"); at; at = strstr(at, "/*")) {
        const char *end = strstr(at, "*/");
        assert_non_null(end);
        memset(at, ' ', (size_t)(end + 2 - at));
    }
}

static bool is_in_table(const char *name, size_t length) {
    for (int i = 0; i < ROWS; i++)
        if (strlen(table[i].name) == length && strncmp(table[i].name, name, length) == 0) return true;
    return false;
}

/* Outside comments, only declarations have a name of ours before a parenthesis. */
static int expect_all_in_table(const char *header, const char *text) {
    int count = 0;
    for (const char *at = strstr(text, "tips_"); at; at = strstr(at, "tips_")) {
        const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
        if (at[length] == '(') {
            test_case("%s: %.*s", header, (int)length, at);
            if (!is_in_table(at, length)) fail_case("it has no row in the table of tests/api/test_null_arguments.c");
            count++;
        }
        at += length;
    }
    return count;
}

static int check_header(const char *folder, const char *name) {
    static char text[MOST_TEXT];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    blank_comments(text);
    return expect_all_in_table(name, text);
}

static void test_every_function(void **state) {
    char folder[512];
    int count = 0;
    (void)state;
    snprintf(folder, sizeof folder, "%s/include/tips", getenv("SOURCE_DIR") ? getenv("SOURCE_DIR") : ".");
    DIR *headers = opendir(folder);
    assert_non_null(headers);
    for (const struct dirent *entry = readdir(headers); entry; entry = readdir(headers))
        if (strstr(entry->d_name, ".h")) count += check_header(folder, entry->d_name);
    closedir(headers);
    assert_int_equal(count, ROWS);
}

static void make_segmenter(void) {
    const tips_network_options options = {.arch = "unet", .first_width = 8, .height = 32, .classes = CLASSES};
    const char *path = path_in_temporary("unet.safetensors");
    tips_network *unet;
    expect_ok(tips_network_create(&options, &unet));
    expect_ok(tips_network_save(unet, path));
    expect_ok(tips_segmenter_load(path, NULL, &segmenter));
    tips_network_destroy(unet);
}

static void make_detector(void) {
    const tips_network_options options = {.arch = "retinanet", .first_width = 8, .height = 32, .classes = CLASSES};
    const char *path = path_in_temporary("retinanet.safetensors");
    tips_network *retinanet;
    expect_ok(tips_network_create(&options, &retinanet));
    expect_ok(tips_network_save(retinanet, path));
    expect_ok(tips_detector_load(path, NULL, &detector));
    tips_network_destroy(retinanet);
}

static int make_all(void **state) {
    const tips_network_options options = {.arch = "tiny", .height = SIDE, .classes = CLASSES};
    const char *path = path_in_temporary("null.safetensors");
    (void)state;
    test_case("a network, a classifier, a segmenter and a detector");
    make_segmenter();
    make_detector();
    expect_ok(tips_network_create(&options, &network));
    expect_ok(tips_network_save(network, path));
    expect_ok(tips_classifier_load(path, NULL, &classifier));
    return 0;
}

static int destroy_all(void **state) {
    (void)state;
    tips_network_destroy(network);
    tips_classifier_destroy(classifier);
    tips_segmenter_destroy(segmenter);
    tips_detector_destroy(detector);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_every_function)};
    return cmocka_run_group_tests(tests, make_all, destroy_all);
}
