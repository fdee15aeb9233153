/* Convolutions that share weights: one layer at several places of a network. Every other layer adds to the gradients of
 * its parameters, which are cleared first; a convolution writes that of its weights. */
#include "net/net_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

/* Which ops find a gradient already there; the largest of these in *floats. */
static void find_later_ones(tips_net *net, bool *written, size_t *floats) {
    for (int i = net->n_ops - 1; i >= 0; i--) {
        net_op *op = &net->ops[i];
        for (int p = 0; p < op->op.node->n_params && op->runs_backward; p++) {
            const int id = op->op.node->params[p];
            if (!op->op.dparam[p] || net->graph->params[id].layout != TIPS_CONV) continue;
            if (written[id]) op->adds |= 1u << p;
            if (written[id] && net->params->floats[id] > *floats) *floats = net->params->floats[id];
            written[id] = true;
        }
    }
}

tips_status tips__net_share_gradients(tips_net *net) {
    bool *written;
    size_t floats = 0;
    TIPS_TRY(tips__new_zero(&written, (size_t)net->params->count + 1, "shared parameters"));
    find_later_ones(net, written, &floats);
    tips__free(written);
    if (floats == 0) return TIPS_OK;
    TIPS_TRY(tips__new_zero(&net->spare_diff, floats * sizeof *net->spare_diff, "shared gradients"));
    for (int i = 0; i < net->n_ops; i++)
        for (int p = 0; p < net->ops[i].op.node->n_params; p++)
            if (net->ops[i].adds >> p & 1) net->ops[i].op.dparam[p] = net->spare_diff;
    return TIPS_OK;
}

void tips__net_add_shared(const tips_net *net, const net_op *op) {
    for (int p = 0; p < op->op.node->n_params; p++) {
        const int id = op->op.node->params[p];
        if (!(op->adds >> p & 1)) continue;
        float *to = net->params->diff[id];
        for (size_t i = 0; i < net->params->floats[id]; i++) to[i] += net->spare_diff[i];
    }
}
