/* The importer: what the output depends on, the input, one node after the other, the logits. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* Backwards from the output; nodes are in order. */
static void mark_needed(onnx_importer *im) {
    const tips_onnx *file = im->file;
    for (int i = file->n_nodes - 1; i >= 0; i--) {
        const onnx_node *node = &file->nodes[i];
        for (int k = 0; k < node->n_out; k++)
            if (node->out[k] != ONNX_NONE && im->uses[node->out[k]]) im->needed[i] = true;
        for (int k = 0; k < node->n_read && im->needed[i]; k++)
            if (node->in[k] != ONNX_NONE) im->uses[node->in[k]]++;
    }
}

static tips_status read_initialisers(onnx_importer *im) {
    for (int v = 0; v < im->file->n_values; v++) {
        const onnx_source *source = &im->file->sources[v];
        if (source->origin != ONNX_INITIALISER || !im->uses[v]) continue;
        TIPS_TRY(tips__onnx_tensor_read(im->file, im->file->model->graph->initializer[source->index],
                                        &im->values[v].tensor));
        im->values[v].kind = ONNX_CONSTANT;
    }
    return TIPS_OK;
}

/* Takes the result over, whatever the status. */
static tips_status put_folded(onnx_importer *im, onnx_tensor *result) {
    im->folded += result->elements * (result->floats ? sizeof *result->floats : sizeof *result->ints);
    const tips_status status = im->folded > im->most_folded
                                   ? tips__fail(TIPS_UNSUPPORTED, "the constants it computes are too large")
                                   : tips__onnx_put_constant(im, result);
    if (status != TIPS_OK) tips__onnx_tensor_free(result);
    return status;
}

static tips_status fold_node(onnx_importer *im, const onnx_operator *op) {
    onnx_tensor result = {0};
    TIPS_TRY(op->fold(im, &result));
    return put_folded(im, &result);
}

static bool has_subgraph(const Onnx__NodeProto *node) {
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->g || node->attribute[i]->n_graphs) return true;
    return false;
}

static tips_status check_node(const Onnx__NodeProto *proto, const onnx_operator **op) {
    if (proto->domain && proto->domain[0] && strcmp(proto->domain, "ai.onnx") != 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "operators of the domain '%.*s' are not supported", ONNX_SHOWN, proto->domain);
    if (has_subgraph(proto)) TIPS_FAIL(TIPS_UNSUPPORTED, "operators with graphs inside are not supported");
    *op = tips__onnx_operator_find(proto->op_type);
    if (!*op) TIPS_FAIL(TIPS_UNSUPPORTED, "the operator is not supported");
    return TIPS_OK;
}

static tips_status import_node(onnx_importer *im) {
    const onnx_whole *whole = &im->wholes[im->node - im->file->nodes];
    const onnx_operator *op;
    bool has_map = false, has_classes = false;
    if (whole->kind != ONNX_NO_WHOLE) return tips__onnx_import_whole(im, whole);
    TIPS_TRY(check_node(im->node->proto, &op));
    for (int i = 0; i < im->node->n_in; i++) {
        const onnx_value *v = tips__onnx_in(im, i);
        has_map = has_map || (v && v->kind == ONNX_MAP);
        has_classes = has_classes || (v && v->kind == ONNX_CLASSES);
        if (v && v->kind == ONNX_UNSET) TIPS_FAIL(TIPS_UNSUPPORTED, "its input %d is not supported", i);
    }
    if (!tips__onnx_out(im, 0)) TIPS_FAIL(TIPS_FORMAT, "it has no output");
    if (has_classes) return tips__onnx_pass_classes(im);
    if (has_map && op->map) return op->map(im);
    if (!has_map && op->fold) return fold_node(im, op);
    TIPS_FAIL(TIPS_UNSUPPORTED, "the operator is supported for %s only",
              has_map ? "constants" : "what depends on the input");
}

/* What a node reads, also by graphs inside of it. */
static bool reads(const onnx_importer *im, onnx_value_kind kind) {
    for (int i = 0; i < im->node->n_read; i++)
        if (im->node->in[i] != ONNX_NONE && im->values[im->node->in[i]].kind == kind) return true;
    return false;
}

/* Constants are computed as the program would, where no other way is known; what depends on the picture and is no
 * layer is left to it. */
static tips_status import_later(onnx_importer *im, tips_status status) {
    const bool broken = status == TIPS_MEMORY || tips__graph_status(im->graph) != TIPS_OK;
    if (broken || !tips__program_knows(im->node->proto->op_type)) return status;
    if (!reads(im, ONNX_MAP) && !reads(im, ONNX_LATER) && im->node->n_out == 1 && im->node->n_read == im->node->n_in) {
        onnx_tensor result = {0};
        TIPS_TRY(tips__onnx_fold_dynamic(im, &result));
        return put_folded(im, &result);
    }
    im->later[im->node - im->file->nodes] = true;
    for (int i = 0; i < im->node->n_out; i++)
        if (tips__onnx_out(im, i)) *tips__onnx_out(im, i) = (onnx_value){.kind = ONNX_LATER};
    return TIPS_OK;
}

static tips_status import_any(onnx_importer *im) {
    if (!im->later) return import_node(im);
    tips_status status = TIPS_UNSUPPORTED;
    if (!reads(im, ONNX_LATER)) {
        status = import_node(im);
        /* Classes of pixels are for segmenters alone. */
        if (status == TIPS_OK && tips__onnx_out(im, 0)->kind == ONNX_CLASSES) status = TIPS_UNSUPPORTED;
    } else if (!tips__program_knows(im->node->proto->op_type))
        TIPS_FAIL(TIPS_UNSUPPORTED, "the operator is not supported behind others whose sizes depend on the picture");
    return status == TIPS_OK ? TIPS_OK : import_later(im, status);
}

static tips_status import_nodes(onnx_importer *im) {
    for (int i = 0; i < im->file->n_nodes; i++) {
        im->node = &im->file->nodes[i];
        if (!im->needed[i]) continue;
        const tips_status status = import_any(im);
        if (status == TIPS_OK) continue;
        const Onnx__NodeProto *proto = im->node->proto;
        char where[3 * ONNX_SHOWN];
        snprintf(where, sizeof where, "%.*s node '%.*s'", ONNX_SHOWN, proto->op_type, ONNX_SHOWN,
                 proto->name && proto->name[0] ? proto->name
                 : proto->n_output             ? proto->output[0]
                                               : "");
        return tips__fail_within(status, where);
    }
    return TIPS_OK;
}

static tips_status allocate(onnx_importer *im) {
    const size_t values = (size_t)im->file->n_values + 1, nodes = (size_t)im->file->n_nodes + 1;
    TIPS_TRY(tips__new_zero(&im->values, values * sizeof *im->values, "the values of a graph"));
    TIPS_TRY(tips__new_zero(&im->uses, values * sizeof *im->uses, "the values of a graph"));
    TIPS_TRY(tips__new_zero(&im->needed, nodes * sizeof *im->needed, "the nodes of a graph"));
    TIPS_TRY(tips__new_zero(&im->wholes, nodes * sizeof *im->wholes, "the nodes of a graph"));
    return tips__graph_create(&im->graph);
}

/* The output that holds the logits, by its name or the first; a file with others says them. */
static tips_status find_output(const Onnx__GraphProto *graph, const char *wanted, const char **out) {
    char names[4 * ONNX_SHOWN] = "";
    if (graph->n_output < 1 || !graph->output[0]->name) TIPS_FAIL(TIPS_FORMAT, "its graph has no output");
    *out = graph->output[0]->name;
    if (!wanted) return TIPS_OK;
    for (size_t i = 0, length = 0; i < graph->n_output; i++) {
        const char *name = graph->output[i]->name ? graph->output[i]->name : "";
        if (strcmp(name, wanted) == 0) {
            *out = name;
            return TIPS_OK;
        }
        if (length < sizeof names)
            length +=
                (size_t)snprintf(names + length, sizeof names - length, "%s'%.*s'", i ? ", " : "", ONNX_SHOWN, name);
    }
    TIPS_FAIL(TIPS_INVALID, "it has no output '%s'; --output takes %s", wanted, names);
}

static tips_status find_made(const onnx_importer *im, const char *name, int *out) {
    *out = tips__onnx_find_value(im->file, name);
    if (*out == ONNX_NONE) TIPS_FAIL(TIPS_FORMAT, "nothing computes its output '%.*s'", ONNX_SHOWN, name);
    return TIPS_OK;
}

static tips_status import_needed(onnx_importer *im, const int hint[2]) {
    mark_needed(im);
    TIPS_TRY(tips__onnx_take_input(im, hint));
    TIPS_TRY(read_initialisers(im));
    TIPS_TRY(tips__onnx_find_wholes(im));
    return import_nodes(im);
}

static tips_status import_graph(onnx_importer *im, const int hint[2], const char *wanted) {
    const Onnx__GraphProto *graph = im->file->model->graph;
    const char *name = NULL;
    int output = ONNX_NONE;
    TIPS_TRY(find_output(graph, wanted, &name));
    TIPS_TRY(find_made(im, name, &output));
    im->out->other_outputs = (int)graph->n_output - 1;
    TIPS_TRY(allocate(im));
    im->uses[output]++;
    TIPS_TRY(import_needed(im, hint));
    return tips__onnx_take_output(im, output);
}

static tips_status import_program(onnx_importer *im, const int hint[2]) {
    const Onnx__GraphProto *graph = im->file->model->graph;
    const char *name = NULL;
    TIPS_TRY(find_output(graph, NULL, &name));
    TIPS_TRY(allocate(im));
    TIPS_TRY(tips__new_zero(&im->later, ((size_t)im->file->n_nodes + 1) * sizeof *im->later, "the nodes of a graph"));
    for (size_t i = 0; i < graph->n_output; i++) {
        int output = ONNX_NONE;
        TIPS_TRY(find_made(im, graph->output[i]->name ? graph->output[i]->name : "", &output));
        im->uses[output]++;
    }
    TIPS_TRY(import_needed(im, hint));
    return tips__onnx_take_program(im);
}

static void release(onnx_importer *im) {
    for (int v = 0; im->values && v < im->file->n_values; v++) tips__onnx_tensor_free(&im->values[v].tensor);
    tips__free(im->values);
    tips__free(im->uses);
    tips__free(im->needed);
    tips__free(im->wholes);
    tips__free(im->later);
    tips__graph_destroy(im->graph);
}

static tips_status import_open(tips_onnx *file, const int size_hint[2], const char *output, bool as_program,
                               tips_imported *out) {
    tips_imported imported = {.file = file, .stored = tips__onnx_stored_type(file)};
    onnx_importer im = {.file = file, .out = &imported, .opset = file->opset};
    im.most_folded = ((size_t)32 << 20) + 4 * file->bytes;
    tips_status status = as_program ? import_program(&im, size_hint) : import_graph(&im, size_hint, output);
    release(&im);
    if (status == TIPS_OK) {
        *out = imported;
        return TIPS_OK;
    }
    status = tips__fail_within(status, file->path);
    tips__imported_free(&imported);
    return status;
}

tips_status tips__onnx_import_open(tips_onnx *file, const int size_hint[2], const char *output, tips_imported *out) {
    return import_open(file, size_hint, output, false, out);
}

tips_status tips__onnx_import_program(tips_onnx *file, const int size_hint[2], tips_imported *out) {
    return import_open(file, size_hint, NULL, true, out);
}

tips_status tips__onnx_import(const char *path, const int size_hint[2], tips_imported *out) {
    tips_onnx *file;
    TIPS_TRY(tips__onnx_open(path, &file));
    return tips__onnx_import_open(file, size_hint, NULL, out);
}

void tips__imported_free(tips_imported *imported) {
    for (int i = 0; i < imported->n_tensors; i++) {
        tips__free(imported->tensors[i].name);
        tips__free(imported->tensors[i].own);
    }
    tips__free(imported->tensors);
    tips__free(imported->input);
    tips__free(imported->output);
    tips__blueprint_release(imported->blueprint);
    tips__onnx_close(imported->file);
    *imported = (tips_imported){0};
}
