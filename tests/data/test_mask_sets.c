/* Formats with masks: each is recognised, finds its splits, and its masks have the values that its files mean. */
#include "support/compare.h"
#include "support/mask_sets.h"
#include "support/png_files.h"

#include "data/dataset_format.h"

#include <stdio.h>
#include <string.h>

static char folder[DATA_PATH];

static int set_up(void **state) {
    (void)state;
    data_make_folder(folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    data_remove_folder(folder);
    return 0;
}

/* Pictures `from` to `to` - 1 of a format: where picture and mask go by their numbers. */
static void write_pairs(const char *pictures, const char *masks, int from, int to, mask_rule rule) {
    for (int i = from; i < to; i++) {
        char name[128];
        snprintf(name, sizeof name, pictures, i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, masks, i);
        mask_write(folder, name, i, rule);
    }
}

static void expect_split(tips_dataset *set, tips_split split, int first, int count, mask_rule rule) {
    assert_int_equal(tips__dataset_count(set, split), count);
    for (int i = 0; i < count; i++) assert_int_equal(mask_expect(set, split, i, rule), first + i);
}

static void expect_masks_only(tips_dataset *set, const char *format, int values) {
    assert_string_equal(tips__dataset_format(set), format);
    assert_int_equal(tips__dataset_annotates(set), TIPS_ANNOTATES_MASK);
    assert_int_equal(tips__dataset_mask_classes(set), values);
    assert_int_equal(tips__dataset_require(set, TIPS_ANNOTATES_CLASS), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "comes with masks; wanted are classes; from masks a network learns by"));
    assert_string_equal(tips__dataset_mask_class_name(set, TIPS_MASK_IGNORE), "ignored");
}

static int voc_rule(int number, int i) { return (number + i) % 22 == 21 ? 255 : (number + i) % 22; }

static void write_voc(const char *base) {
    char name[128];
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "%sJPEGImages/2007_00%02d.jpg", base, i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "%sSegmentationClass%s/2007_00%02d.png", base, i > 5 ? "Aug" : "", i);
        mask_write(folder, name, i, voc_rule);
        if (i >= 4) continue;
        snprintf(name, sizeof name, "%sSegmentationClassAug/2007_00%02d.png", base, i);
        mask_write(folder, name, i, voc_rule);
    }
    snprintf(name, sizeof name, "%sImageSets/Segmentation/train.txt", base);
    data_write_text(folder, name, "2007_0000\r\n2007_0001\r\n2007_0002\r\n2007_0003\r\n"); /* as saved by Windows */
    snprintf(name, sizeof name, "%sImageSets/Segmentation/val.txt", base);
    data_write_text(folder, name, "2007_0004\n2007_0005\n");
    snprintf(name, sizeof name, "%sImageSets/Segmentation/trainval.txt", base);
    data_write_text(folder, name, "2007_0000\n2007_0001\n2007_0002\n2007_0003\n2007_0004\n2007_0005\n");
}

static void test_voc(void **state) {
    static const char *const bases[] = {"", "VOC2012/", "VOCdevkit/VOC2012/"};
    (void)state;
    for (int b = 0; b < 3; b++) {
        set_up(NULL);
        write_voc(bases[b]);
        tips_dataset *set = mask_open("", folder, NULL);
        expect_masks_only(set, "voc", 21);
        assert_string_equal(tips__dataset_mask_class_name(set, 0), "background");
        assert_string_equal(tips__dataset_mask_class_name(set, 1), "aeroplane");
        assert_string_equal(tips__dataset_mask_class_name(set, 20), "tvmonitor");
        assert_memory_equal(tips__dataset_mask_colour(set, 15), ((uint8_t[]){192, 128, 128}), 3);
        expect_split(set, TIPS_SPLIT_TRAIN, 0, 4, voc_rule);
        expect_split(set, TIPS_SPLIT_VAL, 4, 2, voc_rule);
        assert_false(tips__dataset_holds_out(set));
        tips__dataset_close(set);
        tear_down(NULL);
    }
}

static void test_voc_lists(void **state) {
    (void)state;
    write_voc("");
    tips_dataset *set;
    char spec[2 * DATA_PATH];
    snprintf(spec, sizeof spec, "voc:train=trainval,%s", folder);
    expect_ok(tips__dataset_open(spec, &(tips_dataset_options){.val_split = 0.34}, &set));
    assert_true(tips__dataset_holds_out(set));
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TRAIN) + tips__dataset_count(set, TIPS_SPLIT_VAL), 6);
    assert_string_equal(tips__dataset_path(set), folder);
    tips__dataset_close(set);
    snprintf(spec, sizeof spec, "voc:train=trainaug,%s", folder);
    mask_expect_error(spec, "train=trainaug needs ImageSets/Segmentation/trainaug.txt", NULL);
    data_write_text(folder, "ImageSets/Segmentation/trainaug.txt",
                    "/JPEGImages/2007_0001.jpg /SegmentationClassAug/2007_0001.png\n2007_0002\n2007_0006\n");
    expect_ok(tips__dataset_open(spec, NULL, &set));
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TRAIN), 3);
    assert_int_equal(mask_expect(set, TIPS_SPLIT_TRAIN, 0, voc_rule), 1);
    assert_int_equal(mask_expect(set, TIPS_SPLIT_TRAIN, 2, voc_rule), 6);
    expect_split(set, TIPS_SPLIT_VAL, 4, 2, voc_rule);
    tips__dataset_close(set);
    snprintf(spec, sizeof spec, "voc:train=all,%s", folder);
    mask_expect_error(spec, "train", "trainval");
}

/* Numbers of kinds in the files, classes in the masks. */
static int city_ids(int number, int i) { return (number + i) % 35 == 34 ? 255 : (number + i) % 35; }
static int city_classes(int number, int i) {
    static const int classes[34] = {
        [7] = 1,   [8] = 2,   [11] = 3,  [12] = 4,  [13] = 5,  [17] = 6,  [19] = 7,  [20] = 8,  [21] = 9, [22] = 10,
        [23] = 11, [24] = 12, [25] = 13, [26] = 14, [27] = 15, [28] = 16, [31] = 17, [32] = 18, [33] = 19};
    const int id = city_ids(number, i);
    return id == 255 || classes[id] == 0 ? 255 : classes[id] - 1;
}
static int city_train_ids(int number, int i) { return (number + i) % 20 == 19 ? 255 : (number + i) % 20; }

static void write_city_pictures(void) {
    for (int i = 0; i < 6; i++) {
        char name[128];
        snprintf(name, sizeof name, "leftImg8bit/%s/%s/%c_%d_leftImg8bit.png", i < 4 ? "train" : "val",
                 i < 2   ? "aachen"
                 : i < 4 ? "bonn"
                         : "ulm",
                 'a' + i, i);
        mask_write_picture(folder, name, i);
    }
    mask_write_picture(folder, "leftImg8bit/test/bern/x_leftImg8bit.png", 77); /* has no labels */
}

static void write_city_labels(const char *ending, mask_rule rule) {
    for (int i = 0; i < 6; i++) {
        char name[128];
        snprintf(name, sizeof name, "gtFine/%s/%s/%c_%d_gtFine_%s", i < 4 ? "train" : "val",
                 i < 2   ? "aachen"
                 : i < 4 ? "bonn"
                         : "ulm",
                 'a' + i, i, ending);
        if (rule) mask_write(folder, name, i, rule);
        else /* the road from column 2 on, at twice the size, a car in it, and a label that is no class */
            data_write_text(folder, name,
                            "{\"imgHeight\": 12, \"imgWidth\": 16, \"objects\": ["
                            "{\"label\": \"road\", \"polygon\": [[4, 0], [15, 0], [15, 11], [4, 11]]},"
                            "{\"label\": \"cargroup\", \"polygon\": [[8, 4], [11, 4], [11, 7], [8, 7]]},"
                            "{\"label\": \"sky\", \"deleted\": true, \"polygon\": [[0, 0], [15, 0], [15, 11]]},"
                            "{\"label\": \"ego vehicle\", \"polygon\": [[14, 10], [15, 10], [15, 11], [14, 11]]}]}");
    }
}

static int city_drawn(int number, int i) {
    const int y = i / MASK_W, x = i % MASK_W;
    (void)number;
    if (y == 5 && x == 7) return 255;
    if (y >= 2 && y < 4 && x >= 4 && x < 6) return 13;
    return x < 2 ? 255 : 0;
}

static void expect_city(const char *options, mask_rule rule) {
    char spec[2 * DATA_PATH];
    tips_dataset *set;
    test_case("cityscapes:%s", options);
    snprintf(spec, sizeof spec, "%s%s%s", *options ? "cityscapes:" : "", options, folder);
    expect_ok(tips__dataset_open(spec, NULL, &set));
    expect_masks_only(set, "cityscapes", 19);
    assert_string_equal(tips__dataset_mask_class_name(set, 0), "road");
    assert_string_equal(tips__dataset_mask_class_name(set, 18), "bicycle");
    assert_memory_equal(tips__dataset_mask_colour(set, 0), ((uint8_t[]){128, 64, 128}), 3);
    expect_split(set, TIPS_SPLIT_TRAIN, 0, 4, rule);
    expect_split(set, TIPS_SPLIT_VAL, 4, 2, rule);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TEST), 0);
    tips__dataset_close(set);
}

static void test_cityscapes(void **state) {
    (void)state;
    write_city_pictures();
    write_city_labels("labelIds.png", city_ids);
    expect_city("", city_classes);
    write_city_labels("labelTrainIds.png", city_train_ids);
    expect_city("", city_train_ids);
    expect_city("labels=ids,", city_classes);
    write_city_labels("polygons.json", NULL);
    expect_city("", city_drawn); /* the pictures are not of the cameras' size */
    expect_city("labels=polygons,", city_drawn);
    expect_city("labels=trainids,", city_train_ids);
}

static int bright(int number, int i) { return (number + i) % 3 == 0 ? 128 + number : (number + 40 * i) % 128; }
static int is_bright(int number, int i) { return bright(number, i) >= 128; }

static void test_kvasir(void **state) {
    (void)state;
    write_pairs("images/%02d.jpg", "masks/%02d.jpg", 0, 20, bright);
    tips_dataset *set = mask_open("", folder, NULL);
    expect_masks_only(set, "kvasir", 2);
    assert_string_equal(tips__dataset_mask_class_name(set, 1), "polyp");
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TRAIN), 18);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_VAL), 2);
    assert_true(tips__dataset_holds_out(set));
    for (int i = 0; i < 18; i++) mask_expect(set, TIPS_SPLIT_TRAIN, i, is_bright);
    tips__dataset_close(set);
    set = mask_open("", folder, &(tips_dataset_options){.train_limit = 5, .val_split = 0.5, .seed = 3});
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TRAIN), 5);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_VAL), 10);
    tips__dataset_close(set);
}

static void test_kvasir_splits(void **state) {
    (void)state;
    write_pairs("train/images/%d.jpg", "train/masks/%d.jpg", 0, 8, bright);
    write_pairs("validation/images/%d.jpg", "validation/masks/%d.jpg", 8, 10, bright);
    write_pairs("test/images/%02d.jpg", "test/masks/%02d.jpg", 10, 13, bright);
    tips_dataset *set = mask_open("", folder, NULL);
    expect_masks_only(set, "kvasir", 2);
    expect_split(set, TIPS_SPLIT_TRAIN, 0, 8, is_bright);
    expect_split(set, TIPS_SPLIT_VAL, 8, 2, is_bright);
    expect_split(set, TIPS_SPLIT_TEST, 10, 3, is_bright);
    tips__dataset_close(set);
}

static void test_cvc(void **state) {
    static const char *const layouts[][2] = {{"PNG/Original/%d.png", "PNG/Ground Truth/%d.png"},
                                             {"Original/%d.tif", "Ground Truth/%d.tif"},
                                             {"CVC-ClinicDB/Original/%d.tif", "CVC-ClinicDB/Ground Truth/%d.tif"}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        set_up(NULL);
        write_pairs(layouts[i][0], layouts[i][1], 0, 9, bright);
        tips_dataset *set = mask_open("", folder, &(tips_dataset_options){.whole = true});
        expect_masks_only(set, "cvc", 2);
        expect_split(set, TIPS_SPLIT_TEST, 0, 9, is_bright);
        tips__dataset_close(set);
        tear_down(NULL);
    }
}

static int camvid_files(int number, int i) { return (number + i) % 12; }
static int camvid_classes(int number, int i) { return (number + i) % 12 == 11 ? 255 : (number + i) % 12; }
static int camvid_few(int number, int i) { return (number + i) % 12 < 3 ? (number + i) % 12 : 255; }

static void test_camvid(void **state) {
    (void)state;
    write_pairs("train/%d.png", "trainannot/%d.png", 0, 4, camvid_files);
    write_pairs("val/%d.png", "valannot/%d.png", 4, 6, camvid_files);
    write_pairs("test/%d.png", "testannot/%d.png", 6, 9, camvid_files);
    tips_dataset *set = mask_open("", folder, NULL);
    expect_masks_only(set, "camvid", 11);
    assert_string_equal(tips__dataset_mask_class_name(set, 0), "sky");
    assert_string_equal(tips__dataset_mask_class_name(set, 10), "bicyclist");
    assert_memory_equal(tips__dataset_mask_colour(set, 3), ((uint8_t[]){128, 64, 128}), 3);
    expect_split(set, TIPS_SPLIT_TRAIN, 0, 4, camvid_classes);
    expect_split(set, TIPS_SPLIT_VAL, 4, 2, camvid_classes);
    expect_split(set, TIPS_SPLIT_TEST, 6, 3, camvid_classes);
    tips__dataset_close(set);
    set = mask_open("camvid", folder, &(tips_dataset_options){.classes_limit = 3}); /* the others are ignored */
    expect_masks_only(set, "camvid", 3);
    expect_split(set, TIPS_SPLIT_TRAIN, 0, 4, camvid_few);
    tips__dataset_close(set);
}

static int trimap(int number, int i) { return (number + i) % 3 + 1; }
static int pet(int number, int i) { return trimap(number, i) == 1 ? 1 : trimap(number, i) == 2 ? 0 : 255; }

static void test_pets(void **state) {
    static const char *const pictures[] = {"images/pet_%d.jpg", "original/pet_%d.jpg"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        set_up(NULL);
        write_pairs(pictures[i], "annotations/trimaps/pet_%d.png", 0, 7, trimap);
        tips_dataset *set = mask_open("", folder, &(tips_dataset_options){.whole = true});
        expect_masks_only(set, "pets", 2);
        expect_split(set, TIPS_SPLIT_TEST, 0, 7, pet);
        tips__dataset_close(set);
        data_write_text(folder, "annotations/trainval.txt", "pet_0 1 1 1\npet_1 1 1 1\npet_2 1 1 1\npet_3 2 1 1\n");
        data_write_text(folder, "annotations/test.txt", "pet_4 1 1 1\npet_5 1 1 1\npet_6 2 2 1\n");
        set = mask_open("", folder, NULL);
        assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TRAIN), 3);
        assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_VAL), 1);
        expect_split(set, TIPS_SPLIT_TEST, 4, 3, pet);
        tips__dataset_close(set);
        tear_down(NULL);
    }
}

static int plain(int number, int i) { return (number + i) % 5 == 4 ? 255 : (number + i) % 5; }

static void test_plain(void **state) {
    (void)state;
    write_pairs("images/%d.jpg", "masks/%d.png", 0, 9, plain);
    tips_dataset *set = mask_open("", folder, &(tips_dataset_options){.whole = true});
    expect_masks_only(set, "masks", 4);
    assert_string_equal(tips__dataset_mask_class_name(set, 0), "background");
    assert_string_equal(tips__dataset_mask_class_name(set, 3), "3");
    expect_split(set, TIPS_SPLIT_TEST, 0, 9, plain);
    tips__dataset_close(set);
    data_write_text(folder, "classes.txt", "Background\ncat\ndog\ncow\nhorse #0102ff\n");
    set = mask_open("", folder, &(tips_dataset_options){.whole = true});
    expect_masks_only(set, "masks", 5);
    assert_string_equal(tips__dataset_mask_class_name(set, 0), "background");
    assert_string_equal(tips__dataset_mask_class_name(set, 4), "horse");
    assert_memory_equal(tips__dataset_mask_colour(set, 4), ((uint8_t[]){1, 2, 255}), 3);
    expect_split(set, TIPS_SPLIT_TEST, 0, 9, plain);
    tips__dataset_close(set);
    data_write_text(folder, "classes.txt", "road\ncat\ndog\ncow\n");
    set = mask_open("", folder, &(tips_dataset_options){.whole = true});
    expect_masks_only(set, "masks", 4);
    assert_string_equal(tips__dataset_mask_class_name(set, 0), "road");
    assert_false(tips__dataset_has_background(set));
    tips__dataset_close(set);
}

static int black_and_white(int number, int i) { return (number + i) % 4 == 0 ? 255 : 0; }
static int on_or_off(int number, int i) { return (number + i) % 4 == 0; }

static void test_plain_black_and_white(void **state) {
    (void)state;
    write_pairs("train/images/%d.jpg", "train/masks/%d.png", 0, 4, black_and_white);
    write_pairs("valid/images/%d.jpg", "valid/masks/%d.png", 4, 6, black_and_white);
    write_pairs("test/images/%d.jpg", "elsewhere/%d.png", 6, 7, black_and_white); /* without masks */
    tips_dataset *set = mask_open("", folder, NULL);
    expect_masks_only(set, "masks", 2);
    assert_string_equal(tips__dataset_mask_class_name(set, 1), "foreground");
    expect_split(set, TIPS_SPLIT_TRAIN, 0, 4, on_or_off);
    expect_split(set, TIPS_SPLIT_VAL, 4, 2, on_or_off);
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TEST), 0);
    tips__dataset_close(set);
    data_write_text(folder, "classes.txt", "background\npolyp\n");
    set = mask_open("", folder, NULL);
    assert_string_equal(tips__dataset_mask_class_name(set, 1), "polyp");
    expect_split(set, TIPS_SPLIT_TRAIN, 0, 4, on_or_off);
    tips__dataset_close(set);
}

/* Masks with a palette are numbers, and their colours are those of the set. */
static void test_palette(void **state) {
    (void)state;
    if (!png_is_read()) skip();
    write_pairs("images/%d.jpg", "masks/%d.png", 0, 3, plain);
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "masks/%d.png", i);
        mask_write_palette(folder, name, i, plain);
    }
    tips_dataset *set = mask_open("", folder, &(tips_dataset_options){.whole = true});
    expect_split(set, TIPS_SPLIT_TEST, 0, 3, plain);
    assert_memory_equal(tips__dataset_mask_colour(set, 2), ((uint8_t[]){0, 128, 0}), 3);
    tips__dataset_close(set);
}

static void write_colours(const char *name, int number) {
    uint8_t rgb[3 * MASK_PIXELS];
    for (int i = 0; i < MASK_PIXELS; i++) {
        const uint8_t colours[][3] = {{1, 2, 3}, {4, 5, 6}, {224, 224, 192}};
        memcpy(rgb + 3 * i, colours[(number + i) % 3], 3);
    }
    data_bytes b = {0};
    char head[32];
    data_put(&b, head, (size_t)snprintf(head, sizeof head, "P6 %d %d 255\n", MASK_W, MASK_H));
    data_put(&b, rgb, sizeof rgb);
    data_write(folder, name, &b);
    data_free(&b);
}

static int by_colour(int number, int i) { return (number + i) % 3 == 2 ? 255 : (number + i) % 3; }

static void test_colours(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "images/%d.jpg", i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "masks/%d.png", i);
        write_colours(name, i);
    }
    char spec[2 * DATA_PATH];
    snprintf(spec, sizeof spec, "masks:%s", folder);
    mask_expect_error(spec, "there are masks in colour; give every class its colour in classes.txt", NULL);
    data_write_text(folder, "classes.txt", "road #010203\r\nside walk\t#040506\r\n");
    tips_dataset *set = mask_open("masks", folder, &(tips_dataset_options){.whole = true});
    assert_string_equal(tips__dataset_mask_class_name(set, 1), "side walk");
    expect_split(set, TIPS_SPLIT_TEST, 0, 3, by_colour);
    tips__dataset_close(set);
    data_write_text(folder, "classes.txt", "road #010203\nwalk #040507\n");
    mask_expect_error(spec, "the colour #040506 at row 0, column 1 is that of no class", "masks/0.png");
}

/* Class folders that happen to have such names are class folders still. */
static void test_class_folders(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "images/a%d.ppm", i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "masks/b%d.ppm", i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "train/images/%d.ppm", i);
        mask_write_picture(folder, name, i);
    }
    tips_dataset *set = mask_open("", folder, NULL);
    assert_string_equal(tips__dataset_format(set), "folders");
    tips__dataset_close(set);
}

/* What shapes had before it has still. */
static void test_shapes(void **state) {
    tips_dataset *set;
    (void)state;
    expect_ok(tips__dataset_open("shapes:train=10,test=0,classes=3", NULL, &set));
    expect_ok(tips__dataset_require(set, TIPS_ANNOTATES_CLASS | TIPS_ANNOTATES_MASK));
    assert_true(tips__dataset_has_background(set));
    assert_string_equal(tips__dataset_mask_class_name(set, 0), "background");
    assert_string_equal(tips__dataset_mask_class_name(set, 3), tips__dataset_class_name(set, 2));
    tips__dataset_close(set);
    expect_ok(tips__dataset_open("shapes", NULL, &set)); /* without any options */
    assert_int_equal(tips__dataset_mask_classes(set), 11);
    tips__dataset_close(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_voc),
        cmocka_unit_test_setup_teardown(test_voc_lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cityscapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kvasir, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kvasir_splits, set_up, tear_down),
        cmocka_unit_test(test_cvc),
        cmocka_unit_test_setup_teardown(test_camvid, set_up, tear_down),
        cmocka_unit_test(test_pets),
        cmocka_unit_test_setup_teardown(test_plain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_plain_black_and_white, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_palette, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_colours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_class_folders, set_up, tear_down),
        cmocka_unit_test(test_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
