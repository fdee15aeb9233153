/* Images from files: every format gives the pixels that were written, and no broken file does harm.
 * tests/images holds 8x6 images whose value at (y, x) of channel k is 20 + 10 x + 15 y + 30 k. */
#include "image/image_read.h"
#include "image/preprocess.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { W = 8, H = 6, MOST_BYTES = 4096 };

/* deep.png has 16 bits, a gamma and an uneven transparency, none of which changes the values. */
static const char *const files[] = {"colour.png", "colour.jpg", "colour.ppm",    "grey.png",
                                    "grey.jpg",   "grey.pgm",   "alpha.png",     "palette.png",
                                    "cmyk.jpg",   "deep.png",   "grey-deep.png", "progressive.jpg"};
enum { FILES = sizeof files / sizeof files[0] };

static void path_of(const char *name, char out[512]) {
    const char *source = getenv("SOURCE_DIR");
    snprintf(out, 512, "%s/tests/images/%s", source ? source : ".", name);
}

static void test_pixels(void **state) {
    (void)state;
    for (int f = 0; f < FILES; f++) {
        char path[512];
        tips_image image;
        path_of(files[f], path);
        const tips_status status = tips__image_read(path, &image);
        if (status == TIPS_UNSUPPORTED) continue;
        if (status != TIPS_OK) fail_msg("%s", tips_last_error());
        const bool is_grey = strncmp(files[f], "grey", 4) == 0, is_lossy = strstr(files[f], ".jpg");
        assert_int_equal(image.h, H);
        assert_int_equal(image.w, W);
        assert_int_equal(image.c, is_grey ? 1 : 3);
        for (int i = 0; i < H * W * image.c; i++) {
            const int k = i % image.c, x = i / image.c % W, y = i / image.c / W;
            assert_true(abs(image.pixels[i] - (20 + 10 * x + 15 * y + 30 * k)) <= (is_lossy ? 6 : 0));
        }
        tips__image_free(&image);
    }
}

static void test_preprocess(void **state) {
    const tips_preprocess whole = {.height = H, .width = W, .channels = 3, .std = {1, 1, 1}};
    const tips_preprocess grey = {.height = 3, .width = 3, .channels = 1, .mean = {0.25f}, .std = {0.5f}};
    char path[512];
    tips_image image;
    float out[3 * H * W];
    (void)state;
    path_of("colour.ppm", path);
    assert_int_equal(tips__image_read(path, &image), TIPS_OK);
    assert_int_equal(tips__preprocess(&whole, &image, 0, 0, false, out), TIPS_OK); /* nothing to resample */
    for (int i = 0; i < 3 * H * W; i++) {
        const int x = i % W, y = i / W % H, k = i / W / H;
        assert_float_equal(out[i], (20 + 10 * x + 15 * y + 30 * k) / 255.0, 1e-6);
    }
    assert_int_equal(tips__preprocess(&grey, &image, 0, 0, false, out), TIPS_OK); /* 3x4, the last column cut */
    assert_float_equal(out[4], ((20 + 10 * 2.5 + 15 * 2.5 + 30 * (0.587 + 2 * 0.114)) / 255 - 0.25) / 0.5, 2.0 / 255);
    tips__image_free(&image);
}

static size_t load(const char *name, unsigned char *bytes) {
    char path[512];
    path_of(name, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    return size;
}

static tips_status read_bytes(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    tips_image image;
    const tips_status status = tips__image_read(path, &image);
    if (status == TIPS_OK) tips__image_free(&image);
    else assert_non_null(strstr(tips_last_error(), path));
    return status;
}

/* Every file cut at every length is refused (but for bytes after the last pixel), and any flipped byte is survived. */
static void test_broken_files(void **state) {
    char path[] = "/tmp/tips-test-XXXXXX";
    unsigned char bytes[MOST_BYTES];
    (void)state;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (int f = 0; f < FILES; f++) {
        const size_t size = load(files[f], bytes);
        for (size_t cut = 0; cut + 16 < size; cut++) assert_true(read_bytes(path, bytes, cut) != TIPS_OK);
        for (size_t at = 0; at < size; at++) {
            bytes[at] ^= 0xff;
            (void)!read_bytes(path, bytes, size);
            bytes[at] ^= 0xff;
        }
    }
    remove(path);
}

static void test_refusals(void **state) {
    static const char *const texts[] = {"",
                                        "P",
                                        "P6",
                                        "P6\n",
                                        "P6 0 5 255\n",
                                        "P6 4 4 0\n",
                                        "P6 4 4 256\n",
                                        "P5 99999 99999 255\n",
                                        "P6 4 4 255\nabc",
                                        "P5 12345678901234567890 1 255\n",
                                        "GIF89a",
                                        "P6#"};
    char path[] = "/tmp/tips-test-XXXXXX";
    tips_image image;
    (void)state;
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_int_equal(read_bytes(path, (const unsigned char *)texts[i], strlen(texts[i])), TIPS_FORMAT);
    remove(path);
    assert_int_equal(tips__image_read(path, &image), TIPS_IO);
    assert_int_equal(tips__image_read("/", &image), TIPS_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels),
        cmocka_unit_test(test_preprocess),
        cmocka_unit_test(test_broken_files),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
