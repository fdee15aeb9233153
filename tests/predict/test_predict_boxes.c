/* tips predict for boxes: places on the picture, drawings, COCO's results, stability and flicker, each against a
 * recount from inputs that were made by hand. */
#include "support/compare.h"

#include "core/memory.h"
#include "core/rng.h"
#include "exchange/npy.h"
#include "image/image_write.h"
#include "metric/coco_results.h"
#include "predict/predict.h"
#include "support/data_files.h"
#include "support/png_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, CLASSES = 3, PIXELS = SIDE * SIDE };

static tips_predict_config config_of(const char *pool) {
    return (tips_predict_config){.network = {.arch = "retinanet",
                                             .width = 8,
                                             .pool = pool,
                                             .task = "detect:score=0.005,shown=0.05",
                                             .padding = TIPS_PAD_CIRCULAR,
                                             .size = {SIDE, SIDE},
                                             .classes = CLASSES,
                                             .channels = 3,
                                             .seed = 5,
                                             .threads = 1},
                                 .batch = 3};
}

static tips_predict_result predict(const tips_predict_config *config) {
    tips_predict_result r;
    expect_ok(tips__predict_run(config, &r));
    return r;
}

static void paint(int number, int h, int w, uint8_t *rgb) {
    const tips_rng rng = {78, (uint64_t)number};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < 3; k++)
                *rgb++ = (uint8_t)(tips__rng_below(rng, (uint64_t)(((y / 9) * 64 + x / 7) * 3 + k), 200) +
                                   tips__rng_below(rng, (uint64_t)(100000 + (y * 256 + x) * 3 + k), 50));
}

/* A picture of h x w on black at (top, left), normalised, as an input. */
static void to_input(const uint8_t *rgb, int h, int w, int top, int left, float *input) {
    for (int i = 0; i < 3 * PIXELS; i++) input[i] = -2; /* (0 - 0.5) / 0.25 */
    for (int k = 0; k < 3; k++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
                input[(k * SIDE + y + top) * SIDE + x + left] =
                    (float)((rgb[3 * (y * w + x) + k] / 255.0 - 0.5) / 0.25);
}

/* A picture that is smaller than the input lies in the middle of black: its boxes are those of the input, less the
 * black, cut off where the picture ends. */
static void test_places(void **state) {
    enum { H = 20, W = 26, TOP = 6, LEFT = 3 };
    char folder[DATA_PATH], picture[DATA_PATH + 32], array[DATA_PATH + 32], *files[] = {picture, array};
    static uint8_t rgb[H * W * 3];
    static float input[3 * PIXELS];
    tips_predict_config config = config_of("max");
    int cut = 0, gone = 0;
    (void)state;
    data_make_folder(folder);
    paint(1, H, W, rgb);
    data_write_rgb(folder, "small.ppm", rgb, H, W);
    to_input(rgb, H, W, TOP, LEFT, input);
    snprintf(picture, sizeof picture, "%s/small.ppm", folder);
    snprintf(array, sizeof array, "%s/input.npy", folder);
    expect_ok(tips__npy_write(array, 3, (const int64_t[3]){3, SIDE, SIDE}, input));
    config.files = files, config.n_files = 2;
    tips_predict_result r = predict(&config);
    const tips_prediction *small = &r.predictions[0], *whole = &r.predictions[1];
    assert_true(r.kind == TIPS_PREDICTS_BOXES && small->size[0] == H && small->size[1] == W && whole->size[0] == SIDE);
    assert_true(whole->n_boxes > 20 && whole->n_shown > 0 && whole->n_shown < whole->n_boxes);
    for (int i = 0, k = 0; i < whole->n_boxes; i++) {
        const tips_detection *d = &whole->boxes[i];
        const double left = fmax(d->x - LEFT, 0), right = fmin(d->x + d->w - LEFT, W);
        const double top = fmax(d->y - TOP, 0), bottom = fmin(d->y + d->h - TOP, H);
        assert_true(i == 0 || d->score <= d[-1].score);
        assert_true((d->score >= 0.05) == (i < whole->n_shown));
        if (right <= left || bottom <= top) {
            gone++;
            continue;
        }
        assert_true(k < small->n_boxes);
        const tips_detection *got = &small->boxes[k++];
        cut += right - left < d->w || bottom - top < d->h;
        assert_int_equal(got->label, d->label);
        assert_float_equal(got->score, d->score, 1e-4);
        assert_float_equal(got->x, left, 1e-3);
        assert_float_equal(got->y, top, 1e-3);
        assert_float_equal(got->w, right - left, 1e-3);
        assert_float_equal(got->h, bottom - top, 1e-3);
        if (i == whole->n_boxes - 1) assert_int_equal(k, small->n_boxes);
    }
    assert_true(cut > 0 && gone > 0);
    config.top = 2, config.shown = 0.04;
    tips_predict_result few = predict(&config);
    assert_true(few.shown == 0.04 && few.predictions[1].n_shown == 2 && few.predictions[1].n_boxes == whole->n_boxes);
    tips__predict_free(&few);
    tips__predict_free(&r);
    data_remove_folder(folder);
}

/* A frame goes around each box that is shown, and nothing else is touched but the labels. */
static void test_drawings(void **state) {
    char folder[DATA_PATH], out[DATA_PATH + 16], name[DATA_PATH + 32], *files[] = {name};
    static uint8_t rgb[PIXELS * 3];
    tips_predict_config config = config_of("max");
    tips_image drawn;
    int same = 0;
    (void)state;
    if (!png_is_read()) skip();
    data_make_folder(folder);
    paint(2, SIDE, SIDE, rgb);
    data_write_rgb(folder, "one.ppm", rgb, SIDE, SIDE);
    snprintf(name, sizeof name, "%s/one.ppm", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    config.files = files, config.n_files = 1, config.out = out, config.top = 1;
    tips_predict_result r = predict(&config);
    const tips_prediction *one = &r.predictions[0];
    assert_non_null(strstr(one->drawing, "out/boxes/one.png"));
    assert_true(one->n_shown == 1);
    expect_ok(tips__image_read(one->drawing, &drawn));
    assert_true(drawn.h == SIDE && drawn.w == SIDE && drawn.c == 3);
    const tips_detection *d = &one->boxes[0];
    const int bottom = (int)ceil(d->y + d->h) - 1, left = (int)floor(d->x), right = (int)ceil(d->x + d->w) - 1;
    const uint8_t *corner = drawn.pixels + 3 * (bottom * SIDE + right);
    assert_memory_not_equal(corner, rgb + 3 * (bottom * SIDE + right), 3);
    for (int x = left; x <= right; x++) assert_memory_equal(drawn.pixels + 3 * (bottom * SIDE + x), corner, 3);
    for (int i = 0; i < PIXELS; i++) same += memcmp(drawn.pixels + 3 * i, rgb + 3 * i, 3) == 0;
    assert_true(same > PIXELS / 2 && same < PIXELS);
    tips__image_free(&drawn);
    tips__predict_free(&r);
    data_remove_folder(folder);
}

enum { FRAMES = 5 };

/* Frame i is the picture rolled down by i * dy and to the right by i * dx. */
static void write_rolled(const char *path, int count, int dy, int dx) {
    float *inputs = test_floats((size_t)count * 3 * PIXELS);
    static uint8_t rgb[3 * PIXELS], rolled[3 * PIXELS];
    paint(9, SIDE, SIDE, rgb);
    for (int i = 0; i < count; i++) {
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const int from_y = ((y - i * dy) % SIDE + SIDE) % SIDE, from_x = ((x - i * dx) % SIDE + SIDE) % SIDE;
                memcpy(rolled + 3 * (y * SIDE + x), rgb + 3 * (from_y * SIDE + from_x), 3);
            }
        to_input(rolled, SIDE, SIDE, 0, 0, inputs + (size_t)i * 3 * PIXELS);
    }
    expect_ok(tips__npy_write(path, 4, (const int64_t[4]){count, 3, SIDE, SIDE}, inputs));
    free(inputs);
}

static tips_jitter jitter_of(const char *folder, const char *pool, const char *motion) {
    tips_predict_config config = config_of(pool);
    char out[DATA_PATH + 16], frames[DATA_PATH + 16];
    tips_jitter sum = {0};
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(frames, sizeof frames, "%s/frames", folder);
    config.sequence = frames;
    config.motion = motion;
    config.shown = 0.011;
    config.out = png_is_read() ? out : NULL;
    tips_predict_result r = predict(&config);
    assert_true(r.frames == FRAMES && r.n_steps == FRAMES - 1);
    for (int i = 0; i < r.n_steps; i++) tips__jitter_add(&sum, &r.steps[i].jitter);
    assert_memory_equal(&sum, &r.jitter, sizeof sum);
    if (config.out) {
        tips_image chart;
        char path[DATA_PATH + 32];
        assert_non_null(strstr(r.flicker_map, "out/flicker.svg"));
        snprintf(path, sizeof path, "%s/flicker.png", out);
        if (tips__image_read(path, &chart) == TIPS_OK) tips__image_free(&chart); /* with cairo */
    }
    tips__predict_free(&r);
    return sum;
}

/* With an exact operator the boxes of a picture that goes round go round: none jumps once the motion is undone, and
 * none appears or vanishes but at the border, where it is not counted. max is the control. */
static void test_flicker(void **state) {
    char folder[DATA_PATH], path[DATA_PATH + 32];
    (void)state;
    data_make_folder(folder);
    data_write_text(folder, "frames/.hidden", "no frame");
    snprintf(path, sizeof path, "%s/frames/rolled.npy", folder);
    write_rolled(path, FRAMES, 1, -3);
    const tips_jitter still = jitter_of(folder, "tips-exact", "1,-3");
    assert_true(still.pairs > 20 && still.lone == 0);
    assert_true(tips__jitter_edges(&still) < 1e-9 && tips__jitter_scores(&still) == 0);
    const tips_jitter wrong = jitter_of(folder, "tips-exact", NULL);
    assert_true(wrong.lone > 0 || tips__jitter_edges(&wrong) > 0.1);
    const tips_jitter loose = jitter_of(folder, "max", "1,-3");
    assert_true(loose.lone > 0 && tips__jitter_edges(&loose) > 0.01 && tips__jitter_scores(&loose) > 1e-4);
    data_remove_folder(folder);
}

/* Some shifts, one input at a time. */
static void test_stability(void **state) {
    enum { MOST = SIDE / 8 };
    char folder[DATA_PATH], path[DATA_PATH + 32], *files[] = {path};
    tips_predict_config config = config_of("max");
    static float input[3 * PIXELS], moved[3 * PIXELS];
    static uint8_t rgb[3 * PIXELS];
    tips_jitter sum = {0};
    double kept = 0;
    int n = 0;
    (void)state;
    data_make_folder(folder);
    snprintf(path, sizeof path, "%s/one.npy", folder);
    paint(4, SIDE, SIDE, rgb);
    to_input(rgb, SIDE, SIDE, 0, 0, input);
    expect_ok(tips__npy_write(path, 3, (const int64_t[3]){3, SIDE, SIDE}, input));
    config.files = files, config.n_files = 1, config.stability = true, config.batch = 16;
    tips_predict_result usual = predict(&config);
    assert_int_equal(usual.shifts, 64);
    tips__predict_free(&usual);
    config.stability_shifts = 1000;
    tips_predict_result one = predict(&config);
    assert_int_equal(one.shifts, (2 * MOST + 1) * (2 * MOST + 1) - 1);
    config.stability = false;
    const tips_jitter_rule rule = {{SIDE, SIDE}, 0.05, 0.5, false};
    const tips_boxes_at still = {one.predictions[0].boxes, one.predictions[0].n_boxes, {0, 0}, false};
    float *all = test_floats((size_t)one.shifts * 3 * PIXELS);
    for (int dy = -MOST; dy <= MOST; dy++)
        for (int dx = -MOST; dx <= MOST; dx++) {
            if (!dy && !dx) continue;
            for (int k = 0; k < 3; k++)
                for (int y = 0; y < SIDE; y++)
                    for (int x = 0; x < SIDE; x++) {
                        const bool is_in = y >= dy && y - dy < SIDE && x >= dx && x - dx < SIDE;
                        moved[(k * SIDE + y) * SIDE + x] = is_in ? input[(k * SIDE + y - dy) * SIDE + x - dx] : -2;
                    }
            memcpy(all + (size_t)(n++) * 3 * PIXELS, moved, sizeof moved);
        }
    expect_ok(tips__npy_write(path, 4, (const int64_t[4]){n, 3, SIDE, SIDE}, all));
    tips_predict_result shifted = predict(&config);
    n = 0;
    for (int dy = -MOST; dy <= MOST; dy++)
        for (int dx = -MOST; dx <= MOST; dx++) {
            if (!dy && !dx) continue;
            const tips_prediction *p = &shifted.predictions[n++];
            const tips_jitter j =
                tips__box_jitter(&rule, still, (tips_boxes_at){p->boxes, p->n_boxes, {dy, dx}, false});
            const double lone = tips__jitter_vanishing(&j);
            kept += isnan(lone) ? 1 : 1 - lone;
            tips__jitter_add(&sum, &j);
        }
    /* What lies at the border is cut off on the picture and not in the answer: it is left out of both. */
    assert_float_equal(one.predictions[0].stability, 100 * kept / n, 2);
    assert_true(one.predictions[0].stability < 100 && one.predictions[0].jitter.pairs > 100);
    assert_float_equal(tips__jitter_edges(&one.predictions[0].jitter), tips__jitter_edges(&sum), 0.1);
    free(all);
    tips__predict_free(&one);
    tips__predict_free(&shifted);
    data_remove_folder(folder);
}

typedef struct read_back {
    const tips_predict_result *r;
    int64_t ids[2], categories[CLASSES];
    int picture, box;
} read_back;

static tips_status take(void *context, const tips_coco_result *result, size_t number) {
    read_back *b = context;
    (void)number;
    while (b->box == b->r->predictions[b->picture].n_boxes) b->picture++, b->box = 0;
    const tips_detection *d = &b->r->predictions[b->picture].boxes[b->box++];
    assert_true(result->picture == b->ids[b->picture] && result->category == b->categories[d->label]);
    assert_true(result->bbox[0] == d->x && result->bbox[1] == d->y && result->bbox[2] == d->w &&
                result->bbox[3] == d->h && result->score == d->score);
    return TIPS_OK;
}

static void check_results(const tips_predict_config *config, read_back want) {
    tips_predict_result r = predict(config);
    want.r = &r;
    expect_ok(tips__coco_results_read(config->detections, take, &want));
    assert_true(want.picture == 1 && want.box == r.predictions[1].n_boxes && want.box > 0);
    assert_true(r.has_ids && r.predictions[1].id == want.ids[1]);
    tips__predict_free(&r);
}

static void expect_refusal(const tips_predict_config *config, const char *why) {
    tips_predict_result r;
    assert_int_not_equal(tips__predict_run(config, &r), TIPS_OK);
    if (!strstr(tips_last_error(), why)) fail_msg("'%s' does not say '%s'", tips_last_error(), why);
}

static void test_results(void **state) {
    char folder[DATA_PATH], names[3][DATA_PATH + 32], results[DATA_PATH + 16], ids[DATA_PATH + 16];
    char *numbered[] = {names[0], names[1]}, *twins[] = {names[0], names[2]};
    static uint8_t rgb[PIXELS * 3];
    tips_predict_config config = config_of("max");
    (void)state;
    data_make_folder(folder);
    const char *const files[3] = {"000000000139.ppm", "7.ppm", "in/139.ppm"};
    data_write_text(folder, "in/.hidden", "");
    for (int i = 0; i < 3; i++) {
        paint(i, SIDE, SIDE, rgb);
        data_write_rgb(folder, files[i], rgb, SIDE, SIDE);
        snprintf(names[i], sizeof names[i], "%s/%s", folder, files[i]);
    }
    snprintf(results, sizeof results, "%s/results.json", folder);
    snprintf(ids, sizeof ids, "%s/ids.json", folder);
    config.detections = results, config.n_files = 2;
    config.files = numbered;
    check_results(&config, (read_back){.ids = {139, 7}, .categories = {1, 2, 3}});
    config.files = twins; /* two of a number are numbered by their order */
    check_results(&config, (read_back){.ids = {1, 2}, .categories = {1, 2, 3}});
    config.files = numbered;
    config.annotations = ids;
    data_write_text(
        folder, "ids.json",
        "{\"images\": [{\"id\": 5, \"file_name\": \"val/7.ppm\", \"height\": 32, \"width\": 32}, {\"id\": "
        "1000000000007, \"file_name\": \"000000000139.ppm\", \"height\": 32, \"width\": 32}], "
        "\"annotations\": [], \"categories\": [{\"id\": 90, \"name\": \"c\"}, {\"id\": 4, \"name\": \"a\"}, "
        "{\"id\": 17, \"name\": \"b\"}]}");
    check_results(&config, (read_back){.ids = {1000000000007, 5}, .categories = {4, 17, 90}});
    config.files = twins;
    expect_refusal(&config, "none of its 2 pictures is called 139.ppm");
    data_write_text(folder, "ids.json",
                    "{\"images\": [], \"annotations\": [], \"categories\": [{\"id\": 90, \"name\": \"c\"}]}");
    config.n_files = 0;
    expect_refusal(&config, "has 1 categories, and the model 3 classes without names");
    config.n_files = 1;
    config.detections = NULL;
    expect_refusal(&config, "--annotations has the ids for --detections");
    config.annotations = NULL, config.keep_scores = true;
    expect_refusal(&config, "--logits is for models that answer with classes or masks");
    data_remove_folder(folder);
}

static void test_out_of_memory(void **state) {
    char folder[DATA_PATH], frames[DATA_PATH + 16], out[DATA_PATH + 16], path[DATA_PATH + 32], *files[] = {path};
    char results[DATA_PATH + 16];
    tips_predict_config config = config_of("stride");
    tips_predict_result r;
    tips_status status = TIPS_MEMORY;
    (void)state;
    data_make_folder(folder);
    data_write_text(folder, "frames/.hidden", "no frame");
    snprintf(frames, sizeof frames, "%s/frames", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(results, sizeof results, "%s/results.json", folder);
    snprintf(path, sizeof path, "%s/frames/rolled.npy", folder);
    write_rolled(path, 2, 1, 1);
    config.files = files, config.n_files = 1, config.sequence = frames, config.detections = results;
    config.stability = true, config.stability_shifts = 2, config.out = png_is_read() ? out : NULL;
    for (uint64_t n = 1; status != TIPS_OK; n += 1 + n / 8) {
        tips__alloc_fail_at(n);
        status = tips__predict_run(&config, &r);
        tips__alloc_fail_at(0);
        if (status != TIPS_OK) assert_int_equal(status, TIPS_MEMORY);
    }
    assert_true(r.count == 4 && r.frames == 2 && r.n_steps == 1);
    tips__predict_free(&r);
    data_remove_folder(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places),  cmocka_unit_test(test_drawings),
                                       cmocka_unit_test(test_flicker), cmocka_unit_test(test_stability),
                                       cmocka_unit_test(test_results), cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
