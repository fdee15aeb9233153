/* Operators in the place of a pooling layer that a network has already, with windows as large as the stride. Max
 * pooling is a dense maximum and then every s-th pixel, a mean the same with a dense mean. Behind a maximum, which is
 * what such networks rely on, an operator takes the place of the sampling alone; it takes the place of a whole mean,
 * but for the plain grid, which would leave no mean. */
#include "layer/layers.h"
#include "pool/pool_parts.h"

extern const tips_pool tips__pool_max;

static tips_value add_at(tips_graph *graph, const tips_pool_place *place, const tips_pool_spec *spec, tips_value x,
                         tips_selection *selection) {
    return tips__pool_add(graph, place->name, spec, place->stride, place->padding, x, NULL, selection);
}

tips_value tips__pool_for_max(tips_graph *graph, const tips_pool_place *place, const tips_pool_spec *spec,
                              tips_value x, tips_selection *selection) {
    const tips_dense_max most = {.kernel = {place->stride[0], place->stride[1]}, .mode = place->padding};
    const tips_pool_spec behind = tips__pool_behind_max(spec);
    char name[TIPS_POOL_NAME];
    if (spec->pool == &tips__pool_max || tips__pool_traits(spec) & TIPS_POOL_IDENTITY)
        return add_at(graph, place, spec, x, selection);
    tips__pool_part(name, place->name, "max");
    x = tips__graph_add(graph, &tips__layer_dense_max, name, &most, &x, 1);
    return add_at(graph, place, &behind, x, selection);
}

tips_value tips__pool_for_mean(tips_graph *graph, const tips_pool_place *place, const tips_pool_spec *spec,
                               tips_value x, tips_selection *selection) {
    const int one[2] = {1, 1};
    const tips_avg_pool mean = {.kernel = {place->stride[0], place->stride[1]},
                                .stride = {1, 1},
                                .padding = tips__same_padding(place->padding, place->stride, one)};
    char name[TIPS_POOL_NAME];
    if (!(spec->pool->layer.flags & TIPS_LAYER_GRID)) return add_at(graph, place, spec, x, selection);
    tips__pool_part(name, place->name, "avg");
    x = tips__graph_add(graph, &tips__layer_avg_pool, name, &mean, &x, 1);
    return add_at(graph, place, spec, x, selection);
}
