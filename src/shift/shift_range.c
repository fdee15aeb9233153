/* Counting through a rectangle of shifts, row by row. */
#include "shift/shift_range.h"

static int extent(const tips_shift_range *range, int axis) { return range->high[axis] - range->low[axis] + 1; }

int tips__range_cells(const tips_shift_range *range) { return extent(range, 0) * extent(range, 1); }

void tips__range_shift(const tips_shift_range *range, int cell, int shift[2]) {
    const int columns = extent(range, 1);
    shift[0] = range->low[0] + cell / columns;
    shift[1] = range->low[1] + cell % columns;
}

int tips__range_cell(const tips_shift_range *range, int dy, int dx) {
    return (dy - range->low[0]) * extent(range, 1) + dx - range->low[1];
}
