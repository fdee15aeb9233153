/* Graphs inside of nodes: If and Loop. */
#include "dynamic/dynamic_parts.h"

static tips_status find_block(const dynamic_run *r, const char *name, int *out) {
    const dynamic_attribute *a = tips__dynamic_attribute(r, name);
    if (!a || a->kind != DYNAMIC_GRAPH) TIPS_FAIL(TIPS_FORMAT, "it has no graph '%s'", name);
    *out = a->block;
    return TIPS_OK;
}

static tips_status copy_value(dynamic_run *r, int from, int to) {
    const tips_array *value = tips__dynamic_value(r, from);
    tips_array copy;
    if (!value) TIPS_FAIL(TIPS_FORMAT, "nothing has set an output of its graph");
    TIPS_TRY(tips__array_copy(value, &copy));
    return tips__dynamic_put(r, to, &copy);
}

tips_status tips__dynamic_if(dynamic_run *r) {
    double condition;
    int block = 0;
    TIPS_TRY(tips__dynamic_scalar(r, 0, 0, &condition));
    TIPS_TRY(find_block(r, condition != 0 ? "then_branch" : "else_branch", &block));
    const dynamic_block *b = &r->program->blocks[block];
    if (b->n_outputs < r->node->n_out) TIPS_FAIL(TIPS_FORMAT, "its graph has %d outputs", b->n_outputs);
    TIPS_TRY(tips__dynamic_run_block(r, block));
    for (int i = 0; i < r->node->n_out; i++)
        if (r->node->out[i] != TIPS_PROGRAM_NONE) TIPS_TRY(copy_value(r, b->outputs[i], r->node->out[i]));
    return TIPS_OK;
}

/* The body takes the number of the turn, the condition and what is carried; it gives back the condition, what is
 * carried, and what is collected along a new first axis. */
typedef struct loop {
    const dynamic_block *body;
    int block, carried, collected;
} loop;

static tips_status put_scalar(dynamic_run *r, int value, tips_array_type type, int64_t number) {
    tips_array one;
    TIPS_TRY(tips__array_create(type, 0, NULL, &one));
    one.ints[0] = number;
    return tips__dynamic_put(r, value, &one);
}

static tips_status read_loop(const dynamic_run *r, loop *out) {
    loop l = {.carried = r->node->n_in - 2};
    if (l.carried < 0) TIPS_FAIL(TIPS_FORMAT, "it has %d inputs; 2 or more are needed", r->node->n_in);
    TIPS_TRY(find_block(r, "body", &l.block));
    l.body = &r->program->blocks[l.block];
    l.collected = l.body->n_outputs - 1 - l.carried;
    if (l.body->n_inputs != l.carried + 2 || l.collected < 0 || r->node->n_out > l.carried + l.collected)
        TIPS_FAIL(TIPS_FORMAT, "its body has %d inputs and %d outputs for %d values", l.body->n_inputs,
                  l.body->n_outputs, l.carried);
    for (int i = 0; i < l.body->n_inputs; i++)
        if (l.body->inputs[i] == TIPS_PROGRAM_NONE) TIPS_FAIL(TIPS_FORMAT, "an input of its body has no name");
    *out = l;
    return TIPS_OK;
}

/* Puts a turn's value behind those of the turns before. */
static tips_status collect(dynamic_run *r, int from, int to, int64_t turn) {
    const tips_array *one = tips__dynamic_value(r, from);
    const tips_array *before = turn ? tips__dynamic_value(r, to) : NULL;
    int64_t dims[TIPS_ARRAY_MOST_DIMS + 1] = {turn + 1};
    tips_array all;
    if (!one) TIPS_FAIL(TIPS_FORMAT, "nothing has set an output of its body");
    for (int i = 0; i < one->n_dims; i++) dims[i + 1] = one->dims[i];
    if (before && (before->type != one->type || before->count != (size_t)turn * one->count))
        TIPS_FAIL(TIPS_SHAPE, "what it collects changes its shape from turn to turn");
    TIPS_TRY(tips__array_create(one->type, one->n_dims + 1, dims, &all));
    for (size_t i = 0; i < all.count; i++) {
        const size_t kept = (size_t)turn * one->count;
        if (all.floats) all.floats[i] = i < kept ? before->floats[i] : one->floats[i - kept];
        else all.ints[i] = i < kept ? before->ints[i] : one->ints[i - kept];
    }
    return tips__dynamic_put(r, to, &all);
}

/* What the next turn begins with: all of it before any of it is put in its place, as one may be another's. */
static tips_status carry(dynamic_run *r, const loop *l, tips_array *next) {
    tips_status status = TIPS_OK;
    for (int i = 0; i < l->carried && status == TIPS_OK; i++) {
        const tips_array *value = tips__dynamic_value(r, l->body->outputs[1 + i]);
        status = value ? tips__array_copy(value, &next[i])
                       : tips__fail(TIPS_FORMAT, "nothing has set an output of its body");
    }
    for (int i = 0; i < l->carried && status == TIPS_OK; i++)
        status = tips__dynamic_put(r, l->body->inputs[2 + i], &next[i]);
    for (int i = 0; i < l->carried; i++) tips__array_free(&next[i]);
    return status;
}

static tips_status carry_over(dynamic_run *r, const loop *l) {
    tips_array *next;
    TIPS_TRY(tips__new_zero(&next, ((size_t)l->carried + 1) * sizeof *next, "the values of a loop"));
    const tips_status status = carry(r, l, next);
    tips__free(next);
    return status;
}

static tips_status take_turn(dynamic_run *r, const loop *l, int64_t turn, bool *again) {
    const dynamic_node *node = r->node;
    TIPS_TRY(put_scalar(r, l->body->inputs[0], TIPS_ARRAY_INT64, turn));
    TIPS_TRY(put_scalar(r, l->body->inputs[1], TIPS_ARRAY_BOOL, 1));
    TIPS_TRY(tips__dynamic_run_block(r, l->block));
    const tips_array *condition = tips__dynamic_value(r, l->body->outputs[0]);
    if (!condition || condition->count != 1 || !condition->ints) TIPS_FAIL(TIPS_FORMAT, "its body gives no condition");
    *again = condition->ints[0] != 0;
    for (int i = l->carried; i < node->n_out; i++)
        if (node->out[i] != TIPS_PROGRAM_NONE) TIPS_TRY(collect(r, l->body->outputs[1 + i], node->out[i], turn));
    return carry_over(r, l);
}

tips_status tips__dynamic_loop(dynamic_run *r) {
    int64_t most;
    double condition;
    bool again;
    loop l = {0};
    TIPS_TRY(read_loop(r, &l));
    TIPS_TRY(tips__dynamic_whole(r, 0, INT64_MAX, &most));
    TIPS_TRY(tips__dynamic_scalar(r, 1, 1, &condition));
    for (int i = 0; i < l.carried; i++) TIPS_TRY(copy_value(r, r->node->in[2 + i], l.body->inputs[2 + i]));
    again = condition != 0;
    int64_t turn = 0;
    for (; turn < most && again; turn++) TIPS_TRY(take_turn(r, &l, turn, &again));
    for (int i = 0; i < r->node->n_out; i++) {
        if (r->node->out[i] == TIPS_PROGRAM_NONE) continue;
        if (i < l.carried) TIPS_TRY(copy_value(r, l.body->inputs[2 + i], r->node->out[i]));
        else if (turn == 0) TIPS_FAIL(TIPS_UNSUPPORTED, "it collects values and takes no turn");
    }
    return TIPS_OK;
}
