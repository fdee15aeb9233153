/* What the outputs of detectors mean: numbers put where a style has them come back as boxes, and shapes tell styles. */
#include "support/compare.h"

#include "decode/decode.h"

#include <math.h>
#include <string.h>

enum { MOST = 8 };

typedef struct outputs {
    tips_array arrays[MOST];
    const char *names[MOST];
    tips_raw_boxes raw;
} outputs;

static outputs *begin(int h, int w) {
    static outputs o;
    o = (outputs){.raw = {.size = {h, w}}};
    o.raw.arrays = o.arrays;
    o.raw.names = o.names;
    return &o;
}

/* An array of zeros. */
static tips_array *add(outputs *o, const char *name, tips_array_type type, int n_dims, const int64_t *dims) {
    tips_array *a = &o->arrays[o->raw.n];
    expect_ok(tips__array_create(type, n_dims, dims, a));
    for (size_t i = 0; i < a->count; i++) {
        if (a->floats) a->floats[i] = 0;
        else a->ints[i] = 0;
    }
    o->names[o->raw.n++] = name;
    return a;
}
#define ADD(o, name, type, ...) \
    add(o, name, type, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})

static void put(tips_array *a, size_t at, int count, const double *numbers) {
    for (int i = 0; i < count; i++) a->floats[at + (size_t)i] = (float)numbers[i];
}
#define PUT(a, at, ...) \
    put(a, at, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__})

static void drop(outputs *o) {
    for (int i = 0; i < o->raw.n; i++) tips__array_free(&o->arrays[i]);
}

static void expect_box(const tips_candidate *c, double x1, double y1, double x2, double y2, double score, int label) {
    test_case("%g %g %g %g %g %d", c->box.x1, c->box.y1, c->box.x2, c->box.y2, c->score, c->label);
    assert_true(fabs(c->box.x1 - x1) < 1e-4 && fabs(c->box.y1 - y1) < 1e-4);
    assert_true(fabs(c->box.x2 - x2) < 1e-4 && fabs(c->box.y2 - y2) < 1e-4);
    assert_true(fabs(c->score - score) < 1e-6);
    assert_int_equal(c->label, label);
}

/* The style that is found has this name, and so many classes; its boxes. */
static tips_found decoded(outputs *o, const char *said, const char *name, int classes) {
    tips_decode_spec spec;
    tips_found found = {0};
    int count = 0;
    expect_ok(said ? tips__decode_parse(said, &spec) : tips__decode_guess(&o->raw, &spec));
    assert_string_equal(spec.style->name, name);
    expect_ok(spec.style->classes(&spec.config, &o->raw, &count));
    assert_int_equal(count, classes);
    expect_ok(tips__decode(&spec, &o->raw, &found));
    return found;
}

static void test_yolo5(void **state) {
    outputs *o = begin(64, 64);
    tips_array *a = ADD(o, "output0", TIPS_ARRAY_FLOAT, 1, 252, 8); /* three shapes a cell of 84 */
    (void)state;
    PUT(a, 8, 20, 30, 10, 6, 0.8, 0.1, 0.5, 0.001);
    PUT(a, 80, 21, 30, 10, 6, 0.5, 0, 0.5, 0); /* the same thing, less sure */
    tips_found f = decoded(o, NULL, "yolo5", 3);
    assert_int_equal(f.count, 2);
    expect_box(&f.rows[0], 15, 27, 25, 33, 0.4, 1);
    expect_box(&f.rows[1], 15, 27, 25, 33, 0.08, 0);
    tips__found_clear(&f);
    f = decoded(o, "yolo5:overlap=1,most=2", "yolo5", 3);
    assert_int_equal(f.count, 2);
    expect_box(&f.rows[1], 16, 27, 26, 33, 0.25, 1);
    tips__found_clear(&f);
    drop(o);
}

static void test_yolo8(void **state) {
    outputs *o = begin(64, 64);
    tips_array *a = ADD(o, "output0", TIPS_ARRAY_FLOAT, 1, 6, 84);
    const double numbers[6] = {20, 30, 10, 6, 0.2, 0.9};
    (void)state;
    for (int i = 0; i < 6; i++) PUT(a, (size_t)i * 84 + 5, numbers[i]);
    tips_found f = decoded(o, NULL, "yolo8", 2);
    assert_int_equal(f.count, 2);
    expect_box(&f.rows[0], 15, 27, 25, 33, 0.9, 1);
    tips__found_clear(&f);
    f = decoded(o, "yolo8:score=0.5", "yolo8", 2);
    assert_int_equal(f.count, 1);
    tips__found_clear(&f);
    drop(o);
}

/* Cell (1, 2) of stride 16: 64 + 1 * 4 + 2 rows down. */
static void test_yolox(void **state) {
    outputs *o = begin(64, 64);
    tips_array *a = ADD(o, "output", TIPS_ARRAY_FLOAT, 1, 84, 7);
    (void)state;
    PUT(a, 70 * 7, 0.5, 0.25, log(2), log(0.5), 0.9, 0.3, 0.7);
    tips_found f = decoded(o, NULL, "yolox", 2);
    assert_int_equal(f.count, 2);
    expect_box(&f.rows[0], 40 - 16, 20 - 4, 40 + 16, 20 + 4, 0.63, 1);
    tips__found_clear(&f);
    drop(o);
}

static void test_torchvision(void **state) {
    outputs *o = begin(64, 64);
    (void)state;
    tips_array *scores = ADD(o, "a", TIPS_ARRAY_FLOAT, 3), *labels = ADD(o, "b", TIPS_ARRAY_INT64, 3);
    tips_array *boxes = ADD(o, "c", TIPS_ARRAY_FLOAT, 3, 4);
    PUT(scores, 0, 0.3, 0.9, 0.8);
    PUT(boxes, 0, 1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8);
    labels->ints[0] = 3, labels->ints[1] = 1, labels->ints[2] = 0;
    tips_found f = decoded(o, NULL, "torchvision", 90);
    assert_int_equal(f.count, 2); /* the third is background */
    expect_box(&f.rows[0], 5, 6, 7, 8, 0.9, 0);
    expect_box(&f.rows[1], 1, 2, 3, 4, 0.3, 2);
    tips__found_clear(&f);
    f = decoded(o, "torchvision:background=false,classes=4", "torchvision", 4);
    assert_int_equal(f.count, 3);
    tips__found_clear(&f);
    tips_decode_spec spec;
    expect_ok(tips__decode_parse("torchvision:classes=2", &spec));
    assert_int_equal(tips__decode(&spec, &o->raw, &f), TIPS_RANGE);
    tips__found_clear(&f);
    drop(o);
}

static void test_ended(void **state) {
    outputs *o = begin(64, 64);
    tips_array *a = ADD(o, "output0", TIPS_ARRAY_FLOAT, 1, 300, 6);
    (void)state;
    PUT(a, 0, 1, 2, 30, 40, 0.7, 16);
    tips_found f = decoded(o, NULL, "ended", 80);
    assert_int_equal(f.count, 1);
    expect_box(&f.rows[0], 1, 2, 30, 40, 0.7, 16);
    tips__found_clear(&f);
    drop(o);
    o = begin(64, 64);
    a = ADD(o, "output", TIPS_ARRAY_FLOAT, 2, 7);
    PUT(a, 7, 0, 1, 2, 30, 40, 5, 0.6);
    f = decoded(o, NULL, "ended", 80);
    assert_int_equal(f.count, 1);
    expect_box(&f.rows[0], 1, 2, 30, 40, 0.6, 5);
    tips__found_clear(&f);
    drop(o);
}

static void test_ssd(void **state) {
    outputs *o = begin(50, 100);
    (void)state;
    tips_array *scores = ADD(o, "scores", TIPS_ARRAY_FLOAT, 1, 9, 3),
               *boxes = ADD(o, "boxes", TIPS_ARRAY_FLOAT, 1, 9, 4);
    PUT(scores, 3, 0.1, 0.2, 0.7);
    PUT(boxes, 4, 0.1, 0.2, 0.5, 0.6);
    tips_found f = decoded(o, NULL, "ssd", 2);
    assert_int_equal(f.count, 2);
    expect_box(&f.rows[0], 10, 10, 50, 30, 0.7, 1);
    tips__found_clear(&f);
    f = decoded(o, "ssd:form=centre,unit=pixels,background=false", "ssd", 3);
    expect_box(&f.rows[0], 0.1 - 0.25, 0.2 - 0.3, 0.1 + 0.25, 0.2 + 0.3, 0.7, 2);
    tips__found_clear(&f);
    drop(o);
}

static void test_fastestdet(void **state) {
    outputs *o = begin(32, 64);
    tips_array *a = ADD(o, "758", TIPS_ARRAY_FLOAT, 1, 7, 2, 4);
    const double cell[7] = {0.5, 0.3, -0.2, 0, log(3), 0.1, 0.8}; /* row 1, column 2 */
    (void)state;
    for (int i = 0; i < 7; i++) PUT(a, (size_t)i * 8 + 6, cell[i]);
    tips_found f = decoded(o, NULL, "fastestdet", 2);
    const double x = (2 + tanh(0.3)) * 16, y = (1 - tanh(0.2)) * 16;
    assert_int_equal(f.count, 1);
    expect_box(&f.rows[0], x - 16, y - 12, x + 16, y + 12, pow(0.5, 0.6) * pow((double)0.8f, 0.4), 1);
    tips__found_clear(&f);
    drop(o);
}

/* Cell (1, 0) of stride 16; all of the left side's weight is on two strides, the others are even. */
static void test_nanodet(void **state) {
    outputs *o = begin(32, 32);
    (void)state;
    ADD(o, "cls8", TIPS_ARRAY_FLOAT, 16, 2);
    tips_array *cls = ADD(o, "cls16", TIPS_ARRAY_FLOAT, 4, 2);
    ADD(o, "reg8", TIPS_ARRAY_FLOAT, 16, 16);
    tips_array *sides = ADD(o, "reg16", TIPS_ARRAY_FLOAT, 4, 16);
    PUT(cls, 2 * 2, 0, 0.6);
    PUT(sides, 2 * 16, -100, -100, 100, -100);
    tips_found f = decoded(o, NULL, "nanodet", 2);
    assert_int_equal(f.count, 1);
    expect_box(&f.rows[0], 7.5 - 32, 23.5 - 24, 7.5 + 24, 23.5 + 24, 0.6, 1);
    tips__found_clear(&f);
    drop(o);
}

static void test_refusals(void **state) {
    outputs *o = begin(64, 64);
    tips_decode_spec spec;
    int classes;
    (void)state;
    assert_int_equal(tips__decode_parse("yolo9", &spec), TIPS_INVALID);
    assert_non_null(strstr(tips_last_error(), "did you mean 'yolo"));
    assert_int_not_equal(tips__decode_parse("yolo8:skore=1", &spec), TIPS_OK);
    ADD(o, "logits", TIPS_ARRAY_FLOAT, 1, 10, 4, 4, 2);
    assert_int_equal(tips__decode_guess(&o->raw, &spec), TIPS_UNSUPPORTED);
    assert_non_null(strstr(tips_last_error(), "'logits' float [1, 10, 4, 4, 2]"));
    for (int i = 0; tips__decode_styles[i]; i++) {
        expect_ok(tips__decode_parse(tips__decode_styles[i]->name, &spec));
        test_case("%s", spec.style->name);
        assert_int_equal(spec.style->classes(&spec.config, &o->raw, &classes), TIPS_SHAPE);
    }
    drop(o);
    o = begin(64, 64);
    tips_array *a = ADD(o, "output", TIPS_ARRAY_FLOAT, 1, 252, 8); /* what is no number is no box */
    PUT(a, 0, NAN, 1, 2, 3, 1, 1, 1, 1);
    tips_found f = decoded(o, "yolo5", "yolo5", 3);
    assert_int_equal(f.count, 0);
    tips__found_clear(&f);
    drop(o);
}

/* Whose letterbox pictures are fitted by, unless said otherwise. */
static void usual_letterboxes(void **state) {
    static const char *const rules[][2] = {{"torchvision", NULL}, {"ended", "ultralytics"},    {"nanodet", "nanodet"},
                                           {"ssd", "stretched"},  {"fastestdet", "stretched"}, {"yolox", "yolox"},
                                           {"yolo5", "yolov5"},   {"yolo8", "ultralytics"}};
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const tips_decode_style *style = tips__decode_styles[i];
        test_case("%s", style->name);
        assert_string_equal(style->name, rules[i][0]);
        const char *rule = style->input.stretch ? "stretched" : style->input.letterbox;
        assert_true(rule == rules[i][1] || strcmp(rule, rules[i][1]) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_letterboxes), cmocka_unit_test(test_yolo5),       cmocka_unit_test(test_yolo8),
        cmocka_unit_test(test_yolox),        cmocka_unit_test(test_torchvision), cmocka_unit_test(test_ended),
        cmocka_unit_test(test_ssd),          cmocka_unit_test(test_fastestdet),  cmocka_unit_test(test_nanodet),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
