/* Pictures whose pixels are numbers: read as they were written, in however few bits, written with a palette, and no
 * broken file does harm. Then the polygons that such pictures are drawn from. */
#include "image/colours.h"
#include "image/image_read.h"
#include "image/image_write.h"
#include "image/overlay.h"
#include "image/polygon.h"
#include "support/compare.h"
#include "support/png_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { H = 5, W = 11 };

static char folder[DATA_PATH], path[2 * DATA_PATH];

static int set_up(void **state) {
    (void)state;
    data_make_folder(folder);
    snprintf(path, sizeof path, "%s/mask.png", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    data_remove_folder(folder);
    return 0;
}

static void make_numbers(int bits, uint8_t *numbers) {
    const int count = bits >= 8 ? 256 : 1 << bits;
    for (int i = 0; i < H * W; i++) numbers[i] = (uint8_t)((i * 37 + i / W) % count);
}

static void test_numbers(void **state) {
    static const uint8_t palette[5 * 3] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    (void)state;
    for (int type = PNG_GREY; type <= PNG_PALETTE; type += PNG_PALETTE)
        for (int bits = 1; bits <= 8; bits *= 2) {
            const png_kind kind = {type, bits, palette, type == PNG_PALETTE ? bits == 1 ? 2 : bits == 2 ? 4 : 5 : 0};
            uint8_t numbers[H * W];
            tips_image image;
            tips_colours colours;
            test_case("type %d of %d bits", type, bits);
            make_numbers(bits, numbers); /* some are beyond the palette */
            png_write(folder, "mask.png", kind, H, W, numbers);
            expect_ok(tips__image_read_indices(path, &image, &colours));
            assert_true(image.h == H && image.w == W && image.c == 1);
            assert_memory_equal(image.pixels, numbers, sizeof numbers);
            assert_int_equal(colours.count, kind.colours);
            assert_memory_equal(colours.rgb, palette, 3 * (size_t)kind.colours);
            tips__image_free(&image);
        }
}

static void test_other_kinds(void **state) {
    uint8_t numbers[3 * H * W];
    tips_image image;
    tips_colours colours;
    (void)state;
    for (int i = 0; i < 3 * H * W; i++) numbers[i] = (uint8_t)i;
    png_write(folder, "mask.png", (png_kind){PNG_COLOUR, 8, NULL, 0}, H, W, numbers);
    expect_ok(tips__image_read_indices(path, &image, &colours));
    assert_true(image.c == 3 && colours.count == 0);
    assert_memory_equal(image.pixels, numbers, sizeof numbers);
    tips__image_free(&image);
    png_write(folder, "mask.png", (png_kind){PNG_GREY, 16, NULL, 0}, H, W, numbers);
    assert_int_equal(tips__image_read_indices(path, &image, &colours), TIPS_FORMAT);
    assert_non_null(strstr(tips_last_error(), "mask.png: numbers of 16 bits"));
    data_write_picture(folder, "mask.png", H, W, 3, 4, 5); /* a PPM, whatever its name */
    expect_ok(tips__image_read_indices(path, &image, &colours));
    assert_true(image.c == 3 && image.pixels[0] == 3);
    tips__image_free(&image);
}

static void test_written(void **state) {
    uint8_t numbers[H * W];
    tips_colours palette, colours;
    const tips_image mask = {H, W, 1, numbers};
    tips_image image;
    (void)state;
    make_numbers(8, numbers);
    numbers[3] = 255;
    tips__colours_voc(&palette);
    expect_ok(tips__image_write_palette_png(path, &mask, &palette));
    expect_ok(tips__image_read_indices(path, &image, &colours));
    assert_memory_equal(image.pixels, numbers, sizeof numbers);
    assert_int_equal(colours.count, TIPS_COLOURS);
    assert_memory_equal(colours.rgb, palette.rgb, sizeof palette.rgb);
    tips__image_free(&image);
    expect_ok(tips__image_read(path, &image)); /* as colours */
    for (int i = 0; i < H * W; i++) assert_memory_equal(image.pixels + 3 * i, palette.rgb[numbers[i]], 3);
    tips__image_free(&image);
    memset(numbers, 1, sizeof numbers); /* few numbers are written in 8 bits too */
    expect_ok(tips__image_write_palette_png(path, &mask, &palette));
    FILE *file = fopen(path, "rb");
    uint8_t start[26] = {0};
    assert_int_equal(fread(start, 1, sizeof start, file), sizeof start);
    fclose(file);
    assert_true(start[24] == 8 && start[25] == PNG_PALETTE);
}

/* Values of VOC's own masks. */
static void test_voc_colours(void **state) {
    static const int known[][4] = {{0, 0, 0, 0},     {1, 128, 0, 0},      {2, 0, 128, 0},      {3, 128, 128, 0},
                                   {4, 0, 0, 128},   {8, 64, 0, 0},       {15, 192, 128, 128}, {16, 0, 64, 0},
                                   {20, 0, 64, 128}, {255, 224, 224, 192}};
    tips_colours colours;
    (void)state;
    tips__colours_voc(&colours);
    assert_int_equal(colours.count, 256);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int k = 0; k < 3; k++) assert_int_equal(colours.rgb[known[i][0]][k], known[i][1 + k]);
}

static void test_overlay(void **state) {
    uint8_t pixels[4 * 3] = {10, 20, 31, 10, 20, 31, 10, 20, 31, 10, 20, 31};
    const uint8_t mask[4] = {0, 1, 3, 255};
    tips_image picture = {2, 2, 3, pixels};
    tips_colours colours;
    (void)state;
    tips__colours_voc(&colours);
    tips__overlay(&colours, mask, 1, &picture);
    assert_memory_equal(pixels, ((uint8_t[]){10, 20, 31, 69, 10, 15, 69, 74, 15, 10, 20, 31}), sizeof pixels);
    tips__overlay(&colours, mask, 0, &picture);
    assert_memory_equal(pixels, ((uint8_t[]){5, 10, 15}), 3);
}

static void test_size(void **state) {
    int size[2];
    (void)state;
    png_write_plain(folder, "mask.png", 7, 300, 0);
    expect_ok(tips__image_size(path, size));
    assert_true(size[0] == 7 && size[1] == 300);
    data_write_picture(folder, "mask.png", 9, 4, 0, 0, 0);
    expect_ok(tips__image_size(path, size));
    assert_true(size[0] == 9 && size[1] == 4);
    data_write_text(folder, "mask.png", "no picture");
    assert_int_equal(tips__image_size(path, size), TIPS_FORMAT);
    assert_int_equal(tips__image_size(folder, size), TIPS_IO);
}

/* What comes of it is a picture or an error. */
static void try_bytes(const data_bytes *b) {
    tips_image image;
    tips_colours colours;
    data_write(folder, "mask.png", b);
    const tips_status status = tips__image_read_indices(path, &image, &colours);
    if (status != TIPS_OK) {
        assert_non_null(strstr(tips_last_error(), "mask.png"));
        return;
    }
    assert_true(image.h >= 1 && image.w >= 1 && (image.c == 1 || image.c == 3));
    assert_true(colours.count >= 0 && colours.count <= TIPS_COLOURS);
    tips__image_free(&image);
}

static void test_broken(void **state) {
    static const uint8_t palette[6] = {0, 0, 0, 255, 0, 0};
    const png_kind kinds[] = {{PNG_PALETTE, 1, palette, 2}, {PNG_PALETTE, 8, palette, 2}, {PNG_GREY, 4, NULL, 0}};
    uint8_t numbers[H * W];
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        data_bytes whole = {0};
        make_numbers(1, numbers);
        png_make(kinds[k], H, W, numbers, &whole);
        for (size_t size = 0; size < whole.size; size++) {
            data_bytes part = {whole.data, size, size};
            try_bytes(&part);
        }
        for (size_t i = 8; i < whole.size; i++) /* behind the signature, and with the right checksum where one can be */
            for (int flip = 1; flip < 256; flip *= 4) {
                whole.data[i] ^= (uint8_t)flip;
                try_bytes(&whole);
                if (i >= 16 && i < 29) { /* the header: its checksum is over name and body */
                    const uint32_t crc = data_crc_32(whole.data + 12, 17);
                    uint8_t kept[4];
                    memcpy(kept, whole.data + 29, 4);
                    for (int j = 0; j < 4; j++) whole.data[29 + j] = (uint8_t)(crc >> (24 - 8 * j));
                    try_bytes(&whole);
                    memcpy(whole.data + 29, kept, 4);
                }
                whole.data[i] ^= (uint8_t)flip;
            }
        data_free(&whole);
    }
}

static void expect_drawing(const double *points, int n, const char *const *rows) {
    uint8_t pixels[6 * 8] = {0};
    tips_image image = {6, 8, 1, pixels};
    expect_ok(tips__polygon_fill(points, n, 1, &image));
    for (int i = 0; i < 6 * 8; i++)
        if (pixels[i] != (rows[i / 8][i % 8] == '#')) fail_case("row %d, column %d", i / 8, i % 8);
}

/* As Pillow 9.4 draws them. */
static void test_polygons(void **state) {
    static const double square[] = {1, 1, 4, 1, 4, 3, 1, 3}, triangle[] = {0, 0, 7, 0, 0, 5},
                        beyond[] = {-100, -100, 3, -100, 3, 100, -100, 100}, line[] = {2, 2, 6, 2, 4, 2},
                        bow[] = {0, 0, 6, 4, 6, 0, 0, 4};
    static const char *const drawings[][6] = {
        {"........", ".####...", ".####...", ".####...", "........", "........"},
        {"########", "#######.", "#####...", "####....", "##......", "#......."},
        {"####....", "####....", "####....", "####....", "####....", "####...."},
        {"........", "........", "..#####.", "........", "........", "........"},
        {"#.....#.", "##...##.", "#######.", "##...##.", "#.....#.", "........"},
    };
    (void)state;
    test_case("square");
    expect_drawing(square, 4, drawings[0]);
    test_case("triangle");
    expect_drawing(triangle, 3, drawings[1]);
    test_case("beyond the picture");
    expect_drawing(beyond, 4, drawings[2]);
    test_case("line");
    expect_drawing(line, 3, drawings[3]);
    test_case("bow");
    expect_drawing(bow, 4, drawings[4]);
    uint8_t pixel = 0;
    tips_image image = {1, 1, 1, &pixel};
    expect_ok(tips__polygon_fill(square, 2, 1, &image)); /* two points fill nothing */
    assert_int_equal(pixel, 0);
    expect_ok(tips__polygon_fill((double[]){1e100, 1e100, -1e100, 1e100, 0, -1e100}, 3, 1, &image));
    assert_int_equal(pixel, 1);
    expect_ok(tips__polygon_fill((double[]){1e300, 1e300, -1e300, 1e300, 0, -1e300}, 3, 1, &image)); /* no harm */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_other_kinds), cmocka_unit_test(test_written),
        cmocka_unit_test(test_size),    cmocka_unit_test(test_broken),
    };
    const struct CMUnitTest others[] = {cmocka_unit_test(test_voc_colours), cmocka_unit_test(test_overlay),
                                        cmocka_unit_test(test_polygons)};
    const int failed = cmocka_run_group_tests(others, NULL, NULL);
    return png_is_read() ? failed + cmocka_run_group_tests(tests, set_up, tear_down) : failed;
}
