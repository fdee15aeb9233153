/* Weights from a network in memory into another, by name. The rules are those for tensors of a file. */
#include "model/few_names.h"
#include "model/model_parts.h"

#include "core/fail.h"

/* Whether the parameter has a namesake of its shape. */
static bool fits(const tips_params *from, const tips_params *to, int id) {
    const tips_param_spec *wants = tips__graph_param(to->graph, id);
    const int source = tips__param_find(from->graph, wants->name);
    if (source < 0) return false;
    const tips_param_spec *has = tips__graph_param(from->graph, source);
    bool same = has->n_dims == wants->n_dims;
    for (int i = 0; i < wants->n_dims && same; i++) same = has->dims[i] == wants->dims[i];
    return same;
}

static bool has_other_classifier(const tips_params *from, const tips_params *to) {
    for (int i = 0; i < to->count; i++)
        if (tips__is_classifiers(to->graph, tips__graph_param(to->graph, i)->name) && !fits(from, to, i)) return true;
    return false;
}

static bool may_differ(const tips_params *to, const char *name, bool skips) {
    return tips__param_is_operators(name) || (skips && tips__is_classifiers(to->graph, name));
}

static tips_status check_leftovers(const tips_params *from, const tips_params *to, bool skips) {
    tips_few_names unused = {.count = 0};
    for (int i = 0; i < from->count; i++) {
        const char *name = tips__graph_param(from->graph, i)->name;
        const bool may_be_left = may_differ(to, name, skips) || tips__weight_is_of_training(name);
        if (tips__param_find(to->graph, name) < 0 && !may_be_left) tips__few_names_add(&unused, name);
    }
    if (unused.count == 0) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "it has tensors that the network does not: %s", tips__few_names_text(&unused));
}

static tips_status check_missing(const tips_params *from, const tips_params *to, bool skips) {
    tips_few_names missing = {.count = 0};
    for (int i = 0; i < to->count; i++) {
        const char *name = tips__graph_param(to->graph, i)->name;
        if (!fits(from, to, i) && !may_differ(to, name, skips)) tips__few_names_add(&missing, name);
    }
    if (missing.count == 0) return TIPS_OK;
    TIPS_FAIL(TIPS_FORMAT, "it lacks tensors of the network, or has them in another shape: %s",
              tips__few_names_text(&missing));
}

tips_status tips__weights_copy(const tips_params *from, tips_params *to, tips_classifier_rule classifier,
                               tips_weights_report *report) {
    const bool skips = classifier == TIPS_CLASSIFIER_SKIPPED ||
                       (classifier == TIPS_CLASSIFIER_IF_IT_FITS && has_other_classifier(from, to));
    tips_weights_report counts = {0};
    TIPS_TRY(check_missing(from, to, skips));
    TIPS_TRY(check_leftovers(from, to, skips));
    for (int i = 0; i < to->count; i++) {
        const bool is_skipped = skips && tips__is_classifiers(to->graph, tips__graph_param(to->graph, i)->name);
        bool copied = false;
        if (!is_skipped && fits(from, to, i)) TIPS_TRY(tips__param_copy(from, to, i, &copied));
        *(copied ? &counts.loaded : &counts.missing) += 1;
    }
    counts.unused = from->count - counts.loaded;
    *report = counts;
    return TIPS_OK;
}
