/* From a blueprint to a graph, and the architecture of networks that are blueprints. */
#include "arch/blueprint.h"

#include "core/fail.h"
#include "core/memory.h"

typedef struct built {
    tips_value *values;
    tips_selection *selections; /* of the operators */
} built;

static tips_value add_step(tips_graph *graph, const tips_step *step, tips_value input, const built *b, int i) {
    tips_value in[TIPS_MAX_IN];
    for (int k = 0; k < step->n_in; k++) in[k] = step->in[k] < 0 ? input : b->values[step->in[k]];
    if (step->layer) return tips__graph_add(graph, step->layer, step->name, step->config, in, step->n_in);
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
        b.values[i] = add_step(graph, &blueprint->steps[i], input, &b, i);
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

static void features(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config, tips_value x,
                     tips_features *out) {
    (void)arch;
    tips__features_begin(out);
    out->whole = tips__blueprint_build(graph, config->blueprint, x, NULL);
    tips__features_leave(out, out->whole);
}

static tips_status check_output(const tips_graph *graph, const tips_blueprint *b, tips_value y) {
    if (b->output < 0 || b->output >= b->n_steps) TIPS_FAIL(TIPS_FORMAT, "the network has no output");
    if (y == TIPS_NO_VALUE) return TIPS_OK; /* the graph knows why */
    const tips_value_info *info = tips__value(graph, y);
    if (info->kind != TIPS_MAP || info->h != 1 || info->w != 1 || info->per_sample != 1)
        TIPS_FAIL(TIPS_SHAPE, "the network's output '%s' is %dx%dx%d; a classifier gives one number per class",
                  b->steps[b->output].name, info->c, info->h, info->w);
    return TIPS_OK;
}

/* It came with its classifier. */
static tips_value classify(tips_graph *graph, const tips_arch *arch, const tips_arch_config *config,
                           const tips_features *made) {
    (void)arch;
    const tips_status status = check_output(graph, config->blueprint, made->whole);
    if (status == TIPS_OK) return made->whole;
    tips__graph_fail(graph, status);
    return TIPS_NO_VALUE;
}

const tips_arch tips__arch_graph = {.name = "graph",
                                    .brief = "a network that came from elsewhere, as its file says",
                                    .resolve = resolve,
                                    .features = features,
                                    .classify = classify};
