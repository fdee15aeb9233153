/* Marks follow pixels: what tips_move says of points, masks and boxes against what becomes of the pixels themselves,
 * which are resized and cropped by the preprocessing, or turned, moved and shifted here one step after the other. */
#include "image/move.h"
#include "image/preprocess.h"
#include "support/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tips_image make_picture(int h, int w) {
    tips_image picture;
    expect_ok(tips__image_allocate("a test", w, h, 1, &picture));
    return picture;
}

static const tips_preprocess ways[] = {
    {.height = 32, .width = 32, .channels = 1, .std = {1}},
    {.height = 24, .width = 40, .channels = 1, .std = {1}},
    {.height = 32, .width = 28, .channels = 1, .fit_inside = true, .std = {1}},
    {.height = 24, .width = 24, .channels = 1, .resize = 30, .std = {1}},
    {.height = 33, .width = 20, .channels = 1, .resize = 27, .std = {1}},
    {.height = 48, .width = 48, .channels = 1, .resize = 20, .fit_inside = true, .std = {1}},
    {.height = 40, .width = 48, .channels = 1, .placement.fit = {30, 36}, .std = {1}},
    {.height = 24, .width = 48, .channels = 1, .placement = {.fit = {99, 99}, .filter = TIPS_FILTER_PLAIN}, .std = {1}},
};
static const int sizes[][2] = {{32, 32}, {28, 28}, {20, 40}, {57, 31}, {100, 90}, {150, 33}, {12, 13}};
enum { WAYS = sizeof ways / sizeof ways[0], SIZES = sizeof sizes / sizeof sizes[0], MOST = 48 * 48 };

/* The first moments of what is bright on a canvas. */
typedef struct weight {
    double sum, y, x;
} weight;

static weight weigh(const tips_preprocess *p, const uint8_t *canvas) {
    weight w = {0};
    for (int i = 0; i < p->height * p->width; i++) {
        w.sum += canvas[i];
        w.y += canvas[i] * (i / p->width + 0.5);
        w.x += canvas[i] * (i % p->width + 0.5);
    }
    return (weight){w.sum, w.y / fmax(w.sum, 1), w.x / fmax(w.sum, 1)};
}

/* The filter reaches as far as a pixel of the picture or of the canvas, whichever is larger. */
static bool may_be_bright(const tips_move *move, const tips_box *box, int i) {
    const double y = i / move->input[1] + 0.5, x = i % move->input[1] + 0.5;
    const double reach[2] = {fmax(1, tips__move_scale(move, 0)) + 0.5, fmax(1, tips__move_scale(move, 1)) + 0.5};
    return y > box->top - reach[0] && y < box->bottom + reach[0] && x > box->left - reach[1] &&
           x < box->right + reach[1];
}

static void follow_block(const tips_preprocess *p, tips_image *picture, const tips_box *block) {
    const tips_move move = tips__preprocess_move(p, (int[]){picture->h, picture->w});
    const double middle[2] = {(block->top + block->bottom) / 2, (block->left + block->right) / 2};
    uint8_t canvas[MOST];
    double place[2];
    float share;
    tips_box box;
    memset(picture->pixels, 0, (size_t)picture->h * (size_t)picture->w);
    for (int y = (int)block->top; y < (int)block->bottom; y++)
        memset(picture->pixels + (ptrdiff_t)y * picture->w + (int)block->left, 255,
               (size_t)(block->right - block->left));
    expect_ok(tips__preprocess_canvas(p, picture, canvas));
    tips__move_boxes(&move, block, 1, &box, &share);
    const bool is_there = tips__move_point(&move, middle, place);
    const weight w = weigh(p, canvas);
    for (int i = 0; i < p->height * p->width; i++)
        if (canvas[i] > 0 && !may_be_bright(&move, &box, i)) fail_case("bright outside of its box, at %d", i);
    if (share < 1) return;
    assert_true(is_there && w.sum > 0);
    if (fabs(w.y - place[0]) > 0.5 || fabs(w.x - place[1]) > 0.5)
        fail_case("the block lies at %g, %g, not at %g, %g", w.y, w.x, place[0], place[1]);
}

static void test_canvas(void **state) {
    (void)state;
    for (int i = 0; i < WAYS * SIZES; i++) {
        const tips_preprocess *p = &ways[i % WAYS];
        const int *size = sizes[i / WAYS];
        const int step = size[0] / 6 + 1, side = size[0] / 10 + 3;
        tips_image picture = make_picture(size[0], size[1]);
        for (int top = 0; top + side <= size[0]; top += step)
            for (int left = 0; left + side <= size[1]; left += step) {
                const tips_box block = {.top = top, .left = left, .bottom = top + side, .right = left + side};
                test_case("%dx%d to %dx%d by %d%s, block of %d at %d, %d", size[0], size[1], p->height, p->width,
                          p->resize, p->fit_inside ? ", inside" : "", side, top, left);
                follow_block(p, &picture, &block);
            }
        tips__image_free(&picture);
    }
    assert_true(test_case_count() > 500);
}

/* Where nothing is resized, the mask is the canvas, pixel by pixel. */
static void test_unresized(void **state) {
    int covered = 0;
    (void)state;
    for (int i = 0; i < WAYS * SIZES; i++) {
        tips_preprocess p = ways[i % WAYS];
        const int *size = sizes[i / WAYS];
        tips_image picture = make_picture(size[0], size[1]);
        uint8_t canvas[MOST], mask[MOST];
        p.resize = size[0] < size[1] ? size[0] : size[1];
        p.placement.fit[0] = 0;
        const tips_move move = tips__preprocess_move(&p, size);
        for (int k = 0; k < size[0] * size[1]; k++) picture.pixels[k] = (uint8_t)(1 + k * 7 % 250);
        expect_ok(tips__preprocess_canvas(&p, &picture, canvas));
        tips__move_mask(&move, &picture, mask);
        for (int k = 0; k < p.height * p.width; k++) {
            assert_int_equal(canvas[k] ? canvas[k] : TIPS_MASK_IGNORE, mask[k]);
            covered += canvas[k] > 0;
        }
        tips__image_free(&picture);
    }
    assert_true(covered > WAYS * SIZES * 100);
}

/* As Pillow does it: the pixel below the middle. */
static void test_nearest(void **state) {
    static const uint8_t wanted[] = {1, 3, 5, 255, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6};
    tips_image mask = make_picture(1, 7);
    uint8_t out[11];
    (void)state;
    for (int i = 0; i < 7; i++) mask.pixels[i] = (uint8_t)i;
    const tips_move smaller = {.picture = {1, 7}, .resized = {1, 3}, .input = {1, 4}};
    tips__move_mask(&smaller, &mask, out);
    assert_memory_equal(out, wanted, 4);
    const tips_move larger = {.picture = {1, 7}, .resized = {1, 11}, .input = {1, 11}};
    tips__move_mask(&larger, &mask, out);
    assert_memory_equal(out, wanted + 4, 11);
    tips__image_free(&mask);
}

enum { H = 6, W = 9 };

/* A step: pixel (y, x) of `to` is that of `from` at (y - dy, x - dx), 255 where nothing was. */
static void step(uint8_t *map, int dy, int dx, bool circular) {
    uint8_t from[H * W];
    memcpy(from, map, sizeof from);
    for (int i = 0; i < H * W; i++) {
        const int y = i / W - dy, x = i % W - dx;
        const bool inside = y >= 0 && y < H && x >= 0 && x < W;
        map[i] = inside || circular ? from[(y + 4 * H) % H * W + (x + 4 * W) % W] : 255;
    }
}

static void turn(uint8_t *map) {
    for (int i = 0; i < H * W; i++) {
        const int j = i / W * W + W - 1 - i % W;
        const uint8_t kept = map[i];
        if (j > i) map[i] = map[j], map[j] = kept;
    }
}

static void follow_pixels(const tips_move *move, const uint8_t *map) {
    for (int k = 0; k < H * W; k++) {
        const double from[2] = {k / W + 0.5, k % W + 0.5};
        const tips_box pixel = {
            .top = k / W, .left = k % W, .bottom = k / W + 1, .right = k % W + 1, .label = k, .crowd = k % 2};
        double to[2];
        tips_box box;
        float share;
        const bool is_there = tips__move_point(move, from, to);
        tips__move_boxes(move, &pixel, 1, &box, &share);
        assert_true(box.label == k && box.crowd == k % 2);
        assert_true(share == (is_there ? 1 : 0));
        const uint8_t *found = memchr(map, k, H * W);
        assert_int_equal(is_there, found != NULL);
        if (!found) continue;
        const int at = (int)(found - map);
        assert_true(to[0] == at / W + 0.5 && to[1] == at % W + 0.5);
        assert_true(box.top == at / W && box.left == at % W && box.bottom == box.top + 1 && box.right == box.left + 1);
    }
}

static void test_steps(void **state) {
    tips_image mask = make_picture(H, W);
    (void)state;
    for (int i = 0; i < H * W; i++) mask.pixels[i] = (uint8_t)i;
    for (int i = 0; i < 4 * 5 * 5 * 13 * 19; i++) {
        tips_move move = tips__move_none((int[]){H, W});
        uint8_t map[H * W], moved[H * W];
        move.flip = i & 1;
        move.circular = i & 2;
        move.crop[0] = i / 4 % 5 - 2;
        move.crop[1] = i / 20 % 5 - 2;
        move.shift[0] = i / 100 % 13 - 6;
        move.shift[1] = i / 1300 % 19 - 9;
        test_case("flip %d, crop %d %d, shift %d %d, circular %d", move.flip, move.crop[0], move.crop[1], move.shift[0],
                  move.shift[1], move.circular);
        memcpy(map, mask.pixels, sizeof map);
        if (move.flip) turn(map);
        step(map, move.crop[0], move.crop[1], false);
        step(map, move.shift[0], move.shift[1], move.circular);
        tips__move_mask(&move, &mask, moved);
        assert_memory_equal(moved, map, sizeof map);
        if (i % 7 == 0) follow_pixels(&move, map);
    }
    tips__image_free(&mask);
}

static void expect_box(const tips_move *move, tips_box box, tips_box wanted, double wanted_share) {
    float share = -1;
    tips__move_boxes(move, &box, 1, &box, &share); /* in its place */
    assert_float_equal(box.top, wanted.top, 1e-5);
    assert_float_equal(box.left, wanted.left, 1e-5);
    assert_float_equal(box.bottom, wanted.bottom, 1e-5);
    assert_float_equal(box.right, wanted.right, 1e-5);
    assert_float_equal(share, wanted_share, 1e-6);
}

/* 20x40 at twice the size, cropped to the middle 32x32: rows 4.. and columns 24.. are on the canvas. */
static tips_move doubled(void) {
    return (tips_move){.picture = {20, 40}, .resized = {40, 80}, .input = {32, 32}, .offset = {-4, -24}};
}

static void test_boxes(void **state) {
    tips_move move = doubled();
    (void)state;
    expect_box(&move, (tips_box){.top = 5, .left = 15, .bottom = 8, .right = 17.5f},
               (tips_box){.top = 6, .left = 6, .bottom = 12, .right = 11}, 1);
    expect_box(&move, (tips_box){.top = 0, .left = 10, .bottom = 4, .right = 20},
               (tips_box){.top = 0, .left = 0, .bottom = 4, .right = 16}, 0.5 * 0.8);
    expect_box(&move, (tips_box){.top = 5, .left = 0, .bottom = 8, .right = 12},
               (tips_box){.top = 6, .left = 0, .bottom = 12, .right = 0}, 0);
    move.flip = true;
    expect_box(&move, (tips_box){.top = 5, .left = 15, .bottom = 8, .right = 17.5f},
               (tips_box){.top = 6, .left = 21, .bottom = 12, .right = 26}, 1);
    move.crop[1] = 8;
    expect_box(&move, (tips_box){.top = 5, .left = 15, .bottom = 8, .right = 17.5f},
               (tips_box){.top = 6, .left = 29, .bottom = 12, .right = 32}, 0.6);
    tips__move_boxes(&move, NULL, 0, NULL, NULL);
}

/* In one piece over the edge; what the crop cut off does not come back. */
static void test_wrapped_boxes(void **state) {
    tips_move move = doubled();
    (void)state;
    move.circular = true;
    move.shift[0] = -8;
    move.shift[1] = 23;
    expect_box(&move, (tips_box){.top = 5, .left = 15, .bottom = 8, .right = 17.5f},
               (tips_box){.top = 30, .left = 29, .bottom = 36, .right = 34}, 1);
    move.shift[0] = 0;
    move.shift[1] = 26;
    expect_box(&move, (tips_box){.top = 5, .left = 15, .bottom = 8, .right = 17.5f},
               (tips_box){.top = 6, .left = 0, .bottom = 12, .right = 5}, 1);
    move.crop[0] = -8;
    move.shift[0] = 8;
    expect_box(&move, (tips_box){.top = 5, .left = 15, .bottom = 8, .right = 17.5f},
               (tips_box){.top = 8, .left = 0, .bottom = 12, .right = 5}, 4.0 / 6);
    const double below[2] = {2.5, 16}, above[2] = {1, 16};
    double place[2];
    assert_false(tips__move_point(&move, below, place)); /* gone with the random crop */
    move.crop[0] = 8;
    assert_false(tips__move_point(&move, above, place)); /* gone before it */
    assert_true(tips__move_point(&move, below, place));
    assert_true(place[0] == 17 && place[1] == 2);
}

/* Neither a point nor a box is rounded up to the edge it has just been wrapped to. */
static void test_rounding(void **state) {
    tips_move move = tips__move_none((int[]){32, 32});
    const double just_below[2] = {3 - 4e-16, 5};
    const tips_box box = {.top = 3 - 4e-16, .bottom = 9, .right = 3};
    const tips_box tiny = {.top = 1e-16, .bottom = 1.2e-16, .right = 3};
    double place[2];
    tips_box out;
    float share;
    (void)state;
    move.circular = true;
    move.shift[0] = -3;
    assert_true(tips__move_point(&move, just_below, place));
    assert_true(place[0] >= 0 && place[0] < 32);
    tips__move_boxes(&move, &box, 1, &out, NULL);
    assert_true(out.top >= 0 && out.top < 32 && out.bottom > out.top);
    move.shift[0] = 0;
    move.crop[0] = 1; /* the length of a tiny box is rounded up */
    tips__move_boxes(&move, &tiny, 1, &out, &share);
    assert_true(share >= 0 && share <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canvas),   cmocka_unit_test(test_unresized), cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_steps),    cmocka_unit_test(test_boxes),     cmocka_unit_test(test_wrapped_boxes),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
