/* How long a study will take. */
#include "study/study.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/timing.h"
#include "study/study_jobs.h"
#include "study/study_parts.h"
#include "study/study_run_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_MEASURED = 16, STEPS = 8 };

/* In how many of their options two cells differ. Seeds cost nothing. */
static int distance(const tips_grid *g, int a, int b) {
    int n = 0;
    for (int axis = 0; axis < g->n_axes; axis++)
        n += strcmp(g->axes[axis], "seed") != 0 && strcmp(g->cells[a].labels[axis], g->cells[b].labels[axis]) != 0;
    return n;
}

/* The mean over the known cells that are nearest. */
static double estimate(const tips_study *s, const double *known, int cell) {
    int nearest = TIPS_MOST_AXES + 1, count = 0;
    double sum = 0;
    for (int i = 0; i < s->grid.n_cells; i++) {
        if (isnan(known[i])) continue;
        const int d = distance(&s->grid, cell, i);
        if (d < nearest) nearest = d, sum = 0, count = 0;
        if (d == nearest) sum += known[i], count++;
    }
    return count ? sum / count : NAN;
}

static double sum_up(const tips_study *s, const double *known) {
    double sum = 0;
    for (int i = 0; i < s->grid.n_cells; i++)
        if (tips__study_is_mine(s, i) && !s->runs[i].done && !s->failures[i][0]) sum += estimate(s, known, i);
    return sum;
}

static double seconds_of(const tips_run *run) { return run->done ? run->seconds + run->evaluation : NAN; }

double tips__study_seconds_left(const tips_study *s) {
    double *known, sum = NAN;
    if (tips__new(&known, ((size_t)s->grid.n_cells + 1) * sizeof *known, "times") != TIPS_OK) return NAN;
    for (int i = 0; i < s->grid.n_cells; i++) known[i] = seconds_of(&s->runs[i]);
    sum = sum_up(s, known);
    tips__free(known);
    return sum;
}

/* What a few steps show: the pictures of an epoch, and how fast they go. */
typedef struct stopwatch {
    int steps;
    double pictures, rate;
    const tips_study_config *config;
} stopwatch;

static bool is_stopped(const tips_study_config *c) { return c->stop && c->stop(c->context); }

static void watch_step(void *context, const tips_train_progress *p) {
    stopwatch *w = context;
    w->steps++;
    w->rate = p->images_per_second;
    if (!p->validating) w->pictures = p->batches;
}

static bool is_enough(void *context) {
    const stopwatch *w = context;
    return w->steps >= STEPS || is_stopped(w->config);
}

/* What the first passes of an evaluation show: how many there will be, and how fast they go. */
typedef struct pass_watch {
    double passes, began, done, seconds;
    int told;
    const tips_study_config *config;
} pass_watch;

static void watch_cost(void *context, const tips_evaluate_cost *cost) {
    pass_watch *w = context;
    w->passes = cost->passes;
    w->began = tips__now();
}

static void watch_pass(void *context, const char *model, double done, double passes) {
    pass_watch *w = context;
    (void)model;
    (void)passes;
    w->told++;
    w->done = done;
    w->seconds = tips__now() - w->began;
}

static bool has_passed(void *context) {
    const pass_watch *w = context;
    return w->told >= STEPS || is_stopped(w->config);
}

static bool has_counted(void *context) { return ((const pass_watch *)context)->passes > 0; }

static void remove_run(const char *folder) {
    static const char *const names[] = {"checkpoint.safetensors", "config.json", "log.jsonl",  "best.safetensors",
                                        "last.safetensors",       "curves.svg",  "curves.png", NULL};
    for (const char *const *name = names; *name; name++) {
        char path[TIPS_PATH_SIZE];
        if (tips__path_join(folder, *name, path) == TIPS_OK) unlink(path);
    }
    rmdir(folder);
}

/* A few steps of a run. */
static tips_status measure_training(const tips_study *s, const tips_train_config *run, double *seconds) {
    stopwatch w = {.config = s->config};
    const tips_train_watch watch = {.progress = watch_step, .stop = is_enough, .context = &w};
    tips_train_config train = *run;
    tips_train_result result;
    char folder[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", "tips-study-XXXXXX", folder));
    if (!mkdtemp(folder)) TIPS_FAIL(TIPS_IO, "%s: cannot be made", folder);
    train.out = folder;
    const tips_status status = tips__train_run(&train, &watch, &result);
    remove_run(folder);
    if (status != TIPS_OK && (status != TIPS_INTERRUPTED || is_stopped(s->config))) return status;
    if (w.rate > 0) *seconds += w.pictures * train.batch * train.epochs / w.rate;
    return TIPS_OK;
}

/* How many passes the attacks take: they are counted before the first one. */
static double attack_passes(const tips_evaluate_config *evaluation, const tips_attack_options *options) {
    pass_watch w = {0};
    tips_attack_config config = {.options = options, .evaluate = *evaluation};
    tips_attack_result result;
    config.evaluate.progress = NULL;
    config.evaluate.stop = has_counted;
    config.evaluate.context = &w;
    if (tips__attack_run(&config, &result) == TIPS_OK) tips__attack_free(&result);
    return w.passes;
}

/* With random weights, which take as long. Where such a network cannot be made, training alone is counted. */
static tips_status measure_evaluation(const tips_study *s, const tips_train_config *train, double *seconds) {
    const tips_runs_config runs = tips__study_runs(s);
    const tips_run run = {.train = *train};
    pass_watch w = {.config = s->config};
    tips_evaluate_config config = tips__run_evaluation(&runs, &run, train->init ? train->init : "");
    tips_evaluate_result result;
    config.network = train->model;
    config.cost = watch_cost;
    config.progress = watch_pass;
    config.stop = has_passed;
    config.context = &w;
    if (tips__evaluate_run(&config, &result) == TIPS_OK) tips__evaluate_free(&result);
    if (is_stopped(s->config)) TIPS_FAIL(TIPS_INTERRUPTED, "interrupted");
    if (w.done <= 0) return TIPS_OK;
    if (tips__attack_is_wanted(&s->grid.options.attack)) w.passes += attack_passes(&config, &s->grid.options.attack);
    *seconds += w.passes * w.seconds / w.done;
    return TIPS_OK;
}

/* `share` of the threads is what one of several models at once has. */
static tips_status measure(const tips_study *s, int cell, int share, double *seconds) {
    const tips_cell *c = &s->grid.cells[cell];
    tips_train_config train = c->train, pretrain = c->pretrain;
    double sum = 0;
    train.model.threads = pretrain.model.threads = tips__study_threads(s, cell, share);
    if (c->pretrains) TIPS_TRY(measure_training(s, &pretrain, &sum));
    TIPS_TRY(measure_training(s, &train, &sum));
    TIPS_TRY(measure_evaluation(s, &train, &sum));
    if (sum > 0) *seconds = sum;
    return TIPS_OK;
}

static tips_status measure_some(tips_study *s, double *known, int *measured) {
    const int share = tips__jobs_share(s->grid.options.jobs);
    int wanted = 0, seen = 0;
    for (int i = 0; i < s->grid.n_cells; i++) wanted += tips__study_is_mine(s, i) && !s->runs[i].done;
    const int every = wanted > MOST_MEASURED ? (wanted + MOST_MEASURED - 1) / MOST_MEASURED : 1;
    for (int i = 0; i < s->grid.n_cells; i++) {
        if (!tips__study_is_mine(s, i) || s->runs[i].done || seen++ % every != 0) continue;
        if (estimate(s, known, i) > 0 && s->done > 0) continue; /* cells that are done say it better */
        const tips_status status = measure(s, i, share, &known[i]);
        if (status != TIPS_OK) return tips__fail_within(status, s->grid.cells[i].name);
        ++*measured;
    }
    return TIPS_OK;
}

tips_status tips__study_measure(tips_study *s, double *seconds, int *measured) {
    double *known;
    TIPS_TRY(tips__new(&known, ((size_t)s->grid.n_cells + 1) * sizeof *known, "times"));
    for (int i = 0; i < s->grid.n_cells; i++) known[i] = seconds_of(&s->runs[i]);
    *measured = 0;
    const tips_status status = measure_some(s, known, measured);
    *seconds = sum_up(s, known);
    tips__free(known);
    return status;
}
