/* Which pictures are evaluated, and what the training of the model had to do with them: its file says on which data it
 * was trained, and with which seed.
 *
 * The rule: the test pictures, or the validation pictures of a set that has none. Of a set that names no split all
 * pictures, unless a model was trained on it: then those that its training held out. */
#include "evaluate/evaluate_parts.h"

#include "core/keep_input.h"
#include "core/path.h"

#include <stdio.h>
#include <string.h>

static const char *without_format(const char *spec) {
    const char *colon = strchr(spec, ':');
    return colon ? colon + 1 : spec;
}

/* Files keep the beginning of long names. */
static bool is_same_name(const char *trained, const char *spec) {
    return strncmp(trained, spec, TIPS_MODEL_TEXT - 1) == 0;
}

/* By name, or because both lead to one folder or file now. */
static bool is_same_data(const char *trained, const char *spec, const char *path) {
    if (spec && is_same_name(trained, spec)) return true;
    if (!path || !*path) return false;
    return is_same_name(trained, path) || tips__same_file(trained, path) ||
           tips__same_file(without_format(trained), path);
}

static bool is_own_of(const tips_evaluate_config *c, const tips_model_origin *origin) {
    if (!origin->dataset[0]) return false;
    return c->own_data || (c->data && is_same_data(origin->dataset, c->data, without_format(c->data)));
}

/* The first of several that was trained on the data; false if none was. */
static bool find_own(const tips_evaluate_config *c, tips_model_origin *out) {
    for (const char *list = c->models ? c->models : ""; *list; list += *list == ',') {
        char path[TIPS_PATH_SIZE];
        const size_t length = strcspn(list, ",");
        snprintf(path, sizeof path, "%.*s", (int)length, list);
        list += length;
        if (length >= sizeof path || !tips__model_origin_load(path, out)) continue;
        if (is_own_of(c, out)) return true;
    }
    return false;
}

tips_dataset_options tips__eval_data_options(const tips_evaluate_config *c, const tips_loaded_model *model) {
    tips_model_origin origin = {.seed = -1};
    if (model) origin = tips__model_origin(&model->info);
    const bool is_own = (model ? is_own_of(c, &origin) : find_own(c, &origin)) || c->own_data;
    tips_dataset_options o = {.classes_limit = c->classes_limit,
                              .val_split = c->val_split,
                              .whole = c->whole || (!is_own && c->split == TIPS_SPLIT_TEST),
                              .skip_bad = c->on_bad_image == TIPS_BAD_SKIP,
                              .seed = (uint64_t)c->network.seed};
    if (is_own && origin.seed >= 0) o.seed = (uint64_t)origin.seed;
    if (is_own && origin.val_split > 0) o.val_split = origin.val_split;
    return o;
}

static bool is_own(const eval_session *s, const tips_model_origin *origin) {
    return s->config->own_data ||
           (origin->dataset[0] && is_same_data(origin->dataset, s->config->data, tips__dataset_path(s->set)));
}

/* What is held out depends on the seed: with that of another model it is mostly what was learned. */
static bool other_pictures_held_out(const eval_session *s, const tips_model_origin *origin) {
    if (!s->config->models || !strchr(s->config->models, ',')) return false;
    return s->split == TIPS_SPLIT_VAL && tips__dataset_holds_out(s->set) && origin->seed >= 0 &&
           (uint64_t)origin->seed != tips__eval_data_options(s->config, NULL).seed;
}

bool tips__eval_saw_them(const eval_session *s) {
    const tips_model_origin origin = tips__model_origin(&s->model->info);
    if (!is_own(s, &origin)) return false;
    return s->split == TIPS_SPLIT_TRAIN || tips__dataset_is_whole(s->set) || other_pictures_held_out(s, &origin);
}

static bool chose(const eval_session *s) {
    const tips_model_origin origin = tips__model_origin(&s->model->info);
    if (!is_own(s, &origin) || tips__dataset_is_whole(s->set)) return false;
    if (s->split == TIPS_SPLIT_VAL) return !origin.val_is_test && !other_pictures_held_out(s, &origin);
    return s->split == TIPS_SPLIT_TEST && origin.val_is_test;
}

tips_pictures tips__eval_pictures(const eval_session *s) {
    return (tips_pictures){.n = s->counts.images,
                           .of = tips__dataset_count(s->set, s->split),
                           .split = s->split,
                           .whole = tips__dataset_is_whole(s->set),
                           .held_out = s->split == TIPS_SPLIT_VAL && tips__dataset_holds_out(s->set),
                           .chosen_on = chose(s)};
}
