/* Running a compiled net, step by step. */
#include "net/alarm.h"
#include "net/net_parts.h"

#include "core/fail.h"
#include "core/threads.h"
#include "tensor/pad.h"

#include <string.h>

enum { MOST_FALSE_ALARMS = 3 }; /* of a net; a kernel then raises the flag for reasons of its own */

static tips_map bound(tips_map map, float *buffer, const tips_padding *halo) {
    map.data = tips__map_inside(&map, buffer, halo);
    return map;
}

static void bind_slot(tips_slot *slot, const net_value *v, int slice, bool backward, bool gradient) {
    slot->map = bound(v->map, backward ? v->replayed : v->data, &v->halo);
    slot->diff = bound(v->diff, gradient ? v->gradient : NULL, &v->halo);
    slot->index = v->index ? v->index + (size_t)slice * index_count(v) : NULL;
    if (slot->map.data && v->whole) slot->map.data += (ptrdiff_t)slice * v->map.n * v->map.sn;
}

tips_map tips__net_whole_map(const tips_net *net, const net_value *v) {
    tips_map map = bound(v->map, v->data, &v->halo);
    if (v->whole) map.n *= net->slices;
    return map;
}

uint64_t tips__op_stream(const char *name, uint64_t step) {
    uint64_t hash = 7809847782465536322u;
    for (; *name; name++) hash = tips__rng_mix(hash, (unsigned char)*name);
    return tips__rng_mix(hash, step);
}

static void bind_op(tips_net *net, net_op *op, step_kind kind) {
    const bool backward = kind == STEP_BACKWARD;
    const int scratch = backward ? op->backward_scratch : op->forward_scratch;
    const bool none = scratch == NO_BUFFER || kind == STEP_REPLAY; /* then nothing may be read or written there */
    op->op.scratch = net->arena + (none ? net->arena_bytes : net->buffers[scratch].offset);
    op->op.replay = kind == STEP_REPLAY;
    for (int j = 0; j < op->op.n_in; j++)
        bind_slot(&op->op.in[j], &net->values[op->in[j]], net->slice, kind != STEP_FORWARD, op->op.in[j].want_diff);
    for (int j = 0; j < op->op.n_out; j++)
        bind_slot(&op->op.out[j], &net->values[op->out[j]], net->slice, kind != STEP_FORWARD,
                  net->values[op->out[j]].has_diff);
    op->op.rng = (tips_rng){net->options.seed, tips__op_stream(op->op.node->name, net->step)};
    op->op.relative_undo = net->relative_undo;
    const bool weighs = net->aux_ops && net->options.pass.losses;
    op->op.aux_weight[TIPS_AUX_FM] = weighs ? net->weights.fm / net->aux_ops : 0;
    op->op.aux_weight[TIPS_AUX_UNDO] = weighs ? net->weights.undo / net->aux_ops : 0;
}

static tips_status run_forward(tips_net *net, net_op *op, step_kind kind) {
    bind_op(net, op, kind);
    TIPS_TRY(op->op.node->layer->forward(&op->op));
    for (int j = 0; j < op->op.n_out; j++)
        if (!tips__pad_none(&op->op.out[j].halo)) tips__halo_fill(&op->op.out[j].map, &op->op.out[j].halo);
    return net->checking ? tips__net_check_op(net, op) : TIPS_OK;
}

static tips_status run_backward(tips_net *net, net_op *op) {
    bind_op(net, op, STEP_BACKWARD);
    TIPS_TRY(op->op.node->layer->backward(&op->op));
    if (op->adds) tips__net_add_shared(net, op);
    return TIPS_OK;
}

static tips_status run_step(tips_net *net, const net_step *step) {
    net_op *op = &net->ops[step->op];
    const double start = net->timing ? omp_get_wtime() : 0;
    tips_status status = TIPS_OK;
    if (step->kind == STEP_BACKWARD)
        status = run_backward(net, op);
    else if (step->kind != STEP_SEED)
        status = run_forward(net, op, step->kind);
    if (!net->timing || step->kind == STEP_SEED) return status;
    *(step->kind == STEP_FORWARD ? &op->forward_seconds : &op->backward_seconds) += omp_get_wtime() - start;
    return status;
}

static double mean_loss(const tips_net *net, const graph_loss *loss) {
    const tips_map map =
        bound(net->values[loss->value].map, net->values[loss->value].data, &net->values[loss->value].halo);
    double sum = 0;
    for (int n = 0; n < map.n; n++) sum += tips__plane(&map, n, 0)[0];
    return loss->weight * sum / map.n;
}

static double task_weight(const tips_net *net) { return net->aux_ops ? net->weights.task : 1; }

static void sum_losses(tips_net *net) {
    tips_losses l = {0};
    for (int i = 0; i < net->graph->n_losses; i++) l.task += mean_loss(net, &net->graph->losses[i]);
    for (int i = 0; i < net->n_ops; i++) {
        if (!(net->ops[i].op.node->layer->flags & TIPS_LAYER_AUX)) continue;
        l.fm += net->ops[i].op.aux[TIPS_AUX_FM] / net->aux_ops;
        l.undo += net->ops[i].op.aux[TIPS_AUX_UNDO] / net->aux_ops;
    }
    l.total = task_weight(net) * l.task + net->weights.fm * l.fm + net->weights.undo * l.undo;
    net->losses = l;
}

static tips_status run_forward_steps(tips_net *net) {
    for (net->slice = 0; net->slice < net->slices; net->slice++)
        for (int s = 0; s < net->n_steps && net->steps[s].kind == STEP_FORWARD; s++)
            TIPS_TRY(run_step(net, &net->steps[s]));
    net->slice = 0;
    return TIPS_OK;
}

/* Fused functions and maxima turn NaN into numbers, so that a look at the outputs alone is not enough. */
static tips_status run_watched(tips_net *net) {
    const bool before = tips__alarm_set();
    tips_status status = run_forward_steps(net);
    const bool rang = tips__alarm_rang() && net->false_alarms < MOST_FALSE_ALARMS;
    if (status == TIPS_OK && (rang || tips__net_check_outputs(net) != TIPS_OK)) {
        status = tips__net_search(net);
        tips__alarm_rang(); /* of the search */
    }
    tips__alarm_give_back(before);
    return status;
}

/* A pass that goes back, or that takes the batch's statistics, fuses no function that hides a NaN; its loss tells, as
 * that of any other pass with losses. */
static bool is_watched(const tips_net *net) {
    const tips_pass *pass = &net->options.pass;
    return !net->checking && !pass->losses && !pass->batch_statistics && !tips__goes_back(pass);
}

tips_status tips__net_forward(tips_net *net) {
    net->seeds_set = false;
    TIPS_TRY(is_watched(net) ? run_watched(net) : run_forward_steps(net));
    /* The running statistics have moved: nets that folded them must fold again. */
    if (net->options.pass.batch_statistics) net->params->version++;
    if (net->options.pass.losses) sum_losses(net);
    return TIPS_OK;
}

static void clear_seeds(tips_net *net) {
    for (int v = 0; v < net->graph->n_values; v++) {
        if (!net->values[v].seeded || !net->values[v].gradient) continue;
        const tips_map diff = bound(net->values[v].diff, net->values[v].gradient, &net->values[v].halo);
        tips__map_zero(&diff);
    }
    net->seeds_set = true;
}

static void seed_losses(tips_net *net) {
    for (int i = 0; net->options.pass.losses && i < net->graph->n_losses; i++) {
        const net_value *v = &net->values[net->graph->losses[i].value];
        const tips_map diff = bound(v->diff, v->gradient, &v->halo);
        const float seed = (float)(task_weight(net) * net->graph->losses[i].weight / diff.n);
        for (int n = 0; n < diff.n; n++) tips__plane(&diff, n, 0)[0] += seed;
    }
}

static void clear_gradients(tips_net *net) {
    const tips_params *p = net->params;
    for (int i = 0; net->options.pass.param_gradients && i < p->count; i++) /* convolutions write theirs whole */
        if (p->diff[i] && net->graph->params[i].layout != TIPS_CONV)
            memset(p->diff[i], 0, p->floats[i] * sizeof(float));
}

tips_status tips__net_backward(tips_net *net) {
    if (!tips__goes_back(&net->options.pass))
        TIPS_FAIL(TIPS_INVALID, "this network was compiled for evaluation and has no backward pass");
    if (!net->seeds_set) clear_seeds(net);
    seed_losses(net);
    clear_gradients(net);
    for (int s = net->n_ops; s < net->n_steps; s++) TIPS_TRY(run_step(net, &net->steps[s]));
    return TIPS_OK;
}

static tips_status check_value(const tips_net *net, tips_value value, tips_value_kind kind) {
    if (value < 0 || value >= net->graph->n_values || net->graph->values[value].kind != kind)
        TIPS_FAIL(TIPS_INVALID, "value %d is not %s of this graph", value, kind == TIPS_MAP ? "a map" : "an index");
    return TIPS_OK;
}

tips_status tips__net_set_map(tips_net *net, tips_value value, const float *nchw) {
    TIPS_TRY(check_value(net, value, TIPS_MAP));
    const net_value *v = &net->values[value];
    const tips_map map = tips__net_whole_map(net, v);
    tips__map_from_nchw(&map, nchw);
    if (!tips__pad_none(&v->halo)) tips__halo_fill(&map, &v->halo);
    return TIPS_OK;
}

tips_status tips__net_set_index(tips_net *net, tips_value value, const int32_t *index) {
    TIPS_TRY(check_value(net, value, TIPS_INDEX));
    memcpy(net->values[value].index, index,
           (size_t)net->slices * index_count(&net->values[value]) * sizeof *index);
    return TIPS_OK;
}

tips_status tips__net_set_output_gradient(tips_net *net, tips_value value, const float *nchw) {
    TIPS_TRY(check_value(net, value, TIPS_MAP));
    const net_value *v = &net->values[value];
    if (!v->seeded || !v->gradient) TIPS_FAIL(TIPS_INVALID, "value %d takes no gradient from outside", value);
    if (!net->seeds_set) clear_seeds(net);
    const tips_map diff = bound(v->diff, v->gradient, &v->halo);
    tips__map_from_nchw(&diff, nchw);
    return TIPS_OK;
}

tips_status tips__net_get_map(const tips_net *net, tips_value value, float *nchw) {
    TIPS_TRY(check_value(net, value, TIPS_MAP));
    const net_value *v = &net->values[value];
    if (!v->data) TIPS_FAIL(TIPS_INVALID, "value %d was fused away; mark it as an output", value);
    if (net->slices > 1 && !v->whole) TIPS_FAIL(TIPS_INVALID, "value %d was overwritten; mark it as an output", value);
    const tips_map map = tips__net_whole_map(net, v);
    tips__map_to_nchw(&map, nchw);
    return TIPS_OK;
}

tips_status tips__net_get_input_gradient(const tips_net *net, tips_value value, float *nchw) {
    TIPS_TRY(check_value(net, value, TIPS_MAP));
    const net_value *v = &net->values[value];
    if (net->graph->values[value].producer >= 0) TIPS_FAIL(TIPS_INVALID, "value %d is not an input", value);
    if (!v->gradient) TIPS_FAIL(TIPS_INVALID, "no gradient reaches value %d", value);
    const tips_map diff = bound(v->diff, v->gradient, &v->halo);
    tips__map_to_nchw(&diff, nchw);
    return TIPS_OK;
}

tips_map tips__net_map(const tips_net *net, tips_value value) {
    return tips__net_whole_map(net, &net->values[value]);
}

const int32_t *tips__net_index(const tips_net *net, tips_value value) { return net->values[value].index; }

static const net_op *op_of_node(const tips_net *net, int node) {
    for (int i = 0; i < net->n_ops; i++)
        if (net->ops[i].op.node->id == node) return &net->ops[i];
    return NULL;
}

const float *tips__net_margin(const tips_net *net, int node) {
    const net_op *op = op_of_node(net, node);
    return op ? op->op.margin : NULL;
}

void tips__net_set_weights(tips_net *net, tips_loss_weights weights) { net->weights = weights; }
void tips__net_set_relative_undo(tips_net *net, bool relative) { net->relative_undo = relative; }
tips_losses tips__net_losses(const tips_net *net) { return net->losses; }
bool tips__net_has_aux(const tips_net *net) { return net->aux_ops > 0; }
void tips__net_check(tips_net *net, bool on) { net->checking = on; }
void tips__net_set_step(tips_net *net, uint64_t step) { net->step = step; }

void tips__net_set_momentum(tips_net *net, double momentum) {
    for (int i = 0; i < net->n_ops; i++) net->ops[i].op.momentum = momentum;
}

tips_net_memory tips__net_memory(const tips_net *net) {
    tips_net_memory m = {.arena = net->arena_bytes, .buffers = net->n_buffers, .replays = net->n_replays};
    for (int i = 0; i < net->n_buffers; i++) m.unplanned += net->buffers[i].bytes;
    return m;
}

void tips__net_time_ops(tips_net *net, bool on) {
    net->timing = on;
    for (int i = 0; i < net->n_ops; i++) net->ops[i].forward_seconds = net->ops[i].backward_seconds = 0;
}

int tips__net_op_count(const tips_net *net) { return net->n_ops; }

tips_op_time tips__net_op_time(const tips_net *net, int i) {
    const net_op *op = &net->ops[i];
    const tips_layer *layer = op->op.node->layer;
    double multiply_adds = layer->multiply_adds ? layer->multiply_adds(net->graph, op->op.node) : 0;
    if (op->op.expand) multiply_adds += layer->multiply_adds(net->graph, op->op.expand->node);
    return (tips_op_time){op->op.node->name, op->op.expand ? "conv2d x 2" : layer->name, op->forward_seconds,
                          op->backward_seconds, multiply_adds};
}
