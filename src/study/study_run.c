/* Training and evaluating one run, once. */
#include "study/study_run.h"

#include "study/study_run_parts.h"

#include "core/fail.h"
#include "core/folder_lock.h"
#include "core/threads.h"
#include "core/timing.h"
#include "evaluate/evaluate_json.h"
#include "train/train_log.h"

#include <math.h>
#include <string.h>

tips_status tips__run_prepare(const tips_train_config *train, const char *folder, const char *name, tips_run *out) {
    tips_task_spec task;
    TIPS_TRY(tips__model_options_task(&train->model, &task));
    *out = (tips_run){.train = *train, .task = task.task->metrics, .seconds = NAN};
    snprintf(out->folder, sizeof out->folder, "%s", folder);
    snprintf(out->name, sizeof out->name, "%s", name);
    for (int i = 0; i < TIPS_RUN_VALUES; i++) out->value[i] = out->margin[i] = NAN;
    return TIPS_OK;
}

tips_status tips__run_pretrain(const tips_train_config *pretrain, const char *folder, tips_run *run) {
    run->pretrain = pretrain;
    snprintf(run->encoder, sizeof run->encoder, "%s", folder);
    TIPS_TRY(tips__path_join(folder, tips__last_name, run->weights));
    run->train.weights = run->weights;
    return TIPS_OK;
}

static void take_figures(const tips_model_result *m, tips_run *run) {
    run->images = m->images;
    for (int i = 0; tips__metric_at(run->task, i); i++) {
        const tips_figure figure = tips__figure_at(&m->figures, i);
        run->value[i] = figure.value;
        run->margin[i] = (figure.high - figure.low) / 2;
    }
}

static void take_pictures(const tips_evaluate_result *r, tips_run *run) {
    const tips_pictures *p = &r->models[0].pictures;
    tips__pictures_words(p, tips__evaluate_data(r), run->pictures, sizeof run->pictures);
    run->chosen_on = p->chosen_on;
}

tips_evaluate_config tips__run_evaluation(const tips_runs_config *c, const tips_run *run, const char *model) {
    const tips_train_config *train = &run->train;
    return (tips_evaluate_config){.models = model,
                                  .network = {.seed = train->model.seed},
                                  .data = train->data,
                                  .classes_limit = train->classes_limit,
                                  .val_split = train->val_split,
                                  .own_data = true,
                                  .split = TIPS_SPLIT_TEST,
                                  .protocol = tips__protocol_auto(),
                                  .limit = c->limit,
                                  .levels = c->levels,
                                  .msb = true,
                                  .grid_images = c->grid_images,
                                  .set_shifts = TIPS_EVALUATE_SET,
                                  .on_bad_image = train->on_bad_image,
                                  .batch = train->batch,
                                  .check = c->attack ? tips__attack_fits : NULL,
                                  .check_with = c->attack};
}

static tips_status evaluate(const tips_runs_config *c, const char *model, const tips_train_watch *watch,
                            tips_run *run) {
    tips_evaluate_config config = tips__run_evaluation(c, run, model);
    if (watch) config.stop = watch->stop, config.context = watch->context;
    const double start = tips__now();
    char path[TIPS_PATH_SIZE];
    tips_evaluate_result result;
    TIPS_TRY(tips__evaluate_run(&config, &result));
    tips_attacked attacked = {0};
    tips_status status = c->attack ? tips__attack_evaluated(c->attack, &config, &result, &attacked) : TIPS_OK;
    if (status == TIPS_OK && result.interrupted) { /* a part is no result of the run: it is done again */
        status = tips__fail(TIPS_INTERRUPTED, "interrupted while %s was evaluated; the same command goes on from there",
                            run->folder);
    }
    if (status == TIPS_OK) status = tips__path_join(run->folder, tips__eval_name, path);
    if (status == TIPS_OK) status = tips__evaluate_save(&result, path);
    if (status == TIPS_OK) take_figures(&result.models[0], run);
    if (status == TIPS_OK) take_pictures(&result, run);
    run->evaluation = tips__now() - start;
    tips__attacked_free(&attacked);
    tips__evaluate_free(&result);
    return status;
}

/* Over all sessions: a run may have been interrupted. */
static tips_status add_seconds(const char *folder, const tips_train_config *train, double *seconds) {
    tips_task_spec task;
    TIPS_TRY(tips__model_options_task(&train->model, &task));
    tips_train_log log = {.task = task.task};
    TIPS_TRY(tips__train_log_read(folder, &log));
    for (int i = 0; i < log.count; i++) *seconds += log.epochs[i].seconds;
    tips__train_log_clear(&log);
    return TIPS_OK;
}

static tips_status sum_seconds(tips_run *run) {
    double seconds = 0;
    if (run->pretrain) TIPS_TRY(add_seconds(run->encoder, run->pretrain, &seconds));
    TIPS_TRY(add_seconds(run->folder, &run->train, &seconds));
    run->seconds = seconds;
    return TIPS_OK;
}

static const tips_train_watch *begin(const tips_runs_config *c, const tips_run *run, bool evaluates) {
    return c->begin ? c->begin(c->context, run->name, evaluates) : NULL;
}

static tips_status interrupted(const char *folder) {
    TIPS_FAIL(TIPS_INTERRUPTED, "interrupted while %s was trained; the same command goes on from there", folder);
}

/* The run that comes first goes on, or is done already. */
static tips_status pretrain(const tips_runs_config *c, const tips_run *run) {
    tips_train_config train = *run->pretrain;
    tips_train_result result;
    const int before = tips__train_threads_of(run->encoder);
    tips_folder_lock *held;
    train.out = run->encoder;
    train.resume = true;
    train.model.threads = before ? before : run->train.model.threads;
    TIPS_TRY(tips__folder_lock_wait(run->encoder, tips__run_lock_name, &held));
    const tips_status status = tips__train_run_held(&train, c->start, begin(c, run, false), &result);
    tips__folder_unlock(held);
    return status == TIPS_INTERRUPTED ? interrupted(run->encoder) : status;
}

static tips_status do_or_read(const tips_runs_config *c, tips_run *run) {
    tips_train_result result;
    bool found;
    TIPS_TRY(tips__run_read(run, c->limit, &found));
    run->done = found;
    if (found) return tips__train_check_settings(&run->train);
    if (run->pretrain) TIPS_TRY(pretrain(c, run));
    const tips_status status = tips__train_run_held(&run->train, c->start, begin(c, run, false), &result);
    if (status == TIPS_INTERRUPTED) return interrupted(run->folder);
    TIPS_TRY(status);
    TIPS_TRY(evaluate(c, result.best_path, begin(c, run, true), run));
    TIPS_TRY(sum_seconds(run));
    run->value[TIPS_RUN_VALIDATION] = result.best[tips__metric_main(result.task->metrics)];
    run->done = true;
    return tips__run_write(run, c->limit);
}

tips_status tips__run_do(const tips_runs_config *c, tips_run *run) {
    tips_folder_lock *held;
    run->train.out = run->folder;
    run->train.resume = true;
    TIPS_TRY(tips__run_read(run, c->limit, &run->done));
    if (run->done) return tips__train_check_settings(&run->train);
    /* A process whose parent was killed still saves its run, and another machine may have been given the same one:
     * whoever comes second waits. */
    TIPS_TRY(tips__folder_lock_wait(run->folder, tips__run_lock_name, &held));
    const tips_status status = do_or_read(c, run);
    tips__folder_unlock(held);
    return status;
}

tips_status tips__run_do_apart(const tips_runs_config *c, tips_run *run, int threads) {
    const int before = tips__train_threads_of(run->folder); /* a run goes on with the number it began with */
    run->train.model.threads = before ? before : threads;
    tips__threads_set(run->train.model.threads);
    return tips__run_do(c, run);
}
