/* Running programs: values, the nodes of a block one after the other, and bounds on what they may take. */
#include "dynamic/dynamic_parts.h"

#include <stdio.h>
#include <string.h>

/* Bounds for files that nobody vouches for: memory of a run, nodes that run, graphs within graphs. */
static const size_t most_bytes = (size_t)1 << 30;
enum { MOST_STEPS = 1 << 17, MOST_DEPTH = 16, NODE_SHOWN = 80 };

const tips_array *tips__dynamic_value(const dynamic_run *r, int value) {
    if (value == TIPS_PROGRAM_NONE) return NULL;
    if (value < r->n_lent) return r->lent[value].type == TIPS_ARRAY_NONE ? NULL : &r->lent[value];
    if (r->made[value].type != TIPS_ARRAY_NONE) return &r->made[value];
    const tips_array *constant = &r->program->constants[value];
    return constant->type == TIPS_ARRAY_NONE ? NULL : constant;
}

const tips_array *tips__dynamic_in(const dynamic_run *r, int i) {
    return i < r->node->n_in ? tips__dynamic_value(r, r->node->in[i]) : NULL;
}

bool tips__dynamic_wants(const dynamic_run *r, int i) {
    return i < r->node->n_out && r->node->out[i] != TIPS_PROGRAM_NONE;
}

tips_status tips__dynamic_put(dynamic_run *r, int value, tips_array *array) {
    const size_t bytes = tips__array_bytes(array);
    r->bytes -= tips__array_bytes(&r->made[value]);
    tips__array_free(&r->made[value]);
    if (r->bytes + bytes > most_bytes) {
        tips__array_free(array);
        TIPS_FAIL(TIPS_RANGE, "what it computes takes more than %zu MB", most_bytes >> 20);
    }
    r->made[value] = *array;
    r->bytes += bytes;
    *array = (tips_array){0};
    return TIPS_OK;
}

tips_status tips__dynamic_out(dynamic_run *r, int i, tips_array_type type, int n_dims, const int64_t *dims,
                              tips_array **out) {
    tips_array array;
    if (!tips__dynamic_wants(r, i)) TIPS_FAIL(TIPS_FORMAT, "it has no output %d", i);
    TIPS_TRY(tips__array_create(type, n_dims, dims, &array));
    TIPS_TRY(tips__dynamic_put(r, r->node->out[i], &array));
    *out = &r->made[r->node->out[i]];
    return TIPS_OK;
}

static tips_status check_inputs(const dynamic_run *r) {
    for (int i = 0; i < r->node->n_in; i++) {
        if (r->node->in[i] != TIPS_PROGRAM_NONE && !tips__dynamic_in(r, i))
            TIPS_FAIL(TIPS_FORMAT, "nothing has set its input %d", i);
        if (i < r->node->op->least_in && !tips__dynamic_in(r, i)) TIPS_FAIL(TIPS_FORMAT, "its input %d is missing", i);
    }
    return TIPS_OK;
}

static tips_status run_node(dynamic_run *r, const dynamic_node *node) {
    r->node = node;
    TIPS_TRY(check_inputs(r));
    return node->op->run(r);
}

tips_status tips__dynamic_run_block(dynamic_run *r, int block) {
    const dynamic_block *b = &r->program->blocks[block];
    const dynamic_node *outer = r->node;
    if (r->depth >= MOST_DEPTH) TIPS_FAIL(TIPS_UNSUPPORTED, "graphs are nested more than %d deep", MOST_DEPTH);
    r->depth++;
    r->steps += 1 + b->n_nodes;
    if (r->steps > MOST_STEPS) TIPS_FAIL(TIPS_RANGE, "it takes more than %d steps", MOST_STEPS);
    for (int i = 0; i < b->n_nodes; i++) {
        const tips_status status = run_node(r, &b->nodes[i]);
        if (status == TIPS_OK) continue;
        char where[2 * NODE_SHOWN + 16];
        snprintf(where, sizeof where, "%.*s node '%.*s'", NODE_SHOWN, b->nodes[i].op->name, NODE_SHOWN,
                 b->nodes[i].name);
        return tips__fail_within(status, where);
    }
    r->depth--;
    r->node = outer;
    return TIPS_OK;
}

static tips_status look_at_map(dynamic_run *r, const tips_program_input *input, const float *map) {
    tips_array array;
    dynamic_walk walk = {.n_dims = input->n_dims, .n = 1};
    TIPS_TRY(tips__array_create(TIPS_ARRAY_FLOAT, input->n_dims, input->dims, &array));
    for (int i = 0; i < input->n_dims; i++) {
        walk.dims[i] = input->dims[i];
        walk.strides[0][i] = (size_t)input->strides[i];
    }
    for (size_t i = 0; i < array.count; i++, tips__dynamic_next(&walk)) array.floats[i] = map[walk.at[0]];
    return tips__dynamic_put(r, input->value, &array);
}

static tips_status take_outputs(dynamic_run *r, tips_array *outputs) {
    const tips_program *p = r->program;
    for (int i = 0; i < p->n_outputs; i++) {
        const tips_array *value = tips__dynamic_value(r, p->outputs[i]);
        if (!value) TIPS_FAIL(TIPS_FORMAT, "nothing has set the output '%.*s'", NODE_SHOWN, p->output_names[i]);
        TIPS_TRY(tips__array_copy(value, &outputs[i]));
    }
    return TIPS_OK;
}

static tips_status begin(const tips_program *p, dynamic_run *r) {
    *r = (dynamic_run){.program = p};
    return tips__new_zero(&r->made, ((size_t)p->n_values + 1) * sizeof *r->made, "the values of a program");
}

static void end(dynamic_run *r) {
    for (int i = 0; r->made && i < r->program->n_values; i++) tips__array_free(&r->made[i]);
    tips__free(r->made);
}

static tips_status run_all(dynamic_run *r, const float *const *maps, tips_array *outputs) {
    const tips_program *p = r->program;
    for (int i = 0; i < p->n_inputs; i++) TIPS_TRY(look_at_map(r, &p->inputs[i], maps[p->inputs[i].map]));
    TIPS_TRY(tips__dynamic_run_block(r, 0));
    return take_outputs(r, outputs);
}

tips_status tips__program_run(const tips_program *p, const float *const *maps, tips_array *outputs) {
    dynamic_run r;
    for (int i = 0; i < p->n_outputs; i++) outputs[i] = (tips_array){0};
    tips_status status = begin(p, &r);
    if (status == TIPS_OK) status = run_all(&r, maps, outputs);
    end(&r);
    for (int i = 0; status != TIPS_OK && i < p->n_outputs; i++) tips__array_free(&outputs[i]);
    return status;
}

tips_status tips__program_fold(const tips_program *p, const tips_array *in, int n_in, tips_array *out) {
    dynamic_run r;
    tips_status status = begin(p, &r);
    r.lent = in;
    r.n_lent = n_in;
    if (status == TIPS_OK) status = tips__dynamic_run_block(&r, 0);
    const tips_array *result = status == TIPS_OK ? tips__dynamic_value(&r, n_in) : NULL;
    if (result) status = tips__array_copy(result, out);
    else if (status == TIPS_OK) status = tips__fail(TIPS_FORMAT, "it has no output");
    end(&r);
    return status;
}
