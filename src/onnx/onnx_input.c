/* The input of a network: which one it is, its size, and how its axes lie. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

enum { USUAL_SIZE = 224, MOST_SIZE = 1 << 14, MOST_CHANNELS = 1 << 12 };

static const Onnx__TensorShapeProto *shape_of(const Onnx__ValueInfoProto *info, int *type) {
    if (!info->type || info->type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE) return NULL;
    *type = info->type->tensor_type->elem_type;
    return info->type->tensor_type->shape;
}

static int64_t dimension(const Onnx__TensorShapeProto *shape, int i) {
    const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
    return dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE ? dim->dim_value : 0;
}

/* TensorFlow's graphs take channels last and begin by moving them. */
static bool is_channels_last(const onnx_importer *im, int value, const Onnx__TensorShapeProto *shape) {
    const int64_t last = dimension(shape, 3), second = dimension(shape, 1);
    for (int i = 0; i < im->file->n_nodes; i++) {
        const onnx_node *node = &im->file->nodes[i];
        int64_t perm[4];
        int count;
        if (!im->needed[i] || node->n_in < 1 || node->in[0] != value) continue;
        if (strcmp(node->proto->op_type, "Transpose") != 0) continue;
        if (tips__onnx_ints(node->proto, "perm", 4, perm, &count) != TIPS_OK || count != 4) continue;
        if (perm[0] == 0 && perm[1] == 3 && perm[2] == 1 && perm[3] == 2) return true;
    }
    return (last == 1 || last == 3) && second != 1 && second != 3 && second != 0;
}

static tips_status check_extent(int64_t extent, int most, const char *what) {
    if (extent < 1 || extent > most)
        TIPS_FAIL(TIPS_UNSUPPORTED, "the input has %lld %s; 1 to %d are supported", (long long)extent, what, most);
    return TIPS_OK;
}

static tips_status read_extents(tips_imported *out, const Onnx__TensorShapeProto *shape, onnx_layout layout,
                                const int hint[2]) {
    const int64_t channels = dimension(shape, layout.axis[0]);
    TIPS_TRY(check_extent(channels, MOST_CHANNELS, "channels"));
    out->channels = (int)channels;
    for (int i = 0; i < 2; i++) {
        const int64_t extent = dimension(shape, layout.axis[1 + i]);
        const int open = hint && hint[i] > 0 ? hint[i] : USUAL_SIZE;
        if (extent) TIPS_TRY(check_extent(extent, MOST_SIZE, i ? "columns" : "rows"));
        out->size[i] = (int)extent;
        out->built_size[i] = extent ? (int)extent : open;
    }
    return TIPS_OK;
}

static tips_status take_input(onnx_importer *im, int value, const Onnx__ValueInfoProto *info, const int hint[2]) {
    tips_imported *out = im->out;
    int type = 0;
    const Onnx__TensorShapeProto *shape = shape_of(info, &type);
    const bool is_single = shape && shape->n_dim == 3; /* one picture, as torchvision's detectors take it */
    if (!shape || (shape->n_dim != 4 && !is_single))
        TIPS_FAIL(TIPS_UNSUPPORTED, "input '%.*s' is not a tensor of four dimensions (n, c, h, w), or three",
                  ONNX_SHOWN, info->name);
    if (!tips__onnx_is_float(type))
        TIPS_FAIL(TIPS_UNSUPPORTED, "input '%.*s' is of type %s; floating-point pictures are needed", ONNX_SHOWN,
                  info->name, tips__onnx_type_name(type));
    im->batch = is_single ? 1 : dimension(shape, 0);
    out->nhwc = !is_single && is_channels_last(im, value, shape);
    const onnx_layout layout = is_single   ? (onnx_layout){{0, 1, 2}}
                               : out->nhwc ? (onnx_layout){{3, 1, 2}}
                                           : tips__onnx_nchw;
    TIPS_TRY(read_extents(out, shape, layout, hint));
    TIPS_TRY(tips__blueprint_create(out->channels, &im->blueprint));
    out->blueprint = im->blueprint;
    onnx_value *v = &im->values[value];
    *v = (onnx_value){.kind = ONNX_MAP, .step = TIPS_BLUEPRINT_INPUT};
    v->value = im->input = tips__graph_input(im->graph, "input", out->channels, out->built_size[0], out->built_size[1]);
    TIPS_TRY(tips__graph_status(im->graph));
    tips__onnx_look(im, v, (int)shape->n_dim, layout);
    if (is_single) v->batch = ONNX_NONE;
    out->input = tips__strdup(info->name);
    if (!out->input) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    return TIPS_OK;
}

tips_status tips__onnx_take_input(onnx_importer *im, const int hint[2]) {
    int found = ONNX_NONE;
    for (int v = 0; v < im->file->n_values; v++) {
        if (im->file->sources[v].origin != ONNX_INPUT || !im->uses[v]) continue;
        if (found != ONNX_NONE)
            TIPS_FAIL(TIPS_UNSUPPORTED, "it has more than one input: '%.*s' and '%.*s'", ONNX_SHOWN,
                      im->file->sources[found].name, ONNX_SHOWN, im->file->sources[v].name);
        found = v;
    }
    if (found == ONNX_NONE) TIPS_FAIL(TIPS_FORMAT, "its output does not depend on an input");
    return take_input(im, found, im->file->model->graph->input[im->file->sources[found].index], hint);
}
