/* Masks from files. */
#include "data/mask_files.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/mask_lossy.h"

#include <stdio.h>
#include <string.h>

tips_status tips__mask_code_create(tips_source *source, tips_mask_code **out) {
    tips_mask_code *code;
    TIPS_TRY(tips__new_zero(&code, sizeof *code, "the code of masks"));
    for (int i = 0; i < TIPS_MASK_NUMBERS; i++) code->values[i] = TIPS_MASK_NO_LABEL;
    code->values[TIPS_MASK_IGNORE] = TIPS_MASK_IGNORE;
    source->own = code;
    source->annotates = TIPS_ANNOTATES_MASK;
    *out = code;
    return TIPS_OK;
}

void tips__mask_code_close(tips_source *source) { tips__free(source->own); }

tips_status tips__mask_classes(tips_source *source, const tips_mask_class *classes, int count) {
    tips_mask_code *code = source->own;
    for (int k = 0; k < count; k++) {
        const int value = tips__mask_value(k, source->no_background);
        TIPS_TRY(tips__names_add(&source->classes, classes[k].name));
        memcpy(source->colours.rgb[value], classes[k].rgb, sizeof classes[k].rgb);
        code->values[value] = (int16_t)value;
    }
    if (!source->no_background) code->values[0] = 0;
    return TIPS_OK;
}

tips_status tips__mask_binary(tips_source *source, const char *name) {
    tips_mask_code *code = source->own;
    code->is_binary = true;
    return tips__names_add(&source->classes, name);
}

/* Where something is wrong, for messages. */
typedef struct place {
    const char *path;
    int row, column;
} place;

static place place_of(const char *path, const tips_image *image, ptrdiff_t i) {
    return (place){path, (int)(i / image->w), (int)(i % image->w)};
}

static tips_status refuse_number(const tips_source *source, place p, int number) {
    const int values = tips__mask_value(source->classes.count, source->no_background);
    TIPS_FAIL(TIPS_FORMAT, "%s: the number %d at row %d, column %d is none of the %d classes", p.path, number, p.row,
              p.column, values);
}

static tips_status translate_numbers(const tips_source *source, const char *path, tips_image *image) {
    const tips_mask_code *code = source->own;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)image->h * image->w; i++) {
        const int value = code->values[image->pixels[i]];
        if (value == TIPS_MASK_NO_LABEL) return refuse_number(source, place_of(path, image, i), image->pixels[i]);
        image->pixels[i] = (uint8_t)value;
    }
    return TIPS_OK;
}

/* The value of a colour, or TIPS_MASK_NO_LABEL. */
static int find_colour(const tips_source *source, const uint8_t rgb[3]) {
    const int values = tips__mask_value(source->classes.count, source->no_background);
    for (int i = 0; i < values; i++)
        if (memcmp(source->colours.rgb[i], rgb, 3) == 0) return i;
    return memcmp(source->colours.rgb[TIPS_MASK_IGNORE], rgb, 3) == 0 ? TIPS_MASK_IGNORE : TIPS_MASK_NO_LABEL;
}

static tips_status translate_colours(const tips_source *source, const char *path, const tips_image *image,
                                     tips_image *out) {
    const uint8_t *before = NULL; /* neighbours are alike */
    int value = TIPS_MASK_NO_LABEL;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)image->h * image->w; i++) {
        const uint8_t *rgb = image->pixels + 3 * i;
        if (!before || memcmp(before, rgb, 3) != 0) value = find_colour(source, rgb);
        if (value == TIPS_MASK_NO_LABEL) {
            const place p = place_of(path, image, i);
            TIPS_FAIL(TIPS_FORMAT, "%s: the colour #%02x%02x%02x at row %d, column %d is that of no class", path,
                      rgb[0], rgb[1], rgb[2], p.row, p.column);
        }
        out->pixels[i] = (uint8_t)value;
        before = rgb;
    }
    return TIPS_OK;
}

static tips_status apply_threshold(const char *path, const tips_image *image, tips_image *out) {
    int most = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)image->h * image->w; i++) {
        const int value = tips__mask_brightness(image, i);
        most = value > most ? value : most;
        out->pixels[i] = value >= TIPS_MASK_THRESHOLD;
    }
    if (most == 1)
        TIPS_FAIL(TIPS_FORMAT,
                  "%s: holds 0 and 1, where black and white are expected; 'masks:' before the folder takes "
                  "numbers",
                  path);
    return TIPS_OK;
}

/* To a picture of one channel and the same size. */
static tips_status reduce(const tips_source *source, const char *path, const tips_image *image, tips_image *out) {
    const tips_mask_code *code = source->own;
    tips_image mask;
    TIPS_TRY(tips__image_allocate(path, image->w, image->h, 1, &mask));
    const tips_status status =
        code->is_binary ? apply_threshold(path, image, &mask) : translate_colours(source, path, image, &mask);
    if (status != TIPS_OK) tips__image_free(&mask);
    else *out = mask;
    return status;
}

static tips_status refuse_colours(const char *path) {
    TIPS_FAIL(TIPS_FORMAT,
              "%s: is a picture in colour; masks are PNG files whose pixels are numbers of classes, grey or "
              "with a palette",
              path);
}

tips_status tips__mask_file_read(const tips_source *source, const char *path, tips_image *out) {
    const tips_mask_code *code = source->own;
    tips_colours palette;
    tips_image image, mask = {0};
    if (!code->is_binary && tips__mask_is_lossy(path)) return tips__mask_refuse_lossy(path);
    if (code->is_binary) TIPS_TRY(tips__image_read(path, &image));
    else TIPS_TRY(tips__image_read_indices(path, &image, &palette));
    tips_status status;
    if (!code->is_binary && image.c == 1) {
        status = translate_numbers(source, path, &image);
        mask = image;
        if (status == TIPS_OK) image.pixels = NULL;
    } else {
        status = code->is_binary || code->has_colours ? reduce(source, path, &image, &mask) : refuse_colours(path);
    }
    tips__image_free(&image);
    if (status == TIPS_OK) *out = mask;
    return status;
}

tips_status tips__mask_file_annotate(const tips_source *source, const tips_item *item, unsigned wanted,
                                     tips_annotation *out) {
    char path[TIPS_PATH_SIZE];
    (void)wanted; /* masks are all there is */
    TIPS_TRY(tips__path_join(source->path, tips__source_marks(source, item), path));
    TIPS_TRY(tips__mask_file_read(source, path, &out->mask));
    out->size[0] = out->mask.h;
    out->size[1] = out->mask.w;
    return TIPS_OK;
}

void tips__mask_file_name(const tips_source *source, const tips_item *item, char *out, size_t size) {
    snprintf(out, size, "%s/%s", source->path, tips__source_marks(source, item));
}
