/* tips eval: opens the data and one model after the other, or takes what is open already. */
#include "evaluate/evaluate_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/timing.h"
#include "task/data_classes.h"

#include <string.h>

static tips_status check_data(const tips_evaluate_config *config, tips_dataset *set) {
    tips_split split;
    return tips__eval_split(config, set, &split);
}

tips_status tips__evaluate_open_data(const tips_evaluate_config *config, tips_dataset **out) {
    return tips__evaluate_open_data_for(config, NULL, out);
}

tips_status tips__evaluate_open_data_for(const tips_evaluate_config *config, const tips_loaded_model *model,
                                         tips_dataset **out) {
    const tips_dataset_options options = tips__eval_data_options(config, model);
    tips_dataset *set;
    if (config->batch < 1) TIPS_FAIL(TIPS_RANGE, "a batch has at least one picture, not %d", config->batch);
    TIPS_TRY(tips__dataset_open(config->data, &options, &set));
    const tips_status status = check_data(config, set);
    if (status != TIPS_OK) tips__dataset_close(set);
    else *out = set;
    return status;
}

/* A random network takes its classes and channels from the data. */
tips_status tips__evaluate_open_model(const tips_evaluate_config *config, const tips_dataset *set, const char *path,
                                      tips_loaded_model *out) {
    tips_model_options options = config->network;
    tips_task_spec task;
    TIPS_TRY(tips__model_options_task(&options, &task));
    options.classes = tips__task_data_classes(task.task, set);
    options.channels = tips__dataset_channels(set);
    return tips__open_model(path, &options, &config->input, out);
}

static tips_status run_path(const tips_evaluate_config *config, tips_dataset *set, const char *path,
                            tips_model_result *out) {
    const double start = tips__now();
    tips_loaded_model model;
    TIPS_TRY(tips__evaluate_open_model(config, set, path, &model));
    tips_status status = config->check ? config->check(config->check_with, &model) : TIPS_OK;
    if (status == TIPS_OK) status = tips__eval_model(config, set, path, &model, out);
    tips__loaded_model_destroy(&model);
    out->seconds = tips__now() - start;
    return status;
}

static int count_models(const char *list) {
    int count = 1;
    for (; *list; list++) count += *list == ',';
    return count;
}

/* The next path of "a,b,c" as a copy. */
static tips_status next_path(const char **list, char **out) {
    const size_t length = strcspn(*list, ",");
    if (length == 0 && **list) TIPS_FAIL(TIPS_INVALID, "a model's name is empty in '%s'", *list);
    TIPS_TRY(tips__new(out, length + 1, "a file name"));
    memcpy(*out, *list, length);
    (*out)[length] = '\0';
    *list += length + ((*list)[length] == ',');
    return TIPS_OK;
}

static tips_status new_results(int count, tips_evaluate_result *r) {
    return tips__new_zero(&r->models, (size_t)count * sizeof *r->models, "the results");
}

static tips_status end_early(const tips_evaluate_config *config, tips_dataset *set, tips_evaluate_result *r) {
    r->interrupted = true;
    return tips__eval_sum_up(config, set, r);
}

static tips_status run_paths(const tips_evaluate_config *config, tips_dataset *set, tips_evaluate_result *r) {
    const char *list = config->models ? config->models : "";
    const int count = count_models(list);
    TIPS_TRY(new_results(count, r));
    r->several = count > 1;
    for (r->n_models = 0; r->n_models < count; r->n_models++) {
        char *path;
        TIPS_TRY(next_path(&list, &path));
        const tips_status status = run_path(config, set, path, &r->models[r->n_models]);
        tips__free(path);
        if (status == TIPS_INTERRUPTED && r->n_models > 0) return end_early(config, set, r);
        TIPS_TRY(status);
        if (r->models[r->n_models].interrupted) {
            r->n_models++;
            return end_early(config, set, r);
        }
    }
    return tips__eval_sum_up(config, set, r);
}

static tips_status run_open(const tips_evaluate_config *config, tips_dataset *set, const tips_loaded_model *model,
                            tips_evaluate_result *r) {
    TIPS_TRY(new_results(1, r));
    TIPS_TRY(tips__eval_model(config, set, config->models ? config->models : "", model, &r->models[0]));
    r->n_models = 1;
    r->interrupted = r->models[0].interrupted;
    return tips__eval_sum_up(config, set, r);
}

static tips_status hand_out(tips_status status, tips_evaluate_result *result, tips_evaluate_result *out) {
    if (status != TIPS_OK) tips__evaluate_free(result);
    else *out = *result;
    return status;
}

tips_status tips__evaluate_open(const tips_evaluate_config *config, tips_dataset *set, const tips_loaded_model *model,
                                tips_evaluate_result *out) {
    tips_evaluate_result result = {0};
    return hand_out(run_open(config, set, model, &result), &result, out);
}

tips_status tips__evaluate_run(const tips_evaluate_config *config, tips_evaluate_result *out) {
    tips_evaluate_result result = {0};
    tips_dataset *set;
    tips__threads_use(config->network.threads);
    TIPS_TRY(tips__evaluate_open_data(config, &set));
    const tips_status status = run_paths(config, set, &result);
    tips__dataset_close(set);
    return hand_out(status, &result, out);
}
