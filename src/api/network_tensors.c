/* The tensors of a public network by number and by name. */
#include "api/network_parts.h"
#include "model/graph_count.h"

#include "core/fail.h"
#include "core/nearest.h"

#include <string.h>

size_t tips_network_parameters(const tips_network *network) {
    return network ? tips__graph_parameters(network->own.model.graph) : 0;
}

bool tips_network_tensor(const tips_network *network, int i, tips_tensor_info *out) {
    if (!network || !out || i < 0 || i >= tips__graph_param_count(network->own.model.graph)) return false;
    const tips_param_spec *spec = tips__graph_param(network->own.model.graph, i);
    tips_tensor_info info = {.name = spec->name,
                             .n_dims = spec->n_dims,
                             .elements = tips__param_elements(spec),
                             .trainable = spec->trainable};
    for (int d = 0; d < 4; d++) info.dims[d] = d < spec->n_dims ? spec->dims[d] : 1;
    *out = info;
    return true;
}

static tips_status refuse_name(const tips_graph *graph, const char *name) {
    tips__nearest_search search = {.word = name};
    for (int i = 0; i < tips__graph_param_count(graph); i++)
        tips__nearest_offer(&search, tips__graph_param(graph, i)->name);
    if (!search.best) TIPS_FAIL(TIPS_UNKNOWN, "the network has no tensor '%s'", name);
    TIPS_FAIL(TIPS_UNKNOWN, "the network has no tensor '%s'; did you mean '%s'?", name, search.best);
}

static tips_status find(const tips_network *network, const char *name, const void *values, size_t elements, int *out) {
    TIPS_NEED(network, "network");
    const tips_graph *graph = network->own.model.graph;
    if (!name || !values) TIPS_FAIL(TIPS_INVALID, "%s is NULL", name ? "values" : "name");
    const int id = tips__param_find(graph, name);
    if (id < 0) return refuse_name(graph, name);
    const size_t expected = tips__param_elements(tips__graph_param(graph, id));
    if (elements != expected) TIPS_FAIL(TIPS_SHAPE, "tensor '%s' has %zu elements, not %zu", name, expected, elements);
    *out = id;
    return TIPS_OK;
}

tips_status tips_network_get(const tips_network *network, const char *name, float *values, size_t elements) {
    int id = 0;
    TIPS_TRY(find(network, name, values, elements, &id));
    tips__param_get(network->own.params, id, values);
    return TIPS_OK;
}

tips_status tips_network_set(tips_network *network, const char *name, const float *values, size_t elements) {
    int id = 0;
    TIPS_TRY(find(network, name, values, elements, &id));
    return tips__param_take(network->own.params, id, values);
}
