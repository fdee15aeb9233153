/* What is wrong in a set with boxes is told with the file, the entry and the value; and left out and counted where bad
 * pictures are to be skipped. */
#include "data/voc_xml.h"
#include "support/box_sets.h"
#include "support/compare.h"

#include <stdio.h>
#include <string.h>

enum { PICTURES = 4 };

static char folder[DATA_PATH], spec[2 * DATA_PATH];

/* A set that is wrong: what is said of it, and what is left out where that is allowed; -1 where it is not. */
typedef struct wrong {
    const char *text, *words;
    int skipped, bad_boxes;
} wrong;

static void expect_wrong(const wrong *w, const char *file) {
    int skipped, bad_boxes, pictures;
    test_case("%s", w->words);
    if (box_read_all(spec, false, &skipped, &bad_boxes, &pictures) == TIPS_OK) fail_case("nothing is wrong");
    if (!strstr(tips_last_error(), w->words) || !strstr(tips_last_error(), file))
        fail_case("'%s' lacks that, or '%s'", tips_last_error(), file);
    const tips_status status = box_read_all(spec, true, &skipped, &bad_boxes, &pictures);
    if (w->skipped < 0) {
        if (status == TIPS_OK) fail_case("it was passed over");
        return;
    }
    expect_ok(status);
    if (skipped != w->skipped || bad_boxes != w->bad_boxes)
        fail_case("%d pictures and %d boxes were left out", skipped, bad_boxes);
}

static void write_pictures(const char *images) {
    data_make_folder(folder);
    for (int i = 0; i < PICTURES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%d.jpg", images, i);
        box_write_picture(folder, name);
    }
}

#define PICTURE(id, name) "{\"id\": " id ", \"file_name\": \"" name "\", \"height\": 40, \"width\": 60}"
#define FOUR PICTURE("1", "0.jpg") "," PICTURE("2", "1.jpg") "," PICTURE("3", "2.jpg") "," PICTURE("4", "3.jpg")
#define BOX(id, picture, category, bbox) \
    "{\"id\": " id ", \"image_id\": " picture ", \"category_id\": " category ", \"bbox\": " bbox "}"
#define GOOD BOX("1", "1", "5", "[1, 2, 3, 4]")
#define COCO(images, annotations) \
    "{\"images\": [" images "], \"annotations\": [" annotations "], \"categories\": [{\"id\": 5, \"name\": \"a\"}]}"

static void test_coco(void **state) {
    static const wrong cases[] = {
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[1, 2, -3, 4]")), "annotation 2, of 0.jpg (40x60): bbox [1, 2, -3, 4]",
         0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[1, 2, 3, 0]")), "a box has a width and a height above 0", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[60, 2, 3, 4]")), "the box lies outside of the picture", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[1, -9, 3, 4]")), "the box lies outside of the picture", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[1e999, 2, 3, 4]")), "a number is not finite", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[1, 2, 3]")),
         "annotation 2, with the id 2: its bbox is not four numbers", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[1, 2, 3, 4, 5]")), "its bbox is not four numbers", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[1, \"2\", 3, 4]")), "its bbox is not four numbers", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "null")), "its bbox is not four numbers", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1", "6", "[1, 2, 3, 4]")), "its category_id 6 is none of the 1 categories", 0,
         1},
        {COCO(FOUR, GOOD "," BOX("2", "8", "5", "[1, 2, 3, 4]")), "annotation 2 is of a picture with the id 8", 0, 1},
        {COCO(FOUR, GOOD "," BOX("2", "1.5", "5", "[1, 2, 3, 4]")), "its image_id is not a whole number", 0, 1},
        {COCO(FOUR, GOOD "," GOOD), "two annotations have the id 1", 0, 1},
        {COCO(FOUR, GOOD ", {\"id\": 2, \"image_id\": 1, \"category_id\": 5}"), "with the id 2: it has no bbox", 0, 1},
        {COCO(FOUR "," PICTURE("4", "9.jpg"), GOOD), "the pictures 3.jpg and 9.jpg have the same id, 4", 1, 0},
        {COCO(FOUR "," PICTURE("5", "9.jpg"), GOOD), "9.jpg: listed in instances_x.json, but not there", 1, 0},
        {COCO(FOUR "," PICTURE("5", "3.jpg"), GOOD), "lists the picture 3.jpg twice", 1, 0},
        {COCO(FOUR ", {\"id\": 7}", GOOD), "picture 5, with the id 7: it has no file_name", 1, 0},
        {COCO(FOUR ", {\"id\": 7, \"file_name\": 3}", GOOD), "its file_name is not a text", 1, 0},
        {COCO(PICTURE("1", "0.jpg") ", {\"id\": 2, \"file_name\": \"1.jpg\", \"height\": 41, \"width\": 60}", GOOD),
         "the picture has 40x60 pixels, its annotation is for 41x60", 1, 0},
        {COCO(FOUR ", {\"id\": 7, \"file_name\": \"x\", \"height\": 0, \"width\": 60}", GOOD),
         "a picture of 0x60 pixels", 1, 0},
        {COCO(FOUR ", 7", GOOD), "picture 5 is not an object", -1, 0},
        {COCO(FOUR, GOOD "," BOX("2", "1", "5", "[NaN, 2, 3, 4]")), "not valid JSON at byte ", -1, 0},
        {"{\"images\": [" FOUR "], \"annotations\": [", "ends too early, after ", -1, 0},
        {"{\"images\": [" FOUR "], \"categories\": []}", "has no list of annotations", -1, 0},
        {"{\"images\": {}, \"annotations\": []}", "its images are not a list", -1, 0},
        {"{\"images\": [" FOUR "], \"annotations\": [], \"categories\": []}", "has no categories", -1, 0},
        {"{\"images\": [], \"annotations\": [], \"categories\": [{\"id\": 1, \"name\": \"a\"}, {\"id\": 1, \"name\": "
         "\"b\"}]}",
         "two categories have the id 1", -1, 0},
        {"{\"images\": [], \"annotations\": [], \"categories\": [{\"id\": 1}]}",
         "category 1, with the id 1: it has no name", -1, 0},
        {"{\"images\": [], \"annotations\": [], \"categories\": [{\"id\": 1, \"name\": \"a\"}]}",
         "there are no training pictures", -1, 0},
    };
    (void)state;
    write_pictures(".");
    snprintf(spec, sizeof spec, "coco:%s/instances_x.json", folder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        data_write_text(folder, "instances_x.json", cases[i].text);
        expect_wrong(&cases[i], strstr(cases[i].words, "its annotation") ? "1.jpg" : "instances_x.json");
    }
    data_remove_folder(folder);
}

#define OBJECT(name, box) "<object>" name "<bndbox>" box "</bndbox></object>\n"
#define XML(content) "<annotation>\n<size><width>60</width><height>40</height></size>\n" content "</annotation>"
#define EDGES(a, b, c, d) "<xmin>" a "</xmin><ymin>" b "</ymin><xmax>" c "</xmax><ymax>" d "</ymax>"
#define CAT "<name>cat</name>"

static void test_voc(void **state) {
    static const wrong cases[] = {
        {XML(OBJECT(CAT, EDGES("9", "2", "8", "4"))), "line 3: the object 'cat', xmin 9, ymin 2, xmax 8", 0, 1},
        {XML(OBJECT(CAT, EDGES("9", "2", "3", "4"))), "a box has a width and a height above 0", 0, 1},
        {XML(OBJECT(CAT, EDGES("62", "2", "70", "4"))), "the box lies outside of the picture", 0, 1},
        {XML(OBJECT(CAT, EDGES("inf", "2", "inf", "4"))), "a number is not finite", 0, 1},
        {XML(OBJECT("<name>gnu</name>", EDGES("1", "2", "3", "4"))), "the class 'gnu', which classes.txt does not name",
         0, 1},
        {XML(OBJECT("", EDGES("1", "2", "3", "4"))), "line 3: an object without a name", 0, 1},
        {XML("<object>" CAT "</object>"), "without four numbers in its bndbox", 0, 1},
        {XML(OBJECT(CAT, EDGES("1", "two", "3", "4"))), "line 3: <ymin> is 'two', not a number", 1, 0},
        {XML(OBJECT(CAT, EDGES("1", "nan", "3", "4"))), "<ymin> is 'nan', not a number", 1, 0},
        {"<annotation>\n<object>", "line 2, column 9: is not valid XML: no element found", 1, 0},
        {"", "is not valid XML", 1, 0},
        {"<html/>", "line 1: is XML of <html>, not of <annotation>", 1, 0},
        {"<!DOCTYPE a [<!ENTITY b 'c'>]><annotation/>", "declares the entity 'b'", 1, 0},
        {"<annotation><size><width>60</width><height>41</height></size></annotation>", "its annotation is for 41x60", 1,
         0},
        {"<annotation><size><width>-1</width></size></annotation>", "<width> is '-1', not a number of pixels", 1, 0},
    };
    (void)state;
    if (!tips__has_xml()) skip();
    write_pictures("JPEGImages");
    snprintf(spec, sizeof spec, "voc-boxes:%s", folder);
    for (int i = 1; i < PICTURES; i++) {
        char name[64];
        snprintf(name, sizeof name, "Annotations/%d.xml", i);
        box_write_xml(folder, name, box_object("cat", "1", "2", "3", "4"));
    }
    data_write_text(folder, "classes.txt", "cat\n");
    data_write_text(folder, "ImageSets/Main/train.txt", "0\n1\n2\n3\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        data_write_text(folder, "Annotations/0.xml", cases[i].text);
        expect_wrong(&cases[i], strstr(cases[i].words, "41x60") ? "0.jpg" : "Annotations/0.xml");
    }
    box_write_xml(folder, "Annotations/0.xml", "");
    data_write_text(folder, "ImageSets/Main/train.txt", "0\n1\n2\n1\n");
    expect_wrong(&(wrong){NULL, "lists the picture JPEGImages/1.jpg twice", 1, 0}, "ImageSets/Main/train.txt");
    data_write_text(folder, "ImageSets/Main/train.txt", "0\n1\n7\n");
    expect_wrong(&(wrong){NULL, "No such file", 1, 0}, "Annotations/7.xml");
    box_write_xml(folder, "Annotations/7.xml", "");
    expect_wrong(&(wrong){NULL, "listed in Annotations/7.xml, but not there", 1, 0}, "JPEGImages/7.jpg");
    data_remove_folder(folder);
}

static void test_yolo(void **state) {
    static const wrong cases[] = {
        {"0 0.5 0.5 0.1 0.1\n\n0 0.5 0.5 0 0.1\n", "line 3: '0 0.5 0.5 0 0.1': a box has a width and a height above 0",
         0, 1},
        {"0 0.5 0.5 -0.1 0.1", "a box has a width and a height above 0", 0, 1},
        {"0 320 240 64 48", "line 1: '0 320 240 64 48': numbers are parts of the picture's height and width", 0, 1},
        {"0 1.2 0.5 0.1 0.1", "the box lies outside of the picture", 0, 1},
        {"2 0.5 0.5 0.1 0.1", "line 1: '2 0.5 0.5 0.1 0.1': there is no such class", 0, 1},
        {"-1 0.5 0.5 0.1 0.1", "a class is a whole number", 0, 1},
        {"0.5 0.5 0.5 0.1 0.1", "a class is a whole number", 0, 1},
        {"0 0.5 0.5 0.1", "a class and four numbers", 0, 1},
        {"0 0.5 0.5 0.1 0.1 0.9", "a class and four numbers", 0, 1},
        {"0 0.5 nan 0.1 0.1", "all of it should be numbers", 0, 1},
        {"0 0.5 inf 0.1 0.1", "all of it should be numbers", 0, 1},
        {"cat 0.5 0.5 0.1 0.1", "all of it should be numbers", 0, 1},
    };
    (void)state;
    write_pictures("images");
    snprintf(spec, sizeof spec, "yolo:%s", folder);
    data_write_text(folder, "classes.txt", "cat\ndog\n");
    data_write_text(folder, "labels/1.txt", "1 0.5 0.5 0.1 0.1\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        data_write_text(folder, "labels/0.txt", cases[i].text);
        expect_wrong(&cases[i], "labels/0.txt");
    }
    data_write_text(folder, "labels/0.txt", "");
    data_write_text(folder, "train.txt", "images/0.jpg\nimages/1.jpg\nimages/9.jpg\n");
    expect_wrong(&(wrong){NULL, "listed in labels/9.txt, but not there", 1, 0}, "images/9.jpg");
    data_write_text(folder, "train.txt", "images/0.jpg\nimages/1.jpg\n./images/2.jpg\nimages/0.jpg\n");
    expect_wrong(&(wrong){NULL, "lists the picture images/0.jpg twice", 1, 0}, "train.txt");
    data_remove_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_coco), cmocka_unit_test(test_voc),
                                       cmocka_unit_test(test_yolo)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
