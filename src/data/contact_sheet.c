/* A contact sheet: names of classes, if they can be drawn, and the first pictures of each. */
#include "data/contact_sheet.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset_format.h"
#include "data/sheet_paper.h"

static tips_status add_picture(tips_dataset *set, tips_split split, int index, const tips_paper *paper, int row,
                               int column) {
    const tips_preprocess p = tips__paper_preprocess(paper);
    tips_image picture;
    int label;
    tips_status status = tips__dataset_read(set, split, index, &picture, &label);
    if (tips__dataset_may_skip(set, status)) return TIPS_OK;
    TIPS_TRY(status);
    status = tips__preprocess_canvas(&p, &picture, paper->canvas);
    tips__image_free(&picture);
    TIPS_TRY(status);
    tips__paper_put(paper, row, column);
    return TIPS_OK;
}

static tips_status fill(tips_dataset *set, tips_split split, int rows, int columns, int *used,
                        const tips_paper *paper) {
    int full = 0;
    for (int k = 0; k < rows; k++) TIPS_TRY(tips__paper_name(paper, k, tips__dataset_class_name(set, k)));
    for (int i = 0; i < tips__dataset_count(set, split) && full < rows; i++) {
        const int label = tips__dataset_item(set, split, i)->label;
        if (label >= rows || used[label] == columns) continue;
        TIPS_TRY(add_picture(set, split, i, paper, label, used[label]));
        if (++used[label] == columns) full++;
    }
    return TIPS_OK;
}

tips_status tips__contact_sheet(tips_dataset *set, tips_split split, int rows, int columns, tips_image *out) {
    const int classes = tips__dataset_classes(set);
    tips_paper paper;
    int *used;
    rows = classes < rows ? classes : rows;
    TIPS_TRY(tips__paper_create(set, rows, columns, TIPS_PAPER_CELL, &paper));
    tips_status status = tips__new_zero(&used, (size_t)rows * sizeof *used, "counts");
    if (status == TIPS_OK) {
        status = fill(set, split, rows, columns, used, &paper);
        tips__free(used);
    }
    tips__paper_finish(&paper, status == TIPS_OK ? out : NULL);
    return status;
}
