/* The truth about boxes, with what a border cuts off; and as drawings: what is right, and what a shift changed, pixel
 * by pixel where it matters. */
#include "support/compare.h"

#include "task/detect.h"

#include <string.h>

enum { H = 60, W = 80 };

static tips_image paper(void) {
    tips_image image;
    expect_ok(tips__image_allocate("paper", W, H, 3, &image));
    memset(image.pixels, 200, (size_t)3 * H * W);
    return image;
}

static bool has(const tips_image *image, int y, int x, const uint8_t rgb[3]) {
    return memcmp(image->pixels + 3 * (y * W + x), rgb, 3) == 0;
}

static tips_assignment assignment(void) {
    tips_assignment a = {.classes = 3, .size = {H, W}};
    expect_ok(tips__task_parse("detect", &a.spec));
    return a;
}

static void test_difference(void **state) {
    static const uint8_t red[3] = {214, 28, 36}, blue[3] = {30, 90, 200}, grey[3] = {96, 96, 96};
    static const uint8_t pale[3] = {228, 228, 228}, dark[3] = {114, 114, 114};
    /* Shifted by (2, 3): the first stays, the second moves by a pixel more, the third vanishes, the last appears. */
    tips_detection before[] = {{10, 30, 12, 10, 0.9, 0}, {40, 10, 20, 12, 0.8, 1}, {10, 10, 8, 8, 0.7, 2}};
    tips_detection after[] = {{13, 32, 12, 10, 0.9, 0}, {43, 13, 20, 12, 0.8, 1}, {53, 42, 10, 8, 0.7, 2}};
    const tips_bytes x = {.data = (unsigned char *)before, .count = sizeof before},
                     y = {.data = (unsigned char *)after, .count = sizeof after};
    const tips_assignment a = assignment();
    tips_image image = paper();
    (void)state;
    a.spec.task->draw_difference(&a, (tips_answer_at){&x, {0, 0}, false}, (tips_answer_at){&y, {2, 3}, false}, &image);
    assert_true(has(&image, 30, 15, grey) && has(&image, 39, 15, grey)); /* over itself */
    assert_true(has(&image, 10, 50, grey) && has(&image, 22, 50, blue)); /* its lower edge has moved */
    assert_true(has(&image, 10, 12, red) && has(&image, 40, 55, red)); /* gone, and new where it was before the shift */
    assert_true(has(&image, 5, 5, pale) && has(&image, 59, 5, dark) && has(&image, 5, 78, dark));
    tips__image_free(&image);
    image = paper();
    a.spec.task->draw_difference(&a, (tips_answer_at){&x, {0, 0}, true}, (tips_answer_at){&y, {2, 3}, true}, &image);
    assert_true(has(&image, 59, 5, pale) && has(&image, 30, 15, grey));
    tips__image_free(&image);
}

static void test_target(void **state) {
    const tips_box there = {.left = 10, .top = 20, .right = 22, .bottom = 30, .label = 2};
    const tips_move move = tips__move_none((int[]){H, W});
    tips_bytes target = {0};
    const tips_assignment a = assignment();
    tips_image image = paper();
    uint8_t rgb[3];
    (void)state;
    tips__detect_colour(2, rgb);
    expect_ok(tips__detect_target(&move, 0.5, &there, 1, &target));
    a.spec.task->draw_target(&a, &target, &image);
    for (int xx = 10; xx < 22; xx++) assert_true(has(&image, 20, xx, rgb) && has(&image, 29, xx, rgb));
    assert_true(has(&image, 25, 15, (const uint8_t[3]){200, 200, 200}));
    assert_true(has(&image, 14, 10, rgb)); /* the label's ground, above the frame */
    tips__image_free(&image);
    tips__bytes_clear(&target);
}

/* Three of ten rows are left of a thing: too few for the usual half, enough for a quarter. */
static void test_cut(void **state) {
    static const struct {
        const char *task;
        bool ignored;
    } cases[] = {{"detect", true}, {"detect:cut=0.25", false}, {"detect:cut=0.35", true}};
    tips_box box = {.top = 0, .left = 10, .bottom = 10, .right = 20, .label = 1};
    const tips_annotation annotation = {.boxes = &box, .n_boxes = 1};
    tips_move move = tips__move_none((int[]){H, W});
    (void)state;
    move.shift[0] = -7;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tips_assignment a = {.classes = 3, .size = {H, W}};
        tips_bytes target = {0};
        test_case("%s", cases[i].task);
        expect_ok(tips__task_parse(cases[i].task, &a.spec));
        expect_ok(a.spec.task->target(&a, &annotation, &move, &target));
        assert_int_equal(tips__objects_in(&target), 1);
        assert_int_equal(tips__objects(&target)->ignore, cases[i].ignored);
        tips__bytes_clear(&target);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_difference), cmocka_unit_test(test_target),
                                       cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
