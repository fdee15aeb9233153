/* What the styles share: tables of numbers among the outputs. */
#ifndef TIPS_DECODE_DECODE_PARTS_H
#define TIPS_DECODE_DECODE_PARTS_H

#include "core/fail.h"
#include "decode/decode.h"

/* An output seen as rows of boxes; what is transposed is seen so too. */
typedef struct tips_table {
    const float *at;
    int64_t rows, columns;
    int64_t row_step, column_step;
} tips_table;
static inline double tips__table_at(const tips_table *t, int64_t row, int64_t column) {
    return (double)t->at[row * t->row_step + column * t->column_step];
}

/* An output of floats with two axes longer than 1, or as many as it has: (rows, columns), ones in front left out. */
bool tips__table_of(const tips_array *array, tips_table *out);
tips_table tips__table_turned(const tips_table *table);
/* The best of columns first..first+count-1. */
int tips__table_best(const tips_table *table, int64_t row, int64_t first, int64_t count);
/* The only output, as rows of at least `columns` numbers. */
tips_status tips__decode_only(const tips_raw_boxes *raw, int64_t columns, const char *wanted,
                              tips_table *out) TIPS_MUST_CHECK;

static inline tips_corners tips__corners_around(double x, double y, double w, double h) {
    return (tips_corners){x - w / 2, y - h / 2, x + w / 2, y + h / 2};
}

/* Cells of a pyramid with strides 8, 16 and 32 (and 64), finest first and rows outermost: how many there are, and the
 * place of a cell. A stride of 0 says there is none. */
typedef struct tips_cell {
    int stride, y, x;
} tips_cell;
int64_t tips__pyramid_cells(const int size[2], int first_stride, int levels);
tips_cell tips__pyramid_cell(const int size[2], int first_stride, int levels, int64_t index);

#endif
