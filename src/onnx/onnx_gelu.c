/* GELU as exporters write it: x * 0.5 * (1 + erf(x / sqrt 2)), factors in any order. Each Erf is followed to where the
 * product ends; that node is then imported as one layer, and the others are not needed. */
#include "onnx/onnx_importer.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

typedef struct finder {
    onnx_importer *im;
    int *users; /* (n_values): the one needed node that reads a value; ONNX_NONE if none or several do */
} finder;

static bool is_op(const onnx_node *node, const char *op) { return node && strcmp(node->proto->op_type, op) == 0; }

static const onnx_node *maker(const finder *f, int value) {
    if (value == ONNX_NONE) return NULL;
    const onnx_source *s = &f->im->file->sources[value];
    return s->origin == ONNX_MADE ? &f->im->file->nodes[s->index] : NULL;
}

/* The node that alone reads the one output of another. */
static const onnx_node *next_of(const finder *f, const onnx_node *node) {
    if (!node || node->n_out != 1 || node->out[0] == ONNX_NONE || f->users[node->out[0]] == ONNX_NONE) return NULL;
    return &f->im->file->nodes[f->users[node->out[0]]];
}

static bool read_number(const finder *f, const Onnx__TensorProto *proto, double *out) {
    onnx_tensor t;
    if (tips__onnx_tensor_read(f->im->file, proto, &t) != TIPS_OK) return false;
    const bool is_one = t.floats && t.elements == 1;
    if (is_one) *out = t.floats[0];
    tips__onnx_tensor_free(&t);
    return is_one;
}

/* Whether a value is a number, from an initialiser or a Constant. */
static bool is_number(const finder *f, int value, double number) {
    const tips_onnx *file = f->im->file;
    const onnx_source *s = value == ONNX_NONE ? NULL : &file->sources[value];
    double found = 0;
    if (!s || s->origin == ONNX_INPUT) return false;
    if (s->origin == ONNX_INITIALISER) {
        if (!read_number(f, file->model->graph->initializer[s->index], &found)) return false;
    } else {
        const onnx_node *node = maker(f, value);
        const Onnx__AttributeProto *t = tips__onnx_attribute(node->proto, "value");
        if (!is_op(node, "Constant") || !t || !t->t || !read_number(f, t->t, &found)) return false;
    }
    return fabs(found - number) < 1e-4 * number;
}

/* The other factor of a product (or summand of a sum) with a number; ONNX_NONE if it is none. */
static int other_than(const finder *f, const onnx_node *node, const char *op, double number) {
    if (!is_op(node, op) || node->n_in != 2) return ONNX_NONE;
    if (is_number(f, node->in[1], number)) return node->in[0];
    return strcmp(op, "Div") != 0 && is_number(f, node->in[0], number) ? node->in[1] : ONNX_NONE;
}

static int halved(const finder *f, const onnx_node *node) {
    const int factor = other_than(f, node, "Mul", 0.5);
    return factor != ONNX_NONE ? factor : other_than(f, node, "Div", 2);
}

static bool is_product_with(const onnx_node *node, int value) {
    return is_op(node, "Mul") && node->n_in == 2 && (node->in[0] == value || node->in[1] == value);
}

/* From 1 + erf on: a product with x and 0.5 in any order; the node where it ends, or NULL. */
static const onnx_node *follow(const finder *f, const onnx_node *sum, int x) {
    const onnx_node *node = next_of(f, sum), *last = next_of(f, node);
    if (!node) return NULL;
    if (halved(f, node) == sum->out[0]) return is_product_with(last, x) ? last : NULL;
    if (is_product_with(node, x)) return last && halved(f, last) == node->out[0] ? last : NULL;
    if (!is_product_with(node, sum->out[0])) return NULL;
    const onnx_node *half = maker(f, node->in[0] == sum->out[0] ? node->in[1] : node->in[0]);
    return half && halved(f, half) == x ? node : NULL;
}

static void find_gelu(const finder *f, const onnx_node *erf) {
    if (erf->n_in != 1 || erf->n_out != 1 || erf->out[0] == ONNX_NONE) return;
    const onnx_node *scaled = maker(f, erf->in[0]), *sum = next_of(f, erf);
    int x = other_than(f, scaled, "Div", sqrt(2));
    if (x == ONNX_NONE) x = other_than(f, scaled, "Mul", sqrt(0.5));
    if (x == ONNX_NONE || other_than(f, sum, "Add", 1) != erf->out[0]) return;
    const onnx_node *last = follow(f, sum, x);
    if (last && last->n_out == 1) f->im->gelu[last - f->im->file->nodes] = x;
}

static void list_users(finder *f) {
    const tips_onnx *file = f->im->file;
    for (int v = 0; v < file->n_values; v++) f->users[v] = ONNX_NONE;
    for (int i = 0; i < file->n_nodes; i++)
        for (int k = 0; k < file->nodes[i].n_in && f->im->needed[i]; k++) {
            const int v = file->nodes[i].in[k];
            if (v != ONNX_NONE && f->im->uses[v] == 1) f->users[v] = i;
        }
}

static bool is_read(const onnx_importer *im, const onnx_node *node) {
    for (int k = 0; k < node->n_out; k++)
        if (node->out[k] != ONNX_NONE && im->uses[node->out[k]] > 0) return true;
    return false;
}

/* Nodes whose outputs nothing reads any more, once products are read as one. */
static void unmark(onnx_importer *im) {
    for (int i = im->file->n_nodes - 1; i >= 0; i--) {
        const onnx_node *node = &im->file->nodes[i];
        const bool is_whole = im->gelu[i] != ONNX_NONE;
        if (!im->needed[i]) continue;
        im->needed[i] = is_read(im, node);
        for (int k = 0; k < node->n_in && (is_whole || !im->needed[i]); k++)
            if (node->in[k] != ONNX_NONE) im->uses[node->in[k]]--;
        if (is_whole && im->needed[i]) im->uses[im->gelu[i]]++;
    }
}

tips_status tips__onnx_find_gelus(onnx_importer *im) {
    finder f = {.im = im};
    const tips_status status =
        tips__new(&f.users, ((size_t)im->file->n_values + 1) * sizeof *f.users, "the values of a graph");
    if (status != TIPS_OK) return status;
    list_users(&f);
    for (int i = 0; i < im->file->n_nodes; i++)
        if (im->needed[i] && is_op(&im->file->nodes[i], "Erf")) find_gelu(&f, &im->file->nodes[i]);
    tips__free(f.users);
    unmark(im);
    return TIPS_OK;
}
