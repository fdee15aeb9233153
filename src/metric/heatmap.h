/* Consistency over a grid of shifts: how often the answer at (dy, dx) is the one at (0, 0), and the worst case over
 * all. */
#ifndef TIPS_METRIC_HEATMAP_H
#define TIPS_METRIC_HEATMAP_H

#include "metric/interval.h"
#include "shift/shift_range.h"

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
