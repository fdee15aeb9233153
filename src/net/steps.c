/* The order of steps: forward, then backward, with what was dropped in forward run again just before backward reads it.
 *
 * A layer is run again from its own inputs. Those that are not there any more come first, so that a chain of blocks is
 * made again from its beginning; what backward reads later stays until then. */
#include "net/net_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "layer/layers.h"

static void push_step(tips_net *net, step_kind kind, int op) { net->steps[net->n_steps++] = (net_step){kind, op}; }

static int producer_op(const tips_net *net, tips_value value) {
    for (int i = 0; i < net->n_ops; i++)
        for (int j = 0; j < net->ops[i].op.n_out; j++)
            if (net->ops[i].out[j] == value) return i;
    return -1;
}

static bool is_end(const tips_graph *g, tips_value value) {
    for (int i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == value) return true;
    for (int i = 0; i < g->n_losses; i++)
        if (g->losses[i].value == value) return true;
    return false;
}

static bool backward_reads(const tips_net *net, tips_value value) {
    for (int i = 0; i < net->n_ops; i++) {
        const net_op *op = &net->ops[i];
        for (int j = 0; op->runs_backward && j < op->op.n_in; j++)
            if (op->in[j] == value && op->plan.keep_in >> j & 1) return true;
    }
    return false;
}

static bool can_replay(const tips_net *net, int i);

/* Running a norm again must not keep a residual alive for that alone. */
static bool is_there_again(const tips_net *net, tips_value value) {
    const int maker = producer_op(net, value);
    return maker < 0 || can_replay(net, maker) || backward_reads(net, value);
}

/* A convolution of the picture that comes in: large, of few channels, and cheap. */
static bool is_stem(const tips_net *net, const net_op *op) {
    const tips_value_info *x = &net->graph->values[op->in[0]];
    return op->op.node->layer == &tips__layer_conv2d && op->op.residual < 0 && op->plan.forward_scratch == 0 &&
           x->producer < 0 && x->c <= TIPS_THIN;
}

static bool can_replay(const tips_net *net, int i) {
    const net_op *op = &net->ops[i];
    if (net->options.no_replay || net->options.keep_all || !op->runs_backward) return false;
    if (is_end(net->graph, op->out[0])) return false;
    if (!(op->op.node->layer->flags & TIPS_LAYER_REPLAYS)) return net->replays_stems && is_stem(net, op);
    return op->op.residual < 0 || (op->plan.keep_in & 1 && is_there_again(net, op->in[op->op.residual]));
}

static void push_replay(tips_net *net, tips_value value) {
    const int maker = producer_op(net, value);
    if (maker < 0 || net->ops[maker].replays || !can_replay(net, maker)) return;
    net_op *op = &net->ops[maker];
    op->replays = true;
    for (int j = 0; j < op->op.n_in; j++) push_replay(net, op->in[j]);
    net->n_replays++;
    push_step(net, STEP_REPLAY, maker);
}

/* Replays whatever `op` reads in backward and nobody kept. */
static void push_replays(tips_net *net, int i) {
    const net_op *op = &net->ops[i];
    for (int j = 0; j < op->op.n_in; j++)
        if (op->plan.keep_in >> j & 1) push_replay(net, op->in[j]);
    for (int j = 0; j < op->op.n_out; j++)
        if (op->plan.keep_out >> j & 1) push_replay(net, op->out[j]);
}

tips_status tips__net_make_steps(tips_net *net) {
    TIPS_TRY(tips__new_zero(&net->steps, (3 * (size_t)net->n_ops + 1) * sizeof *net->steps, "the steps"));
    for (int i = 0; i < net->n_ops; i++) push_step(net, STEP_FORWARD, i);
    if (!tips__goes_back(&net->options.pass)) return TIPS_OK;
    push_step(net, STEP_SEED, 0);
    for (int i = net->n_ops - 1; i >= 0; i--) {
        if (!net->ops[i].runs_backward) continue;
        push_replays(net, i);
        push_step(net, STEP_BACKWARD, i);
    }
    return TIPS_OK;
}
