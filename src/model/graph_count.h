/* What a network takes, counted on its graph: nothing is compiled or run. */
#ifndef TIPS_MODEL_GRAPH_COUNT_H
#define TIPS_MODEL_GRAPH_COUNT_H

#include "graph/builder.h"

/* Trainable parameters. */
size_t tips__graph_parameters(const tips_graph *graph);

/* Of one forward pass per sample; taps beyond the border count like all others. */
double tips__graph_multiply_adds(const tips_graph *graph);

/* Those of its conv2d nodes that read beyond the border of their map. Zero padding may skip them, every other mode
 * has to do them: they are the extra work of circular padding. */
double tips__border_multiply_adds(const tips_graph *graph);

/* All maps of one sample, as plain floats. */
double tips__graph_activation_bytes(const tips_graph *graph);

#endif
