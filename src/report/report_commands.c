/* The commands that make the runs again, from the options that config.json keeps. */
#include "report/report_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "evaluate/evaluate_json.h"

#include <stdio.h>
#include <string.h>

static bool is_in(const char *name, const char *const *names) {
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

/* A value as it is written on the command line; false for null. */
static bool value_text(const tips_json_node *node, char *out, size_t size) {
    if (node->kind == TIPS_JSON_NUMBER) tips__number_format(node->number, out, size);
    else if (node->kind == TIPS_JSON_TEXT) snprintf(out, size, "%s", node->text);
    else if (node->kind == TIPS_JSON_BOOL) snprintf(out, size, "%s", node->truth ? "true" : "false");
    return node->kind == TIPS_JSON_NUMBER || node->kind == TIPS_JSON_TEXT || node->kind == TIPS_JSON_BOOL;
}

static void add_flag(tips_text *out, const char *flag, const char *value) {
    tips__text_print(out, " --%s ", flag);
    tips__text_word(out, value);
}

/* "folder/name" as the value of a flag. */
static void add_path(tips_text *out, const char *flag, const char *folder, const char *name) {
    tips_text path = {0};
    tips__text_print(&path, "%s/%s", folder, name);
    if (path.data) add_flag(out, flag, path.data);
    out->failed |= path.failed;
    tips__text_clear(&path);
}

static bool was_given(const tips_json_node *config, const char *name) {
    const tips_json_node *given = tips__json_get(config, "given");
    for (const tips_json_node *at = given ? given->first : NULL; at; at = at->next)
        if (at->kind == TIPS_JSON_TEXT && tips__same_name(at->text, name)) return true;
    return false;
}

static void add_option(tips_text *out, const tips_option *row, const tips_json_node *node, bool is_given,
                       const tips_train_config *defaults) {
    char value[4096], usual[4096] = "";
    if (!value_text(node, value, sizeof value)) return;
    if (row->type != TIPS_OPT_TEXT || row->fallback) tips__option_format(row, defaults, usual, sizeof usual);
    if (strcmp(value, usual) == 0 && !is_given) return;
    if (row->type == TIPS_OPT_BOOL) tips__text_print(out, " --%s%s", node->truth ? "" : "no-", row->name);
    else add_flag(out, row->name, value);
}

/* Those of the task and the optimiser, which may differ from the table's. */
static tips_status find_defaults(const tips_json_node *options, tips_train_config *out) {
    const tips_train_config said = {.model = {.arch = tips__json_get_text(options, "arch", NULL),
                                              .task = tips__json_get_text(options, "task", NULL)},
                                    .optimizer = tips__json_get_text(options, "optimizer", NULL)};
    const tips_status status = tips__train_defaults(&said, out);
    if (status == TIPS_OK || status == TIPS_MEMORY) return status;
    return tips__options_defaults(tips__train_rows, out);
}

/* Every option that was given or is not the default, but those in `without`. */
static tips_status add_options(tips_text *out, const tips_json_node *config, const char *const *without) {
    tips_train_config defaults = {0};
    const tips_json_node *options = tips__json_get(config, "options");
    TIPS_TRY(find_defaults(options, &defaults));
    for (tips_option_walk walk = tips__options_walk(tips__train_rows); tips__options_next(&walk);) {
        const tips_json_node *node = tips__json_get(options, walk.row.name);
        if (node && !is_in(walk.row.name, without))
            add_option(out, &walk.row, node, was_given(config, walk.row.name), &defaults);
    }
    return TIPS_OK;
}

/* What stood for the data when none were named may be something else elsewhere. */
static void add_data(tips_text *out, const report_job *job, int run) {
    const tips_json_node *options = tips__json_get(job->sources[run].config, "options");
    const char *data = job->data.runs[run].evaluation.data;
    if (!tips__json_get_text(options, "data", NULL) && data && data[0]) add_flag(out, "data", data);
}

/* Hands the text over to the list, or frees it. */
static tips_status keep(report_job *job, tips_text *text, tips_status status) {
    tips_report_data *d = &job->data;
    const size_t count = (size_t)d->n_commands;
    if (status == TIPS_OK) status = tips__text_check(text);
    if (status == TIPS_OK) {
        char **commands = tips__grow(d->commands, count * sizeof *commands, (count + 1) * sizeof *commands);
        if (commands) d->commands = commands;
        else status = tips__fail(TIPS_MEMORY, "out of memory for a command");
    }
    if (status == TIPS_OK) d->commands[d->n_commands++] = text->data;
    else tips__text_clear(text);
    return status;
}

/* The limit is in the result.json of its runs. */
static int limit_of(const tips_report_run *run) {
    char path[TIPS_PATH_SIZE];
    tips_json_node *result;
    if (tips__path_join(run->folder, "result.json", path) != TIPS_OK) return 0;
    if (tips__json_tree_load(path, &result) != TIPS_OK) return 0;
    const int limit = tips__json_get_int(result, "limit", 0);
    tips__json_tree_free(result);
    return limit;
}

static int first_run_of(const report_job *job, int folder) {
    for (int i = 0; i < job->data.n_runs; i++)
        if (job->sources[i].folder == folder) return i;
    return -1;
}

static void add_pools(tips_text *out, const tips_json_node *pools) {
    tips_text list = {0};
    for (const tips_json_node *pool = pools->first; pool; pool = pool->next)
        tips__text_print(&list, "%s%s", list.length ? "," : "", tips__json_get_text(pool, "pool", "?"));
    if (list.data) add_flag(out, "pool", list.data);
    out->failed |= list.failed;
    tips__text_clear(&list);
}

/* As many pictures as the default takes of those there are. */
static bool is_usual_grid(const tips_report_evaluation *e) {
    const int usual = e->images < TIPS_EVALUATE_GRID ? e->images : TIPS_EVALUATE_GRID;
    return e->shift[TIPS_STANDARD].map_images == usual;
}

static tips_status compare_command(report_job *job, int folder) {
    static const char *const without[] = {"pool", "seed", "out", "resume", NULL};
    const int seeds = tips__json_get_int(job->compare[folder], "seeds", 1), first = first_run_of(job, folder);
    tips_text text = {0};
    if (first < 0) return TIPS_OK;
    tips__text_add(&text, "tips compare");
    add_pools(&text, tips__json_get(job->compare[folder], "pools"));
    add_data(&text, job, first);
    const tips_status status = add_options(&text, job->sources[first].config, without);
    const tips_report_evaluation *e = &job->data.runs[first].evaluation;
    const int limit = limit_of(&job->data.runs[first]), seed = job->data.runs[first].seed;
    if (seed != 1) tips__text_print(&text, " --seed %d", seed);
    if (seeds != 1) tips__text_print(&text, " --seeds %d", seeds);
    if (limit > 0) tips__text_print(&text, " --limit %d", limit);
    if (e->data && !is_usual_grid(e)) tips__text_print(&text, " --grid-images %d", e->shift[TIPS_STANDARD].map_images);
    add_flag(&text, "out", job->config->folders[folder]);
    return keep(job, &text, status);
}

static tips_status train_command(report_job *job, int run) {
    static const char *const without[] = {"out", "resume", NULL};
    tips_text text = {0};
    tips__text_add(&text, "tips train");
    add_data(&text, job, run);
    const tips_status status = add_options(&text, job->sources[run].config, without);
    add_flag(&text, "out", job->data.runs[run].folder);
    return keep(job, &text, status);
}

void tips__report_eval_command(tips_text *out, const report_job *job, int run) {
    const tips_json_node *options = tips__json_get(job->sources[run].config, "options");
    const char *folder = job->data.runs[run].folder, *data = tips__json_get_text(options, "data", NULL);
    tips__text_add(out, "tips eval");
    add_path(out, "model", folder, tips__best_name);
    if (data) add_flag(out, "data", data);
    tips__text_add(out, " --levels");
    add_path(out, "out", folder, tips__eval_name);
}

static tips_status eval_command(report_job *job, int run) {
    const char *command = job->data.runs[run].evaluation.command;
    tips_text text = {0};
    if (command) {
        tips__text_add(&text, command);
        add_path(&text, "out", job->data.runs[run].folder, tips__eval_name);
    } else {
        tips__report_eval_command(&text, job, run);
    }
    return keep(job, &text, TIPS_OK);
}

static tips_status report_command(report_job *job) {
    const tips_report_config *c = job->config;
    tips_text text = {0};
    tips__text_add(&text, "tips report");
    for (int i = 0; i < c->n_folders; i++) {
        tips__text_add(&text, " ");
        tips__text_word(&text, c->folders[i]);
    }
    tips__text_add(&text, " -o ");
    tips__text_word(&text, c->out);
    return keep(job, &text, TIPS_OK);
}

tips_status tips__report_commands(report_job *job) {
    for (int folder = 0; folder < job->config->n_folders; folder++)
        if (job->compare[folder]) TIPS_TRY(compare_command(job, folder));
    for (int run = 0; run < job->data.n_runs; run++) {
        if (job->sources[run].of_compare) continue;
        TIPS_TRY(train_command(job, run));
        TIPS_TRY(eval_command(job, run));
    }
    return report_command(job);
}
