/* What sets know of their pictures: classes always, masks and boxes of shapes, and what is refused. */
#include "support/compare.h"
#include "support/data_files.h"

#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/shapes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALL = TIPS_ANNOTATES_CLASS | TIPS_ANNOTATES_MASK | TIPS_ANNOTATES_BOXES, H = 40, W = 56 };

static tips_dataset *open_set(const char *spec, const tips_dataset_options *options) {
    tips_dataset *set = NULL;
    expect_ok(tips__dataset_open(spec, options, &set));
    return set;
}

/* The box is the smallest around the pixels of its class, where the class occurs once. */
static void expect_tight(const tips_annotation *a, const tips_box *box) {
    for (int i = 0; i < a->n_boxes; i++)
        if (&a->boxes[i] != box && a->boxes[i].label == box->label) return;
    int top = H, left = W, bottom = 0, right = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            if (a->mask.pixels[y * W + x] != box->label + 1) continue;
            top = y < top ? y : top;
            left = x < left ? x : left;
            bottom = y + 1;
            right = x + 1 > right ? x + 1 : right;
        }
    assert_true(box->top == (float)top && box->left == (float)left);
    assert_true(box->bottom == (float)bottom && box->right == (float)right);
}

static void expect_whole(const tips_annotation *a, int label) {
    int inside = 0;
    assert_int_equal(a->has, ALL);
    assert_int_equal(a->label, label);
    assert_true(a->size[0] == H && a->size[1] == W && a->mask.h == H && a->mask.w == W && a->mask.c == 1);
    assert_true(a->n_boxes >= 1 && a->n_boxes <= 3);
    assert_int_equal(a->boxes[0].label, label);
    for (int i = 0; i < a->n_boxes; i++) expect_tight(a, &a->boxes[i]);
    for (int i = 0; i < H * W; i++) {
        assert_true(a->mask.pixels[i] <= 7);
        inside += a->mask.pixels[i] == label + 1;
    }
    assert_true(inside > 20 && inside < H * W / 2);
}

static void test_shapes(void **state) {
    tips_dataset *set = open_set("shapes:size=40x56,objects=3,train=50,test=30,classes=7,seed=9", NULL);
    (void)state;
    assert_int_equal(tips__dataset_annotates(set), ALL);
    assert_int_equal(tips__dataset_mask_classes(set), 8);
    for (int i = 0; i < 30; i++) {
        tips_annotation a, b;
        tips_image alone, picture;
        int label;
        expect_ok(tips__dataset_annotate(set, TIPS_SPLIT_TEST, i, ALL, &a));
        expect_whole(&a, i % 7);
        expect_ok(tips__dataset_read_annotated(set, TIPS_SPLIT_TEST, i, ALL, &picture, &b));
        assert_memory_equal(a.mask.pixels, b.mask.pixels, H * W);
        expect_ok(tips__dataset_read(set, TIPS_SPLIT_TEST, i, &alone, &label));
        assert_int_equal(label, a.label);
        assert_memory_equal(alone.pixels, picture.pixels, H * W * 3);
        tips__image_free(&alone);
        tips__image_free(&picture);
        tips__annotation_clear(&a);
        tips__annotation_clear(&b);
        assert_null(a.boxes);
    }
    tips__dataset_close(set);
}

/* The pixels of the mask are those that differ from the background, up to smooth edges and noise. */
static void test_mask_shows_the_shape(void **state) {
    tips_dataset *set = open_set("shapes:size=64,train=40,test=0", NULL);
    double in = 0, out = 0;
    (void)state;
    for (int i = 0; i < 20; i++) {
        tips_annotation a;
        tips_image picture;
        double sums[2][3] = {{0}}, squares = 0;
        int counts[2] = {0, 0};
        expect_ok(tips__dataset_read_annotated(set, TIPS_SPLIT_TRAIN, i, TIPS_ANNOTATES_MASK, &picture, &a));
        for (int k = 0; k < 64 * 64; k++) {
            const int side = a.mask.pixels[k] > 0;
            counts[side]++;
            for (int c = 0; c < 3; c++) sums[side][c] += picture.pixels[3 * k + c];
        }
        for (int k = 0; k < 64 * 64; k++)
            for (int c = 0; c < 3 && a.mask.pixels[k] > 0; c++)
                squares += pow(picture.pixels[3 * k + c] - sums[1][c] / counts[1], 2);
        in += sqrt(squares / 3 / counts[1]);
        for (int c = 0; c < 3; c++) out += fabs(sums[0][c] / counts[0] - sums[1][c] / counts[1]) / 3;
        tips__annotation_clear(&a);
        tips__image_free(&picture);
    }
    assert_true(in / 20 < 20 && out / 20 > 50); /* of one colour within, of another without */
    tips__dataset_close(set);
}

static void test_only_what_is_wanted(void **state) {
    tips_dataset *set = open_set("shapes:size=40x56,train=10,test=0", NULL);
    (void)state;
    for (unsigned wanted = 0; wanted <= ALL; wanted++) {
        tips_annotation a;
        expect_ok(tips__dataset_annotate(set, TIPS_SPLIT_TRAIN, 3, wanted, &a));
        assert_int_equal(a.has, wanted);
        assert_true((a.mask.pixels != NULL) == ((wanted & TIPS_ANNOTATES_MASK) != 0));
        assert_int_equal(a.n_boxes, wanted & TIPS_ANNOTATES_BOXES ? 1 : 0);
        assert_int_equal(a.size[0], wanted & ~(unsigned)TIPS_ANNOTATES_CLASS ? H : 0);
        tips__annotation_clear(&a);
    }
    tips_annotation untouched = {.has = 77};
    assert_int_equal(
        tips__dataset_annotate(set, TIPS_SPLIT_TRAIN, tips__dataset_count(set, TIPS_SPLIT_TRAIN), ALL, &untouched),
        TIPS_RANGE);
    assert_int_equal(tips__dataset_annotate(set, TIPS_SPLIT_TRAIN, -1, ALL, &untouched), TIPS_RANGE);
    tips__alloc_fail_at(1);
    assert_int_equal(tips__dataset_annotate(set, TIPS_SPLIT_TRAIN, 3, ALL, &untouched), TIPS_MEMORY);
    tips__alloc_fail_at(0);
    assert_non_null(strstr(tips_last_error(), "train["));
    assert_int_equal(untouched.has, 77);
    tips__dataset_close(set);
}

/* Shapes of classes that are left out are part of the background. */
static void test_limited_classes(void **state) {
    tips_dataset *set =
        open_set("shapes:size=40x56,objects=4,train=80,test=0,classes=8", &(tips_dataset_options){.classes_limit = 3});
    const tips_shapes_options options = {.size = {H, W}, .train = 80, .classes = 8, .objects = 4, .seed = 1};
    int left_out = 0;
    (void)state;
    assert_int_equal(tips__dataset_mask_classes(set), 4);
    for (int i = 0; i < tips__dataset_count(set, TIPS_SPLIT_TRAIN); i++) {
        const tips_item *item = tips__dataset_item(set, TIPS_SPLIT_TRAIN, i);
        tips_annotation a;
        tips_scene scene;
        int boxes = 0;
        expect_ok(tips__shapes_scene(&options, (tips_split)item->origin, (int)item->where, &scene));
        expect_ok(tips__dataset_annotate(set, TIPS_SPLIT_TRAIN, i, ALL, &a));
        for (int k = 0; k < H * W; k++) assert_int_equal(a.mask.pixels[k], scene.mask[k] <= 3 ? scene.mask[k] : 0);
        for (int k = 0; k < scene.n_boxes; k++) {
            if (scene.boxes[k].label >= 3) continue;
            assert_memory_equal(&a.boxes[boxes], &scene.boxes[k], 4 * sizeof(float));
            assert_int_equal(a.boxes[boxes++].label, scene.boxes[k].label);
        }
        assert_int_equal(a.n_boxes, boxes);
        left_out += scene.n_boxes - boxes;
        tips__annotation_clear(&a);
        tips__scene_free(&scene);
    }
    assert_true(left_out > 10);
    tips__dataset_close(set);
}

static void expect_refused(tips_dataset *set, unsigned wanted, const char *words) {
    tips_annotation a;
    assert_int_equal(tips__dataset_annotate(set, TIPS_SPLIT_TRAIN, 0, wanted, &a), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), tips__dataset_path(set)));
    assert_non_null(strstr(tips_last_error(), words));
}

static void test_classes_alone(void **state) {
    char folder[DATA_PATH];
    (void)state;
    data_make_folder(folder);
    for (int i = 0; i < 8; i++) {
        char name[64];
        snprintf(name, sizeof name, "%c/%d.ppm", 'a' + i % 2, i);
        data_write_picture(folder, name, 8 + i, 20, i, 0, 0);
    }
    tips_dataset *set = open_set(folder, NULL);
    assert_int_equal(tips__dataset_annotates(set), TIPS_ANNOTATES_CLASS);
    for (int i = 0; i < tips__dataset_count(set, TIPS_SPLIT_TRAIN); i++) {
        tips_annotation a;
        tips_image picture;
        expect_ok(tips__dataset_read_annotated(set, TIPS_SPLIT_TRAIN, i, TIPS_ANNOTATES_CLASS, &picture, &a));
        assert_int_equal(a.label, picture.pixels[0] % 2);
        assert_true(a.size[0] == picture.h && a.size[1] == 20);
        tips__image_free(&picture);
        tips__annotation_clear(&a);
    }
    expect_refused(set, TIPS_ANNOTATES_MASK, "folders, which comes with classes; wanted are masks");
    expect_refused(set, ALL, "comes with classes; wanted are classes, masks and boxes");
    expect_refused(set, TIPS_ANNOTATES_CLASS | TIPS_ANNOTATES_BOXES, "wanted are classes and boxes");
    tips__dataset_close(set);
    data_remove_folder(folder);
}

static void expect_wrong(const tips_annotation *a, const char *words) {
    assert_int_equal(tips__annotation_check(a, 5), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), words));
}

/* What a format may have read from damaged files. */
static void test_check(void **state) {
    uint8_t pixels[6] = {0, 1, 5, TIPS_MASK_IGNORE, 2, 3};
    tips_box boxes[2] = {{.bottom = 2, .right = 3}, {.top = 1, .left = 2, .bottom = 1, .right = 9, .label = 4}};
    tips_annotation a = {
        .has = ALL, .size = {2, 3}, .mask = {.h = 2, .w = 3, .c = 1, .pixels = pixels}, .boxes = boxes, .n_boxes = 2};
    (void)state;
    expect_ok(tips__annotation_check(&a, 5));
    pixels[5] = 6;
    expect_wrong(&a, "holds 6 at row 1, column 2");
    pixels[5] = 254;
    expect_wrong(&a, "holds 254");
    pixels[5] = 0;
    a.mask.h = 3;
    expect_wrong(&a, "3x3 pixels for a picture of 2x3");
    a.mask.h = 2;
    boxes[1].label = 5;
    expect_wrong(&a, "box 1 is of class 5");
    boxes[1].label = -1;
    expect_wrong(&a, "box 1 is of class -1");
    boxes[1].label = 4;
    boxes[1].bottom = 0.5f;
    expect_wrong(&a, "box 1 reaches");
    boxes[1].bottom = NAN;
    expect_wrong(&a, "box 1 reaches");
    boxes[1].bottom = INFINITY;
    expect_wrong(&a, "box 1 reaches");
    boxes[1].bottom = 3;
    expect_ok(tips__annotation_check(&a, 5));
}

/* Where there is no background, class k is k, and what is left out is ignored. */
static void test_no_background(void **state) {
    uint8_t pixels[4] = {0, 3, 4, TIPS_MASK_IGNORE};
    tips_annotation a = {.has = TIPS_ANNOTATES_MASK,
                         .size = {1, 4},
                         .mask = {.h = 1, .w = 4, .c = 1, .pixels = pixels},
                         .no_background = true};
    (void)state;
    expect_ok(tips__annotation_check(&a, 5));
    assert_int_equal(tips__annotation_check(&a, 4), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "holds 4 at row 0, column 2; 4 classes are 0..3"));
    tips__annotation_rename(&a, (int[]){2, 0, 0, 1, 4});
    assert_memory_equal(pixels, ((uint8_t[]){2, 1, 4, TIPS_MASK_IGNORE}), 4);
    tips__annotation_limit(&a, 2);
    assert_memory_equal(pixels, ((uint8_t[]){TIPS_MASK_IGNORE, 1, TIPS_MASK_IGNORE, TIPS_MASK_IGNORE}), 4);
    memcpy(pixels, ((uint8_t[]){0, 3, 4, TIPS_MASK_IGNORE}), 4);
    a.no_background = false;
    tips__annotation_rename(&a, (int[]){2, 0, 0, 1});
    assert_memory_equal(pixels, ((uint8_t[]){0, 1, 2, TIPS_MASK_IGNORE}), 4);
    tips__annotation_limit(&a, 1);
    assert_memory_equal(pixels, ((uint8_t[]){0, 1, 0, TIPS_MASK_IGNORE}), 4);
}

static const tips_dataset_format *honest;
static int fault; /* what the masks suffer from */

static tips_status annotate_badly(const tips_source *source, const tips_item *item, unsigned wanted,
                                  tips_annotation *out) {
    const tips_status status = honest->annotate(source, item, wanted, out);
    if (fault == 1) out->mask.pixels[7] = 200;
    if (fault == 2) out->size[0] = out->mask.h = H - 1;
    return status == TIPS_OK && fault == 3 ? TIPS_FORMAT : status;
}

static void damage(tips_dataset *set, tips_dataset_format *format) {
    tips_source *source = (tips_source *)tips__dataset_source(set); /* ours, but read only to the others */
    honest = source->format;
    *format = *honest;
    format->annotate = annotate_badly;
    source->format = format;
}

/* They are bad pictures: named, and counted where bad ones are skipped. */
static void test_damaged(void **state) {
    static const char *const words[] = {"", "holds 200", "has 40x56 pixels, its annotation is for 39x56", "train["};
    tips_dataset_format format;
    (void)state;
    for (fault = 0; fault <= 3; fault++) {
        tips_dataset *set =
            open_set("shapes:size=40x56,train=20,test=0", &(tips_dataset_options){.skip_bad = fault % 2 == 1});
        damage(set, &format);
        for (int round = 0; round < 2; round++) {
            tips_image picture = {0};
            tips_annotation a = {0};
            const tips_status status = tips__dataset_read_annotated(set, TIPS_SPLIT_TRAIN, 4, ALL, &picture, &a);
            assert_int_equal(status, fault ? TIPS_FORMAT : TIPS_OK);
            if (fault) assert_non_null(strstr(tips_last_error(), "train["));
            if (fault) assert_non_null(strstr(tips_last_error(), words[fault]));
            assert_true((picture.pixels != NULL) == (fault == 0));
            tips__annotation_clear(&a);
            tips__image_free(&picture);
        }
        assert_int_equal(tips__dataset_skipped(set), fault % 2);
        tips__dataset_close(set);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_mask_shows_the_shape),
        cmocka_unit_test(test_only_what_is_wanted),
        cmocka_unit_test(test_limited_classes),
        cmocka_unit_test(test_classes_alone),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_no_background),
        cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
