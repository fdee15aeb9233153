/* Runs one after the other, each in its own folder; means and deviations over the seeds. */
#include "study/compare_parts.h"

#include "core/fail.h"
#include "core/memory.h"
#include "evaluate/evaluate_json.h"
#include "core/name_list.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

void tips__compare_clear(tips_compare_result *r) {
    tips__free(r->runs);
    tips__free(r->rows);
    *r = (tips_compare_result){0};
}

static tips_status name_folder(const tips_compare_config *c, tips_compare_run *run) {
    char pool[TIPS_COMPARE_TEXT], name[TIPS_COMPARE_TEXT + 32];
    snprintf(pool, sizeof pool, "%s", run->pool);
    for (char *at = pool; *at; at++)
        if (strchr(":,/", *at)) *at = '-';
    snprintf(name, sizeof name, "%s/seed-%d", pool, run->seed);
    return tips__path_join(c->train.out, name, run->folder);
}

/* Whether the network to start from can have the operator. */
static tips_status check_start(const tips_compare_config *c, const char *pool) {
    tips_model_options asked = c->train.model;
    asked.pool = pool;
    if (!c->start) return TIPS_OK;
    TIPS_TRY(tips__train_start_refuse(c->start, "pool", pool));
    return tips__train_start_check(c->start, &asked);
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
        for (int k = 0; k < r->seeds; k++) {
            tips_compare_run *run = &r->runs[i * r->seeds + k];
            memcpy(run->pool, r->rows[i].pool, sizeof run->pool);
            run->seed = c->train.model.seed + k;
            run->task = r->task;
            for (int m = 0; m < TIPS_COMPARE_VALUES; m++) run->value[m] = run->margin[m] = NAN;
            TIPS_TRY(name_folder(c, run));
        }
    }
    return TIPS_OK;
}

static const tips_train_watch *begin(const tips_compare_config *c, const tips_compare_run *run, bool evaluates) {
    char name[TIPS_COMPARE_TEXT + 32];
    snprintf(name, sizeof name, "%s, seed %d", run->pool, run->seed);
    return c->begin ? c->begin(c->context, name, evaluates) : NULL;
}

static void take_figures(const tips_model_result *m, tips_compare_run *run) {
    run->images = m->images;
    for (int i = 0; tips__metric_at(run->task, i); i++) {
        const tips_figure figure = tips__figure_at(&m->figures, i);
        run->value[i] = figure.value;
        run->margin[i] = (figure.high - figure.low) / 2;
    }
}

static tips_status evaluate(const tips_compare_config *c, const char *model, const tips_train_watch *watch,
                            tips_compare_run *run) {
    const tips_evaluate_config config = {.models = model,
                                         .network = {.seed = run->seed},
                                         .data = c->train.data,
                                         .classes_limit = c->train.classes_limit,
                                         .val_split = c->train.val_split,
                                         .split = TIPS_SPLIT_TEST,
                                         .limit = c->limit,
                                         .msb = true,
                                         .grid_images = c->grid_images,
                                         .set_shifts = TIPS_EVALUATE_SET,
                                         .on_bad_image = c->train.on_bad_image,
                                         .batch = c->train.batch,
                                         .stop = watch ? watch->stop : NULL,
                                         .context = watch ? watch->context : NULL};
    char path[TIPS_PATH_SIZE];
    tips_evaluate_result result;
    TIPS_TRY(tips__evaluate_run(&config, &result));
    if (result.interrupted) { /* a part is no result of the run: it is done again */
        tips__evaluate_free(&result);
        TIPS_FAIL(TIPS_INTERRUPTED, "interrupted while %s was evaluated; the same command goes on from there",
                  run->folder);
    }
    take_figures(&result.models[0], run);
    tips_status status = tips__path_join(run->folder, tips__eval_name, path);
    if (status == TIPS_OK) status = tips__evaluate_save(&result, path);
    tips__evaluate_free(&result);
    return status;
}

tips_status tips__compare_do_run(const tips_compare_config *c, tips_compare_run *run) {
    tips_train_config train = c->train;
    tips_train_result result;
    bool found;
    train.model.pool = run->pool;
    train.model.seed = run->seed;
    train.out = run->folder;
    train.resume = true;
    TIPS_TRY(tips__compare_read(run, c->limit, &found));
    run->done = found;
    if (found) return tips__train_check_settings(&train);
    const tips_status status = tips__train_run_from(&train, c->start, begin(c, run, false), &result);
    if (status == TIPS_INTERRUPTED)
        TIPS_FAIL(status, "interrupted while %s was trained; the same command goes on from there", run->folder);
    TIPS_TRY(status);
    TIPS_TRY(evaluate(c, result.best_path, begin(c, run, true), run));
    run->value[TIPS_COMPARE_VALIDATION] = result.best[tips__metric_main(result.task->metrics)];
    run->done = true;
    return tips__compare_write(run, c->limit);
}

static void sum_up_metric(const tips_compare_run *runs, int seeds, int metric, tips_compare_row *row) {
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

static tips_status do_runs(const tips_compare_config *c, tips_compare_result *r) {
    if (c->jobs > 1) TIPS_TRY(tips__compare_parallel(c, r->runs, r->n_rows * r->seeds));
    for (int i = 0; i < r->n_rows * r->seeds; i++)
        TIPS_TRY(tips__compare_do_run(c, &r->runs[i])); /* or its result read */
    return TIPS_OK;
}

/* After an interruption: what other sessions and other processes have done counts too. */
static tips_status find_done(const tips_compare_config *c, tips_compare_result *r) {
    char why[1024];
    int done = 0;
    snprintf(why, sizeof why, "%s", tips_last_error());
    r->interrupted = true;
    for (int i = 0; i < r->n_rows * r->seeds; i++) {
        tips_compare_run *run = &r->runs[i];
        if (!run->done) TIPS_TRY(tips__compare_read(run, c->limit, &run->done));
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
        for (int m = 0; m < TIPS_COMPARE_VALUES; m++) sum_up_metric(r->runs + i * r->seeds, r->seeds, m, &r->rows[i]);
    return TIPS_OK;
}

tips_status tips__compare(const tips_compare_config *config, tips_compare_result *out) {
    tips_compare_result r = {.seeds = config->seeds,
                             .val_is_test = config->train.val_set == TIPS_VAL_TEST};
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
