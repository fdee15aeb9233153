/* Channels taken from other places of a map: slices, permutations and added channels, and their transposes. */
#ifndef TIPS_LAYER_CHANNEL_GATHER_H
#define TIPS_LAYER_CHANNEL_GATHER_H

#include "graph/node.h"

/* The channel of the source that channel `c` of the destination is, or -1 for none. */
typedef int tips_channel_source(const tips_node *node, int channels, int c);

typedef struct tips_channel_gather {
    const tips_node *node;
    int channels; /* of the layer's input, handed to `from` */
    tips_channel_source *from;
    float value; /* of channels that come from nowhere */
    bool accumulate;
} tips_channel_gather;

/* dst[c] = src[from(c)]; the maps agree in all but their channels. */
void tips__gather_channels(const tips_channel_gather *job, const tips_map *src, const tips_map *dst);

#endif
