/* Parameter storage and initialisation. */
#include "graph/params_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

size_t tips__param_elements(const tips_param_spec *spec) {
    size_t count = 1;
    for (int i = 0; i < spec->n_dims; i++) count *= (size_t)spec->dims[i];
    return count;
}

static uint64_t name_stream(const char *name) {
    uint64_t hash = 1469598103934665603u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static void initialise(const tips_param_spec *spec, uint64_t seed, float *plain) {
    const tips_rng rng = {seed, name_stream(spec->name)};
    const int count = (int)tips__param_elements(spec);
    TIPS_PARALLEL_FOR (i, count)
        plain[i] = (float)(spec->fill + (spec->std > 0 ? spec->std * tips__rng_normal(rng, (uint64_t)i) : 0));
}

static tips_status allocate(tips_params *p) {
    const size_t pointers = (size_t)(p->count ? p->count : 1) * sizeof(float *);
    TIPS_TRY(tips__new_zero(&p->floats, (size_t)(p->count ? p->count : 1) * sizeof *p->floats, "parameter sizes"));
    TIPS_TRY(tips__new_zero(&p->data, pointers, "parameters"));
    TIPS_TRY(tips__new_zero(&p->diff, pointers, "gradients"));
    for (int i = 0; i < p->count; i++) {
        p->floats[i] = tips__param_floats(tips__graph_param(p->graph, i));
        p->total_floats += (p->floats[i] + 15) / 16 * 16;
    }
    return tips__new(&p->data_arena, p->total_floats * sizeof(float), "parameters");
}

static void carve(const tips_params *p, float *arena, float **out, bool trainable_only) {
    for (int i = 0; i < p->count; i++) {
        out[i] = trainable_only && !tips__graph_param(p->graph, i)->trainable ? NULL : arena;
        arena += (p->floats[i] + 15) / 16 * 16;
    }
}

/* What lies between parameters belongs to none, and is zero. */
static void clear_gaps(const tips_params *p) {
    float *at = p->data_arena;
    for (int i = 0; i < p->count; i++) {
        const size_t whole = (p->floats[i] + 15) / 16 * 16;
        memset(at + p->floats[i], 0, (whole - p->floats[i]) * sizeof *at);
        at += whole;
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
        tips__param_pack(tips__graph_param(p->graph, i), plain, p->data[i]);
    }
    tips__free(plain);
    return TIPS_OK;
}

tips_status tips__params_create_unset(const tips_graph *graph, tips_params **out) {
    tips_params *p;
    TIPS_TRY(tips__new_zero(&p, sizeof *p, "parameters"));
    p->graph = graph;
    p->count = tips__graph_param_count(graph);
    p->version = 1;
    const tips_status status = allocate(p);
    if (status != TIPS_OK) {
        tips__params_destroy(p);
        return status;
    }
    carve(p, p->data_arena, p->data, false);
    clear_gaps(p);
    *out = p;
    return TIPS_OK;
}

tips_status tips__params_create(const tips_graph *graph, uint64_t seed, tips_params **out) {
    tips_params *p;
    TIPS_TRY(tips__params_create_unset(graph, &p));
    const tips_status status = initialise_all(p, seed);
    if (status == TIPS_OK) *out = p;
    else tips__params_destroy(p);
    return status;
}

void tips__params_destroy(tips_params *p) {
    if (!p) return;
    tips__free(p->floats);
    tips__free(p->data);
    tips__free(p->diff);
    tips__free(p->data_arena);
    tips__free(p->diff_arena);
    tips__params_forget(p);
    tips__free(p->frozen);
    tips__free(p);
}

static bool is_same(const tips_param_spec *a, const tips_param_spec *b) {
    return strcmp(a->name, b->name) == 0 && a->layout == b->layout && a->groups == b->groups &&
           a->trainable == b->trainable && a->n_dims == b->n_dims &&
           memcmp(a->dims, b->dims, (size_t)a->n_dims * sizeof a->dims[0]) == 0;
}

bool tips__params_move(tips_params *p, const tips_graph *to) {
    bool fits = tips__graph_param_count(to) == p->count;
    for (int i = 0; i < p->count && fits; i++) fits = is_same(tips__graph_param(p->graph, i), tips__graph_param(to, i));
    if (fits) p->graph = to;
    return fits;
}

tips_status tips__params_for_training(tips_params *p) {
    if (!p->diff_arena) TIPS_TRY(tips__new_zero(&p->diff_arena, p->total_floats * sizeof(float), "gradients"));
    carve(p, p->diff_arena, p->diff, true);
    return TIPS_OK;
}

void tips__param_get(const tips_params *p, int id, float *plain) {
    tips__param_unpack(tips__graph_param(p->graph, id), p->data[id], plain);
}

void tips__param_get_diff(const tips_params *p, int id, float *plain) {
    tips__param_unpack(tips__graph_param(p->graph, id), p->diff[id], plain);
}

void tips__param_set(tips_params *p, int id, const float *plain) {
    tips__param_pack(tips__graph_param(p->graph, id), plain, p->data[id]);
    p->version++;
}

/* Whether no exponent is all ones; without a branch for each number, so that compilers make vectors of it. */
static bool all_finite(const float *values, size_t count) {
    const uint32_t exponent = 0x7f800000;
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        found |= (bits & exponent) == exponent;
    }
    return !found;
}

/* How many numbers there are before the first that is not finite. */
static size_t finite_ones(const float *values, size_t count) {
    enum { CHUNK = 4096 };
    size_t at = 0;
    while (count - at >= CHUNK && all_finite(values + at, CHUNK)) at += CHUNK;
    while (at < count && isfinite(values[at])) at++;
    return at;
}

tips_status tips__param_take(tips_params *p, int id, const float *plain) {
    const tips_param_spec *spec = tips__graph_param(p->graph, id);
    const size_t elements = tips__param_elements(spec), i = finite_ones(plain, elements);
    if (i < elements)
        TIPS_FAIL(TIPS_NUMERIC, "number %zu of '%s' is %g; a network's numbers are finite", i, spec->name,
                  (double)plain[i]);
    tips__param_set(p, id, plain);
    return TIPS_OK;
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

bool tips__param_is_frozen(const tips_params *p, int id) {
    return (p->frozen && p->frozen[id]) || tips__graph_param(p->graph, id)->frozen;
}

tips_pass tips__node_pass(const tips_params *p, const tips_node *node, tips_pass pass) {
    for (int i = 0; i < node->n_params; i++) {
        const int id = node->params[i];
        if (!tips__graph_param(p->graph, id)->trainable && tips__param_is_frozen(p, id)) pass.batch_statistics = false;
    }
    return pass;
}

bool tips__param_learns(const tips_params *p, int id) { return p->diff[id] && !tips__param_is_frozen(p, id); }
