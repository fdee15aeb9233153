/* Parameter storage, initialisation, layout conversion. */
#include "graph/params.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "engine/engine.h"

#include <string.h>

size_t tips__param_elements(const tips_param_spec *spec) {
    size_t count = 1;
    for (int i = 0; i < spec->n_dims; i++) count *= (size_t)spec->dims[i];
    return count;
}

static size_t stored_floats(const tips_param_spec *s) {
    switch (s->layout) {
    case TIPS_VECTOR: return (size_t)tips__padded(s->dims[0]);
    case TIPS_MATRIX: return (size_t)s->dims[1] * (size_t)tips__padded(s->dims[0]);
    case TIPS_CONV:
        return tips__conv_weight_floats(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups);
    case TIPS_DEPTHWISE: return tips__conv_weight_floats(s->dims[0], s->dims[0], s->dims[2], s->dims[3], s->dims[0]);
    }
    return 0;
}

static void to_stored(const tips_param_spec *s, const float *plain, float *stored) {
    memset(stored, 0, stored_floats(s) * sizeof(float));
    switch (s->layout) {
    case TIPS_VECTOR: memcpy(stored, plain, (size_t)s->dims[0] * sizeof(float)); break;
    case TIPS_MATRIX:
        for (int o = 0; o < s->dims[0]; o++)
            for (int i = 0; i < s->dims[1]; i++)
                stored[(ptrdiff_t)i * tips__padded(s->dims[0]) + o] = plain[(ptrdiff_t)o * s->dims[1] + i];
        break;
    case TIPS_CONV:
        tips__conv_weights_pack(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups, plain, stored);
        break;
    case TIPS_DEPTHWISE:
        tips__conv_weights_pack(s->dims[0], s->dims[0], s->dims[2], s->dims[3], s->dims[0], plain, stored);
        break;
    }
}

static void to_plain(const tips_param_spec *s, const float *stored, float *plain) {
    switch (s->layout) {
    case TIPS_VECTOR: memcpy(plain, stored, (size_t)s->dims[0] * sizeof(float)); break;
    case TIPS_MATRIX:
        for (int o = 0; o < s->dims[0]; o++)
            for (int i = 0; i < s->dims[1]; i++)
                plain[(ptrdiff_t)o * s->dims[1] + i] = stored[(ptrdiff_t)i * tips__padded(s->dims[0]) + o];
        break;
    case TIPS_CONV:
        tips__conv_weights_unpack(s->dims[0], s->dims[1] * s->groups, s->dims[2], s->dims[3], s->groups, stored, plain);
        break;
    case TIPS_DEPTHWISE:
        tips__conv_weights_unpack(s->dims[0], s->dims[0], s->dims[2], s->dims[3], s->dims[0], stored, plain);
        break;
    }
}

static uint64_t name_stream(const char *name) {
    uint64_t hash = 1469598103934665603u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static void initialise(const tips_param_spec *spec, uint64_t seed, float *plain) {
    const tips_rng rng = {seed, name_stream(spec->name)};
    const int count = (int)tips__param_elements(spec);
    TIPS_PARALLEL_FOR(i, count)
        plain[i] = (float)(spec->fill + (spec->std > 0 ? spec->std * tips__rng_normal(rng, (uint64_t)i) : 0));
}

static tips_status allocate(tips_params *p) {
    const size_t pointers = (size_t)(p->count ? p->count : 1) * sizeof(float *);
    TIPS_TRY(tips__new_zero(&p->floats, (size_t)(p->count ? p->count : 1) * sizeof *p->floats, "parameter sizes"));
    TIPS_TRY(tips__new_zero(&p->data, pointers, "parameters"));
    TIPS_TRY(tips__new_zero(&p->diff, pointers, "gradients"));
    TIPS_TRY(tips__new_zero(&p->momentum, pointers, "momentum"));
    for (int i = 0; i < p->count; i++) {
        p->floats[i] = stored_floats(tips__graph_param(p->graph, i));
        p->total_floats += (p->floats[i] + 15) / 16 * 16;
    }
    return tips__new_zero(&p->data_arena, p->total_floats * sizeof(float), "parameters");
}

static void carve(const tips_params *p, float *arena, float **out, bool trainable_only) {
    for (int i = 0; i < p->count; i++) {
        out[i] = trainable_only && !tips__graph_param(p->graph, i)->trainable ? NULL : arena;
        arena += (p->floats[i] + 15) / 16 * 16;
    }
}

static tips_status initialise_all(tips_params *p, uint64_t seed) {
    size_t largest = 1;
    for (int i = 0; i < p->count; i++) {
        const size_t elements = tips__param_elements(tips__graph_param(p->graph, i));
        if (elements > largest) largest = elements;
    }
    float *plain;
    TIPS_TRY(tips__new(&plain, largest * sizeof *plain, "initial parameters"));
    for (int i = 0; i < p->count; i++) {
        initialise(tips__graph_param(p->graph, i), seed, plain);
        to_stored(tips__graph_param(p->graph, i), plain, p->data[i]);
    }
    tips__free(plain);
    return TIPS_OK;
}

tips_status tips__params_create(const tips_graph *graph, uint64_t seed, tips_params **out) {
    tips_params *p;
    TIPS_TRY(tips__new_zero(&p, sizeof *p, "parameters"));
    p->graph = graph;
    p->count = tips__graph_param_count(graph);
    p->version = 1;
    tips_status status = allocate(p);
    if (status == TIPS_OK) {
        carve(p, p->data_arena, p->data, false);
        status = initialise_all(p, seed);
    }
    if (status != TIPS_OK) {
        tips__params_destroy(p);
        return status;
    }
    *out = p;
    return TIPS_OK;
}

void tips__params_destroy(tips_params *p) {
    if (!p) return;
    tips__free(p->floats);
    tips__free(p->data);
    tips__free(p->diff);
    tips__free(p->momentum);
    tips__free(p->data_arena);
    tips__free(p->diff_arena);
    tips__free(p->momentum_arena);
    tips__free(p->frozen);
    tips__free(p);
}

tips_status tips__params_for_training(tips_params *p) {
    if (!p->diff_arena) TIPS_TRY(tips__new_zero(&p->diff_arena, p->total_floats * sizeof(float), "gradients"));
    if (!p->momentum_arena) TIPS_TRY(tips__new_zero(&p->momentum_arena, p->total_floats * sizeof(float), "momentum"));
    carve(p, p->diff_arena, p->diff, true);
    carve(p, p->momentum_arena, p->momentum, true);
    return TIPS_OK;
}

void tips__param_get(const tips_params *p, int id, float *plain) {
    to_plain(tips__graph_param(p->graph, id), p->data[id], plain);
}

void tips__param_get_diff(const tips_params *p, int id, float *plain) {
    to_plain(tips__graph_param(p->graph, id), p->diff[id], plain);
}

void tips__param_set(tips_params *p, int id, const float *plain) {
    to_stored(tips__graph_param(p->graph, id), plain, p->data[id]);
    p->version++;
}

tips_status tips__param_copy(const tips_params *from, tips_params *to, int id, bool *fits) {
    const tips_param_spec *spec = tips__graph_param(to->graph, id);
    const int source = tips__param_find(from->graph, spec->name);
    const size_t elements = tips__param_elements(spec);
    float *values;
    *fits = source >= 0 && tips__param_elements(tips__graph_param(from->graph, source)) == elements;
    if (!*fits) return TIPS_OK;
    TIPS_TRY(tips__new(&values, elements * sizeof *values, "a parameter"));
    tips__param_get(from, source, values);
    tips__param_set(to, id, values);
    tips__free(values);
    return TIPS_OK;
}

void tips__param_get_momentum(const tips_params *p, int id, float *plain) {
    to_plain(tips__graph_param(p->graph, id), p->momentum[id], plain);
}

void tips__param_set_momentum(tips_params *p, int id, const float *plain) {
    to_stored(tips__graph_param(p->graph, id), plain, p->momentum[id]);
}

int tips__param_find(const tips_graph *graph, const char *name) {
    for (int i = 0; i < tips__graph_param_count(graph); i++)
        if (strcmp(tips__graph_param(graph, i)->name, name) == 0) return i;
    return -1;
}

tips_status tips__params_freeze(tips_params *p, int id) {
    if (!p->frozen) TIPS_TRY(tips__new_zero(&p->frozen, (size_t)p->count * sizeof *p->frozen, "frozen parameters"));
    p->frozen[id] = true;
    return TIPS_OK;
}

bool tips__param_is_frozen(const tips_params *p, int id) { return p->frozen && p->frozen[id]; }

tips_pass tips__node_pass(const tips_params *p, const tips_node *node, tips_pass pass) {
    for (int i = 0; i < node->n_params; i++) {
        const int id = node->params[i];
        if (!tips__graph_param(p->graph, id)->trainable && tips__param_is_frozen(p, id)) pass.batch_statistics = false;
    }
    return pass;
}
