/* What layers cannot do, as a program behind the network: the nodes that were left for later, the constants and maps
 * that they read, and graphs inside of them. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static tips_array_type array_type(int type) {
    switch (type) {
    case ONNX__TENSOR_PROTO__DATA_TYPE__BOOL: return TIPS_ARRAY_BOOL;
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT8: return TIPS_ARRAY_UINT8;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT8: return TIPS_ARRAY_INT8;
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__UINT16:
    case ONNX__TENSOR_PROTO__DATA_TYPE__INT32: return TIPS_ARRAY_INT32;
    default: return tips__onnx_is_float(type) ? TIPS_ARRAY_FLOAT : TIPS_ARRAY_INT64;
    }
}

static int tensor_type(tips_array_type type) {
    switch (type) {
    case TIPS_ARRAY_BOOL: return ONNX__TENSOR_PROTO__DATA_TYPE__BOOL;
    case TIPS_ARRAY_UINT8: return ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
    case TIPS_ARRAY_INT8: return ONNX__TENSOR_PROTO__DATA_TYPE__INT8;
    case TIPS_ARRAY_INT32: return ONNX__TENSOR_PROTO__DATA_TYPE__INT32;
    case TIPS_ARRAY_FLOAT: return ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    default: return ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
    }
}

tips_status tips__onnx_array_from(const onnx_tensor *t, tips_array *out) {
    TIPS_TRY(tips__array_create(array_type(t->type), t->n_dims, t->dims, out));
    const size_t bytes = tips__array_bytes(out);
    if (bytes && t->floats) memcpy(out->floats, t->floats, bytes);
    if (bytes && t->ints) memcpy(out->ints, t->ints, bytes);
    return TIPS_OK;
}

/* Takes the array over. */
static onnx_tensor tensor_from(tips_array *array) {
    onnx_tensor t = {.type = tensor_type(array->type), .n_dims = array->n_dims, .elements = array->count};
    memcpy(t.dims, array->dims, sizeof t.dims);
    t.floats = array->floats;
    t.ints = array->ints;
    *array = (tips_array){0};
    return t;
}

/* A scope: names of a graph inside, by the numbers that they have in the program. Names of the outermost graph have the
 * number of the file's values. */
typedef struct scope {
    const struct scope *outer; /* NULL: the file's graph is around it */
    const char **names;
    int *values;
    int count, capacity;
} scope;

typedef struct builder {
    const onnx_importer *im;
    tips_program *program;
} builder;

static void clear_scope(scope *s) {
    tips__free(s->names);
    tips__free(s->values);
}

static tips_status define(builder *b, scope *s, const char *name, int *out) {
    if (s->count == s->capacity) {
        const int larger = s->capacity ? 2 * s->capacity : 16;
        const char **names = tips__grow(s->names, (size_t)s->count * sizeof *names, (size_t)larger * sizeof *names);
        if (names) s->names = names;
        int *values = tips__grow(s->values, (size_t)s->count * sizeof *values, (size_t)larger * sizeof *values);
        if (values) s->values = values;
        if (!names || !values) TIPS_FAIL(TIPS_MEMORY, "out of memory for the values of a graph");
        s->capacity = larger;
    }
    TIPS_TRY(tips__program_new_value(b->program, out));
    s->names[s->count] = name;
    s->values[s->count++] = *out;
    return TIPS_OK;
}

static tips_status look_up(const builder *b, const scope *s, const char *name, int *out) {
    *out = TIPS_PROGRAM_NONE;
    if (!name || !name[0]) return TIPS_OK;
    for (; s; s = s->outer)
        for (int i = s->count - 1; i >= 0; i--)
            if (strcmp(s->names[i], name) == 0) {
                *out = s->values[i];
                return TIPS_OK;
            }
    *out = tips__onnx_find_value(b->im->file, name);
    if (*out == ONNX_NONE) TIPS_FAIL(TIPS_FORMAT, "nothing defines '%.*s'", ONNX_SHOWN, name);
    return TIPS_OK;
}

static tips_status add_inner(builder *b, const scope *outer, const Onnx__GraphProto *graph, int block);

static tips_status add_tensor_attribute(builder *b, int block, const char *name, const Onnx__TensorProto *proto) {
    onnx_tensor t = {0};
    tips_array array;
    TIPS_TRY(tips__onnx_tensor_read(b->im->file, proto, &t));
    const tips_status status = tips__onnx_array_from(&t, &array);
    tips__onnx_tensor_free(&t);
    TIPS_TRY(status);
    return tips__program_array(b->program, block, name, &array);
}

static tips_status add_graph_attribute(builder *b, int block, const scope *s, const Onnx__AttributeProto *a) {
    int inner;
    TIPS_TRY(tips__program_new_block(b->program, &inner));
    TIPS_TRY(tips__program_graph(b->program, block, a->name, inner));
    return add_inner(b, s, a->g, inner);
}

static tips_status add_attribute(builder *b, int block, const scope *s, const Onnx__AttributeProto *a) {
    if (!a->name) return TIPS_OK;
    if (a->g) return add_graph_attribute(b, block, s, a);
    if (a->t) return add_tensor_attribute(b, block, a->name, a->t);
    if (a->n_ints) return tips__program_ints(b->program, block, a->name, a->ints, (int)a->n_ints);
    if (a->n_floats) return tips__program_floats(b->program, block, a->name, a->floats, (int)a->n_floats);
    if (a->has_s) return tips__program_text(b->program, block, a->name, (const char *)a->s.data, a->s.len);
    if (a->has_f) return tips__program_floats(b->program, block, a->name, &a->f, 1);
    if (a->has_i) return tips__program_ints(b->program, block, a->name, &a->i, 1);
    /* A list that is there and empty. */
    return a->has_type && a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
               ? tips__program_ints(b->program, block, a->name, NULL, 0)
               : TIPS_OK;
}

static tips_status check_domain(const Onnx__NodeProto *proto) {
    if (proto->domain && proto->domain[0] && strcmp(proto->domain, "ai.onnx") != 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "operators of the domain '%.*s' are not supported", ONNX_SHOWN, proto->domain);
    return TIPS_OK;
}

/* With in (n_in) and out (n_out) as values of the program. */
static tips_status add_node(builder *b, int block, const scope *s, const Onnx__NodeProto *proto, const int *in,
                            int n_in, const int *out, int n_out) {
    const char *name = proto->name && proto->name[0] ? proto->name : proto->n_output ? proto->output[0] : "";
    TIPS_TRY(check_domain(proto));
    TIPS_TRY(tips__program_node(b->program, block, proto->op_type, name, in, n_in, out, n_out));
    for (size_t i = 0; i < proto->n_attribute; i++) TIPS_TRY(add_attribute(b, block, s, proto->attribute[i]));
    return TIPS_OK;
}

static tips_status named(const Onnx__NodeProto *proto, tips_status status) {
    char where[3 * ONNX_SHOWN];
    if (status == TIPS_OK) return TIPS_OK;
    snprintf(where, sizeof where, "%.*s node '%.*s'", ONNX_SHOWN, proto->op_type, ONNX_SHOWN,
             proto->name && proto->name[0] ? proto->name
             : proto->n_output             ? proto->output[0]
                                           : "");
    return tips__fail_within(status, where);
}

static tips_status add_inner_node(builder *b, scope *s, const Onnx__NodeProto *proto, int block) {
    const size_t n_in = proto->n_input, n_out = proto->n_output;
    int *values;
    if (!proto->op_type || n_in + n_out > 1 << 16) TIPS_FAIL(TIPS_FORMAT, "it has too many inputs");
    TIPS_TRY(tips__new(&values, (n_in + n_out + 1) * sizeof *values, "the values of a node"));
    tips_status status = TIPS_OK;
    for (size_t i = 0; i < n_in && status == TIPS_OK; i++) status = look_up(b, s, proto->input[i], &values[i]);
    for (size_t i = 0; i < n_out && status == TIPS_OK; i++) {
        values[n_in + i] = TIPS_PROGRAM_NONE;
        if (proto->output[i][0]) status = define(b, s, proto->output[i], &values[n_in + i]);
    }
    if (status == TIPS_OK) status = add_node(b, block, s, proto, values, (int)n_in, values + n_in, (int)n_out);
    tips__free(values);
    return named(proto, status);
}

static tips_status add_initialisers(builder *b, scope *s, const Onnx__GraphProto *graph) {
    for (size_t i = 0; i < graph->n_initializer; i++) {
        const Onnx__TensorProto *proto = graph->initializer[i];
        onnx_tensor t = {0};
        tips_array array;
        int value;
        if (!proto->name) TIPS_FAIL(TIPS_FORMAT, "an initialiser has no name");
        TIPS_TRY(define(b, s, proto->name, &value));
        TIPS_TRY(tips__onnx_tensor_read(b->im->file, proto, &t));
        const tips_status status = tips__onnx_array_from(&t, &array);
        tips__onnx_tensor_free(&t);
        TIPS_TRY(status);
        TIPS_TRY(tips__program_constant(b->program, value, &array));
    }
    return TIPS_OK;
}

static tips_status fill_inner(builder *b, scope *s, const Onnx__GraphProto *graph, int block, int *ends) {
    for (size_t i = 0; i < graph->n_input; i++) {
        if (!graph->input[i]->name) TIPS_FAIL(TIPS_FORMAT, "an input of a graph inside has no name");
        TIPS_TRY(define(b, s, graph->input[i]->name, &ends[i]));
    }
    TIPS_TRY(add_initialisers(b, s, graph));
    for (size_t i = 0; i < graph->n_node; i++) TIPS_TRY(add_inner_node(b, s, graph->node[i], block));
    for (size_t i = 0; i < graph->n_output; i++)
        TIPS_TRY(look_up(b, s, graph->output[i]->name, &ends[graph->n_input + i]));
    return tips__program_block_ends(b->program, block, ends, (int)graph->n_input, ends + graph->n_input,
                                    (int)graph->n_output);
}

static tips_status add_inner(builder *b, const scope *outer, const Onnx__GraphProto *graph, int block) {
    scope own = {.outer = outer};
    int *ends;
    TIPS_TRY(tips__new(&ends, (graph->n_input + graph->n_output + 1) * sizeof *ends, "the ends of a graph"));
    const tips_status status = fill_inner(b, &own, graph, block, ends);
    clear_scope(&own);
    tips__free(ends);
    return status;
}

/* Operators that move numbers and compute none. */
static bool only_moves(const onnx_importer *im, const onnx_node *node) {
    static const char *const movers[] = {"Flatten", "Gather",  "Identity",  "Reshape",  "Slice",
                                         "Split",   "Squeeze", "Transpose", "Unsqueeze"};
    bool moves = false;
    for (size_t i = 0; i < sizeof movers / sizeof *movers; i++)
        moves = moves || strcmp(movers[i], node->proto->op_type) == 0;
    for (int k = 0; k < node->n_out; k++)
        moves = moves &&
                (node->out[k] == ONNX_NONE || !im->uses[node->out[k]] || im->values[node->out[k]].kind == ONNX_MAP);
    return moves;
}

/* What only moves numbers for the program is its own affair: a detector may pick the scores of each class. `read`
 * (n_values): read by a layer, or put out. */
static void leave_moves(onnx_importer *im, bool *read) {
    const Onnx__GraphProto *graph = im->file->model->graph;
    for (size_t i = 0; i < graph->n_output; i++) read[tips__onnx_find_value(im->file, graph->output[i]->name)] = true;
    for (int i = im->file->n_nodes - 1; i >= 0; i--) {
        const onnx_node *node = &im->file->nodes[i];
        if (!im->needed[i] || im->later[i]) continue;
        bool stays = !only_moves(im, node);
        for (int k = 0; k < node->n_out; k++) stays = stays || (node->out[k] != ONNX_NONE && read[node->out[k]]);
        for (int k = 0; k < node->n_read && stays; k++)
            if (node->in[k] != ONNX_NONE) read[node->in[k]] = true;
        if (stays) continue;
        im->later[i] = true;
        for (int k = 0; k < node->n_out; k++)
            if (node->out[k] != ONNX_NONE) im->values[node->out[k]] = (onnx_value){.kind = ONNX_LATER};
    }
}

/* Which of the blueprint's outputs a step is; a new one if it is none yet. */
static tips_status output_of(tips_blueprint *blueprint, int step, int *out) {
    for (*out = 0; *out < blueprint->n_outputs; ++*out)
        if (blueprint->outputs[*out] == step) return TIPS_OK;
    if (blueprint->n_outputs == TIPS_BLUEPRINT_OUTPUTS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "more than %d maps are read behind the network", TIPS_BLUEPRINT_OUTPUTS);
    blueprint->outputs[blueprint->n_outputs++] = step;
    return TIPS_OK;
}

/* A value that the program reads or puts out: a constant, or a map of the network. */
static tips_status bring(builder *b, onnx_importer *im, int value) {
    onnx_value *v = &im->values[value];
    if (v->kind == ONNX_LATER) return TIPS_OK;
    if (v->kind == ONNX_CONSTANT) {
        tips_array array;
        TIPS_TRY(tips__onnx_array_from(&v->tensor, &array));
        return tips__program_constant(b->program, value, &array);
    }
    if (v->kind != ONNX_MAP || v->step == TIPS_BLUEPRINT_INPUT)
        TIPS_FAIL(TIPS_UNSUPPORTED, "'%.*s' is read behind the network and is not made by it", ONNX_SHOWN,
                  im->file->sources[value].name);
    TIPS_TRY(tips__onnx_settle(im, v));
    tips_program_input input = {.value = value, .n_dims = v->n_dims};
    memcpy(input.dims, v->dims, sizeof input.dims);
    memcpy(input.strides, v->strides, sizeof input.strides);
    TIPS_TRY(output_of(im->blueprint, v->step, &input.map));
    return tips__program_input(b->program, &input);
}

/* Once, whoever reads it. */
static tips_status bring_once(builder *b, onnx_importer *im, int value, bool *there) {
    if (value == ONNX_NONE || there[value]) return TIPS_OK;
    there[value] = true;
    return bring(b, im, value);
}

static tips_status add_later(builder *b, onnx_importer *im, bool *there) {
    for (int i = 0; i < im->file->n_nodes; i++) {
        const onnx_node *node = &im->file->nodes[i];
        if (!im->later[i]) continue;
        im->node = node;
        for (int k = 0; k < node->n_read; k++) TIPS_TRY(bring_once(b, im, node->in[k], there));
        TIPS_TRY(named(node->proto, add_node(b, 0, NULL, node->proto, node->in, node->n_in, node->out, node->n_out)));
    }
    return TIPS_OK;
}

static tips_status add_outputs(builder *b, onnx_importer *im, bool *there) {
    const Onnx__GraphProto *graph = im->file->model->graph;
    for (size_t i = 0; i < graph->n_output; i++) {
        const int value = tips__onnx_find_value(im->file, graph->output[i]->name);
        TIPS_TRY(bring_once(b, im, value, there));
        TIPS_TRY(tips__program_output(b->program, graph->output[i]->name, value));
    }
    return TIPS_OK;
}

static tips_status build(builder *b, onnx_importer *im) {
    bool *there;
    int value;
    for (int i = 0; i < im->file->n_values; i++) TIPS_TRY(tips__program_new_value(b->program, &value));
    TIPS_TRY(tips__new_zero(&there, ((size_t)im->file->n_values + 1) * sizeof *there, "the values of a graph"));
    leave_moves(im, there);
    memset(there, 0, (size_t)im->file->n_values * sizeof *there);
    tips_status status = add_later(b, im, there);
    if (status == TIPS_OK) status = add_outputs(b, im, there);
    tips__free(there);
    return status;
}

tips_status tips__onnx_take_program(onnx_importer *im) {
    builder b = {.im = im};
    TIPS_TRY(tips__program_create(im->opset, &b.program));
    im->blueprint->program = b.program; /* whose owner it is, whatever happens */
    memcpy(im->blueprint->program_size, im->out->built_size, sizeof im->blueprint->program_size);
    TIPS_TRY(build(&b, im));
    if (im->blueprint->n_outputs == 0) TIPS_FAIL(TIPS_UNSUPPORTED, "its outputs are not computed from its input");
    im->blueprint->output = im->blueprint->outputs[0];
    im->blueprint->classes = 1;
    im->out->output = tips__strdup(im->file->model->graph->output[0]->name);
    if (!im->out->output) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    return tips__onnx_drop_unread_steps(im);
}

/* A program of this node alone: its inputs are values 0..n_in-1. */
static tips_status fold_by(builder *b, const onnx_importer *im, tips_array *in, tips_array *out) {
    const onnx_node *node = im->node;
    int values[TIPS_ARRAY_MOST_DIMS + 1];
    int value;
    if (node->n_in > TIPS_ARRAY_MOST_DIMS) TIPS_FAIL(TIPS_UNSUPPORTED, "it has %d inputs", node->n_in);
    for (int i = 0; i <= node->n_in; i++) {
        TIPS_TRY(tips__program_new_value(b->program, &value));
        values[i] = value;
    }
    for (int i = 0; i < node->n_in; i++) {
        const onnx_tensor *t = tips__onnx_const(im, i);
        if (t) TIPS_TRY(tips__onnx_array_from(t, &in[i]));
        else values[i] = TIPS_PROGRAM_NONE;
    }
    TIPS_TRY(add_node(b, 0, NULL, node->proto, values, node->n_in, &values[node->n_in], 1));
    return tips__program_fold(b->program, in, node->n_in, out);
}

tips_status tips__onnx_fold_dynamic(onnx_importer *im, onnx_tensor *out) {
    builder b = {.im = im};
    tips_array in[TIPS_ARRAY_MOST_DIMS] = {{0}}, result;
    TIPS_TRY(tips__program_create(im->opset, &b.program));
    const tips_status status = fold_by(&b, im, in, &result);
    for (int i = 0; i < TIPS_ARRAY_MOST_DIMS; i++) tips__array_free(&in[i]);
    tips__program_release(b.program);
    if (status == TIPS_OK) *out = tensor_from(&result);
    return status;
}
