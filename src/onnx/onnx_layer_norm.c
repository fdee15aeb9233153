/* Layer norm as exporters write it before opset 17: with d = x - mean(x), d / sqrt(mean(d^2) + eps) w + b, means over
 * one axis. Each Sqrt is followed back to x and on to where the weights end. */
#include "onnx/onnx_find.h"

#include <math.h>
#include <string.h>

/* The axis of a mean that keeps it; false if it is another kind of mean. */
static bool mean_axis(const onnx_finder *f, const onnx_node *node, int64_t *axis) {
    int64_t keep = 1;
    int count = 0;
    onnx_tensor t;
    if (!tips__onnx_is_op(node, "ReduceMean") || node->n_in < 1) return false;
    if (tips__onnx_int(node->proto, "keepdims", &keep) != TIPS_OK || !keep) return false;
    if (node->n_in == 1)
        return tips__onnx_ints(node->proto, "axes", 1, axis, &count) == TIPS_OK && count == 1;
    const Onnx__TensorProto *proto = tips__onnx_written(f, node->in[1]);
    if (!proto || tips__onnx_tensor_read(f->im->file, proto, &t) != TIPS_OK) return false;
    const bool is_one = t.ints && t.elements == 1;
    if (is_one) *axis = t.ints[0];
    tips__onnx_tensor_free(&t);
    return is_one;
}

/* What is squared; ONNX_NONE if nothing is. */
static int squared(const onnx_finder *f, const onnx_node *node) {
    if (tips__onnx_is_op(node, "Mul") && node->n_in == 2 && node->in[0] == node->in[1]) return node->in[0];
    return tips__onnx_is_op(node, "Pow") && node->n_in == 2 && tips__onnx_is_number(f, node->in[1], 2) ? node->in[0]
                                                                                                      : ONNX_NONE;
}

/* x, where a value is x - mean(x); ONNX_NONE else. */
static int centred(const onnx_finder *f, int value, int64_t *axis) {
    const onnx_node *node = tips__onnx_maker(f, value);
    if (!tips__onnx_is_op(node, "Sub") || node->n_in != 2) return ONNX_NONE;
    const onnx_node *mean = tips__onnx_maker(f, node->in[1]);
    return mean_axis(f, mean, axis) && mean->in[0] == node->in[0] ? node->in[0] : ONNX_NONE;
}

/* The other input of a product or sum, if it is a list of floats in the file. */
static int list_beside(const onnx_finder *f, const onnx_node *node, const char *op, int value) {
    if (!tips__onnx_is_op(node, op) || node->n_in != 2 || node->n_out != 1) return ONNX_NONE;
    const int other = node->in[0] == value ? node->in[1] : node->in[0];
    const Onnx__TensorProto *proto = other == value ? NULL : tips__onnx_written(f, other);
    return proto && proto->n_dims == 1 && tips__onnx_is_float(proto->data_type) ? other : ONNX_NONE;
}

/* Weights that follow belong to it where they are of the last axis, as a list is. */
static const onnx_node *take_weights(const onnx_finder *f, const onnx_node *last, onnx_whole *whole) {
    const onnx_node *product = tips__onnx_next(f, last);
    if (whole->axis != -1) return last;
    whole->weight = list_beside(f, product, "Mul", last->out[0]);
    if (whole->weight == ONNX_NONE) return last;
    const onnx_node *sum = tips__onnx_next(f, product);
    whole->bias = list_beside(f, sum, "Add", product->out[0]);
    return whole->bias == ONNX_NONE ? product : sum;
}

void tips__onnx_find_layer_norm(const onnx_finder *f, const onnx_node *root) {
    onnx_whole whole = {.kind = ONNX_LAYER_NORM, .weight = ONNX_NONE, .bias = ONNX_NONE};
    int64_t of_variance = 0, of_mean = 0;
    if (root->n_in != 1) return;
    const onnx_node *sum = tips__onnx_maker(f, root->in[0]), *divided = tips__onnx_next(f, root);
    if (!tips__onnx_is_op(sum, "Add") || sum->n_in != 2) return;
    const bool is_second = tips__onnx_read_number(f, sum->in[1], &whole.eps);
    if (!is_second && !tips__onnx_read_number(f, sum->in[0], &whole.eps)) return;
    if (!(whole.eps >= 0) || isinf(whole.eps)) return; /* no norm adds that */
    const onnx_node *variance = tips__onnx_maker(f, sum->in[is_second ? 0 : 1]);
    if (!mean_axis(f, variance, &of_variance)) return;
    const int difference = squared(f, tips__onnx_maker(f, variance->in[0]));
    whole.of = centred(f, difference, &of_mean);
    if (difference == ONNX_NONE || whole.of == ONNX_NONE || of_mean != of_variance) return;
    if (!tips__onnx_is_op(divided, "Div") || divided->n_in != 2 || divided->n_out != 1) return;
    if (divided->in[1] != root->out[0]) return;
    int64_t again = 0;
    if (divided->in[0] != difference && (centred(f, divided->in[0], &again) != whole.of || again != of_mean)) return;
    whole.axis = of_mean;
    f->im->wholes[take_weights(f, divided, &whole) - f->im->file->nodes] = whole;
}
