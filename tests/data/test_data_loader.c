/* From pictures to batches: resizing as Pillow does it, the canvas, shifts, and a loader whose
 * batches do not depend on its threads or on where an epoch is resumed. */
#include "support/class_maker.h"
#include "support/compare.h"
#include "support/resize_golden.h"

#include "core/sha256.h"
#include "data/loader.h"
#include "image/resize.h"

#include <stdlib.h>
#include <string.h>

static tips_image make_picture(int h, int w, int c) {
    tips_image picture;
    uint32_t random = 12345;
    assert_int_equal(tips__image_allocate("a test", w, h, c, &picture), TIPS_OK);
    for (int i = 0; i < h * w * c; i++) {
        random = (random * 1103515245u + 12345u) & 0x7fffffffu;
        picture.pixels[i] = (uint8_t)(random >> 16);
    }
    return picture;
}

static void expect_sum(const uint8_t *bytes, size_t size, const char *wanted) {
    tips_sha256 sum;
    char text[TIPS_SHA256_TEXT];
    tips__sha256_start(&sum);
    tips__sha256_add(&sum, bytes, size);
    tips__sha256_finish(&sum, text);
    assert_string_equal(text, wanted);
}

static void test_sha256(void **state) {
    (void)state;
    expect_sum((const uint8_t *)"", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_sum((const uint8_t *)"abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_sum((const uint8_t *)"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_resize(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof resize_golden / sizeof resize_golden[0]; i++) {
        tips_image picture = make_picture(resize_golden[i].h, resize_golden[i].w, resize_golden[i].c), out;
        assert_int_equal(tips__resize(&picture, resize_golden[i].height, resize_golden[i].width, &out), TIPS_OK);
        expect_sum(out.pixels, (size_t)out.h * (size_t)out.w * (size_t)out.c, resize_golden[i].sha256);
        tips__image_free(&out);
        tips__image_free(&picture);
    }
    tips_image picture = make_picture(9, 7, 1), out;
    assert_int_equal(tips__resize(&picture, 3, 4, &out), TIPS_OK);
    assert_memory_equal(out.pixels, small_golden, sizeof small_golden);
    tips__image_free(&out);
    tips__image_free(&picture);
}

static void test_canvas(void **state) {
    uint8_t canvas[224 * 224 * 3];
    (void)state;
    for (size_t i = 0; i < sizeof crop_golden / sizeof crop_golden[0]; i++) {
        const int crop = crop_golden[i].crop;
        const tips_preprocess p = {
            .height = crop, .width = crop, .channels = 3, .resize = crop_golden[i].side, .std = {1, 1, 1}};
        tips_image picture = make_picture(crop_golden[i].h, crop_golden[i].w, 3);
        assert_int_equal(tips__preprocess_canvas(&p, &picture, canvas), TIPS_OK);
        expect_sum(canvas, 3 * (size_t)crop * (size_t)crop, crop_golden[i].sha256);
        tips__image_free(&picture);
    }
    const tips_preprocess grey = {.height = 4, .width = 3, .channels = 1, .std = {1}};
    tips_image picture = make_picture(4, 3, 3);
    assert_int_equal(tips__preprocess_canvas(&grey, &picture, canvas), TIPS_OK);
    assert_memory_equal(canvas, grey_golden, sizeof grey_golden);
    tips__image_free(&picture);
}

/* 28 on 32: as it is, in the middle, on black. */
static void test_fit_inside(void **state) {
    const tips_preprocess p = {.height = 32, .width = 32, .channels = 3, .fit_inside = true, .std = {1, 1, 1}};
    uint8_t canvas[32 * 32 * 3];
    tips_image picture = make_picture(28, 28, 1);
    (void)state;
    assert_int_equal(tips__preprocess_canvas(&p, &picture, canvas), TIPS_OK);
    for (int i = 0; i < 32 * 32 * 3; i++) {
        const int y = i / 96 - 2, x = i / 3 % 32 - 2;
        const bool inside = y >= 0 && y < 28 && x >= 0 && x < 28;
        assert_int_equal(canvas[i], inside ? picture.pixels[y * 28 + x] : 0);
    }
    tips__image_free(&picture);
    picture = make_picture(64, 128, 3); /* larger ones are reduced and cropped */
    assert_int_equal(tips__preprocess_canvas(&p, &picture, canvas), TIPS_OK);
    tips__image_free(&picture);
}

static void test_shift(void **state) {
    const tips_preprocess p = {.height = 5, .width = 7, .channels = 3, .mean = {0.5f, 0.25f, 0}, .std = {0.5f, 2, 1}};
    tips_image picture = make_picture(5, 7, 3);
    float plain[105], moved[105];
    (void)state;
    assert_int_equal(tips__preprocess(&p, &picture, 0, 0, false, plain), TIPS_OK);
    assert_float_equal(plain[0], (picture.pixels[0] / 255.0 - 0.5) / 0.5, 1e-6);
    for (int dy = -6; dy <= 6; dy++)
        for (int dx = -8; dx <= 8; dx++)
            for (int circular = 0; circular < 2; circular++) {
                assert_int_equal(tips__preprocess(&p, &picture, dy, dx, circular, moved), TIPS_OK);
                for (int i = 0; i < 105; i++) {
                    const int k = i / 35, y = i / 7 % 5 - dy, x = i % 7 - dx;
                    const int from = k * 35 + (y + 10) % 5 * 7 + (x + 14) % 7;
                    const bool inside = y >= 0 && y < 5 && x >= 0 && x < 7;
                    assert_true(moved[i] == (circular || inside ? plain[from] : -p.mean[k] / p.std[k]));
                }
            }
    tips__image_free(&picture);
}

static tips_dataset *open_shapes(const char *spec) {
    tips_dataset *set = NULL;
    if (tips__dataset_open(spec, NULL, &set) != TIPS_OK) fail_msg("%s", tips_last_error());
    return set;
}

enum { SIZE = 16, PICTURES = 45, BATCH = 8, PIXELS = 3 * SIZE * SIZE };

/* All batches of one epoch, one after the other. */
typedef struct epoch {
    float images[PICTURES * PIXELS];
    int32_t labels[PICTURES];
    int count, batches;
} epoch;

static tips_loader_config loader_of(tips_dataset *set, int workers) {
    return (tips_loader_config){.set = set,
                                .split = TIPS_SPLIT_TRAIN,
                                .maker = test_class_target,
                                .batch = BATCH,
                                .shuffle = true,
                                .seed = 5,
                                .workers = workers,
                                .augment = {.flip = true, .crop = 2, .shift = TIPS_SHIFT_BOTH},
                                .preprocess = {.height = SIZE, .width = SIZE, .channels = 3, .std = {1, 1, 1}}};
}

static void take_epoch(tips_loader *loader, int number, int first_batch, epoch *out) {
    tips_batch batch;
    out->count = out->batches = 0;
    assert_int_equal(tips__loader_start(loader, number, first_batch), TIPS_OK);
    for (;;) {
        expect_ok(tips__loader_next(loader, &batch));
        if (batch.n == 0) break;
        assert_true(out->count + batch.n <= PICTURES);
        memcpy(out->images + (ptrdiff_t)out->count * PIXELS, batch.images, (size_t)batch.n * PIXELS * sizeof(float));
        for (int i = 0; i < batch.n; i++) out->labels[out->count + i] = test_class_of(&batch.targets[i]);
        out->count += batch.n;
        out->batches++;
    }
}

static void expect_same(const epoch *a, int from, const epoch *b) {
    assert_int_equal(a->count - from, b->count);
    assert_memory_equal(a->images + (ptrdiff_t)from * PIXELS, b->images, (size_t)b->count * PIXELS * sizeof(float));
    assert_memory_equal(a->labels + from, b->labels, (size_t)b->count * sizeof(int32_t));
}

static void test_loader(void **state) {
    epoch *wanted = malloc(sizeof *wanted), *got = malloc(sizeof *got);
    tips_dataset *set = open_shapes("shapes:train=50,size=20,test=5");
    tips_loader *loader;
    (void)state;
    tips_loader_config config = loader_of(set, 1);
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_OK);
    assert_int_equal(tips__loader_batches(loader), 6);
    take_epoch(loader, 3, 0, wanted);
    assert_int_equal(wanted->count, PICTURES);
    assert_int_equal(wanted->batches, 6);
    take_epoch(loader, 4, 0, got);
    assert_memory_not_equal(wanted->images, got->images, sizeof got->images);
    tips__loader_destroy(loader);
    for (int workers = 1; workers <= 5; workers += 2) {
        config = loader_of(set, workers);
        assert_int_equal(tips__loader_create(&config, &loader), TIPS_OK);
        for (int first = 5; first >= 0; first--) {
            take_epoch(loader, 3, first, got);
            expect_same(wanted, first * BATCH, got);
        }
        tips_batch batch;
        assert_int_equal(tips__loader_start(loader, 3, 0), TIPS_OK); /* left in the middle, and started again */
        assert_int_equal(tips__loader_next(loader, &batch), TIPS_OK);
        take_epoch(loader, 3, 0, got);
        expect_same(wanted, 0, got);
        assert_true(tips__loader_stall(loader) >= 0);
        tips__loader_destroy(loader);
    }
    tips__dataset_close(set);
    free(wanted);
    free(got);
}

static void test_loader_refusals(void **state) {
    tips_dataset *set = open_shapes("shapes:train=50,test=0");
    tips_loader *loader = NULL;
    (void)state;
    tips_loader_config config = loader_of(set, 1);
    config.split = TIPS_SPLIT_TEST;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_INVALID);
    config = loader_of(set, 1);
    config.preprocess.channels = 2;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_RANGE);
    config = loader_of(set, 1);
    config.batch = 46;
    config.drop_last = true;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_INVALID);
    config.batch = 45;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_OK);
    assert_int_equal(tips__loader_start(loader, 0, 2), TIPS_RANGE);
    tips__loader_destroy(loader);
    config = loader_of(set, 1);
    config.preprocess.std[1] = 0;
    assert_int_equal(tips__loader_create(&config, &loader), TIPS_OK);
    tips_batch batch;
    assert_int_equal(tips__loader_start(loader, 0, 0), TIPS_OK);
    assert_int_equal(tips__loader_next(loader, &batch), TIPS_RANGE);
    tips__loader_destroy(loader);
    tips__dataset_close(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256),          cmocka_unit_test(test_resize), cmocka_unit_test(test_canvas),
        cmocka_unit_test(test_fit_inside),      cmocka_unit_test(test_shift),  cmocka_unit_test(test_loader),
        cmocka_unit_test(test_loader_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
