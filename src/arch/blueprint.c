/* The list of steps: making, copying, growing, finding. */
#include "arch/blueprint.h"

#include "core/fail.h"
#include "core/memory.h"

#include <string.h>

enum { MOST_STEPS = 1 << 16, NAME_SIZE = 200 };

tips_status tips__blueprint_create(int channels, tips_blueprint **out) {
    tips_blueprint *b;
    TIPS_TRY(tips__new_zero(&b, sizeof *b, "a blueprint"));
    b->references = 1;
    b->channels = channels;
    b->output = TIPS_BLUEPRINT_NOTHING;
    *out = b;
    return TIPS_OK;
}

tips_blueprint *tips__blueprint_keep(tips_blueprint *blueprint) {
    if (blueprint) blueprint->references++;
    return blueprint;
}

void tips__blueprint_release(tips_blueprint *blueprint) {
    if (!blueprint || --blueprint->references > 0) return;
    for (int i = 0; i < blueprint->n_steps; i++) {
        tips__free(blueprint->steps[i].name);
        tips__free(blueprint->steps[i].config);
    }
    tips__program_release(blueprint->program);
    tips__name_map_clear(&blueprint->by_name);
    tips__free(blueprint->steps);
    tips__free(blueprint);
}

int tips__blueprint_find(const tips_blueprint *blueprint, const char *name) {
    return tips__name_map_find(&blueprint->by_name, name, TIPS_BLUEPRINT_NOTHING);
}

/* Of many steps that want one name, each begins to look behind the last. */
static tips_status free_name(const tips_blueprint *b, const char *wanted, char out[NAME_SIZE]) {
    if (!wanted[0]) TIPS_FAIL(TIPS_INVALID, "a step needs a name");
    if (strlen(wanted) > NAME_SIZE - 16) TIPS_FAIL(TIPS_INVALID, "a step's name is too long: '%.40s...'", wanted);
    snprintf(out, NAME_SIZE, "%s", wanted);
    const int first = tips__blueprint_find(b, wanted);
    if (first == TIPS_BLUEPRINT_NOTHING) return TIPS_OK;
    int *twin = &b->steps[first].last_twin;
    *twin = *twin ? *twin : 1;
    do snprintf(out, NAME_SIZE, "%s_%d", wanted, ++*twin);
    while (tips__blueprint_find(b, out) != TIPS_BLUEPRINT_NOTHING);
    return TIPS_OK;
}

static tips_status make_room(tips_blueprint *b) {
    if (b->n_steps < b->capacity) return TIPS_OK;
    if (b->n_steps >= MOST_STEPS) TIPS_FAIL(TIPS_RANGE, "a network has at most %d layers", MOST_STEPS);
    const int capacity = b->capacity ? 2 * b->capacity : 64;
    tips_step *steps = tips__grow(b->steps, (size_t)b->n_steps * sizeof *steps, (size_t)capacity * sizeof *steps);
    if (!steps) TIPS_FAIL(TIPS_MEMORY, "no memory for a network of %d layers", capacity);
    b->steps = steps;
    b->capacity = capacity;
    return TIPS_OK;
}

static tips_status check_inputs(const tips_blueprint *b, const char *name, const int *in, int n_in) {
    if (n_in < 1 || n_in > TIPS_MAX_IN)
        TIPS_FAIL(TIPS_RANGE, "layer '%s' has %d inputs; it takes 1..%d", name, n_in, TIPS_MAX_IN);
    for (int i = 0; i < n_in; i++)
        if (in[i] < TIPS_BLUEPRINT_INPUT || in[i] >= b->n_steps)
            TIPS_FAIL(TIPS_FORMAT, "layer '%s' reads step %d, which does not come before it", name, in[i]);
    return TIPS_OK;
}

/* Adds `step` with a name and, of the layer's config, a copy. */
static tips_status append(tips_blueprint *b, tips_step step, const char *name, const void *config, int *out) {
    char own[NAME_SIZE];
    const size_t bytes = step.layer ? step.layer->config_size : 0;
    TIPS_TRY(free_name(b, name, own));
    TIPS_TRY(make_room(b));
    step.name = tips__strdup(own);
    step.config = bytes ? tips__alloc(bytes) : NULL;
    step.last_twin = 0;
    const bool has_memory = step.name && (!bytes || step.config);
    if (!has_memory || tips__name_map_add(&b->by_name, step.name, b->n_steps) != TIPS_OK) {
        tips__free(step.name);
        tips__free(step.config);
        TIPS_FAIL(TIPS_MEMORY, "no memory for layer '%s'", own);
    }
    if (bytes) memcpy(step.config, config, bytes);
    b->steps[b->n_steps] = step;
    *out = b->n_steps++;
    return TIPS_OK;
}

tips_status tips__blueprint_add(tips_blueprint *b, const tips_layer *layer, const char *name, const void *config,
                                const int *in, int n_in, int *step) {
    tips_step s = {.layer = layer, .shares = TIPS_BLUEPRINT_NOTHING, .n_in = n_in};
    TIPS_TRY(check_inputs(b, name, in, n_in));
    memcpy(s.in, in, (size_t)n_in * sizeof *in);
    return append(b, s, name, config, step);
}

tips_status tips__blueprint_undo(tips_blueprint *b, int step, const int *operators, int count) {
    tips_step *s = &b->steps[step];
    if (count < 0 || count > TIPS_BLUEPRINT_UNDOES)
        TIPS_FAIL(TIPS_RANGE, "layer '%s' undoes %d choices of phase; at most %d are possible", s->name, count,
                  TIPS_BLUEPRINT_UNDOES);
    for (int i = 0; i < count; i++) {
        if (!s->layer || operators[i] < 0 || operators[i] >= step || b->steps[operators[i]].layer)
            TIPS_FAIL(TIPS_FORMAT, "layer '%s' undoes step %d, which is no operator before it", s->name, operators[i]);
        s->undone[i] = operators[i];
    }
    s->n_undone = count;
    return TIPS_OK;
}

tips_status tips__blueprint_add_pool(tips_blueprint *b, const char *name, const tips_pool_spec *pool,
                                     const int stride[2], tips_pad_mode padding, int shares, int in, int *step) {
    tips_step s = {
        .pool = *pool, .stride = {stride[0], stride[1]}, .padding = padding, .shares = shares, .n_in = 1, .in = {in}};
    TIPS_TRY(check_inputs(b, name, &in, 1));
    if (shares != TIPS_BLUEPRINT_NOTHING && (shares < 0 || shares >= b->n_steps || b->steps[shares].layer))
        TIPS_FAIL(TIPS_FORMAT, "operator '%s' follows step %d, which is no operator before it", name, shares);
    return append(b, s, name, NULL, step);
}

static tips_status copy_steps(const tips_blueprint *from, tips_blueprint *to) {
    for (int i = 0, at; i < from->n_steps; i++)
        TIPS_TRY(append(to, from->steps[i], from->steps[i].name, from->steps[i].config, &at));
    return TIPS_OK;
}

tips_status tips__blueprint_copy(const tips_blueprint *from, tips_blueprint **out) {
    tips_blueprint *b;
    TIPS_TRY(tips__blueprint_create(from->channels, &b));
    const tips_status status = copy_steps(from, b);
    if (status != TIPS_OK) {
        tips__blueprint_release(b);
        return status;
    }
    b->output = from->output;
    b->classes = from->classes;
    b->n_outputs = from->n_outputs;
    memcpy(b->outputs, from->outputs, sizeof b->outputs);
    b->program = tips__program_keep(from->program);
    memcpy(b->program_size, from->program_size, sizeof b->program_size);
    b->boxes = from->boxes;
    *out = b;
    return TIPS_OK;
}
