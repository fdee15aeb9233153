/* Looking for the first value that is not a finite number: in what comes in, in a layer's parameters, in what it makes,
 * in the losses it carries. */
#include "net/net_parts.h"

#include "core/fail.h"

#include <math.h>

static bool row_is_finite(const float *row, size_t floats) {
    for (size_t i = 0; i < floats; i++)
        if (!isfinite(row[i])) return false;
    return true;
}

static bool map_is_finite(const tips_map *map) {
    for (int n = 0; map->data && n < map->n; n++)
        for (int b = 0; b < map->blocks; b++)
            for (int y = 0; y < map->h; y++)
                if (!row_is_finite(tips__plane(map, n, b) + y * map->sh, (size_t)map->w * (size_t)map->lanes))
                    return false;
    return true;
}

static tips_status check_inputs(const tips_net *net, const net_op *op) {
    for (int j = 0; j < op->op.n_in; j++) {
        const tips_value_info *info = &net->graph->values[op->in[j]];
        if (info->kind != TIPS_MAP || info->producer >= 0 || map_is_finite(&op->op.in[j].map)) continue;
        TIPS_FAIL(TIPS_NUMERIC, "the %s holds a value that is not a finite number",
                  tips__value_name(net->graph, op->in[j]));
    }
    return TIPS_OK;
}

static tips_status check_params(const tips_net *net, const tips_node *node) {
    for (int i = 0; i < node->n_params; i++) {
        const int id = node->params[i];
        if (row_is_finite(net->params->data[id], net->params->floats[id])) continue;
        TIPS_FAIL(TIPS_NUMERIC, "layer '%s' (%s): %s holds a value that is not a finite number", node->name,
                  node->layer->name, net->graph->params[id].name);
    }
    return TIPS_OK;
}

tips_status tips__net_check_op(const tips_net *net, const net_op *op) {
    const tips_node *node = op->op.node;
    TIPS_TRY(check_inputs(net, op));
    TIPS_TRY(check_params(net, node));
    bool finite = isfinite(op->op.aux[TIPS_AUX_FM]) && isfinite(op->op.aux[TIPS_AUX_UNDO]);
    for (int j = 0; j < op->op.n_out && finite; j++)
        finite = net->graph->values[op->out[j]].kind != TIPS_MAP || map_is_finite(&op->op.out[j].map);
    if (finite) return TIPS_OK;
    TIPS_FAIL(TIPS_NUMERIC, "layer '%s' (%s) gives a value that is not a finite number", node->name, node->layer->name);
}

tips_status tips__net_check_outputs(const tips_net *net) {
    for (int i = 0; i < net->graph->n_outputs; i++) {
        const tips_value value = net->graph->outputs[i];
        const tips_map map = tips__net_map(net, value);
        if (!net->values[value].data) continue; /* the pass did not want it */
        if (net->graph->values[value].kind == TIPS_MAP && !map_is_finite(&map))
            TIPS_FAIL(TIPS_NUMERIC, "the output '%s' holds a value that is not a finite number",
                      tips__value_name(net->graph, value));
    }
    return TIPS_OK;
}
