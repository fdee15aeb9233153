/* Whether the outputs of a file look like a detector's, so that none of them is taken for the logits of a classifier or
 * a segmenter by mistake: rows of numbers for cells (n, cells, numbers) in several outputs, coarse maps of several
 * sizes, or one coarse map that is put together from scores, boxes and classes. */
#include "onnx/onnx_importer.h"

#include <stdio.h>
#include <string.h>

enum { COARSE = 8, COCO_ROW = 85, ANCHORS = 3 };

static const Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *value) {
    const Onnx__TypeProto *type = value->type;
    return type && type->tensor_type ? type->tensor_type->shape : NULL;
}

/* 0 where it is open, -1 where there is no such axis. */
static int64_t extent(const Onnx__TensorShapeProto *shape, size_t axis) {
    if (!shape || axis >= shape->n_dim) return -1;
    return shape->dim[axis]->dim_value > 0 ? shape->dim[axis]->dim_value : 0;
}

/* Outputs beside this one with so many axes, and those of them with other extents of the last two. */
static int count_others(const onnx_importer *im, int output, size_t n_dims, bool other_sizes) {
    const Onnx__GraphProto *graph = im->file->model->graph;
    const onnx_value *v = &im->values[output];
    int count = 0;
    for (size_t i = 0; i < graph->n_output; i++) {
        const Onnx__TensorShapeProto *shape = shape_of(graph->output[i]);
        const bool is_this = strcmp(graph->output[i]->name, im->file->sources[output].name) == 0;
        if (is_this || !shape || shape->n_dim != n_dims) continue;
        const int64_t h = extent(shape, n_dims - 2), w = extent(shape, n_dims - 1);
        const bool differs = h > 0 && w > 0 && (h != v->dims[n_dims - 2] || w != v->dims[n_dims - 1]);
        count += !other_sizes || differs;
    }
    return count;
}

static const onnx_node *maker_of(const onnx_importer *im, int value) {
    for (int i = 0; i < im->file->n_nodes; i++)
        for (int k = 0; k < im->file->nodes[i].n_out; k++)
            if (im->file->nodes[i].out[k] == value) return &im->file->nodes[i];
    return NULL;
}

/* Whether several maps were joined by their channels to make it. */
static bool is_joined(const onnx_importer *im, int output) {
    const onnx_node *node = maker_of(im, output);
    while (node && node->n_in > 0 && strcmp(node->proto->op_type, "Identity") == 0) node = maker_of(im, node->in[0]);
    if (!node || strcmp(node->proto->op_type, "Concat") != 0) return false;
    const Onnx__AttributeProto *axis = tips__onnx_attribute(node->proto, "axis");
    return axis && axis->i == 1 && node->n_in > 1;
}

static bool is_coarse(const onnx_importer *im, const onnx_value *v) {
    const tips_value_info *input = tips__value(im->graph, im->input);
    return v->n_dims == 4 && v->dims[2] > 1 && COARSE * v->dims[2] <= input->h && COARSE * v->dims[3] <= input->w;
}

void tips__onnx_look_for_boxes(const onnx_importer *im, int output) {
    const onnx_value *v = &im->values[output];
    const char *name = im->file->sources[output].name;
    char *out = im->out->detector;
    const size_t size = sizeof im->out->detector;
    const long long d[4] = {v->dims[0], v->dims[1], v->dims[2], v->dims[3]};
    if (v->n_dims == 3 && count_others(im, output, 3, false) > 0)
        snprintf(out, size, "it has %d outputs of rows of numbers, '%.60s' of %lldx%lldx%lld among them",
                 count_others(im, output, 3, false) + 1, name, d[0], d[1], d[2]);
    else if (is_coarse(im, v) && count_others(im, output, 4, true) > 0)
        snprintf(out, size, "it has %d maps of several sizes for outputs, '%.60s' of %lldx%lldx%lldx%lld among them",
                 count_others(im, output, 4, true) + 1, name, d[0], d[1], d[2], d[3]);
    else if (is_coarse(im, v) && (is_joined(im, output) || d[1] == COCO_ROW || d[1] == ANCHORS * COCO_ROW))
        snprintf(out, size,
                 "its output '%.60s' of %lldx%lldx%lldx%lld is a coarse map with scores, boxes and classes among its "
                 "channels",
                 name, d[0], d[1], d[2], d[3]);
}
