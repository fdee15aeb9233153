/* What is wrong in a set with masks is told with the file's name and, where one can be given, a remedy; and counted
 * where bad pictures are to be skipped. */
#include "support/compare.h"
#include "support/mask_sets.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PICTURES = 6 };

static char folder[DATA_PATH], spec[2 * DATA_PATH];

static int tear_down(void **state) {
    (void)state;
    data_remove_folder(folder);
    return 0;
}

static int numbers(int number, int i) { return (number + i) % 3; }

/* A set that is right: "voc:", "masks:" or another with `images` and `masks` as its folders. */
static void make(const char *format, const char *images, const char *masks) {
    data_make_folder(folder);
    snprintf(spec, sizeof spec, "%s:%s", format, folder);
    for (int i = 0; i < PICTURES; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s/%d.jpg", images, i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "%s/%d.png", masks, i);
        mask_write(folder, name, i, numbers);
    }
}

static int set_up_plain(void **state) {
    (void)state;
    make("masks", "images", "masks");
    return 0;
}

static int set_up_voc(void **state) {
    (void)state;
    make("voc", "JPEGImages", "SegmentationClass");
    data_write_text(folder, "ImageSets/Segmentation/train.txt", "0\n1\n2\n3\n");
    data_write_text(folder, "ImageSets/Segmentation/val.txt", "4\n5\n");
    return 0;
}

static int set_up_kvasir(void **state) {
    (void)state;
    make("kvasir", "images", "masks");
    return 0;
}

static int set_up_city(void **state) {
    (void)state;
    data_make_folder(folder);
    snprintf(spec, sizeof spec, "cityscapes:labels=polygons,%s", folder);
    for (int i = 0; i < 2; i++) {
        char name[128];
        snprintf(name, sizeof name, "leftImg8bit/train/ulm/%d_leftImg8bit.png", i);
        mask_write_picture(folder, name, i);
        snprintf(name, sizeof name, "gtFine/train/ulm/%d_gtFine_polygons.json", i);
        data_write_text(folder, name, "{\"imgHeight\": 6, \"imgWidth\": 8, \"objects\": []}");
    }
    return 0;
}

static void remove_file(const char *name) {
    char path[2 * DATA_PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

/* With bad pictures skipped it opens, and so many are counted once everything was read. */
static void expect_skipped(int skipped) {
    tips_dataset *set;
    int left = 0;
    expect_ok(tips__dataset_open(spec, &(tips_dataset_options){.skip_bad = true}, &set));
    for (int s = 0; s < TIPS_SPLITS; s++)
        for (int i = 0; i < tips__dataset_count(set, (tips_split)s); i++) {
            tips_image picture;
            tips_annotation a;
            if (tips__dataset_read_annotated(set, (tips_split)s, i, TIPS_ANNOTATES_MASK, &picture, &a) != TIPS_OK)
                continue;
            tips__image_free(&picture);
            tips__annotation_clear(&a);
            left++;
        }
    assert_int_equal(tips__dataset_skipped(set), skipped);
    assert_true(left > 0);
    tips__dataset_close(set);
}

static void test_missing_mask(void **state) {
    (void)state;
    remove_file("masks/0.png");
    mask_expect_error(folder, "there is no mask of this name in", "images/0.jpg"); /* still recognised */
    mask_write(folder, "masks/0.png", 0, numbers);
    remove_file("masks/3.png");
    mask_expect_error(spec, "there is no mask of this name in", "images/3.jpg");
    expect_skipped(1);
}

static void test_missing_picture(void **state) {
    (void)state;
    remove_file("images/2.jpg");
    mask_expect_error(spec, "there is no picture of this name in", "masks/2.png");
    expect_skipped(1);
}

static void test_two_masks(void **state) {
    (void)state;
    mask_write(folder, "masks/4.bmp", 4, numbers);
    mask_expect_error(spec, "a mask of the same name", "masks/4");
}

static void test_wrong_size(void **state) {
    (void)state;
    data_write_picture(folder, "images/1.jpg", MASK_H, MASK_W + 1, 1, 2, 3);
    mask_expect_error(spec, "images/1.jpg: the picture has 6x9 pixels, its annotation is for 6x8", "masks/1.png");
    expect_skipped(1);
}

static int beyond(int number, int i) { return number == 1 && i == 10 ? 9 : numbers(number, i); }

static void test_beyond_the_classes(void **state) {
    (void)state;
    mask_write(folder, "masks/1.png", 1, beyond);
    data_write_text(folder, "classes.txt", "background\ncat\ndog\n");
    mask_expect_error(spec, "the number 9 at row 1, column 2 is none of the 3 classes", "masks/1.png");
    expect_skipped(1);
}

static int soft(int number, int i) { return (number * 41 + i * 5) % 256; }
static int nothing(int number, int i) {
    (void)number, (void)i;
    return 0;
}

static void write_masks(mask_rule rule) {
    for (int i = 0; i < PICTURES; i++) {
        char name[64];
        snprintf(name, sizeof name, "masks/%d.png", i);
        mask_write(folder, name, i, rule);
    }
}

static void test_unnamed_classes(void **state) {
    (void)state;
    write_masks(soft);
    mask_expect_error(spec, "different numbers; name the classes in classes.txt, or put 'kvasir:'", folder);
    write_masks(nothing);
    mask_expect_error(spec, "nothing but background", folder);
    data_write_text(folder, "classes.txt", "background\n");
    mask_expect_error(spec, "names 1 classes", "classes.txt");
}

static void test_colour(void **state) {
    (void)state;
    data_write_text(folder, "classes.txt", "background\ncat\ndog\n");
    data_write_picture(folder, "masks/5.png", MASK_H, MASK_W, 9, 8, 7);
    mask_expect_error(spec, "there are masks in colour", folder);
}

static void test_damaged_mask(void **state) {
    (void)state;
    data_truncate(folder, "masks/0.png", 30);
    data_write_text(folder, "classes.txt", "background\ncat\ndog\n");
    mask_expect_error(spec, "cut short", "masks/0.png");
    expect_skipped(1);
    data_write_text(folder, "masks/0.png", "");
    mask_expect_error(spec, "empty", "masks/0.png");
}

static void test_empty_folder(void **state) {
    (void)state;
    for (int i = 0; i < PICTURES; i++) {
        char name[64];
        snprintf(name, sizeof name, "images/%d.jpg", i);
        remove_file(name);
        snprintf(name, sizeof name, "masks/%d.png", i);
        remove_file(name);
    }
    mask_expect_error(spec, "there are no pictures", "images");
}

static void test_zero_and_one(void **state) {
    (void)state;
    write_masks(numbers); /* up to 2: dark, but not by mistake, as far as can be told */
    tips_dataset *set = NULL;
    expect_ok(tips__dataset_open(spec, NULL, &set));
    mask_expect(set, TIPS_SPLIT_TRAIN, 0, nothing);
    tips__dataset_close(set);
    data_bytes b = {0};
    char ones[MASK_PIXELS];
    memset(ones, 1, sizeof ones);
    data_put(&b, "P5 8 6 255\n", 11);
    data_put(&b, ones, sizeof ones);
    data_write(folder, "masks/0.png", &b);
    data_free(&b);
    mask_expect_error(spec, "holds 0 and 1, where black and white are expected; 'masks:'", "masks/0.png");
    expect_skipped(1);
}

static void test_lists(void **state) {
    (void)state;
    data_write_text(folder, "ImageSets/Segmentation/val.txt", "\r\n\n");
    mask_expect_error(spec, "lists no pictures", "ImageSets/Segmentation/val.txt");
    data_write_text(folder, "ImageSets/Segmentation/val.txt", "4\n5\n77\n");
    mask_expect_error(spec, "the picture is listed, but not there", "JPEGImages/77.jpg");
    expect_skipped(1);
    data_write_text(folder, "ImageSets/Segmentation/val.txt", "4\n../../5\n"); /* names do not lead elsewhere */
    remove_file("SegmentationClass/5.png");
    mask_expect_error(spec, "the mask of a picture is not there", "/SegmentationClass/5.png");
    expect_skipped(1);
    remove_file("ImageSets/Segmentation/val.txt");
    mask_expect_error(spec, "No such file", "val.txt");
}

static int sheep(int number, int i) {
    (void)number, (void)i;
    return 17;
}

/* Colours are as good as numbers, if they are VOC's. */
static void test_voc_colours(void **state) {
    tips_dataset *set = NULL;
    (void)state;
    data_write_picture(folder, "SegmentationClass/3.png", MASK_H, MASK_W, 128, 64, 0);
    expect_ok(tips__dataset_open(spec, NULL, &set));
    assert_int_equal(mask_expect(set, TIPS_SPLIT_TRAIN, 3, sheep), 3);
    tips__dataset_close(set);
    data_write_picture(folder, "SegmentationClass/2.png", MASK_H, MASK_W, 1, 1, 1);
    mask_expect_error(spec, "the colour #010101 at row 0, column 0 is that of no class", "SegmentationClass/2.png");
    expect_skipped(1);
}

static void test_polygons(void **state) {
    static const struct {
        const char *text, *words;
    } broken[] = {
        {"", "_polygons.json"},
        {"[1, 2", "_polygons.json"},
        {"{}", "there are no objects"},
        {"{\"objects\": [], \"imgHeight\": 0, \"imgWidth\": 5}", "pixels; sides of 1"},
        {"{\"objects\": [], \"imgHeight\": 1e9, \"imgWidth\": 5}", "pixels; sides of 1"},
        {"{\"objects\": [{}], \"imgHeight\": 6, \"imgWidth\": 8}", "an object without a label"},
        {"{\"objects\": [5], \"imgHeight\": 6, \"imgWidth\": 8}", "an object without a label"},
        {"{\"objects\": [{\"label\": \"tree\", \"polygon\": []}], \"imgHeight\": 6, \"imgWidth\": 8}",
         "Cityscapes has no label 'tree'"},
        {"{\"objects\": [{\"label\": \"road\", \"polygon\": [[1]]}], \"imgHeight\": 6, \"imgWidth\": 8}",
         "a point of a polygon is not two numbers"},
        {"{\"objects\": [{\"label\": \"road\", \"polygon\": [[1, \"2\"]]}], \"imgHeight\": 6, \"imgWidth\": 8}",
         "a point of a polygon is not two numbers"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        test_case("%s", broken[i].text);
        data_write_text(folder, "gtFine/train/ulm/1_gtFine_polygons.json", broken[i].text);
        mask_expect_error(spec, broken[i].words, "gtFine/train/ulm/1_gtFine_polygons.json");
        expect_skipped(1);
    }
    remove_file("gtFine/train/ulm/1_gtFine_polygons.json");
    mask_expect_error(spec, "the mask of a picture is not there", "gtFine/train/ulm/1_gtFine_polygons.json");
}

#define CASE(name, kind) cmocka_unit_test_setup_teardown(test_##name, set_up_##kind, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(missing_mask, plain),
        CASE(missing_picture, plain),
        CASE(two_masks, plain),
        CASE(wrong_size, plain),
        CASE(beyond_the_classes, plain),
        CASE(unnamed_classes, plain),
        CASE(colour, plain),
        CASE(damaged_mask, plain),
        CASE(empty_folder, plain),
        CASE(zero_and_one, kvasir),
        CASE(lists, voc),
        CASE(voc_colours, voc),
        CASE(polygons, city),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
