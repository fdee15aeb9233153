/* Compiling: fuse nodes into ops, choose layouts, find where gradients flow, let every op plan, place the buffers. */
#include "net/net_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "tensor/pad.h"

#include <math.h>
#include <string.h>

static bool same_border(const tips_padding *a, const tips_padding *b) {
    return a->mode == b->mode && a->top == b->top && a->left == b->left && a->bottom == b->bottom &&
           a->right == b->right;
}

/* The border most of the ops that care want around a value; the others copy. */
static tips_padding vote_halo(const tips_net *net, tips_value value) {
    tips_padding best = {0};
    int best_votes = 0, dense_votes = 0;
    for (int i = 0; i < net->n_ops; i++) {
        const tips_op *op = &net->ops[i].op;
        if (!op->node->layer->reads || net->ops[i].in[0] != value) continue;
        tips_padding wanted = {0};
        const tips_source_layout layout = op->node->layer->reads(op, &wanted);
        dense_votes += layout == TIPS_READS_DENSE;
        if (layout != TIPS_READS_HALO) continue;
        if (best_votes == 0) best = wanted;
        best_votes += same_border(&best, &wanted);
    }
    return best_votes > 0 && best_votes >= dense_votes ? best : (tips_padding){0};
}

bool tips__net_writes_strides(const tips_op *op) {
    const tips_layer *layer = op->node->layer;
    return layer->writes_strides ? layer->writes_strides(op) : (layer->flags & TIPS_LAYER_STRIDED_OUT) != 0;
}

static bool takes_strides(const tips_net *net, tips_value value) {
    for (int i = 0; i < net->n_ops; i++)
        for (int j = 0; j < net->ops[i].op.n_out; j++)
            if (net->ops[i].out[j] == value) return tips__net_writes_strides(&net->ops[i].op);
    return true; /* an input of the graph */
}

static double largest_map(const tips_graph *g) {
    double largest = 1;
    for (int v = 0; v < g->n_values; v++) {
        const tips_value_info *info = &g->values[v];
        const double floats = (double)info->per_sample * info->c * info->h * info->w;
        if (info->kind == TIPS_MAP && floats > largest) largest = floats;
    }
    return largest * sizeof(float);
}

/* Passes that do nothing but compute outputs take few enough samples at a time for the largest map to stay in a cache,
 * and as many each time. */
static int choose_slices(const tips_graph *g, const tips_net_options *options) {
    enum { CACHE_BYTES = 20 << 20 };
    const tips_pass *pass = &options->pass;
    if (tips__goes_back(pass) || pass->losses || pass->batch_statistics || pass->sampling) return 1;
    if (options->keep_all) return 1;
    const double room = CACHE_BYTES / largest_map(g);
    int samples = room < options->n ? (int)room : options->n;
    while (samples > 1 && options->n % samples) samples--;
    return options->n / (samples > 1 ? samples : 1);
}

static bool is_end(const tips_graph *g, tips_value v) {
    for (int i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == v) return true;
    return g->values[v].producer < 0 || g->values[v].kind == TIPS_INDEX;
}

static bool reads_thin(const net_op *op, tips_value value) {
    for (int j = 1; j < op->op.n_in; j++)
        if (op->in[j] == value) return false;
    return op->op.node->layer->reads_thin && op->op.node->layer->reads_thin(&op->op);
}

/* A picture that comes in is thin where all who read it can take it so, and nobody looks at it afterwards. */
static bool may_be_thin(const tips_net *net, tips_value value) {
    const tips_value_info *info = &net->graph->values[value];
    if (info->kind != TIPS_MAP || info->producer >= 0 || info->c > TIPS_THIN) return false;
    if (net->options.keep_all || net->options.pass.input_gradients) return false;
    for (int i = 0; i < net->graph->n_outputs; i++)
        if (net->graph->outputs[i] == value) return false;
    for (int i = 0; i < net->n_ops; i++)
        for (int j = 0; j < net->ops[i].op.n_in; j++)
            if (net->ops[i].in[j] == value && !reads_thin(&net->ops[i], value)) return false;
    return true;
}

static void choose_layouts(tips_net *net) {
    const int samples = net->options.n / net->slices;
    for (int v = 0; v < net->graph->n_values; v++) {
        const tips_value_info *info = &net->graph->values[v];
        net_value *value = &net->values[v];
        value->buffer = value->replay_buffer = value->diff_buffer = value->index_buffer = NO_BUFFER;
        if (info->kind == TIPS_MAP && takes_strides(net, v)) value->halo = vote_halo(net, v);
        value->map = (may_be_thin(net, v) ? tips__map_thin : tips__map_haloed)(
            NULL, samples * info->per_sample, info->c, info->h, info->w, &value->halo);
        value->diff = value->map;
        value->root = v;
        value->whole = is_end(net->graph, v);
    }
}

static bool learns(const tips_op *op) {
    for (int i = 0; i < op->node->n_params; i++)
        if (op->dparam[i]) return true;
    return false;
}

/* From the inputs on: where a gradient is good for something. */
static void find_needs(tips_net *net) {
    const tips_graph *g = net->graph;
    for (int v = 0; v < g->n_values; v++)
        net->values[v].needs_grad =
            net->options.pass.input_gradients && g->values[v].producer < 0 && g->values[v].kind == TIPS_MAP;
    for (int i = 0; i < net->n_ops; i++) {
        const net_op *op = &net->ops[i];
        bool needs = learns(&op->op);
        for (int j = 0; j < op->op.n_in; j++) needs = needs || net->values[op->in[j]].needs_grad;
        for (int j = 0; j < op->op.n_out; j++)
            net->values[op->out[j]].needs_grad =
                needs && op->op.node->layer->backward && g->values[op->out[j]].kind == TIPS_MAP;
    }
}

/* Where gradients start. */
static void find_seeds(tips_net *net) {
    const tips_graph *g = net->graph;
    for (int i = 0; net->options.pass.losses && i < g->n_losses; i++) net->values[g->losses[i].value].seeded = true;
    for (int i = 0; net->options.output_gradients && i < g->n_outputs; i++)
        if (g->values[g->outputs[i]].kind == TIPS_MAP) net->values[g->outputs[i]].seeded = true;
    for (int v = 0; v < g->n_values; v++) net->values[v].has_diff = net->values[v].seeded;
}

/* In backward order: who runs, who writes a gradient first and who adds to it. */
static void order_gradients(tips_net *net) {
    for (int i = net->n_ops - 1; i >= 0; i--) {
        net_op *op = &net->ops[i];
        for (int j = 0; j < op->op.n_out; j++) op->runs_backward |= net->values[op->out[j]].has_diff;
        op->runs_backward &= net->values[op->out[0]].needs_grad;
        for (int j = 0; j < op->op.n_in && op->runs_backward; j++) {
            net_value *v = &net->values[op->in[j]];
            op->op.in[j].want_diff = v->needs_grad;
            if (!v->needs_grad) continue;
            op->op.in[j].accumulate = v->has_diff;
            v->has_diff = true;
        }
    }
}

static void plan_gradients(tips_net *net) {
    if (!tips__goes_back(&net->options.pass)) return;
    find_needs(net);
    find_seeds(net);
    order_gradients(net);
}

static tips_status plan_ops(tips_net *net) {
    for (int i = 0; i < net->n_ops; i++) {
        net_op *op = &net->ops[i];
        for (int j = 0; j < op->op.n_in; j++) {
            op->op.in[j].map = net->values[op->in[j]].map;
            op->op.in[j].diff = net->values[op->in[j]].diff;
            op->op.in[j].halo = net->values[op->in[j]].halo;
        }
        for (int j = 0; j < op->op.n_out; j++) {
            op->op.out[j].map = net->values[op->out[j]].map;
            op->op.out[j].diff = net->values[op->out[j]].diff;
            op->op.out[j].halo = net->values[op->out[j]].halo;
        }
        if (op->op.node->layer->plan) TIPS_TRY(op->op.node->layer->plan(&op->op, &op->plan));
        if (op->op.node->layer->flags & TIPS_LAYER_AUX) net->aux_ops++;
    }
    return TIPS_OK;
}

static tips_status make_margins(tips_net *net) {
    if (!net->options.keep_all) return TIPS_OK;
    const size_t n = (size_t)net->options.n * TIPS_BLOCK;
    TIPS_TRY(tips__new(&net->margins, (size_t)net->n_ops * n * sizeof(float), "margins"));
    for (size_t i = 0; i < (size_t)net->n_ops * n; i++) net->margins[i] = INFINITY;
    for (int i = 0; i < net->n_ops; i++) net->ops[i].op.margin = net->margins + (size_t)i * n;
    return TIPS_OK;
}

static tips_status compile(tips_net *net) {
    TIPS_TRY(tips__new_zero(&net->values, ((size_t)net->graph->n_values + 1) * sizeof *net->values, "the values"));
    net->slices = choose_slices(net->graph, &net->options);
    TIPS_TRY(tips__net_make_ops(net));
    choose_layouts(net);
    tips__net_nest(net);
    plan_gradients(net);
    TIPS_TRY(tips__net_share_gradients(net));
    TIPS_TRY(plan_ops(net));
    TIPS_TRY(make_margins(net));
    return tips__net_plan_memory(net);
}

tips_status tips__net_compile(const tips_graph *graph, tips_params *params, const tips_net_options *options,
                              tips_net **out) {
    if (graph->status != TIPS_OK) TIPS_FAIL(graph->status, "%s", graph->error);
    if (options->n < 1) TIPS_FAIL(TIPS_RANGE, "a batch has at least one sample, not %d", options->n);
    if (options->pass.param_gradients && !params->diff_arena)
        TIPS_FAIL(TIPS_INVALID, "the parameters have no gradients yet");
    tips_net *net;
    TIPS_TRY(tips__new_zero(&net, sizeof *net, "a network"));
    net->graph = graph;
    net->params = params;
    net->options = *options;
    net->weights = (tips_loss_weights){1, 0, 0};
    const tips_status status = compile(net);
    if (status != TIPS_OK) {
        tips__net_destroy(net);
        return status;
    }
    *out = net;
    return TIPS_OK;
}

void tips__net_destroy(tips_net *net) {
    if (!net) return;
    for (int i = 0; net->ops && i < net->n_ops; i++) {
        if (net->ops[i].op.node->layer->release) net->ops[i].op.node->layer->release(&net->ops[i].op);
        tips__free(net->ops[i].op.expand);
    }
    tips__free(net->ops);
    tips__free(net->values);
    tips__free(net->steps);
    tips__free(net->buffers);
    tips__free(net->margins);
    tips__free(net->spare_diff);
    tips__free(net->arena);
    tips__free(net);
}
