/* MSB, the maximum-sampling bias: the share of pooling windows whose output is the window's maximum, to 1e-6 relative.
 *
 * A window is the sh x sw cells of the operator's input before its low-pass filter; it starts at the anchor where the
 * operator has one. Windows of other people's layers (max_pool, avg_pool) are their own, overlapping or not, without
 * cells beyond a border of zeros. Two counts: all windows, as the paper does, and those whose values are not all the
 * same. A network without pooling layers has its final average as the one window of each channel. */
#ifndef TIPS_METRIC_MSB_H
#define TIPS_METRIC_MSB_H

#include "layer/window.h"
#include "net/net.h"

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

/* The pooling layers of a graph, in its order. */
tips_status tips__msb_layers(const tips_graph *graph, tips_msb_layer **out, int *count) TIPS_MUST_CHECK;

/* Counts sample `sample` of a layer: maps, and the anchor as a phase index a * sw + b (0 without one). */
tips_msb_count tips__msb_count(const tips_msb_layer *layer, const tips_map *x, const tips_map *y, int anchor,
                               int sample);
/* Counts samples 0..count-1 of a keep_all net after forward: counts (count, layers). */
void tips__msb_net(const tips_net *net, const tips_msb_layer *layers, int n_layers, int count, tips_msb_count *counts);

#endif
