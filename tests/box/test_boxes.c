/* Boxes: overlaps on the plane and on the torus, coding, suppression, anchors, regions. */
#include "box/regions.h"
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

static bool same_region(tips_region a, tips_region b) { return memcmp(&a, &b, sizeof a) == 0; }

/* An anchor that has moved makes the region that has moved as far, to the last part of a pixel. */
static void test_moved_regions(void **state) {
    const tips_anchors a = {.size = {40, 60}, .circular = true};
    const tips_corners shape = {-11, -6, 11, 6};
    (void)state;
    for (int i = 0; i < 200; i++) {
        const tips_rng rng = {7, (uint64_t)i};
        double code[4];
        tips_region still, moved;
        for (int k = 0; k < 4; k++) code[k] = tips__rng_normal(rng, (uint64_t)k) * (i % 3 ? 1 : 40);
        const int at[2] = {(int)tips__rng_below(rng, 4, 40), (int)tips__rng_below(rng, 5, 60)};
        const int u[2] = {(int)tips__rng_below(rng, 6, 40), (int)tips__rng_below(rng, 7, 60)};
        const bool is_there = tips__region_decode(&a, at, &shape, code, 1, &still);
        assert_int_equal(is_there,
                         tips__region_decode(&a, (const int[]){at[0] + u[0], at[1] + u[1]}, &shape, code, 1, &moved));
        if (!is_there) continue;
        const tips_corners box = tips__region_corners(&moved), wrapped = tips__corners_wrapped(&box, a.size);
        assert_true(memcmp(&box, &wrapped, sizeof box) == 0 && box.x2 - box.x1 <= 60 && box.y2 - box.y1 <= 40);
        const int32_t right = moved.x1 - still.x1 - u[1] * TIPS_PIXEL_PARTS;
        const int32_t down = moved.y1 - still.y1 - u[0] * TIPS_PIXEL_PARTS;
        assert_true(right % (60 * TIPS_PIXEL_PARTS) == 0 && down % (40 * TIPS_PIXEL_PARTS) == 0);
        assert_true(moved.x2 - moved.x1 == still.x2 - still.x1 && moved.y2 - moved.y1 == still.y2 - still.y1);
    }
}

static void test_cut_regions(void **state) {
    const tips_anchors a = {.size = {40, 60}};
    const tips_corners shape = {-10, -5, 10, 5};
    const double as_it_is[4] = {0, 0, 0, 0}, far[4] = {9, 0, 0, 0}, odd[4] = {NAN, 0, 0, 0};
    const int corner[2] = {2, 4};
    tips_region r;
    (void)state;
    assert_true(tips__region_decode(&a, corner, &shape, as_it_is, 1e-3, &r));
    assert_true(same_region(r, (tips_region){0, 0, 14 * TIPS_PIXEL_PARTS, 7 * TIPS_PIXEL_PARTS}));
    assert_false(tips__region_decode(&a, corner, &shape, as_it_is, 8, &r));
    assert_false(tips__region_decode(&a, corner, &shape, far, 1e-3, &r));
    assert_false(tips__region_decode(&a, corner, &shape, odd, 1e-3, &r));
    const tips_anchors torus_of = {.size = {40, 60}, .circular = true};
    assert_false(tips__region_decode(&torus_of, corner, &shape, odd, 1e-3, &r));
}

static void test_region_numbers(void **state) {
    const tips_region r = {-1, 4095 * TIPS_PIXEL_PARTS + 65535, 3 * TIPS_PIXEL_PARTS + 1, 4096 * TIPS_PIXEL_PARTS + 7};
    float numbers[TIPS_REGION_NUMBERS];
    tips_region back;
    (void)state;
    tips__region_write(&r, numbers);
    assert_true(tips__region_read(numbers, &back) && same_region(r, back));
    numbers[TIPS_REGION_W_PART] = 1.5F;
    assert_false(tips__region_read(numbers, &back));
    tips__region_write(NULL, numbers);
    assert_false(tips__region_read(numbers, &back));
}

/* torchvision: floor(4 + log2(sqrt(area) / 224)) of levels 2 to 5. */
static void test_region_levels(void **state) {
    static const struct {
        double w, h;
        int level;
    } cases[] = {{1, 1, 0},     {111.9, 111.9, 0}, {112, 112, 1},  {50.0, 300.0, 1},
                 {224, 224, 2}, {448, 448, 3},     {1333, 800, 3}, {0, 9, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const tips_region r = {0, 0, (int32_t)(cases[i].w * TIPS_PIXEL_PARTS),
                               (int32_t)(cases[i].h * TIPS_PIXEL_PARTS)};
        assert_int_equal(tips__region_level(&r, 56, 4), cases[i].level);
    }
}

/* The best of many in order, whatever order they come in; equal scores by their own order, what is no number never. */
static void test_ranking(void **state) {
    enum { ALL = 500, MOST = 40 };
    tips_ranked items[MOST];
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        tips_ranking best = {items, 0, MOST};
        for (int i = 0; i < ALL; i++) {
            const int k = turn ? ALL - 1 - i : i;
            tips__ranking_add(&best, (tips_ranked){k % 7 == 3 ? NAN : k * 37 % 100, k, k});
        }
        tips__ranking_sort(&best);
        assert_int_equal(best.count, MOST);
        int found = 0;
        for (int score = 99; score >= 0 && found < MOST; score--)
            for (int k = 0; k < ALL && found < MOST; k++)
                if (k % 7 != 3 && k * 37 % 100 == score) assert_int_equal(items[found++].place, k);
    }
    tips_ranking few = {items, 0, MOST};
    tips__ranking_sort(&few);
    tips__ranking_add(&few, (tips_ranked){1, 0, 5});
    tips__ranking_sort(&few);
    assert_true(few.count == 1 && few.items[0].place == 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_overlaps),      cmocka_unit_test(test_codes),
                                       cmocka_unit_test(test_suppression),   cmocka_unit_test(test_shapes),
                                       cmocka_unit_test(test_numbers),       cmocka_unit_test(test_moved_regions),
                                       cmocka_unit_test(test_cut_regions),   cmocka_unit_test(test_region_numbers),
                                       cmocka_unit_test(test_region_levels), cmocka_unit_test(test_ranking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
