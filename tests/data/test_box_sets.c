/* Sets with boxes, in every layout that their authors use: where pictures are found, what boxes and classes become,
 * ids, and that pictures without boxes stay. */
#include "data/voc_xml.h"
#include "support/box_sets.h"
#include "support/compare.h"

#include <stdio.h>
#include <string.h>

static char folder[DATA_PATH], spec[2 * DATA_PATH];

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

static tips_dataset *open_as(const char *format, const char *below, const tips_dataset_options *options) {
    tips_dataset *set;
    snprintf(spec, sizeof spec, "%s%s%s%s", format, *format ? ":" : "", folder, below);
    expect_ok(tips__dataset_open(spec, options, &set));
    assert_int_equal(tips__dataset_annotates(set), TIPS_ANNOTATES_BOXES);
    return set;
}

static const char *const categories =
    "\"categories\": [{\"supercategory\": \"x\", \"id\": 90, \"name\": \"cup\"}, {\"id\": 3, \"name\": \"dog\"}]";

/* Annotations come before pictures, with segmentations of both kinds and things that nobody knows. */
static void write_coco(const char *file, const char *const names[3], int first_id) {
    char text[4096];
    snprintf(
        text, sizeof text,
        "\xef\xbb\xbf{\"info\": {\"images\": [1], \"a\": {\"b\": [{}]}}, \"licenses\": [],\n"
        "\"annotations\": [\n"
        "{\"id\": 12, \"image_id\": %d, \"category_id\": 90, \"bbox\": [10.25, 5.5, 20, 8.125], \"area\": 77.5, "
        "\"iscrowd\": 0, \"segmentation\": [[1, 2, 3, 4, 5, 6], [7, 8, 9, 1, 2, 3]], \"more\": {\"bbox\": [0]}},\n"
        "{\"segmentation\": {\"counts\": [272, 2, 4], \"size\": [40, 60]}, \"iscrowd\": 1, \"bbox\": [0, 0, 60, 40], "
        "\"category_id\": 3, \"image_id\": %d, \"id\": 11},\n"
        "{\"segmentation\": {\"counts\": \"Q\\\"`0\", \"size\": [40, 60]}, \"bbox\": [1, 2, 3, 4], \"category_id\": 3, "
        "\"image_id\": %d, \"id\": 10, \"area\": 0}],\n"
        "\"images\": [{\"id\": %d, \"file_name\": \"%s\", \"height\": 40, \"width\": 60, \"date\": null},\n"
        "{\"file_name\": \"%s\", \"width\": 60, \"height\": 40, \"id\": %d},\n"
        "{\"id\": %d, \"file_name\": \"%s\"}],\n%s}\n",
        first_id + 5, first_id + 5, first_id, first_id + 5, names[0], names[1], first_id, first_id + 9, names[2],
        categories);
    data_write_text(folder, file, text);
}

static void expect_coco(tips_dataset *set, tips_split split, const char *const names[3], int first_id) {
    static const int later[3] = {0, 5, 9};
    assert_int_equal(tips__dataset_count(set, split), 3);
    assert_int_equal(tips__dataset_classes(set), 2);
    assert_string_equal(tips__dataset_class_name(set, 0), "dog");
    assert_string_equal(tips__dataset_class_name(set, 1), "cup");
    assert_true(tips__dataset_class_id(set, 0) == 3 && tips__dataset_class_id(set, 1) == 90);
    for (int i = 0; i < 3; i++) /* by id */
        assert_int_equal(tips__dataset_picture_id(set, split, i), first_id + later[i]);
    box_expect(set, split, names[0], 0,
               (tips_box){.top = 5.5, .left = 10.25, .bottom = 13.625, .right = 30.25, .label = 1, .area = 77.5});
    box_expect(set, split, names[0], 1, (tips_box){.bottom = 40, .right = 60, .label = 0, .crowd = true});
    box_expect(set, split, names[1], 0, (tips_box){.top = 2, .left = 1, .bottom = 6, .right = 4});
    assert_int_equal(box_count(set, split, names[2]), 0); /* legal, and of a size that its file says */
}

static void test_coco(void **state) {
    static const char *const train[3] = {"a.jpg", "b.jpg", "c.jpg"}, *const val[3] = {"d.jpg", "e.jpg", "f.jpg"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "train2017/%s", train[i]);
        box_write_picture(folder, name);
        snprintf(name, sizeof name, "images/val2017/%s", val[i]);
        box_write_picture(folder, name);
    }
    write_coco("annotations/instances_train2017.json", train, 100);
    write_coco("annotations/instances_val2017.json", val, 0);
    data_write_text(folder, "annotations/captions_val2017.json", "{\"images\": 3}");
    tips_dataset *set = open_as("", "", NULL);
    assert_string_equal(tips__dataset_format(set), "coco");
    expect_coco(set, TIPS_SPLIT_TRAIN, train, 100);
    expect_coco(set, TIPS_SPLIT_VAL, val, 0);
    tips__dataset_close(set);
    set = open_as("coco", "/annotations/instances_val2017.json", &(tips_dataset_options){.whole = true});
    expect_coco(set, TIPS_SPLIT_TEST, val, 0);
    tips__dataset_close(set);
    set = open_as("coco", "", &(tips_dataset_options){.classes_limit = 1});
    assert_int_equal(box_count(set, TIPS_SPLIT_TRAIN, "a.jpg"), 1);
    tips__dataset_close(set);
    write_coco("annotations/instances_train2014.json", train, 0);
    assert_int_equal(tips__dataset_open(folder, NULL, &set), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "coco:year=YEAR"));
    snprintf(spec, sizeof spec, "coco:year=2017,%s", folder);
    expect_ok(tips__dataset_open(spec, NULL, &set));
    expect_coco(set, TIPS_SPLIT_TRAIN, train, 100);
    tips__dataset_close(set);
}

/* Beside its pictures, alone or in folders of splits; and with folders in the names of pictures. */
static void test_coco_beside(void **state) {
    static const char *const flat[3] = {"a.png", "b.png", "c.png"}, *const deep[3] = {"p/q/a.jpg", "p/q/b.jpg",
                                                                                      "p/c.jpg"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "one/%s", flat[i]);
        box_write_picture(folder, name);
        snprintf(name, sizeof name, "two/train/%s", flat[i]);
        box_write_picture(folder, name);
        snprintf(name, sizeof name, "two/valid/%s", flat[i]);
        box_write_picture(folder, name);
        snprintf(name, sizeof name, "three/%s", deep[i]);
        box_write_picture(folder, name);
    }
    write_coco("one/boxes.json", flat, 1);
    write_coco("two/train/_annotations.coco.json", flat, 1);
    write_coco("two/valid/_annotations.coco.json", flat, 50);
    write_coco("three/annotations/test.json", deep, 4);
    tips_dataset *set = open_as("", "/one", &(tips_dataset_options){.whole = true});
    expect_coco(set, TIPS_SPLIT_TEST, flat, 1);
    tips__dataset_close(set);
    set = open_as("", "/two", NULL);
    expect_coco(set, TIPS_SPLIT_TRAIN, flat, 1);
    expect_coco(set, TIPS_SPLIT_VAL, flat, 50);
    tips__dataset_close(set);
    set = open_as("", "/three", &(tips_dataset_options){.whole = true});
    expect_coco(set, TIPS_SPLIT_TEST, deep, 4);
    tips__dataset_close(set);
}

/* The first and the last pixel are within; parts of things are not things; numbers may have fractions. */
static void test_voc(void **state) {
    char text[2048];
    (void)state;
    if (!tips__has_xml()) {
        snprintf(spec, sizeof spec, "voc-boxes:%s", folder);
        box_write_picture(folder, "JPEGImages/a.jpg");
        box_write_xml(folder, "Annotations/a.xml", "");
        tips_dataset *set;
        assert_int_equal(tips__dataset_open(spec, NULL, &set), TIPS_UNSUPPORTED);
        assert_non_null(strstr(tips_last_error(), "lacks expat"));
        return;
    }
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "JPEGImages/%c.%s", 'a' + i, i == 3 ? "png" : "jpg");
        box_write_picture(folder, name);
    }
    snprintf(
        text, sizeof text,
        "%s<object><name> cat &amp; mouse </name><part><name>head</name><bndbox><xmin>7</xmin>"
        "</bndbox></part><difficult>1</difficult><bndbox><ymin>3</ymin><xmin>2.5</xmin><ymax>9</ymax><xmax>8</xmax>"
        "</bndbox></object>",
        box_object("zebra", "1", "1", "60", "40"));
    box_write_xml(folder, "Annotations/a.xml", text);
    box_write_xml(folder, "Annotations/b.xml", box_object("ant", "0", "0", "1", "1"));
    data_write_text(folder, "Annotations/c.xml",
                    "<?xml version='1.0'?><!-- none --><annotation><object/></annotation>");
    box_write_xml(folder, "Annotations/c.xml", "");
    data_write_text(folder, "Annotations/d.xml", "<annotation><filename>x</filename></annotation>"); /* no size */
    data_write_text(folder, "ImageSets/Main/train.txt", "a\nb.jpg -1\n");
    data_write_text(folder, "ImageSets/Main/val.txt", "c\nd\n");
    tips_dataset *set = open_as("", "", NULL);
    assert_string_equal(tips__dataset_format(set), "voc-boxes");
    assert_int_equal(tips__dataset_classes(set), 3);
    assert_string_equal(tips__dataset_class_name(set, 0), "ant");
    assert_string_equal(tips__dataset_class_name(set, 1), "cat & mouse");
    box_expect(set, TIPS_SPLIT_TRAIN, "a.jpg", 0, (tips_box){.bottom = 40, .right = 60, .label = 2});
    box_expect(set, TIPS_SPLIT_TRAIN, "a.jpg", 1,
               (tips_box){.top = 2, .left = 1.5, .bottom = 9, .right = 8, .label = 1, .ignore = true});
    box_expect(set, TIPS_SPLIT_TRAIN, "b.jpg", 0, (tips_box){.bottom = 1, .right = 1, .label = 0});
    assert_int_equal(box_count(set, TIPS_SPLIT_VAL, "c.jpg"), 0);
    assert_int_equal(box_count(set, TIPS_SPLIT_VAL, "d.png"), 0);
    tips__dataset_close(set);
    data_write_text(folder, "classes.txt", "zebra\ncat & mouse\nant\ngnu\n");
    set = open_as("voc-boxes", "", NULL);
    assert_int_equal(tips__dataset_classes(set), 4);
    box_expect(set, TIPS_SPLIT_TRAIN, "b.jpg", 0, (tips_box){.bottom = 1, .right = 1, .label = 2});
    tips__dataset_close(set);
}

static void test_voc_without_lists(void **state) {
    (void)state;
    if (!tips__has_xml()) skip();
    for (int i = 0; i < 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "images/r-%d.jpg", i);
        box_write_picture(folder, name);
        snprintf(name, sizeof name, "annotations/r-%d.xml", i);
        box_write_xml(folder, name, box_object("raccoon", "4", "5", "6", "7"));
    }
    tips_dataset *set = open_as("", "", &(tips_dataset_options){.whole = true});
    assert_string_equal(tips__dataset_format(set), "voc-boxes");
    assert_int_equal(tips__dataset_count(set, TIPS_SPLIT_TEST), 3);
    box_expect(set, TIPS_SPLIT_TEST, "r-2.jpg", 0, (tips_box){.top = 4, .left = 3, .bottom = 7, .right = 6});
    tips__dataset_close(set);
}

static void write_yolo(const char *images, const char *labels, const char *name, const char *text) {
    char file[128];
    snprintf(file, sizeof file, "%s/%s.jpg", images, name);
    box_write_picture(folder, file);
    snprintf(file, sizeof file, "%s/%s.txt", labels, name);
    if (text) data_write_text(folder, file, text);
}

/* Middle, width and height in parts; an outline has a hull and an area. */
static void expect_yolo(tips_dataset *set, tips_split split) {
    box_expect(set, split, "a.jpg", 0, (tips_box){.top = 10, .left = 15, .bottom = 20, .right = 45, .label = 1});
    box_expect(set, split, "a.jpg", 1,
               (tips_box){.top = 4, .left = 6, .bottom = 36, .right = 54, .label = 0, .area = 0.32 * 40 * 60});
    assert_int_equal(box_count(set, split, "a.jpg"), 2);
    assert_int_equal(box_count(set, split, "b.jpg"), 0);
    assert_int_equal(box_count(set, split, "c.jpg"), 0);
}

static const char *const yolo_lines = "1 0.5 0.375 0.5 0.25\r\n\n0\t.1 .1 .9 .1 .9 .9\n";

static void write_yolo_split(const char *images, const char *labels) {
    write_yolo(images, labels, "a", yolo_lines);
    write_yolo(images, labels, "b", "");
    write_yolo(images, labels, "c", NULL);
}

static void test_yolo(void **state) {
    (void)state;
    write_yolo_split("images/train", "labels/train");
    write_yolo_split("images/val", "labels/val");
    tips_dataset *set = open_as("", "", NULL);
    assert_string_equal(tips__dataset_format(set), "yolo");
    assert_string_equal(tips__dataset_class_name(set, 1), "1");
    expect_yolo(set, TIPS_SPLIT_TRAIN);
    expect_yolo(set, TIPS_SPLIT_VAL);
    tips__dataset_close(set);
    data_write_text(folder, "classes.txt", "cat\ndog\nbird\n");
    set = open_as("yolo", "", NULL);
    assert_int_equal(tips__dataset_classes(set), 3);
    assert_string_equal(tips__dataset_class_name(set, 1), "dog");
    tips__dataset_close(set);
}

/* train.txt as darknet writes it: paths from elsewhere, and labels beside the pictures. */
static void test_yolo_lists(void **state) {
    (void)state;
    write_yolo_split("obj", "obj");
    data_write_text(folder, "train.txt", "data/obj/a.jpg\n/home/somebody/darknet/data/obj/b.jpg\nobj/c.jpg\n");
    data_write_text(folder, "obj.names", "cat\ndog\n");
    tips_dataset *set = open_as("", "", &(tips_dataset_options){.whole = true});
    expect_yolo(set, TIPS_SPLIT_TEST);
    assert_string_equal(tips__dataset_class_name(set, 0), "cat");
    tips__dataset_close(set);
}

static void test_yolo_yaml(void **state) {
    static const char *const yamls[] = {
        "train: ../train/images\nval: ../valid/images\ntest: ../test/images\nnc: 2\nnames: ['cat', 'dog']\n",
        ("path: ../datasets/none # elsewhere\ntrain: [train/images]\nval: valid/images\ntest:\nnames:\n"
         "  1: dog\n  0: cat\n"),
        "path: .\ntrain: train/images\nval: list.txt\nnames: [cat, dog]\n"};
    tips_dataset *set;
    (void)state;
    write_yolo_split("train/images", "train/labels");
    write_yolo_split("valid/images", "valid/labels");
    data_write_text(folder, "list.txt", "./valid/images/a.jpg\nvalid/images/b.jpg\nvalid/images/c.jpg\n");
    for (size_t i = 0; i < sizeof yamls / sizeof yamls[0]; i++) {
        data_write_text(folder, "data.yaml", yamls[i]);
        const tips_status status = tips__dataset_open(folder, NULL, &set);
        if (status == TIPS_UNSUPPORTED) { /* without libyaml */
            assert_non_null(strstr(tips_last_error(), "lacks libyaml"));
            return;
        }
        expect_ok(status);
        assert_string_equal(tips__dataset_class_name(set, 1), "dog");
        expect_yolo(set, TIPS_SPLIT_TRAIN);
        expect_yolo(set, TIPS_SPLIT_VAL);
        tips__dataset_close(set);
        set = open_as("", "/data.yaml", NULL);
        expect_yolo(set, TIPS_SPLIT_VAL);
        tips__dataset_close(set);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_coco, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_coco_beside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_voc, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_voc_without_lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_yolo, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_yolo_lists, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_yolo_yaml, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
