/* Parameters, multiply-adds and activation bytes of a graph. */
#include "model/graph_count.h"

#include "layer/layers.h"
#include "graph/params.h"

size_t tips__graph_parameters(const tips_graph *graph) {
    size_t sum = 0;
    for (int i = 0; i < tips__graph_param_count(graph); i++) {
        const tips_param_spec *spec = tips__graph_param(graph, i);
        if (spec->trainable) sum += tips__param_elements(spec);
    }
    return sum;
}

double tips__graph_multiply_adds(const tips_graph *graph) {
    double sum = 0;
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        if (node->layer->multiply_adds) sum += node->layer->multiply_adds(graph, node);
    }
    return sum;
}

/* Taps of one axis that lie inside the map, over all output positions. */
static double taps_inside(int out, int in, int kernel, int stride, int dilation, int before) {
    double count = 0;
    for (int o = 0; o < out; o++) {
        for (int k = 0; k < kernel; k++) {
            const int at = o * stride + k * dilation - before;
            count += at >= 0 && at < in;
        }
    }
    return count;
}

static double border_of(const tips_graph *graph, const tips_node *node) {
    const tips_conv2d *c = node->config; /* that of a kernel_conv begins with one */
    const tips_value_info *x = tips__value(graph, node->in[0]), *y = tips__value(graph, node->out[0]);
    const double rows = taps_inside(y->h, x->h, c->kernel[0], c->stride[0], c->dilation[0], c->padding.top);
    const double columns = taps_inside(y->w, x->w, c->kernel[1], c->stride[1], c->dilation[1], c->padding.left);
    const double all = (double)y->h * c->kernel[0] * y->w * c->kernel[1];
    return (all - rows * columns) * y->c * y->per_sample * (x->c / c->groups);
}

double tips__border_multiply_adds(const tips_graph *graph) {
    double sum = 0;
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        const tips_node *node = tips__graph_node(graph, i);
        const bool convolves = node->layer == &tips__layer_conv2d || node->layer == &tips__layer_kernel_conv;
        if (convolves) sum += border_of(graph, node);
    }
    return sum;
}

double tips__graph_activation_bytes(const tips_graph *graph) {
    double floats = 0;
    for (int v = 0; v < tips__graph_value_count(graph); v++) {
        const tips_value_info *info = tips__value(graph, v);
        if (info->kind == TIPS_MAP) floats += (double)info->c * info->h * info->w * info->per_sample;
    }
    return floats * sizeof(float);
}
