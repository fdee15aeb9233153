/* Where things go on a contact sheet. */
#include "data/sheet_paper.h"

#include "chart/pen_cairo.h"
#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

enum { SMALL = 48, GAP = 4, PAPER = 255, NAMES = 132 };

static int cell_side(const tips_dataset *set, int most) {
    int h = most, w = most;
    if (!tips__dataset_size(set, &h, &w)) return most;
    const int longer = h > w ? h : w;
    return longer < most ? longer : most;
}

tips_status tips__paper_create(const tips_dataset *set, int rows, int columns, int most, tips_paper *out) {
    tips_paper p = {.cell = cell_side(set, most), .margin = tips__has_cairo() ? NAMES + GAP : 0};
    p.factor = p.cell <= SMALL / 2 ? 4 : p.cell <= SMALL ? 2 : 1;
    const int pitch = p.cell * p.factor + GAP;
    TIPS_TRY(
        tips__image_allocate("a contact sheet", p.margin + columns * pitch + GAP, rows * pitch + GAP, 3, &p.image));
    const tips_status status = tips__new(&p.canvas, 3 * (size_t)p.cell * (size_t)p.cell, "a canvas");
    if (status != TIPS_OK) {
        tips__image_free(&p.image);
        return status;
    }
    memset(p.image.pixels, PAPER, (size_t)p.image.h * (size_t)p.image.w * 3);
    *out = p;
    return TIPS_OK;
}

void tips__paper_finish(tips_paper *paper, tips_image *out) {
    tips__free(paper->canvas);
    if (out) *out = paper->image;
    else tips__image_free(&paper->image);
}

tips_preprocess tips__paper_preprocess(const tips_paper *paper) {
    return (tips_preprocess){
        .height = paper->cell, .width = paper->cell, .channels = 3, .fit_inside = true, .std = {1, 1, 1}};
}

static int side_of(const tips_paper *p) { return p->cell * p->factor; }
static int top_of(const tips_paper *p, int row) { return GAP + row * (side_of(p) + GAP); }
static uint8_t *pixel_at(const tips_paper *p, int y, int x) {
    return p->image.pixels + ((ptrdiff_t)y * p->image.w + x) * 3;
}

void tips__paper_put(const tips_paper *p, int row, int column) {
    const int side = side_of(p), top = top_of(p, row), left = p->margin + GAP + column * (side + GAP);
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            memcpy(pixel_at(p, top + y, left + x),
                   p->canvas + ((ptrdiff_t)(y / p->factor) * p->cell + x / p->factor) * 3, 3);
}

tips_status tips__paper_name(const tips_paper *p, int row, const char *name) {
    const int side = side_of(p), top = top_of(p, row);
    uint8_t *grey;
    if (p->margin == 0) return TIPS_OK;
    TIPS_TRY(tips__new(&grey, (size_t)side * NAMES, "a name"));
    const tips_status status = tips__draw_words(name, side, NAMES, grey);
    for (int y = 0; y < side && status == TIPS_OK; y++)
        for (int x = 0; x < NAMES; x++) memset(pixel_at(p, top + y, GAP + x), grey[(ptrdiff_t)y * NAMES + x], 3);
    tips__free(grey);
    return status;
}

void tips__paper_bar(const tips_paper *p, int row, const uint8_t rgb[3]) {
    const int side = side_of(p), top = top_of(p, row), wide = 3 * GAP;
    for (int y = 0; y < side && p->margin; y++)
        for (int x = 0; x < wide; x++) memcpy(pixel_at(p, top + y, p->margin - wide + x), rgb, 3);
}
