/* MSB, the maximum-sampling bias: the share of pooling windows whose output is the window's maximum, to 1e-6 relative.
 *
 * A window is the sh x sw cells of the operator's input before its low-pass filter; it starts at the anchor where the
 * operator has one. Windows of other people's layers (max_pool, avg_pool) are their own, overlapping or not, without
 * cells beyond a border of zeros. Two counts: all windows, as the paper does, and those whose values are not all the
 * same. A network without pooling layers has its final average as the one window of each channel. */
#ifndef TIPS_METRIC_MSB_H
#define TIPS_METRIC_MSB_H

#include "net/net.h"
#include "pool/msb_count.h"

/* The pooling layers of a graph, in its order. */
tips_status tips__msb_layers(const tips_graph *graph, tips_msb_layer **out, int *count) TIPS_MUST_CHECK;

/* Counts samples 0..count-1 of a keep_all net after forward: counts (count, layers). */
void tips__msb_net(const tips_net *net, const tips_msb_layer *layers, int n_layers, int count, tips_msb_count *counts);

#endif
