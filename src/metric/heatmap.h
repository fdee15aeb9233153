/* Consistency over a grid of shifts: how often the answer at (dy, dx) is the one at (0, 0), and the worst case over
 * all. */
#ifndef TIPS_METRIC_HEATMAP_H
#define TIPS_METRIC_HEATMAP_H

#include "metric/consistency.h"
#include "shift/shift_range.h"

typedef struct tips_heatmap {
    tips_shift_range range;
    int images;
    double *agree; /* (cells): agreement of the answers at the cell with those at (0, 0), summed over the pictures */
} tips_heatmap;

tips_status tips__heatmap_create(const tips_shift_range *range, tips_heatmap *out) TIPS_MUST_CHECK;
void tips__heatmap_clear(tips_heatmap *map);
/* One picture: its answers at all cells, from number `first` on. Returns the worst case over them. */
tips_agreement tips__heatmap_add(tips_heatmap *map, const tips_answers *answers, int first);
/* Percent of the pictures that agree at a cell; not a number without pictures. */
double tips__heatmap_share(const tips_heatmap *map, int cell);

#endif
