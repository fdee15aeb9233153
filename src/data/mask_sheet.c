/* A contact sheet of pictures and masks. */
#include "data/contact_sheet.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/sheet_paper.h"
#include "image/overlay.h"

enum { MOST_READ = 400, LEAST_PART = 200, FEW = 4 };

/* Of the sheet while it is filled: first each picture goes to one class, then to any that has room still. */
typedef struct progress {
    tips_dataset *set;
    tips_paper paper;
    int first, classes, lines, pairs; /* value of the first class; rows of each; picture and mask are a pair */
    int *used;                        /* (classes): pairs there are */
    int place[MOST_READ];             /* the class that a picture went to first, or -1 */
    uint8_t *mask;                    /* (cell, cell) */
} progress;

static bool has_room(const progress *p, int k) { return p->used[k] < p->lines * p->pairs; }

/* The least used class of which at least a two-hundredth of the cell is, or -1. */
static int choose_class(const progress *p, const int *counts) {
    const int pixels = p->paper.cell * p->paper.cell;
    int best = -1;
    for (int k = 0; k < p->classes; k++)
        if (counts[p->first + k] * LEAST_PART >= pixels && has_room(p, k) && (best < 0 || p->used[k] < p->used[best]))
            best = k;
    return best;
}

static tips_status add_pair(const progress *p, const tips_image *picture, int k) {
    const tips_preprocess preprocess = tips__paper_preprocess(&p->paper);
    tips_image canvas = {p->paper.cell, p->paper.cell, 3, p->paper.canvas};
    const int row = k * p->lines + p->used[k] / p->pairs, column = 2 * (p->used[k] % p->pairs);
    TIPS_TRY(tips__preprocess_canvas(&preprocess, picture, p->paper.canvas));
    tips__paper_put(&p->paper, row, column);
    tips__overlay(tips__dataset_mask_colours(p->set), p->mask, p->first, &canvas);
    tips__paper_put(&p->paper, row, column + 1);
    p->used[k]++;
    return TIPS_OK;
}

static tips_status add_picture(progress *p, int index, bool again, const tips_image *picture,
                               const tips_annotation *annotation) {
    const tips_preprocess preprocess = tips__paper_preprocess(&p->paper);
    const tips_move move = tips__preprocess_move(&preprocess, annotation->size);
    int counts[TIPS_COLOURS] = {0};
    tips__move_mask(&move, &annotation->mask, p->mask);
    for (int i = 0; i < p->paper.cell * p->paper.cell; i++) counts[p->mask[i]]++;
    if (!again) p->place[index] = choose_class(p, counts);
    for (int k = 0; k < p->classes; k++) {
        const bool fits =
            again ? k != p->place[index] && counts[p->first + k] > 0 && has_room(p, k) : k == p->place[index];
        if (fits) TIPS_TRY(add_pair(p, picture, k));
    }
    return TIPS_OK;
}

static bool is_full(const progress *p) {
    for (int k = 0; k < p->classes; k++)
        if (has_room(p, k)) return false;
    return true;
}

static tips_status add_pictures(progress *p, tips_split split, bool again) {
    const int count = tips__dataset_count(p->set, split);
    for (int i = 0; i < count && i < MOST_READ && !is_full(p); i++) {
        tips_image picture;
        tips_annotation annotation;
        tips_status status = tips__dataset_read_annotated(p->set, split, i, TIPS_ANNOTATES_MASK, &picture, &annotation);
        if (tips__dataset_may_skip(p->set, status)) continue;
        TIPS_TRY(status);
        status = add_picture(p, i, again, &picture, &annotation);
        tips__annotation_clear(&annotation);
        tips__image_free(&picture);
        TIPS_TRY(status);
    }
    return TIPS_OK;
}

static tips_status fill(progress *p, tips_split split) {
    for (int k = 0; k < p->classes; k++) {
        TIPS_TRY(tips__paper_name(&p->paper, k * p->lines, tips__dataset_mask_class_name(p->set, p->first + k)));
        tips__paper_bar(&p->paper, k * p->lines, tips__dataset_mask_colour(p->set, p->first + k));
    }
    TIPS_TRY(add_pictures(p, split, false));
    return add_pictures(p, split, true);
}

tips_status tips__mask_sheet(tips_dataset *set, tips_split split, int rows, int columns, tips_image *out) {
    const int classes = tips__dataset_classes(set);
    progress p = {.set = set,
                  .first = tips__dataset_has_background(set),
                  .classes = classes < rows ? classes : rows,
                  .lines = classes < FEW ? FEW / classes : 1,
                  .pairs = columns / 2};
    TIPS_TRY(tips__paper_create(set, p.classes * p.lines, columns, TIPS_PAPER_CELL, &p.paper));
    tips_status status = tips__new(&p.mask, (size_t)p.paper.cell * (size_t)p.paper.cell, "a mask");
    if (status == TIPS_OK) status = tips__new_zero(&p.used, (size_t)p.classes * sizeof *p.used, "counts");
    if (status == TIPS_OK) status = fill(&p, split);
    tips__free(p.used);
    tips__free(p.mask);
    tips__paper_finish(&p.paper, status == TIPS_OK ? out : NULL);
    return status;
}
