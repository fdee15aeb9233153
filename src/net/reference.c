/* The whole graph in naive double precision, node by node: the oracle. Forward only. */
#include "graph/graph.h"
#include "net/net.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

struct tips_ref_net {
    const tips_graph *graph;
    int n;
    tips_pass pass;
    tips_pass *passes; /* per node: as it takes part */
    bool *runs;        /* per node */
    uint64_t seed, step;
    double **maps;    /* per value */
    int32_t **indices;
    double **params;  /* plain order */
    double (*aux)[TIPS_AUX_COUNT]; /* per node */
    tips_loss_weights weights;
    bool relative_undo;
};

static size_t elements(const tips_ref_net *r, tips_value value) {
    const tips_value_info *info = &r->graph->values[value];
    return (size_t)r->n * (size_t)info->per_sample * (size_t)info->c * (size_t)info->h * (size_t)info->w;
}

static tips_status allocate_values(tips_ref_net *r) {
    const size_t values = (size_t)r->graph->n_values + 1;
    TIPS_TRY(tips__new_zero(&r->maps, values * sizeof *r->maps, "reference values"));
    TIPS_TRY(tips__new_zero(&r->indices, values * sizeof *r->indices, "reference values"));
    for (int v = 0; v < r->graph->n_values; v++) {
        if (r->graph->values[v].kind == TIPS_MAP)
            TIPS_TRY(tips__new_zero(&r->maps[v], elements(r, v) * sizeof(double), "a reference value"));
        else
            TIPS_TRY(tips__new_zero(&r->indices[v], elements(r, v) * sizeof(int32_t), "a reference value"));
    }
    return TIPS_OK;
}

static tips_status copy_param(tips_ref_net *r, const tips_params *params, int i) {
    const size_t count = tips__param_elements(&r->graph->params[i]);
    float *plain;
    TIPS_TRY(tips__new(&r->params[i], count * sizeof(double), "a reference parameter"));
    TIPS_TRY(tips__new(&plain, count * sizeof(float), "a reference parameter"));
    tips__param_get(params, i, plain);
    for (size_t j = 0; j < count; j++) r->params[i][j] = plain[j];
    tips__free(plain);
    return TIPS_OK;
}

static tips_status allocate_passes(tips_ref_net *r, const tips_params *params) {
    const size_t nodes = (size_t)r->graph->n_nodes + 1;
    TIPS_TRY(tips__new_zero(&r->runs, nodes * sizeof *r->runs, "reference nodes"));
    TIPS_TRY(tips__new_zero(&r->passes, nodes * sizeof *r->passes, "reference nodes"));
    tips__graph_runs(r->graph, &r->pass, r->runs);
    for (int i = 0; i < r->graph->n_nodes; i++) r->passes[i] = tips__node_pass(params, r->graph->nodes[i], r->pass);
    return TIPS_OK;
}

static tips_status allocate(tips_ref_net *r, const tips_params *params) {
    TIPS_TRY(allocate_values(r));
    TIPS_TRY(allocate_passes(r, params));
    TIPS_TRY(tips__new_zero(&r->aux, ((size_t)r->graph->n_nodes + 1) * sizeof *r->aux, "reference losses"));
    TIPS_TRY(tips__new_zero(&r->params, ((size_t)r->graph->n_params + 1) * sizeof *r->params, "reference parameters"));
    for (int i = 0; i < r->graph->n_params; i++) TIPS_TRY(copy_param(r, params, i));
    return TIPS_OK;
}

tips_status tips__ref_create(const tips_graph *graph, const tips_params *params, int n, tips_pass pass, uint64_t seed,
                             tips_ref_net **out) {
    if (graph->status != TIPS_OK) TIPS_FAIL(graph->status, "%s", graph->error);
    tips_ref_net *r;
    TIPS_TRY(tips__new_zero(&r, sizeof *r, "a reference network"));
    r->graph = graph;
    r->n = n;
    r->pass = pass;
    r->seed = seed;
    r->weights = (tips_loss_weights){1, 0, 0};
    const tips_status status = allocate(r, params);
    if (status != TIPS_OK) {
        tips__ref_destroy(r);
        return status;
    }
    *out = r;
    return TIPS_OK;
}

void tips__ref_destroy(tips_ref_net *r) {
    if (!r) return;
    for (int v = 0; v < r->graph->n_values; v++) {
        if (r->maps) tips__free(r->maps[v]);
        if (r->indices) tips__free(r->indices[v]);
    }
    for (int i = 0; r->params && i < r->graph->n_params; i++) tips__free(r->params[i]);
    tips__free(r->maps);
    tips__free(r->indices);
    tips__free(r->params);
    tips__free(r->passes);
    tips__free(r->runs);
    tips__free(r->aux);
    tips__free(r);
}

tips_status tips__ref_set_map(tips_ref_net *r, tips_value value, const double *nchw) {
    if (value < 0 || value >= r->graph->n_values || !r->maps[value])
        TIPS_FAIL(TIPS_INVALID, "value %d is not a map", value);
    memcpy(r->maps[value], nchw, elements(r, value) * sizeof *nchw);
    return TIPS_OK;
}

tips_status tips__ref_set_index(tips_ref_net *r, tips_value value, const int32_t *index) {
    if (value < 0 || value >= r->graph->n_values || !r->indices[value])
        TIPS_FAIL(TIPS_INVALID, "value %d is not an index", value);
    memcpy(r->indices[value], index, elements(r, value) * sizeof *index);
    return TIPS_OK;
}

void tips__ref_set_step(tips_ref_net *r, uint64_t step) { r->step = step; }
void tips__ref_set_weights(tips_ref_net *r, tips_loss_weights weights) { r->weights = weights; }
void tips__ref_set_relative_undo(tips_ref_net *r, bool relative) { r->relative_undo = relative; }

static tips_ref_slot slot(const tips_ref_net *r, tips_value v) {
    const tips_value_info *info = &r->graph->values[v];
    return (tips_ref_slot){r->maps[v], r->indices[v], r->n * info->per_sample, info->c, info->h, info->w};
}

static tips_status check_output(const tips_ref_net *r, tips_value value) {
    const tips_value_info *v = &r->graph->values[value];
    const size_t samples = (size_t)r->n * (size_t)v->per_sample;
    const size_t count = v->kind == TIPS_MAP ? samples * (size_t)v->c * (size_t)v->h * (size_t)v->w : 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(r->maps[value][i]))
            TIPS_FAIL(TIPS_NUMERIC, "the output '%s' holds a value that is not a finite number",
                      tips__value_name(r->graph, value));
    return TIPS_OK;
}

tips_status tips__ref_forward(tips_ref_net *r) {
    for (int i = 0; i < r->graph->n_nodes; i++) {
        const tips_node *node = r->graph->nodes[i];
        if (!r->runs[i]) continue;
        tips_ref_op op = {.node = node,
                          .n = r->n,
                          .pass = r->passes[i],
                          .n_in = node->n_in,
                          .n_out = node->n_out,
                          .rng = {r->seed, tips__op_stream(node->name, r->step)},
                          .relative_undo = r->relative_undo};
        for (int j = 0; j < node->n_in; j++) op.in[j] = slot(r, node->in[j]);
        for (int j = 0; j < node->n_out; j++) op.out[j] = slot(r, node->out[j]);
        for (int j = 0; j < node->n_params; j++) op.param[j] = r->params[node->params[j]];
        if (!node->layer->ref)
            TIPS_FAIL(TIPS_UNSUPPORTED, "layer '%s' (%s) has no reference", node->name, node->layer->name);
        TIPS_TRY(node->layer->ref(&op));
        memcpy(r->aux[i], op.aux, sizeof op.aux);
    }
    for (int i = 0; i < r->graph->n_outputs; i++) TIPS_TRY(check_output(r, r->graph->outputs[i]));
    return TIPS_OK;
}

double *tips__ref_map(tips_ref_net *r, tips_value value) { return r->maps[value]; }
int32_t *tips__ref_index(tips_ref_net *r, tips_value value) { return r->indices[value]; }
double *tips__ref_param(tips_ref_net *r, int param) { return r->params[param]; }

tips_losses tips__ref_losses(const tips_ref_net *r) {
    tips_losses l = {0};
    int aux_nodes = 0;
    for (int i = 0; r->pass.losses && i < r->graph->n_losses; i++) {
        const graph_loss *loss = &r->graph->losses[i];
        double sum = 0;
        for (int n = 0; n < r->n; n++) sum += r->maps[loss->value][n];
        l.task += loss->weight * sum / r->n;
    }
    for (int i = 0; i < r->graph->n_nodes; i++) {
        if (!(r->graph->nodes[i]->layer->flags & TIPS_LAYER_AUX)) continue;
        aux_nodes++;
        l.fm += r->aux[i][TIPS_AUX_FM];
        l.undo += r->aux[i][TIPS_AUX_UNDO];
    }
    if (aux_nodes) l.fm /= aux_nodes, l.undo /= aux_nodes;
    l.total = (aux_nodes ? r->weights.task : 1) * l.task + r->weights.fm * l.fm + r->weights.undo * l.undo;
    return l;
}
