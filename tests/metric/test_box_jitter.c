/* What shifts do to boxes, by hand-made cases: standard and circular, at borders and over the seam. */
#include "support/compare.h"

#include "metric/box_jitter.h"
#include "metric/box_shift.h"

#include <math.h>
#include <string.h>

static const tips_jitter_rule rule = {{100, 120}, 0.5, 0.5, false};

static tips_boxes_at view(const tips_detection *boxes, int n, int down, int right, bool circular) {
    return (tips_boxes_at){boxes, n, {down, right}, circular};
}

static void expect_near(double got, double want) {
    if (!(fabs(got - want) <= 1e-9)) fail_msg("%.12g, not %.12g", got, want);
}

/* Boxes that move with the picture do not jitter; whatever is wrong with one is seen. */
static void moves_with_the_picture(void **state) {
    const tips_detection x[] = {{10, 20, 30, 40, 0.9, 1}, {60, 20, 20, 20, 0.6, 0}};
    const tips_detection y[] = {{67, 23, 20, 20, 0.6, 0}, {17, 23, 30, 40, 0.9, 1}};
    (void)state;
    for (int circular = 0; circular < 2; circular++) {
        const tips_jitter j = tips__box_jitter(&rule, view(x, 2, 0, 0, circular), view(y, 2, 3, 7, circular));
        assert_true(j.pairs == 2 && j.lone == 0 && j.edges == 0 && j.centres == 0 && j.apart == 0 && j.scores == 0);
        assert_true(tips__jitter_vanishing(&j) == 0);
        const tips_jitter off = tips__box_jitter(&rule, view(x, 2, 0, 0, circular), view(y, 2, 3, 6, circular));
        assert_true(off.pairs == 2);
        expect_near(tips__jitter_edges(&off), 0.5); /* two of four edges by a pixel */
        expect_near(tips__jitter_centres(&off), 1);
        expect_near(tips__jitter_apart(&off), (2.0 / 31 + 2.0 / 21) / 2);
    }
}

static void edges_and_scores(void **state) {
    const tips_detection x[] = {{10, 10, 20, 20, 0.9, 0}};
    const tips_detection y[] = {{11, 10, 22, 16, 0.7, 0}}; /* left +1, right +3, bottom -4 */
    const tips_jitter j = tips__box_jitter(&rule, view(x, 1, 0, 0, false), view(y, 1, 0, 0, false));
    (void)state;
    expect_near(tips__jitter_edges(&j), 2);
    expect_near(tips__jitter_centres(&j), hypot(2, 2));
    expect_near(tips__jitter_apart(&j), 1 - 19.0 * 16 / (400 + 352 - 304));
    expect_near(tips__jitter_scores(&j), 0.2);
    const tips_jitter back = tips__box_jitter(&rule, view(y, 1, 0, 0, false), view(x, 1, 0, 0, false));
    expect_near(back.edges, j.edges);
}

/* Shown in one view only: gone, of another class, too far away, or too faint. */
static void appears_and_vanishes(void **state) {
    const tips_detection x[] = {{10, 10, 20, 20, 0.9, 0}, {50, 10, 20, 20, 0.8, 1}, {10, 60, 20, 20, 0.55, 2}};
    const tips_detection y[] = {{10, 10, 20, 20, 0.9, 3}, {70, 10, 20, 20, 0.8, 1}, {10, 60, 20, 20, 0.45, 2}};
    const tips_jitter j = tips__box_jitter(&rule, view(x, 3, 0, 0, false), view(y, 3, 0, 0, false));
    (void)state;
    assert_true(j.pairs == 0 && j.lone == 5); /* the faint one is not shown and does not appear */
    assert_true(tips__jitter_vanishing(&j) == 1 && isnan(tips__jitter_edges(&j)));
    assert_true(j.scored == 1);
    expect_near(tips__jitter_scores(&j), 0.1);
    const tips_jitter none = tips__box_jitter(&rule, view(x, 0, 0, 0, false), view(y, 0, 0, 0, false));
    assert_true(isnan(tips__jitter_vanishing(&none)));
}

/* Of two that could be the same, the better one is; the other is lone. */
static void each_has_one_partner(void **state) {
    const tips_detection x[] = {{10, 10, 20, 20, 0.9, 0}, {14, 10, 20, 20, 0.8, 0}};
    const tips_detection y[] = {{10, 10, 20, 19, 0.9, 0}};
    const tips_jitter j = tips__box_jitter(&rule, view(x, 2, 0, 0, false), view(y, 1, 0, 0, false));
    (void)state;
    assert_true(j.pairs == 1 && j.lone == 1);
    expect_near(j.edges, 0.25);
}

/* What one view lost at its border is not held against the boxes there. */
static void borders_do_not_count(void **state) {
    const tips_detection x[] = {{100, 10, 20, 20, 0.9, 0}, {0, 10, 20, 20, 0.9, 0}};
    const tips_detection y[] = {{105, 10, 15, 20, 0.9, 0}, {5, 10, 20, 20, 0.9, 0}};
    const tips_jitter cut = tips__box_jitter(&rule, view(x, 2, 0, 0, false), view(y, 2, 0, 5, false));
    (void)state;
    assert_true(cut.pairs == 1 && cut.lone == 0 && cut.edges == 0);
    const tips_jitter gone = tips__box_jitter(&rule, view(x, 2, 0, 0, false), view(y + 1, 1, 0, 5, false));
    assert_true(gone.pairs == 1 && gone.lone == 0);
    const tips_jitter ring = tips__box_jitter(&rule, view(x, 2, 0, 0, true), view(y, 2, 0, 5, true));
    assert_true(ring.pairs == 2);
    expect_near(ring.edges, 5.0 / 4); /* the seam cuts it: that is seen */
}

/* A box that goes on from the other side is compared where it is nearest. */
static void over_the_seam(void **state) {
    const tips_detection x[] = {{100, 90, 20, 20, 0.9, 0}};
    const tips_detection whole[] = {{105, 93, 20, 20, 0.9, 0}}, wrapped[] = {{-15, -7, 20, 20, 0.9, 0}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const tips_jitter j = tips__box_jitter(&rule, view(x, 1, 0, 0, true), view(i ? wrapped : whole, 1, 3, 5, true));
        assert_true(j.pairs == 1 && j.edges == 0 && j.apart == 0);
    }
}

static void agreement(void **state) {
    const tips_detection x[] = {{10, 10, 20, 20, 0.9, 0}, {50, 10, 20, 20, 0.8, 1}};
    const tips_detection y[] = {{10, 15, 20, 20, 0.9, 0}, {80, 55, 20, 20, 0.8, 1}};
    const tips_object there[] = {{10, 10, 20, 20, 400, 0, false, false},
                                 {50, 10, 20, 20, 400, 1, false, false},
                                 {0, 0, 5, 5, 25, 0, true, false}};
    (void)state;
    const tips_agreement a = tips__boxes_agree(&rule, view(x, 2, 0, 0, false), view(y, 2, 5, 0, false), there, 3);
    expect_near(a.agree, 0.5); /* two of four boxes have a partner */
    expect_near(a.right, 0.5); /* one of two objects was found in both */
    const tips_agreement blind = tips__boxes_agree(&rule, view(x, 2, 0, 0, false), view(y, 2, 5, 0, false), NULL, 0);
    assert_true(blind.agree == a.agree && blind.right == 0);
    const tips_agreement empty = tips__boxes_agree(&rule, view(x, 0, 0, 0, false), view(y, 0, 5, 0, false), there, 0);
    assert_true(empty.agree == 1 && empty.right == 1);
    const tips_agreement missed = tips__boxes_agree(&rule, view(x, 0, 0, 0, false), view(y, 0, 5, 0, false), there, 3);
    assert_true(missed.agree == 1 && missed.right == 0);
}

static tips_box_view view_of(const tips_move *move, int dy, int dx, bool circular) {
    return (tips_box_view){move, {dy, dx}, {rule.size[0], rule.size[1]}, circular};
}

static void objects_leave(void **state) {
    const tips_object there[] = {{100, 10, 20, 20, 300, 0, false, false},
                                 {90, 10, 20, 20, 300, 0, false, false},
                                 {110, 10, 10, 20, 100, 0, false, false}};
    const tips_move move = tips__move_none(rule.size);
    tips_object out[3];
    (void)state;
    tips_box_view view = view_of(&move, 2, 11, false);
    tips__objects_in_view(&view, there, 3, out);
    assert_true(out[0].x == 100 && out[0].y == 10 && out[0].w == 9 && out[0].h == 20 && out[0].ignore);
    expect_near(out[0].area, 135);
    assert_true(out[1].x == 90 && out[1].w == 19 && !out[1].ignore);
    assert_true(out[2].w == 0 && out[2].ignore && out[2].area == 0);
    view = view_of(&move, 0, 10, false);
    tips__objects_in_view(&view, there, 3, out);
    assert_true(out[0].w == 10 && !out[0].ignore); /* half is left */
    view = view_of(&move, -5, -12, false);
    tips__objects_in_view(&view, there, 1, out);
    assert_true(out[0].x == 100 && out[0].w == 20 && out[0].y == 10 && !out[0].ignore);
    view = view_of(&move, 2, 11, true);
    tips__objects_in_view(&view, there, 3, out);
    for (int i = 0; i < 3; i++)
        assert_true(out[i].x == there[i].x && out[i].w == there[i].w && out[i].area == there[i].area && !out[i].ignore);
}

static void detections_come_back(void **state) {
    const tips_detection found[] = {{5, 7, 20, 20, 0.9, 0}, {0, 7, 10, 20, 0.9, 0}, {110, 7, 20, 20, 0.9, 0}};
    const tips_move move = tips__move_none(rule.size);
    const tips_box_view view = view_of(&move, 3, 10, true);
    tips_detection out[3];
    (void)state;
    assert_int_equal(tips__detections_in_view(&view, found, 3, out), 3);
    assert_true(out[0].x == 0 && out[0].w == 15 && out[0].y == 4 && out[0].h == 20); /* cut off at the border */
    assert_true(out[1].x == 110 && out[1].w == 10);                                  /* back on the other side */
    assert_true(out[2].x == 100 && out[2].w == 20);                                  /* that went over the seam */
}

/* A picture of twice the size in the middle of the input, with margins: boxes in its own pixels, cut off at its border
 * whichever way it is shifted, and at that of the canvas where it leaves. Without a shift, what a circular view shows
 * is what a standard one does. */
static void pictures_have_borders(void **state) {
    const tips_move move = {.picture = {100, 200}, .resized = {50, 100}, .input = {100, 120}, .offset = {25, 10}};
    const tips_detection found = {0, 30, 120, 40, 0.9, 0}, beside = {0, 0, 5, 5, 0.9, 0};
    tips_detection out[2];
    (void)state;
    for (int circular = 0; circular < 2; circular++) {
        const tips_box_view still = view_of(&move, 0, 0, circular != 0);
        assert_int_equal(tips__detections_in_view(&still, (tips_detection[]){found, beside}, 2, out), 1);
        assert_true(out[0].x == 0 && out[0].w == 200 && out[0].y == 10 && out[0].h == 80);
    }
    const tips_box_view shifted = view_of(&move, 5, 15, false); /* five columns of the input are gone */
    assert_int_equal(tips__detections_in_view(&shifted, &found, 1, out), 1);
    assert_true(out[0].x == 0 && out[0].w == 190 && out[0].y == 0 && out[0].h == 80);
    tips_object o = {180, 0, 20, 100, 500, 0, false, false};
    tips__objects_in_view(&shifted, &o, 1, &o);
    assert_true(o.x == 180 && o.w == 10 && o.h == 100 && o.area == 250 && !o.ignore);
    const tips_move cropped = {.picture = {100, 100}, .resized = {100, 100}, .input = {100, 60}, .offset = {0, -20}};
    const tips_box_view crop = {&cropped, {0, 10}, {100, 60}, false}; /* columns 20 to 80 are seen, then 20 to 70 */
    o = (tips_object){50, 0, 50, 100, 5000, 0, false, false};
    tips__objects_in_view(&crop, &o, 1, &o);
    assert_true(o.x == 50 && o.w == 40 && o.area == 4000 && !o.ignore);
}

/* Of a scene, what comes in on one side is as new as what leaves on the other is gone. */
static void scenes(void **state) {
    const tips_jitter_rule scene = {{100, 120}, 0.5, 0.5, true};
    const tips_detection before[] = {{10, 20, 30, 40, 0.9, 1}};
    const tips_detection after[] = {{17, 23, 30, 40, 0.9, 1}, {3, 40, 6, 20, 0.9, 0}, {60, 1, 20, 4, 0.9, 0}};
    (void)state;
    const tips_jitter black = tips__box_jitter(&rule, view(before, 1, 0, 0, false), view(after, 3, 3, 7, false));
    assert_true(black.pairs == 1 && black.lone == 2);
    const tips_jitter new = tips__box_jitter(&scene, view(before, 1, 0, 0, false), view(after, 3, 3, 7, false));
    assert_true(new.pairs == 1 && new.lone == 0);
    const tips_jitter back = tips__box_jitter(&scene, view(after, 3, 0, 0, false), view(before, 1, -3, -7, false));
    assert_true(back.pairs == 1 && back.lone == 0);
    const tips_jitter still = tips__box_jitter(&scene, view(after, 3, 0, 0, false), view(after, 1, 0, 0, false));
    assert_true(still.pairs == 1 && still.lone == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_with_the_picture),
        cmocka_unit_test(edges_and_scores),
        cmocka_unit_test(appears_and_vanishes),
        cmocka_unit_test(each_has_one_partner),
        cmocka_unit_test(borders_do_not_count),
        cmocka_unit_test(over_the_seam),
        cmocka_unit_test(agreement),
        cmocka_unit_test(objects_leave),
        cmocka_unit_test(detections_come_back),
        cmocka_unit_test(pictures_have_borders),
        cmocka_unit_test(scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
