/* Counting windows: is the output of each the largest of its values? What the count is for, metric/msb.h says. */
#ifndef TIPS_POOL_MSB_COUNT_H
#define TIPS_POOL_MSB_COUNT_H

#include "graph/node.h"
#include "layer/window.h"

typedef struct tips_msb_count {
    int64_t windows, hits;                       /* all windows */
    int64_t nontrivial_windows, nontrivial_hits; /* those whose values differ */
} tips_msb_count;

typedef struct tips_msb_layer {
    const char *name;   /* of the node, borrowed from the graph */
    tips_value x, y;    /* before the low-pass filter, and after the operator */
    tips_value anchor;  /* index of the phase the windows start at, or TIPS_NO_VALUE */
    int stride[2];      /* of a final average: the whole map */
    int grid[2];        /* size of x once extended to a multiple of the stride */
    tips_pad_mode mode; /* of that extension */
    bool foreign;       /* a layer of another network: its windows are these, and stride, grid and mode do not count */
    tips_window axes[2];
} tips_msb_layer;

/* Counts sample `sample` of a layer: maps, and the anchor as a phase index a * sw + b (0 without one). */
tips_msb_count tips__msb_count(const tips_msb_layer *layer, const tips_map *x, const tips_map *y, int anchor,
                               int sample);

#endif
