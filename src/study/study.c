/* The cells of a study and their runs. */
#include "study/study.h"

#include "core/fail.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/text.h"
#include "core/threads.h"
#include "study/study_jobs.h"
#include "study/study_parts.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const char cells_name[] = "cells", encoders_name[] = "encoders";

bool tips__study_is_mine(const tips_study *s, int cell) {
    return s->config->shards < 2 || cell % s->config->shards == s->config->shard - 1;
}

tips_runs_config tips__study_runs(const tips_study *s) {
    return (tips_runs_config){.limit = s->grid.options.limit,
                              .grid_images = s->grid.options.grid_images,
                              .levels = s->grid.options.levels,
                              .attack = &s->grid.options.attack,
                              .begin = s->config->begin,
                              .stop = s->config->stop,
                              .context = s->config->context};
}

int tips__study_threads(const tips_study *s, int cell, int share) {
    const int own = s->grid.cells[cell].train.model.threads;
    return own > 0 && s->config->threads == 0 ? own : share;
}

static tips_status note_attacks(const tips_attack_options *options, char *out, size_t size) {
    tips_text text = {0};
    out[0] = '\0';
    if (!tips__attack_is_wanted(options)) return TIPS_OK;
    tips__attack_flags(&text, options);
    tips_status status = tips__text_check(&text);
    if (status == TIPS_OK && text.length >= size)
        status = tips__fail(TIPS_INVALID, "'attack' and 'corrupt' have more than %zu characters", size - 1);
    if (status == TIPS_OK) memcpy(out, text.data, text.length + 1);
    tips__text_clear(&text);
    return status;
}

static tips_status place_run(tips_study *s, int cell, const char *root, bool *found) {
    char folder[TIPS_PATH_SIZE], below[TIPS_PATH_SIZE];
    const tips_cell *c = &s->grid.cells[cell];
    TIPS_TRY(tips__path_join(root, cells_name, below));
    TIPS_TRY(tips__path_join(below, c->name, folder));
    TIPS_TRY(tips__run_prepare(&c->train, folder, c->name, &s->runs[cell]));
    if (c->pretrains) {
        TIPS_TRY(tips__path_join(root, encoders_name, below));
        TIPS_TRY(tips__path_join(below, c->encoder, folder));
        TIPS_TRY(tips__run_pretrain(&c->pretrain, folder, &s->runs[cell]));
    }
    TIPS_TRY(note_attacks(&s->grid.options.attack, s->runs[cell].changed, sizeof s->runs[cell].changed));
    return tips__run_read(&s->runs[cell], s->grid.options.limit, found);
}

/* Its result is in one of the folders, or will be in the first. */
static tips_status find_run(tips_study *s, int cell) {
    bool found = false;
    for (int i = 0; i < s->config->n_also && !found; i++) TIPS_TRY(place_run(s, cell, s->config->also[i], &found));
    if (!found) TIPS_TRY(place_run(s, cell, s->config->out, &found));
    s->runs[cell].done = found;
    return TIPS_OK;
}

static void count(tips_study *s) {
    s->mine = s->done = s->failed = 0;
    for (int i = 0; i < s->grid.n_cells; i++) {
        if (!tips__study_is_mine(s, i)) continue;
        s->mine++;
        s->done += s->runs[i].done;
        s->failed += !s->runs[i].done && s->failures[i][0];
    }
}

static tips_status find_all(tips_study *s) {
    const size_t cells = (size_t)s->grid.n_cells;
    TIPS_TRY(tips__new_zero(&s->runs, cells * sizeof *s->runs, "the runs of a study"));
    TIPS_TRY(tips__new_zero(&s->failures, cells * sizeof *s->failures, "the runs of a study"));
    for (int i = 0; i < s->grid.n_cells; i++) TIPS_TRY(find_run(s, i));
    count(s);
    return TIPS_OK;
}

/* A folder whose name is mistyped would be one without models. */
static tips_status check_also(const tips_study_config *config) {
    struct stat info;
    for (int i = 0; i < config->n_also; i++)
        if (stat(config->also[i], &info) != 0 || !S_ISDIR(info.st_mode))
            TIPS_FAIL(TIPS_INVALID, "--also %s: there is no such folder", config->also[i]);
    return TIPS_OK;
}

tips_status tips__study_open(const tips_study_config *config, tips_study *out) {
    tips_study s = {.config = config};
    if (!config->out || !*config->out) TIPS_FAIL(TIPS_INVALID, "say where the models go: --out DIR");
    TIPS_TRY(check_also(config));
    tips__threads_use(config->threads);
    TIPS_TRY(tips__grid_read(config->grid, &config->over, &s.grid));
    if (config->limit >= 0) s.grid.options.limit = config->limit;
    if (config->jobs > 0) s.grid.options.jobs = config->jobs;
    const tips_status status = find_all(&s);
    if (status != TIPS_OK) tips__study_close(&s);
    else *out = s;
    return status;
}

void tips__study_close(tips_study *s) {
    tips__free(s->runs);
    tips__free(s->failures);
    tips__grid_free(&s->grid);
    *s = (tips_study){0};
}

static tips_status is_done(void *context, int piece, bool *done) {
    tips_study *s = context;
    *done = s->runs[piece].done || !tips__study_is_mine(s, piece);
    if (!*done) TIPS_TRY(tips__run_read(&s->runs[piece], s->grid.options.limit, done));
    return TIPS_OK;
}

static tips_status work(void *context, int piece, int threads) {
    tips_study *s = context;
    const tips_runs_config config = tips__study_runs(s);
    return tips__run_do_apart(&config, &s->runs[piece], tips__study_threads(s, piece, threads));
}

static void tell(const tips_study *s, int cell, const char *failure, bool again) {
    if (s->config->progress) s->config->progress(s->config->context, s, s->grid.cells[cell].name, failure, again);
}

static void began(void *context, int piece) {
    tips_study *s = context;
    s->failures[piece][0] = '\0';
}

static void ended(void *context, int piece, const char *failure, bool again) {
    tips_study *s = context;
    bool found = false;
    if (!failure && tips__run_read(&s->runs[piece], s->grid.options.limit, &found) != TIPS_OK)
        failure = tips_last_error();
    s->runs[piece].done = found;
    if (!found) snprintf(s->failures[piece], TIPS_FAILURE_SIZE, "%s", failure ? failure : "it left no result");
    count(s);
    tell(s, piece, failure, again);
}

static bool is_asked_to_stop(void *context) {
    const tips_study_config *c = ((const tips_study *)context)->config;
    return c->stop && c->stop(c->context);
}

tips_status tips__study_train(tips_study *s) {
    const tips_jobs jobs = {.count = s->grid.n_cells,
                            .at_once = s->grid.options.jobs,
                            .goes_on = true,
                            .is_done = is_done,
                            .work = work,
                            .began = began,
                            .ended = ended,
                            .stop = is_asked_to_stop,
                            .context = s};
    const tips_status status = tips__jobs_run(&jobs);
    s->interrupted = status == TIPS_INTERRUPTED;
    return s->interrupted ? TIPS_OK : status;
}

double tips__study_value(const tips_study *s, int cell, const char *name) {
    const tips_run *run = &s->runs[cell];
    const tips_metric *metric;
    char label[TIPS_LABEL_SIZE];
    double value;
    if (run->done && strcmp(name, "metric") == 0) return run->value[tips__metric_main(run->task)];
    if (run->done && strcmp(name, "validation") == 0) return run->value[TIPS_RUN_VALIDATION];
    if (run->done && strcmp(name, "seconds") == 0) return run->seconds;
    if (run->done && strcmp(name, "images") == 0) return run->images;
    for (int i = 0; run->done && (metric = tips__metric_at(run->task, i)); i++)
        if (strcmp(metric->name, name) == 0) return run->value[i];
    tips__cell_label(&s->grid, &s->grid.cells[cell], name, label, sizeof label);
    return tips__number_parse(label, &value) ? value : NAN;
}
