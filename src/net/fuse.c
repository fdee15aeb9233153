/* Turns nodes into ops, fusing what one pass over memory can do:
 *   norm [+ add] [+ ReLU],
 *   add + ReLU,
 *   conv [+ norm] [+ add] [+ ReLU or another pointwise function, or x sigmoid(x)] [+ fixed grid]
 *                            where no backward pass follows and the norm uses its running statistics; of a grid, only
 *                            the pixels that it keeps are computed; and all of this for a 1x1 conv, which then goes
 *                            along with the depthwise conv behind it, if that is all that reads it.
 * Nodes that the pass does not run become no ops. */
#include "layer/conv2d_pair.h"
#include "layer/layers.h"
#include "layer/pointwise.h"
#include "net/net_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct fuser {
    tips_net *net;
    bool *runs;         /* per node: the pass wants it */
    int *uses;          /* per value: consumers, outputs and losses */
    int *consumer;      /* per value: the last node that reads it */
    bool *absorbed;     /* per node */
    tips_op **expand;   /* per node: a convolution that it will take along */
} fuser;

static void count_uses(const fuser *f) {
    const tips_graph *g = f->net->graph;
    for (int i = 0; i < g->n_nodes; i++)
        for (int j = 0; f->runs[i] && j < g->nodes[i]->n_in; j++) {
            f->uses[g->nodes[i]->in[j]]++;
            f->consumer[g->nodes[i]->in[j]] = i;
        }
    for (int i = 0; i < g->n_outputs; i++) f->uses[g->outputs[i]] += 2;
    for (int i = 0; f->net->options.pass.losses && i < g->n_losses; i++) f->uses[g->losses[i].value] += 2;
}

/* The only node that reads `value`, if it is of `layer` and not taken yet. */
static const tips_node *sole_reader(const fuser *f, tips_value value, const tips_layer *layer) {
    if (f->uses[value] != 1) return NULL;
    const tips_node *node = f->net->graph->nodes[f->consumer[value]];
    return node->layer == layer && !f->absorbed[node->id] ? node : NULL;
}

static void absorb(fuser *f, net_op *op, const tips_node *node) {
    f->absorbed[node->id] = true;
    op->position = node->id;
    op->out[0] = node->out[0];
}

static void fuse_relu(fuser *f, net_op *op) {
    const tips_node *relu = sole_reader(f, op->out[0], &tips__layer_relu);
    if (!relu) return;
    op->op.relu = true;
    absorb(f, op, relu);
}

/* Backward has no order in which to write both parts of a gradient of what is normed and added too. */
static bool may_add(const fuser *f, const net_op *op, const tips_node *add, tips_value residual) {
    if (add->n_in != 2 || add->in[0] == add->in[1]) return false;
    return residual != op->in[0] || !tips__goes_back(&f->net->options.pass);
}

static void fuse_add_relu(fuser *f, net_op *op) {
    const tips_node *add = sole_reader(f, op->out[0], &tips__layer_add);
    const tips_value residual = !add ? TIPS_NO_VALUE : add->in[0] == op->out[0] ? add->in[1] : add->in[0];
    if (add && may_add(f, op, add, residual)) {
        op->op.residual = op->op.n_in;
        op->in[op->op.n_in++] = residual;
        absorb(f, op, add);
    }
    fuse_relu(f, op);
}

static bool takes_small_pictures(const tips_graph *g) {
    enum { SMALL = 64 * 64 };
    for (int v = 0; v < g->n_values; v++)
        if (g->values[v].producer < 0 && g->values[v].kind == TIPS_MAP && g->values[v].h * g->values[v].w > SMALL)
            return false;
    return true;
}

/* The parts of an op that layout decisions look at, for a node that has none yet. */
static tips_op bare_op(const tips_net *net, const tips_node *node) {
    const tips_value_info *x = node->n_in ? &net->graph->values[node->in[0]] : NULL;
    return (tips_op){.node = node, .n = net->options.n / net->slices, .n_in = node->n_in, .n_out = node->n_out,
                     .residual = -1,
                     .pass = tips__node_pass(net->params, node, net->options.pass), .version = &net->params->version,
                     .in_channels = x ? x->c : 0, .in_size = {x ? x->h : 0, x ? x->w : 0},
                     .small_pictures = takes_small_pictures(net->graph),
                     .algorithm = net->options.algorithm};
}

/* A gradient would need the values in between, and the batch's statistics are not known before. */
static bool may_fold(const fuser *f, const tips_node *norm) {
    return !tips__node_pass(f->net->params, norm, f->net->options.pass).batch_statistics;
}

static void fold_norm(fuser *f, net_op *op) {
    const tips_node *norm = sole_reader(f, op->out[0], &tips__layer_batch_norm);
    if (!norm || !may_fold(f, norm)) return;
    for (int i = 0; i < 4; i++) op->op.fold[i] = f->net->params->data[norm->params[i]];
    op->op.fold_eps = ((const tips_batch_norm *)norm->config)->eps;
    absorb(f, op, norm);
}

static void fuse_function(fuser *f, net_op *op) {
    const tips_value value = op->out[0];
    if (f->uses[value] != 1) return;
    const tips_node *node = f->net->graph->nodes[f->consumer[value]];
    if (f->absorbed[node->id] || !tips__is_pointwise(node->layer)) return;
    op->op.function = node;
    absorb(f, op, node);
}

static bool is_product(const tips_node *node, tips_value a, tips_value b) {
    return node->layer == &tips__layer_combine && ((const tips_combine *)node->config)->op == TIPS_COMBINE_MUL &&
           ((node->in[0] == a && node->in[1] == b) || (node->in[0] == b && node->in[1] == a));
}

/* x sigmoid(x): the value is read by the sigmoid and by the product, which is the last of them. */
static void fuse_gate(fuser *f, net_op *op) {
    const tips_graph *g = f->net->graph;
    const tips_value value = op->out[0];
    if (f->uses[value] != 2) return;
    const tips_node *product = g->nodes[f->consumer[value]];
    for (int i = 0; i < product->id; i++) {
        const tips_node *gate = g->nodes[i];
        if (gate->layer != &tips__layer_sigmoid || gate->in[0] != value || f->uses[gate->out[0]] != 1) continue;
        if (!is_product(product, value, gate->out[0])) continue;
        op->op.function = gate;
        op->op.gated = true;
        f->absorbed[gate->id] = true;
        absorb(f, op, product);
        return;
    }
}

/* What a grid leaves out need not be computed; a residual would have to be read on the grid too. */
static void fuse_grid(fuser *f, net_op *op) {
    const tips_value value = op->out[0];
    if (f->uses[value] != 1 || op->op.residual >= 0) return;
    const tips_node *node = f->net->graph->nodes[f->consumer[value]];
    if (f->absorbed[node->id] || !(node->layer->flags & TIPS_LAYER_GRID)) return;
    node->layer->pools(node, op->op.grid);
    absorb(f, op, node);
}

static void fuse_conv(fuser *f, net_op *op) {
    if (tips__goes_back(&f->net->options.pass)) return;
    fold_norm(f, op);
    fuse_add_relu(f, op);
    if (!op->op.relu) fuse_function(f, op);
    if (!op->op.relu && !op->op.function) fuse_gate(f, op);
    fuse_grid(f, op);
}

/* Leaves the last op to the depthwise convolution that alone reads its output. */
static tips_status give_to_reader(fuser *f) {
    const net_op *op = &f->net->ops[f->net->n_ops - 1];
    const tips_node *reader = sole_reader(f, op->out[0], &tips__layer_conv2d);
    if (!reader || tips__goes_back(&f->net->options.pass)) return TIPS_OK;
    const tips_op bare = bare_op(f->net, reader);
    if (!tips__conv2d_pairs(&op->op, &bare)) return TIPS_OK;
    TIPS_TRY(tips__new(&f->expand[reader->id], sizeof *f->expand[reader->id], "a pair of convolutions"));
    *f->expand[reader->id] = op->op;
    f->net->n_ops--;
    return TIPS_OK;
}

static void take_expansion(fuser *f, net_op *op) {
    tips_op **expand = &f->expand[op->op.node->id];
    if (!*expand) return;
    op->op.expand = *expand;
    op->in[0] = op->op.expand->node->in[0];
    *expand = NULL;
}

static void start_op(const tips_net *net, net_op *op, const tips_node *node) {
    *op = (net_op){.op = bare_op(net, node), .position = node->id, .workspace = NO_BUFFER, .forward_scratch = NO_BUFFER,
                   .backward_scratch = NO_BUFFER, .alias = -1};
    memcpy(op->in, node->in, sizeof op->in);
    memcpy(op->out, node->out, sizeof op->out);
    for (int i = 0; i < node->n_params; i++) {
        op->op.param[i] = net->params->data[node->params[i]];
        if (net->options.pass.param_gradients && !tips__param_is_frozen(net->params, node->params[i]))
            op->op.dparam[i] = net->params->diff[node->params[i]];
    }
}

static int by_position(const void *a, const void *b) {
    return ((const net_op *)a)->position - ((const net_op *)b)->position;
}

static tips_status make_ops(fuser *f) {
    tips_net *net = f->net;
    for (int i = 0; i < net->graph->n_nodes; i++) {
        if (!f->runs[i] || f->absorbed[i]) continue;
        const tips_node *node = net->graph->nodes[i];
        net_op *op = &net->ops[net->n_ops++];
        start_op(net, op, node);
        if (net->options.keep_all) continue;
        if (node->layer == &tips__layer_batch_norm) fuse_add_relu(f, op);
        if (node->layer == &tips__layer_add && node->n_in == 2) fuse_relu(f, op);
        if (node->layer != &tips__layer_conv2d) continue;
        take_expansion(f, op);
        fuse_conv(f, op);
        if (!op->op.expand) TIPS_TRY(give_to_reader(f));
    }
    qsort(net->ops, (size_t)net->n_ops, sizeof *net->ops, by_position);
    return TIPS_OK;
}

tips_status tips__net_make_ops(tips_net *net) {
    const size_t values = (size_t)net->graph->n_values + 1, nodes = (size_t)net->graph->n_nodes + 1;
    fuser f = {.net = net};
    tips_status status = tips__new_zero(&f.runs, nodes * sizeof *f.runs, "fusion");
    if (status == TIPS_OK) status = tips__new_zero(&f.uses, values * sizeof *f.uses, "fusion");
    if (status == TIPS_OK) status = tips__new_zero(&f.consumer, values * sizeof *f.consumer, "fusion");
    if (status == TIPS_OK) status = tips__new_zero(&f.absorbed, nodes * sizeof *f.absorbed, "fusion");
    if (status == TIPS_OK) status = tips__new_zero(&f.expand, nodes * sizeof *f.expand, "fusion");
    if (status == TIPS_OK) status = tips__new_zero(&net->ops, nodes * sizeof *net->ops, "the ops");
    if (status == TIPS_OK) {
        tips__graph_runs(net->graph, &net->options.pass, f.runs);
        count_uses(&f);
        status = make_ops(&f);
    }
    for (int i = 0; f.expand && i < net->graph->n_nodes; i++) tips__free(f.expand[i]); /* those that nobody took */
    tips__free(f.runs);
    tips__free(f.uses);
    tips__free(f.consumer);
    tips__free(f.absorbed);
    tips__free(f.expand);
    return status;
}
