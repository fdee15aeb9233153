/* Why the first breaking layer breaks, as a word and as a sentence with a remedy. */
#include "verify/verify_parts.h"

#include "layer/layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST_SIZE = 160 };
static const double tie_margin = 1e-6;

/* The operators that are exact as they come, "aps, lps or tips-exact". */
static void list_exact_pools(char *out, size_t size) {
    const char *names[32];
    int n = 0;
    for (const tips_pool *const *pool = tips__pools; *pool && n < 32; pool++) {
        tips_pool_spec spec;
        if (tips__pool_parse((*pool)->layer.name, 0, &spec) != TIPS_OK) continue;
        const unsigned traits = tips__pool_traits(&spec);
        if (traits & TIPS_POOL_EXACT && !(traits & TIPS_POOL_IDENTITY)) names[n++] = (*pool)->layer.name;
    }
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < n && length < size; i++) {
        const char *join = i == 0 ? "" : i == n - 1 ? " or " : ", ";
        length += (size_t)snprintf(out + length, size - length, "%s%s", join, names[i]);
    }
}

static const char *find_reason(const verify_subject *s, const tips_node *node, bool other_phase,
                               const tips_verify_layer *layer) {
    const char *broken = node->layer->breaks ? node->layer->breaks(s->model.graph, node) : NULL;
    if (broken) return broken;
    if (other_phase || layer->margin < tie_margin) return "tie";
    return "rounding";
}

static void explain_size(const verify_subject *s, const tips_node *node, int stride, char *out, size_t size) {
    const tips_value_info *in = tips__value(s->model.graph, node->in[0]),
                          *to = tips__value(s->model.graph, node->out[0]);
    const bool rows = in->h != to->h;
    const bool extends = node->layer == &tips__layer_pad && ((const tips_pad_config *)node->config)->extends;
    int own[2] = {1, 1};
    const bool samples = node->layer->pools && node->layer->pools(node, own);
    if (!extends && !samples) {
        snprintf(out, size,
                 "it makes a map of %dx%d from one of %dx%d, and no circular shift of one is one of the other; "
                 "let it keep the size",
                 to->h, to->w, in->h, in->w);
        return;
    }
    snprintf(out, size, "the %s of its map, %d, is not divisible by the stride; use a size divisible by %d",
             rows ? "height" : "width", rows ? in->h : in->w, stride);
}

static bool is(const char *reason, const char *word) { return strcmp(reason, word) == 0; }

static void explain_rounding(const tips_verify_result *r, char *out, size_t size) {
    const bool is_ref = is(r->engine, tips__verify_engine_names[TIPS_VERIFY_REF]);
    snprintf(out, size, "its sums round differently in a shifted order%s",
             is_ref ? ", as plain sums do; those of the dnnl engine do not" : "");
}

void tips__verify_explain(const verify_subject *s, int stride, bool other_phase, tips_verify_result *r) {
    const tips_node *node = tips__graph_node(s->model.graph, r->first_breaking);
    const tips_verify_layer *layer = &r->layers[r->first_breaking];
    char pools[LIST_SIZE], *out = r->advice;
    const size_t size = sizeof r->advice;
    const bool is_pool = node->layer == &s->info.config.pool.pool->layer;
    list_exact_pools(pools, sizeof pools);
    r->reason = find_reason(s, node, other_phase, layer);
    if (is(r->reason, "padding"))
        snprintf(out, size, "%s padding at the border does not shift with the input; use circular padding",
                 tips_pad_mode_names[s->info.config.padding]);
    else if (is(r->reason, "odd size")) explain_size(s, node, stride, out, size);
    else if (is(r->reason, "fixed grid"))
        snprintf(out, size, "%s samples on a fixed grid; use %s", is_pool ? r->pool : node->layer->name, pools);
    else if (is(r->reason, "per-channel choice"))
        snprintf(out, size, "each channel chooses a phase of its own; let one serve all, as in %s by default", pools);
    else if (is(r->reason, "crop"))
        snprintf(out, size, "%s leaves out a part of the map, which a shift moves into view", node->layer->name);
    else if (is(r->reason, "position-dependent head"))
        snprintf(out, size, "it gives every position weights of its own; put a global_avg or an anchor before it");
    else if (is(r->reason, "tie"))
        snprintf(out, size, "two phases are equally good; an input without such symmetry has no tie");
    else explain_rounding(r, out, size);
}
