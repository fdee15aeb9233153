/* Whether a model is measured on pictures that it was trained on: its file says on which data, and with which seed. */
#include "evaluate/evaluate_parts.h"

#include "core/json_tree.h"
#include "core/keep_input.h"

#include <string.h>

static const char *without_format(const char *spec) {
    const char *colon = strchr(spec, ':');
    return colon ? colon + 1 : spec;
}

/* By name, or because both lead to one folder or file now. */
static bool is_same_data(const char *trained, const char *spec, const char *path) {
    if (spec && strcmp(trained, spec) == 0) return true;
    if (!path || !*path) return false;
    return strcmp(trained, path) == 0 || tips__same_file(trained, path) ||
           tips__same_file(without_format(trained), path);
}

/* -1 if the file does not say. */
static int seed_of_training(const tips_model_info *info) {
    tips_json_node *tree;
    if (!info->training[0] || tips__json_tree_parse(info->training, strlen(info->training), &tree) != TIPS_OK)
        return -1;
    const int seed = tips__json_get_int(tree, "seed", -1);
    tips__json_tree_free(tree);
    return seed;
}

/* What is held out depends on the seed: with another one it is mostly what was learned. */
static bool other_pictures_held_out(const eval_session *s) {
    const int seed = seed_of_training(&s->model->info);
    return s->split == TIPS_SPLIT_VAL && tips__dataset_holds_out(s->set) && seed >= 0 &&
           seed != s->config->network.seed;
}

bool tips__eval_saw_them(const eval_session *s) {
    const char *trained = s->model->info.dataset;
    if (!trained[0] || !is_same_data(trained, s->config->data, tips__dataset_path(s->set))) return false;
    return s->split == TIPS_SPLIT_TRAIN || tips__dataset_is_whole(s->set) || other_pictures_held_out(s);
}
