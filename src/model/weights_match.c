/* Tensors of a file and parameters of a graph, matched by name; what does not fit is named. */
#include "model/few_names.h"
#include "model/model_parts.h"
#include "model/weights_alias.h"

#include "core/fail.h"
#include "core/memory.h"
#include "layer/layers.h"

#include <ctype.h>
#include <string.h>

enum { SHAPE_SIZE = 96 };

/* Operators sit at "pool", "pool1", ...: every part of a name but the last may be one. */
bool tips__param_is_operators(const char *name) {
    for (const char *dot; (dot = strchr(name, '.')); name = dot + 1) {
        if (strncmp(name, "pool", 4) != 0) continue;
        const char *rest = name + 4;
        while (isdigit((unsigned char)*rest)) rest++;
        if (rest == dot) return true;
    }
    return false;
}

/* The last layer with weights of its own answers: the name of these. */
static const char *classifier_of(const tips_graph *graph) {
    for (int i = tips__graph_node_count(graph) - 1; i >= 0; i--) {
        const tips_node *node = tips__graph_node(graph, i);
        if (node->layer == &tips__layer_linear || node->layer == &tips__layer_conv2d)
            return tips__graph_param(graph, node->params[0])->name;
    }
    return "";
}

/* The layers that answer for regions, one for classes and one for boxes of each class, go together. */
static bool is_predictors(const char *name) {
    static const char predictor[] = "roi_heads.box_predictor.";
    return strncmp(name, predictor, sizeof predictor - 1) == 0;
}

bool tips__is_classifiers(const tips_graph *graph, const char *name) {
    const char *weight = classifier_of(graph), *dot = strrchr(weight, '.');
    if (is_predictors(weight)) return is_predictors(name);
    const size_t length = dot ? (size_t)(dot - weight) : 0;
    return length > 0 && strncmp(name, weight, length) == 0 && name[length] == '.';
}

static bool ends_with(const char *name, const char *suffix) {
    const size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

static bool begins_with(const char *name, const char *prefix) { return strncmp(name, prefix, strlen(prefix)) == 0; }

bool tips__weight_is_of_training(const char *name) {
    return begins_with(name, "aux_classifier.") || begins_with(name, "projection.");
}

/* PyTorch counts the batches of a norm, on which nothing depends, and keeps which number of a table belongs to which
 * pair of tokens, which follows from the window. */
static bool is_counter(const char *name) {
    return ends_with(name, "num_batches_tracked") || ends_with(name, ".relative_position_index") ||
           tips__weight_is_of_training(name);
}

static void format_shape(int n_dims, const int64_t *dims, char *out, size_t size) {
    size_t length = (size_t)snprintf(out, size, "(");
    for (int i = 0; i < n_dims && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%lld", i ? ", " : "", (long long)dims[i]);
    if (length < size) snprintf(out + length, size - length, ")");
}

static bool same_shape(const tips_tensor_entry *entry, const tips_param_spec *spec) {
    bool same = entry->n_dims == spec->n_dims;
    for (int i = 0; i < spec->n_dims && same; i++) same = entry->dims[i] == spec->dims[i];
    return same;
}

static tips_status refuse_shape(const tips_tensor_entry *entry, const tips_param_spec *spec) {
    int64_t dims[4];
    for (int i = 0; i < spec->n_dims; i++) dims[i] = spec->dims[i];
    char has[SHAPE_SIZE], wants[SHAPE_SIZE];
    format_shape(entry->n_dims, entry->dims, has, sizeof has);
    format_shape(spec->n_dims, dims, wants, sizeof wants);
    TIPS_FAIL(TIPS_SHAPE, "tensor '%s' has shape %s, the network takes %s", entry->name, has, wants);
}

bool tips__weights_have_other_classifier(const tips_safetensors *file, const tips_graph *graph) {
    int found = 0;
    for (int i = 0; i < tips__graph_param_count(graph); i++) {
        const tips_param_spec *spec = tips__graph_param(graph, i);
        const int source = tips__is_classifiers(graph, spec->name) ? tips__weights_find(file, spec->name) : -1;
        if (source < 0) continue;
        if (!same_shape(tips__safetensors_entry(file, source), spec)) return true;
        found++;
    }
    return found == 0;
}

/* The tensor for a parameter, or -1. An operator's of another shape is another operator's. */
static tips_status find_source(const tips_safetensors *file, const tips_graph *graph, const tips_param_spec *spec,
                               tips_weights_rules rules, int *out) {
    *out = rules.classifier && tips__is_classifiers(graph, spec->name) ? -1 : tips__weights_find(file, spec->name);
    if (*out < 0 || same_shape(tips__safetensors_entry(file, *out), spec)) return TIPS_OK;
    if (!rules.operators || !tips__param_is_operators(spec->name))
        return refuse_shape(tips__safetensors_entry(file, *out), spec);
    *out = -1;
    return TIPS_OK;
}

static tips_status match_params(const tips_safetensors *file, const tips_graph *graph, tips_weights_rules rules,
                                int *sources, tips_weights_report *report) {
    tips_few_names missing = {.count = 0};
    for (int i = 0; i < tips__graph_param_count(graph); i++) {
        const tips_param_spec *spec = tips__graph_param(graph, i);
        TIPS_TRY(find_source(file, graph, spec, rules, &sources[i]));
        *(sources[i] < 0 ? &report->missing : &report->loaded) += 1;
        const bool is_allowed = sources[i] >= 0 || (rules.classifier && tips__is_classifiers(graph, spec->name)) ||
                                (rules.operators && tips__param_is_operators(spec->name));
        if (!is_allowed) tips__few_names_add(&missing, spec->name);
    }
    if (missing.count == 0) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "it lacks tensors of the network: %s", tips__few_names_text(&missing));
}

static bool is_used(int tensor, const int *sources, int count) {
    for (int i = 0; i < count; i++)
        if (sources[i] == tensor) return true;
    return false;
}

/* Whether a tensor that nothing of the network takes may be left over. */
static bool may_be_left(const tips_graph *graph, const char *name, tips_weights_rules rules) {
    char alias[TIPS_ALIAS_SIZE];
    const bool is_classifiers =
        tips__is_classifiers(graph, name) || tips__is_classifiers(graph, tips__weights_our_name(name, alias));
    return is_counter(name) || (rules.classifier && is_classifiers) ||
           (rules.operators && tips__param_is_operators(name));
}

static tips_status match_tensors(const tips_safetensors *file, const tips_graph *graph, tips_weights_rules rules,
                                 const int *sources, tips_weights_report *report) {
    tips_few_names unused = {.count = 0};
    for (int i = 0; i < tips__safetensors_count(file); i++) {
        const char *name = tips__safetensors_entry(file, i)->name;
        const bool used = is_used(i, sources, tips__graph_param_count(graph));
        report->unused += !used && !is_counter(name);
        if (!used && !may_be_left(graph, name, rules)) tips__few_names_add(&unused, name);
    }
    if (unused.count == 0) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "it has tensors that the network does not: %s", tips__few_names_text(&unused));
}

tips_status tips__weights_match(const tips_safetensors *file, const tips_graph *graph, tips_weights_rules rules,
                                int *sources, tips_weights_report *report) {
    tips_weights_report counts = {0};
    TIPS_TRY(match_params(file, graph, rules, sources, &counts));
    TIPS_TRY(match_tensors(file, graph, rules, sources, &counts));
    *report = counts;
    return TIPS_OK;
}

tips_status tips__weights_read(const tips_safetensors *file, const int *sources, tips_params *params) {
    size_t largest = 1;
    float *plain;
    for (int i = 0; i < params->count; i++) {
        const size_t elements = tips__param_elements(tips__graph_param(params->graph, i));
        if (elements > largest) largest = elements;
    }
    TIPS_TRY(tips__new(&plain, largest * sizeof *plain, "a tensor"));
    tips_status status = TIPS_OK;
    for (int i = 0; i < params->count && status == TIPS_OK; i++) {
        if (sources[i] < 0) continue;
        status =
            tips__safetensors_read(file, sources[i], plain, tips__param_elements(tips__graph_param(params->graph, i)));
        if (status == TIPS_OK) status = tips__param_take(params, i, plain);
    }
    tips__free(plain);
    return status;
}
