/* From a blueprint to a graph, and the architecture of networks that are blueprints. */
#include "arch/blueprint.h"

#include "core/fail.h"
#include "core/memory.h"
#include "layer/layers.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 220 };

typedef struct built {
    tips_value *values;
    tips_selection *selections; /* of the operators */
} built;

/* The phases that a step follows, as one; TIPS_NO_VALUE where none was chosen. */
static tips_value joined_phase(tips_graph *graph, const tips_blueprint *blueprint, const tips_step *step,
                               const built *b) {
    tips_value phase = TIPS_NO_VALUE;
    tips_join_phases join = {{1, 1}, {1, 1}};
    for (int k = 0; k < step->n_undone; k++) {
        const tips_step *made = &blueprint->steps[step->undone[k]];
        const tips_value outer = b->selections[step->undone[k]].phase;
        if (outer == TIPS_NO_VALUE) return TIPS_NO_VALUE;
        char name[NAME_SIZE];
        memcpy(join.outer, made->stride, sizeof join.outer);
        snprintf(name, sizeof name, "%.190s.phase%d", step->name, k);
        phase = k == 0 ? outer
                       : tips__graph_add(graph, &tips__layer_join_phases, name, &join,
                                         (const tips_value[]){outer, phase}, 2);
        for (int axis = 0; axis < 2; axis++) join.inner[axis] *= made->stride[axis];
    }
    return phase;
}

static tips_value add_layer(tips_graph *graph, const tips_blueprint *blueprint, const tips_step *step,
                            tips_value in[TIPS_MAX_IN], const built *b) {
    const tips_value phase = step->n_in < TIPS_MAX_IN ? joined_phase(graph, blueprint, step, b) : TIPS_NO_VALUE;
    int n_in = step->n_in;
    if (phase != TIPS_NO_VALUE) in[n_in++] = phase;
    return tips__graph_add(graph, step->layer, step->name, step->config, in, n_in);
}

static tips_value add_step(tips_graph *graph, const tips_blueprint *blueprint, tips_value input, const built *b,
                           int i) {
    const tips_step *step = &blueprint->steps[i];
    tips_value in[TIPS_MAX_IN];
    for (int k = 0; k < step->n_in; k++) in[k] = step->in[k] < 0 ? input : b->values[step->in[k]];
    if (step->layer) return add_layer(graph, blueprint, step, in, b);
    const tips_selection *shared = step->shares >= 0 ? &b->selections[step->shares] : NULL;
    return tips__pool_add(graph, step->name, &step->pool, step->stride, step->padding, in[0], shared,
                          &b->selections[i]);
}

static tips_status allocate(int count, built *out) {
    const size_t n = (size_t)count + 1;
    TIPS_TRY(tips__new(&out->values, n * sizeof *out->values, "the values of a network"));
    return tips__new(&out->selections, n * sizeof *out->selections, "the operators of a network");
}

static void release(built *b) {
    tips__free(b->values);
    tips__free(b->selections);
}

tips_value tips__blueprint_build(tips_graph *graph, const tips_blueprint *blueprint, tips_value input,
                                 tips_value *values) {
    built b = {0};
    tips_value output = TIPS_NO_VALUE;
    const tips_status status = allocate(blueprint->n_steps, &b);
    if (status != TIPS_OK) tips__graph_fail(graph, status);
    for (int i = 0; i < blueprint->n_steps && status == TIPS_OK; i++) {
        b.selections[i] = (tips_selection){TIPS_NO_VALUE, TIPS_NO_VALUE};
        b.values[i] = add_step(graph, blueprint, input, &b, i);
        if (b.values[i] == TIPS_NO_VALUE) break;
        if (values) values[i] = b.values[i];
        if (i == blueprint->output) output = b.values[i];
    }
    release(&b);
    return output;
}

static tips_status resolve(const tips_arch *arch, tips_arch_config *config) {
    (void)arch;
    if (!config->blueprint)
        TIPS_FAIL(TIPS_INVALID, "the architecture 'graph' is that of a model file: give one with --model or --init");
    if (!tips__norm_is_plain(&config->norm))
        TIPS_FAIL(TIPS_INVALID, "the architecture 'graph' has the norms of its model file; leave --norm out");
    config->in_channels = config->blueprint->channels;
    if (config->blueprint->classes) config->classes = config->blueprint->classes;
    config->width = config->width ? config->width : 1;
    config->down = 0; /* the blueprint's own affair */
    config->stem = TIPS_STEM_CIFAR;
    return TIPS_OK;
}

/* All maps that the program reads. */
static tips_status build_outputs(tips_graph *graph, const tips_arch_config *config, tips_value x, tips_features *out) {
    const tips_blueprint *b = config->blueprint;
    tips_value *values;
    if (memcmp(config->size, b->program_size, sizeof config->size) != 0)
        TIPS_FAIL(TIPS_UNSUPPORTED, "the network is made for inputs of %dx%d, not %dx%d", b->program_size[0],
                  b->program_size[1], config->size[0], config->size[1]);
    TIPS_TRY(tips__new(&values, ((size_t)b->n_steps + 1) * sizeof *values, "the values of a network"));
    out->whole = tips__blueprint_build(graph, b, x, values);
    const tips_status status = tips__graph_status(graph);
    for (int i = 0; i < b->n_outputs && status == TIPS_OK; i++) out->outputs[out->n_outputs++] = values[b->outputs[i]];
    tips__free(values);
    return status;
}

static void features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                     tips_features *out) {
    (void)arch;
    tips__features_begin(out);
    if (config->blueprint->program) tips__graph_fail(graph, build_outputs(graph, config, x, out));
    else out->whole = tips__blueprint_build(graph, config->blueprint, x, NULL);
    tips__features_leave(out, out->whole);
}

/* Of the size that the task asks for. */
static tips_status check_output(const tips_graph *graph, const tips_blueprint *b, tips_value y, int h, int w,
                                const char *wanted) {
    if (b->output < 0 || b->output >= b->n_steps) TIPS_FAIL(TIPS_FORMAT, "the network has no output");
    if (y == TIPS_NO_VALUE) return TIPS_OK; /* the graph knows why */
    const tips_value_info *info = tips__value(graph, y);
    if (info->kind != TIPS_MAP || info->h != h || info->w != w || info->per_sample != 1)
        TIPS_FAIL(TIPS_SHAPE, "the network's output '%s' is %dx%dx%d; %s", b->steps[b->output].name, info->c, info->h,
                  info->w, wanted);
    return TIPS_OK;
}

static tips_value checked(tips_graph *graph, const tips_arch_config *config, const tips_features *made, int h, int w,
                          const char *wanted) {
    const tips_status status = check_output(graph, config->blueprint, made->whole, h, w, wanted);
    if (status == TIPS_OK) return made->whole;
    tips__graph_fail(graph, status);
    return TIPS_NO_VALUE;
}

/* It came with its head. */
static tips_value classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                           const tips_features *made) {
    (void)arch;
    return checked(graph, config, made, 1, 1, "a classifier gives one number per class");
}

static tips_value segment(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                          const tips_features *made) {
    char wanted[120];
    (void)arch;
    snprintf(wanted, sizeof wanted, "to segment, it must give one number per class for each of %dx%d pixels",
             config->size[0], config->size[1]);
    return checked(graph, config, made, config->size[0], config->size[1], wanted);
}

const tips_arch tips__arch_graph = {.name = "graph",
                                    .brief = "a network that came from elsewhere, as its file says",
                                    .resolve = resolve,
                                    .features = features,
                                    .classify = classify,
                                    .segment = segment};
