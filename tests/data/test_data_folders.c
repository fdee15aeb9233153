/* Datasets made of picture files, from files made here: class folders, Tiny ImageNet, Food-101, Oxford-102; bad
 * pictures stop with their name or are skipped and counted. */
#include "support/class_maker.h"
#include "support/compare.h"
#include "support/data_files.h"

#include "data/dataset.h"
#include "data/loader.h"

#include <stdio.h>
#include <string.h>

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

static const tips_dataset_options skip_bad = {.skip_bad = true};

static tips_dataset *open_set(const tips_dataset_options *options, const char *format) {
    tips_dataset *set = NULL;
    const tips_status status = tips__dataset_open(folder, options, &set);
    if (status == TIPS_UNSUPPORTED) {
        print_message("skipped: %s\n", tips_last_error());
        skip();
    }
    if (status != TIPS_OK) fail_msg("%s", tips_last_error());
    assert_string_equal(tips__dataset_format(set), format);
    return set;
}

static void refuse(const char *word) {
    tips_dataset *set = NULL;
    const tips_status status = tips__dataset_open(folder, NULL, &set);
    if (status == TIPS_UNSUPPORTED) return;
    if (status == TIPS_OK) fail_msg("accepted, not refused for '%s'", word);
    if (!strstr(tips_last_error(), word)) fail_msg("'%s' does not name '%s'", tips_last_error(), word);
}

static void expect_counts(tips_dataset *set, int train, int val, int test) {
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TRAIN), train);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_VAL), val);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TEST), test);
}

/* Pictures are red with the value of their class. */
static void expect_labels(tips_dataset *set, tips_split split) {
    for (int i = 0; i < tips__dataset_count(set, split); i++) {
        tips_image picture;
        int label = -1;
        if (tips__dataset_read(set, split, i, &picture, &label) != TIPS_OK) fail_msg("%s", tips_last_error());
        assert_int_equal(picture.pixels[0], label);
        tips__image_free(&picture);
    }
}

static void write_class(const char *name, int label, int count) {
    for (int i = 0; i < count; i++) {
        char path[DATA_PATH];
        snprintf(path, sizeof path, "%s/%d.ppm", name, i);
        data_write_picture(folder, path, 8, 8 + i % 2, label, 0, 0);
    }
}

static void test_splits_on_disk(void **state) {
    int h, w;
    (void)state;
    write_class("train/apple", 0, 4);
    write_class("train/n01440764", 1, 6);
    write_class("val/apple", 0, 2);
    write_class("val/n01440764", 1, 1);
    write_class("test/images", 9, 3); /* no labels */
    data_write_text(folder, "train/apple/notes.txt", "not a picture");
    tips_dataset *set = open_set(NULL, "folders");
    expect_counts(set, 10, 3, 0);
    expect_labels(set, TIPS_SPLIT_TRAIN);
    expect_labels(set, TIPS_SPLIT_VAL);
    assert_string_equal(tips__dataset_class_name(set, 1), "tench");
    assert_false(tips__dataset_size(set, &h, &w));
    assert_int_equal(tips__dataset_channels(set), 3);
    tips__dataset_close(set);
    write_class("val/pear", 2, 1);
    refuse("val/pear: there is no such class");
}

static void test_flat(void **state) {
    (void)state;
    write_class("a", 0, 10);
    write_class("b/deeper/still", 1, 10);
    tips_dataset *set = open_set(NULL, "folders");
    expect_counts(set, 18, 2, 0);
    expect_labels(set, TIPS_SPLIT_TRAIN);
    tips__dataset_close(set);
    data_write_text(folder, "c/nothing.txt", "");
    refuse("'c', has no training pictures");
    set = open_set(&skip_bad, "folders");
    assert_int_equal(tips__dataset_classes(set), 3);
    tips__dataset_close(set);
}

/* Truncated, empty, huge and zero-sized pictures among good ones. */
static void write_with_bad(void) {
    write_class("a", 0, 12);
    write_class("b", 1, 12);
    data_write_text(folder, "a/zz_empty.png", "");
    data_write_text(folder, "a/zz_huge.ppm", "P6 30000 30000 255\n");
    data_write_text(folder, "b/zz_none.ppm", "P6 0 0 255\n");
    data_write_text(folder, "b/zz_short.ppm", "P6 8 8 255\nabc");
}

static void test_bad_pictures(void **state) {
    tips_image picture;
    int label, bad = 0;
    (void)state;
    write_with_bad();
    tips_dataset *set = open_set(&skip_bad, "folders");
    for (int round = 0; round < 2; round++)
        for (int s = 0; s < TIPS_SPLITS; s++)
            for (int i = 0; i < tips__dataset_count(set, (tips_split)s); i++) {
                const tips_status status = tips__dataset_read(set, (tips_split)s, i, &picture, &label);
                if (status == TIPS_OK) tips__image_free(&picture);
                else if (round == 0) bad++;
                if (status != TIPS_OK) assert_non_null(strstr(tips_last_error(), "/zz_"));
            }
    assert_int_equal(bad, 4);
    assert_int_equal(tips__dataset_skipped(set), 4);
    tips__dataset_close(set);
}

static tips_loader_config loader_of(tips_dataset *set, bool drop_last) {
    return (tips_loader_config){.set = set,
                                .split = TIPS_SPLIT_TRAIN,
                                .maker = test_class_target,
                                .batch = 5,
                                .views = 2,
                                .shuffle = true,
                                .drop_last = drop_last,
                                .workers = 2,
                                .seed = 4,
                                .preprocess = {.height = 8, .width = 8, .channels = 3, .std = {1, 1, 1}}};
}

/* Pictures in one epoch; -1 if it fails. */
static int run_epoch(const tips_loader_config *config, bool full) {
    tips_loader *loader;
    tips_batch batch;
    int total = 0;
    assert_int_equal(tips__loader_create(config, &loader), TIPS_OK);
    assert_int_equal(tips__loader_start(loader, 0, 0), TIPS_OK);
    tips_status status;
    while ((status = tips__loader_next(loader, &batch)) == TIPS_OK && batch.n > 0) {
        if (full) assert_int_equal(batch.n, config->batch * config->views);
        for (int i = 0; i < batch.n; i++)
            assert_float_equal(batch.images[(ptrdiff_t)i * 3 * 64], test_class_of(&batch.targets[i]) / 255.0, 1e-6);
        total += batch.n / config->views;
    }
    tips__loader_destroy(loader);
    return status == TIPS_OK ? total : -1;
}

static void test_bad_pictures_in_batches(void **state) {
    (void)state;
    write_with_bad();
    tips_dataset *set = open_set(NULL, "folders");
    tips_loader_config config = loader_of(set, false);
    assert_int_equal(run_epoch(&config, false), -1);
    assert_non_null(strstr(tips_last_error(), "/zz_"));
    tips__dataset_close(set);
    set = open_set(&skip_bad, "folders");
    config = loader_of(set, true);
    assert_int_equal(run_epoch(&config, true), 25); /* full batches: others take the places of bad ones */
    config = loader_of(set, false);
    const int bad = tips__dataset_skipped(set);
    assert_true(bad >= 1 && bad <= 4);
    assert_int_equal(run_epoch(&config, false), 25 - tips__dataset_skipped(set));
    tips__dataset_close(set);
}

static void test_tiny_imagenet(void **state) {
    (void)state;
    write_class("train/n02/images", 1, 5);
    write_class("train/n01/images", 0, 5);
    data_write_picture(folder, "val/images/val_0.JPEG", 8, 8, 1, 0, 0);
    data_write_picture(folder, "val/images/val_1.JPEG", 8, 8, 0, 0, 0);
    data_write_text(folder, "val/val_annotations.txt", "val_0.JPEG\tn02\t1\t2\t3\t4\nval_1.JPEG\tn01\t1\t2\t3\t4\n");
    data_write_text(folder, "words.txt", "n01\tgoldfish, Carassius auratus\nn02\tEgyptian cat\nn99\tunicorn\n");
    tips_dataset *set = open_set(NULL, "tiny-imagenet");
    expect_counts(set, 10, 2, 0);
    expect_labels(set, TIPS_SPLIT_TRAIN);
    expect_labels(set, TIPS_SPLIT_VAL);
    assert_string_equal(tips__dataset_class_name(set, 0), "goldfish");
    assert_string_equal(tips__dataset_class_name(set, 1), "Egyptian cat");
    tips__dataset_close(set);
    data_write_text(folder, "val/val_annotations.txt", "val_0.JPEG\tn77\n");
    refuse("n77");
    data_write_text(folder, "val/val_annotations.txt", "val_7.JPEG\tn01\n");
    refuse("val_7.JPEG");
    data_write_text(folder, "val/val_annotations.txt", "oops\n");
    refuse("'oops'");
    data_write_text(folder, "val/val_annotations.txt", "val_7.JPEG\tn01\nval_1.JPEG\tn01\nval_0.JPEG\tn77\n");
    set = open_set(&skip_bad, "tiny-imagenet");
    assert_int_equal(tips__dataset_skipped(set), 2);
    expect_counts(set, 10, 1, 0);
    tips__dataset_close(set);
}

static void test_food101(void **state) {
    (void)state;
    for (int i = 0; i < 8; i++) {
        char name[64];
        snprintf(name, sizeof name, "images/%s/%d.jpg", i % 2 ? "waffles" : "apple_pie", i);
        data_write_picture(folder, name, 6, 9, i % 2, 0, 0);
    }
    data_write_text(folder, "meta/train.txt",
                    "apple_pie/0\napple_pie/2\nwaffles/1\nwaffles/3\napple_pie/4\nwaffles/5\n");
    data_write_text(folder, "meta/test.txt", "apple_pie/6\nwaffles/7\n");
    data_write_text(folder, "meta/classes.txt", "apple_pie\nwaffles\n");
    data_write_text(folder, "meta/labels.txt", "Apple pie\nWaffles\n");
    tips_dataset *set = open_set(&(tips_dataset_options){.val_split = 0.34}, "food101");
    expect_counts(set, 4, 2, 2);
    expect_labels(set, TIPS_SPLIT_TEST);
    expect_labels(set, TIPS_SPLIT_VAL);
    assert_string_equal(tips__dataset_class_name(set, 0), "Apple pie");
    tips__dataset_close(set);
    data_write_text(folder, "meta/classes.txt", "waffles\napple_pie\n"); /* labels.txt then names the wrong ones */
    set = open_set(NULL, "food101");
    assert_string_equal(tips__dataset_class_name(set, 0), "apple_pie");
    expect_labels(set, TIPS_SPLIT_TEST);
    tips__dataset_close(set);
    data_write_text(folder, "meta/test.txt", "sushi/6\n");
    refuse("'sushi'");
    data_write_text(folder, "meta/test.txt", "waffles/77\n");
    refuse("waffles/77.jpg");
    data_write_text(folder, "meta/test.txt", "../../waffles/77\n");
    refuse("meta/test.txt");
}

static void write_flowers(int classes_of_last, int last_id) {
    data_bytes labels = {0}, ids = {0};
    int values[6] = {1, 2, 1, 2, 1, classes_of_last};
    data_mat_header(&labels);
    data_mat_row(&labels, "labels", values, 6);
    data_mat_header(&ids);
    data_mat_row(&ids, "trnid", (int[]){1, 2, 3}, 3);
    data_mat_row(&ids, "valid", (int[]){4}, 1);
    data_mat_row(&ids, "tstid", (int[]){5, last_id}, 2);
    data_write(folder, "imagelabels.mat", &labels);
    data_write(folder, "setid.mat", &ids);
    data_free(&labels);
    data_free(&ids);
}

/* Labels in a compressed variable, with a bit of the data turned over or not. */
static void write_packed_labels(bool damaged) {
    data_bytes row = {0}, labels = {0};
    data_mat_row(&row, "labels", (int[]){1, 2, 1, 2, 1, 2}, 6);
    data_mat_header(&labels);
    data_mat_pack(&labels, &row);
    if (damaged) labels.data[labels.size - 4 - 2] ^= 0x10; /* the last number, before the checksum */
    data_write(folder, "imagelabels.mat", &labels);
    data_free(&row);
    data_free(&labels);
}

static void test_oxford102(void **state) {
    (void)state;
    for (int i = 1; i <= 6; i++) {
        char name[64];
        snprintf(name, sizeof name, "jpg/image_%05d.jpg", i);
        data_write_picture(folder, name, 6, 9, (i + 1) % 2, 0, 0);
    }
    data_write_text(folder, "classes.txt", "rose\ntulip\n");
    write_flowers(2, 6);
    tips_dataset *set = open_set(NULL, "oxford102");
    expect_counts(set, 3, 1, 2);
    for (int s = 0; s < TIPS_SPLITS; s++) expect_labels(set, (tips_split)s);
    tips__dataset_close(set);
    write_packed_labels(false);
    set = open_set(NULL, "oxford102");
    for (int s = 0; s < TIPS_SPLITS; s++) expect_labels(set, (tips_split)s);
    tips__dataset_close(set);
    write_packed_labels(true);
    refuse("imagelabels.mat: the compressed data are damaged");
    write_flowers(3, 6);
    refuse("imagelabels.mat: label 3 of picture 6");
    write_flowers(2, 7);
    refuse("setid.mat: picture 7");
    write_flowers(2, 6);
    data_truncate(folder, "setid.mat", 150);
    refuse("setid.mat");
    data_write_text(folder, "imagelabels.mat", "hello");
    refuse("imagelabels.mat");
}

int main(void) {
#define TEST_IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_splits_on_disk), TEST_IN_FOLDER(test_flat),
        TEST_IN_FOLDER(test_bad_pictures),   TEST_IN_FOLDER(test_bad_pictures_in_batches),
        TEST_IN_FOLDER(test_tiny_imagenet),  TEST_IN_FOLDER(test_food101),
        TEST_IN_FOLDER(test_oxford102),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
