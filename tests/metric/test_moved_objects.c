/* Boxes on the input and detections back on the picture: what is cut, what is dropped, what is ignored, and that the
 * way back undoes the way there. */
#include "core/rng.h"
#include "metric/moved_objects.h"
#include "support/compare.h"

#include <math.h>

static void expect_object(const tips_object *o, double x, double y, double w, double h, double area) {
    assert_float_equal(o->x, x, 1e-12);
    assert_float_equal(o->y, y, 1e-12);
    assert_float_equal(o->w, w, 1e-12);
    assert_float_equal(o->h, h, 1e-12);
    assert_float_equal(o->area, area, 1e-9);
}

/* 100x200 at a quarter, at the top left of 32x64: the rest is padding. */
static tips_move quartered(void) { return (tips_move){.picture = {100, 200}, .resized = {25, 50}, .input = {32, 64}}; }

static void test_scaled(void **state) {
    const tips_move move = quartered();
    const tips_box boxes[] = {
        {.top = 8, .left = 20, .bottom = 48, .right = 100, .label = 3, .area = 1600},
        {.top = 0, .left = 0, .bottom = 100, .right = 200, .label = 1, .crowd = true},
        {.top = 4, .left = 4, .bottom = 8, .right = 12, .label = 2, .ignore = true},
    };
    tips_object out[3];
    (void)state;
    assert_int_equal(tips__objects_on_input(&move, 0.5, boxes, 3, out), 3);
    expect_object(&out[0], 5, 2, 20, 10, 100);
    expect_object(&out[1], 0, 0, 50, 25, 1250);
    expect_object(&out[2], 1, 1, 2, 1, 2);
    assert_true(out[0].label == 3 && !out[0].crowd && !out[0].ignore);
    assert_true(out[1].crowd && !out[1].ignore && out[2].ignore && !out[2].crowd);
    assert_int_equal(tips__objects_on_picture(boxes, 3, out), 3);
    expect_object(&out[0], 20, 8, 80, 40, 1600);
    expect_object(&out[1], 0, 0, 200, 100, 20000);
    assert_int_equal(tips__objects_on_picture(&(tips_box){.top = -2, .left = 190, .bottom = 8, .right = 210}, 1, out),
                     1);
    expect_object(&out[0], 190, -2, 20, 10, 200); /* not cut */
}

/* Rows 0..3 of a box of 8 rows are pushed out by a shift of `up`. */
static void test_cut(void **state) {
    const tips_box box = {.top = 0, .left = 4, .bottom = 8, .right = 12, .area = 40};
    static const struct {
        int up;
        bool below_quarter, below_half;
    } cases[] = {{0, false, false}, {2, false, false}, {4, false, false}, {5, false, true},
                 {6, false, true},  {7, true, true},   {8, true, true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tips_move move = tips__move_none((int[]){16, 16});
        tips_object o = {0};
        test_case("up by %d", cases[i].up);
        move.shift[0] = -cases[i].up;
        assert_int_equal(tips__objects_on_input(&move, 0.25, &box, 1, &o), cases[i].up < 8);
        if (cases[i].up == 8) continue;
        assert_int_equal(o.ignore, cases[i].below_quarter);
        assert_int_equal(tips__objects_on_input(&move, 0.5, &box, 1, &o), 1);
        assert_int_equal(o.ignore, cases[i].below_half);
        expect_object(&o, 4, 0, 8, 8 - cases[i].up, 5 * (8 - cases[i].up));
    }
    assert_int_equal(tips__objects_on_picture(&(tips_box){.top = 3, .bottom = 3, .right = 2}, 1, &(tips_object){0}),
                     0); /* of no size */
}

static void expect_detection(const tips_move *move, tips_detection d, double x, double y, double w, double h) {
    d.score = 0.5;
    d.label = 7;
    assert_int_equal(tips__detections_on_picture(move, &d, 1, &d), 1); /* in its place */
    assert_float_equal(d.x, x, 1e-12);
    assert_float_equal(d.y, y, 1e-12);
    assert_float_equal(d.w, w, 1e-12);
    assert_float_equal(d.h, h, 1e-12);
    assert_true(d.score == 0.5 && d.label == 7);
}

static void test_back(void **state) {
    tips_move move = quartered();
    (void)state;
    expect_detection(&move, (tips_detection){.x = 5, .y = 2, .w = 20, .h = 10}, 20, 8, 80, 40);
    expect_detection(&move, (tips_detection){.x = 40, .y = -2, .w = 20, .h = 10}, 160, 0, 40, 32); /* cut twice */
    const tips_detection found[] = {
        {.x = 51, .y = 2, .w = 9, .h = 9, .score = 0.9}, /* in the padding */
        {.x = 1, .y = 2, .w = 4, .h = 4, .score = 0.8},
        {.x = 1, .y = 26, .w = 4, .h = 4, .score = 0.7}, /* in the padding */
        {.x = 2, .y = 3, .w = 0, .h = 4, .score = 0.6},
        {.x = 2, .y = 3, .w = 8, .h = 4, .score = 0.5},
    };
    tips_detection out[5];
    assert_int_equal(tips__detections_on_picture(&move, found, 5, out), 2);
    assert_true(out[0].score == 0.8 && out[1].score == 0.5 && out[1].w == 32);
    move.flip = true;
    expect_detection(&move, (tips_detection){.x = 64 - 25, .y = 2, .w = 20, .h = 10}, 20, 8, 80, 40);
}

/* What a circular shift took over the edge comes back to where it was, in one piece or in two. */
static void test_ring(void **state) {
    tips_move move = tips__move_none((int[]){32, 40});
    (void)state;
    move.circular = true;
    move.shift[0] = 6;
    move.shift[1] = -9;
    expect_detection(&move, (tips_detection){.x = 35, .y = 28, .w = 10, .h = 8}, 4, 22, 10, 8); /* over both edges */
    expect_detection(&move, (tips_detection){.x = -5, .y = -4, .w = 10, .h = 8}, 4, 22, 10,
                     8);                                                                      /* the same, elsewhere */
    expect_detection(&move, (tips_detection){.x = 35, .y = 10, .w = 5, .h = 8}, 4, 4, 5, 8);  /* its left half */
    expect_detection(&move, (tips_detection){.x = 0, .y = 10, .w = 5, .h = 8}, 9, 4, 5, 8);   /* its right half */
    expect_detection(&move, (tips_detection){.x = 27, .y = 10, .w = 6, .h = 8}, 36, 4, 4, 8); /* cut at the border */
    expect_detection(&move, (tips_detection){.x = 29, .y = 10, .w = 6, .h = 8}, 0, 4, 4, 8);  /* at the other */
}

/* Whatever was drawn: a thing that is whole on the input comes back as it was. */
static void test_there_and_back(void **state) {
    const tips_rng rng = {5, 1};
    uint64_t next = 0;
    int whole = 0;
    (void)state;
    for (int i = 0; i < 4000; i++) {
        tips_move move = {.flip = tips__rng_below(rng, next++, 2)};
        move.circular = tips__rng_below(rng, next++, 2);
        double at[2], length[2];
        for (int axis = 0; axis < 2; axis++) {
            move.picture[axis] = 20 + (int)tips__rng_below(rng, next++, 60);
            move.resized[axis] = 10 + (int)tips__rng_below(rng, next++, 60);
            move.input[axis] = 24 + (int)tips__rng_below(rng, next++, 40);
            move.offset[axis] = (int)tips__rng_below(rng, next++, 11) - 5;
            move.crop[axis] = (int)tips__rng_below(rng, next++, 9) - 4;
            move.shift[axis] = (int)tips__rng_below(rng, next++, 41) - 20;
            length[axis] = (0.1 + 0.4 * tips__rng_uniform(rng, next++)) * move.picture[axis];
            at[axis] = tips__rng_uniform(rng, next++) * (move.picture[axis] - length[axis]);
        }
        const tips_box box = {at[0], at[1], at[0] + length[0], at[1] + length[1], i % 5, false, false, 0};
        tips_object o;
        float share;
        tips_box moved;
        tips__move_boxes(&move, &box, 1, &moved, &share);
        const int there = tips__objects_on_input(&move, 0, &box, 1, &o);
        assert_int_equal(there, share > 0);
        if (share < 1 - 1e-6) continue;
        tips_detection d = {.x = o.x, .y = o.y, .w = o.w, .h = o.h, .label = o.label};
        test_case("draw %d", i);
        assert_int_equal(tips__detections_on_picture(&move, &d, 1, &d), 1);
        if (fabs(d.x - at[1]) > 1e-5 || fabs(d.y - at[0]) > 1e-5 || fabs(d.w - length[1]) > 1e-5 ||
            fabs(d.h - length[0]) > 1e-5)
            fail_case("%g, %g of %gx%g came back as %g, %g of %gx%g", at[0], at[1], length[0], length[1], d.y, d.x, d.h,
                      d.w);
        assert_int_equal(d.label, i % 5);
        whole++;
    }
    assert_true(whole > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scaled), cmocka_unit_test(test_cut),
                                       cmocka_unit_test(test_back), cmocka_unit_test(test_ring),
                                       cmocka_unit_test(test_there_and_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
