/* The usual passes, and which nodes of a graph a pass runs. */
#include "graph/graph.h"

const tips_pass tips__pass_evaluation = {0};
const tips_pass tips__pass_training = {
    .batch_statistics = true, .sampling = true, .losses = true, .param_gradients = true};
const tips_pass tips__pass_input_gradients = {.losses = true, .input_gradients = true};

static bool makes(const tips_node *node, tips_value value) {
    for (int i = 0; i < node->n_out; i++)
        if (node->out[i] == value) return true;
    return false;
}

static bool reads(const tips_node *reader, const tips_node *node) {
    for (int i = 0; i < reader->n_in; i++)
        if (makes(node, reader->in[i])) return true;
    return false;
}

static bool makes_output(const tips_graph *g, const tips_node *node) {
    for (int i = 0; i < g->n_outputs; i++)
        if (makes(node, g->outputs[i])) return true;
    return false;
}

static bool makes_loss(const tips_graph *g, const tips_node *node) {
    for (int i = 0; i < g->n_losses; i++)
        if (makes(node, g->losses[i].value)) return true;
    return false;
}

/* Whether something besides losses comes of a node; what nobody reads may still be looked at. */
static bool leads_elsewhere(const tips_graph *g, const bool *runs, const tips_node *node) {
    bool is_end = !makes_loss(g, node);
    for (int i = node->id + 1; i < g->n_nodes; i++) {
        if (!reads(g->nodes[i], node)) continue;
        if (runs[i]) return true;
        is_end = false;
    }
    return is_end || makes_output(g, node);
}

static bool leads_to_loss(const tips_graph *g, const bool *runs, const tips_node *node) {
    bool leads = makes_loss(g, node);
    for (int i = node->id + 1; i < g->n_nodes && !leads; i++) leads = runs[i] && reads(g->nodes[i], node);
    return leads;
}

void tips__graph_runs(const tips_graph *g, const tips_pass *pass, bool *runs) {
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        if (!pass->losses) runs[i] = leads_elsewhere(g, runs, g->nodes[i]);
        else runs[i] = !pass->losses_only || leads_to_loss(g, runs, g->nodes[i]);
    }
}
