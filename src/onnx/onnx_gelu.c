/* GELU as exporters write it: x * 0.5 * (1 + erf(x / sqrt 2)), factors in any order. Each Erf is followed to where the
 * product ends. */
#include "onnx/onnx_find.h"

#include <math.h>
#include <string.h>

static int halved(const onnx_finder *f, const onnx_node *node) {
    const int factor = tips__onnx_other_than(f, node, "Mul", 0.5);
    return factor != ONNX_NONE ? factor : tips__onnx_other_than(f, node, "Div", 2);
}

static bool is_product_with(const onnx_node *node, int value) {
    return tips__onnx_is_op(node, "Mul") && node->n_in == 2 && (node->in[0] == value || node->in[1] == value);
}

/* From 1 + erf on: a product with x and 0.5 in any order; the node where it ends, or NULL. */
static const onnx_node *follow(const onnx_finder *f, const onnx_node *sum, int x) {
    const onnx_node *node = tips__onnx_next(f, sum), *last = tips__onnx_next(f, node);
    if (!node) return NULL;
    if (halved(f, node) == sum->out[0]) return is_product_with(last, x) ? last : NULL;
    if (is_product_with(node, x)) return last && halved(f, last) == node->out[0] ? last : NULL;
    if (!is_product_with(node, sum->out[0])) return NULL;
    const onnx_node *half = tips__onnx_maker(f, node->in[0] == sum->out[0] ? node->in[1] : node->in[0]);
    return half && halved(f, half) == x ? node : NULL;
}

void tips__onnx_find_gelu(const onnx_finder *f, const onnx_node *erf) {
    if (erf->n_in != 1 || erf->n_out != 1 || erf->out[0] == ONNX_NONE) return;
    const onnx_node *scaled = tips__onnx_maker(f, erf->in[0]), *sum = tips__onnx_next(f, erf);
    int x = tips__onnx_other_than(f, scaled, "Div", sqrt(2));
    if (x == ONNX_NONE) x = tips__onnx_other_than(f, scaled, "Mul", sqrt(0.5));
    if (x == ONNX_NONE || tips__onnx_other_than(f, sum, "Add", 1) != erf->out[0]) return;
    const onnx_node *last = follow(f, sum, x);
    if (last && last->n_out == 1) f->im->wholes[last - f->im->file->nodes] = (onnx_whole){.kind = ONNX_GELU, .of = x};
}
