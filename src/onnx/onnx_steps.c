/* Adding steps, their parameters, and access to the inputs and outputs of the node at hand. */
#include "onnx/onnx_importer.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* Larger maps are no network's, and would overflow the arithmetic of shapes. */
enum { MOST_ELEMENTS = 1 << 28 };

onnx_value *tips__onnx_in(const onnx_importer *im, int i) {
    if (i >= im->node->n_in || im->node->in[i] == ONNX_NONE) return NULL;
    return &im->values[im->node->in[i]];
}

const onnx_tensor *tips__onnx_const(const onnx_importer *im, int i) {
    const onnx_value *v = tips__onnx_in(im, i);
    return v && v->kind == ONNX_CONSTANT ? &v->tensor : NULL;
}

onnx_value *tips__onnx_out(const onnx_importer *im, int i) {
    if (i >= im->node->n_out || im->node->out[i] == ONNX_NONE) return NULL;
    return &im->values[im->node->out[i]];
}

bool tips__onnx_out_used(const onnx_importer *im, int i) {
    return tips__onnx_out(im, i) && im->uses[im->node->out[i]] > 0;
}

tips_status tips__onnx_need_map(const onnx_importer *im, int i, onnx_value **out) {
    onnx_value *v = tips__onnx_in(im, i);
    if (!v) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", i);
    if (v->kind != ONNX_MAP) TIPS_FAIL(TIPS_UNSUPPORTED, "a constant as input %d is not supported", i);
    *out = v;
    return TIPS_OK;
}

tips_status tips__onnx_need_floats(const onnx_importer *im, int i, const char *what, const onnx_tensor **out) {
    const onnx_value *v = tips__onnx_in(im, i);
    if (!v) TIPS_FAIL(TIPS_FORMAT, "its %s (input %d) is missing", what, i);
    if (v->kind != ONNX_CONSTANT)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its %s (input %d) is computed from the picture; it must be constant", what, i);
    if (!v->tensor.floats)
        TIPS_FAIL(TIPS_FORMAT, "its %s (input %d) is of type %s; floating-point numbers are needed", what, i,
                  tips__onnx_type_name(v->tensor.type));
    *out = &v->tensor;
    return TIPS_OK;
}

tips_status tips__onnx_numbers(const onnx_importer *im, const char *name, int i, int since, int most, int64_t *out,
                               int *count) {
    *count = -1;
    if (im->opset < since) {
        if (!tips__onnx_attribute(im->node->proto, name)) return TIPS_OK;
        return tips__onnx_ints(im->node->proto, name, most, out, count);
    }
    const onnx_value *v = tips__onnx_in(im, i);
    if (!v) return TIPS_OK;
    if (v->kind != ONNX_CONSTANT) TIPS_FAIL(TIPS_UNSUPPORTED, "its %s are computed from the picture", name);
    if (!v->tensor.ints) TIPS_FAIL(TIPS_FORMAT, "its %s are not whole numbers", name);
    if (v->tensor.n_dims > 1 || v->tensor.elements > (size_t)most)
        TIPS_FAIL(TIPS_UNSUPPORTED, "its %s are not a list of at most %d numbers", name, most);
    memcpy(out, v->tensor.ints, v->tensor.elements * sizeof *out);
    *count = (int)v->tensor.elements;
    return TIPS_OK;
}

tips_status tips__onnx_axis(int64_t axis, int n_dims, int *out) {
    if (axis < -n_dims || axis >= n_dims)
        TIPS_FAIL(TIPS_FORMAT, "there is no axis %lld in a tensor of %d dimensions", (long long)axis, n_dims);
    *out = (int)(axis < 0 ? axis + n_dims : axis);
    return TIPS_OK;
}

tips_status tips__onnx_put_constant(onnx_importer *im, const onnx_tensor *tensor) {
    onnx_value *out = tips__onnx_out(im, 0);
    if (!out) TIPS_FAIL(TIPS_FORMAT, "it has no output");
    *out = (onnx_value){.kind = ONNX_CONSTANT, .tensor = *tensor};
    return TIPS_OK;
}

static tips_status check_size(const tips_value_info *map) {
    if ((int64_t)map->c * map->h > MOST_ELEMENTS || (int64_t)map->c * map->h * map->w > MOST_ELEMENTS)
        TIPS_FAIL(TIPS_UNSUPPORTED, "a map of %dx%dx%d is too large", map->c, map->h, map->w);
    return TIPS_OK;
}

tips_status tips__onnx_add_step(onnx_importer *im, const tips_layer *layer, const char *name, const void *config,
                                const onnx_value *const *in, int n_in, onnx_value *out) {
    int steps[TIPS_MAX_IN], step;
    tips_value values[TIPS_MAX_IN];
    for (int i = 0; i < n_in; i++) steps[i] = in[i]->step, values[i] = in[i]->value;
    TIPS_TRY(tips__blueprint_add(im->blueprint, layer, name, config, steps, n_in, &step));
    const tips_value value = tips__graph_add(im->graph, layer, im->blueprint->steps[step].name, config, values, n_in);
    TIPS_TRY(tips__graph_status(im->graph));
    TIPS_TRY(check_size(tips__value(im->graph, value)));
    *out = (onnx_value){.kind = ONNX_MAP, .step = step, .value = value};
    tips__onnx_look(im, out, 4, tips__onnx_nchw);
    return TIPS_OK;
}

tips_status tips__onnx_add_pointwise(onnx_importer *im, const tips_layer *layer, const char *name, const void *config,
                                     onnx_value *in, onnx_value *out) {
    TIPS_TRY(tips__onnx_settle(im, in));
    const onnx_value view = *in, *inputs[] = {in};
    TIPS_TRY(tips__onnx_add_step(im, layer, name, config, inputs, 1, out));
    out->n_dims = view.n_dims;
    out->batch = view.batch;
    memcpy(out->dims, view.dims, sizeof out->dims);
    memcpy(out->strides, view.strides, sizeof out->strides);
    return TIPS_OK;
}

static tips_status grow_tensors(tips_imported *out) {
    if (out->n_tensors < out->capacity) return TIPS_OK;
    const int larger = out->capacity ? 2 * out->capacity : 64;
    tips_imported_tensor *memory =
        tips__grow(out->tensors, (size_t)out->n_tensors * sizeof *memory, (size_t)larger * sizeof *memory);
    if (!memory) TIPS_FAIL(TIPS_MEMORY, "out of memory for a list of tensors");
    out->tensors = memory;
    out->capacity = larger;
    return TIPS_OK;
}

static tips_status name_tensor(onnx_importer *im, int step, const char *suffix, int n_dims, const int *dims,
                               tips_imported_tensor **tensor) {
    tips_imported *out = im->out;
    const char *name = im->blueprint->steps[step].name;
    const size_t length = strlen(name) + strlen(suffix) + 2;
    TIPS_TRY(grow_tensors(out));
    tips_imported_tensor *t = &out->tensors[out->n_tensors];
    *t = (tips_imported_tensor){.n_dims = n_dims, .elements = 1};
    for (int i = 0; i < n_dims; i++) t->dims[i] = dims[i], t->elements *= (size_t)dims[i];
    TIPS_TRY(tips__new(&t->name, length, "a name"));
    out->n_tensors++;
    snprintf(t->name, length, "%s%s%s", name, suffix[0] ? "." : "", suffix);
    *tensor = t;
    return TIPS_OK;
}

tips_status tips__onnx_add_tensor(onnx_importer *im, int step, const char *suffix, int n_dims, const int *dims,
                                  const float *data) {
    tips_imported_tensor *t;
    TIPS_TRY(name_tensor(im, step, suffix, n_dims, dims, &t));
    TIPS_TRY(tips__new(&t->own, t->elements * sizeof *t->own, "a tensor"));
    memcpy(t->own, data, t->elements * sizeof *t->own);
    t->data = t->own;
    return TIPS_OK;
}

tips_status tips__onnx_lend_tensor(onnx_importer *im, int step, const char *suffix, int n_dims, const int *dims,
                                   const onnx_tensor *from) {
    tips_imported_tensor *t;
    if (!from->borrowed) return tips__onnx_add_tensor(im, step, suffix, n_dims, dims, from->floats);
    TIPS_TRY(name_tensor(im, step, suffix, n_dims, dims, &t));
    t->data = from->floats;
    return TIPS_OK;
}
