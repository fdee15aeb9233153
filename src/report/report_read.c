/* Folders: config.json, log.jsonl and eval.json of a run, compare.json of several. */
#include "report/report_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "evaluate/evaluate_json.h"
#include "model/model_options.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

tips_status tips__report_copy(const char *text, char **out) {
    *out = text ? tips__strdup(text) : NULL;
    if (text && !*out) TIPS_FAIL(TIPS_MEMORY, "out of memory for a text");
    return TIPS_OK;
}

tips_status tips__report_has(const char *folder, const char *name, bool *out) {
    char path[TIPS_PATH_SIZE];
    struct stat info;
    TIPS_TRY(tips__path_join(folder, name, path));
    *out = stat(path, &info) == 0;
    return TIPS_OK;
}

static tips_status load(const char *folder, const char *name, tips_json_node **out) {
    char path[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(folder, name, path));
    TIPS_TRY(tips__json_tree_load(path, out));
    if ((*out)->kind == TIPS_JSON_OBJECT) return TIPS_OK;
    tips__json_tree_free(*out);
    *out = NULL;
    TIPS_FAIL(TIPS_FORMAT, "%s: is not a JSON object", path);
}

static tips_status take_config(const tips_json_node *config, const char *folder, tips_report_run *run) {
    const tips_json_node *network = tips__json_get(config, "network"), *data = tips__json_get(config, "data");
    if (!network || !data || !tips__json_get_text(network, "pool", NULL))
        TIPS_FAIL(TIPS_FORMAT, "%s/%s: is not what tips train writes: it has no network or no data", folder,
                  tips__config_name);
    TIPS_TRY(tips__report_copy(tips__json_get_text(network, "pool", "?"), &run->pool));
    TIPS_TRY(tips__report_copy(tips__json_get_text(network, "arch", "?"), &run->arch));
    TIPS_TRY(tips__report_copy(tips__json_get_text(network, "padding", "?"), &run->padding));
    TIPS_TRY(tips__report_copy(tips__json_get_text(data, "path", ""), &run->data));
    run->lpf = tips__json_get_int(network, "lpf", 0);
    run->seed = tips__json_get_int(tips__json_get(config, "options"), "seed", 0);
    run->val_is_test = tips__json_get_bool(data, "val_is_test");
    tips_task_spec task;
    const tips_model_options options = {.task = tips__json_get_text(tips__json_get(config, "options"), "task", NULL),
                                        .arch = run->arch};
    TIPS_TRY(tips__model_options_task(&options, &task));
    run->task = task.task;
    return TIPS_OK;
}

/* Of several models the one of this folder, else the only one with its operator. */
static const tips_json_node *find_model(const tips_json_node *file, const tips_report_run *run) {
    const tips_json_node *models = tips__json_get(file, "models"), *same = NULL;
    char path[TIPS_PATH_SIZE];
    int count = 0;
    if (!models) return file;
    if (tips__path_join(run->folder, tips__best_name, path) != TIPS_OK) return NULL;
    for (const tips_json_node *model = models->first; model; model = model->next) {
        if (strcmp(tips__json_get_text(model, "model", ""), path) == 0) return model;
        if (strcmp(tips__json_get_text(model, "pool", ""), run->pool) == 0) same = model, count++;
    }
    return count == 1 ? same : NULL;
}

static tips_status check_model(const tips_json_node *model, const tips_report_run *run, const char *path) {
    if (!model)
        TIPS_FAIL(TIPS_FORMAT, "%s: holds several models, none of which is %s/%s", path, run->folder, tips__best_name);
    const char *pool = tips__json_get_text(model, "pool", run->pool);
    if (strcmp(pool, run->pool) != 0)
        TIPS_FAIL(TIPS_FORMAT, "%s: is of a network with %s, but the run in this folder has %s; evaluate it again",
                  path, pool, run->pool);
    return TIPS_OK;
}

static tips_status take_evaluation(const tips_json_node *file, const char *path, tips_report_run *run) {
    const tips_json_node *model = find_model(file, run);
    TIPS_TRY(check_model(model, run, path));
    const tips_status status = tips__report_take_json(model, &run->evaluation);
    return status == TIPS_OK ? TIPS_OK : tips__fail_within(status, path);
}

static tips_status note_old(report_job *job, const char *folder, const char *eval) {
    char best[TIPS_PATH_SIZE];
    struct stat model, result;
    TIPS_TRY(tips__path_join(folder, tips__best_name, best));
    if (stat(best, &model) != 0 || stat(eval, &result) != 0 || model.st_mtime <= result.st_mtime + 1) return TIPS_OK;
    return tips__report_note(job, "%s is older than %s: if training went on after it, evaluate again.", eval, best);
}

static tips_status read_evaluation(report_job *job, int index) {
    tips_report_run *run = &job->data.runs[index];
    char path[TIPS_PATH_SIZE];
    tips_json_node *file;
    TIPS_TRY(tips__path_join(run->folder, tips__eval_name, path));
    TIPS_TRY(load(run->folder, tips__eval_name, &file));
    const tips_status status = take_evaluation(file, path, run);
    tips__json_tree_free(file);
    return status == TIPS_OK ? note_old(job, run->folder, path) : status;
}

static tips_status make_room(report_job *job) {
    if (job->data.n_runs < job->capacity) return TIPS_OK;
    const size_t old = (size_t)job->capacity, more = old ? 2 * old : 8;
    tips_report_run *runs = tips__grow(job->data.runs, old * sizeof *runs, more * sizeof *runs);
    if (!runs) TIPS_FAIL(TIPS_MEMORY, "out of memory for runs");
    job->data.runs = runs;
    report_source *sources = tips__grow(job->sources, old * sizeof *sources, more * sizeof *sources);
    if (!sources) TIPS_FAIL(TIPS_MEMORY, "out of memory for runs");
    job->sources = sources;
    job->capacity = (int)more;
    return TIPS_OK;
}

static tips_status read_log(const char *folder, tips_report_run *run) {
    run->log.task = run->task;
    return tips__train_log_read(folder, &run->log);
}

static tips_status add_run(report_job *job, int folder_index, const char *folder, bool of_compare) {
    bool has_log, has_eval;
    for (int i = 0; i < job->data.n_runs; i++)
        if (strcmp(job->data.runs[i].folder, folder) == 0) TIPS_FAIL(TIPS_INVALID, "%s: is named twice", folder);
    TIPS_TRY(make_room(job));
    const int index = job->data.n_runs++;
    tips_report_run *run = &job->data.runs[index];
    report_source *source = &job->sources[index];
    *run = (tips_report_run){0};
    *source = (report_source){.folder = folder_index, .of_compare = of_compare};
    TIPS_TRY(tips__report_copy(folder, &run->folder));
    TIPS_TRY(load(folder, tips__config_name, &source->config));
    TIPS_TRY(take_config(source->config, folder, run));
    TIPS_TRY(tips__report_has(folder, tips__log_name, &has_log));
    TIPS_TRY(tips__report_has(folder, tips__eval_name, &has_eval));
    if (has_log) TIPS_TRY(read_log(folder, run));
    return has_eval ? read_evaluation(job, index) : TIPS_OK;
}

/* A comparison may have been moved: its runs are where their last two names say, below its folder. */
static const char *last_two_names(const char *path) {
    int slashes = 0;
    const char *at = path + strlen(path);
    while (at > path && slashes < 2) slashes += *--at == '/';
    return slashes == 2 ? at + 1 : path;
}

static tips_status add_comparison(report_job *job, int index, const char *folder) {
    TIPS_TRY(load(folder, "compare.json", &job->compare[index]));
    const tips_json_node *pools = tips__json_get(job->compare[index], "pools");
    if (!pools) TIPS_FAIL(TIPS_FORMAT, "%s/compare.json: is not what tips compare writes: it has no pools", folder);
    for (const tips_json_node *pool = pools->first; pool; pool = pool->next) {
        const tips_json_node *runs = tips__json_get(pool, "runs");
        for (const tips_json_node *run = runs ? runs->first : NULL; run; run = run->next) {
            char path[TIPS_PATH_SIZE];
            TIPS_TRY(tips__path_join(folder, last_two_names(tips__json_get_text(run, "folder", "")), path));
            TIPS_TRY(add_run(job, index, path, true));
        }
    }
    return TIPS_OK;
}

static tips_status add_folder(report_job *job, int index, const char *folder) {
    bool is_comparison, is_run;
    struct stat info;
    if (stat(folder, &info) != 0) TIPS_FAIL(TIPS_IO, "%s: %s", folder, strerror(errno));
    TIPS_TRY(tips__report_has(folder, "compare.json", &is_comparison));
    TIPS_TRY(tips__report_has(folder, tips__config_name, &is_run));
    if (is_comparison) return add_comparison(job, index, folder);
    if (is_run) return add_run(job, index, folder, false);
    TIPS_FAIL(
        TIPS_FORMAT,
        "%s: is no folder of 'tips train' (it has no %s) nor of a finished 'tips compare' (it has no compare.json)",
        folder, tips__config_name);
}

tips_status tips__report_read(report_job *job) {
    const size_t count = (size_t)job->config->n_folders;
    TIPS_TRY(tips__new_zero(&job->compare, count * sizeof *job->compare, "comparisons"));
    for (int i = 0; i < job->config->n_folders; i++) {
        char folder[TIPS_PATH_SIZE];
        const char *given = job->config->folders[i];
        size_t length = strlen(given);
        if (length >= sizeof folder) TIPS_FAIL(TIPS_INVALID, "the path %.60s... is too long", given);
        while (length > 1 && given[length - 1] == '/') length--;
        memcpy(folder, given, length);
        folder[length] = '\0';
        TIPS_TRY(add_folder(job, i, folder));
    }
    return TIPS_OK;
}
