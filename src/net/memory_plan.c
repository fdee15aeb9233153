/* The memory plan: what each buffer lives through, and where it lies in the one arena. Outputs of layers that can be
 * run again are dropped after their last use in forward; gradients are written over those they come from where the
 * layer allows it. */
#include "net/net_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "layer/layers.h"

#include <stdlib.h>

static tips_status add_buffer(tips_net *net, size_t bytes, int begin, int end, int *out) {
    if (net->n_buffers == net->buffer_room) {
        const int room = net->buffer_room ? 2 * net->buffer_room : 64;
        net_buffer *larger =
            tips__grow(net->buffers, (size_t)net->n_buffers * sizeof *larger, (size_t)room * sizeof *larger);
        if (!larger) TIPS_FAIL(TIPS_MEMORY, "out of memory while planning memory");
        net->buffers = larger;
        net->buffer_room = room;
    }
    const size_t rounded = (bytes + TIPS_ALIGN - 1) / TIPS_ALIGN * TIPS_ALIGN;
    net->buffers[net->n_buffers] = (net_buffer){rounded, 0, begin, end};
    *out = net->n_buffers++;
    return TIPS_OK;
}

static void use_at(tips_net *net, int buffer, int step) {
    if (buffer == NO_BUFFER) return;
    if (step < net->buffers[buffer].begin) net->buffers[buffer].begin = step;
    if (step > net->buffers[buffer].end) net->buffers[buffer].end = step;
}

static size_t index_bytes(const tips_net *net, const net_value *v) {
    return (size_t)net->slices * index_count(v) * sizeof(int32_t);
}

static size_t value_bytes(const tips_net *net, tips_value v) {
    const net_value *value = &net->values[v];
    return tips__map_buffer_bytes(&value->map) * (size_t)(value->whole ? net->slices : 1);
}

/* The output may take over the residual's buffer if this is the last that anyone sees of it. */
static bool may_alias(const tips_net *net, int step, const net_op *op) {
    if (op->op.residual < 0 || op->op.node->layer != &tips__layer_conv2d || net->options.keep_all) return false;
    const tips_value v = op->in[op->op.residual];
    const net_value *value = &net->values[v], *out = &net->values[op->out[0]];
    if (value->root != v || out->root != op->out[0] || value->whole != out->whole) return false;
    if (net->graph->values[v].producer < 0 || value->buffer == NO_BUFFER) return false;
    if (value->map.sn != out->map.sn || value->map.sh != out->map.sh) return false;
    for (int i = 0; i < net->graph->n_outputs; i++)
        if (net->graph->outputs[i] == v) return false;
    for (int s = step + 1; s < net->n_steps; s++)
        for (int j = 0; j < net->ops[net->steps[s].op].op.n_in; j++)
            if (net->ops[net->steps[s].op].in[j] == v) return false;
    for (int j = 0; j < op->op.residual; j++)
        if (op->in[j] == v) return false;
    return true;
}

/* The first that is written of several in one buffer brings it. */
static tips_status place_value(tips_net *net, int step, tips_value v) {
    net_value *root = &net->values[net->values[v].root];
    if (root->buffer == NO_BUFFER)
        TIPS_TRY(add_buffer(net, value_bytes(net, net->values[v].root), step, step, &root->buffer));
    net->values[v].buffer = root->buffer;
    use_at(net, root->buffer, root->whole && net->slices > 1 ? 0 : step); /* other slices must not touch it */
    use_at(net, root->buffer, root->whole && net->slices > 1 ? net->n_steps : step);
    return TIPS_OK;
}

static tips_status place_outputs(tips_net *net, int step, net_op *op) {
    for (int j = 0; j < op->op.n_out; j++) {
        net_value *v = &net->values[op->out[j]];
        if (net->graph->values[op->out[j]].kind == TIPS_INDEX) {
            TIPS_TRY(add_buffer(net, index_bytes(net, v), 0, net->n_steps, &v->index_buffer));
        } else if (j == 0 && may_alias(net, step, op)) {
            op->alias = op->op.residual;
            v->buffer = net->values[op->in[op->alias]].buffer;
            use_at(net, v->buffer, step);
        } else {
            TIPS_TRY(place_value(net, step, op->out[j]));
        }
    }
    return TIPS_OK;
}

static tips_status plan_forward(tips_net *net, int step) {
    net_op *op = &net->ops[net->steps[step].op];
    const bool kept = !tips__goes_back(&net->options.pass); /* from one pass to the next */
    if (op->plan.workspace)
        TIPS_TRY(add_buffer(net, op->plan.workspace, kept ? 0 : step, kept ? net->n_steps : step, &op->workspace));
    if (op->plan.forward_scratch) TIPS_TRY(add_buffer(net, op->plan.forward_scratch, step, step, &op->forward_scratch));
    for (int j = 0; j < op->op.n_in; j++) use_at(net, net->values[op->in[j]].buffer, step);
    return place_outputs(net, step, op);
}

static int backward_source(const net_value *v) { return v->replay_buffer != NO_BUFFER ? v->replay_buffer : v->buffer; }

static tips_status plan_replay(tips_net *net, int step) {
    net_op *op = &net->ops[net->steps[step].op];
    use_at(net, op->workspace, step);
    for (int j = 0; j < op->op.n_in; j++) use_at(net, backward_source(&net->values[op->in[j]]), step);
    return add_buffer(net, value_bytes(net, op->out[0]), step, step, &net->values[op->out[0]].replay_buffer);
}

static tips_status need_diff(tips_net *net, tips_value value, int step) {
    net_value *v = &net->values[value];
    if (v->diff_buffer == NO_BUFFER) return add_buffer(net, value_bytes(net, value), step, step, &v->diff_buffer);
    use_at(net, v->diff_buffer, step);
    return TIPS_OK;
}

static bool lies_alike(const net_value *a, const net_value *b) {
    return a->map.n == b->map.n && a->map.blocks == b->map.blocks && a->map.h == b->map.h && a->map.w == b->map.w &&
           a->diff.sn == b->diff.sn && a->diff.sb == b->diff.sb && a->diff.sh == b->diff.sh &&
           a->halo.top == b->halo.top && a->halo.left == b->halo.left && a->halo.bottom == b->halo.bottom &&
           a->halo.right == b->halo.right;
}

/* Nobody reads the gradient of an output after the op that made it: that of one input may take its place. */
static void take_over(tips_net *net, const net_op *op) {
    const net_value *out = &net->values[op->out[0]];
    if (net->options.no_replay || net->options.keep_all || out->diff_buffer == NO_BUFFER) return;
    for (int j = op->op.n_in - 1; j >= 0; j--) { /* a residual first: its gradient lives longer */
        net_value *in = &net->values[op->in[j]];
        if (!(op->plan.in_place >> j & 1) || !op->op.in[j].want_diff || op->op.in[j].accumulate) continue;
        if (in->diff_buffer != NO_BUFFER || !lies_alike(in, out)) continue;
        in->diff_buffer = out->diff_buffer;
        return;
    }
}

static tips_status plan_backward(tips_net *net, int step) {
    net_op *op = &net->ops[net->steps[step].op];
    use_at(net, op->workspace, step);
    if (op->plan.backward_scratch)
        TIPS_TRY(add_buffer(net, op->plan.backward_scratch, step, step, &op->backward_scratch));
    take_over(net, op);
    for (int j = 0; j < op->op.n_in; j++) {
        if (op->plan.keep_in >> j & 1) use_at(net, backward_source(&net->values[op->in[j]]), step);
        if (op->op.in[j].want_diff) TIPS_TRY(need_diff(net, op->in[j], step));
    }
    for (int j = 0; j < op->op.n_out; j++) {
        if (op->plan.keep_out >> j & 1) use_at(net, backward_source(&net->values[op->out[j]]), step);
        if (net->values[op->out[j]].has_diff) TIPS_TRY(need_diff(net, op->out[j], step));
    }
    return TIPS_OK;
}

static tips_status plan_seeds(tips_net *net, int step) {
    for (int v = 0; v < net->graph->n_values; v++)
        if (net->values[v].seeded) TIPS_TRY(need_diff(net, v, step));
    return TIPS_OK;
}

static tips_status plan_inputs(tips_net *net) {
    for (int v = 0; v < net->graph->n_values; v++) {
        const tips_value_info *info = &net->graph->values[v];
        net_value *value = &net->values[v];
        if (info->producer >= 0) continue;
        if (info->kind == TIPS_INDEX)
            TIPS_TRY(add_buffer(net, index_bytes(net, value), 0, net->n_steps, &value->index_buffer));
        else
            TIPS_TRY(add_buffer(net, value_bytes(net, v), 0, net->n_steps, &value->buffer));
    }
    return TIPS_OK;
}

static tips_status plan_lifetimes(tips_net *net) {
    TIPS_TRY(plan_inputs(net));
    for (int s = 0; s < net->n_steps; s++) {
        switch (net->steps[s].kind) {
        case STEP_FORWARD: TIPS_TRY(plan_forward(net, s)); break;
        case STEP_SEED: TIPS_TRY(plan_seeds(net, s)); break;
        case STEP_REPLAY: TIPS_TRY(plan_replay(net, s)); break;
        case STEP_BACKWARD: TIPS_TRY(plan_backward(net, s)); break;
        }
    }
    for (int i = 0; i < net->graph->n_outputs; i++)
        use_at(net, net->values[net->graph->outputs[i]].buffer, net->n_steps);
    for (int i = 0; i < net->graph->n_losses; i++)
        use_at(net, net->values[net->graph->losses[i].value].buffer, net->n_steps);
    for (int v = 0; v < net->graph->n_values; v++) {
        if (net->options.keep_all) use_at(net, net->values[v].buffer, net->n_steps);
        if (net->graph->values[v].producer < 0) use_at(net, net->values[v].diff_buffer, net->n_steps);
    }
    return TIPS_OK;
}

static int larger_first(const void *a, const void *b) {
    const net_buffer *x = *(net_buffer *const *)a, *y = *(net_buffer *const *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->begin - y->begin;
}

static bool overlap_in_time(const net_buffer *a, const net_buffer *b) {
    return a->begin <= b->end && b->begin <= a->end;
}

/* The lowest offset where `buffer` collides with none of the placed ones that live at the same time. */
static size_t lowest_offset(net_buffer *const *placed, int count, const net_buffer *buffer) {
    size_t offset = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int i = 0; i < count; i++) {
            const net_buffer *p = placed[i];
            if (!overlap_in_time(p, buffer) || offset + buffer->bytes <= p->offset || p->offset + p->bytes <= offset)
                continue;
            offset = p->offset + p->bytes;
            moved = true;
        }
    }
    return offset;
}

static tips_status place_buffers(tips_net *net) {
    net_buffer **order;
    TIPS_TRY(tips__new(&order, ((size_t)net->n_buffers + 1) * sizeof(net_buffer *), "the memory plan"));
    for (int i = 0; i < net->n_buffers; i++) order[i] = &net->buffers[i];
    qsort(order, (size_t)net->n_buffers, sizeof *order, larger_first);
    for (int i = 0; i < net->n_buffers; i++) {
        order[i]->offset = lowest_offset(order, i, order[i]);
        const size_t end = order[i]->offset + order[i]->bytes;
        if (end > net->arena_bytes) net->arena_bytes = end;
    }
    tips__free(order);
    return TIPS_OK;
}

static void *at(const tips_net *net, int buffer) {
    return buffer == NO_BUFFER ? NULL : net->arena + net->buffers[buffer].offset;
}

static void bind_values(tips_net *net) {
    for (int v = 0; v < net->graph->n_values; v++) {
        net_value *value = &net->values[v];
        value->data = at(net, value->buffer);
        if (value->data) value->data += value->block * value->map.sb;
        value->replayed = value->replay_buffer == NO_BUFFER ? value->data : at(net, value->replay_buffer);
        value->gradient = at(net, value->diff_buffer);
        value->index = at(net, value->index_buffer);
    }
    for (int i = 0; i < net->n_ops; i++) net->ops[i].op.workspace = at(net, net->ops[i].workspace);
}


static void forget_plan(tips_net *net) {
    tips__free(net->steps);
    net->steps = NULL;
    net->n_steps = net->n_buffers = net->n_replays = 0;
    net->arena_bytes = 0;
    for (int v = 0; v < net->graph->n_values; v++) {
        net_value *value = &net->values[v];
        value->buffer = value->replay_buffer = value->diff_buffer = value->index_buffer = NO_BUFFER;
    }
    for (int i = 0; i < net->n_ops; i++) {
        net_op *op = &net->ops[i];
        op->workspace = op->forward_scratch = op->backward_scratch = NO_BUFFER;
        op->replays = false;
        op->alias = -1;
    }
}

static tips_status plan(tips_net *net, bool replays_stems) {
    forget_plan(net);
    net->replays_stems = replays_stems;
    TIPS_TRY(tips__net_make_steps(net));
    TIPS_TRY(plan_lifetimes(net));
    return place_buffers(net);
}

/* Running the first convolution again pays where the arena gets smaller by an eighth. */
static tips_status choose_plan(tips_net *net) {
    TIPS_TRY(plan(net, false));
    if (!tips__goes_back(&net->options.pass)) return TIPS_OK;
    const size_t usual = net->arena_bytes;
    const int replays = net->n_replays;
    TIPS_TRY(plan(net, true));
    const bool pays = net->n_replays > replays && net->arena_bytes < usual - usual / 8;
    return pays ? TIPS_OK : plan(net, false);
}

tips_status tips__net_plan_memory(tips_net *net) {
    TIPS_TRY(choose_plan(net));
    TIPS_TRY(tips__new(&net->arena, net->arena_bytes, "activations"));
    bind_values(net);
    return TIPS_OK;
}
