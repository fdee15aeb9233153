/* Finding the pooling layers of a graph, and what each of them pools. */
#include "metric/msb.h"

#include "core/fail.h"
#include "core/memory.h"
#include "pool/pool.h"

#include <string.h>

static const tips_node *producer(const tips_graph *graph, tips_value value) {
    const int node = tips__value(graph, value)->producer;
    return node < 0 ? NULL : tips__graph_node(graph, node);
}

static bool is_layer(const tips_node *node, const char *name) { return node && strcmp(node->layer->name, name) == 0; }

/* Operators with an anchor say so in their options; aps and lps choose a phase of the fixed windows. */
static tips_value anchor_of(const tips_graph *graph, const tips_node *node) {
    tips_option row;
    if (!tips__option_find(node->layer->options, "anchor", &row)) return TIPS_NO_VALUE;
    for (int i = 1; i < node->n_in; i++)
        if (tips__is_sample_number(tips__value(graph, node->in[i]))) return node->in[i];
    for (int i = 1; i < node->n_out; i++)
        if (tips__is_sample_number(tips__value(graph, node->out[i]))) return node->out[i];
    return TIPS_NO_VALUE;
}

/* A layer that was placed with the operator: its name is the operator's and a part. */
static bool is_part_of(const tips_node *node, const tips_node *pool) {
    const size_t length = strlen(pool->name);
    return node && length > 0 && strncmp(node->name, pool->name, length) == 0 && node->name[length] == '.';
}

/* The map that the operator was placed on: before its steps, its low-pass filter and its extension. */
static tips_value placed_on(const tips_graph *graph, const tips_node *pool) {
    tips_value x = pool->in[0];
    for (const tips_node *node; is_part_of(node = producer(graph, x), pool);) x = node->in[0];
    return x;
}

static bool is_pool(const tips_node *node, int stride[2]) {
    return tips__pool_find(node->layer->name) && node->layer->pools && node->layer->pools(node, stride);
}

static tips_msb_layer describe_pool(const tips_graph *graph, const tips_node *node, const int stride[2]) {
    const tips_pool_common *common = node->config;
    const tips_value_info *y = tips__value(graph, node->out[0]);
    return (tips_msb_layer){.name = node->name,
                            .x = placed_on(graph, node),
                            .y = node->out[0],
                            .anchor = anchor_of(graph, node),
                            .stride = {stride[0], stride[1]},
                            .grid = {y->h * stride[0], y->w * stride[1]},
                            .mode = common->padding};
}

static bool foreign_windows(const tips_graph *graph, const tips_node *node, tips_window axes[2]) {
    const bool max = is_layer(node, "max_pool");
    if (!max && !is_layer(node, "avg_pool")) return false;
    const tips_value_info *x = tips__value(graph, node->in[0]);
    if (max) tips__max_pool_windows(node->config, x->h, x->w, axes);
    else tips__avg_pool_windows(node->config, x->h, x->w, axes);
    return true;
}

static tips_msb_layer describe_foreign(const tips_node *node, const tips_window axes[2]) {
    return (tips_msb_layer){.name = node->name,
                            .x = node->in[0],
                            .y = node->out[0],
                            .anchor = TIPS_NO_VALUE,
                            .foreign = true,
                            .axes = {axes[0], axes[1]}};
}

/* One window over the whole map: a final average or maximum, which moves nothing. */
static bool is_global(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *y = tips__value(graph, node->out[0]);
    return y->h == 1 && y->w == 1;
}

static tips_msb_layer describe_average(const tips_graph *graph, const tips_node *node) {
    const tips_value_info *x = tips__value(graph, node->in[0]);
    return (tips_msb_layer){.name = node->name,
                            .x = node->in[0],
                            .y = node->out[0],
                            .anchor = TIPS_NO_VALUE,
                            .stride = {x->h, x->w},
                            .grid = {x->h, x->w}};
}

tips_status tips__msb_layers(const tips_graph *graph, tips_msb_layer **out, int *count) {
    const int nodes = tips__graph_node_count(graph);
    const tips_node *average = NULL;
    tips_msb_layer *layers;
    tips_window axes[2];
    int found = 0, stride[2];
    TIPS_TRY(tips__new(&layers, ((size_t)nodes + 1) * sizeof *layers, "the pooling layers"));
    for (int i = 0; i < nodes; i++) {
        const tips_node *node = tips__graph_node(graph, i);
        if (is_pool(node, stride)) layers[found++] = describe_pool(graph, node, stride);
        else if (foreign_windows(graph, node, axes) && (axes[0].stride > 1 || axes[1].stride > 1) &&
                 !is_global(graph, node))
            layers[found++] = describe_foreign(node, axes);
        if (is_layer(node, "global_avg")) average = node;
    }
    if (found == 0 && average) layers[found++] = describe_average(graph, average);
    *out = layers;
    *count = found;
    return TIPS_OK;
}
