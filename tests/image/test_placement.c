/* Pictures fitted into an input: sizes and pixels as torchvision's detectors have them, what lies around them, and that
 * it stays what it is when the canvas moves. */
#include "support/compare.h"
#include "support/fit_golden.h"

#include "core/sha256.h"
#include "image/preprocess.h"
#include "image/resize.h"

#include <string.h>

enum { HUGE_INPUT = 4096 };

static tips_image make_picture(int h, int w, int c) {
    tips_image picture;
    uint32_t random = 12345;
    expect_ok(tips__image_allocate("a test", w, h, c, &picture));
    for (int i = 0; i < h * w * c; i++) {
        random = (random * 1103515245u + 12345u) & 0x7fffffffu;
        picture.pixels[i] = (uint8_t)(random >> 16);
    }
    return picture;
}

static void test_sizes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof fit_sizes / sizeof fit_sizes[0]; i++) {
        const tips_preprocess p = {.height = HUGE_INPUT,
                                   .width = HUGE_INPUT,
                                   .channels = 3,
                                   .resize = 7, /* not asked */
                                   .fit_inside = true,
                                   .placement = {.fit = {fit_sizes[i].shorter, fit_sizes[i].longer}},
                                   .std = {1, 1, 1}};
        const tips_move move = tips__preprocess_move(&p, (int[]){fit_sizes[i].h, fit_sizes[i].w});
        test_case("%dx%d within %d, %d", fit_sizes[i].h, fit_sizes[i].w, fit_sizes[i].shorter, fit_sizes[i].longer);
        assert_int_equal(move.resized[0], fit_sizes[i].height);
        assert_int_equal(move.resized[1], fit_sizes[i].width);
        assert_true(move.offset[0] == 0 && move.offset[1] == 0);
    }
}

/* In the middle on grey, as YOLO has it, also where a shift uncovers what lies beyond; and stretched. */
static void test_grey_and_stretched(void **state) {
    enum { H = 8, W = 12 };
    tips_image picture = make_picture(4, 12, 3);
    tips_preprocess p = {.height = H,
                         .width = W,
                         .channels = 3,
                         .placement = {.fit = {64, 64}, .pad = TIPS_PAD_GREY, .place = TIPS_AT_CENTRE},
                         .std = {1, 1, 1}};
    float input[3 * H * W];
    (void)state;
    expect_ok(tips__preprocess(&p, &picture, 0, 1, false, input));
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const bool is_grey = y < 2 || y >= 6 || x < 1;
                const int pixel = is_grey ? TIPS_GREY : picture.pixels[((y - 2) * W + x - 1) * 3 + c];
                assert_float_equal(input[(c * H + y) * W + x], (float)pixel / 255.0f, 0);
            }
    p.placement = (tips_placement){.stretch = 1};
    const tips_move move = tips__preprocess_move(&p, (int[]){40, 7});
    assert_true(move.resized[0] == H && move.resized[1] == W && move.offset[0] == 0 && move.offset[1] == 0);
    assert_int_equal(tips__placement_check(&p.placement, 20), TIPS_INVALID);
    tips__image_free(&picture);
}

/* Nothing is cut off where the input is smaller than the bounds, and nothing vanishes. */
static void test_within(void **state) {
    static const struct {
        int picture[2], input[2], fit[2], wanted[2];
    } cases[] = {
        {{640, 480}, {128, 160}, {800, 1333}, {128, 96}}, {{480, 640}, {128, 160}, {800, 1333}, {120, 160}},
        {{480, 640}, {128, 160}, {60, 1333}, {60, 80}},   {{480, 640}, {128, 160}, {128, 100}, {75, 100}},
        {{20, 30}, {128, 160}, {128, 160}, {106, 160}}, /* enlarged */
        {{1, 3000}, {128, 160}, {128, 160}, {1, 160}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tips_placement p = {.fit = {cases[i].fit[0], cases[i].fit[1]}};
        tips_lay lay;
        tips__placement_lay(&p, cases[i].picture, cases[i].input, &lay);
        test_case("case %d: %dx%d", (int)i, lay.size[0], lay.size[1]);
        assert_true(lay.size[0] == cases[i].wanted[0] && lay.size[1] == cases[i].wanted[1]);
    }
    assert_int_equal(tips__placement_check(&(tips_placement){.fit = {8, 9}}, 7), TIPS_INVALID);
    assert_non_null(strstr(tips_last_error(), "--fit 8x9"));
    expect_ok(tips__placement_check(&(tips_placement){.fit = {8, 9}}, 0));
}

/* VGA in 416 pixels is 416x312 by the rules of the YOLOs, and a pixel less by torchvision's. */
static void test_families(void **state) {
    static const int wanted[][4] = {
        {415, 311, 0, 52}, {416, 312, 0, 52}, {416, 312, 0, 52}, {416, 312, 0, 52}, {416, 312, 0, 52}};
    (void)state;
    for (int rule = 0; tips__letterbox_names[rule]; rule++) {
        const tips_placement p = {.fit = {TIPS_FIT_INPUT, TIPS_FIT_INPUT}, .place = TIPS_AT_CENTRE, .letterbox = rule};
        tips_lay lay;
        tips__placement_lay(&p, (int[]){640, 480}, (int[]){416, 416}, &lay);
        test_case("%s: %dx%d at %d, %d", tips__letterbox_names[rule], lay.size[0], lay.size[1], lay.offset[0],
                  lay.offset[1]);
        assert_true(lay.size[0] == wanted[rule][0] && lay.size[1] == wanted[rule][1]);
        assert_true(lay.offset[0] == wanted[rule][2] && lay.offset[1] == wanted[rule][3]);
    }
}

static void test_pixels(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof fit_pixels / sizeof fit_pixels[0]; i++) {
        tips_image picture = make_picture(fit_pixels[i].h, fit_pixels[i].w, fit_pixels[i].c), out;
        const tips_placement p = {.fit = {fit_pixels[i].shorter, fit_pixels[i].longer}};
        tips_sha256 sum;
        char text[TIPS_SHA256_TEXT];
        tips_lay lay;
        tips__placement_lay(&p, (int[]){picture.h, picture.w}, (int[]){HUGE_INPUT, HUGE_INPUT}, &lay);
        expect_ok(tips__resize_plain(&picture, lay.size[0], lay.size[1], &out));
        tips__sha256_start(&sum);
        tips__sha256_add(&sum, out.pixels, (size_t)out.h * (size_t)out.w * (size_t)out.c);
        tips__sha256_finish(&sum, text);
        test_case("%dx%d to %dx%d", picture.h, picture.w, out.h, out.w);
        assert_string_equal(text, fit_pixels[i].sha256);
        tips__image_free(&out);
        tips__image_free(&picture);
    }
}

enum { H = 24, W = 32, PLANE = H * W };

static tips_preprocess padded(int channels, bool bgr) {
    return (tips_preprocess){.height = H,
                             .width = W,
                             .channels = channels,
                             .placement = {.fit = {20, 20}, .filter = TIPS_FILTER_PLAIN, .pad = TIPS_PAD_MEAN},
                             .bgr = bgr,
                             .mean = {0.485f, 0.456f, 0.406f},
                             .std = {0.229f, 0.224f, 0.225f}};
}

/* Every pixel of the input against the canvas, by a way of its own. */
static void expect_input(const tips_preprocess *p, const uint8_t *canvas, const float *out, int dy, int dx,
                         bool circular, const int size[2]) {
    for (int i = 0; i < PLANE; i++) {
        int y = i / W - dy, x = i % W - dx;
        if (circular) y = (y + 2 * H) % H, x = (x + 2 * W) % W;
        const bool is_picture = y >= 0 && x >= 0 && y < size[0] && x < size[1];
        for (int k = 0; k < p->channels; k++) {
            const int byte = is_picture ? canvas[(y * W + x) * p->channels + (p->bgr ? p->channels - 1 - k : k)] : 0;
            const float wanted = is_picture ? ((float)byte / 255.0f - p->mean[k]) / p->std[k] : 0;
            if (out[k * PLANE + i] != wanted)
                fail_case("channel %d at %d, %d is %g, not %g", k, i / W, i % W, (double)out[k * PLANE + i],
                          (double)wanted);
        }
    }
}

/* Zero around the picture, wherever it is shifted, and its pixels as they are but for those that look like nothing. */
static void test_around(void **state) {
    static const struct {
        int dy, dx;
        bool circular;
    } shifts[] = {{0, 0, false}, {3, -5, false}, {-7, 9, false}, {3, -5, true}, {-11, 30, true}};
    (void)state;
    for (int way = 0; way < 3; way++) {
        const tips_preprocess p = padded(way == 2 ? 1 : 3, way == 1);
        tips_image picture = make_picture(15, 20, p.channels);
        uint8_t canvas[PLANE * 3];
        float out[PLANE * 3];
        if (way < 2) memcpy(picture.pixels + 30, way == 0 ? "\x7c\x74\x68" : "\x68\x74\x7c", 3); /* as the mean */
        expect_ok(tips__preprocess_canvas(&p, &picture, canvas));
        int changed = 0;
        for (int y = 0; y < 15; y++)
            for (int i = 0; i < 20 * p.channels; i++)
                changed += canvas[y * W * p.channels + i] != picture.pixels[y * 20 * p.channels + i];
        if (way < 2) assert_int_equal(changed, 1);
        else assert_true(changed < 5);
        for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++) {
            test_case("way %d, shift %d, %d", way, shifts[s].dy, shifts[s].dx);
            tips__canvas_to_input(&p, canvas, shifts[s].dy, shifts[s].dx, shifts[s].circular, out);
            expect_input(&p, canvas, out, shifts[s].dy, shifts[s].dx, shifts[s].circular, (int[]){15, 20});
        }
        tips__canvas_clear(&p, canvas);
        tips__canvas_to_input(&p, canvas, 0, 0, false, out);
        for (int i = 0; i < PLANE * p.channels; i++) assert_true(out[i] == 0);
        tips__image_free(&picture);
    }
}

/* Black is the darkest value there is, not zero. */
static void test_black(void **state) {
    tips_preprocess p = padded(3, false);
    tips_image picture = make_picture(15, 20, 3);
    float out[PLANE * 3];
    (void)state;
    p.placement.pad = TIPS_PAD_BLACK;
    expect_ok(tips__preprocess(&p, &picture, 0, 0, false, out));
    assert_true(out[PLANE - 1] == (0 - p.mean[0]) / p.std[0]);
    assert_true(out[0] == ((float)picture.pixels[0] / 255.0f - p.mean[0]) / p.std[0]);
    tips__image_free(&picture);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),    cmocka_unit_test(test_grey_and_stretched),
                                       cmocka_unit_test(test_within),   cmocka_unit_test(test_pixels),
                                       cmocka_unit_test(test_families), cmocka_unit_test(test_around),
                                       cmocka_unit_test(test_black)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
