/* A contact sheet: names of classes, if they can be drawn, and the first pictures of each, small ones enlarged by whole
 * factors. */
#include "data/contact_sheet.h"

#include "chart/pen_cairo.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/loader.h"

#include <string.h>

enum { SMALL = 48, LARGE = 96, GAP = 4, PAPER = 255, NAMES = 132 };

typedef struct sheet {
    tips_image image;
    int cell, factor, columns; /* side of a picture before it is enlarged; how much it is */
    int margin;                /* for the names */
    uint8_t *canvas;           /* (cell, cell, 3) */
} sheet;

static int cell_side(const tips_dataset *set) {
    int h = LARGE, w = LARGE;
    if (!tips__dataset_size(set, &h, &w)) return LARGE;
    const int longer = h > w ? h : w;
    return longer < LARGE ? longer : LARGE;
}

static void put(const sheet *s, int row, int column) {
    const int side = s->cell * s->factor, top = GAP + row * (side + GAP),
              left = s->margin + GAP + column * (side + GAP);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++) {
            const uint8_t *from = s->canvas + ((ptrdiff_t)(y / s->factor) * s->cell + x / s->factor) * 3;
            memcpy(s->image.pixels + ((ptrdiff_t)(top + y) * s->image.w + left + x) * 3, from, 3);
        }
}

static tips_status add_picture(tips_dataset *set, tips_split split, int index, sheet *s, int row, int column) {
    const tips_preprocess p = {
        .height = s->cell, .width = s->cell, .channels = 3, .fit_inside = true, .std = {1, 1, 1}};
    tips_image picture;
    int label;
    tips_status status = tips__dataset_read(set, split, index, &picture, &label);
    if (tips__dataset_may_skip(set, status)) return TIPS_OK;
    TIPS_TRY(status);
    status = tips__preprocess_canvas(&p, &picture, s->canvas);
    tips__image_free(&picture);
    TIPS_TRY(status);
    put(s, row, column);
    return TIPS_OK;
}

static tips_status fill(tips_dataset *set, tips_split split, int rows, int *used, sheet *s) {
    int full = 0;
    for (int i = 0; i < tips__dataset_count(set, split) && full < rows; i++) {
        const int label = tips__dataset_item(set, split, i)->label;
        if (label >= rows || used[label] == s->columns) continue;
        TIPS_TRY(add_picture(set, split, i, s, label, used[label]));
        if (++used[label] == s->columns) full++;
    }
    return TIPS_OK;
}

static tips_status add_name(const sheet *s, const char *name, int row) {
    const int side = s->cell * s->factor, top = GAP + row * (side + GAP);
    uint8_t *grey;
    TIPS_TRY(tips__new(&grey, (size_t)side * NAMES, "a name"));
    const tips_status status = tips__draw_words(name, side, NAMES, grey);
    for (int y = 0; y < side && status == TIPS_OK; y++)
        for (int x = 0; x < NAMES; x++)
            memset(s->image.pixels + ((ptrdiff_t)(top + y) * s->image.w + GAP + x) * 3, grey[(ptrdiff_t)y * NAMES + x],
                   3);
    tips__free(grey);
    return status;
}

static tips_status add_names(const tips_dataset *set, int rows, const sheet *s) {
    for (int i = 0; s->margin && i < rows; i++) TIPS_TRY(add_name(s, tips__dataset_class_name(set, i), i));
    return TIPS_OK;
}

tips_status tips__contact_sheet(tips_dataset *set, tips_split split, int rows, int columns, tips_image *out) {
    const int classes = tips__dataset_classes(set);
    sheet s = {.cell = cell_side(set), .columns = columns, .margin = tips__has_cairo() ? NAMES + GAP : 0};
    int *used = NULL;
    rows = classes < rows ? classes : rows;
    s.factor = s.cell <= SMALL / 2 ? 4 : s.cell <= SMALL ? 2 : 1;
    const int pitch = s.cell * s.factor + GAP;
    tips_status status =
        tips__image_allocate("a contact sheet", s.margin + columns * pitch + GAP, rows * pitch + GAP, 3, &s.image);
    if (status == TIPS_OK) status = tips__new(&s.canvas, 3 * (size_t)s.cell * (size_t)s.cell, "a canvas");
    if (status == TIPS_OK) status = tips__new_zero(&used, (size_t)rows * sizeof *used, "counts");
    if (status == TIPS_OK) {
        memset(s.image.pixels, PAPER, (size_t)s.image.h * (size_t)s.image.w * 3);
        status = add_names(set, rows, &s);
        if (status == TIPS_OK) status = fill(set, split, rows, used, &s);
    }
    tips__free(s.canvas);
    tips__free(used);
    if (status != TIPS_OK) tips__image_free(&s.image);
    else *out = s.image;
    return status;
}
