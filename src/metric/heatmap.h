/* Consistency over a grid of shifts: how often the answer at (dy, dx) is the one at (0, 0), and the worst case over
 * all. */
#ifndef TIPS_METRIC_HEATMAP_H
#define TIPS_METRIC_HEATMAP_H

#include "metric/interval.h"

/* dy in low[0]..high[0], dx in low[1]..high[1], both inclusive; (0, 0) is among them. */
typedef struct tips_shift_range {
    int low[2], high[2];
} tips_shift_range;

int tips__range_cells(const tips_shift_range *range);
/* Cell i in row-major order. */
void tips__range_shift(const tips_shift_range *range, int cell, int shift[2]);
int tips__range_cell(const tips_shift_range *range, int dy, int dx);

typedef struct tips_heatmap {
    tips_shift_range range;
    int images;
    int always_same;  /* pictures whose answer no shift changes */
    int always_right; /* pictures that are right under every shift */
    int *agree;       /* (cells): pictures whose answer at the cell is that at (0, 0) */
} tips_heatmap;

tips_status tips__heatmap_create(const tips_shift_range *range, tips_heatmap *out) TIPS_MUST_CHECK;
void tips__heatmap_clear(tips_heatmap *map);
/* One picture: its answers at all cells, and its label. */
void tips__heatmap_add(tips_heatmap *map, const int *answers, int label);
/* Percent of the pictures that agree at a cell; not a number without pictures. */
double tips__heatmap_share(const tips_heatmap *map, int cell);

#endif
