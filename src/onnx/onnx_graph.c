/* The graph by numbers instead of names: every value has one source, every input is known, nodes follow what they
 * read. */
#include "onnx/onnx_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINKS = 1 << 22 };

static int by_name(const void *a, const void *b) {
    return strcmp(((const onnx_source *)a)->name, ((const onnx_source *)b)->name);
}

/* Names are shown in messages and on terminals. */
static tips_status check_name(const char *name, const char *what) {
    if (!name || !name[0]) TIPS_FAIL(TIPS_FORMAT, "%s has no name", what);
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c < 0x20 || *c == 0x7f) TIPS_FAIL(TIPS_FORMAT, "the name of %s holds a control character", what);
    return TIPS_OK;
}

static tips_status add_source(tips_onnx *file, const char *name, onnx_origin origin, int index, const char *what) {
    TIPS_TRY(check_name(name, what));
    file->sources[file->n_values++] = (onnx_source){name, origin, index};
    return TIPS_OK;
}

static tips_status graph_names(const Onnx__GraphProto *graph, onnx_name_fn use, void *context) {
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        for (size_t k = 0; k < node->n_input; k++) TIPS_TRY(use(context, node->input[k]));
        TIPS_TRY(tips__onnx_inner_names(node, use, context));
    }
    for (size_t i = 0; i < graph->n_output; i++)
        if (graph->output[i]->name) TIPS_TRY(use(context, graph->output[i]->name));
    return TIPS_OK;
}

/* The scan has bounded how deep graphs lie within each other. */
tips_status tips__onnx_inner_names(const Onnx__NodeProto *node, onnx_name_fn use, void *context) {
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->g) TIPS_TRY(graph_names(node->attribute[i]->g, use, context));
    return TIPS_OK;
}

static tips_status count_name(void *context, const char *name) {
    (void)name;
    ++*(size_t *)context;
    return TIPS_OK;
}

static tips_status count_links(const Onnx__GraphProto *graph, size_t *out) {
    size_t links = graph->n_input + graph->n_initializer;
    for (size_t i = 0; i < graph->n_node; i++) {
        links += graph->node[i]->n_input + graph->node[i]->n_output;
        TIPS_TRY(tips__onnx_inner_names(graph->node[i], count_name, &links));
    }
    *out = links;
    return TIPS_OK;
}

static bool is_initialiser(const onnx_source *s) { return s->origin == ONNX_INITIALISER; }

/* Old files list initialisers among the inputs as well: those are the initialisers. */
static tips_status merge_doubles(tips_onnx *file) {
    int kept = 0;
    for (int i = 0; i < file->n_values; i++) {
        onnx_source *s = &file->sources[i], *last = kept ? &file->sources[kept - 1] : NULL;
        if (!last || strcmp(last->name, s->name) != 0) {
            file->sources[kept++] = *s;
        } else if (last->origin == ONNX_MADE || s->origin == ONNX_MADE || is_initialiser(last) == is_initialiser(s)) {
            TIPS_FAIL(TIPS_FORMAT, "the value '%.*s' is defined twice", ONNX_SHOWN, s->name);
        } else if (is_initialiser(s)) {
            *last = *s;
        }
    }
    file->n_values = kept;
    return TIPS_OK;
}

static tips_status check_node(const Onnx__NodeProto *node) {
    TIPS_TRY(check_name(node->op_type, "an operator"));
    if (node->name && node->name[0]) TIPS_TRY(check_name(node->name, "a node"));
    return TIPS_OK;
}

static tips_status collect(tips_onnx *file) {
    const Onnx__GraphProto *graph = file->model->graph;
    for (size_t i = 0; i < graph->n_input; i++)
        TIPS_TRY(add_source(file, graph->input[i]->name, ONNX_INPUT, (int)i, "an input"));
    for (size_t i = 0; i < graph->n_initializer; i++)
        TIPS_TRY(add_source(file, graph->initializer[i]->name, ONNX_INITIALISER, (int)i, "an initialiser"));
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        TIPS_TRY(check_node(node));
        for (size_t k = 0; k < node->n_output; k++)
            if (node->output[k][0]) TIPS_TRY(add_source(file, node->output[k], ONNX_MADE, (int)i, "an output"));
    }
    if (file->n_values) qsort(file->sources, (size_t)file->n_values, sizeof *file->sources, by_name);
    return merge_doubles(file);
}

int tips__onnx_find_value(const tips_onnx *file, const char *name) {
    const onnx_source wanted = {.name = name};
    if (file->n_values == 0) return ONNX_NONE;
    const onnx_source *found = bsearch(&wanted, file->sources, (size_t)file->n_values, sizeof wanted, by_name);
    return found ? (int)(found - file->sources) : ONNX_NONE;
}

static tips_status link_names(const tips_onnx *file, const Onnx__NodeProto *node, char **names, int count, int *out) {
    for (int k = 0; k < count; k++) {
        out[k] = names[k][0] ? tips__onnx_find_value(file, names[k]) : ONNX_NONE;
        if (names[k][0] && out[k] == ONNX_NONE)
            TIPS_FAIL(TIPS_FORMAT, "%.*s node '%.*s' reads '%.*s', which nothing defines", ONNX_SHOWN, node->op_type,
                      ONNX_SHOWN, node->name ? node->name : "", ONNX_SHOWN, names[k]);
    }
    return TIPS_OK;
}

typedef struct capture {
    const tips_onnx *file;
    onnx_node *node;
} capture;

/* Names that this graph does not know are the inner one's own. */
static tips_status capture_name(void *context, const char *name) {
    capture *c = context;
    const int value = name[0] ? tips__onnx_find_value(c->file, name) : ONNX_NONE;
    if (value != ONNX_NONE) c->node->in[c->node->n_read++] = value;
    return TIPS_OK;
}

static tips_status link_nodes(tips_onnx *file) {
    const Onnx__GraphProto *graph = file->model->graph;
    int *free_links = file->links;
    for (int i = 0; i < file->n_nodes; i++) {
        const Onnx__NodeProto *proto = graph->node[i];
        onnx_node *node = &file->nodes[i];
        *node = (onnx_node){.proto = proto, .n_in = (int)proto->n_input, .n_out = (int)proto->n_output};
        node->in = free_links;
        node->n_read = node->n_in;
        TIPS_TRY(link_names(file, proto, proto->input, node->n_in, node->in));
        TIPS_TRY(tips__onnx_inner_names(proto, capture_name, &(capture){file, node}));
        node->out = free_links += node->n_read;
        free_links += node->n_out;
        TIPS_TRY(link_names(file, proto, proto->output, node->n_out, node->out));
    }
    return TIPS_OK;
}

/* Depth first from each node to those it reads, without recursion; in the file's own order where that is one. */
typedef struct sorter {
    const tips_onnx *file;
    int *state; /* (n_nodes): inputs followed so far, DONE at the end */
    int *stack, depth;
    onnx_node *sorted;
    int n_sorted;
} sorter;

enum { DONE = -1 };

static tips_status visit(sorter *s, int top) {
    s->stack[s->depth++] = top;
    while (s->depth > 0) {
        const int at = s->stack[s->depth - 1];
        const onnx_node *node = &s->file->nodes[at];
        if (s->state[at] == node->n_read) {
            s->state[at] = DONE;
            s->sorted[s->n_sorted++] = *node;
            s->depth--;
            continue;
        }
        const int value = node->in[s->state[at]++];
        const onnx_source *source = value == ONNX_NONE ? NULL : &s->file->sources[value];
        if (!source || source->origin != ONNX_MADE || s->state[source->index] == DONE) continue;
        if (s->state[source->index] > 0)
            TIPS_FAIL(TIPS_FORMAT, "its graph has a cycle through '%.*s'", ONNX_SHOWN, source->name);
        s->stack[s->depth++] = source->index;
    }
    return TIPS_OK;
}

static tips_status sort_nodes(tips_onnx *file, sorter *s) {
    for (int i = 0; i < file->n_nodes; i++)
        if (s->state[i] != DONE) TIPS_TRY(visit(s, i));
    memcpy(file->nodes, s->sorted, (size_t)file->n_nodes * sizeof *file->nodes);
    for (int i = 0; i < file->n_nodes; i++)
        for (int k = 0; k < file->nodes[i].n_out; k++)
            if (file->nodes[i].out[k] != ONNX_NONE) file->sources[file->nodes[i].out[k]].index = i;
    return TIPS_OK;
}

static tips_status order_nodes(tips_onnx *file) {
    const size_t count = (size_t)file->n_nodes;
    sorter s = {.file = file};
    tips_status status = tips__new_zero(&s.state, (count + 1) * sizeof *s.state, "a sorted graph");
    if (status == TIPS_OK) status = tips__new(&s.stack, (count + 1) * sizeof *s.stack, "a sorted graph");
    if (status == TIPS_OK) status = tips__new(&s.sorted, (count + 1) * sizeof *s.sorted, "a sorted graph");
    if (status == TIPS_OK) status = sort_nodes(file, &s);
    tips__free(s.state);
    tips__free(s.stack);
    tips__free(s.sorted);
    return status;
}

tips_status tips__onnx_link(tips_onnx *file) {
    const Onnx__GraphProto *graph = file->model->graph;
    size_t links;
    TIPS_TRY(count_links(graph, &links));
    if (links > MOST_LINKS || graph->n_node > MOST_LINKS)
        TIPS_FAIL(TIPS_FORMAT, "its graph has %zu inputs and outputs of nodes; at most %d are read", links, MOST_LINKS);
    file->n_nodes = (int)graph->n_node;
    TIPS_TRY(tips__new(&file->sources, (links + 1) * sizeof *file->sources, "the values of a graph"));
    TIPS_TRY(tips__new(&file->links, (links + 1) * sizeof *file->links, "the links of a graph"));
    TIPS_TRY(tips__new(&file->nodes, (graph->n_node + 1) * sizeof *file->nodes, "the nodes of a graph"));
    TIPS_TRY(collect(file));
    TIPS_TRY(link_nodes(file));
    return order_nodes(file);
}
