/* Building a graph, node by node. Errors stick: after the first one every call returns TIPS_NO_VALUE, and
 * tips__graph_status tells what happened, so that architectures read as architectures. */
#ifndef TIPS_GRAPH_BUILDER_H
#define TIPS_GRAPH_BUILDER_H

#include "graph/node.h"

tips_status tips__graph_create(tips_graph **out) TIPS_MUST_CHECK;
void tips__graph_destroy(tips_graph *graph);
/* The first error, with its text restored as the last error. */
tips_status tips__graph_status(tips_graph *graph) TIPS_MUST_CHECK;
/* Records an error from within a shape rule or an architecture. */
void tips__graph_fail(tips_graph *graph, tips_status status);

tips_value tips__graph_input(tips_graph *graph, const char *name, int c, int h, int w);
/* Whole numbers: (1, 1, 1) for a label. */
tips_value tips__graph_index_input(tips_graph *graph, const char *name, int c, int h, int w);
/* Adds a node of `layer`; `config` (config_size bytes) is copied. Returns its first output. */
tips_value tips__graph_add(tips_graph *graph, const tips_layer *layer, const char *name, const void *config,
                           const tips_value *in, int n_in);
/* Puts `prefix` before the names of all nodes that are added from now on; NULL ends that. Borrowed. */
void tips__graph_prefix(tips_graph *graph, const char *prefix);
/* Puts "@place" behind the names of all nodes that are added from now on, but not behind those of their parameters, and
 * lets them take a parameter of that name and shape that is there already: one layer at several places. NULL ends that.
 * Borrowed. */
void tips__graph_place(tips_graph *graph, const char *place);
/* Output i of the node that makes `value`. */
tips_value tips__graph_sibling(const tips_graph *graph, tips_value value, int i);

/* Marks what the caller wants to read, and which losses are minimised. */
void tips__graph_output(tips_graph *graph, tips_value value);
int tips__graph_output_count(const tips_graph *graph);
tips_value tips__graph_output_at(const tips_graph *graph, int i);
void tips__graph_loss(tips_graph *graph, tips_value value, double weight);
void tips__graph_weigh_losses(tips_graph *graph, double factor); /* those there are so far */

/* For shape rules. */
const tips_value_info *tips__value(const tips_graph *graph, tips_value value);
void tips__node_out(tips_graph *graph, tips_node *node, tips_value_info info);
/* Declares a parameter "<node name>.<suffix>", or one of them where the other is empty; the place is left out. */
void tips__node_param(tips_graph *graph, tips_node *node, const char *suffix, tips_param_spec spec);

int tips__graph_node_count(const tips_graph *graph);
const tips_node *tips__graph_node(const tips_graph *graph, int id);
int tips__graph_value_count(const tips_graph *graph);
int tips__graph_param_count(const tips_graph *graph);
const tips_param_spec *tips__graph_param(const tips_graph *graph, int id);
const char *tips__value_name(const tips_graph *graph, tips_value value);

/* The layers, with their configs in layer/layers.h. */

#endif
