/* Sets with masks: writing and checking them. */
#include "support/mask_sets.h"

#include "image/colours.h"
#include "support/compare.h"
#include "support/png_files.h"

#include <stdio.h>
#include <string.h>

void mask_write_picture(const char *folder, const char *name, int number) {
    data_write_picture(folder, name, MASK_H, MASK_W, number, 2, 3);
}

static void make_numbers(int number, mask_rule rule, uint8_t out[MASK_PIXELS]) {
    for (int i = 0; i < MASK_PIXELS; i++) out[i] = (uint8_t)rule(number, i);
}

void mask_write(const char *folder, const char *name, int number, mask_rule rule) {
    uint8_t numbers[MASK_PIXELS];
    char head[32];
    data_bytes b = {0};
    make_numbers(number, rule, numbers);
    data_put(&b, head, (size_t)snprintf(head, sizeof head, "P5 %d %d 255\n", MASK_W, MASK_H));
    data_put(&b, numbers, sizeof numbers);
    data_write(folder, name, &b);
    data_free(&b);
}

void mask_write_palette(const char *folder, const char *name, int number, mask_rule rule) {
    uint8_t numbers[MASK_PIXELS];
    tips_colours colours;
    make_numbers(number, rule, numbers);
    tips__colours_voc(&colours);
    png_write(folder, name, (png_kind){PNG_PALETTE, 8, colours.rgb[0], 256}, MASK_H, MASK_W, numbers);
}

tips_dataset *mask_open(const char *format, const char *folder, const tips_dataset_options *options) {
    char spec[2 * DATA_PATH];
    tips_dataset *set = NULL;
    snprintf(spec, sizeof spec, "%s%s%s", format, *format ? ":" : "", folder);
    expect_ok(tips__dataset_open(spec, options, &set));
    return set;
}

int mask_expect(tips_dataset *set, tips_split split, int index, mask_rule rule) {
    tips_image picture;
    tips_annotation a;
    expect_ok(tips__dataset_read_annotated(set, split, index, TIPS_ANNOTATES_MASK, &picture, &a));
    const int number = picture.pixels[0];
    assert_true(a.size[0] == MASK_H && a.size[1] == MASK_W && a.mask.c == 1);
    assert_true(a.no_background != tips__dataset_has_background(set));
    for (int i = 0; i < MASK_PIXELS; i++)
        if (a.mask.pixels[i] != rule(number, i))
            fail_case("picture %d holds %d at %d, not %d", number, a.mask.pixels[i], i, rule(number, i));
    tips__annotation_clear(&a);
    tips__image_free(&picture);
    return number;
}

static tips_status read_all(tips_dataset *set) {
    for (int s = 0; s < TIPS_SPLITS; s++)
        for (int i = 0; i < tips__dataset_count(set, (tips_split)s); i++) {
            tips_image picture;
            tips_annotation a;
            const tips_status status =
                tips__dataset_read_annotated(set, (tips_split)s, i, TIPS_ANNOTATES_MASK, &picture, &a);
            if (status != TIPS_OK) return status;
            tips__annotation_clear(&a);
            tips__image_free(&picture);
        }
    return TIPS_OK;
}

void mask_expect_error(const char *spec, const char *words, const char *file) {
    tips_dataset *set = NULL;
    tips_status status = tips__dataset_open(spec, NULL, &set);
    if (status == TIPS_OK) status = read_all(set);
    tips__dataset_close(set);
    if (status == TIPS_OK) fail_case("nothing is wrong; expected: %s", words);
    if (!strstr(tips_last_error(), words) || (file && !strstr(tips_last_error(), file)))
        fail_case("'%s' lacks '%s' or '%s'", tips_last_error(), words, file ? file : "");
}
