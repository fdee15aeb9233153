/* tips report: read the runs, evaluate what is asked for, group, look for examples, write page and figures. */
#include "report/report_parts.h"

#include <tips/version.h>

#include "chart/pen_cairo.h"
#include "core/atomic_file.h"
#include "core/build.h"
#include "core/fail.h"
#include "core/keep_input.h"
#include "core/make_folder.h"
#include "core/memory.h"
#include "core/threads.h"
#include "evaluate/evaluate_json.h"
#include "report/page.h"

#include <string.h>

enum { EVALUATE_BATCH = 32 };

static tips_status evaluate_run(report_job *job, int index) {
    const tips_report_config *c = job->config;
    tips_report_run *run = &job->data.runs[index];
    const tips_json_node *options = tips__json_get(job->sources[index].config, "options");
    char model[TIPS_PATH_SIZE], out[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(run->folder, tips__best_name, model));
    TIPS_TRY(tips__path_join(run->folder, tips__eval_name, out));
    const double val_split = tips__json_get_number(options, "val-split");
    const tips_evaluate_config config = {.models = model,
                                         .network = {.seed = run->seed},
                                         .data = tips__json_get_text(options, "data", NULL),
                                         .classes_limit = tips__json_get_int(options, "classes-limit", 0),
                                         .val_split = val_split > 0 ? val_split : 0,
                                         .own_data = true,
                                         .split = TIPS_SPLIT_TEST,
                                         .protocol = tips__protocol_auto(),
                                         .limit = c->limit,
                                         .levels = true,
                                         .msb = true,
                                         .grid_images = TIPS_EVALUATE_GRID,
                                         .set_shifts = TIPS_EVALUATE_SET,
                                         .on_bad_image = c->on_bad_image,
                                         .batch = EVALUATE_BATCH,
                                         .cost = c->cost,
                                         .progress = c->progress,
                                         .context = c->context};
    tips_evaluate_result result;
    TIPS_TRY(tips__atomic_try(out));
    TIPS_TRY(tips__evaluate_run(&config, &result));
    tips_status status = tips__evaluate_save(&result, out);
    if (status == TIPS_OK) status = tips__report_take_result(&result, &result.models[0], &run->evaluation);
    tips__evaluate_free(&result);
    return status;
}

static tips_status evaluate_missing(report_job *job) {
    for (int i = 0; i < job->data.n_runs; i++)
        if (!job->data.runs[i].evaluation.data) TIPS_TRY(evaluate_run(job, i));
    return TIPS_OK;
}

static tips_status make_title(report_job *job) {
    tips_report_data *d = &job->data;
    tips_text text = {0};
    if (job->config->title && *job->config->title) return tips__report_copy(job->config->title, &d->title);
    tips__text_print(&text, "Shift report: %s", d->n_sets == 1 ? d->sets[0].name : "several data sets");
    d->title = text.data;
    return tips__text_check(&text);
}

static tips_status gather(report_job *job) {
    TIPS_TRY(tips__report_read(job));
    if (job->config->evaluate) TIPS_TRY(evaluate_missing(job));
    TIPS_TRY(tips__report_group(job));
    TIPS_TRY(tips__report_commands(job));
    TIPS_TRY(make_title(job));
    job->data.version = tips_version();
    job->data.build = tips__build();
    return tips__report_examples(job);
}

/* "report-figures" beside "report.html". */
static tips_status name_figures(const tips_report_config *c, char **out) {
    tips_text text = {0};
    if (c->figures && strcmp(c->figures, "none") == 0) return TIPS_OK;
    if (c->figures && *c->figures) return tips__report_copy(c->figures, out);
    const char *slash = strrchr(c->out, '/'), *name = slash ? slash + 1 : c->out, *dot = strrchr(name, '.');
    tips__text_add_bytes(&text, c->out, dot && dot > name ? (size_t)(dot - c->out) : strlen(c->out));
    tips__text_add(&text, "-figures");
    *out = text.data;
    return tips__text_check(&text);
}

/* Before anything is measured. */
static tips_status check_figures(const tips_report_config *c) {
    char *folder = NULL;
    tips_status status = name_figures(c, &folder);
    if (status == TIPS_OK && folder) status = tips__check_folder(folder);
    tips__free(folder);
    return status;
}

static tips_status save_figures(const tips_chart_list *charts, const char *folder) {
    TIPS_TRY(tips__make_folder(folder));
    for (int i = 0; i < charts->count; i++) {
        const tips_chart *chart = &charts->charts[i]->chart;
        TIPS_TRY(tips__charts_save(&chart, 1, folder, chart->name));
    }
    return TIPS_OK;
}

static tips_status save_page(const char *path, const tips_report_data *d, const tips_chart_list *charts,
                             size_t *bytes) {
    tips_text page = {0};
    tips__page_write(&page, d, charts);
    tips_status status = tips__text_check(&page);
    if (status == TIPS_OK) status = tips__atomic_save(path, page.data, page.length);
    *bytes = page.length;
    tips__text_clear(&page);
    return status;
}

static tips_status write_files(const tips_report_config *c, tips_report_result *r) {
    tips_chart_list charts;
    TIPS_TRY(tips__report_charts(&r->data, &charts));
    r->charts = charts.count;
    r->png = tips__has_cairo();
    tips_status status = tips__report_copy(c->out, &r->page);
    if (status == TIPS_OK) status = name_figures(c, &r->figures);
    if (status == TIPS_OK && r->figures) status = save_figures(&charts, r->figures);
    if (status == TIPS_OK) status = save_page(c->out, &r->data, &charts, &r->bytes);
    tips__chart_list_free(&charts);
    return status;
}

static void clear_job(report_job *job) {
    for (int i = 0; i < job->data.n_runs; i++) {
        tips__json_tree_free(job->sources[i].config);
    }
    for (int i = 0; job->compare && i < job->config->n_folders; i++) tips__json_tree_free(job->compare[i]);
    tips__free(job->sources);
    tips__free(job->compare);
}

void tips__report_result_free(tips_report_result *r) {
    tips__report_free(&r->data);
    tips__free(r->page);
    tips__free(r->figures);
    *r = (tips_report_result){0};
}

/* The page may lie in a folder of runs, but not be one of its results. */
static tips_status keep_runs(const tips_report_config *c) {
    const bool is_result = tips__path_ends(c->out, ".json") || tips__path_ends(c->out, ".jsonl");
    for (int i = 0; i < c->n_folders; i++) {
        TIPS_TRY(tips__keep_input(c->folders[i], c->out));
        if (is_result && tips__lies_in(c->folders[i], c->out))
            TIPS_FAIL(TIPS_INVALID, "%s lies in %s, which is read; write the page to another file", c->out,
                      c->folders[i]);
    }
    return TIPS_OK;
}

tips_status tips__report_run(const tips_report_config *config, tips_report_result *out) {
    report_job job = {.config = config};
    tips_report_result result = {0};
    if (config->n_folders < 1)
        TIPS_FAIL(TIPS_INVALID, "name the folders of runs to report on: tips report DIR... -o report.html");
    if (!config->out || !*config->out) TIPS_FAIL(TIPS_INVALID, "say where the page goes: -o report.html");
    TIPS_TRY(check_figures(config));
    TIPS_TRY(keep_runs(config));
    tips__threads_use(config->threads);
    tips_status status = gather(&job);
    clear_job(&job);
    result.data = job.data;
    if (status == TIPS_OK) status = write_files(config, &result);
    if (status != TIPS_OK) tips__report_result_free(&result);
    else *out = result;
    return status;
}
