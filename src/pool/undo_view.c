/* psi on plain maps: slow, for a few pictures now and then. */
#include "pool/undo_view.h"

#include "core/threads.h"
#include "pool/tips_pool.h"

bool tips__undo_view(const tips_graph *graph, const tips_node *node, tips_undo_view *out) {
    const tips_family_config *c = node->config;
    if (!(node->layer->flags & TIPS_LAYER_AUX)) return false;
    const tips_value_info *x = tips__value(graph, node->in[0]);
    *out = (tips_undo_view){.x = node->in[0],
                            .psi = TIPS_NO_VALUE,
                            .taps = node->params[0],
                            .padding = c->common.padding,
                            .most = {tips__undo_most(x->h), tips__undo_most(x->w)}};
    if (c->psi == PSI_FULL) out->psi = node->in[tips__family_psi_slot(c)];
    return true;
}

void tips__undo_psi(const tips_undo_view *view, const float *taps, const float *x, const int dims[4], float *psi) {
    const int h = dims[2], w = dims[3];
    TIPS_PARALLEL_FOR (plane, dims[0] * dims[1]) {
        const float *from = x + (ptrdiff_t)plane * h * w, *weights = taps + (ptrdiff_t)(plane % dims[1]) * 9;
        for (int at = 0; at < h * w; at++) {
            double sum = 0;
            for (int t = 0; t < 9; t++) {
                const int row = tips__pad_index(view->padding, at / w + t / 3 - 1, h);
                const int column = tips__pad_index(view->padding, at % w + t % 3 - 1, w);
                if (row >= 0 && column >= 0) sum += (double)weights[t] * from[(ptrdiff_t)row * w + column];
            }
            psi[(ptrdiff_t)plane * h * w + at] = sum > 0 ? (float)sum : 0;
        }
    }
}
