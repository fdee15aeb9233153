/* Why the first breaking layer breaks, as a word and as a sentence with a remedy. */
#include "verify/verify_parts.h"

#include "layer/detection_layers.h"
#include "model/shift_advice.h"

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

static bool is_choice(const tips_graph *graph, const tips_node *node) {
    int stride[2];
    for (int i = 0; node->layer->pools && node->layer->pools(node, stride) && i < node->n_out; i++)
        if (tips__is_sample_number(tips__value(graph, node->out[i]))) return true;
    return false;
}

/* A layer that makes maps larger and is not told of a phase. */
static bool enlarges_blindly(const tips_graph *graph, const tips_node *node) {
    const bool may = node->layer == &tips__layer_resize ||
                     (node->n_in == 1 && (node->layer == &tips__layer_conv_transpose ||
                                          node->layer == &tips__layer_upsample || node->layer == &tips__layer_unpool));
    return may && tips__value(graph, node->out[0])->h > tips__value(graph, node->in[0])->h;
}

/* The last one before a node, itself included, below a choice of phase; NULL if there is
 * none. What it makes lies on the grid that was chosen, and not where the picture was. */
static const tips_node *find_lost_phase(const tips_graph *graph, const tips_node *node) {
    for (int i = 0; i < node->n_in; i++) {
        const tips_node *enlarger = NULL, *at = node;
        for (int input = i; input < at->n_in; input = 0) {
            const tips_value_info *in = tips__value(graph, at->in[input]);
            const bool enlarges = enlarges_blindly(graph, at);
            if (enlarger && is_choice(graph, at)) return enlarger;
            if (!enlarger && enlarges && in->h > 1) enlarger = at;
            if (in->producer < 0) break;
            at = tips__graph_node(graph, in->producer);
        }
    }
    return NULL;
}

/* A map of numbers of its own, which no shift moves, meets one that moves. */
static const char *find_constant(const tips_graph *graph, const tips_node *node) {
    for (int i = 0; i < node->n_in; i++) {
        const int producer = tips__value(graph, node->in[i])->producer;
        const tips_node *maker = producer < 0 ? NULL : tips__graph_node(graph, producer);
        if (maker && maker->layer == &tips__layer_constant) return maker->layer->breaks(graph, maker);
    }
    return NULL;
}

static const char *find_reason(const verify_subject *s, const tips_node *node, bool other_phase,
                               const tips_verify_layer *layer) {
    const char *broken = node->layer->breaks ? node->layer->breaks(s->model.graph, node) : NULL;
    const bool is_resize = node->layer == &tips__layer_resize;
    if ((!broken || is_resize) && find_lost_phase(s->model.graph, node)) return "lost phase";
    if (broken) return broken;
    const char *constant = find_constant(s->model.graph, node);
    if (constant) return constant;
    /* By phases and numbers of maps that did not differ. */
    const bool is_placed = node->layer == &tips__layer_anchor_origins || node->layer == &tips__layer_proposals;
    if (other_phase || is_placed || layer->margin < tie_margin) return "tie";
    return "rounding";
}

/* The strides from the input to behind the node, multiplied up for each axis. */
static void strides_to(const tips_graph *graph, const tips_node *node, int product[2]) {
    for (product[0] = product[1] = 1;;) {
        int stride[2];
        if (node->layer->pools && node->layer->pools(node, stride))
            for (int axis = 0; axis < 2; axis++) product[axis] *= stride[axis];
        const int producer = node->n_in ? tips__value(graph, node->in[0])->producer : -1;
        if (producer < 0) return;
        node = tips__graph_node(graph, producer);
    }
}

/* What must divide the input's height and width, so that every stride divides its map. */
static void find_divisors(const tips_graph *graph, int divisor[2]) {
    divisor[0] = divisor[1] = 1;
    for (int i = 0; i < tips__graph_node_count(graph); i++) {
        int product[2];
        strides_to(graph, tips__graph_node(graph, i), product);
        for (int axis = 0; axis < 2; axis++)
            if (product[axis] > divisor[axis]) divisor[axis] = product[axis];
    }
}

static void advise_size(const tips_graph *graph, char *out, size_t size) {
    int divisor[2];
    find_divisors(graph, divisor);
    if (divisor[0] == divisor[1]) snprintf(out, size, "a size divisible by %d", divisor[0]);
    else if (divisor[0] == 1) snprintf(out, size, "a width divisible by %d", divisor[1]);
    else if (divisor[1] == 1) snprintf(out, size, "a height divisible by %d", divisor[0]);
    else snprintf(out, size, "a height divisible by %d and a width divisible by %d", divisor[0], divisor[1]);
}

static void explain_size(const tips_graph *graph, const tips_node *node, char *out, size_t size) {
    const tips_value_info *in = tips__value(graph, node->in[0]), *to = tips__value(graph, node->out[0]);
    const bool extends = node->layer == &tips__layer_pad && ((const tips_pad_config *)node->config)->extends;
    int own[2] = {1, 1};
    char advice[96];
    const bool samples = node->layer->pools && node->layer->pools(node, own);
    if (!extends && !samples) {
        snprintf(out, size,
                 "it makes a map of %dx%d from one of %dx%d, and no circular shift of one is one of the other; "
                 "let it keep the size",
                 to->h, to->w, in->h, in->w);
        return;
    }
    const bool rows = extends ? in->h != to->h : in->h % own[0] != 0 || in->w % own[1] == 0;
    advise_size(graph, advice, sizeof advice);
    snprintf(out, size, "the %s of its map, %d, is not divisible by the stride; use %s", rows ? "height" : "width",
             rows ? in->h : in->w, advice);
}

static bool is(const char *reason, const char *word) { return strcmp(reason, word) == 0; }

static void explain_rounding(const tips_verify_result *r, char *out, size_t size) {
    const bool is_ref = is(r->engine, tips__verify_engine_names[TIPS_VERIFY_REF]);
    snprintf(out, size, "its sums round differently in a shifted order%s",
             is_ref ? ", as plain sums do; those of the dnnl engine do not" : "");
}

/* What would break behind a patch grid that is repaired: ", ..." with each reason once and the first layer that has it.
 */
static void list_behind(const tips_graph *graph, int first, char *out, size_t size) {
    static const char *const reasons[] = {"position embedding", "windows"};
    size_t length = 0;
    out[0] = '\0';
    for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++)
        for (int i = first; i < tips__graph_node_count(graph) && length < size; i++) {
            const tips_node *node = tips__graph_node(graph, i);
            const char *broken = node->layer->breaks ? node->layer->breaks(graph, node) : NULL;
            if (!broken || !is(broken, reasons[r])) continue;
            const char *joint = length ? ", " : "";
            length += (size_t)snprintf(out + length, size - length, "%s%s (%s)", joint, broken, node->name);
            break;
        }
}

static void explain_patches(const tips_graph *graph, int first, const char *pools, char *out, size_t size) {
    char behind[LIST_SIZE];
    list_behind(graph, first, behind, sizeof behind);
    snprintf(out, size, "it cuts the map into patches on a fixed grid, which a shift moves across; use %s%s%s", pools,
             *behind ? ", which also anchor what would break behind it: " : "", behind);
}

/* What would follow the picture, if it can be put there. */
static void explain_grid(const verify_subject *s, const char *what, const char *pools, char *out, size_t size) {
    const tips_remedy remedy = tips__remedy_of(&s->info);
    if (remedy == TIPS_REMEDY_CONVERT)
        snprintf(out, size, "%s samples on a fixed grid; 'tips convert' puts %s there", what, pools);
    else if (remedy == TIPS_REMEDY_DETECTOR)
        snprintf(out, size,
                 "%.120s samples on a fixed grid; %s would follow the picture, but cannot be put into a detector "
                 "of an ONNX file",
                 what, pools);
    else snprintf(out, size, "%s samples on a fixed grid; use %s", what, pools);
}

void tips__verify_explain(const verify_subject *s, bool other_phase, tips_verify_result *r) {
    const tips_node *node = tips__graph_node(s->model.graph, r->first_breaking);
    const tips_verify_layer *layer = &r->layers[r->first_breaking];
    char pools[LIST_SIZE], *out = r->advice;
    const size_t size = sizeof r->advice;
    const bool is_pool = node->layer == &s->info.config.pool.pool->layer;
    list_exact_pools(pools, sizeof pools);
    r->reason = find_reason(s, node, other_phase, layer);
    if (is(r->reason, "padding"))
        snprintf(out, size, "%s padding at the border does not shift with the input; %s",
                 tips_pad_mode_names[s->info.config.padding], tips__advice_padding);
    else if (is(r->reason, "odd size")) explain_size(s->model.graph, node, out, size);
    else if (is(r->reason, "fixed grid")) explain_grid(s, is_pool ? r->pool : node->layer->name, pools, out, size);
    else if (is(r->reason, "per-channel choice"))
        snprintf(out, size, "each channel chooses a phase of its own; let one serve all, as in %s by default", pools);
    else if (is(r->reason, "lost phase"))
        snprintf(out, size, "%s enlarges a map without the phase that was chosen on the way down; use --up %s",
                 find_lost_phase(s->model.graph, node)->name,
                 s->info.arch && s->info.arch->detect ? tips__up_names[TIPS_UP_FOLLOW_NEAREST] : "insert or transpose");
    else if (is(r->reason, "clipping"))
        snprintf(out, size,
                 "%s cuts regions off at the border, which a shift moves across; use --task detect:border=circular",
                 node->layer->name);
    else if (is(r->reason, "crop"))
        snprintf(out, size, "%s leaves out a part of the map, which a shift moves into view", node->layer->name);
    else if (is(r->reason, "position-dependent head"))
        snprintf(out, size, "it gives every position weights of its own; put a global_avg or an anchor before it");
    else if (is(r->reason, "patch grid")) explain_patches(s->model.graph, r->first_breaking, pools, out, size);
    else if (is(r->reason, "position embedding"))
        snprintf(out, size, "every position has numbers of its own; put an anchor before it");
    else if (is(r->reason, "windows"))
        snprintf(out, size, "its windows are a fixed grid, which a shift moves across; put an anchor before it");
    else if (is(r->reason, "token order"))
        snprintf(out, size, "it goes through the tokens in the order of their places; put an anchor before it");
    else if (is(r->reason, "tie"))
        snprintf(out, size, "two phases are equally good; an input without such symmetry has no tie");
    else explain_rounding(r, out, size);
}
