/* Parts of a graph that are one layer. */
#include "onnx/onnx_find.h"

#include "core/fail.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

bool tips__onnx_is_op(const onnx_node *node, const char *op) { return node && strcmp(node->proto->op_type, op) == 0; }

const onnx_node *tips__onnx_maker(const onnx_finder *f, int value) {
    if (value == ONNX_NONE) return NULL;
    const onnx_source *s = &f->im->file->sources[value];
    return s->origin == ONNX_MADE ? &f->im->file->nodes[s->index] : NULL;
}

const onnx_node *tips__onnx_next(const onnx_finder *f, const onnx_node *node) {
    if (!node || node->n_out != 1 || node->out[0] == ONNX_NONE || f->users[node->out[0]] == ONNX_NONE) return NULL;
    return &f->im->file->nodes[f->users[node->out[0]]];
}

const Onnx__TensorProto *tips__onnx_written(const onnx_finder *f, int value) {
    const tips_onnx *file = f->im->file;
    const onnx_node *node = tips__onnx_maker(f, value);
    /* Equal tensors are kept once, and others are made of it. */
    while (tips__onnx_is_op(node, "Identity") && node->n_in == 1 && node->in[0] != ONNX_NONE) {
        value = node->in[0];
        node = tips__onnx_maker(f, value);
    }
    const onnx_source *s = value == ONNX_NONE ? NULL : &file->sources[value];
    if (!s || s->origin == ONNX_INPUT) return NULL;
    if (s->origin == ONNX_INITIALISER) return file->model->graph->initializer[s->index];
    const Onnx__AttributeProto *t = tips__onnx_attribute(node->proto, "value");
    return tips__onnx_is_op(node, "Constant") && t ? t->t : NULL;
}

bool tips__onnx_read_number(const onnx_finder *f, int value, double *out) {
    const Onnx__TensorProto *proto = tips__onnx_written(f, value);
    onnx_tensor t;
    if (!proto || tips__onnx_tensor_read(f->im->file, proto, &t) != TIPS_OK) return false;
    const bool is_one = t.floats && t.elements == 1;
    if (is_one) *out = t.floats[0];
    tips__onnx_tensor_free(&t);
    return is_one;
}

bool tips__onnx_is_number(const onnx_finder *f, int value, double number) {
    double found;
    return tips__onnx_read_number(f, value, &found) && fabs(found - number) < 1e-4 * number;
}

int tips__onnx_other_than(const onnx_finder *f, const onnx_node *node, const char *op, double number) {
    if (!tips__onnx_is_op(node, op) || node->n_in != 2) return ONNX_NONE;
    if (tips__onnx_is_number(f, node->in[1], number)) return node->in[0];
    return strcmp(op, "Div") != 0 && tips__onnx_is_number(f, node->in[0], number) ? node->in[1] : ONNX_NONE;
}

static void list_users(onnx_finder *f) {
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

/* Nodes whose outputs nothing reads any more, once parts are read as one. */
static void unmark(onnx_importer *im) {
    for (int i = im->file->n_nodes - 1; i >= 0; i--) {
        const onnx_node *node = &im->file->nodes[i];
        const onnx_whole *whole = &im->wholes[i];
        if (!im->needed[i]) continue;
        im->needed[i] = is_read(im, node);
        for (int k = 0; k < node->n_in && (whole->kind || !im->needed[i]); k++)
            if (node->in[k] != ONNX_NONE) im->uses[node->in[k]]--;
        const int reads[] = {whole->of, whole->weight, whole->bias};
        for (int k = 0; k < (whole->kind == ONNX_LAYER_NORM ? 3 : 1) && whole->kind && im->needed[i]; k++)
            if (reads[k] != ONNX_NONE) im->uses[reads[k]]++;
    }
}

tips_status tips__onnx_find_wholes(onnx_importer *im) {
    onnx_finder f = {.im = im};
    const tips_status status =
        tips__new(&f.users, ((size_t)im->file->n_values + 1) * sizeof *f.users, "the values of a graph");
    if (status != TIPS_OK) return status;
    list_users(&f);
    for (int i = 0; i < im->file->n_nodes; i++) {
        const onnx_node *node = &im->file->nodes[i];
        if (im->needed[i] && tips__onnx_is_op(node, "Erf")) tips__onnx_find_gelu(&f, node);
        if (im->needed[i] && tips__onnx_is_op(node, "Sqrt")) tips__onnx_find_layer_norm(&f, node);
    }
    tips__free(f.users);
    unmark(im);
    return TIPS_OK;
}

static tips_status import_gelu(onnx_importer *im, const onnx_whole *whole) {
    char name[ONNX_NAME];
    tips__onnx_step_name_of(im, "gelu", name);
    return tips__onnx_add_pointwise(im, &tips__layer_gelu, name, NULL, &im->values[whole->of], tips__onnx_out(im, 0));
}

/* Ones and zeros where there are no weights. */
static tips_status read_numbers(const onnx_importer *im, int value, float otherwise, int64_t count, float *out) {
    const onnx_tensor *t = value == ONNX_NONE ? NULL : &im->values[value].tensor;
    if (t && (!t->floats || (t->elements != 1 && t->elements != (size_t)count)))
        TIPS_FAIL(TIPS_UNSUPPORTED, "the weights of a layer norm of %lld channels are not as many", (long long)count);
    for (int64_t i = 0; i < count; i++) out[i] = !t ? otherwise : t->floats[t->elements == 1 ? 0 : i];
    return TIPS_OK;
}

static tips_status import_layer_norm(onnx_importer *im, const onnx_whole *whole) {
    onnx_value *x = &im->values[whole->of];
    float *numbers; /* (2, channels) */
    char name[ONNX_NAME];
    int axis;
    TIPS_TRY(tips__onnx_settle(im, x));
    TIPS_TRY(tips__onnx_axis(whole->axis, x->n_dims, &axis));
    TIPS_TRY(tips__onnx_check_batch(x, axis));
    const int64_t count = x->dims[axis];
    if (!tips__onnx_name_from(im, whole->weight, name)) tips__onnx_step_name_of(im, "norm", name);
    TIPS_TRY(tips__new(&numbers, 2 * (size_t)count * sizeof *numbers, "constants"));
    tips_status status = read_numbers(im, whole->weight, 1, count, numbers);
    if (status == TIPS_OK) status = read_numbers(im, whole->bias, 0, count, numbers + count);
    if (status == TIPS_OK)
        status = tips__onnx_add_layer_norm(im, x, axis, 1, whole->eps, numbers, numbers + count, name);
    tips__free(numbers);
    return status;
}

tips_status tips__onnx_import_whole(onnx_importer *im, const onnx_whole *whole) {
    if (im->values[whole->of].kind != ONNX_MAP)
        TIPS_FAIL(TIPS_UNSUPPORTED, "it is of a constant, which is not supported");
    return whole->kind == ONNX_GELU ? import_gelu(im, whole) : import_layer_norm(im, whole);
}
