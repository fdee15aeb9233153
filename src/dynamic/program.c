/* Making programs. */
#include "dynamic/dynamic_parts.h"

#include <string.h>

enum { MOST_VALUES = 1 << 20, MOST_BLOCKS = 1 << 12 };

/* One more row at the end of a list, zeroed; lists double. */
static tips_status add_row(void *list, int count, size_t size, const char *what) {
    void *rows, *larger;
    memcpy(&rows, list, sizeof rows);
    const size_t used = (size_t)count * size;
    if (count == 0 || (count & (count - 1)) == 0) {
        larger = tips__grow(rows, used, count ? 2 * used : size);
        if (!larger) TIPS_FAIL(TIPS_MEMORY, "out of memory for %s", what);
        rows = larger;
        memcpy(list, &rows, sizeof rows);
    }
    memset((char *)rows + used, 0, size);
    return TIPS_OK;
}

tips_status tips__program_create(int opset, tips_program **out) {
    tips_program *p;
    int block;
    TIPS_TRY(tips__new_zero(&p, sizeof *p, "a program"));
    p->references = 1;
    p->opset = opset;
    const tips_status status = tips__program_new_block(p, &block);
    if (status == TIPS_OK) *out = p;
    else tips__program_release(p);
    return status;
}

tips_program *tips__program_keep(tips_program *program) {
    if (program) program->references++;
    return program;
}

static void clear_attribute(dynamic_attribute *a) {
    tips__free(a->name);
    tips__free(a->ints);
    tips__free(a->floats);
    tips__free(a->text);
    tips__array_free(&a->array);
}

static void clear_node(dynamic_node *node) {
    for (int i = 0; i < node->n_attributes; i++) clear_attribute(&node->attributes[i]);
    tips__free(node->attributes);
    tips__free(node->name);
    tips__free(node->in);
}

static void clear_block(dynamic_block *block) {
    for (int i = 0; i < block->n_nodes; i++) clear_node(&block->nodes[i]);
    tips__free(block->nodes);
    tips__free(block->inputs);
}

void tips__program_release(tips_program *p) {
    if (!p || --p->references > 0) return;
    for (int i = 0; i < p->n_values; i++) tips__array_free(&p->constants[i]);
    for (int i = 0; i < p->n_blocks; i++) clear_block(&p->blocks[i]);
    for (int i = 0; i < p->n_outputs; i++) tips__free(p->output_names[i]);
    tips__free(p->constants);
    tips__free(p->blocks);
    tips__free(p->inputs);
    tips__free(p->outputs);
    tips__free(p->output_names);
    tips__free(p);
}

tips_status tips__program_new_value(tips_program *p, int *out) {
    if (p->n_values >= MOST_VALUES) TIPS_FAIL(TIPS_RANGE, "a program has at most %d values", MOST_VALUES);
    TIPS_TRY(add_row(&p->constants, p->n_values, sizeof *p->constants, "the values of a program"));
    *out = p->n_values++;
    return TIPS_OK;
}

static tips_status check_value(const tips_program *p, int value) {
    if (value < 0 || value >= p->n_values) TIPS_FAIL(TIPS_INVALID, "a program has no value %d", value);
    return TIPS_OK;
}

tips_status tips__program_constant(tips_program *p, int value, tips_array *array) {
    const tips_status status = check_value(p, value);
    if (status != TIPS_OK) {
        tips__array_free(array);
        return status;
    }
    tips__array_free(&p->constants[value]);
    p->constants[value] = *array;
    *array = (tips_array){0};
    return TIPS_OK;
}

tips_status tips__program_input(tips_program *p, const tips_program_input *input) {
    TIPS_TRY(check_value(p, input->value));
    TIPS_TRY(add_row(&p->inputs, p->n_inputs, sizeof *p->inputs, "the inputs of a program"));
    p->inputs[p->n_inputs++] = *input;
    return TIPS_OK;
}

tips_status tips__program_output(tips_program *p, const char *name, int value) {
    TIPS_TRY(check_value(p, value));
    TIPS_TRY(add_row(&p->outputs, p->n_outputs, sizeof *p->outputs, "the outputs of a program"));
    TIPS_TRY(add_row(&p->output_names, p->n_outputs, sizeof *p->output_names, "the outputs of a program"));
    char *copy = tips__strdup(name);
    if (!copy) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    p->outputs[p->n_outputs] = value;
    p->output_names[p->n_outputs++] = copy;
    return TIPS_OK;
}

tips_status tips__program_new_block(tips_program *p, int *block) {
    if (p->n_blocks >= MOST_BLOCKS) TIPS_FAIL(TIPS_RANGE, "a program has at most %d graphs inside", MOST_BLOCKS);
    TIPS_TRY(add_row(&p->blocks, p->n_blocks, sizeof *p->blocks, "the blocks of a program"));
    *block = p->n_blocks++;
    return TIPS_OK;
}

/* Two lists of values in one piece of memory. */
static tips_status copy_values(const tips_program *p, const int *a, int n_a, const int *b, int n_b, int **out) {
    for (int i = 0; i < n_a + n_b; i++) {
        const int value = i < n_a ? a[i] : b[i - n_a];
        if (value != TIPS_PROGRAM_NONE) TIPS_TRY(check_value(p, value));
    }
    TIPS_TRY(tips__new(out, ((size_t)n_a + (size_t)n_b) * sizeof **out, "the values of a node"));
    if (n_a) memcpy(*out, a, (size_t)n_a * sizeof *a);
    if (n_b) memcpy(*out + n_a, b, (size_t)n_b * sizeof *b);
    return TIPS_OK;
}

tips_status tips__program_block_ends(tips_program *p, int block, const int *inputs, int n_inputs, const int *outputs,
                                     int n_outputs) {
    dynamic_block *b = &p->blocks[block];
    int *values;
    TIPS_TRY(copy_values(p, inputs, n_inputs, outputs, n_outputs, &values));
    tips__free(b->inputs);
    b->inputs = values;
    b->outputs = values + n_inputs;
    b->n_inputs = n_inputs;
    b->n_outputs = n_outputs;
    return TIPS_OK;
}

tips_status tips__program_node(tips_program *p, int block, const char *operator_name, const char *name, const int *in,
                               int n_in, const int *out, int n_out) {
    dynamic_block *b = &p->blocks[block];
    const dynamic_operator *op = tips__dynamic_find(operator_name);
    if (!op) TIPS_FAIL(TIPS_UNSUPPORTED, "the operator %.80s is not supported", operator_name);
    if (n_in < op->least_in || n_in > op->most_in)
        TIPS_FAIL(TIPS_FORMAT, "it has %d inputs; %s takes %d to %d", n_in, op->name, op->least_in, op->most_in);
    if (n_out < 1 || n_out > op->most_out)
        TIPS_FAIL(TIPS_FORMAT, "it has %d outputs; %s has 1 to %d", n_out, op->name, op->most_out);
    TIPS_TRY(add_row(&b->nodes, b->n_nodes, sizeof *b->nodes, "the nodes of a program"));
    dynamic_node node = {.op = op, .n_in = n_in, .n_out = n_out};
    TIPS_TRY(copy_values(p, in, n_in, out, n_out, &node.in));
    node.out = node.in + n_in;
    node.name = tips__strdup(name ? name : "");
    if (!node.name) {
        tips__free(node.in);
        TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    }
    b->nodes[b->n_nodes++] = node;
    return TIPS_OK;
}

static tips_status add_attribute(tips_program *p, int block, const char *name, dynamic_kind kind,
                                 dynamic_attribute **out) {
    dynamic_node *node = &p->blocks[block].nodes[p->blocks[block].n_nodes - 1];
    TIPS_TRY(add_row(&node->attributes, node->n_attributes, sizeof *node->attributes, "attributes"));
    char *copy = tips__strdup(name);
    if (!copy) TIPS_FAIL(TIPS_MEMORY, "out of memory for a name");
    *out = &node->attributes[node->n_attributes++];
    **out = (dynamic_attribute){.name = copy, .kind = kind};
    return TIPS_OK;
}

tips_status tips__program_ints(tips_program *p, int block, const char *name, const int64_t *ints, int count) {
    dynamic_attribute *a = NULL;
    TIPS_TRY(add_attribute(p, block, name, DYNAMIC_INTS, &a));
    TIPS_TRY(tips__new(&a->ints, (size_t)count * sizeof *ints, "an attribute"));
    if (count) memcpy(a->ints, ints, (size_t)count * sizeof *ints);
    a->count = count;
    return TIPS_OK;
}

tips_status tips__program_floats(tips_program *p, int block, const char *name, const float *floats, int count) {
    dynamic_attribute *a = NULL;
    TIPS_TRY(add_attribute(p, block, name, DYNAMIC_FLOATS, &a));
    TIPS_TRY(tips__new(&a->floats, (size_t)count * sizeof *floats, "an attribute"));
    if (count) memcpy(a->floats, floats, (size_t)count * sizeof *floats);
    a->count = count;
    return TIPS_OK;
}

tips_status tips__program_text(tips_program *p, int block, const char *name, const char *text, size_t length) {
    dynamic_attribute *a = NULL;
    TIPS_TRY(add_attribute(p, block, name, DYNAMIC_TEXT, &a));
    TIPS_TRY(tips__new(&a->text, length + 1, "an attribute"));
    if (length) memcpy(a->text, text, length);
    a->text[length] = '\0';
    return TIPS_OK;
}

tips_status tips__program_array(tips_program *p, int block, const char *name, tips_array *array) {
    dynamic_attribute *a = NULL;
    const tips_status status = add_attribute(p, block, name, DYNAMIC_ARRAY, &a);
    if (status == TIPS_OK) a->array = *array;
    else tips__array_free(array);
    *array = (tips_array){0};
    return status;
}

tips_status tips__program_graph(tips_program *p, int block, const char *name, int inner) {
    dynamic_attribute *a = NULL;
    TIPS_TRY(add_attribute(p, block, name, DYNAMIC_GRAPH, &a));
    a->block = inner;
    return TIPS_OK;
}

int tips__program_node_count(const tips_program *p) { return p->blocks[0].n_nodes; }
size_t tips__program_reads(const tips_program *p) {
    size_t most = 0;
    for (int i = 0; i < p->n_inputs; i++) {
        size_t last = 0;
        for (int k = 0; k < p->inputs[i].n_dims; k++)
            last += (size_t)(p->inputs[i].dims[k] - 1) * (size_t)p->inputs[i].strides[k];
        if (last + 1 > most) most = last + 1;
    }
    return most;
}

int tips__program_output_count(const tips_program *p) { return p->n_outputs; }
const char *tips__program_output_name(const tips_program *p, int i) { return p->output_names[i]; }
