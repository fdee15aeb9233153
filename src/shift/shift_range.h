/* A rectangle of shifts. */
#ifndef TIPS_SHIFT_SHIFT_RANGE_H
#define TIPS_SHIFT_SHIFT_RANGE_H

/* dy in low[0]..high[0], dx in low[1]..high[1], both inclusive; (0, 0) is among them. */
typedef struct tips_shift_range {
    int low[2], high[2];
} tips_shift_range;

int tips__range_cells(const tips_shift_range *range);
/* Cell i in row-major order. */
void tips__range_shift(const tips_shift_range *range, int cell, int shift[2]);
int tips__range_cell(const tips_shift_range *range, int dy, int dx);

#endif
