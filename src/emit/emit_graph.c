/* Emitting a graph: node by node, a norm that alone follows a convolution folded into it, what nothing reads left out.
 */
#include "emit/emit_parts.h"
#include "graph/graph.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* What is read, and by how many. */
typedef struct walk {
    int outputs;  /* of the graph, that lead to those of the file */
    bool *needed; /* (nodes) */
    bool *folded; /* (nodes): a norm that went into a convolution */
    int *readers; /* (values) */
} walk;

static void find_needed(const tips_graph *g, walk *w) {
    for (int i = 0; i < w->outputs; i++) w->readers[g->outputs[i]]++;
    for (int i = g->n_nodes - 1; i >= 0; i--) {
        const tips_node *node = g->nodes[i];
        for (int j = 0; j < node->n_out; j++) w->needed[i] = w->needed[i] || w->readers[node->out[j]] > 0;
        for (int j = 0; j < node->n_in && w->needed[i]; j++) w->readers[node->in[j]]++;
    }
}

/* Only these make one pixel out of any map; others keep it. */
static bool makes_pixel(const tips_emitter *to, const tips_node *node) {
    if (node->layer->flags & TIPS_LAYER_ONE_PIXEL) return true;
    for (int i = 0; i < node->n_in; i++)
        if (to->graph->values[node->in[i]].kind == TIPS_MAP && !to->pixel[node->in[i]]) return false;
    return true;
}

static void find_pixels(tips_emitter *to) {
    for (int i = 0; i < to->graph->n_nodes; i++) {
        const tips_node *node = to->graph->nodes[i];
        const bool makes = makes_pixel(to, node);
        for (int j = 0; j < node->n_out; j++) {
            const tips_value_info *info = &to->graph->values[node->out[j]];
            to->pixel[node->out[j]] = makes && info->h == 1 && info->w == 1;
        }
    }
}

static bool is_output(const tips_graph *g, const walk *w, tips_value value) {
    for (int i = 0; i < w->outputs; i++)
        if (g->outputs[i] == value) return true;
    return false;
}

static const tips_node *norm_after(const tips_graph *g, const walk *w, const tips_node *node) {
    const tips_value out = node->out[0];
    if (!(node->layer->flags & TIPS_LAYER_TAKES_NORM) || w->readers[out] != 1 || is_output(g, w, out)) return NULL;
    for (int i = node->id + 1; i < g->n_nodes; i++)
        if (w->needed[i] && g->nodes[i]->layer->fold_eps && g->nodes[i]->in[0] == out) return g->nodes[i];
    return NULL;
}

static tips_status check_outputs(const tips_emitter *to, const walk *w, const tips_node *node) {
    for (int i = 0; i < node->n_out; i++) {
        const tips_value v = node->out[i];
        if (w->readers[v] > 0 && to->map[v] == TIPS_NO_OPERAND && to->vector[v] == TIPS_NO_OPERAND)
            TIPS_FAIL(TIPS_UNSUPPORTED, "layer '%s': output %d of %s cannot be exported", node->name, i,
                      node->layer->name);
    }
    return TIPS_OK;
}

/* Indices are phases: one number a map, chosen by a node. */
static tips_status check_indices(const tips_graph *g, const tips_node *node) {
    for (int i = 0; i < node->n_in; i++) {
        const tips_value_info *info = &g->values[node->in[i]];
        if (info->kind != TIPS_INDEX) continue;
        if (info->producer < 0)
            TIPS_FAIL(TIPS_UNSUPPORTED, "layer '%s' (%s) reads the index '%s' that comes in: it cannot be exported",
                      node->name, node->layer->name, tips__value_name(g, node->in[i]));
        if (!tips__is_number(info))
            TIPS_FAIL(TIPS_UNSUPPORTED, "layer '%s' (%s) reads an index of %dx%dx%d numbers: it cannot be exported",
                      node->name, node->layer->name, info->c, info->h, info->w);
    }
    return TIPS_OK;
}

static tips_status emit_node(tips_emitter *to, walk *w, const tips_node *node, bool keep_bn) {
    if (!node->layer->emit)
        TIPS_FAIL(TIPS_UNSUPPORTED, "layer '%s' (%s) cannot be exported", node->name, node->layer->name);
    TIPS_TRY(check_indices(to->graph, node));
    to->node = node;
    to->norm = keep_bn ? NULL : norm_after(to->graph, w, node);
    if (to->norm) w->folded[to->norm->id] = true, to->record.folded++;
    TIPS_TRY(node->layer->emit(to, node));
    to->node = to->norm = NULL;
    if (to->status != TIPS_OK) TIPS_FAIL(to->status, "%s", to->error);
    return check_outputs(to, w, node);
}

static tips_status emit_nodes(tips_emitter *to, walk *w, bool keep_bn) {
    for (int i = 0; i < to->graph->n_nodes; i++) {
        const tips_node *node = to->graph->nodes[i];
        if (!w->needed[i]) continue;
        if (w->folded[i]) to->map[node->out[0]] = to->map[node->in[0]];
        else TIPS_TRY(emit_node(to, w, node, keep_bn));
    }
    return TIPS_OK;
}

static tips_status add_input(tips_emitter *to) {
    tips_value input = TIPS_NO_VALUE;
    for (int v = 0; v < to->graph->n_values; v++) {
        const tips_value_info *info = &to->graph->values[v];
        if (info->producer >= 0 || info->kind != TIPS_MAP) continue;
        if (input != TIPS_NO_VALUE) TIPS_FAIL(TIPS_UNSUPPORTED, "a network with several inputs cannot be exported");
        input = v;
    }
    if (input == TIPS_NO_VALUE) TIPS_FAIL(TIPS_INVALID, "the network has no input");
    const tips_value_info info = to->graph->values[input];
    to->record.input_info = info;
    to->record.input = to->map[input] =
        tips__emit_tensor(to, "input", (tips_recorded_tensor){.kind = TIPS_TENSOR_INPUT, .type = TIPS_OPERAND_FLOAT});
    return to->status == TIPS_OK ? TIPS_OK : tips__fail(to->status, "%s", to->error);
}

static tips_status rename_tensor(tips_emitter *to, tips_operand operand, const char *name) {
    char *copy = tips__strdup(name);
    if (!copy) TIPS_FAIL(TIPS_MEMORY, "out of memory while writing down a network");
    tips__free(to->record.tensors[operand].name);
    to->record.tensors[operand].name = copy;
    return TIPS_OK;
}

/* Names are those of computed tensors, and each is one output's own. */
static tips_operand own_tensor(tips_emitter *to, tips_operand operand) {
    bool is_own = operand == TIPS_NO_OPERAND || to->record.tensors[operand].kind == TIPS_TENSOR_COMPUTED;
    for (int i = 0; i < to->record.n_outputs; i++) is_own = is_own && to->record.outputs[i].operand != operand;
    return is_own ? operand : tips__emit_unary(to, "Identity", operand);
}

void tips__emit_output(tips_emitter *to, const char *name, tips_operand operand, tips_operand_type type,
                       const tips_extent *dims, int n_dims, const char *text) {
    tips_recorded_output made = {own_tensor(to, operand), type, n_dims, {{0}}, text};
    if (to->status != TIPS_OK) return;
    if (to->record.n_outputs == TIPS_MOST_RECORDED) {
        tips__emit_fail(to, tips__fail(TIPS_RANGE, "a network with more than %d outputs", TIPS_MOST_RECORDED));
        return;
    }
    memcpy(made.dims, dims, (size_t)n_dims * sizeof *dims);
    tips__emit_fail(to, rename_tensor(to, made.operand, name));
    to->record.outputs[to->record.n_outputs++] = made;
}

tips_operand tips__emit_value(tips_emitter *to, tips_value value) {
    const tips_node stand_in = {.name = "", .n_in = 1, .in = {value}};
    return tips__emit_in(to, &stand_in, 0);
}

static void add_logits(tips_emitter *to) {
    const tips_value value = to->graph->outputs[0];
    const tips_node stand_in = {.name = "", .n_in = 1, .in = {value}};
    const tips_value_info info = to->graph->values[value];
    const bool is_map = info.h != 1 || info.w != 1;
    const tips_operand operand = is_map ? tips__emit_value(to, value) : tips__emit_in_vector(to, &stand_in, 0);
    const bool is_fixed = to->record.fixed_by;
    const tips_extent dims[] = {
        {"N", 0}, {NULL, info.c}, {is_fixed ? NULL : "OH", info.h}, {is_fixed ? NULL : "OW", info.w}};
    tips__emit_output(to, "logits", operand, TIPS_OPERAND_FLOAT, dims, is_map ? 4 : 2, "a score for each class");
}

static tips_status add_outputs(tips_emitter *to, const tips_emit_end *end) {
    if (end) TIPS_TRY(end->finish(to, end->context));
    else add_logits(to);
    if (to->status != TIPS_OK) TIPS_FAIL(to->status, "%s", to->error);
    return rename_tensor(to, to->record.input, "input");
}

/* Backwards from the outputs: which operators and tensors lead to it. */
static void mark_used(tips_record *r) {
    r->tensors[r->input].used = true;
    for (int i = 0; i < r->n_outputs; i++) r->tensors[r->outputs[i].operand].used = true;
    for (int i = r->n_ops - 1; i >= 0; i--) {
        tips_recorded_op *op = &r->ops[i];
        for (int j = 0; j < op->n_out; j++) op->used = op->used || r->tensors[op->first_out + j].used;
        for (int j = 0; j < op->n_in && op->used; j++)
            if (op->in[j] != TIPS_NO_OPERAND) r->tensors[op->in[j]].used = true;
    }
}

static tips_status new_operands(tips_operand **out, int count) {
    TIPS_TRY(tips__new(out, (size_t)(count + 1) * sizeof **out, "the names of values"));
    for (int i = 0; i <= count; i++) (*out)[i] = TIPS_NO_OPERAND;
    return TIPS_OK;
}

static tips_status run(tips_emitter *to, walk *w, const tips_emit_options *options) {
    const tips_graph *g = to->graph;
    TIPS_TRY(new_operands(&to->map, g->n_values));
    TIPS_TRY(new_operands(&to->vector, g->n_values));
    TIPS_TRY(new_operands(&to->param, g->n_params));
    TIPS_TRY(tips__new_zero(&to->pixel, (size_t)g->n_values + 1, "the nodes of a network"));
    TIPS_TRY(tips__new_zero(&w->needed, (size_t)g->n_nodes + 1, "the nodes of a network"));
    TIPS_TRY(tips__new_zero(&w->folded, (size_t)g->n_nodes + 1, "the nodes of a network"));
    TIPS_TRY(tips__new_zero(&w->readers, ((size_t)g->n_values + 1) * sizeof(int), "the nodes of a network"));
    find_needed(g, w);
    find_pixels(to);
    TIPS_TRY(add_input(to));
    TIPS_TRY(emit_nodes(to, w, options->keep_bn));
    TIPS_TRY(add_outputs(to, options->end));
    mark_used(&to->record);
    return TIPS_OK;
}

tips_status tips__emit_graph(const tips_params *params, const tips_emit_options *options, tips_emitter **out) {
    const tips_graph *g = params->graph;
    const int opset = options->opset ? options->opset : TIPS_DEFAULT_OPSET;
    tips_emitter *to;
    walk w = {.outputs = options->end ? g->n_outputs : 1};
    if (opset < TIPS_LOWEST_OPSET || opset > TIPS_HIGHEST_OPSET)
        TIPS_FAIL(TIPS_RANGE, "opset %d is out of range; it takes %d..%d", opset, TIPS_LOWEST_OPSET,
                  TIPS_HIGHEST_OPSET);
    if (g->status != TIPS_OK) TIPS_FAIL(g->status, "%s", g->error);
    if (g->n_outputs < 1) TIPS_FAIL(TIPS_INVALID, "the network has no output");
    if (g->values[g->outputs[0]].kind != TIPS_MAP)
        TIPS_FAIL(TIPS_UNSUPPORTED, "the network's output is an index: it cannot be exported");
    TIPS_TRY(tips__new_zero(&to, sizeof *to, "a record of a network"));
    to->graph = g;
    to->params = params;
    to->record.opset = opset;
    const tips_status status = run(to, &w, options);
    tips__free(w.needed);
    tips__free(w.folded);
    tips__free(w.readers);
    if (status == TIPS_OK) *out = to;
    else tips__emit_destroy(to);
    return status;
}
