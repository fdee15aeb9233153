/* Every dataset format from files made here: what is read is what was written, limits and splits are as asked for, and
 * broken files are refused by name. */
#include "support/compare.h"
#include "support/data_files.h"

#include "data/dataset.h"
#include "data/shapes.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[DATA_PATH];

static int make_folder(void **state) {
    (void)state;
    data_make_folder(folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    data_remove_folder(folder);
    return 0;
}

static tips_dataset *open_set(const char *spec, const tips_dataset_options *options) {
    tips_dataset *set = NULL;
    const tips_status status = tips__dataset_open(spec, options, &set);
    if (status == TIPS_UNSUPPORTED) {
        print_message("skipped: %s\n", tips_last_error());
        skip();
    }
    if (status != TIPS_OK) fail_msg("%s", tips_last_error());
    return set;
}

/* The error must name `word`. */
static void refuse(const char *spec, const tips_dataset_options *options, const char *word) {
    tips_dataset *set = NULL;
    const tips_status status = tips__dataset_open(spec, options, &set);
    if (status == TIPS_UNSUPPORTED) return;
    if (status == TIPS_OK) fail_msg("%s was accepted, not refused for '%s'", spec, word);
    if (!strstr(tips_last_error(), word)) fail_msg("'%s' does not name '%s'", tips_last_error(), word);
}

static void expect_counts(tips_dataset *set, int train, int val, int test) {
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TRAIN), train);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_VAL), val);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TEST), test);
}

/* The first byte of every picture must be scale * label + base. */
static void expect_pixels(tips_dataset *set, tips_split split, int scale, int base) {
    for (int i = 0; i < tips__dataset_count(set, split); i++) {
        tips_image picture;
        int label = -1;
        char name[DATA_PATH];
        if (tips__dataset_read(set, split, i, &picture, &label) != TIPS_OK) fail_msg("%s", tips_last_error());
        assert_int_equal(picture.pixels[0], scale * label + base);
        tips__image_free(&picture);
        tips__dataset_item_name(set, split, i, name, sizeof name);
        assert_true(strlen(name) > 3);
    }
}

enum { TRAIN = 40, TEST = 10, CLASSES = 5, H = 6, W = 4 };

/* A set of IDX files; `write` is data_write or data_write_gz. */
static void write_idx(const char *ending, void (*write)(const char *, const char *, const data_bytes *)) {
    static const char *const kinds[] = {"train", "t10k"};
    for (int k = 0; k < 2; k++) {
        data_bytes pictures = {0}, labels = {0};
        char name[64];
        data_idx_pictures(&pictures, k ? TEST : TRAIN, H, W, CLASSES, k);
        data_idx_labels(&labels, k ? TEST : TRAIN, CLASSES);
        snprintf(name, sizeof name, "%s-images-idx3-ubyte%s", kinds[k], ending);
        write(folder, name, &pictures);
        snprintf(name, sizeof name, "%s-labels-idx1-ubyte%s", kinds[k], ending);
        write(folder, name, &labels);
        data_free(&pictures);
        data_free(&labels);
    }
}

static void check_idx(const char *spec) {
    int h = 0, w = 0;
    tips_dataset *set = open_set(spec, NULL);
    assert_string_equal(tips__dataset_format(set), "idx");
    assert_int_equal(tips__dataset_classes(set), CLASSES);
    assert_int_equal(tips__dataset_channels(set), 1);
    assert_true(tips__dataset_size(set, &h, &w) && h == H && w == W);
    expect_counts(set, TRAIN - 4, 4, TEST);
    expect_pixels(set, TIPS_SPLIT_TRAIN, 10, 0);
    expect_pixels(set, TIPS_SPLIT_VAL, 10, 0);
    expect_pixels(set, TIPS_SPLIT_TEST, 10, 1);
    tips__dataset_close(set);
}

static void test_idx(void **state) {
    char path[2 * DATA_PATH];
    (void)state;
    write_idx("", data_write);
    check_idx(folder);
    snprintf(path, sizeof path, "idx:%s", folder);
    check_idx(path);
    snprintf(path, sizeof path, "%s/train-images-idx3-ubyte", folder);
    check_idx(path);
    data_write_text(folder, "other-train-images-idx3-ubyte", "");
    refuse(folder, NULL, "several sets");
    check_idx(path);
}

static void test_idx_gz(void **state) {
    (void)state;
    write_idx(".gz", data_write_gz);
    check_idx(folder);
    data_truncate(folder, "train-images-idx3-ubyte.gz", 300);
    refuse(folder, NULL, "train-images-idx3-ubyte.gz");
}

static void write_labels(const int *labels, int count) {
    data_bytes b = {0};
    data_put_big_endian(&b, 0x801);
    data_put_big_endian(&b, (uint32_t)count);
    for (int i = 0; i < count; i++) data_put(&b, &(uint8_t){(uint8_t)labels[i]}, 1);
    data_write(folder, "train-labels-idx1-ubyte", &b);
    data_free(&b);
}

static void test_idx_refusals(void **state) {
    int labels[TRAIN];
    const tips_dataset_options skip_bad = {.skip_bad = true};
    (void)state;
    write_idx("", data_write);
    for (int i = 0; i < TRAIN; i++) labels[i] = i % CLASSES;
    write_labels(labels, TRAIN - 1);
    refuse(folder, NULL, "39 labels for 40 pictures");
    labels[7] = 200; /* leaves classes between without pictures */
    write_labels(labels, TRAIN);
    refuse(folder, NULL, "train-labels-idx1-ubyte: has labels up to 200, but none is 5");
    refuse(folder, &skip_bad, "train-labels-idx1-ubyte: has labels up to 200"); /* not 201 classes */
    data_write_text(folder, "classes.txt", "a\nb\nc\nd\ne\n");
    refuse(folder, NULL, "train-labels-idx1-ubyte: label 200 of picture 7");
    tips_dataset *set = open_set(folder, &skip_bad);
    assert_int_equal(tips__dataset_skipped(set), 1);
    assert_string_equal(tips__dataset_class_name(set, 4), "e");
    tips__dataset_close(set);
    data_truncate(folder, "train-images-idx3-ubyte", 100);
    refuse(folder, NULL, "train-images-idx3-ubyte: cut short");
    data_truncate(folder, "train-images-idx3-ubyte", 9);
    refuse(folder, NULL, "within its header");
    data_write_text(folder, "train-images-idx3-ubyte", "hello, this is not IDX");
    refuse(folder, NULL, "train-images-idx3-ubyte: starts with 0x68656c6c");
    data_bytes huge = {0};
    data_put_big_endian(&huge, 0x803);
    for (int i = 0; i < 3; i++) data_put_big_endian(&huge, i ? 4096 : 0x7fffffff);
    data_write(folder, "train-images-idx3-ubyte", &huge);
    refuse(folder, NULL, "train-images-idx3-ubyte: claims more");
    data_free(&huge);
}

static void write_cifar10(data_bytes *tar) {
    for (int part = 0; part < 6; part++) {
        data_bytes b = {0};
        char name[64];
        snprintf(name, sizeof name, "cifar-10-batches-bin/data_batch_%d.bin", part + 1);
        if (part == 5) strcpy(name, "cifar-10-batches-bin/test_batch.bin");
        data_cifar(&b, 20, 10, 1);
        if (tar) data_tar_entry(tar, name, &b);
        else data_write(folder, name, &b);
        data_free(&b);
    }
}

static void check_cifar10(const char *spec) {
    tips_dataset *set = open_set(spec, NULL);
    assert_string_equal(tips__dataset_format(set), "cifar");
    assert_string_equal(tips__dataset_class_name(set, 9), "truck");
    expect_counts(set, 90, 10, 20);
    expect_pixels(set, TIPS_SPLIT_TRAIN, 1, 0);
    tips_image picture;
    int label;
    assert_int_equal(tips__dataset_read(set, TIPS_SPLIT_TEST, 13, &picture, &label), TIPS_OK);
    assert_int_equal(label, 3);
    for (int i = 0; i < 3 * 1024; i++) assert_int_equal(picture.pixels[i], 3 + i % 3);
    tips__image_free(&picture);
    tips__dataset_close(set);
}

static void test_cifar(void **state) {
    char path[2 * DATA_PATH];
    (void)state;
    write_cifar10(NULL);
    check_cifar10(folder);
    snprintf(path, sizeof path, "%s/cifar-10-batches-bin", folder);
    check_cifar10(path);
    data_truncate(path, "data_batch_3.bin", 3073 * 7 + 5);
    refuse(folder, NULL, "data_batch_3.bin");
    data_bytes bad = {0};
    data_cifar(&bad, 11, 11, 1);
    data_write(path, "data_batch_3.bin", &bad);
    refuse(folder, NULL, "cifar-10-batches-bin/data_batch_3.bin: label 10 of picture 10");
    snprintf(path, sizeof path, "%s/cifar-10-batches-bin/data_batch_3.bin", folder);
    assert_int_equal(unlink(path), 0);
    refuse(folder, NULL, "data_batch_3.bin");
    data_free(&bad);
}

static void test_cifar_archive(void **state) {
    char path[2 * DATA_PATH];
    data_bytes tar = {0};
    (void)state;
    write_cifar10(&tar);
    data_tar_end(&tar);
    data_write(folder, "cifar-10-binary.tar", &tar);
    data_write(folder, "holds-100-things.tar", &tar);
    data_write_gz(folder, "cifar-10-binary.tar.gz", &tar);
    data_free(&tar);
    snprintf(path, sizeof path, "%s/cifar-10-binary.tar", folder);
    check_cifar10(path);
    snprintf(path, sizeof path, "%s/cifar-10-binary.tar.gz", folder);
    check_cifar10(path);
    snprintf(path, sizeof path, "cifar:%s/holds-100-things.tar", folder); /* what it holds decides, not its name */
    check_cifar10(path);
    snprintf(path, sizeof path, "%s/cifar-10-binary.tar.gz", folder);
    data_truncate(folder, "cifar-10-binary.tar.gz", 200000);
    refuse(path, NULL, "cifar-10-binary.tar.gz");
    data_write_text(folder, "cifar-10-binary.tar.gz", "not an archive");
    refuse(path, NULL, "cifar-10-binary.tar.gz");
    data_bytes other = {0}, empty = {0};
    data_tar_entry(&other, "cifar-10-batches-py/data_batch_1", &empty);
    data_tar_end(&other);
    data_write(folder, "cifar-10-binary.tar.gz", &other);
    refuse(path, NULL, "data_batch_1.bin");
    data_free(&other);
}

static void test_cifar100(void **state) {
    data_bytes b = {0};
    (void)state;
    data_cifar(&b, 200, 100, 2);
    data_write(folder, "train.bin", &b);
    data_write(folder, "test.bin", &b);
    data_free(&b);
    tips_dataset *set = open_set(folder, NULL);
    assert_int_equal(tips__dataset_classes(set), 100);
    expect_counts(set, 180, 20, 200);
    expect_pixels(set, TIPS_SPLIT_TEST, 1, 0);
    tips__dataset_close(set);
}

static void test_spec(void **state) {
    (void)state;
    refuse("/no/such/folder", NULL, "no such file or folder");
    refuse("shape:size=32", NULL, "did you mean the format 'shapes'");
    refuse("shapes:sise=32", NULL, "size");
    refuse("shapes:size=3", NULL, "shapes:size");
    refuse("idx:/no/such/folder", NULL, "/no/such/folder");
    refuse(folder, NULL, "not recognised");
    refuse("shapes", &(tips_dataset_options){.val_split = 1}, "held out");
    refuse("shapes", &(tips_dataset_options){.train_limit = -1}, "limits");
    refuse("shapes:test=0", &(tips_dataset_options){.val_is_test = true}, "no test set");
    tips_dataset *set = open_set(NULL, NULL);
    assert_true(tips__dataset_count(set, TIPS_SPLIT_TRAIN) > 1000);
    tips__dataset_close(set);
}

/* Limits and held-out data: by seed, without overlap, and the held-out part does not depend on the limit. */
static void test_splits(void **state) {
    const tips_dataset_options limited = {.train_limit = 50, .classes_limit = 4, .val_split = 0.25, .seed = 3};
    const tips_dataset_options whole = {.classes_limit = 4, .val_split = 0.25, .seed = 3};
    char name[64], other[64];
    (void)state;
    tips_dataset *a = open_set("shapes:train=1000,test=100", &limited),
                 *b = open_set("shapes:train=1000,test=100", &whole);
    assert_int_equal(tips__dataset_classes(a), 4);
    expect_counts(a, 50, 100, 40);
    expect_counts(b, 300, 100, 40);
    for (int i = 0; i < 100; i++) {
        tips__dataset_item_name(a, TIPS_SPLIT_VAL, i, name, sizeof name);
        tips__dataset_item_name(b, TIPS_SPLIT_VAL, i, other, sizeof other);
        assert_string_equal(name, other);
        for (int j = 0; j < 300; j++) {
            tips__dataset_item_name(b, TIPS_SPLIT_TRAIN, j, other, sizeof other);
            assert_string_not_equal(name, other);
        }
    }
    tips__dataset_close(a);
    tips__dataset_close(b);
    a = open_set("shapes:train=100,test=30", &(tips_dataset_options){.val_is_test = true});
    assert_true(tips__dataset_val_is_test(a));
    expect_counts(a, 100, 30, 30);
    tips__dataset_close(a);
}

int main(void) {
#define TEST_IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_idx),   TEST_IN_FOLDER(test_idx_gz),        TEST_IN_FOLDER(test_idx_refusals),
        TEST_IN_FOLDER(test_cifar), TEST_IN_FOLDER(test_cifar_archive), TEST_IN_FOLDER(test_cifar100),
        TEST_IN_FOLDER(test_spec),  TEST_IN_FOLDER(test_splits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
