/* The paper of a contact sheet: rows of square cells, each row with a name before it if names can be drawn. */
#ifndef TIPS_DATA_SHEET_PAPER_H
#define TIPS_DATA_SHEET_PAPER_H

#include "data/dataset.h"
#include "image/preprocess.h"

typedef struct tips_paper {
    tips_image image;
    int cell, factor; /* side of a cell before it is enlarged; how much it is */
    int margin;       /* for the names */
    uint8_t *canvas;  /* (cell, cell, 3) */
} tips_paper;

enum { TIPS_PAPER_CELL = 96 };

/* Cells as large as the pictures of the set, up to `most`; small ones are enlarged by whole factors. */
tips_status tips__paper_create(const tips_dataset *set, int rows, int columns, int most,
                               tips_paper *out) TIPS_MUST_CHECK;
/* `out`, if not NULL, gets the picture, and else it is freed. */
void tips__paper_finish(tips_paper *paper, tips_image *out);
/* How pictures come onto the canvas. */
tips_preprocess tips__paper_preprocess(const tips_paper *paper);
/* Puts the canvas into a cell. */
void tips__paper_put(const tips_paper *paper, int row, int column);
/* Writes a name before a row. */
tips_status tips__paper_name(const tips_paper *paper, int row, const char *name) TIPS_MUST_CHECK;
/* A bar of colour before a row. */
void tips__paper_bar(const tips_paper *paper, int row, const uint8_t rgb[3]);

#endif
