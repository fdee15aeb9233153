/* tips predict for masks: files at the picture's size, shares, stability and flicker, each against a recount from the
 * scores or from the files. */
#include "support/compare.h"

#include "core/memory.h"
#include "core/rng.h"
#include "exchange/npy.h"
#include "image/colours.h"
#include "image/image_write.h"
#include "predict/predict.h"
#include "support/data_files.h"
#include "support/png_files.h"
#include "task/segment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 32, CLASSES = 4, PIXELS = SIDE * SIDE };

static tips_predict_config config_of(const char *pool) {
    return (tips_predict_config){.network = {.arch = "unet",
                                             .width = 8,
                                             .pool = pool,
                                             .padding = TIPS_PAD_CIRCULAR,
                                             .size = {SIDE, SIDE},
                                             .classes = CLASSES,
                                             .channels = 3,
                                             .seed = 5,
                                             .threads = 1},
                                 .keep_scores = true,
                                 .batch = 3};
}

/* Blobs of colour, the same for the same number. */
static void paint(int number, int h, int w, uint8_t *rgb) {
    const tips_rng rng = {77, (uint64_t)number};
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < 3; k++)
                *rgb++ = (uint8_t)(tips__rng_below(rng, (uint64_t)(((y / 5) * 64 + x / 4) * 3 + k), 200) +
                                   tips__rng_below(rng, (uint64_t)(100000 + (y * 256 + x) * 3 + k), 50));
}

static void write_picture(const char *folder, const char *name, int number, int h, int w) {
    uint8_t *rgb = malloc((size_t)h * (size_t)w * 3);
    paint(number, h, w, rgb);
    data_write_rgb(folder, name, rgb, h, w);
    free(rgb);
}

static tips_predict_result predict(const tips_predict_config *config) {
    tips_predict_result r;
    expect_ok(tips__predict_run(config, &r));
    return r;
}

static void classes_of(const tips_predict_result *r, int i, uint8_t *mask) {
    assert_int_equal(r->score_dims[0], CLASSES);
    assert_true(r->score_dims[1] == SIDE && r->score_dims[2] == SIDE);
    tips__segment_classes(r->scores + (size_t)i * CLASSES * PIXELS, CLASSES, PIXELS, mask);
}

/* Where the middle of a pixel of the picture lies on the input, by the real numbers. */
static int on_input(int at, int picture, int resized, int offset) {
    const int to = (int)floor((at + 0.5) * resized / picture) + offset;
    return to >= 0 && to < SIDE ? to : -1;
}

typedef struct placed {
    int h, w, resized[2], offset[2];
} placed;

/* 50x70 becomes 32x44, of which 6 columns are cut off on either side; 20x12 stays, in the middle of black. */
static const placed places[] = {
    {50, 70, {32, 44}, {0, -6}}, {20, 12, {20, 12}, {6, 10}}, {32, 32, {32, 32}, {0, 0}}, {96, 64, {48, 32}, {-8, 0}}};
enum { PLACES = sizeof places / sizeof *places };

static void check_mask(const tips_predict_result *r, int i, const tips_colours *voc) {
    const placed *p = &places[i];
    const tips_prediction *one = &r->predictions[i];
    uint8_t input[PIXELS];
    int64_t counts[256] = {0}, answered = 0;
    tips_image mask, overlay, picture;
    tips_colours palette;
    classes_of(r, i, input);
    expect_ok(tips__image_read_indices(one->mask, &mask, &palette));
    expect_ok(tips__image_read(one->overlay, &overlay));
    expect_ok(tips__image_read(one->name, &picture));
    assert_true(mask.h == p->h && mask.w == p->w && one->size[0] == p->h && one->size[1] == p->w);
    assert_true(overlay.h == p->h && overlay.w == p->w && overlay.c == 3);
    assert_memory_equal(palette.rgb, voc->rgb, sizeof palette.rgb);
    for (int y = 0; y < p->h; y++)
        for (int x = 0; x < p->w; x++) {
            const int at = y * p->w + x, row = on_input(y, p->h, p->resized[0], p->offset[0]);
            const int column = on_input(x, p->w, p->resized[1], p->offset[1]);
            const int want = row < 0 || column < 0 ? 255 : input[row * SIDE + column];
            assert_int_equal(mask.pixels[at], want);
            counts[want]++;
            answered += want < CLASSES;
            for (int k = 0; k < 3; k++) {
                const int plain = picture.pixels[3 * at + k];
                const bool shown = want > 0 && want < CLASSES;
                assert_int_equal(overlay.pixels[3 * at + k], shown ? (plain + voc->rgb[want][k]) / 2 : plain);
            }
        }
    for (int k = 0; k < one->n_classes; k++) {
        const int c = one->classes[k];
        assert_true(counts[c] > 0 && (k == 0 || one->share[k] <= one->share[k - 1]));
        assert_float_equal(one->share[k], 100.0 * (double)counts[c] / (double)answered, 1e-9);
        counts[c] = -counts[c];
    }
    for (int c = 0; c < CLASSES; c++) assert_true(counts[c] <= 0);
    tips__image_free(&mask);
    tips__image_free(&overlay);
    tips__image_free(&picture);
}

static void test_files(void **state) {
    char folder[DATA_PATH], out[DATA_PATH + 16], names[PLACES][DATA_PATH + 32], *files[PLACES];
    tips_predict_config config = config_of("max");
    tips_colours voc;
    int occurred = 0;
    (void)state;
    if (!png_is_read()) skip();
    tips__colours_voc(&voc);
    data_make_folder(folder);
    snprintf(out, sizeof out, "%s/out", folder);
    for (int i = 0; i < PLACES; i++) {
        char name[32];
        snprintf(name, sizeof name, "in-%d/same.ppm", i); /* names that are the same are numbered */
        write_picture(folder, name, i, places[i].h, places[i].w);
        snprintf(names[i], sizeof names[i], "%s/%s", folder, name);
        files[i] = names[i];
    }
    config.files = files, config.n_files = PLACES, config.out = out;
    tips_predict_result r = predict(&config);
    for (int i = 0; i < PLACES; i++) check_mask(&r, i, &voc), occurred += r.predictions[i].n_classes;
    assert_true(occurred > PLACES); /* masks of one class would show nothing */
    assert_non_null(strstr(r.predictions[0].mask, "out/masks/same.png"));
    assert_non_null(strstr(r.predictions[1].mask, "out/masks/same-2.png"));
    tips__predict_free(&r);
    data_remove_folder(folder);
}

/* Arrays of inputs: number i is the picture rolled down by i * dy and to the right by i * dx. */
static void write_rolled(const char *path, int count, int dy, int dx) {
    float *inputs = test_floats((size_t)count * 3 * PIXELS);
    uint8_t rgb[3 * PIXELS];
    paint(9, SIDE, SIDE, rgb);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) {
                    const int from_y = ((y - i * dy) % SIDE + SIDE) % SIDE,
                              from_x = ((x - i * dx) % SIDE + SIDE) % SIDE;
                    inputs[((i * 3 + k) * SIDE + y) * SIDE + x] =
                        (float)((rgb[3 * (from_y * SIDE + from_x) + k] / 255.0 - 0.5) / 0.25);
                }
    expect_ok(tips__npy_write(path, 4, (const int64_t[4]){count, 3, SIDE, SIDE}, inputs));
    free(inputs);
}

enum { FRAMES = 5 };

/* From the scores, pixel by pixel. */
static double recount(const tips_predict_result *r, int step, int dy, int dx, int64_t *pixels, int *changed_at,
                      int *compared_at) {
    uint8_t before[PIXELS], now[PIXELS];
    int changed = 0;
    *pixels = 0;
    classes_of(r, r->count - r->frames + step, before);
    classes_of(r, r->count - r->frames + step + 1, now);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            if (y - dy < 0 || y - dy >= SIDE || x - dx < 0 || x - dx >= SIDE) continue;
            const bool other = before[(y - dy) * SIDE + x - dx] != now[y * SIDE + x];
            ++*pixels;
            changed += other;
            changed_at[y * SIDE + x] += other;
            compared_at[y * SIDE + x]++;
        }
    return 100.0 * changed / (double)*pixels;
}

static void check_map(const char *path, const int *changed, const int *compared) {
    tips_image map;
    tips_colours palette;
    expect_ok(tips__image_read_indices(path, &map, &palette));
    assert_true(map.h == SIDE && map.w == SIDE && palette.count > 100);
    for (int i = 0; i < PIXELS; i++)
        assert_int_equal(map.pixels[i], compared[i] ? (int)floor(100.0 * changed[i] / compared[i] + 0.5) : 0);
    tips__image_free(&map);
}

static double flicker_of(const char *folder, const char *pool, const char *motion, int dy, int dx) {
    tips_predict_config config = config_of(pool);
    char out[DATA_PATH + 16], frames[DATA_PATH + 16];
    int changed[PIXELS] = {0}, compared[PIXELS] = {0};
    double sum = 0;
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(frames, sizeof frames, "%s/frames", folder);
    config.sequence = frames;
    config.motion = motion;
    config.out = png_is_read() ? out : NULL;
    tips_predict_result r = predict(&config);
    assert_true(r.frames == FRAMES && r.n_steps == FRAMES - 1);
    for (int i = 0; i < r.n_steps; i++) {
        int64_t pixels;
        const double want = recount(&r, i, dy, dx, &pixels, changed, compared);
        assert_true(r.steps[i].motion[0] == dy && r.steps[i].motion[1] == dx && r.steps[i].pixels == pixels);
        assert_float_equal(r.steps[i].changed, want, 1e-9);
        sum += want;
    }
    assert_float_equal(r.flicker, sum / r.n_steps, 1e-9);
    if (r.flicker_map) check_map(r.flicker_map, changed, compared);
    const double flicker = r.flicker;
    tips__predict_free(&r);
    return flicker;
}

/* With an exact operator the mask of a picture that goes round is the mask, gone round: nothing flickers once the
 * motion is undone, and much does if it is not. max is the control. */
static void test_flicker(void **state) {
    char folder[DATA_PATH], path[DATA_PATH + 32], motion[DATA_PATH + 32];
    (void)state;
    data_make_folder(folder);
    data_write_text(folder, "frames/.hidden", "no frame");
    snprintf(path, sizeof path, "%s/frames/rolled.npy", folder);
    write_rolled(path, FRAMES, 1, -3);
    data_write_text(folder, "motion.csv", "# down, right\n1,-3\n\n 1 ; -3\r\n1\t-3\n1, -3");
    snprintf(motion, sizeof motion, "%s/motion.csv", folder);
    assert_float_equal(flicker_of(folder, "tips-exact", "1,-3", 1, -3), 0, 0);
    assert_float_equal(flicker_of(folder, "tips-exact", motion, 1, -3), 0, 0);
    assert_true(flicker_of(folder, "tips-exact", NULL, 0, 0) > 5);
    assert_true(flicker_of(folder, "max", "1,-3", 1, -3) > 1);
    data_remove_folder(folder);
}

static void expect_refusal(const char *folder, const char *lines, const char *why) {
    tips_predict_config config = config_of("max");
    char frames[DATA_PATH + 16], motion[DATA_PATH + 16];
    tips_predict_result r;
    data_write_text(folder, "motion.csv", lines);
    snprintf(frames, sizeof frames, "%s/frames", folder);
    snprintf(motion, sizeof motion, "%s/motion.csv", folder);
    config.sequence = frames;
    config.motion = motion;
    assert_int_not_equal(tips__predict_run(&config, &r), TIPS_OK);
    if (!strstr(tips_last_error(), why)) fail_msg("'%s' does not say '%s'", tips_last_error(), why);
}

static void test_refusals(void **state) {
    char folder[DATA_PATH], path[DATA_PATH + 32];
    (void)state;
    data_make_folder(folder);
    data_write_text(folder, "frames/.hidden", "no frame");
    snprintf(path, sizeof path, "%s/frames/rolled.npy", folder);
    write_rolled(path, 3, 1, 1);
    expect_refusal(folder, "1,1\n", "has 1 lines, and the sequence more steps");
    expect_refusal(folder, "1,1\n1,1\n1,1\n", "has 3 lines for a sequence of 2 steps");
    expect_refusal(folder, "1,1\n1.5,1\n", "motion.csv:2: '1.5,1' is not a motion");
    expect_refusal(folder, "1,1\n1,1,1\n", "motion.csv:2");
    expect_refusal(folder, "1,1\n99999,1\n", "motion.csv:2");
    expect_refusal(folder, "# nothing\n", "has no lines DY,DX");
    write_picture(folder, "frames/small.ppm", 1, 16, 16);
    expect_refusal(folder, "1,1\n1,1\n1,1\n", "small.ppm: is 16x16, and the frame before it 32x32");
    data_remove_folder(folder);
}

/* Every shift within an eighth, one input at a time. */
static void test_stability(void **state) {
    enum { MOST = SIDE / 8, SHIFTS = (2 * MOST + 1) * (2 * MOST + 1) - 1 };
    char folder[DATA_PATH], path[DATA_PATH + 32], *files[] = {path};
    tips_predict_config config = config_of("max");
    float *inputs = test_floats((size_t)(SHIFTS + 1) * 3 * PIXELS);
    tips_npy base;
    double sum = 0;
    int n = 0;
    (void)state;
    data_make_folder(folder);
    snprintf(path, sizeof path, "%s/one.npy", folder);
    write_rolled(path, 1, 0, 0);
    config.files = files, config.n_files = 1, config.stability = true, config.stability_shifts = 1000;
    tips_predict_result one = predict(&config);
    assert_int_equal(one.shifts, SHIFTS);
    config.stability_shifts = 7;
    tips_predict_result few = predict(&config), again = predict(&config);
    assert_true(few.shifts == 7 && few.predictions[0].stability == again.predictions[0].stability);
    expect_ok(tips__npy_read(path, &base));
    for (int dy = -MOST; dy <= MOST; dy++)
        for (int dx = -MOST; dx <= MOST; dx++) {
            float *to = inputs + (size_t)(n++) * 3 * PIXELS;
            for (int k = 0; k < 3; k++)
                for (int y = 0; y < SIDE; y++)
                    for (int x = 0; x < SIDE; x++, to++) {
                        const int fy = y - dy, fx = x - dx;
                        const bool is_in = fy >= 0 && fy < SIDE && fx >= 0 && fx < SIDE;
                        *to = is_in ? base.data[(k * SIDE + fy) * SIDE + fx] : -2; /* black: (0 - 0.5) / 0.25 */
                    }
        }
    tips__npy_free(&base);
    expect_ok(tips__npy_write(path, 4, (const int64_t[4]){n, 3, SIDE, SIDE}, inputs));
    config.stability = false;
    tips_predict_result all = predict(&config);
    uint8_t unmoved[PIXELS], moved[PIXELS];
    classes_of(&one, 0, unmoved);
    n = 0;
    for (int dy = -MOST; dy <= MOST; dy++)
        for (int dx = -MOST; dx <= MOST; dx++) {
            int same = 0, common = 0;
            classes_of(&all, n++, moved);
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) {
                    if (y + dy < 0 || y + dy >= SIDE || x + dx < 0 || x + dx >= SIDE) continue;
                    common++;
                    same += unmoved[y * SIDE + x] == moved[(y + dy) * SIDE + x + dx];
                }
            if (dy || dx) sum += (double)same / common;
        }
    assert_float_equal(one.predictions[0].stability, 100 * sum / SHIFTS, 1e-9);
    assert_true(one.predictions[0].stability < 100);
    tips__predict_free(&one);
    tips__predict_free(&few);
    tips__predict_free(&again);
    tips__predict_free(&all);
    free(inputs);
    data_remove_folder(folder);
}

static void test_out_of_memory(void **state) {
    char folder[DATA_PATH], frames[DATA_PATH + 16], out[DATA_PATH + 16], path[DATA_PATH + 32], *files[] = {path};
    tips_predict_config config = config_of("stride");
    tips_predict_result r;
    tips_status status = TIPS_MEMORY;
    (void)state;
    data_make_folder(folder);
    data_write_text(folder, "frames/.hidden", "no frame");
    snprintf(frames, sizeof frames, "%s/frames", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(path, sizeof path, "%s/frames/rolled.npy", folder);
    write_rolled(path, 2, 1, 1);
    config.files = files, config.n_files = 1, config.sequence = frames;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files), cmocka_unit_test(test_flicker),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_stability),
                                       cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
