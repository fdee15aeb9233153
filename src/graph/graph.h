/* The graph's own structure, for the compiler; everyone else uses builder.h. */
#ifndef TIPS_GRAPH_GRAPH_H
#define TIPS_GRAPH_GRAPH_H

#include "graph/builder.h"

typedef struct graph_loss {
    tips_value value;
    double weight;
} graph_loss;

struct tips_graph {
    int n_values, n_nodes, n_params, n_outputs, n_losses;
    tips_value_info *values;
    char **value_names; /* of graph inputs; NULL for made values */
    tips_node **nodes;
    tips_param_spec *params;
    tips_value *outputs;
    graph_loss *losses;
    tips_status status;
    char error[512];
    const char *prefix; /* of nodes that are added now, borrowed; NULL: none */
    const char *place;  /* behind their names, likewise: nodes that differ in it alone share parameters */
};

/* Which nodes (n_nodes) a pass runs: without losses, not those that lead to losses alone. */
void tips__graph_runs(const tips_graph *graph, const tips_pass *pass, bool *runs);

#endif
