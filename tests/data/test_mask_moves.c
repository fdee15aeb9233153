/* Masks go where the pixels of their pictures go: pictures whose pixels say what their masks hold, through every
 * augmentation and size of input. */
#include "support/compare.h"
#include "support/data_files.h"

#include "data/loader.h"
#include "data/loader_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PICTURES = 9, CLASSES = 4, BLOCK = 16 };

static char folder[DATA_PATH];
static tips_dataset *set;

/* Blocks of one value each, wider than the filters of the resizing reach. */
static int value_at(int number, int y, int x) { return (number + y / BLOCK * 3 + x / BLOCK * 5) % (CLASSES + 1); }

/* The picture shows value v as 40 v + 20; black is nothing. */
static int shown(int value) { return 40 * value + 20; }

static void write_pair(int number, int h, int w) {
    char name[64], head[32];
    data_bytes picture = {0}, mask = {0};
    data_put(&picture, head, (size_t)snprintf(head, sizeof head, "P5 %d %d 255\n", w, h));
    data_put(&mask, head, strlen(head));
    for (int i = 0; i < h * w; i++) {
        const int value = value_at(number, i / w, i % w);
        data_put(&picture, &(uint8_t){(uint8_t)shown(value)}, 1);
        data_put(&mask, &(uint8_t){(uint8_t)value}, 1);
    }
    snprintf(name, sizeof name, "images/%d.pgm", number);
    data_write(folder, name, &picture);
    snprintf(name, sizeof name, "masks/%d.pgm", number);
    data_write(folder, name, &mask);
    data_free(&picture);
    data_free(&mask);
}

static int set_up(void **state) {
    static const int sizes[][2] = {{64, 64}, {48, 80}, {100, 70}};
    char spec[2 * DATA_PATH];
    (void)state;
    data_make_folder(folder);
    for (int i = 0; i < PICTURES; i++) write_pair(i, sizes[i % 3][0], sizes[i % 3][1]);
    snprintf(spec, sizeof spec, "masks:%s", folder);
    expect_ok(tips__dataset_open(spec, &(tips_dataset_options){.whole = true}, &set));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    tips__dataset_close(set);
    data_remove_folder(folder);
    return 0;
}

/* The move, then the mask. */
static tips_status make(const void *context, const tips_annotation *annotation, const tips_move *move,
                        tips_bytes *target) {
    const size_t pixels = (size_t)move->input[0] * (size_t)move->input[1];
    const tips_status status = tips__bytes_resize(target, sizeof *move + pixels);
    (void)context;
    if (status != TIPS_OK) return status;
    memcpy(target->data, move, sizeof *move);
    tips__move_mask(move, &annotation->mask, target->data + sizeof *move);
    return TIPS_OK;
}

/* What was found in all samples of a way. */
typedef struct findings {
    int samples, exact, blended, nothing, smallest, largest;
} findings;

/* Blends of two blocks are allowed where the filter reaches over an edge of the picture's blocks. */
static bool is_near_an_edge(const tips_move *move, int axis, int at) {
    const int reach = (int)ceil(fmax(1, 1 / tips__move_scale(move, axis))) + 1;
    const int place = tips__move_source(move, axis, at) % BLOCK;
    return place < reach || place >= BLOCK - reach;
}

static void expect_together(const float *image, const tips_bytes *target, findings *f) {
    tips_move move;
    memcpy(&move, target->data, sizeof move);
    const uint8_t *mask = target->data + sizeof move;
    const bool is_resized = memcmp(move.picture, move.resized, sizeof move.picture) != 0;
    for (int i = 0; i < move.input[0] * move.input[1]; i++) {
        const int byte = (int)lround(image[i] * 255.0), y = i / move.input[1], x = i % move.input[1];
        if ((byte == 0) != (mask[i] == TIPS_MASK_IGNORE)) fail_case("black and ignored differ at %d, %d", y, x);
        if (byte == 0) f->nothing++;
        else if (byte == shown(mask[i])) f->exact++;
        else if (is_resized && (is_near_an_edge(&move, 0, y) || is_near_an_edge(&move, 1, x))) f->blended++;
        else fail_case("%d for class %d at %d, %d", byte, mask[i], y, x);
    }
    const int size = move.resized[0];
    f->smallest = f->samples == 0 || size < f->smallest ? size : f->smallest;
    f->largest = size > f->largest ? size : f->largest;
    f->samples++;
}

static findings load(const tips_preprocess *p, tips_augment augment) {
    const tips_loader_config config = {.set = set,
                                       .split = TIPS_SPLIT_TEST,
                                       .preprocess = *p,
                                       .augment = augment,
                                       .maker = {.needs = TIPS_ANNOTATES_MASK, .make = make},
                                       .batch = 4,
                                       .views = 3,
                                       .shuffle = true,
                                       .seed = 5,
                                       .workers = 2};
    const size_t pixels = (size_t)p->height * (size_t)p->width;
    findings f = {0};
    tips_loader *loader;
    tips_batch batch;
    expect_ok(tips__loader_create(&config, &loader));
    expect_ok(tips__loader_start(loader, 1, 0));
    for (;;) {
        expect_ok(tips__loader_next(loader, &batch));
        for (int i = 0; i < batch.n; i++) expect_together(batch.images + (size_t)i * pixels, &batch.targets[i], &f);
        if (batch.n == 0) break;
    }
    tips__loader_destroy(loader);
    assert_int_equal(f.samples, 3 * PICTURES);
    return f;
}

static const tips_augment augments[] = {{0},
                                        {.flip = true},
                                        {.crop = 9},
                                        {.shift = TIPS_SHIFT_STANDARD},
                                        {.shift = TIPS_SHIFT_CIRCULAR},
                                        {.scale = 2},
                                        {.flip = true, .crop = 5, .shift = TIPS_SHIFT_BOTH},
                                        {.flip = true, .crop = 5, .shift = TIPS_SHIFT_BOTH, .scale = 1.5}};

static void test_together(void **state) {
    static const tips_preprocess ways[] = {
        {.height = 64, .width = 64, .channels = 1, .std = {1}}, /* resized until it fits, cropped */
        {.height = 56, .width = 96, .channels = 1, .std = {1}},
        {.height = 110, .width = 96, .channels = 1, .fit_inside = true, .std = {1}}, /* on black */
        {.height = 64, .width = 72, .channels = 1, .resize = 80, .std = {1}},        /* larger, then cropped */
        {.height = 80, .width = 72, .channels = 1, .resize = 48, .std = {1}},        /* smaller, then padded */
    };
    (void)state;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (size_t a = 0; a < sizeof augments / sizeof augments[0]; a++) {
            test_case("%dx%d, augmentation %zu", ways[w].height, ways[w].width, a);
            const findings f = load(&ways[w], augments[a]);
            assert_true(f.exact > 4 * f.blended);
            if (augments[a].scale > 0) assert_true(f.largest * 2 > f.smallest * 3 && f.nothing > 0);
            else if (augments[a].crop > 0 || ways[w].resize == 48) assert_true(f.nothing > 0);
        }
}

/* Where nothing is resized, every pixel agrees. */
static void test_exactly(void **state) {
    const tips_preprocess whole = {.height = 110, .width = 96, .channels = 1, .fit_inside = true, .std = {1}};
    (void)state;
    for (size_t a = 0; a < sizeof augments / sizeof augments[0]; a++) {
        const findings f = load(&whole, augments[a]);
        test_case("augmentation %zu", a);
        if (augments[a].scale == 0) assert_int_equal(f.blended, 0);
        assert_true(f.exact > 0);
    }
}

/* Factors from 1/scale to scale, all over the input, and the same again by the same numbers. */
static void test_scale(void **state) {
    const int size[2] = {64, 64};
    tips_loader_config config = {
        .preprocess = {.height = 64, .width = 48, .channels = 1, .std = {1}}, .augment = {.scale = 2}, .seed = 1};
    int smaller = 0, least = 1000, most = 0, left = 0, right = 0;
    (void)state;
    for (int i = 0; i < 400; i++) {
        tips_move move = tips__preprocess_move(&config.preprocess, size), again = move;
        tips__loader_draw(&config, 3, i, 0, &move);
        tips__loader_draw(&config, 3, i, 0, &again);
        assert_memory_equal(&move, &again, sizeof move);
        assert_int_equal(move.resized[0], move.resized[1]);
        assert_true(move.resized[0] >= 32 && move.resized[0] <= 128);
        for (int k = 0; k < 2; k++) {
            const int room = move.input[k] - move.resized[k];
            assert_true(room < 0 ? move.offset[k] <= 0 && move.offset[k] >= room
                                 : move.offset[k] >= 0 && move.offset[k] <= room);
        }
        smaller += move.resized[0] < 64;
        least = move.resized[0] < least ? move.resized[0] : least;
        most = move.resized[0] > most ? move.resized[0] : most;
        left += move.offset[1] == 0;
        right += move.input[1] == move.resized[1] + move.offset[1];
    }
    assert_true(least <= 34 && most >= 126 && smaller > 90 && smaller < 180); /* a third is below 1 */
    assert_true(left > 0 && right > 0);
    config.augment.scale = 1;
    tips_move move = tips__preprocess_move(&config.preprocess, size), plain = move;
    tips__loader_draw(&config, 3, 0, 0, &move);
    assert_memory_equal(&move, &plain, sizeof move);
}

static void test_refused(void **state) {
    tips_loader_config config = {.set = set,
                                 .split = TIPS_SPLIT_TEST,
                                 .batch = 1,
                                 .preprocess = {.height = 8, .width = 8, .channels = 1, .std = {1}}};
    tips_loader *loader;
    (void)state;
    config.augment.scale = -1;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_RANGE);
    config.augment.scale = NAN;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_RANGE);
    config.augment.scale = 100;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_together), cmocka_unit_test(test_exactly),
                                       cmocka_unit_test(test_scale), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
