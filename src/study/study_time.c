/* How long a study will take. */
#include "study/study.h"

#include "core/fail.h"
#include "core/memory.h"
#include "data/dataset.h"

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

/* What a model took, its evaluation included: with attacks that is the most of it. */
static double seconds_of(const tips_run *run) { return run->done ? run->seconds + run->evaluating : NAN; }

static double sum_up(const tips_study *s, const double *known) {
    double sum = 0;
    for (int i = 0; i < s->grid.n_cells; i++)
        if (tips__study_is_mine(s, i) && !s->runs[i].done && !s->failures[i][0]) sum += estimate(s, known, i);
    return sum;
}

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
    double pictures, rate, epochs;
    bool (*stop)(void *context);
    void *context;
} stopwatch;

static void watch_step(void *context, const tips_train_progress *p) {
    stopwatch *w = context;
    w->steps++;
    w->rate = p->images_per_second;
    w->epochs = p->epochs;
    if (!p->validating) w->pictures = p->batches;
}

static bool is_enough(void *context) {
    const stopwatch *w = context;
    return w->steps >= STEPS || (w->stop && w->stop(w->context));
}

static void remove_run(const char *folder) {
    static const char *const names[] = {"checkpoint.safetensors", "config.json", "log.jsonl",  "best.safetensors",
                                        "last.safetensors",       "curves.svg",  "curves.png", NULL};
    for (const char *const *name = names; *name; name++) {
        char path[TIPS_PATH_SIZE];
        if (tips__path_join(folder, *name, path) == TIPS_OK) unlink(path);
    }
    rmdir(folder);
}

/* A few steps of a run; `pictures` are answered to afterwards, once each. Training goes three times through the
 * network. */
static tips_status measure_run(const tips_study *s, const tips_train_config *run, double pictures, double *seconds) {
    stopwatch w = {.stop = s->config->stop, .context = s->config->context};
    const tips_train_watch watch = {.progress = watch_step, .stop = is_enough, .context = &w};
    tips_train_config train = *run;
    tips_train_result result;
    char folder[TIPS_PATH_SIZE];
    TIPS_TRY(tips__path_join(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", "tips-study-XXXXXX", folder));
    if (!mkdtemp(folder)) TIPS_FAIL(TIPS_IO, "%s: cannot be made", folder);
    train.out = folder;
    const tips_status status = tips__train_run(&train, &watch, &result);
    remove_run(folder);
    if (status != TIPS_OK && status != TIPS_INTERRUPTED) return status;
    if (s->config->stop && s->config->stop(s->config->context)) return status;
    if (w.rate > 0) *seconds += (w.pictures * train.batch * train.epochs + pictures / 3) / w.rate;
    return TIPS_OK;
}

/* How many test pictures an evaluation takes. */
static tips_status count_pictures(const tips_study *s, const tips_train_config *train, double *out) {
    const tips_dataset_options options = {.classes_limit = train->classes_limit,
                                          .val_split = train->val_split,
                                          .skip_bad = train->on_bad_image == TIPS_BAD_SKIP,
                                          .seed = (uint64_t)train->model.seed};
    const int limit = s->grid.options.limit;
    tips_dataset *set;
    TIPS_TRY(tips__dataset_open(train->data, &options, &set));
    const int test = tips__dataset_count(set, TIPS_SPLIT_TEST);
    const int all = test > 0 ? test : tips__dataset_count(set, TIPS_SPLIT_VAL);
    tips__dataset_close(set);
    *out = limit > 0 && limit < all ? limit : all;
    return TIPS_OK;
}

/* An evaluation asks for each of about six views of a picture. */
static tips_status measure(const tips_study *s, int cell, double *seconds) {
    const tips_cell *c = &s->grid.cells[cell];
    double sum = 0, pictures;
    TIPS_TRY(count_pictures(s, &c->train, &pictures));
    if (c->pretrains) TIPS_TRY(measure_run(s, &c->pretrain, 0, &sum));
    TIPS_TRY(measure_run(s, &c->train, 6 * pictures, &sum));
    if (sum > 0) *seconds = sum;
    return TIPS_OK;
}

static tips_status measure_some(tips_study *s, double *known, int *measured) {
    int wanted = 0, seen = 0;
    for (int i = 0; i < s->grid.n_cells; i++) wanted += tips__study_is_mine(s, i) && !s->runs[i].done;
    const int every = wanted > MOST_MEASURED ? (wanted + MOST_MEASURED - 1) / MOST_MEASURED : 1;
    for (int i = 0; i < s->grid.n_cells; i++) {
        if (!tips__study_is_mine(s, i) || s->runs[i].done || seen++ % every != 0) continue;
        if (estimate(s, known, i) > 0 && s->done > 0) continue; /* cells that are done say it better */
        const tips_status status = measure(s, i, &known[i]);
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
