/* Runs one after the other, each in its own folder; means and deviations over the seeds. */
#include "study/compare.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/name_list.h"
#include "core/threads.h"
#include "study/compare_parts.h"
#include "study/study_jobs.h"

#include <math.h>
#include <string.h>

void tips__compare_clear(tips_compare_result *r) {
    tips__free(r->runs);
    tips__free(r->rows);
    *r = (tips_compare_result){0};
}

/* A run in the folder "aps-p-inf/seed-2". */
static tips_status prepare(const tips_compare_config *c, const char *pool, int seed, tips_run *run) {
    char folder[TIPS_COMPARE_TEXT], below[TIPS_COMPARE_TEXT + 32], name[TIPS_COMPARE_TEXT + 32], path[TIPS_PATH_SIZE];
    tips_train_config train = c->train;
    snprintf(folder, sizeof folder, "%s", pool);
    for (char *at = folder; *at; at++)
        if (strchr(":,/", *at)) *at = '-';
    snprintf(below, sizeof below, "%s/seed-%d", folder, seed);
    snprintf(name, sizeof name, "%s, seed %d", pool, seed);
    TIPS_TRY(tips__path_join(c->train.out, below, path));
    train.model.pool = pool;
    train.model.seed = seed;
    return tips__run_prepare(&train, path, name, run);
}

/* Whether the network to start from can have the operator. */
static tips_status check_start(const tips_compare_config *c, const char *pool) {
    tips_model_options asked = c->train.model;
    asked.pool = pool;
    if (!c->runs.start) return TIPS_OK;
    TIPS_TRY(tips__train_start_refuse(c->runs.start, "pool", pool));
    return tips__train_start_check(c->runs.start, &asked);
}

/* The same operator twice, however it is written, would be one row twice. */
static tips_status refuse_twice(const tips_compare_result *r, int row, const tips_pool_spec *spec, int lpf) {
    char name[2][512];
    tips__pool_format(spec, name[0], sizeof name[0]);
    for (int i = 0; i < row; i++) {
        tips_pool_spec other;
        TIPS_TRY(tips__pool_parse(r->rows[i].pool, lpf, &other));
        tips__pool_format(&other, name[1], sizeof name[1]);
        if (strcmp(name[0], name[1]) == 0)
            TIPS_FAIL(TIPS_INVALID, "--pool names the operator %s twice; --seeds N trains each several times", name[0]);
    }
    return TIPS_OK;
}

/* Names are checked before anything is trained. */
static tips_status list_runs(const tips_compare_config *c, tips_compare_result *r) {
    const char *rest = c->train.model.pool;
    bool more;
    for (int i = 0; i < r->n_rows; i++) {
        tips_pool_spec spec;
        TIPS_TRY(tips__name_list_next(&rest, r->rows[i].pool, sizeof r->rows[i].pool, &more));
        TIPS_TRY(tips__pool_parse(r->rows[i].pool, c->train.model.lpf, &spec));
        TIPS_TRY(refuse_twice(r, i, &spec, c->train.model.lpf));
        TIPS_TRY(check_start(c, r->rows[i].pool));
        for (int k = 0; k < r->seeds; k++)
            TIPS_TRY(prepare(c, r->rows[i].pool, c->train.model.seed + k, &r->runs[i * r->seeds + k]));
    }
    return TIPS_OK;
}

static void sum_up_metric(const tips_run *runs, int seeds, int metric, tips_compare_row *row) {
    double sum = 0, square = 0;
    row->done = 0;
    for (int k = 0; k < seeds; k++)
        if (runs[k].done) sum += runs[k].value[metric], row->done++;
    const double mean = row->done ? sum / row->done : NAN;
    for (int k = 0; k < seeds; k++)
        if (runs[k].done) square += (runs[k].value[metric] - mean) * (runs[k].value[metric] - mean);
    row->mean[metric] = mean;
    row->deviation[metric] = row->done > 1 ? sqrt(square / (row->done - 1)) : NAN;
    row->margin[metric] = NAN;
    if (seeds == 1 && row->done == 1) row->margin[metric] = runs[0].margin[metric];
}

typedef struct parts {
    const tips_compare_config *config;
    tips_run *runs;
} parts;

static tips_status is_done(void *context, int piece, bool *done) {
    const parts *p = context;
    return tips__run_read(&p->runs[piece], p->config->runs.limit, done);
}

static tips_status do_apart(void *context, int piece, int threads) {
    const parts *p = context;
    return tips__run_do_apart(&p->config->runs, &p->runs[piece], threads);
}

static bool is_asked_to_stop(void *context) {
    const tips_runs_config *c = &((const parts *)context)->config->runs;
    return c->stop && c->stop(c->context);
}

static tips_status do_runs(const tips_compare_config *c, tips_compare_result *r) {
    const int count = r->n_rows * r->seeds;
    parts p = {c, r->runs};
    const tips_jobs jobs = {.count = count,
                            .at_once = c->jobs,
                            .is_done = is_done,
                            .work = do_apart,
                            .stop = is_asked_to_stop,
                            .context = &p};
    if (c->jobs > 1) TIPS_TRY(tips__jobs_run(&jobs));
    for (int i = 0; i < count; i++) TIPS_TRY(tips__run_do(&c->runs, &r->runs[i])); /* or its result read */
    return TIPS_OK;
}

/* After an interruption: what other sessions and other processes have done counts too. */
static tips_status find_done(const tips_compare_config *c, tips_compare_result *r) {
    char why[1024];
    int done = 0;
    snprintf(why, sizeof why, "%s", tips_last_error());
    r->interrupted = true;
    for (int i = 0; i < r->n_rows * r->seeds; i++) {
        tips_run *run = &r->runs[i];
        if (!run->done) TIPS_TRY(tips__run_read(run, c->runs.limit, &run->done));
        done += run->done;
    }
    if (done == 0) TIPS_FAIL(TIPS_INTERRUPTED, "%s", why);
    return TIPS_OK;
}

static tips_status run_all(const tips_compare_config *c, tips_compare_result *r) {
    const size_t rows = (size_t)r->n_rows, seeds = (size_t)r->seeds;
    TIPS_TRY(tips__new_zero(&r->rows, rows * sizeof *r->rows, "a comparison"));
    TIPS_TRY(tips__new_zero(&r->runs, rows * seeds * sizeof *r->runs, "a comparison"));
    TIPS_TRY(list_runs(c, r));
    const tips_status status = do_runs(c, r);
    if (status == TIPS_INTERRUPTED) TIPS_TRY(find_done(c, r));
    else TIPS_TRY(status);
    for (int i = 0; i < r->n_rows; i++)
        for (int m = 0; m < TIPS_RUN_VALUES; m++) sum_up_metric(r->runs + i * r->seeds, r->seeds, m, &r->rows[i]);
    return tips__compare_differ(r);
}

tips_status tips__compare(const tips_compare_config *config, tips_compare_result *out) {
    tips_compare_result r = {.seeds = config->seeds, .val_is_test = config->train.val_set == TIPS_VAL_TEST};
    tips_task_spec task;
    if (!config->train.out || !*config->train.out) TIPS_FAIL(TIPS_INVALID, "say where the models go: --out DIR");
    TIPS_TRY(tips__model_options_task(&config->train.model, &task));
    r.task = task.task->metrics;
    r.n_rows = tips__name_list_count(config->train.model.pool);
    if (r.n_rows < 1) TIPS_FAIL(TIPS_INVALID, "say which operators to compare: --pool max,aps,tips-exact");
    tips__threads_use(config->train.model.threads);
    const tips_status status = run_all(config, &r);
    if (status != TIPS_OK) tips__compare_clear(&r);
    else *out = r;
    return status;
}

static bool chosen_on(const void *result, char *out) {
    const tips_compare_result *r = result;
    int runs = 0;
    for (int i = 0; i < r->n_rows * r->seeds; i++) runs += r->runs[i].done && r->runs[i].chosen_on;
    snprintf(out, TIPS_WARNING_SIZE,
             "The best epochs were chosen by the pictures that the figures are of: the figures flatter the models. An "
             "independent result needs test pictures.");
    return runs > 0;
}

const tips_warning_rule tips__compare_rules[] = {{"validation_as_test", false, chosen_on}, {.name = NULL}};

void tips__compare_put(tips_json *json, const tips_compare_result *r) {
    tips__json_open_object(json, NULL);
    tips__json_int(json, "seeds", r->seeds);
    tips__json_bool(json, "val_is_test", r->val_is_test);
    tips__warnings_put(json, tips__compare_rules, r);
    if (r->interrupted) tips__json_bool(json, "interrupted", true);
    tips__json_open_array(json, "pools");
    for (int i = 0; i < r->n_rows; i++) {
        if (r->rows[i].done == 0) continue;
        tips__json_open_object(json, NULL);
        tips__json_text(json, "pool", r->rows[i].pool);
        tips__json_open_object(json, "mean");
        tips__run_put_values(json, r->task, r->rows[i].mean);
        tips__json_close_object(json);
        tips__json_open_object(json, "deviation");
        tips__run_put_values(json, r->task, r->rows[i].deviation);
        tips__json_close_object(json);
        tips__compare_put_differences(json, r, i);
        tips__json_open_array(json, "runs");
        for (int k = 0; k < r->seeds; k++) {
            if (!r->runs[i * r->seeds + k].done) continue;
            tips__json_open_object(json, NULL);
            tips__json_text(json, "folder", r->runs[i * r->seeds + k].folder);
            tips__run_put(json, &r->runs[i * r->seeds + k]);
            tips__json_close_object(json);
        }
        tips__json_close_array(json);
        tips__json_close_object(json);
    }
    tips__json_close_array(json);
    tips__json_close_object(json);
}

tips_status tips__compare_write_all(const char *folder, const tips_compare_result *result) {
    tips_json *json;
    TIPS_TRY(tips__json_create(&json));
    tips__compare_put(json, result);
    const tips_status status = tips__study_save(json, folder, "compare.json");
    tips__json_destroy(json);
    return status;
}
