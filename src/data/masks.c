/* A plain folder of images/ and masks/ of the same names, all of it or below train/, val/ and test/. Masks are PNG
 * files whose pixels are numbers of classes, grey or with a palette; 255 is ignored. A classes.txt names number 0 in
 * its first line, number 1 in its second..., each with its colour behind it if one likes ("road #804080"), and masks
 * may then be in these colours instead. Without it some masks are looked at: 0 is background, and 0 and 255 alone are
 * black and white. */
#include "data/mask_files.h"
#include "data/mask_folders.h"
#include "data/mask_lossy.h"

#include "core/fail.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_LOOKED_AT = 500, MOST_UNNAMED = 64, COLOUR_LENGTH = 7 };

static bool recognise(const char *path) {
    char ending[16];
    return tips__mask_folders_find(path, ending);
}

/* What the masks that were looked at hold. */
typedef struct findings {
    bool seen[TIPS_MASK_NUMBERS];
    int largest, different; /* of the numbers but 255 */
    bool in_colour;
    tips_colours palette; /* of the first that has one */
    const char *lossy;    /* the first that does not keep numbers, or NULL */
    tips_mask_shades shades; /* of those */
} findings;

static void note_numbers(const tips_image *image, findings *f) {
    for (ptrdiff_t i = 0; i < (ptrdiff_t)image->h * image->w; i++) f->seen[image->pixels[i]] = true;
}

static void conclude(findings *f) {
    for (int i = 0; i < TIPS_MASK_IGNORE; i++) {
        if (!f->seen[i]) continue;
        f->largest = i;
        f->different++;
    }
}

static tips_status look_at_shades(const char *path, findings *f) {
    tips_image image;
    TIPS_TRY(tips__image_read(path, &image));
    tips__mask_note_shades(&image, &f->shades);
    tips__image_free(&image);
    return TIPS_OK;
}

static tips_status look_at(const tips_source *source, const tips_item *item, findings *f) {
    char path[TIPS_PATH_SIZE];
    tips_colours palette;
    tips_image image;
    TIPS_TRY(tips__path_join(source->path, tips__source_marks(source, item), path));
    if (tips__mask_is_lossy(path)) {
        f->lossy = f->lossy ? f->lossy : tips__source_marks(source, item);
        return look_at_shades(path, f);
    }
    TIPS_TRY(tips__image_read_indices(path, &image, &palette));
    if (image.c == 1) note_numbers(&image, f);
    else f->in_colour = true;
    if (palette.count > 0 && f->palette.count == 0) f->palette = palette;
    tips__image_free(&image);
    return TIPS_OK;
}

/* Some training masks, evenly spread. */
static tips_status look_around(const tips_source *source, findings *f) {
    const tips_items *train = &source->splits[TIPS_SPLIT_TRAIN];
    const int count = train->count < MOST_LOOKED_AT ? train->count : MOST_LOOKED_AT;
    for (int i = 0; i < count; i++) {
        const tips_status status = look_at(source, &train->rows[(int64_t)i * train->count / count], f);
        if (status != TIPS_OK && !(source->skip_bad && (status == TIPS_FORMAT || status == TIPS_IO))) return status;
    }
    conclude(f);
    return TIPS_OK;
}

/* Cuts "#804080" off the end of a line; false if there is none. */
static bool cut_colour(char *line, uint8_t rgb[3]) {
    const size_t length = strlen(line);
    char *colour = length > COLOUR_LENGTH ? line + length - COLOUR_LENGTH : line;
    if (colour == line || colour[0] != '#' || (colour[-1] != ' ' && colour[-1] != '\t')) return false;
    if (!tips__colour_parse(colour + 1, rgb)) return false;
    do *colour-- = '\0';
    while (colour > line && (*colour == ' ' || *colour == '\t'));
    return true;
}

/* Line i names number i, and the first may be the background, which is no class. */
static tips_status take_names(tips_source *source, const tips_names *lines) {
    tips_mask_code *code = source->own;
    int coloured = 0;
    for (int i = 0; i < lines->count; i++) {
        coloured += cut_colour(lines->rows[i], source->colours.rgb[i]);
        code->values[i] = (int16_t)i;
        if (i == 0) source->no_background = strcasecmp(lines->rows[0], "background") != 0;
        if (i > 0 || source->no_background) TIPS_TRY(tips__names_add(&source->classes, lines->rows[i]));
    }
    code->has_colours = coloured == lines->count;
    return TIPS_OK;
}

static tips_status read_names(tips_source *source, const char *path) {
    tips_names lines = {0};
    tips_status status = tips__read_lines(path, &lines);
    if (status == TIPS_OK && (lines.count < 2 || lines.count > TIPS_MASK_IGNORE))
        status = tips__fail(TIPS_FORMAT, "%s: names %d classes, the background among them; masks tell 2 to %d apart",
                            path, lines.count, TIPS_MASK_IGNORE);
    if (status == TIPS_OK) status = take_names(source, &lines);
    tips__names_clear(&lines);
    return status;
}

static tips_status number_classes(tips_source *source, const findings *f) {
    tips_mask_code *code = source->own;
    if (f->different > MOST_UNNAMED)
        TIPS_FAIL(TIPS_FORMAT,
                  "%s: the masks hold %d different numbers; name the classes in classes.txt, or put 'kvasir:' "
                  "before the folder if they are black and white with soft edges",
                  source->path, f->different);
    if (f->largest == 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: there is nothing but background in the masks; name the classes in classes.txt",
                  source->path);
    for (int i = 0; i <= f->largest; i++) code->values[i] = (int16_t)i;
    return tips__source_number_classes(source, 1, f->largest);
}

/* Masks in colour need a classes.txt that says which. */
static tips_status check_colours(const tips_source *source, const findings *f) {
    const tips_mask_code *code = source->own;
    if (!f->in_colour || code->has_colours) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT,
              "%s: there are masks in colour; give every class its colour in classes.txt, as in 'road "
              "#804080'",
              source->path);
}

/* 0 and 255 alone: 255 is then the only class there can be. Of lossy files all but black and all but white. */
static bool is_black_and_white(const tips_source *source, const findings *f) {
    const bool one_class = source->classes.count == 0 || (source->classes.count == 1 && !source->no_background);
    if (f->lossy) return one_class && f->largest == 0 && tips__mask_is_black_and_white(&f->shades);
    return one_class && !f->in_colour && f->seen[TIPS_MASK_IGNORE] && f->largest == 0;
}

static tips_status refuse_lossy(const tips_source *source, const findings *f) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(source->path, f->lossy, path));
    return tips__mask_refuse_lossy(path);
}

static tips_status find_classes(tips_source *source) {
    tips_mask_code *code = source->own;
    char path[TIPS_PATH_SIZE];
    findings f = {.largest = 0};
    TIPS_TRY(tips__path_join(source->path, "classes.txt", path));
    if (tips__is_file(path)) TIPS_TRY(read_names(source, path));
    TIPS_TRY(look_around(source, &f));
    TIPS_TRY(check_colours(source, &f));
    if (f.palette.count > 0 && !code->has_colours)
        memcpy(source->colours.rgb, f.palette.rgb, (size_t)f.palette.count * sizeof f.palette.rgb[0]);
    if (is_black_and_white(source, &f)) {
        code->is_binary = true;
        return source->classes.count ? TIPS_OK : tips__names_add(&source->classes, "foreground");
    }
    if (f.lossy) return refuse_lossy(source, &f);
    return source->classes.count ? TIPS_OK : number_classes(source, &f);
}

static tips_status open_masks(const char *path, tips_source *source) {
    tips_mask_code *code;
    (void)path;
    TIPS_TRY(tips__mask_code_create(source, &code));
    TIPS_TRY(tips__mask_folders_add_splits(source));
    TIPS_TRY(tips__source_check_classes(source));
    TIPS_TRY(find_classes(source));
    return tips__source_probe(source);
}

const tips_dataset_format tips__format_masks = {
    .name = "masks",
    .brief =
        "images/ and masks/ with numbers of classes, with or without train/, val/ and test/ above them; classes.txt",
    .marks = TIPS_ANNOTATES_MASK,
    .recognise = recognise,
    .open = open_masks,
    .read = tips__source_read_file,
    .annotate = tips__mask_file_annotate,
    .item_name = tips__source_file_name,
    .mark_name = tips__mask_file_name,
    .close = tips__mask_code_close,
};
