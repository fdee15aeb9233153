/* The protocols: their ranges and canvases at known sizes, and shifts that depend on seed, picture and view alone. */
#include "support/compare.h"

#include "shift/shift_protocol.h"

#include <string.h>

enum { TIPS, ADOBE, APS, LPS, AFC, IMAGENET_P, SEGMENT, LPS_SEGMENT, AUTO, PROTOCOLS };

static tips_shift_plan plan_of(int protocol, int size) {
    return tips__shift_plan(&tips__shift_protocols[protocol], (const int[2]){size, size}, 0, 1);
}

static void expect_range(int protocol, int size, int kind, int low, int high) {
    const tips_shift_plan plan = plan_of(protocol, size);
    test_case("%s at %d, %s", plan.protocol->name, size, tips__kind_names[kind]);
    const tips_shift_range *range = &plan.range[kind];
    if (range->low[1] != low || range->high[1] != high)
        fail_case("%d..%d instead of %d..%d", range->low[1], range->high[1], low, high);
    if (protocol == IMAGENET_P) low = high = 0;
    if (range->low[0] != low || range->high[0] != high) fail_case("rows %d..%d", range->low[0], range->high[0]);
}

static void test_names(void **state) {
    (void)state;
    for (int i = 0; i < PROTOCOLS; i++) assert_string_equal(tips__protocol_names[i], tips__shift_protocols[i].name);
    assert_null(tips__protocol_names[PROTOCOLS]);
}

static void test_protocol_ranges(void **state) {
    (void)state;
    for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
        expect_range(TIPS, 32, kind, 0, 4);
        expect_range(TIPS, 28, kind, 0, 3);
        expect_range(TIPS, 224, kind, 0, 28);
        expect_range(TIPS, 7, kind, 0, 0);
        expect_range(ADOBE, 224, kind, 0, 31);
        expect_range(ADOBE, 32, kind, 0, 3);
        expect_range(APS, 224, kind, -32, 31);
        expect_range(APS, 32, kind, -3, 2);
        expect_range(IMAGENET_P, 224, kind, -20, 20);
        expect_range(IMAGENET_P, 32, kind, -7, 8);
        expect_range(SEGMENT, 32, kind, -4, 4);
        expect_range(SEGMENT, 200, kind, -25, 25);
        expect_range(LPS_SEGMENT, 200, kind, -32, 32);
        expect_range(LPS_SEGMENT, 16, kind, -15, 15);
    }
    expect_range(LPS, 224, TIPS_STANDARD, 0, 31);
    expect_range(LPS, 256, TIPS_CIRCULAR, -32, 31);
    expect_range(AFC, 32, TIPS_STANDARD, 0, 4);
    expect_range(AFC, 32, TIPS_CIRCULAR, 0, 31);
}

static void test_canvases(void **state) {
    (void)state;
    const tips_shift_plan adobe = plan_of(ADOBE, 224), small = plan_of(ADOBE, 32), frames = plan_of(IMAGENET_P, 224);
    assert_true(adobe.canvas[0] == 256 && adobe.canvas[1] == 256 && adobe.origin[0] == 31);
    assert_int_equal(adobe.pairs, 5);
    assert_int_equal(adobe.views, 10);
    assert_true(small.canvas[0] == 37 && small.origin[1] == 3);
    assert_true(frames.canvas[0] == 256 && frames.origin[0] == 16);
    assert_true(frames.views == 41 && frames.pairs == 40);
    assert_int_equal(plan_of(IMAGENET_P, 32).views, 16);
    const int without[] = {TIPS, APS, AFC};
    for (int i = 0; i < 3; i++) {
        const tips_shift_plan plan = plan_of(without[i], 224);
        assert_false(tips__plan_has_canvas(&plan));
    }
    assert_true(tips__plan_has_canvas(&adobe));
    assert_true(plan_of(AFC, 32).protocol->full_grid);
}

/* Pairs begin with the picture as it is, and go on with what is drawn. */
static void test_from_unshifted(void **state) {
    (void)state;
    for (int protocol = SEGMENT; protocol <= LPS_SEGMENT; protocol++) {
        const tips_shift_plan plan = plan_of(protocol, 64);
        int moved = 0, shift[2];
        for (int image = 0; image < 50; image++)
            for (int view = 0; view < plan.views; view++) {
                tips__plan_shift(&plan, TIPS_STANDARD, image, view, shift);
                if (view % 2 == 0) assert_true(shift[0] == 0 && shift[1] == 0);
                else moved += shift[0] < 0 || shift[1] < 0;
            }
        assert_true(moved > 10);
    }
}

static void test_auto(void **state) {
    (void)state;
    assert_string_equal(tips__shift_protocol_for(AUTO, NULL)->name, "tips");
    assert_string_equal(tips__shift_protocol_for(AUTO, "segment")->name, "segment");
    assert_string_equal(tips__shift_protocol_for(APS, "segment")->name, "aps");
}

/* Every value of the range comes, none beyond it, each about as often as the others. */
static void test_draws_cover_the_range(void **state) {
    (void)state;
    for (int protocol = 0; protocol < AFC; protocol++)
        for (int kind = 0; kind < TIPS_SHIFT_KINDS; kind++) {
            const tips_shift_plan plan = plan_of(protocol, 32);
            const tips_shift_range *range = &plan.range[kind];
            const int values = range->high[0] - range->low[0] + 1, draws = 2000 * values;
            int seen[2][64] = {{0}}, shift[2];
            test_case("%s, %s", plan.protocol->name, tips__kind_names[kind]);
            for (int image = 0; image < draws; image++) {
                tips__plan_shift(&plan, kind, image, image % plan.views, shift);
                for (int axis = 0; axis < 2; axis++) {
                    if (shift[axis] < range->low[axis] || shift[axis] > range->high[axis]) fail_case("%d", shift[axis]);
                    seen[axis][shift[axis] - range->low[axis]]++;
                }
            }
            for (int axis = 0; axis < 2; axis++)
                for (int i = 0; i < values; i++)
                    if (seen[axis][i] < 1750 || seen[axis][i] > 2250)
                        fail_case("value %d came %d times", i, seen[axis][i]);
        }
}

static int equal_shifts(const tips_shift_plan *a, const tips_shift_plan *b, int image_step, int view_step) {
    int equal = 0, first[2], second[2];
    for (int image = 0; image < 1000; image++) {
        tips__plan_shift(a, TIPS_STANDARD, image, 0, first);
        tips__plan_shift(b, TIPS_STANDARD, image + image_step, view_step, second);
        equal += memcmp(first, second, sizeof first) == 0;
    }
    return equal;
}

/* A function of (seed, picture, view): the same again, and as different as chance (1 in 25) where any of them differs.
 */
static void test_draws_are_pure(void **state) {
    const tips_shift_plan plan = plan_of(TIPS, 32);
    tips_shift_plan other = plan;
    (void)state;
    other.seed = 2;
    assert_int_equal(equal_shifts(&plan, &plan, 0, 0), 1000);
    const int chance[] = {equal_shifts(&plan, &other, 0, 0), equal_shifts(&plan, &plan, 1, 0),
                          equal_shifts(&plan, &plan, 32, 0), equal_shifts(&plan, &plan, 0, 1)};
    for (int i = 0; i < 4; i++) assert_in_range(chance[i], 15, 75);
}

static void test_frames_are_neighbours(void **state) {
    const tips_shift_plan plan = plan_of(IMAGENET_P, 224);
    int shift[2];
    (void)state;
    for (int frame = 0; frame < plan.views; frame++) {
        tips__plan_shift(&plan, TIPS_CIRCULAR, 5, frame, shift);
        assert_true(shift[0] == 0 && shift[1] == frame - 20);
    }
}

static void expect_levels(const tips_shift_plan *plan, int kind, int wanted) {
    int shift[2];
    const int levels = tips__plan_levels(plan, kind);
    assert_int_equal(levels, wanted);
    for (int d = 1; d <= levels; d++)
        for (int image = 0; image < 200; image++) {
            tips__plan_level_shift(plan, kind, image, d, shift);
            assert_true(shift[0] >= 0 && shift[1] >= 0 && (shift[0] == d || shift[1] == d));
            assert_true(shift[0] <= d && shift[1] <= d);
            assert_true(shift[0] <= plan->range[kind].high[0] && shift[1] <= plan->range[kind].high[1]);
        }
}

static void test_levels(void **state) {
    (void)state;
    const tips_shift_plan square = plan_of(TIPS, 32), frames = plan_of(IMAGENET_P, 32);
    const tips_shift_plan wide = tips__shift_plan(&tips__shift_protocols[TIPS], (const int[2]){16, 48}, 0, 1);
    expect_levels(&square, TIPS_STANDARD, 4);
    expect_levels(&wide, TIPS_CIRCULAR, 6);
    expect_levels(&frames, TIPS_STANDARD, 8);
    int seen[3][3] = {{0}}, shift[2];
    for (int image = 0; image < 5000; image++) {
        tips__plan_level_shift(&square, TIPS_STANDARD, image, 2, shift);
        seen[shift[0]][shift[1]]++;
    }
    const int ring[5][2] = {{2, 0}, {2, 1}, {2, 2}, {0, 2}, {1, 2}};
    for (int i = 0; i < 5; i++) assert_in_range(seen[ring[i][0]][ring[i][1]], 850, 1150);
}

static void test_windows(void **state) {
    tips_shift_plan plan = plan_of(ADOBE, 7); /* round(8) of which 0..0: made larger by hand */
    uint8_t canvas[8 * 8 * 2], window[7 * 7 * 2];
    (void)state;
    assert_int_equal(plan.canvas[0], 8);
    for (int i = 0; i < 8 * 8 * 2; i++) canvas[i] = (uint8_t)(i + 1);
    plan.origin[0] = plan.origin[1] = 1;
    tips__plan_window(&plan, canvas, 2, (const int[2]){0, 1}, window); /* down from row 1, right: column 0 */
    for (int y = 0; y < 7; y++) assert_memory_equal(window + y * 14, canvas + (y + 1) * 16, 14);
    tips__plan_window(&plan, canvas, 2, (const int[2]){2, -2}, window); /* one row and two columns are black */
    for (int x = 0; x < 14; x++) assert_int_equal(window[x], 0);
    for (int y = 1; y < 7; y++) {
        assert_memory_equal(window + y * 14, canvas + (y - 1) * 16 + 6, 10);
        for (int x = 10; x < 14; x++) assert_int_equal(window[y * 14 + x], 0);
    }
    tips__plan_window(&plan, canvas, 2, (const int[2]){0, 50}, window);
    for (int i = 0; i < 7 * 7 * 2; i++) assert_int_equal(window[i], 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),          cmocka_unit_test(test_protocol_ranges),
        cmocka_unit_test(test_canvases),
        cmocka_unit_test(test_from_unshifted),
        cmocka_unit_test(test_auto),       cmocka_unit_test(test_draws_cover_the_range),
        cmocka_unit_test(test_draws_are_pure), cmocka_unit_test(test_frames_are_neighbours),
        cmocka_unit_test(test_levels),         cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
