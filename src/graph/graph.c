/* The graph: values, nodes and parameter declarations, with an error that sticks. */
#include "graph/graph.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

tips_status tips__graph_create(tips_graph **out) {
    tips_graph *g;
    TIPS_TRY(tips__new_zero(&g, sizeof *g, "a graph"));
    *out = g;
    return TIPS_OK;
}

static void destroy_node(tips_node *node) {
    if (!node) return;
    tips__free(node->name);
    tips__free(node->config);
    tips__free(node);
}

void tips__graph_destroy(tips_graph *g) {
    if (!g) return;
    for (int i = 0; i < g->n_nodes; i++) destroy_node(g->nodes[i]);
    for (int i = 0; i < g->n_params; i++) tips__free(g->params[i].name);
    for (int i = 0; i < g->n_values; i++) tips__free(g->value_names[i]);
    tips__free(g->values);
    tips__free(g->value_names);
    tips__free(g->nodes);
    tips__free(g->params);
    tips__free(g->outputs);
    tips__free(g->losses);
    tips__free(g);
}

tips_status tips__graph_status(tips_graph *g) {
    return g->status == TIPS_OK ? TIPS_OK : tips__fail(g->status, "%s", g->error);
}

void tips__graph_fail(tips_graph *g, tips_status status) {
    if (g->status != TIPS_OK || status == TIPS_OK) return;
    g->status = status;
    snprintf(g->error, sizeof g->error, "%s", tips_last_error());
}

/* Room for one more element in an array whose capacity is the next power of two. */
static bool reserve(tips_graph *g, void *array_pointer, int count, size_t size) {
    if (g->status != TIPS_OK) return false;
    if (count != 0 && (count & (count - 1)) != 0) return true;
    void *old;
    memcpy(&old, array_pointer, sizeof old);
    void *larger = tips__grow(old, (size_t)count * size, (size_t)(count ? 2 * count : 1) * size);
    if (!larger) {
        tips__graph_fail(g, tips__fail(TIPS_MEMORY, "out of memory while building a graph"));
        return false;
    }
    memcpy(array_pointer, &larger, sizeof larger);
    return true;
}

static tips_value add_value(tips_graph *g, tips_value_info info, const char *name) {
    if (!reserve(g, &g->value_names, g->n_values, sizeof *g->value_names)) return TIPS_NO_VALUE;
    if (!reserve(g, &g->values, g->n_values, sizeof *g->values)) return TIPS_NO_VALUE;
    char *copy = name ? tips__strdup(name) : NULL;
    if (name && !copy) {
        tips__graph_fail(g, tips__fail(TIPS_MEMORY, "out of memory while building a graph"));
        return TIPS_NO_VALUE;
    }
    g->values[g->n_values] = info;
    g->value_names[g->n_values] = copy;
    return g->n_values++;
}

static tips_value add_input(tips_graph *g, const char *name, tips_value_info info) {
    if (info.c < 1 || info.h < 1 || info.w < 1)
        tips__graph_fail(g,
                         tips__fail(TIPS_SHAPE, "input '%s' of %dx%dx%d has no cells", name, info.c, info.h, info.w));
    return add_value(g, info, name);
}

tips_value tips__graph_input(tips_graph *g, const char *name, int c, int h, int w) {
    return add_input(g, name, (tips_value_info){TIPS_MAP, c, h, w, 1, -1});
}

tips_value tips__graph_index_input(tips_graph *g, const char *name, int c, int h, int w) {
    return add_input(g, name, (tips_value_info){TIPS_INDEX, c, h, w, 1, -1});
}

void tips__graph_prefix(tips_graph *g, const char *prefix) { g->prefix = prefix; }

void tips__graph_place(tips_graph *g, const char *place) { g->place = place; }

static char *full_name(const tips_graph *g, const char *name) {
    const char *prefix = g->prefix ? g->prefix : "", *place = g->place ? g->place : "";
    const size_t bytes = strlen(prefix) + strlen(name) + strlen(place) + 2;
    char *out = tips__alloc(bytes);
    if (out) snprintf(out, bytes, "%s%s%s%s", prefix, name, *place ? "@" : "", place);
    return out;
}

static tips_status fill_node(const tips_graph *g, tips_node *node, const tips_layer *layer, const char *name,
                             const void *config, const tips_value *in, int n_in) {
    node->layer = layer;
    node->n_in = n_in;
    memcpy(node->in, in, (size_t)n_in * sizeof *in);
    node->name = full_name(g, name);
    if (!node->name) TIPS_FAIL(TIPS_MEMORY, "out of memory while building a graph");
    TIPS_TRY(tips__new_zero(&node->config, layer->config_size, "a layer's options"));
    if (config) memcpy(node->config, config, layer->config_size);
    return TIPS_OK;
}

static bool inputs_fit(tips_graph *g, const tips_layer *layer, const char *name, const tips_value *in, int n_in) {
    if (g->status != TIPS_OK) return false;
    bool known = n_in <= TIPS_MAX_IN;
    for (int i = 0; known && i < n_in; i++) known = in[i] >= 0 && in[i] < g->n_values;
    if (!known)
        tips__graph_fail(g, tips__fail(TIPS_INVALID, "layer '%s' (%s): an input is missing", name, layer->name));
    return known;
}

tips_value tips__graph_add(tips_graph *g, const tips_layer *layer, const char *name, const void *config,
                           const tips_value *in, int n_in) {
    if (!inputs_fit(g, layer, name, in, n_in)) return TIPS_NO_VALUE;
    if (!reserve(g, &g->nodes, g->n_nodes, sizeof *g->nodes)) return TIPS_NO_VALUE;
    tips_node *node;
    tips_status status = tips__new_zero(&node, sizeof *node, "a node");
    if (status != TIPS_OK) {
        tips__graph_fail(g, status);
        return TIPS_NO_VALUE;
    }
    node->id = g->n_nodes;
    g->nodes[g->n_nodes++] = node;
    status = fill_node(g, node, layer, name, config, in, n_in);
    if (status == TIPS_OK) status = layer->shape(g, node);
    tips__graph_fail(g, status);
    return g->status == TIPS_OK ? node->out[0] : TIPS_NO_VALUE;
}

tips_value tips__graph_sibling(const tips_graph *g, tips_value value, int i) {
    if (value < 0 || g->values[value].producer < 0) return TIPS_NO_VALUE;
    const tips_node *node = g->nodes[g->values[value].producer];
    return i < node->n_out ? node->out[i] : TIPS_NO_VALUE;
}

void tips__graph_output(tips_graph *g, tips_value value) {
    if (value < 0 || !reserve(g, &g->outputs, g->n_outputs, sizeof *g->outputs)) return;
    g->outputs[g->n_outputs++] = value;
}

int tips__graph_output_count(const tips_graph *g) { return g->n_outputs; }
tips_value tips__graph_output_at(const tips_graph *g, int i) { return g->outputs[i]; }

void tips__graph_loss(tips_graph *g, tips_value value, double weight) {
    if (value < 0 || !reserve(g, &g->losses, g->n_losses, sizeof *g->losses)) return;
    g->losses[g->n_losses++] = (graph_loss){value, weight};
}

void tips__graph_weigh_losses(tips_graph *g, double factor) {
    for (int i = 0; i < g->n_losses; i++) g->losses[i].weight *= factor;
}

const tips_value_info *tips__value(const tips_graph *g, tips_value value) { return &g->values[value]; }

void tips__node_out(tips_graph *g, tips_node *node, tips_value_info info) {
    info.producer = node->id;
    const tips_value value = add_value(g, info, NULL);
    node->out[node->n_out++] = value;
}

/* "<node name>.<suffix>" without the place; NULL without memory. */
static char *param_name(const tips_graph *g, const tips_node *node, const char *suffix) {
    const size_t own = strlen(node->name) - (g->place ? strlen(g->place) + 1 : 0), bytes = own + strlen(suffix) + 2;
    char *name = tips__alloc(bytes);
    if (name) snprintf(name, bytes, "%.*s%s%s", (int)own, node->name, own && *suffix ? "." : "", suffix);
    return name;
}

static bool is_same(const tips_param_spec *a, const tips_param_spec *b) {
    return strcmp(a->name, b->name) == 0 && a->layout == b->layout && a->n_dims == b->n_dims &&
           a->groups == b->groups && memcmp(a->dims, b->dims, sizeof a->dims) == 0;
}

/* One that another node at another place has declared, or -1. */
static int find_shared(const tips_graph *g, const tips_param_spec *spec) {
    for (int i = 0; g->place && i < g->n_params; i++)
        if (is_same(&g->params[i], spec)) return i;
    return -1;
}

void tips__node_param(tips_graph *g, tips_node *node, const char *suffix, tips_param_spec spec) {
    if (!reserve(g, &g->params, g->n_params, sizeof *g->params)) return;
    spec.name = param_name(g, node, suffix);
    if (!spec.name) {
        tips__graph_fail(g, tips__fail(TIPS_MEMORY, "out of memory while building a graph"));
        return;
    }
    const int shared = find_shared(g, &spec);
    if (shared >= 0) tips__free(spec.name);
    else g->params[g->n_params] = spec;
    node->params[node->n_params++] = shared >= 0 ? shared : g->n_params++;
}

int tips__graph_node_count(const tips_graph *g) { return g->n_nodes; }
const tips_node *tips__graph_node(const tips_graph *g, int id) { return g->nodes[id]; }
int tips__graph_value_count(const tips_graph *g) { return g->n_values; }
int tips__graph_param_count(const tips_graph *g) { return g->n_params; }
const tips_param_spec *tips__graph_param(const tips_graph *g, int id) { return &g->params[id]; }

const char *tips__value_name(const tips_graph *g, tips_value value) {
    const int producer = g->values[value].producer;
    return producer < 0 ? g->value_names[value] : g->nodes[producer]->name;
}
