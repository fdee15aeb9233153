/* The maximum-sampling bias of a network that has run. */
#include "metric/msb.h"

#include "core/threads.h"

void tips__msb_net(const tips_net *net, const tips_msb_layer *layers, int n_layers, int count, tips_msb_count *counts) {
    TIPS_PARALLEL_FOR (i, count * n_layers) {
        const tips_msb_layer *layer = &layers[i % n_layers];
        const int sample = i / n_layers;
        const tips_map x = tips__net_map(net, layer->x), y = tips__net_map(net, layer->y);
        const int32_t *anchors = layer->anchor == TIPS_NO_VALUE ? NULL : tips__net_index(net, layer->anchor);
        counts[i] = tips__msb_count(layer, &x, &y, anchors ? anchors[sample] : 0, sample);
    }
}
