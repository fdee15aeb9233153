/* The record of basic operators: tensors, operators and constants, with an error that sticks. */
#include "emit/emit_parts.h"

#include "core/fail.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 1024 };

void tips__emit_fail(tips_emitter *to, tips_status status) {
    if (to->status != TIPS_OK || status == TIPS_OK) return;
    to->status = status;
    snprintf(to->error, sizeof to->error, "%s", tips_last_error());
}

static void fail_memory(tips_emitter *to) {
    tips__emit_fail(to, tips__fail(TIPS_MEMORY, "out of memory while writing down a network"));
}

/* Room for one more element in an array whose capacity is the next power of two. */
static bool reserve(tips_emitter *to, void *array_pointer, int count, size_t size) {
    if (to->status != TIPS_OK) return false;
    if (count != 0 && (count & (count - 1)) != 0) return true;
    void *old;
    memcpy(&old, array_pointer, sizeof old);
    void *larger = tips__grow(old, (size_t)count * size, (size_t)(count ? 2 * count : 1) * size);
    if (larger) memcpy(array_pointer, &larger, sizeof larger);
    else fail_memory(to);
    return larger;
}

/* "layer1.0.conv1/Conv_17": the number makes it unique among made names; parameters keep theirs. */
static void make_name(tips_emitter *to, const char *label, char out[NAME_SIZE]) {
    const char *node = to->node ? to->node->name : "";
    do snprintf(out, NAME_SIZE, "%.900s%s%s_%d", node, *node ? "/" : "", label, ++to->names);
    while (tips__param_find(to->graph, out) >= 0);
}

static tips_operand add_tensor(tips_emitter *to, const char *name, tips_recorded_tensor tensor) {
    if (!reserve(to, &to->record.tensors, to->record.n_tensors, sizeof tensor)) return TIPS_NO_OPERAND;
    tensor.name = tips__strdup(name);
    if (!tensor.name) {
        fail_memory(to);
        return TIPS_NO_OPERAND;
    }
    to->record.tensors[to->record.n_tensors] = tensor;
    return to->record.n_tensors++;
}

tips_operand tips__emit_tensor(tips_emitter *to, const char *label, tips_recorded_tensor tensor) {
    char name[NAME_SIZE];
    make_name(to, label, name);
    return add_tensor(to, name, tensor);
}

void *tips__emit_filled(tips_emitter *to, const char *name, tips_recorded_tensor tensor, tips_operand *operand) {
    *operand = add_tensor(to, name, tensor);
    if (*operand == TIPS_NO_OPERAND) return NULL;
    void *data = tips__alloc(tensor.bytes);
    to->record.tensors[*operand].data = data;
    if (data) return data;
    fail_memory(to);
    *operand = TIPS_NO_OPERAND;
    return NULL;
}

static tips_operand *copy_operands(tips_emitter *to, const tips_operand *in, int n_in) {
    tips_operand *copy = tips__alloc((size_t)(n_in ? n_in : 1) * sizeof *copy);
    if (copy && n_in) memcpy(copy, in, (size_t)n_in * sizeof *copy);
    else if (!copy) fail_memory(to);
    return copy;
}

static tips_attribute *copy_attributes(tips_emitter *to, const tips_attribute *with, int *count) {
    *count = 0;
    while (with && with[*count].name) ++*count;
    tips_attribute *copy = tips__alloc((size_t)(*count ? *count : 1) * sizeof *copy);
    if (copy && *count) memcpy(copy, with, (size_t)*count * sizeof *copy);
    else if (!copy) fail_memory(to);
    return copy;
}

tips_operand tips__emit_op_many(tips_emitter *to, const char *op, const tips_operand *in, int n_in,
                                const tips_attribute *with, int n_out) {
    if (!reserve(to, &to->record.ops, to->record.n_ops, sizeof *to->record.ops)) return TIPS_NO_OPERAND;
    while (n_in > 0 && in[n_in - 1] == TIPS_NO_OPERAND) n_in--;
    tips_recorded_op *made = &to->record.ops[to->record.n_ops++];
    *made = (tips_recorded_op){.op = op, .n_in = n_in, .n_out = n_out, .first_out = to->record.n_tensors};
    made->in = copy_operands(to, in, n_in);
    made->attributes = copy_attributes(to, with, &made->n_attributes);
    for (int i = 0; i < n_out; i++)
        if (tips__emit_tensor(to, op, (tips_recorded_tensor){0}) == TIPS_NO_OPERAND) return TIPS_NO_OPERAND;
    return made->first_out;
}

tips_operand tips__emit_op(tips_emitter *to, const char *op, const tips_operand *in, int n_in,
                           const tips_attribute *with) {
    return tips__emit_op_many(to, op, in, n_in, with, 1);
}

static bool same_constant(const tips_recorded_tensor *a, const tips_recorded_tensor *b, const void *data) {
    return a->kind == TIPS_TENSOR_CONSTANT && a->type == b->type && a->n_dims == b->n_dims && a->bytes == b->bytes &&
           memcmp(a->dims, b->dims, (size_t)a->n_dims * sizeof *a->dims) == 0 && memcmp(a->data, data, a->bytes) == 0;
}

static tips_operand add_constant(tips_emitter *to, tips_operand_type type, const void *data, size_t item,
                                 const int64_t *dims, int n_dims) {
    tips_recorded_tensor tensor = {.kind = TIPS_TENSOR_CONSTANT, .type = type, .n_dims = n_dims, .bytes = item};
    tips_operand made;
    char name[NAME_SIZE];
    if (to->status != TIPS_OK) return TIPS_NO_OPERAND;
    for (int d = 0; d < n_dims; d++) tensor.dims[d] = dims[d], tensor.bytes *= (size_t)dims[d];
    for (int i = 0; i < to->record.n_tensors; i++)
        if (same_constant(&to->record.tensors[i], &tensor, data)) return i;
    make_name(to, "constant", name);
    void *copy = tips__emit_filled(to, name, tensor, &made);
    if (copy) memcpy(copy, data, tensor.bytes);
    return made;
}

tips_operand tips__emit_floats(tips_emitter *to, const float *data, const int64_t *dims, int n_dims) {
    return add_constant(to, TIPS_OPERAND_FLOAT, data, sizeof *data, dims, n_dims);
}

tips_operand tips__emit_float(tips_emitter *to, double value) {
    const float single = (float)value;
    return add_constant(to, TIPS_OPERAND_FLOAT, &single, sizeof single, NULL, 0);
}

tips_operand tips__emit_double(tips_emitter *to, double value) {
    return add_constant(to, TIPS_OPERAND_DOUBLE, &value, sizeof value, NULL, 0);
}

tips_operand tips__emit_ints(tips_emitter *to, const int64_t *data, int count) {
    return add_constant(to, TIPS_OPERAND_INT64, data, sizeof *data, (const int64_t[]){count}, 1);
}

tips_operand tips__emit_int(tips_emitter *to, int64_t value) {
    return add_constant(to, TIPS_OPERAND_INT64, &value, sizeof value, NULL, 0);
}

int tips__emit_opset(const tips_emitter *to) { return to->record.opset; }

void tips__emit_fix_size(tips_emitter *to, const tips_node *node, const char *why) {
    if (to->record.fixed_by) return;
    to->record.fixed_by = node->name;
    to->record.fixed_why = why;
}

const tips_record *tips__emit_record(const tips_emitter *to) { return &to->record; }

void tips__emit_destroy(tips_emitter *to) {
    if (!to) return;
    for (int i = 0; i < to->record.n_tensors; i++) {
        tips__free(to->record.tensors[i].name);
        tips__free(to->record.tensors[i].data);
    }
    for (int i = 0; i < to->record.n_ops; i++) {
        tips__free(to->record.ops[i].in);
        tips__free(to->record.ops[i].attributes);
    }
    tips__free(to->record.tensors);
    tips__free(to->record.ops);
    tips__free(to->map);
    tips__free(to->vector);
    tips__free(to->pixel);
    tips__free(to->param);
    tips__free(to);
}
