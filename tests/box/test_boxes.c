/* Boxes: overlaps on the plane and on the torus, coding, suppression, anchors. */
#include "box/anchors.h"
#include "support/compare.h"

#include <math.h>
#include <string.h>

static const int torus[2] = {40, 60};

static tips_corners box(double x, double y, double w, double h) { return (tips_corners){x, y, x + w, y + h}; }

static void test_overlaps(void **state) {
    const tips_corners a = box(50, 30, 20, 20), b = box(-10, -10, 20, 20), c = box(0, 0, 20, 20);
    (void)state;
    assert_true(tips__corners_iou(&a, &b, NULL) == 0);
    assert_true(fabs(tips__corners_iou(&a, &b, torus) - 1) < 1e-12); /* the same, once around */
    assert_true(fabs(tips__corners_iou(&a, &c, torus) - 100.0 / 700) < 1e-12);
    assert_true(fabs(tips__corners_iou(&b, &c, NULL) - 100.0 / 700) < 1e-12);
    const tips_corners wrapped = tips__corners_wrapped(&b, torus);
    assert_true(wrapped.x1 == -10 && wrapped.y1 == -10); /* its centre is (0, 0), within */
    const tips_corners none = box(3, 3, 0, 4);
    assert_true(tips__corners_iou(&none, &none, NULL) == 0);
}

static void test_codes(void **state) {
    const tips_corners from = box(10, 20, 16, 8), to = box(13, 18, 20, 30);
    const tips_box_weights weights[] = {{1, 1}, {10, 5}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        double code[4];
        tips__box_encode(&from, &to, weights[i], code);
        const tips_corners back = tips__box_decode(&from, code, weights[i]);
        assert_true(fabs(back.x1 - to.x1) < 1e-9 && fabs(back.y2 - to.y2) < 1e-9);
        if (i == 0) assert_true(fabs(code[0] - 5.0 / 16) < 1e-12 && fabs(code[3] - log(30.0 / 8)) < 1e-12);
    }
    const tips_corners huge = tips__box_decode(&from, (const double[4]){0, 0, 100, 0}, weights[0]);
    assert_true(fabs(huge.x2 - huge.x1 - 16 * 62.5) < 1e-6);
}

static void test_suppression(void **state) {
    tips_candidate c[] = {{box(0, 0, 10, 10), 0.5, 1, 0},
                          {box(1, 0, 10, 10), 0.9, 1, 1},
                          {box(0, 0, 10, 10), 0.7, 2, 2},
                          {box(30, 0, 10, 10), 0.5, 1, 3},
                          {box(59, 0, 10, 10), 0.4, 1, 4}};
    tips_candidate copy[5];
    (void)state;
    tips__candidates_sort(c, 5);
    const int order[] = {1, 2, 0, 3, 4};
    for (int i = 0; i < 5; i++) assert_int_equal(c[i].place, order[i]);
    memcpy(copy, c, sizeof c);
    assert_int_equal(tips__candidates_suppress(copy, 5, 0.5, true, NULL, 100), 4);
    memcpy(copy, c, sizeof c);
    assert_int_equal(tips__candidates_suppress(copy, 5, 0.5, true, torus, 100), 3); /* the last is two from the first */
    memcpy(copy, c, sizeof c);
    assert_int_equal(tips__candidates_suppress(copy, 5, 0.5, false, NULL, 100), 3);
    memcpy(copy, c, sizeof c);
    assert_int_equal(tips__candidates_suppress(copy, 5, 0.5, true, NULL, 2), 2);
}

/* torchvision's numbers: sizes 32, 40 and 50 in three ratios, edges rounded. */
static void test_shapes(void **state) {
    const tips_anchors a = {.n_levels = 1, .scales = 3, .levels = {{{1, 1}, {8, 8}, 32}}};
    static const double wanted[TIPS_ANCHOR_MOST][4] = {{-23, -11, 23, 11}, {-28, -14, 28, 14}, {-35, -18, 35, 18},
                                                       {-16, -16, 16, 16}, {-20, -20, 20, 20}, {-25, -25, 25, 25},
                                                       {-11, -23, 11, 23}, {-14, -28, 14, 28}, {-18, -35, 18, 35}};
    tips_corners got[TIPS_ANCHOR_MOST];
    (void)state;
    tips__anchor_shapes_of(&a, 0, got);
    for (int i = 0; i < TIPS_ANCHOR_MOST; i++) {
        const double corners[4] = {got[i].x1, got[i].y1, got[i].x2, got[i].y2};
        for (int k = 0; k < 4; k++) assert_true(corners[k] == wanted[i][k]);
    }
}

/* What is written of anchors is read back, and nothing else is. */
static void test_numbers(void **state) {
    const tips_anchors a = {.n_levels = 2,
                            .scales = 2,
                            .size = {24, 16},
                            .circular = true,
                            .levels = {{{3, 2}, {8, 8}, 20}, {{2, 1}, {16, 16}, 40}}};
    float rows[2 * TIPS_ANCHOR_COLUMNS];
    tips_anchors back;
    tips_origins origins;
    (void)state;
    tips__anchors_write(&a, 0, (const int[2]){3, 5}, rows);
    tips__anchors_write(&a, 1, (const int[2]){11, 13}, rows + TIPS_ANCHOR_COLUMNS);
    assert_true(tips__anchors_read(rows, 2, &back, &origins));
    assert_int_equal(tips__anchor_count(&back), tips__anchor_count(&a));
    assert_true(back.circular && back.levels[1].base == 40 && origins.at[1][0] == 11 && origins.at[0][1] == 5);
    assert_false(tips__anchors_read(rows, 1, &back, &origins));
    rows[2] = 0.5f;
    assert_false(tips__anchors_read(rows, 2, &back, &origins));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlaps), cmocka_unit_test(test_codes),
                                       cmocka_unit_test(test_suppression), cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
